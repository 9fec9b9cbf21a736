# SPDX-License-Identifier: GPL-2.0
"""A connection that moves a pattern both ways. One loop drives both its ends and the boxes
between them."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import struct
import time
from dataclasses import dataclass, field
from functools import cache

from net import Network, Wire, inside, sockets

IPPROTO_MPTCP, SOL_MPTCP, MPTCP_INFO = 262, 284, 1
FALLBACK = 1  # MPTCP_INFO_FLAG_FALLBACK
LINGERS = 5.0  # seconds, at most, until what is closed has been given up
PAUSE = 1.0  # longer than it takes until data is sent again
GAP = 7_001  # bytes from one mark to the next; odd, so that marks fall anywhere in segments


@cache
def stream(size: int, salt: int, mark: bytes) -> list[bytes]:
    """Pieces between which the mark is; no two places look alike."""
    state, block = 0x9E3779B97F4A7C15 + salt, bytearray()
    while len(block) < size:
        state = (state * 6364136223846793005 + 1442695040888963407) & ((1 << 64) - 1)
        block += struct.pack("!II", state >> 32, len(block))
    data = bytes(block[:size])
    assert mark not in data
    return [data[i : i + GAP] for i in range(0, size, GAP)]


@dataclass
class Arrived:
    """wrong: the place of the first wrong byte. The marks: as they were sent, and replaced."""

    size: int
    original: int = 0
    replaced: int = 0
    wrong: int | None = None


def common(data: bytes, at: int, part: bytes) -> int:
    """How many bytes are the same from there on."""
    return len(os.path.commonprefix([data[at : at + len(part)], part]))


def compare(pieces: list[bytes], mark: bytes, new: bytes, data: bytes) -> Arrived:
    """Each piece as it was sent, each mark as it was sent or as the box wrote it."""
    arrived, at = Arrived(len(data)), 0
    for number, piece in enumerate(pieces):
        if number and data.startswith(mark, at):
            arrived.original += 1
            at += len(mark)
        elif number and data.startswith(new, at):
            arrived.replaced += 1
            at += len(new)
        elif number:
            # the stream may end within a mark
            arrived.wrong = at + max(common(data, at, mark), common(data, at, new))
            return arrived
        if not data.startswith(piece, at):
            arrived.wrong = at + common(data, at, piece)
            return arrived
        at += len(piece)
    if at != len(data):
        arrived.wrong = at
    return arrived


@dataclass
class End:
    """One end of a connection. waits: it does not end before the other end has. pauses: nothing
    follows these bytes for a while."""

    sock: socket.socket
    output: bytes
    waits: bool
    pauses: int | None = None
    resumes: float = 0.0
    input: bytearray = field(default_factory=bytearray)
    sent: int = 0
    shut: bool = False
    ended: bool = False  # the peer has sent all
    error: str = ""

    def done(self) -> bool:
        return bool(self.error) or (self.ended and self.shut)

    def events(self) -> int:
        writes = self.sent < len(self.output) or (self.may_end() and not self.shut)
        writes = writes and self.resumes <= time.monotonic()
        return (0 if self.ended else selectors.EVENT_READ) | (selectors.EVENT_WRITE if writes else 0)

    def may_end(self) -> bool:
        return self.ended or not self.waits

    def step(self, ready: int) -> None:
        try:
            if ready & selectors.EVENT_READ:
                self.read()
            if ready & selectors.EVENT_WRITE and not self.shut:
                self.write()
        except BlockingIOError:
            pass
        except OSError as e:
            self.error = errno.errorcode.get(e.errno or 0, str(e))

    def read(self) -> None:
        data = self.sock.recv(1 << 18)
        self.input += data
        self.ended = not data

    def write(self) -> None:
        if self.sent < len(self.output):
            stop = min(self.sent + (1 << 16), self.pauses or len(self.output))
            self.sent += self.sock.send(self.output[self.sent : stop])
            if self.sent == self.pauses:
                self.pauses, self.resumes = None, time.monotonic() + PAUSE
        if self.sent == len(self.output) and self.may_end():
            self.sock.shutdown(socket.SHUT_WR)
            self.shut = True

    def fell_back(self) -> bool:
        """A server's socket that fell back in the handshake is TCP's."""
        try:
            info = self.sock.getsockopt(SOL_MPTCP, MPTCP_INFO, 256)
        except OSError:
            return True
        return bool(struct.unpack_from("=I", info, 8)[0] & FALLBACK)


class Transfer:
    """pauses: see End."""

    def __init__(
        self, network: Network, protocol: int, port: int, up: bytes, down: bytes, pauses: int | None
    ) -> None:
        self.network, self.down, self.pauses = network, down, pauses
        with inside(network.hosts.server):
            self.listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
        self.listener.bind(("", port))
        self.listener.listen()
        with inside(network.hosts.client):
            sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
        sock.setblocking(False)
        sock.connect_ex(("10.1.1.2", port))
        self.client = End(sock, up, waits=False, pauses=pauses)
        self.server: End | None = None
        self.selector = selectors.DefaultSelector()
        for wire in network.wires.values():
            for fd in wire.client, wire.server:
                self.selector.register(fd, selectors.EVENT_READ, wire)
        self.selector.register(self.listener, selectors.EVENT_READ, self)
        self.watch(self.client)

    def ends(self) -> list[tuple[str, End]]:
        return [("client", self.client), *([("server", self.server)] if self.server else [])]

    def run(self, patience: float) -> bool:
        """False: it does not end."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if self.client.error or (self.client.done() and self.server and self.server.done()):
                return True
            if any(len(end.input) > 2 * len(self.client.output) for _, end in self.ends()):
                return True  # much more than was sent
            self.turn(until)
        return False

    def turn(self, until: float) -> None:
        due = self.network.deadline()
        now = time.monotonic()
        resumes = (end.resumes for _, end in self.ends() if end.resumes > now)
        wake = min(until if due is None else due, until, *resumes)
        for key, ready in self.selector.select(max(wake - now, 0)):
            if isinstance(key.data, Wire):
                key.data.step(key.fd)
            elif isinstance(key.data, End):
                key.data.step(ready)
                self.watch(key.data)
            else:
                self.accept()
        self.network.tick()
        for _, end in self.ends():
            if now < end.resumes <= time.monotonic():
                self.watch(end)

    def accept(self) -> None:
        """The first one: a SYN proxy makes a connection of a join."""
        sock, _ = self.listener.accept()
        if self.server:
            sock.close()
            return
        sock.setblocking(False)
        self.server = End(sock, self.down, waits=True, pauses=self.pauses)
        self.watch(self.server)

    def watch(self, end: End) -> None:
        if end.sock.fileno() in self.selector.get_map():
            self.selector.unregister(end.sock)
        if not end.done():
            self.selector.register(end.sock, end.events(), end)

    def gone(self) -> bool:
        return not any(map(sockets, (self.network.hosts.client, self.network.hosts.server)))

    def close(self) -> None:
        """What is on its way still gets through: resets of this one are not the next one's."""
        for _, end in self.ends():
            if end.sock.fileno() in self.selector.get_map():
                self.selector.unregister(end.sock)
            end.sock.close()
        self.selector.unregister(self.listener)
        self.listener.close()
        until = time.monotonic() + LINGERS
        while time.monotonic() < until and not self.gone():
            self.turn(min(until, time.monotonic() + 0.1))
        self.selector.close()
