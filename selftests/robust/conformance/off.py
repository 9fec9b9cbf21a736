# SPDX-License-Identifier: GPL-2.0
"""What does a server answer to options of ours while all that is ours is off? As unpatched Linux does,
to which these are options that it does not know.

TRIALS: as in raw.py. COOKIES: to a server that answers all SYNs with cookies. FAST: to one that takes
data in the SYN. FIRST: to one that has the low-overhead handshake and cookies, and was never asked for it.
"""

from __future__ import annotations

import struct

from .byhand import (
    ISN,
    Answer,
    Connection,
    Got,
    capable_syn,
    established,
    join_syn,
    option,
)
from .capture import ACK, SYN
from .connection import Bad
from .options import CAPABLE, CAPABLE_SHA256, JOIN
from .wire import Wire, options

VERSION_LOW, PRIVATE, STATELESS = 2, 15, 2
FORGED = bytes.fromhex("f2298a44")  # see first_forged()
BEGUN = b"data"


def is_tcp(got: Got, flags: int = ACK) -> bool:
    return got is not None and got.flags == flags and not options(got)


def trial_short_join(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token only: a SYN/ACK of TCP"""
    token, port = established(wire).token(), wire.new_port()
    wire.send(port, SYN, ISN, 0, join_syn(token) if broken else option(JOIN, 0, b"\5" + token))
    got = wire.answer(port)
    return is_tcp(got, SYN | ACK), got


def trial_short_join_first(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token only, then MP_CAPABLE: a SYN/ACK with MP_CAPABLE"""
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, option(JOIN, 0, bytes(5)) + capable_syn(0 if broken else 1))
    got = wire.answer(port)
    return got is not None and CAPABLE in options(got), got


def trial_asks(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN that asks to be joined without state: a SYN/ACK that does not grant it"""
    token, port = established(wire).token(), wire.new_port()
    wire.send(port, SYN, ISN, 0, option(JOIN, STATELESS, b"\5" + token[:: -1 if broken else 1] + b"wxyz"))
    got = wire.answer(port)
    found = options(got).get(JOIN) if got else None
    return found is not None and found[2] == JOIN << 4, got


def trial_private_first(wire: Wire, broken: bool) -> Answer:
    """an experimental option, then MP_JOIN: a SYN/ACK with MP_JOIN"""
    token, port = established(wire).token(), wire.new_port()
    wire.send(port, SYN, ISN, 0, option(PRIVATE, 0, b"\3") + join_syn(token[:: -1 if broken else 1]))
    got = wire.answer(port)
    return got is not None and JOIN in options(got), got


def trial_long_third_again(wire: Wire, broken: bool) -> Answer:
    """a third ACK of 28 bytes behind the fourth ACK: nothing"""
    join = established(wire).join()
    if not join.third:
        return False, join.got
    if broken:
        join.send_third()
    else:
        body = b"\5" + join.third[4:20] + b"wxyz" + join.connection.token()
        wire.send(join.port, ACK, ISN + 1, join.ack, option(JOIN, 0, body))
    got = wire.answer(join.port)
    return got is None, got


def with_cookie(wire: Wire, syn: bytes, third: bytes, bits: int) -> Got:
    """The answer to a third ACK that has data, too; bits: of its cookie's hash, inverted."""
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, syn)
    synack = wire.answer(port)
    if synack is None:
        raise Bad("no SYN/ACK")
    wire.send(port, ACK, ISN + 1, (synack.seq + 1) ^ bits << 12, third, BEGUN)
    return wire.answer(port)


def cookie_long_third(wire: Wire, broken: bool) -> Answer:
    """a SYN cookie comes back with MP_JOIN of 28 bytes and data: the data is acknowledged by TCP"""
    got = with_cookie(wire, b"", option(JOIN, 0, b"\5" + bytes(24)), int(broken))
    return is_tcp(got) and got is not None and got.ack == ISN + 1 + len(BEGUN), got


def cookie_short_third(wire: Wire, broken: bool) -> Answer:
    """a SYN cookie comes back with MP_JOIN of 8 bytes and data: the data is acknowledged by TCP"""
    got = with_cookie(wire, b"", option(JOIN, 0, b"\5" + bytes(4)), int(broken))
    return is_tcp(got) and got is not None and got.ack == ISN + 1 + len(BEGUN), got


def cookie_tokens(wire: Wire, broken: bool) -> Answer:
    """a SYN cookie comes back with MP_CAPABLE of version 2 and data: the data is acknowledged by TCP"""
    got = with_cookie(wire, capable_syn(), tokens(b"your"), int(broken))
    return is_tcp(got) and got is not None and got.ack == ISN + 1 + len(BEGUN), got


def tokens(second: bytes) -> bytes:
    """The option of first data in place of the third ACK, with A's token and B's."""
    return option(CAPABLE, VERSION_LOW, bytes(1) + b"ours" + second + struct.pack("!H", len(BEGUN)))


def first_forged(wire: Wire, broken: bool) -> Answer:
    """before any token was made: one that a secret of zeroes makes is none"""
    got = with_cookie(wire, capable_syn(), tokens(FORGED), int(broken))
    return is_tcp(got), got


class Fast(Connection):
    """With data in the SYN, which is in front of the first DSN (RFC 8684, B)."""

    def __init__(self, wire: Wire, version: int) -> None:
        self.wire, self.port, self.key = wire, wire.new_port(), b"thekey01"
        self.checksums, self.sent = False, 0
        wire.send(self.port, SYN, ISN, 0, capable_syn(version), BEGUN)
        synack = wire.answer(self.port)
        capable = options(synack).get(CAPABLE) if synack else None
        if synack is None or capable is None or capable[2] != 1:
            raise Bad("no SYN/ACK with MP_CAPABLE of version 1")
        if synack.ack != ISN + 1 + len(BEGUN):
            raise Bad("the data in the SYN is not acknowledged")
        self.peer_key, self.ack = capable[4:12], synack.seq + 1
        self.segment(option(CAPABLE, 1, bytes([CAPABLE_SHA256]) + self.key + self.peer_key))

    def segment(self, opts: bytes, data: bytes = b"") -> None:
        self.wire.send(self.port, ACK, ISN + 1 + len(BEGUN) + self.sent, self.ack, opts, data)


def fast_version_2(wire: Wire, broken: bool) -> Answer:
    """MP_CAPABLE of version 2 with data in the SYN: version 1 it is, and further data is acknowledged"""
    connection = Fast(wire, VERSION_LOW)
    connection.send(b"more", skip=int(broken))
    got = connection.arrived()
    return got is not None, got
