# SPDX-License-Identifier: GPL-2.0
"""What does the server do with segments whose length a middlebox may have changed? Trials of raw.py.

After RFC 8684, section 3.3: mappings say where the data of the subflow has its place, relative to the
sequence numbers of the sender.
"""

from __future__ import annotations

from .byhand import Answer, Connection, established, is_reset, is_reset_for
from .options import REASON_MPTCP
from .wire import Wire

SIZE, WHOLE = 100, 300  # of segments and of mappings


def in_parts(wire: Wire, *sizes: int) -> Connection:
    """The parts of one mapping behind another one that had three of SIZE."""
    connection = established(wire)
    for parts in ([SIZE] * 3, sizes):
        start = connection.sent
        for size in parts:
            connection.send_part(bytes(size), start, WHOLE)
    return connection


def trial_regular(wire: Wire, broken: bool) -> Answer:
    """a mapping in segments of one size: they are acknowledged at the data level as they come"""
    got = in_parts(wire, SIZE, SIZE - 1 if broken else SIZE).arrived()
    return got is not None, got


def trial_irregular(wire: Wire, broken: bool) -> Answer:
    """a segment of another size in mid-mapping: not before the mapping is complete"""
    connection = in_parts(wire, SIZE, SIZE if broken else SIZE - 1)
    early = connection.arrived()
    start = connection.sent - 2 * SIZE + (0 if broken else 1)
    connection.send_part(bytes(WHOLE - (connection.sent - start)), start, WHOLE)
    got = connection.arrived()
    return early is None and got is not None, got


def trial_split(wire: Wire, broken: bool) -> Answer:
    """a segment in two parts: they are acknowledged when one of the usual size follows"""
    got = in_parts(wire, 40, 50 if broken else 60, SIZE).arrived()
    return got is not None, got


def trial_first(wire: Wire, broken: bool) -> Answer:
    """the first segment of all, in mid-mapping: not before the second one tells its size"""
    connection = Connection(wire)
    connection.send_part(bytes(SIZE), 0, WHOLE)
    early = connection.arrived()
    connection.send_part(bytes(SIZE + int(broken)), 0, WHOLE)
    got = connection.arrived()
    return early is None and got is not None, got


def trial_window(wire: Wire, broken: bool) -> Answer:
    """the same, but the window is too small for the mapping: it is acknowledged as it comes"""
    connection = established(wire)
    start = connection.sent
    connection.send_part(bytes(SIZE), start, WHOLE if broken else 65535)
    got = connection.arrived()
    return got is not None, got


def joined(wire: Wire) -> Connection:
    """Two subflows: it cannot go on as TCP."""
    connection = established(wire)
    connection.join()
    return connection


def trial_longer(wire: Wire, broken: bool) -> Answer:
    """a segment reaches beyond its mapping, two subflows: RST, and MP_TCPRST with reason 1"""
    connection = joined(wire)
    length = SIZE if broken else SIZE - 1
    for start in connection.sent, connection.sent + length:
        connection.send_part(bytes(SIZE), start, length)
    got = wire.answer(connection.port, is_reset)
    return is_reset_for(got, REASON_MPTCP), got


def trial_repeated(wire: Wire, broken: bool) -> Answer:
    """what waits comes again with another mapping, one subflow: RST, as TCP it would be there twice"""
    connection = established(wire)
    start = connection.sent
    connection.send_part(bytes(SIZE), start, SIZE if broken else SIZE + 1)
    connection.send_part(bytes(SIZE), start, SIZE + 1, ssn=start + SIZE + int(not broken))
    got = wire.answer(connection.port, is_reset)
    return is_reset(got), got


def trial_shorter(wire: Wire, broken: bool) -> Answer:
    """a mapping begins before the end of another one, two subflows: RST, nothing was acknowledged"""
    connection = joined(wire)
    start = connection.sent
    length = SIZE if broken else SIZE + 1
    connection.send_part(bytes(SIZE), start, length)
    early = connection.arrived()
    connection.send_part(bytes(SIZE), start + length, SIZE)
    got = wire.answer(connection.port, is_reset)
    return early is None and is_reset(got), got
