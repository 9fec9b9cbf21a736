# SPDX-License-Identifier: GPL-2.0
"""Segments that come in any order, overlap and come again, at a host with little memory.

usage: python3 -m segments SERVER SOURCE NAMESPACE

A peer whose every segment is made by hand has two subflows, a drawn part of the data on each, some of
it on both. It sends drawn pieces of that. Honest: each mapping is right, so all arrives as it was. Wild:
mappings, flags and options are whatever was drawn, and the host has to live on.
"""

from __future__ import annotations

import random
import socket
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.byhand import ISN, Connection, Join, option
from conformance.capture import ACK, FIN, RST
from conformance.early import joined
from conformance.mapping import MASK32
from conformance.options import DSS, DSS_ACK, DSS_FIN, DSS_MAP
from conformance.wire import Wire
from hand import Check, main

from net import inside

MEMORY = "4096 131072 131072"  # tcp_rmem
BEGUN, FIRST = 8, 4  # bytes that came before: of the connection, on each subflow
SIZE, PIECES, ROUNDS = 40_000, 1500, 50
LENGTHS = (1, 2, 10, 60, 100, 400, 1000, 1448)
MOST = 1400
MSS = 1460
URGENT = 32
SEEDS = 12


@dataclass
class Block:
    """Data from seq on of the connection, from ssn on of a subflow, both without the initial number."""

    on: Connection | Join
    ssn: int
    seq: int
    length: int


