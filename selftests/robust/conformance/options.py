# SPDX-License-Identifier: GPL-2.0
"""TCP's options of MPTCP, as section 3 has them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

KIND_MPTCP = 30
CAPABLE, JOIN, DSS, ADD_ADDR, REMOVE_ADDR, PRIO, FAIL, FASTCLOSE, TCPRST = range(9)
CAPABLE_CHECKSUM, CAPABLE_NO_JOIN, CAPABLE_SHA256 = 0x80, 0x20, 0x01
DSS_ACK, DSS_ACK64, DSS_MAP, DSS_MAP64, DSS_FIN = 1, 2, 4, 8, 16
REASON_MPTCP, REASON_MIDDLEBOX = 1, 6

# The lengths that section 3 has; those of the DSS follow from its flags.
LENGTHS = {
    CAPABLE: (4, 12, 20, 22, 24),
    JOIN: (12, 16, 24),
    ADD_ADDR: (8, 10, 16, 18, 20, 22, 28, 30),
    REMOVE_ADDR: range(4, 40),
    PRIO: (3,),
    FAIL: (12,),
    FASTCLOSE: (12,),
    TCPRST: (4,),
}


@dataclass(frozen=True)
class Dss:
    """ack, dsn: as on the wire; wide: whether they have 64 bits."""

    fin: bool
    ack: int | None
    ack_wide: bool
    dsn: int | None
    dsn_wide: bool
    ssn: int
    length: int
    checksum: bytes | None


def subtype_of(raw: bytes) -> int:
    return raw[2] >> 4


def decode_dss(raw: bytes) -> Dss:
    """Raises ValueError if the length does not follow from the flags."""
    flags, at = raw[3], 4
    ack = dsn = checksum = None
    ssn = length = 0
    if flags & DSS_ACK:
        size = 8 if flags & DSS_ACK64 else 4
        ack = int.from_bytes(raw[at : at + size], "big")
        at += size
    if flags & DSS_MAP:
        size = 8 if flags & DSS_MAP64 else 4
        dsn = int.from_bytes(raw[at : at + size], "big")
        ssn, length = struct.unpack_from("!IH", raw, at + size)
        at += size + 6
        if len(raw) == at + 2:
            checksum = raw[at:]
            at += 2
    if at != len(raw):
        raise ValueError(f"DSS of {len(raw)} bytes with flags {flags:#x}")
    fin = bool(flags & DSS_FIN)
    return Dss(fin, ack, bool(flags & DSS_ACK64), dsn, bool(flags & DSS_MAP64), ssn, length, checksum)


def mptcp_options(raw: bytes) -> Iterator[bytes]:
    """Whole ones, with kind and length."""
    while raw and raw[0]:
        if raw[0] == 1:
            raw = raw[1:]
            continue
        if len(raw) < 2 or not 2 <= raw[1] <= len(raw):
            raise ValueError(f"TCP options {raw.hex()}")
        if raw[0] == KIND_MPTCP:
            yield raw[: raw[1]]
        raw = raw[raw[1] :]


def echo_of(raw: bytes) -> bool:
    """Of an ADD_ADDR: whether it is one."""
    return bool(raw[2] & 1)


@dataclass(frozen=True)
class Address:
    """What an ADD_ADDR announces; port: 0 if it has none."""

    ip: bytes
    port: int


def announced_address(raw: bytes) -> Address:
    """Of an ADD_ADDR with HMAC or an echo without."""
    body = raw[4:] if echo_of(raw) else raw[4:-8]
    size = len(body) & ~3
    return Address(body[:size], int.from_bytes(body[size:], "big"))
