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


def read(program: socket.socket, length: int, seconds: float) -> bytes:
    got = b""
    program.settimeout(seconds)
    with contextlib.suppress(TimeoutError):
        while len(got) < length and (data := program.recv(length - len(got))):
            got += data
    return got


def other_order(wire: Wire, waiting: socket.socket) -> Check:
    """The subflow that is first in the list brings what comes later, and has more of it: the reader, who made
    room, takes from the one that brings what comes next."""
    peer, program = accepted(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    other, start = peer.join(), peer.sent
    for n in range(SOME):
        place = start + (2 * n + 1) * SIZE
        data = DATA[place - start :][:SIZE]
        peer.say(peer.dss(data, place=place, ssn=1 + peer.sent), data)
    for n in range(2):
        peer.say_over(other, DATA[2 * n * SIZE :][:SIZE], start + 2 * n * SIZE, n * SIZE)
    peer.hear(0.1)
    got = read(program, 4 * SIZE, 5)
    yield got == DATA[: 4 * SIZE], "whichever subflow has it", f"{len(got)} bytes of {4 * SIZE}"


def behind(wire: Wire, waiting: socket.socket) -> Check:
    """What is next comes over the subflow that brought what is later, and queues behind it."""
    peer, program = accepted(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    other, start = peer.join(), peer.sent
    for n in range(SOME):
        place = (2 * n + 1) * SIZE
        peer.say_over(other, DATA[place:][:SIZE], start + place, n * SIZE)
    peer.say_over(other, DATA[:SIZE], start, SOME * SIZE)
    peer.hear(0.1)
    got = read(program, 2 * SIZE, 5)
    yield got == DATA[: 2 * SIZE], "also behind what is later", f"{len(got)} bytes of {2 * SIZE}"


def wants_more(wire: Wire, waiting: socket.socket) -> Check:
    """There is something to read, but less than a program wants before it is woken."""
    peer, program = accepted(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 3 * SIZE)
    other, start = peer.join(), peer.sent
    for n in range(PIECES):
        place = (2 * n + 1) * SIZE
        peer.say_over(other, DATA[place:][:SIZE], start + place, n * SIZE)
    for n in range(2):
        data = DATA[2 * n * SIZE :][:SIZE]
        peer.say(peer.dss(data, place=start + 2 * n * SIZE, ssn=1 + peer.sent), data)
    peer.hear(0.1)
    woken = bool(select.select([program], [], [], 5)[0])
    yield woken, "so does what a program wants at least (SO_RCVLOWAT)", "it is not woken"


def check(wire: Wire, waiting: socket.socket) -> Check:
    yield from other_order(wire, waiting)
    yield from behind(wire, waiting)
    yield from wants_more(wire, waiting)
    peer, program = accepted(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    other, start = peer.join(), peer.sent

    def later(n: int) -> None:
        place = (2 * n + 1) * SIZE
        peer.say_over(other, DATA[place : place + SIZE], start + place, n * SIZE)

    def say(place: int) -> None:
        data = DATA[place : place + SIZE]
        peer.say(peer.dss(data, place=start + place, ssn=1 + peer.sent), data)

    def miss(n: int) -> None:
        say(2 * n * SIZE)

    for n in range(PIECES):
        later(n)
    peer.hear(0.5)
    yield read(program, 1, 1) == b"", "all that fills the buffer comes later", "it can be read"

    miss(0)
    got = read(program, 2 * SIZE, 5)
    yield got == DATA[: 2 * SIZE], "what is next arrives, and what it lets through", f"{got!r}"
    for n in range(1, PIECES):
        # of what was too much for the subflow's buffer, too
        later(n)
        miss(n)
        if len(got) == 2 * n * SIZE:
            got += read(program, SIZE, 5)
        if len(got) == (2 * n + 1) * SIZE:
            # newer kernels acknowledge it to the subflow and drop it for what is next: once more, as
            # MPTCP's own timeout would send it
            more = read(program, SIZE, 0.5)
            if not more:
                say((2 * n + 1) * SIZE)
                more = read(program, SIZE, 5)
            got += more
    yield got == DATA, "so does all the rest", f"{len(got)} bytes of {len(DATA)}"


if __name__ == "__main__":
    main(check)