class Peer:
    """And the program that reads what it sends."""

    def __init__(self, wire: Wire, waiting: socket.socket, draw: random.Random) -> None:
        self.wire, self.draw = wire, draw
        wire.open()  # what was answered to others is too much for it
        self.join = joined(wire)
        self.connection = self.join.connection
        self.program = waiting.accept()[0]
        self.program.setblocking(False)
        self.data = b"datamore" + draw.randbytes(SIZE)
        self.got = b""
        self.ends: dict[int, int] = {}  # of what each subflow carries, by its port
        self.blocks = list(self.plan())
        self.last = self.blocks[0], 0

    def plan(self) -> Iterator[Block]:
        """Who carries what."""
        both, seq = [self.connection, self.join], BEGUN
        while seq < len(self.data):
            length = min(self.draw.randrange(1, 3000), len(self.data) - seq)
            for on in self.draw.choice([both[:1], both[1:], both]):
                yield self.block(on, seq, length)
            seq += length

    def block(self, on: Connection | Join, seq: int, length: int) -> Block:
        """What comes next on the subflow."""
        ssn = self.ends.get(on.port, FIRST)
        self.ends[on.port] = ssn + length
        return Block(on, ssn, seq, length)

    def mapping(self, seq: int, ssn: int, length: int, flags: int = DSS_ACK | DSS_MAP) -> bytes:
        ack, dsn = self.connection.peer_idsn() + 1, self.connection.idsn() + 1 + seq
        return option(
            DSS,
            0,
            struct.pack("!BIIIH", flags, ack & MASK32, dsn & MASK32, (ssn + 1) & MASK32, length),
        )

    def send(self, block: Block, skip: int, length: int, opts: bytes, flags: int = ACK) -> None:
        start = block.seq + skip
        data = self.data[start : start + min(length, MSS - len(opts) - 3)]
        self.wire.send(block.on.port, flags, ISN + 1 + block.ssn + skip, block.on.ack, opts, data)

    def drawn(self) -> tuple[Block, int, int]:
        """A piece of a block: which, from where on, how much. Often it begins near where the last one
        ended, so that TCP joins them and some lie within others."""
        block, skip = self.last
        if skip >= block.length or self.draw.random() < 0.4:
            block = self.draw.choice(self.blocks)
            skip = self.draw.choice([0, self.draw.randrange(block.length)])
        length = min(self.draw.choice(LENGTHS), block.length - skip)
        after = skip + length + self.draw.choice([0, 0, 10, -10, -length])
        self.last = block, max(after, 0)
        return block, skip, length

    def honest(self) -> None:
        block, skip, length = self.drawn()
        says = not skip or self.draw.random() < 0.6
        self.send(
            block,
            skip,
            length,
            self.mapping(block.seq, block.ssn, block.length) if says else b"",
        )

    def wild(self) -> None:
        """Mostly behind a gap, as what is wrong and next ends a subflow."""
        block, skip, length = self.drawn()
        if block.ssn + skip == FIRST and self.draw.random() < 0.95:
            return
        draw = self.draw
        off = [draw.choices([0, draw.randrange(-3000, 3000)], [15, 1])[0] for _ in range(3)]
        bits = DSS_ACK | DSS_MAP | draw.choices([0, DSS_FIN, draw.randrange(256)], [30, 1, 1])[0]
        opts = self.mapping(
            block.seq + off[0],
            block.ssn + off[1],
            (block.length + off[2]) & 0xFFFF,
            bits,
        )
        strange = option(
            draw.randrange(16),
            draw.randrange(16),
            draw.randbytes(draw.randrange(1, 30)),
        )
        flags = ACK | draw.choices([0, URGENT, FIN], [100, 2, 1])[0]
        length = draw.choice([length, MOST])
        self.send(block, skip, length, draw.choices([opts, b"", strange], [20, 20, 1])[0], flags)

    def read(self) -> None:
        try:
            while data := self.program.recv(1 << 20):
                self.got += data
        except OSError:
            return

    def pause(self, number: int) -> None:
        """So that no queue of the link drops anything; the program reads meanwhile."""
        if number % 100 == 0:
            time.sleep(0.02)
            self.read()

    def press(self) -> None:
        """More little segments than there is memory for: TCP joins what it can, and drops some."""
        on = self.draw.choice([self.connection, self.join])
        end = self.ends.get(on.port, FIRST)
        for at in range(end, end + 8000, 20):
            self.wire.send(on.port, ACK, ISN + 1 + at, on.ack, b"", b"x")
        time.sleep(0.05)

    def all_in_turn(self) -> None:
        """What was drawn may lack something, and TCP may have dropped what came."""
        for block in self.blocks:
            for skip in range(0, block.length, MOST):
                opts = self.mapping(block.seq, block.ssn, block.length)
                self.send(block, skip, min(MOST, block.length - skip), opts)

    def again(self) -> None:
        """So may the connection have, after TCP acknowledged it: then a subflow carries it once more."""
        at = len(self.got)
        self.blocks.append(self.block(self.connection, at, min(MOST, len(self.data) - at)))

    def end(self) -> None:
        for on in self.connection, self.join:
            self.wire.send(on.port, RST | ACK, ISN + 1 + on.sent, on.ack)
        self.program.close()


def honest(wire: Wire, waiting: socket.socket, seed: int) -> Check:
    peer = Peer(wire, waiting, random.Random(seed))
    for number in range(PIECES):
        peer.honest()
        peer.pause(number)
    for _ in range(ROUNDS):
        peer.all_in_turn()
        time.sleep(0.02)
        peer.read()
        if len(peer.got) >= len(peer.data):
            break
        peer.again()
    peer.end()
    seen = f"{len(peer.got)} of {len(peer.data)}"
    yield (
        peer.got == peer.data,
        f"honest {seed}: the bytes are right, and all there",
        seen,
    )


def wild(wire: Wire, waiting: socket.socket, seed: int) -> Check:
    """What the next connection carries shows that the host lives."""
    peer = Peer(wire, waiting, random.Random(seed))
    for number in range(PIECES):
        peer.wild()
        peer.pause(number)
        if number % 150 == 149:
            peer.press()
    peer.read()
    peer.end()
    yield True, f"wild {seed}: {len(peer.got)} bytes were taken", ""


def check(wire: Wire, waiting: socket.socket) -> Check:
    with inside(sys.argv[3]):
        Path("/proc/sys/net/ipv4/tcp_rmem").write_text(MEMORY)
    for seed in range(SEEDS):
        yield from wild(wire, waiting, seed)
        yield from honest(wire, waiting, seed)


if __name__ == "__main__":
    main(check)
