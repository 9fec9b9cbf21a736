# SPDX-License-Identifier: GPL-2.0
"""What does a server with net.mptcp.low_overhead=1 answer? Documentation/handshake.md has the format.

The options are made and read here, apart from the kernel's code. TRIALS: as in raw.py. COOKIES: to
a server that answers all SYNs with cookies.
"""

from __future__ import annotations

import random
import struct
import time

from .byhand import (
    ISN,
    Answer,
    Connection,
    Got,
    capable_syn,
    established,
    is_reset,
    is_reset_for,
    join_syn,
    option,
)
from .capture import ACK, SYN
from .connection import Bad
from .mapping import Mapping
from .options import ADD_ADDR, CAPABLE, CAPABLE_CHECKSUM, CAPABLE_SHA256, DSS, JOIN, REASON_MPTCP, echo_of
from .wire import Wire, options

VERSION = 2
TOKEN = b"\x12\x34\x56\x78"  # A's


def capable_of(got: Got) -> bytes:
    """MP_CAPABLE, without kind and length."""
    return options(got).get(CAPABLE, b"")[2:] if got is not None else b""


def is_low(got: Got) -> bool:
    found = capable_of(got)
    return (
        got is not None
        and got.flags == SYN | ACK
        and len(found) == 6
        and found[0] == VERSION
        and any(found[2:])
    )


def low_syn(wire: Wire, flags: int = CAPABLE_SHA256, port: int = 0, data: bytes = b"") -> Got:
    port = port or wire.new_port()
    wire.send(port, SYN, ISN, 0, capable_syn(VERSION, flags), data)
    return wire.answer(port)


def inverted(token: bytes, bits: int) -> bytes:
    return token[:-1] + bytes([token[-1] ^ bits])


class Low(Connection):
    """Established with tokens; bits: of the echo of B's, inverted; data: the third ACK is lost, and
    the first data comes in its place."""

    def __init__(self, wire: Wire, flags: int = CAPABLE_SHA256, bits: int = 0, data: bytes = b"") -> None:
        self.wire, self.port, self.sent = wire, wire.new_port(), 0
        self.checksums = bool(flags & CAPABLE_CHECKSUM)
        synack = low_syn(wire, flags, self.port)
        if synack is None or not is_low(synack):
            raise Bad("no SYN/ACK with MP_CAPABLE of version 2")
        self.mine, self.theirs, self.ack = TOKEN, capable_of(synack)[2:], synack.seq + 1
        self.key, self.peer_key = bytes(4) + self.mine, bytes(4) + self.theirs
        body = bytes([flags & ~CAPABLE_SHA256]) + self.mine + inverted(self.theirs, bits)
        if data:
            self.segment(option(CAPABLE, VERSION, body + struct.pack("!H", len(data))), data)
            self.sent += len(data)
        else:
            self.segment(option(CAPABLE, VERSION, body))

    def idsn(self) -> int:
        return int.from_bytes(self.theirs + self.mine, "big")

    def peer_idsn(self) -> int:
        return int.from_bytes(self.mine + self.theirs, "big")

    def token(self) -> bytes:
        return self.theirs


def established_low(wire: Wire, flags: int = CAPABLE_SHA256) -> Low:
    connection = Low(wire, flags)
    connection.send(b"data")
    if connection.arrived() is None:
        raise Bad("the data is not acknowledged")
    return connection


def join_low(wire: Wire, token: bytes, third: bytes | None) -> tuple[Got, Got]:
    """A join by a token, and another one in the third ACK, or none: the answers to both."""
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, option(JOIN, 0, bytes([5]) + token))
    synack = wire.answer(port)
    if synack is None or JOIN not in options(synack) or third is None:
        return synack, None
    wire.send(port, ACK, ISN + 1, synack.seq + 1, option(JOIN, 0, bytes(1) + third))
    return synack, wire.answer(port)


def is_fourth(got: Got) -> bool:
    return got is not None and got.flags == ACK and got.ack == ISN + 1


def trial_synack(wire: Wire, broken: bool) -> Answer:
    """MP_CAPABLE of version 2: a SYN/ACK with version 2 and a token"""
    got = low_syn(wire, data=b"data" if broken else b"")
    return is_low(got), got


def trial_first_version(wire: Wire, broken: bool) -> Answer:
    """MP_CAPABLE of version 1: a SYN/ACK with version 1 and a key"""
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, capable_syn(VERSION if broken else 1))
    got = wire.answer(port)
    return len(capable_of(got)) == 10 and capable_of(got)[0] == 1, got


