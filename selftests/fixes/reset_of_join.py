# SPDX-License-Identifier: GPL-2.0
"""Somebody who is not the peer answers the SYN of a join: by a RST that says more than that, or by a SYN."""

from __future__ import annotations

import socket

from conformance.byhand import ISN, option
from conformance.capture import ACK, RST, SYN
from conformance.options import REMOVE_ADDR
from conformance.wire import Wire
from fallback_while_joining import PORT, joins
from hand import Check, Peer, accepted, dss_of, main

URGENT = 32
FIRST = 1  # as if the SYN/ACK had had the sequence number 0: nothing is known of it yet


def reset(peer: Peer, opts: bytes) -> None:
    syn = joins(peer)
    peer.wire.send(PORT, RST | ACK, FIRST, syn.seq + 1, opts, to=syn.sport)
    peer.hear(0.5)


def cross(peer: Peer, flags: int = ACK) -> None:
    """As if both connected at a time, and plain TCP."""
    syn = joins(peer)
    peer.wire.send(PORT, SYN, ISN, 0, to=syn.sport)
    peer.hear(0.5)
    peer.wire.send(PORT, flags, ISN + 1, syn.seq + 1, data=b"as TCP", to=syn.sport)
    peer.hear(0.5)


def goes_on(peer: Peer, program: socket.socket, what: str) -> Check:
    program.settimeout(3)
    try:
        peer.say(data=b"question")
        seen = repr(program.recv(100))
        program.sendall(b"answer")
    except OSError as error:
        seen = str(error)
    got = peer.hear(1, peer.agree)
    yield seen == repr(b"question"), f"{what}: the first subflow goes on", seen
    mapped = any(tcp.data and dss_of(tcp) for _, tcp in got.segments)
    yield mapped and got.data == b"answer", f"{what}: with Multipath TCP", f"{got.data!r}, {mapped}"
    program.close()


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    reset(peer, peer.dss() + option(REMOVE_ADDR, 0, bytes([0])))
    yield from goes_on(peer, program, "a RST withdraws an address")

    peer, program = accepted(wire, waiting)
    reset(peer, b"")
    yield from goes_on(peer, program, "a RST says nothing")

    peer, program = accepted(wire, waiting)
    cross(peer)
    yield from goes_on(peer, program, "a SYN, and then data")

    peer, program = accepted(wire, waiting)
    cross(peer, ACK | URGENT)
    yield from goes_on(peer, program, "a SYN, and then urgent data")


if __name__ == "__main__":
    main(check)
