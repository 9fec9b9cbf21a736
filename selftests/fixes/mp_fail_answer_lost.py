# SPDX-License-Identifier: GPL-2.0
"""MP_FAIL is answered by MP_FAIL and an infinite mapping: is the latter enough?"""

from __future__ import annotations

import socket

from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256, FAIL
from conformance.wire import Wire, options
from hand import Check, accepted, main

# the kernel waits for 120 s, for nothing any more
LATER = 150


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    program.settimeout(5)
    peer.say(peer.dss(b"spoiled", bits=1), b"spoiled")
    got = peer.hear(0.1)
    found = [options(tcp) for _, tcp in got.segments]
    yield any(FAIL in o for o in found), "a wrong checksum is answered by MP_FAIL", repr(found)
    peer.say(peer.infinite(), b"as TCP")
    peer.read = None
    peer.hear(1)
    read = program.recv(len(b"spoiledas TCP"), socket.MSG_WAITALL)
    yield read == b"spoiledas TCP", "an infinite mapping comes: it goes on as TCP", f"{read!r}"
    peer.hear(LATER)
    peer.say(data=b"later")
    try:
        seen = repr(program.recv(100))
    except OSError as error:
        seen = str(error)
    yield seen == repr(b"later"), "and does so minutes later", seen


if __name__ == "__main__":
    main(check)
