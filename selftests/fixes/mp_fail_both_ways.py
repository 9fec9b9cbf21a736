# SPDX-License-Identifier: GPL-2.0
"""A box spoils what both send, at a time: does each tell the other where TCP begins?"""

from __future__ import annotations

import socket

from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256, FAIL
from conformance.wire import Wire, options
from hand import Check, accepted, is_infinite, main


def answered_twice(wire: Wire, waiting: socket.socket) -> Check:
    """The network duplicates the answer to an MP_FAIL. To answer that one would have no end."""
    peer, _ = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    peer.say(peer.dss(b"spoiled", bits=1), b"spoiled")
    asked = sum(FAIL in options(tcp) for _, tcp in peer.hear(0.1).segments)
    peer.fail(0)
    peer.fail(0)
    answers = sum(FAIL in options(tcp) for _, tcp in peer.hear(1).segments)
    yield (asked, answers) == (1, 0), "an answer to MP_FAIL is not answered", f"{asked}, {answers}"


def unasked(wire: Wire, waiting: socket.socket) -> Check:
    """Somebody forges an MP_FAIL on a quiet connection. The other end answers the answer, in vain."""
    peer, _ = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    peer.fail(0)
    answers = [sum(FAIL in options(tcp) for _, tcp in peer.hear(1).segments)]
    peer.fail(0)
    answers.append(sum(FAIL in options(tcp) for _, tcp in peer.hear(1).segments))
    yield answers == [1, 0], "one that nobody asked for is answered once", f"{answers}"


def check(wire: Wire, waiting: socket.socket) -> Check:
    yield from answered_twice(wire, waiting)
    yield from unasked(wire, waiting)
    peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    peer.say(peer.dss(b"spoiled", bits=1), b"spoiled")
    program.sendall(bytes(1000))
    got = peer.hear(0.1)
    found = [options(tcp) for _, tcp in got.segments]
    yield any(FAIL in o for o in found), "a wrong checksum is answered by MP_FAIL", repr(found)
    # not a response: the checksum of the 1000 bytes is wrong, too
    peer.fail(0)
    peer.hear(0.1)
    program.sendall(bytes(1000))
    got = peer.hear(5)
    maps = [options(tcp) for _, tcp in got.segments if tcp.data]
    told = any(is_infinite(tcp) for _, tcp in got.segments)
    yield told, "MP_FAIL of the peer at the same time is answered by an infinite mapping", repr(maps)


if __name__ == "__main__":
    main(check)
