# SPDX-License-Identifier: GPL-2.0
"""A middlebox joined two segments and kept the options of one of them."""

from __future__ import annotations

import contextlib
import socket
import sys
import time

from conformance.case import pattern
from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256
from conformance.raw import is_fourth
from conformance.wire import Wire
from ends import Ends
from hand import Check, accepted, main
from short import short_of_memory, take

SIZE = 500
LARGE = 1400  # bytes of a segment that takes half a page
DATA = pattern(3 * SIZE)


def read(program: socket.socket) -> bytes:
    """What comes in some seconds."""
    got = b""
    program.settimeout(5)
    with contextlib.suppress(OSError):
        while data := program.recv(65536):
            got += data
    return got


def joined(wire: Wire, waiting: socket.socket, flags: int, how: str) -> Check:
    """The first third comes with a mapping, the last third joined to it; the second one is to come
    over the other subflow."""
    peer, program = accepted(wire, waiting, flags)
    other = peer.join()
    yield is_fourth(other.got), f"{how}: a second subflow joins", "it does not"
    start = peer.sent
    peer.say(peer.dss(DATA[:SIZE]), DATA[:SIZE] + DATA[2 * SIZE :])
    got = read(program)
    yield got == DATA[: len(got)], f"{how}: no last third after the first", f"{len(got)} bytes"
    for at in range(0, len(DATA), SIZE):
        peer.say_over(other, DATA[at : at + SIZE], start + at, at)
    got += read(program)
    yield got == DATA, f"{how}: over the other subflow all comes", f"{len(got)} bytes"


def joined_later(wire: Wire, waiting: socket.socket, flags: int, how: str) -> Check:
    """The first half of the data has one mapping and comes in two segments. To the second of them the
    last quarter is joined, whose options are kept; the third quarter comes over the other subflow."""
    data = pattern(4 * SIZE)
    peer, program = accepted(wire, waiting, flags)
    other = peer.join()
    yield is_fourth(other.got), f"{how}, the later option: a second subflow joins", "it does not"
    start = peer.sent
    peer.say(peer.dss(data[: 2 * SIZE]), data[:SIZE])
    last = peer.dss(data[3 * SIZE :], place=start + 3 * SIZE, ssn=peer.sent + SIZE + 1)
    peer.say(last, data[SIZE : 2 * SIZE] + data[3 * SIZE :])
    got = read(program)
    yield got == data[: 2 * SIZE], f"{how}, the later option: all of the first mapping", f"{len(got)} bytes"
    peer.say_over(other, data[2 * SIZE : 3 * SIZE], start + 2 * SIZE)
    got += read(program)
    yield got == data, f"{how}, the later option: and of the one that was kept", f"{len(got)} bytes"


def joined_in_need(wire: Wire, waiting: socket.socket) -> Check:
    """The first part of a joined segment waits for memory, in the queue of its subflow; and TCP, which is
    short of it, makes that queue smaller."""
    data = pattern(2 * LARGE)
    peer, program = accepted(wire, waiting)
    other = peer.join()
    yield is_fourth(other.got), "short of memory: a second subflow joins", "it does not"
    start = peer.sent
    memory = take(Ends(sys.argv[1], sys.argv[3]), waiting)
    with short_of_memory():
        peer.say(data=data[:LARGE])
        time.sleep(1)
        half = data[LARGE : LARGE + LARGE // 2]
        peer.say(peer.dss(half), half + bytes(LARGE // 2))
        time.sleep(1)
        program.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        for _ in range(3):
            peer.say(data=bytes(10))
            time.sleep(1)
    got = read(program)
    peer.say_over(other, data[len(got) :], start + len(got))
    got += read(program)
    for conn in memory:
        conn.close()
    yield got == data, "short of memory: all comes, and nothing else", f"{len(got)} bytes"


def check(wire: Wire, waiting: socket.socket) -> Check:
    for flags, how in ((CAPABLE_SHA256, "without"), (CAPABLE_SHA256 | CAPABLE_CHECKSUM, "with")):
        yield from joined(wire, waiting, flags, f"{how} checksums")
        yield from joined_later(wire, waiting, flags, f"{how} checksums")
    yield from joined_in_need(wire, waiting)


if __name__ == "__main__":
    main(check)
