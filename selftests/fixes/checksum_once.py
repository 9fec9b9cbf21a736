# SPDX-License-Identifier: GPL-2.0
"""A mapping with a checksum comes in small segments: what does each of them cost?"""

from __future__ import annotations

import contextlib
import math
import socket
import struct
import time
from collections.abc import Iterator

from conformance.byhand import ISN, option
from conformance.capture import ACK
from conformance.crypto import idsn_of
from conformance.mapping import MASK32, MASK64
from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256, DSS, DSS_ACK, DSS_MAP, DSS_MAP64
from conformance.wire import Wire
from gauge import ticks
from hand import Check, Peer, accepted, main

SO_RCVBUFFORCE = 33
LINEAR = 1.5  # more than that is growth
SEGMENTS, LENGTH = 9000, 60000
MAPPINGS, TIMES = 16000, 8
BATCH = 500  # more would not fit the link's queue
TRIES, MOST = 3, 12  # others use the CPU, too: of each part the cheapest one counts
PAUSE = 0.1
BUFFER = 32 << 20  # each segment takes hundreds of bytes of it


def mapping(peer: Peer, wide: bool) -> bytes:
    """Of all of them. Those of another form are the same, but segments that have them are not merged."""
    ack, dsn = idsn_of(peer.peer_key) + 1, idsn_of(peer.key) + 1 + peer.sent
    flags = DSS_ACK | DSS_MAP | (DSS_MAP64 if wide else 0)
    place = (dsn & (MASK64 if wide else MASK32), peer.sent + 1, LENGTH, 0)
    return option(DSS, 0, struct.pack(f"!BI{'Q' if wide else 'I'}IHH", flags, ack & MASK32, *place))


@contextlib.contextmanager
def made(peer: Peer) -> Iterator[list[bytes]]:
    """What it would send meanwhile: made before, so that what is measured is the kernel's work."""
    packets: list[bytes] = []
    peer.wire.transmit = packets.append  # type: ignore[method-assign]
    yield packets
    del peer.wire.transmit


def cost(peer: Peer) -> list[int]:
    """Of each tenth of the segments."""
    size, mappings = SEGMENTS // 10, (mapping(peer, False), mapping(peer, True))
    with made(peer) as packets:
        for at in range(SEGMENTS):
            peer.wire.send(peer.port, ACK, ISN + 1 + peer.sent + at, peer.ack, mappings[at % 2], b"x")
    parts = []
    for first in range(0, SEGMENTS, size):
        begin = ticks()
        for packet in packets[first : first + size]:
            peer.wire.transmit(packet)
        time.sleep(PAUSE)  # for them to arrive
        parts.append(ticks() - begin)
    return parts


def at_once(peer: Peer, count: int) -> int:
    """What so many mappings of a byte each cost that wait behind a hole, as it is filled."""
    with made(peer) as packets:
        for _ in range(count + 1):
            peer.say(data=b"x")
    for first in range(1, count, BATCH):
        for packet in packets[first : first + BATCH]:
            peer.wire.transmit(packet)
        time.sleep(PAUSE)
    begin = ticks()
    peer.wire.transmit(packets[0])
    time.sleep(PAUSE)
    return ticks() - begin


def each_alone(wire: Wire, waiting: socket.socket) -> Check:
    """They are passed on one after the other, and all that is behind is there already. TIMES as many cost so
    many times as much, or the square of that if each walks over the rest."""
    cheapest = {MAPPINGS // TIMES: math.inf, MAPPINGS: math.inf}
    tries, growth = 0, math.inf
    while tries < MOST and growth >= TIMES**1.5:
        for count in cheapest:
            peer, program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
            cheapest[count] = min(cheapest[count], at_once(peer, count))
            program.close()
            peer.hear(0.5)
        growth = cheapest[MAPPINGS] / cheapest[MAPPINGS // TIMES]
        tries += 1
    what = f"{TIMES} times as many mappings cost {TIMES} times as much"
    yield growth < TIMES**1.5, what, f"{growth:.1f} times"


def check(wire: Wire, waiting: socket.socket) -> Check:
    waiting.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    yield from each_alone(wire, waiting)
    runs: list[list[int]] = []
    while len(runs) < MOST:
        peer, _program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
        runs.append(cost(peer))
        peer.hear(0.5)  # what the server answered must not stand in the way of the next one
        parts = [min(found) for found in zip(*runs, strict=True)]
        growth = parts[-1] / parts[1]
        if len(runs) >= TRIES and growth < LINEAR:
            break
    yield growth < LINEAR, "the last segments cost what the first ones did", f"{growth:.1f} times"


if __name__ == "__main__":
    main(check)
