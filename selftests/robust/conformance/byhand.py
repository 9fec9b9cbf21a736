# SPDX-License-Identifier: GPL-2.0
"""The client's end of an MPTCP connection, segment by segment: any of them can be wrong."""

from __future__ import annotations

import itertools
import struct

import dpkt

from .capture import ACK, RST, SYN
from .connection import Bad
from .crypto import idsn_of, mac, token_of
from .mapping import MASK32, MASK64, Mapping
from .options import (
    ADD_ADDR,
    CAPABLE,
    CAPABLE_CHECKSUM,
    CAPABLE_SHA256,
    DSS,
    DSS_ACK,
    DSS_MAP,
    DSS_MAP64,
    FASTCLOSE,
    JOIN,
    KIND_MPTCP,
    REMOVE_ADDR,
    TCPRST,
    decode_dss,
)
from .wire import Wire, options

Got = dpkt.tcp.TCP | None
Answer = tuple[bool, Got]  # is it right, and what came

ISN = 1000
NONCE = b"wxyz"


def option(subtype: int, low: int, body: bytes) -> bytes:
    """low: the four bits beside the subtype."""
    return bytes([KIND_MPTCP, 3 + len(body), subtype << 4 | low]) + body


def capable_syn(version: int = 1, flags: int = CAPABLE_SHA256) -> bytes:
    return option(CAPABLE, version, bytes([flags]))


def join_syn(token: bytes, number: int = 5, backup: bool = False) -> bytes:
    return option(JOIN, int(backup), bytes([number]) + token + NONCE)


def inverted(data: bytes, bits: int) -> bytes:
    """In the last byte."""
    return data[:-1] + bytes([data[-1] ^ bits])


def key_before_wrap(before: int) -> bytes:
    """Its first DSN is at most so far before the low 32 bits begin again."""
    for number in itertools.count(1):
        key = number.to_bytes(8, "big")
        if before // 2 < (1 << 32) - (idsn_of(key) & MASK32) < before:
            return key
    raise AssertionError


def is_reset(got: Got) -> bool:
    return got is not None and bool(got.flags & RST)


def is_reset_for(got: Got, reason: int) -> bool:
    option = options(got).get(TCPRST) if got else None
    return is_reset(got) and option is not None and option[3] == reason


