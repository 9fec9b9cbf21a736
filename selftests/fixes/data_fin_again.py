# SPDX-License-Identifier: GPL-2.0
"""A DATA_FIN comes again, as its acknowledgment was lost, and the program goes on with its own direction."""

from __future__ import annotations

import socket

from conformance.wire import Wire
from hand import HELLO, Check, accepted, dss_of, main

FLOOD = 50


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, _program = accepted(wire, waiting)
    peer.say(peer.dss(fin=True))
    peer.hear(1)
    peer.say(peer.dss(fin=True))
    got = peer.hear(0.5)
    acks = [dss.ack for _, tcp in got.segments if (dss := dss_of(tcp))]
    yield len(acks) == 1, "a DATA_FIN comes again: it is acknowledged again", f"{len(acks)} answers"
    for _number in range(FLOOD):
        peer.say(peer.dss(fin=True))
    got = peer.hear(0.4)
    seen = f"{len(got.segments)} answers"
    yield len(got.segments) <= 1, f"{FLOOD} of them at once: one answer at most", seen
    peer.hear(0.5)
    peer.say(peer.dss(fin=True, place=len(HELLO) - 2))
    got = peer.hear(0.5)
    yield not got.segments, "another one, before it: none", f"{len(got.segments)} answers"


if __name__ == "__main__":
    main(check)
