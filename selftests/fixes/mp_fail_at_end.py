# SPDX-License-Identifier: GPL-2.0
"""A checksum is wrong, and there is no more data that could have the infinite mapping."""

from __future__ import annotations

import socket

from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256, FAIL
from conformance.wire import Wire, options
from hand import Check, Peer, accepted, main

DATA = bytes(1000)
# the kernel waits for 120 s in vain
SOON = 30


def answered(peer: Peer, when: str) -> Check:
    got = peer.hear(SOON, peer.agree)
    found = [options(tcp) for _, tcp in peer.stream.segments]
    yield any(FAIL in o for o in found), f"{when}: it is answered by MP_FAIL", repr(found)
    yield got.ended, f"{when}: the stream ends with a FIN, as TCP's do", repr(found)


def check(wire: Wire, waiting: socket.socket) -> Check:
    flags = CAPABLE_SHA256 | CAPABLE_CHECKSUM
    peer, program = accepted(wire, waiting, flags)
    program.sendall(DATA)
    program.shutdown(socket.SHUT_WR)
    peer.hear(0.1)
    peer.fail(0)
    yield from answered(peer, "MP_FAIL after the end")

    peer, program = accepted(wire, waiting, flags)
    program.sendall(DATA)
    peer.hear(0.1)
    peer.fail(0)
    peer.hear(0.1)
    program.shutdown(socket.SHUT_WR)
    yield from answered(peer, "MP_FAIL before the end")


if __name__ == "__main__":
    main(check)
