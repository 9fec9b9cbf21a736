# SPDX-License-Identifier: GPL-2.0
"""A checksum is wrong, and the receiver has shut down: does it say so?"""

from __future__ import annotations

import socket

from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256, FAIL
from conformance.wire import Wire, options
from hand import TIMESTAMP, Check, accepted, dss_of, main


def check(wire: Wire, waiting: socket.socket) -> Check:
    # with timestamps there is no room for both
    peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM, TIMESTAMP)
    program.shutdown(socket.SHUT_WR)
    got = peer.hear(0.1)
    fins = [tcp for _, tcp in got.segments if (dss := dss_of(tcp)) and dss.fin]
    yield bool(fins), "the server sends a DATA_FIN", "none"
    peer.say(peer.dss(b"spoiled", bits=1), b"spoiled")
    got = peer.hear(5)
    found = [options(tcp) for _, tcp in got.segments]
    yield any(FAIL in o for o in found), "a wrong checksum is answered by MP_FAIL", repr(found)


if __name__ == "__main__":
    main(check)