def trial_data_in_syn(wire: Wire, broken: bool) -> Answer:
    """version 2 with data in the SYN: a SYN/ACK with version 1"""
    got = low_syn(wire, data=b"" if broken else b"data")
    return len(capable_of(got)) == 10 and capable_of(got)[0] == 1, got


def trial_length(wire: Wire, broken: bool) -> Answer:
    """version 2 with a token in the SYN, as the thesis has it: a SYN/ACK without"""
    port = wire.new_port()
    body = bytes([CAPABLE_SHA256]) + (b"" if broken else TOKEN)
    wire.send(port, SYN, ISN, 0, option(CAPABLE, VERSION, body))
    got = wire.answer(port)
    return got is not None and got.flags == SYN | ACK and not options(got), got


def trial_tokens(wire: Wire, broken: bool) -> Answer:
    """two SYNs: two tokens"""
    port = wire.new_port()
    first, got = low_syn(wire, port=port), low_syn(wire, port=port if broken else 0)
    return is_low(first) and is_low(got) and capable_of(first) != capable_of(got), got


def trial_again(wire: Wire, broken: bool) -> Answer:
    """the SYN comes again: the same token"""
    port = wire.new_port()
    first, got = low_syn(wire, port=port), low_syn(wire, port=0 if broken else port)
    return is_low(first) and capable_of(first) == capable_of(got), got


def trial_data(wire: Wire, broken: bool) -> Answer:
    """data from IDSN_A = token B || token A on is acknowledged"""
    connection = Low(wire)
    if broken:
        connection.mine = inverted(connection.mine, 2)
    connection.send(b"data", wide=True)
    got = connection.arrived()
    return got is not None, got


def trial_first_data(wire: Wire, broken: bool) -> Answer:
    """the third ACK is lost: the first data with both tokens is acknowledged"""
    connection = Low(wire, data=b"data", bits=int(broken))
    got = connection.arrived()
    return got is not None, got


def trial_echo_of_token(wire: Wire, broken: bool) -> Answer:
    """a third ACK with another token than B's: the connection is TCP"""
    connection = Low(wire, bits=int(not broken))
    connection.send(b"data")
    got = wire.answer(connection.port, lambda tcp: tcp.ack == ISN + 5)
    return got is not None and not options(got), got


