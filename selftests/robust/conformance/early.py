# SPDX-License-Identifier: GPL-2.0
"""What does a server with net.mptcp.early_delivery=1 believe of segments that are out of order? Trials
of raw.py.

A subflow that joined lacks four bytes, GAP. What comes behind them has a mapping, right or wrong.
"""

from __future__ import annotations

import struct

from .byhand import (
    ISN,
    Answer,
    Connection,
    Got,
    Join,
    checksum_of,
    inverted,
    is_reset,
    is_reset_for,
    option,
)
from .capture import ACK
from .connection import Bad
from .mapping import MASK32, Mapping
from .options import CAPABLE_CHECKSUM, CAPABLE_SHA256, DSS, DSS_ACK, DSS_MAP, REASON_MPTCP, decode_dss
from .wire import Wire, options

GAP = 4
DSS_FIN = 16
TEXT = b"early data"


def put(
    join: Join, at: int, ssn: int, data: bytes, lead: int = 0, length: int = 0, fin: int = 0, bits: int = 0
) -> None:
    """A segment behind ssn bytes of the subflow: its mapping has it at this place of the connection, begins
    lead bytes before it, and has that length. The checksum, if there is to be one, has bits inverted."""
    connection = join.connection
    dsn, place = connection.idsn() + 1 + at - lead, ssn + 1 - lead
    wire_length = (length or lead + len(data)) + fin
    flags = DSS_ACK | DSS_MAP | (DSS_FIN if fin else 0)
    ack = connection.peer_idsn() + 1
    body = struct.pack("!BIIIH", flags, ack & MASK32, dsn & MASK32, place, wire_length)
    if connection.checksums:
        body += inverted(checksum_of(Mapping(place, 0, 0, dsn, wire_length, bytes(2)), data), bits)
    join.wire.send(join.port, ACK, ISN + 1 + ssn, join.ack, option(DSS, 0, body), data)


def reached(join: Join, end: int) -> Got:
    """The answer on the subflow that acknowledges so much of the connection's data."""

    def wanted(tcp) -> bool:  # type: ignore[no-untyped-def] # dpkt has no types
        raw = options(tcp).get(DSS)
        return raw is not None and decode_dss(raw).ack == (join.connection.idsn() + 1 + end) & MASK32

    return join.wire.answer(join.port, wanted)


def joined(wire: Wire, flags: int = CAPABLE_SHA256) -> Join:
    """A second subflow that is in use: four bytes came on each."""
    connection = Connection(wire, flags=flags)
    connection.send(b"data")
    if connection.arrived() is None:
        raise Bad("the data is not acknowledged")
    join = connection.join()
    put(join, 4, 0, b"more")
    connection.sent, join.sent = 8, 4
    if reached(join, 8) is None:
        raise Bad("the data on the second subflow is not acknowledged")
    return join


def summed(wire: Wire) -> Join:
    return joined(wire, CAPABLE_SHA256 | CAPABLE_CHECKSUM)


def in_gap(got: Got, join: Join) -> bool:
    """TCP acknowledges no more than what came in order."""
    return got is not None and got.ack == ISN + 1 + join.sent


def trial_next(wire: Wire, broken: bool) -> Answer:
    """a gap in a subflow, what the connection waits for is behind it: acknowledged at the data level"""
    join = joined(wire)
    put(join, 8 + int(broken), join.sent + GAP, TEXT)
    got = reached(join, 8 + len(TEXT))
    return in_gap(got, join), got


def trial_in_parts(wire: Wire, broken: bool) -> Answer:
    """segments of one mapping, the last one first, another subflow brings the first: all is acknowledged"""
    join = joined(wire)
    for part in 8, 6, 4, 2:
        put(join, 8 + part, join.sent + GAP + part, TEXT[part : part + 2], lead=part, length=len(TEXT))
    join.connection.send(TEXT[: 1 if broken else 2])
    got = join.connection.wire.answer(
        join.connection.port,
        lambda tcp: (
            DSS in options(tcp)
            and decode_dss(options(tcp)[DSS]).ack == (join.connection.idsn() + 1 + 8 + len(TEXT)) & MASK32
        ),
    )
    return got is not None, got


def trial_closed(wire: Wire, broken: bool) -> Answer:
    """the gap is closed by what the connection has: TCP acknowledges all"""
    join = joined(wire)
    for part in range(0, len(TEXT), 2):
        put(join, 8 + part, join.sent + GAP + part, TEXT[part : part + 2], lead=part, length=len(TEXT))
    end = ISN + 1 + join.sent + GAP + len(TEXT)
    put(join, 4, join.sent, b"more"[: GAP - int(broken)])
    got = wire.answer(join.port, lambda tcp: tcp.ack == end)
    return got is not None and not is_reset(got), got


