# SPDX-License-Identifier: GPL-2.0
"""Peers that take what a server sends, a byte now and then."""

from __future__ import annotations

import contextlib
import struct
import sys
import time
from pathlib import Path

import dpkt
from conformance.byhand import ISN, option
from conformance.capture import ACK
from conformance.crypto import idsn_of
from conformance.mapping import MASK32, MASK64
from conformance.options import DSS, DSS_ACK, DSS_ACK64
from gauge import orphans, sockets
from lab import Cost, Lab, measured, released

BACKLOG = 4 << 20  # bytes that wait for the reader
CLOSED, ORPHANS, HELD = 64, 16, 300  # connections, net.ipv4.tcp_max_orphans, seconds


class Reader:
    """A stranger that acknowledges what it got, and has a window of a byte."""

    def __init__(self, lab: Lab, backlog: int) -> None:
        self.wire = lab.stranger
        self.connection, self.app = lab.connect()
        self.base, self.got = self.connection.ack, 0
        self.first = idsn_of(self.connection.peer_key) + 1
        self.wire.window = 1
        self.ack()
        # with something unread its close() would be a reset
        self.app.recv(100)
        self.app.setblocking(False)
        self.backlog = 0
        with contextlib.suppress(BlockingIOError):
            while self.backlog < backlog:
                self.backlog += self.app.send(bytes(backlog - self.backlog))

    def note(self, tcp: dpkt.tcp.TCP) -> None:
        end = (tcp.seq + len(tcp.data) - self.base) & MASK32
        if tcp.data and end < 1 << 31:
            self.got = max(self.got, end)

    def ack(self) -> None:
        raw = option(DSS, 0, struct.pack("!BQ", DSS_ACK | DSS_ACK64, (self.first + self.got) & MASK64))
        at = ISN + 1 + self.connection.sent
        self.wire.window = 1
        self.wire.send(self.connection.port, ACK, at, self.base + self.got & MASK32, raw)

    def close(self) -> None:
        """And all is thrown away."""
        self.wire.window = 65000
        self.connection.fastclose(0)
        self.app.close()


def listen(lab: Lab, readers: dict[int, Reader]) -> None:
    """What came for them until now, by port."""
    while packet := lab.stranger.receive(0):
        tcp = lab.stranger.decode(*packet)
        if tcp is not None and tcp.dport in readers:
            readers[tcp.dport].note(tcp)


def slow(lab: Lab, size: int) -> Cost:
    """a reader that takes a byte at a time of 4 MB"""
    reader = Reader(lab, BACKLOG)

    def step() -> None:
        # probes of the window come at this pace
        time.sleep(2)
        listen(lab, {reader.connection.port: reader})
        reader.ack()

    cost = measured(lab, [step] * size, reads=True)
    lab.told = f"{reader.got} bytes of {reader.backlog}"
    reader.close()
    return cost


def trickle(lab: Lab) -> None:
    """Closed connections with data left, whose peer takes a byte every two seconds; then it stops."""
    allowed = Path("/proc/sys/net/ipv4/tcp_max_orphans")
    usual = allowed.read_text()
    before, readers = sockets(lab.namespace), dict[int, Reader]()
    try:
        allowed.write_text(str(ORPHANS))
        for _ in range(CLOSED):
            reader = Reader(lab, 1 << 16)
            readers[reader.connection.port] = reader
        for reader in readers.values():
            reader.app.close()
        counted, living = orphans(lab.namespace), list[int]()
        for second in range(0, HELD + 1, 2):
            listen(lab, readers)
            if second % 60 == 0:
                living.append(sockets(lab.namespace) - before)
            for reader in readers.values():
                reader.ack()
            time.sleep(2)
    finally:
        allowed.write_text(usual)
    lab.stranger.window = 65000
    what = "closed connections, a byte taken every two seconds"
    print(f"{'ok' if living[-1] <= ORPHANS else 'not ok'} {what}: tcp_max_orphans limits them")
    minutes = ", ".join(map(str, living))
    print(f"# of {CLOSED} with tcp_max_orphans {ORPHANS} live after 0 to {HELD // 60} minutes: {minutes}")
    gone = released(lab, before)
    print(f"{'ok' if gone else 'not ok'} {what}: all is released afterwards")
    print(f"# | {what} | {counted} of {CLOSED} counted as orphans, {minutes} live after 0, 1, … minutes |")
    sys.stdout.flush()