def trial_join(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token, echoed in the third ACK: a fourth ACK"""
    connection = established_low(wire)
    synack, got = join_low(wire, connection.theirs, inverted(connection.theirs, int(broken)))
    return len(options(synack)[JOIN]) == 4 if synack and is_fourth(got) else False, got


def trial_join_third(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with another token in the third ACK: RST, and MP_TCPRST with reason 1"""
    connection = established_low(wire)
    _, got = join_low(wire, connection.theirs, inverted(connection.theirs, int(not broken)))
    return is_reset_for(got, REASON_MPTCP), got


def trial_join_nobody(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with a token of nobody: RST, and MP_TCPRST with reason 1"""
    connection = established_low(wire)
    got, _ = join_low(wire, inverted(connection.theirs, int(not broken)), None)
    return is_reset_for(got, REASON_MPTCP), got


def trial_join_with_nonce(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN as of version 1: RST, and MP_TCPRST with reason 1"""
    connection = established_low(wire)
    if broken:
        got, _ = join_low(wire, connection.theirs, None)
    else:
        port = wire.new_port()
        wire.send(port, SYN, ISN, 0, join_syn(connection.theirs))
        got = wire.answer(port)
    return is_reset_for(got, REASON_MPTCP), got


def trial_join_keys(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token only, to a connection that has keys: RST, and MP_TCPRST with reason 1"""
    connection = established_low(wire) if broken else established(wire)
    got, _ = join_low(wire, connection.token(), None)
    return is_reset_for(got, REASON_MPTCP), got


def trial_third_keys(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN to a connection that has keys, with the token for an HMAC: RST"""
    connection = established(wire)
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, join_syn(connection.token()))
    synack = wire.answer(port)
    if broken:
        got = connection.join().got
    else:
        third = option(JOIN, 0, bytes(1) + connection.token())
        wire.send(port, ACK, ISN + 1, synack.seq + 1 if synack else 0, third)
        got = wire.answer(port)
    return synack is not None and is_reset(got), got


def trial_data_of_join(wire: Wire, broken: bool) -> Answer:
    """data on a joined subflow is acknowledged"""
    connection = established_low(wire)
    port = wire.new_port()
    wire.send(port, SYN, ISN, 0, option(JOIN, 0, bytes([5]) + connection.theirs))
    synack = wire.answer(port)
    if synack is None or JOIN not in options(synack):
        return False, synack
    wire.send(port, ACK, ISN + 1, synack.seq + 1, option(JOIN, 0, bytes(1) + connection.theirs))
    wire.answer(port)
    mapping = Mapping(1, 0, 0, connection.idsn() + 1 + connection.sent + int(broken), 4, b"")
    dsn = struct.pack("!BIQIH", 13, (connection.peer_idsn() + 1) & 0xFFFFFFFF, mapping.dsn, mapping.ssn, 4)
    wire.send(port, ACK, ISN + 1, synack.seq + 1, option(DSS, 0, dsn), b"more")
    connection.sent += 4
    got = connection.arrived(port)
    return got is not None, got


def trial_fastclose(wire: Wire, broken: bool) -> Answer:
    """MP_FASTCLOSE with B's token for its key: RST"""
    connection = established_low(wire)
    connection.fastclose(int(broken))
    got = wire.answer(connection.port, is_reset)
    return is_reset(got), got


def trial_announce(wire: Wire, broken: bool) -> Answer:
    """ADD_ADDR with an HMAC of the tokens: an echo"""
    connection = established_low(wire)
    connection.announce(9, wire.source_ip[:-1] + b"\x63", int(broken))
    got = wire.answer(connection.port, lambda tcp: ADD_ADDR in options(tcp))
    return got is not None and echo_of(options(got)[ADD_ADDR]), got


def trial_checksums(wire: Wire, broken: bool) -> Answer:
    """the client sets A: data with right checksums is acknowledged"""
    connection = Low(wire, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    connection.send(b"data", bits=int(broken))
    got = connection.arrived()
    return got is not None, got


def nonsense(rng: random.Random) -> bytes:
    """MP_CAPABLE and MP_JOIN of any version, length and content, alone, twice or beside others."""
    found = b""
    for _ in range(rng.choice((1, 1, 2, 3))):
        subtype = rng.choice((CAPABLE, CAPABLE, JOIN, JOIN, DSS, ADD_ADDR))
        size = rng.choice((1, 5, 9, 11, 13, rng.randrange(20)))
        found += option(subtype, rng.choice((VERSION, VERSION, 1, rng.randrange(16))), rng.randbytes(size))
    return found[:40]


def mixed_nonsense(wire: Wire, broken: bool) -> Answer:
    """3,000 segments with nonsense of both versions: a connection and a join are made as before"""
    rng, port = random.Random(1), wire.new_port()
    for n in range(3000):
        port = wire.new_port() if n % 8 == 0 else port
        time.sleep(0.001)  # what the link takes
        flags, data = rng.choice((SYN, ACK, ACK, SYN | ACK)), rng.randbytes(rng.choice((0, 0, 1, 100)))
        wire.send(port, flags, ISN + rng.randrange(2), n, nonsense(rng), data)
    wire.open()  # what was answered to these is not of interest
    half = Low(wire)
    for _ in range(500):
        half.segment(nonsense(rng), rng.randbytes(rng.choice((0, 4))))
        time.sleep(0.001)
    wire.open()
    return trial_join(wire, broken)


def cookie_data(wire: Wire, broken: bool) -> Answer:
    """version 2 and a SYN cookie: data is acknowledged"""
    return trial_data(wire, broken)


def cookie_first_data(wire: Wire, broken: bool) -> Answer:
    """version 2 and a SYN cookie: first data in place of the third ACK is acknowledged"""
    return trial_first_data(wire, broken)


def cookie_token(wire: Wire, broken: bool) -> Answer:
    """version 2 and a SYN cookie, with a token that B did not make: the connection is TCP"""
    return trial_echo_of_token(wire, broken)


def cookie_others_token(wire: Wire, broken: bool) -> Answer:
    """version 2 and a SYN cookie, with the token that B made for another port: the connection is TCP"""
    other, port = low_syn(wire), wire.new_port()
    own = low_syn(wire, port=port)
    if own is None or not is_low(other):
        raise Bad("no SYN/ACK with MP_CAPABLE of version 2")
    echo = capable_of(own if broken else other)[2:]
    body = bytes(1) + TOKEN + echo + struct.pack("!H", 4)
    wire.send(port, ACK, ISN + 1, own.seq + 1, option(CAPABLE, VERSION, body), b"data")
    got = wire.answer(port)
    return got is not None and not options(got) and got.ack == ISN + 5, got


def cookie_join(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token and a SYN cookie: a fourth ACK"""
    return trial_join(wire, broken)


def cookie_join_keys(wire: Wire, broken: bool) -> Answer:
    """MP_JOIN with the token only and a SYN cookie, to a connection that has keys: no answer"""
    connection = established_low(wire) if broken else established(wire)
    got, _ = join_low(wire, connection.token(), None)
    return got is None, got