def trial_goes_on(wire: Wire, broken: bool) -> Answer:
    """and the subflow goes on with what comes behind"""
    join = joined(wire)
    put(join, 8, join.sent + GAP, TEXT)
    put(join, 4, join.sent, b"more")
    put(join, 8 + len(TEXT) + int(broken), join.sent + GAP + len(TEXT), b"end.")
    got = reached(join, 8 + len(TEXT) + 4)
    return got is not None and got.ack == ISN + 1 + join.sent + GAP + len(TEXT) + 4, got


def trial_contradicts(wire: Wire, broken: bool) -> Answer:
    """the gap is closed by a mapping that has another place for what came early: RST, reason 1"""
    join = joined(wire)
    put(join, 8, join.sent + GAP, TEXT)
    put(join, 4 + int(not broken), join.sent, b"more", length=0 if broken else GAP + len(TEXT))
    put(join, 8 + len(TEXT), join.sent + GAP + len(TEXT), b"end.")
    got = wire.answer(join.port, is_reset)
    return is_reset_for(got, REASON_MPTCP), got


def trial_longer(wire: Wire, broken: bool) -> Answer:
    """a segment behind a gap reaches beyond its mapping: it waits"""
    join = joined(wire)
    put(join, 8, join.sent + GAP, TEXT, length=len(TEXT) - int(not broken))
    got = reached(join, 8 + len(TEXT))
    return got is None, got


def trial_one_subflow(wire: Wire, broken: bool) -> Answer:
    """a single subflow, which may become TCP: what is behind a gap waits"""
    join = joined(wire)
    connection = join.connection
    if not broken:
        connection = Connection(wire)
        connection.send(b"data")
        connection.arrived()
    start = connection.sent
    connection.sent += GAP
    connection.send(TEXT, skip=-GAP)
    connection.sent = start + len(TEXT)
    got = connection.arrived()
    return got is None, got


def trial_fin(wire: Wire, broken: bool) -> Answer:
    """DATA_FIN with data behind a gap: it is acknowledged, too"""
    join = joined(wire)
    put(join, 8, join.sent + GAP, TEXT, fin=int(not broken))
    got = reached(join, 8 + len(TEXT) + 1)
    return in_gap(got, join), got


def trial_checksum(wire: Wire, broken: bool) -> Answer:
    """checksums: a whole mapping behind a gap is acknowledged, if it is right"""
    join = summed(wire)
    put(join, 8, join.sent + GAP, TEXT, bits=int(broken))
    got = reached(join, 8 + len(TEXT))
    return in_gap(got, join), got


def trial_wrong_checksum(wire: Wire, broken: bool) -> Answer:
    """a wrong one: it waits"""
    join = summed(wire)
    put(join, 8, join.sent + GAP, TEXT, bits=int(not broken))
    got = reached(join, 8 + len(TEXT))
    return got is None, got


def trial_half_a_checksum(wire: Wire, broken: bool) -> Answer:
    """checksums: the half of a mapping behind a gap waits"""
    join = summed(wire)
    length = len(TEXT) if broken else len(TEXT) + 2
    put(join, 8, join.sent + GAP, TEXT, length=length)
    got = reached(join, 8 + len(TEXT))
    return got is None, got


def trial_far(wire: Wire, broken: bool) -> Answer:
    """what is beyond the window waits, and does no harm to what is next"""
    join = joined(wire)
    put(join, 8 + (1 << 29), join.sent + GAP, TEXT)
    put(join, 8 + int(broken), join.sent + GAP + len(TEXT), TEXT)
    got = reached(join, 8 + len(TEXT))
    return in_gap(got, join), got


def trial_covered(wire: Wire, broken: bool) -> Answer:
    """a segment is joined with the one before what came early, and memory is short: the connection goes on"""
    join = joined(wire)
    first = join.sent + GAP

    def unmapped(at: int, data: bytes) -> None:
        wire.send(join.port, ACK, ISN + 1 + first + at, join.ack, b"", data)

    # as much as TCP keeps as it is, and so little behind it that the kernel joins both
    unmapped(0, bytes(1440))
    put(join, 8 + 1452, first + 1452, TEXT)
    unmapped(1440, bytes(60))
    unmapped(1500, bytes(400))
    for at in range(3000, 11000, 20):
        unmapped(at, b"x")
    join.connection.send(TEXT, skip=int(broken))
    got = join.connection.arrived()
    return got is not None, got
