# SPDX-License-Identifier: GPL-2.0
"""One subflow brings data with gaps until no more fits, the other one what is missing."""

from __future__ import annotations

import contextlib
import select
import socket

from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, accepted, main

# Small pieces, of which each takes far more memory than it has bytes; between them as much is missing.
SIZE, PIECES = 20, 100
# a few more than fit
SOME = 16
DATA = pattern(2 * SIZE * PIECES)
# Linux doubles it; an empty connection takes the first piece whatever it costs.
BUFFER = 4096


class Pieces:
    """A connection with a small buffer and two subflows, which bring pieces of DATA by their number."""

    def __init__(self, wire: Wire, waiting: socket.socket) -> None:
        self.peer, self.program = accepted(wire, waiting)
        self.program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.other, self.start = self.peer.join(), self.peer.sent

    def say(self, number: int) -> None:
        data = DATA[number * SIZE :][:SIZE]
        place = self.start + number * SIZE
        self.peer.say(self.peer.dss(data, place=place, ssn=1 + self.peer.sent), data)

    def say_over(self, number: int, before: int) -> None:
        """On the second subflow, that carried so many pieces before."""
        data = DATA[number * SIZE :][:SIZE]
        self.peer.say_over(self.other, data, self.start + number * SIZE, before * SIZE)

    def later(self, count: int) -> None:
        """Every second piece, over the second subflow."""
        for n in range(count):
            self.say_over(2 * n + 1, n)

    def read(self, length: int, seconds: float) -> bytes:
        got = b""
        self.program.settimeout(seconds)
        with contextlib.suppress(TimeoutError):
            while len(got) < length and (data := self.program.recv(length - len(got))):
                got += data
        return got


def other_order(pieces: Pieces) -> Check:
    """The subflow that is first in the list brings what comes later, and has more of it: the reader, who made
    room, takes from the one that brings what comes next."""
    for n in range(SOME):
        pieces.say(2 * n + 1)
    for n in range(2):
        pieces.say_over(2 * n, n)
    pieces.peer.hear(0.1)
    got = pieces.read(4 * SIZE, 5)
    yield got == DATA[: 4 * SIZE], "whichever subflow has it", f"{len(got)} bytes of {4 * SIZE}"


def behind(pieces: Pieces) -> Check:
    """What is next comes over the subflow that brought what is later, and queues behind it."""
    pieces.later(SOME)
    pieces.say_over(0, SOME)
    pieces.peer.hear(0.1)
    got = pieces.read(2 * SIZE, 5)
    yield got == DATA[: 2 * SIZE], "also behind what is later", f"{len(got)} bytes of {2 * SIZE}"


def wants_more(pieces: Pieces) -> Check:
    """There is something to read, but less than a program wants before it is woken."""
    pieces.program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 3 * SIZE)
    pieces.later(PIECES)
    for n in range(2):
        pieces.say(2 * n)
    pieces.peer.hear(0.1)
    woken = bool(select.select([pieces.program], [], [], 5)[0])
    yield woken, "so does what a program wants at least (SO_RCVLOWAT)", "it is not woken"


def wants_all(pieces: Pieces) -> Check:
    """Nothing is missing, but what a program wants is more than fits."""
    pieces.program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, BUFFER)
    for n in range(2 * PIECES):
        pieces.say(n)
    pieces.peer.hear(0.1)
    woken = bool(select.select([pieces.program], [], [], 5)[0])
    yield woken, "so it is when what it wants is more than fits", "it is not woken"


def all_of_it(pieces: Pieces) -> Check:
    """One piece after the other."""
    pieces.later(PIECES)
    pieces.peer.hear(0.5)
    yield pieces.read(1, 1) == b"", "all that fills the buffer comes later", "it can be read"

    pieces.say(0)
    got = pieces.read(2 * SIZE, 5)
    yield got == DATA[: 2 * SIZE], "what is next arrives, and what it lets through", f"{got!r}"
    for n in range(1, PIECES):
        # of what was too much for the subflow's buffer, too
        pieces.say_over(2 * n + 1, n)
        pieces.say(2 * n)
        if len(got) == 2 * n * SIZE:
            got += pieces.read(SIZE, 5)
        if len(got) == (2 * n + 1) * SIZE:
            # newer kernels acknowledge it to the subflow and drop it for what is next: once more, as
            # MPTCP's own timeout would send it
            more = pieces.read(SIZE, 0.5)
            if not more:
                pieces.say(2 * n + 1)
                more = pieces.read(SIZE, 5)
            got += more
    yield got == DATA, "so does all the rest", f"{len(got)} bytes of {len(DATA)}"


def check(wire: Wire, waiting: socket.socket) -> Check:
    for case in (other_order, behind, wants_more, wants_all, all_of_it):
        yield from case(Pieces(wire, waiting))


if __name__ == "__main__":
    main(check)