class Connection:
    """Established; its segments have one DSN each after the other, unless told otherwise."""

    def __init__(
        self, wire: Wire, key: bytes = b"thekey01", flags: int = CAPABLE_SHA256, tcp_options: bytes = b""
    ) -> None:
        """tcp_options: those of the SYN beside MP_CAPABLE."""
        self.wire, self.port, self.key = wire, wire.new_port(), key
        self.checksums = bool(flags & CAPABLE_CHECKSUM)
        self.sent = 0
        wire.send(self.port, SYN, ISN, 0, tcp_options + capable_syn(1, flags))
        synack = wire.answer(self.port)
        capable = options(synack).get(CAPABLE) if synack else None
        if synack is None or capable is None:
            raise Bad("no SYN/ACK with MP_CAPABLE")
        self.peer_key, self.ack = capable[4:12], synack.seq + 1
        self.segment(option(CAPABLE, 1, bytes([flags]) + key + self.peer_key))

    def idsn(self) -> int:
        return idsn_of(self.key)

    def peer_idsn(self) -> int:
        return idsn_of(self.peer_key)

    def segment(self, opts: bytes, data: bytes = b"") -> None:
        self.wire.send(self.port, ACK, ISN + 1 + self.sent, self.ack, opts, data)

    def mapping(self, data: bytes, wide: bool, skip: int, bits: int) -> bytes:
        """A DSS, of a place that is off by skip; the checksum has bits inverted."""
        dsn = (self.idsn() + 1 + self.sent + skip) & MASK64
        ack = (self.peer_idsn() + 1) & MASK32
        number = struct.pack("!Q", dsn) if wide else struct.pack("!I", dsn & MASK32)
        body = bytes([DSS_ACK | DSS_MAP | (DSS_MAP64 if wide else 0)]) + struct.pack("!I", ack) + number
        body += struct.pack("!IH", self.sent + 1, len(data))
        if self.checksums:
            unsummed = Mapping(self.sent + 1, 0, 0, dsn, len(data), bytes(2))
            body += inverted(checksum_of(unsummed, data), bits)
        return option(DSS, 0, body)

    def send(self, data: bytes, wide: bool = False, skip: int = 0, bits: int = 0) -> None:
        self.segment(self.mapping(data, wide, skip, bits), data)
        self.sent += len(data)

    def send_part(self, data: bytes, start: int, length: int, ssn: int | None = None) -> None:
        """Of a mapping that began when so many bytes were sent, and has that length; ssn: on the
        subflow it began elsewhere."""
        dsn, ack = self.idsn() + 1 + start, self.peer_idsn() + 1
        place = 1 + (start if ssn is None else ssn)
        body = struct.pack("!BIIIH", DSS_ACK | DSS_MAP, ack & MASK32, dsn & MASK32, place, length)
        self.segment(option(DSS, 0, body), data)
        self.sent += len(data)

    def send_unmapped(self, data: bytes) -> None:
        self.segment(b"", data)
        self.sent += len(data)

    def arrived(self, port: int = 0) -> dpkt.tcp.TCP | None:
        """The segment whose DATA_ACK has all that was sent; port: of another subflow."""

        def wanted(tcp: dpkt.tcp.TCP) -> bool:
            raw = options(tcp).get(DSS)
            dss = decode_dss(raw) if raw else None
            end = (self.idsn() + 1 + self.sent) & MASK64
            return bool(dss) and dss.ack == (end if dss.ack_wide else end & MASK32)

        return self.wire.answer(port or self.port, wanted)

    def token(self) -> bytes:
        return token_of(self.peer_key)

    def fastclose(self, bits: int) -> None:
        self.segment(option(FASTCLOSE, 0, b"\0" + inverted(self.peer_key, bits)))

    def announce(self, number: int, address: bytes, bits: int) -> None:
        body = bytes([number]) + address
        code = mac(self.key, self.peer_key, body + bytes(2))[-8:]
        self.segment(option(ADD_ADDR, 0, body + inverted(code, bits)))

    def remove(self, number: int) -> None:
        self.segment(option(REMOVE_ADDR, 0, bytes([number])))

    def join(self, bits: int = 0, number: int = 5) -> Join:
        return Join(self, bits, number)


def established(wire: Wire) -> Connection:
    """The server knows that its key arrived."""
    connection = Connection(wire)
    connection.send(b"data")
    if connection.arrived() is None:
        raise Bad("the data is not acknowledged")
    return connection


def checksum_of(m: Mapping, data: bytes) -> bytes:
    """With which the mapping sums up."""
    header = struct.pack("!QIHH", m.dsn, m.ssn, m.wire_length, 0)
    whole = int.from_bytes(header + data + bytes(len(data) % 2), "big") % 0xFFFF
    return struct.pack("!H", 0xFFFF - whole)


class Join:
    """An MP_JOIN from the same address; got: the answer to SYN or third ACK that matters."""

    def __init__(self, connection: Connection, bits: int, number: int) -> None:
        self.connection, self.sent = connection, 0
        self.wire, self.port = connection.wire, connection.wire.new_port()
        self.wire.send(self.port, SYN, ISN, 0, join_syn(connection.token(), number))
        self.got = self.wire.answer(self.port)
        raw = options(self.got).get(JOIN) if self.got else None
        if self.got is None or raw is None:
            self.third = b""
            return
        self.ack = self.got.seq + 1
        code = mac(connection.key, connection.peer_key, NONCE + raw[12:16])[:20]
        self.third = option(JOIN, 0, b"\0" + inverted(code, bits))
        self.send_third()
        self.got = self.wire.answer(self.port)

    def send(self, data: bytes) -> None:
        """The next data of the connection, on this subflow."""
        connection = self.connection
        dsn, ack = idsn_of(connection.key) + 1 + connection.sent, idsn_of(connection.peer_key) + 1
        place = (ack & MASK32, dsn & MASK32, self.sent + 1, len(data))
        mapping = option(DSS, 0, struct.pack("!BIIIH", DSS_ACK | DSS_MAP, *place))
        self.wire.send(self.port, ACK, ISN + 1 + self.sent, self.ack, mapping, data)
        self.sent += len(data)
        connection.sent += len(data)

    def send_third(self) -> None:
        self.wire.send(self.port, ACK, ISN + 1, self.ack, self.third)
