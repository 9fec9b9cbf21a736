# SPDX-License-Identifier: GPL-2.0
"""Nothing is in flight when a program shuts down: how often does the DATA_FIN go out?"""

from __future__ import annotations

import socket
import time

from conformance.wire import Wire
from hand import Check, accepted, dss_of, main

TIMEOUT_MIN = 0.2


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    program.sendall(bytes(1000))
    peer.hear(1, peer.agree)
    start = time.monotonic()
    program.shutdown(socket.SHUT_WR)
    got = peer.hear(10)
    times = [when - start for when, tcp in got.segments if (dss := dss_of(tcp)) and dss.fin]
    seen = ", ".join(f"{when:.3f}" for when in times) + " s"
    early = sum(when < TIMEOUT_MIN for when in times)
    yield early == 1, "a DATA_FIN goes out once before the timeout of TCP", seen
    yield len(times) > early, "and again later, as nobody acknowledges it", seen


if __name__ == "__main__":
    main(check)
