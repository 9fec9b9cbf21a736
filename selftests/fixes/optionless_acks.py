# SPDX-License-Identifier: GPL-2.0
"""A box begins to remove options, and the peer fell back; it sends acknowledgments only. And some such
acknowledgments before the path is dark for a while."""

from __future__ import annotations

import socket

import dpkt
from conformance.capture import FIN
from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, Peer, accepted, dss_of, main

BYTES = 20000
HALF = BYTES // 2


def half(wire: Wire, waiting: socket.socket) -> tuple[Peer, socket.socket, int]:
    """A connection of which half of the data was acknowledged, as Multipath TCP does. How much was?"""
    peer, program = accepted(wire, waiting)
    program.sendall(pattern(HALF))
    got = peer.hear(1, peer.agree)
    return peer, program, len(got.data)


def as_tcp(peer: Peer, tcp: dpkt.tcp.TCP) -> None:
    """TCP acknowledges what is out of place, too: so keepalives ask."""
    if tcp.data or tcp.flags & FIN or tcp.seq != peer.ack:
        peer.agree_all()


def removed(wire: Wire, waiting: socket.socket) -> Check:
    peer, program, came = half(wire, waiting)
    yield came == HALF, "half of the data is acknowledged", f"{came} bytes"
    peer.read = None
    program.sendall(pattern(BYTES)[HALF:])
    program.shutdown(socket.SHUT_WR)
    got = peer.hear(20, lambda tcp: as_tcp(peer, tcp))
    yield (
        got.data[:BYTES] == pattern(BYTES),
        "the other half comes, too",
        f"{len(got.data)} bytes",
    )
    yield len(got.data) <= BYTES, "and not again", f"{len(got.data) - BYTES} bytes do"
    yield got.ended, "and a FIN", "none"


def dark(wire: Wire, waiting: socket.socket) -> Check:
    peer, program, _ = half(wire, waiting)
    peer.read = None
    program.sendall(pattern(BYTES)[HALF:])
    # what the congestion window let through, and the rest
    for _ in range(2):
        peer.hear(0.1)
        peer.say()
    got = peer.hear(14)
    asked = [tcp for _, tcp in got.segments if not tcp.data and not tcp.flags & FIN]
    yield 2 <= len(asked) <= 6, "a peer that is silent is asked, with pauses", f"{len(asked)} times"
    # the path is back: what answers first may still be without options
    peer.say()
    peer.read = 0
    peer.agree_all()
    program.sendall(b"more")
    got = peer.hear(2, peer.agree)
    more = [tcp for _, tcp in got.segments if tcp.data]
    yield (
        bool(more) and all(dss_of(tcp) for tcp in more),
        "acknowledgments without options, and silence: no fallback",
        "no data comes" if not more else "data comes without a mapping",
    )
    yield (
        peer.stream.data == pattern(BYTES) + b"more",
        "and nothing is lost or sent twice",
        f"{len(peer.stream.data)} bytes",
    )


def check(wire: Wire, waiting: socket.socket) -> Check:
    yield from removed(wire, waiting)
    yield from dark(wire, waiting)


if __name__ == "__main__":
    main(check)
