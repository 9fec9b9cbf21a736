#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is what went over the wire Multipath TCP as RFC 8684 has it?

usage: conformance.py [option]... CLIENT.pcap SERVER.pcap CHECK...

The captures of one connection, to port 5000, at its two ends ("tcpdump -i any", whole packets).
Prints "ok WHAT" or "not ok WHAT" with the reasons behind "#", a line per check; fails if one
of them does. --flip SUBTYPE:LENGTH:BYTE inverts the lowest bit of a byte of all such options
before, --flip payload of the data, --flip early has data and FINs come before all that they have
to wait for: the checks must find that.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import struct
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import dpkt

PORT = 5000
MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
FIN, SYN, RST, ACK = 1, 2, 4, 16
KIND_MPTCP = 30
CAPABLE, JOIN, DSS, ADD_ADDR, REMOVE_ADDR, PRIO, FAIL, FASTCLOSE, TCPRST = range(9)
CAPABLE_CHECKSUM, CAPABLE_NO_JOIN, CAPABLE_SHA256 = 0x80, 0x20, 0x01
DSS_ACK, DSS_ACK64, DSS_MAP, DSS_MAP64, DSS_FIN = 1, 2, 4, 8, 16
FOREIGN, OUTGOING = 3, 4

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


# --- the crypto of section 3.1 and 3.2 ---


def token_of(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()[:4]


def idsn_of(key: bytes) -> int:
    return int.from_bytes(hashlib.sha256(key).digest()[-8:], "big")


def mac(first: bytes, second: bytes, message: bytes) -> bytes:
    return hmac.new(first + second, message, hashlib.sha256).digest()


# --- segments and their options ---


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


@dataclass(frozen=True)
class Segment:
    """up: from the client to the server; out: sent by the host that captured it."""

    index: int
    up: bool
    out: bool
    client: tuple[bytes, int]
    server: bytes
    seq: int
    flags: int
    payload: bytes
    options: tuple[bytes, ...]

    def option(self, subtype: int) -> bytes | None:
        return next((o for o in self.options if o[2] >> 4 == subtype), None)

    def dss(self) -> Dss | None:
        raw = self.option(DSS)
        return decode_dss(raw) if raw else None


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


Flip = Callable[[bytes], bytes]


def flip_bit(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def flipper(what: str) -> tuple[Flip, Flip]:
    """What is done to each option and to each payload."""
    if what in ("", "early"):
        return (lambda o: o), (lambda p: p)
    if what == "payload":
        return (lambda o: o), (lambda p: flip_bit(p, 0) if p else p)
    subtype, length, at = map(int, what.split(":"))

    def option(raw: bytes) -> bytes:
        return flip_bit(raw, at) if (raw[2] >> 4, len(raw)) == (subtype, length) else raw

    return option, (lambda p: p)


def read(file: Path, flip: str = "") -> list[Segment]:
    """All segments from and to the port, in the order of the capture."""
    segments: list[Segment] = []
    option, payload = flipper(flip)
    with file.open("rb") as stream:
        reader = dpkt.pcap.Reader(stream)
        layer = dpkt.sll2.SLL2 if reader.datalink() == 276 else dpkt.sll.SLL
        for _, frame in reader:
            cooked = layer(frame)
            tcp = getattr(cooked.data, "data", None)
            if not isinstance(tcp, dpkt.tcp.TCP) or cooked.type == FOREIGN:
                continue
            ip, up = cooked.data, tcp.dport == PORT
            segments.append(
                Segment(
                    index=len(segments),
                    up=up,
                    out=cooked.type == OUTGOING,
                    client=(ip.src, tcp.sport) if up else (ip.dst, tcp.dport),
                    server=ip.dst if up else ip.src,
                    seq=tcp.seq,
                    flags=tcp.flags,
                    payload=payload(bytes(tcp.data)),
                    options=tuple(option(o) for o in mptcp_options(tcp.opts)),
                )
            )
    return early(segments) if flip == "early" else segments


def early(segments: list[Segment]) -> list[Segment]:
    """All that carries data or a FIN comes before the acknowledgments."""

    def rank(s: Segment) -> int:
        if s.flags & SYN or s.option(CAPABLE):
            return 0
        return 1 if s.payload or s.flags & FIN else 2

    return [replace(s, index=i) for i, s in enumerate(sorted(segments, key=rank))]


# --- subflows and connections ---


@dataclass
class Subflow:
    segments: list[Segment] = field(default_factory=list)

    def first(self, up: bool, flags: int, mask: int = SYN | RST | ACK) -> Segment | None:
        return next((s for s in self.segments if s.up == up and s.flags & mask == flags), None)

    @property
    def syn(self) -> Segment | None:
        return self.first(True, SYN)

    @property
    def synack(self) -> Segment | None:
        return self.first(False, SYN | ACK)

    @property
    def third(self) -> Segment | None:
        return self.first(True, ACK)

    def joins(self) -> bool:
        return self.syn is not None and self.syn.option(JOIN) is not None

    def isn(self, up: bool) -> int:
        start = self.syn if up else self.synack
        assert start is not None
        return start.seq


class Bad(Exception):
    """What is there is so wrong that nothing else can be said."""


def need(segment: Segment | None, subtype: int, length: int, what: str) -> bytes:
    """The option, which must be there with that length."""
    raw = segment.option(subtype) if segment else None
    if raw is None or len(raw) != length:
        raise Bad(f"{what}: {'no such option' if raw is None else f'{len(raw)} bytes'}, not {length} bytes")
    return raw


class Connection:
    """As one host saw it: the first subflow, and those that joined."""

    def __init__(self, segments: list[Segment]) -> None:
        flows: dict[tuple[tuple[bytes, int], bytes], Subflow] = {}
        for s in segments:
            flows.setdefault((s.client, s.server), Subflow()).segments.append(s)
        # a listener may not have been there yet
        self.subflows = [f for f in flows.values() if f.synack]
        self.segments = [s for s in segments if flows[s.client, s.server].synack]
        initial = [f for f in self.subflows if not f.joins()]
        if len(initial) != 1:
            raise Bad(f"{len(initial)} connections in the capture, not 1")
        self.initial = initial[0]
        self.joined = [f for f in self.subflows if f.joins()]

    def keys(self) -> dict[bool, bytes]:
        """By direction: the client's is keys()[True]."""
        raw = need(self.initial.third, CAPABLE, 20, "MP_CAPABLE in the third ACK")
        return {True: raw[4:12], False: raw[12:20]}

    def idsn(self, up: bool) -> int:
        return idsn_of(self.keys()[up])


@dataclass(frozen=True)
class Mapping:
    """Of data of a subflow; at: where in the connection's data, 0 is the first byte."""

    ssn: int
    at: int
    length: int
    dsn: int
    wire_length: int
    checksum: bytes | None


def offset(value: int, wide: bool, idsn: int) -> int:
    """Place of a data sequence number in the connection's data; negative if before it."""
    distance = (value - idsn - 1) & (MASK64 if wide else MASK32)
    bits = 64 if wide else 32
    return distance - (1 << bits) if distance >> (bits - 1) else distance


def mapping_of(s: Segment, idsn: int) -> Mapping | None:
    """The mapping that a segment carries, of data: a DATA_FIN alone is none."""
    capable, dss = s.option(CAPABLE), s.dss()
    if capable and len(capable) >= 22:
        length = int.from_bytes(capable[20:22], "big")
        return Mapping(1, 0, length, (idsn + 1) & MASK64, length, capable[22:24] or None)
    if dss is None or dss.dsn is None or dss.ssn == 0:
        return None
    at = offset(dss.dsn, dss.dsn_wide, idsn)
    return Mapping(dss.ssn, at, dss.length - dss.fin, (idsn + 1 + at) & MASK64, dss.length, dss.checksum)


class Mapped:
    """One direction of a subflow: its mappings, merged where they go on."""

    def __init__(self, flow: Subflow, up: bool, idsn: int) -> None:
        self.isn = flow.isn(up)
        self.segments = [s for s in flow.segments if s.up == up and not s.flags & SYN]
        self.mappings = sorted(
            {m for s in self.segments if (m := mapping_of(s, idsn))}, key=lambda m: (m.ssn, m.length)
        )
        self.problems: list[str] = []
        self.runs: list[list[int]] = []  # [first ssn, end, at - ssn]
        for m in self.mappings:
            self._merge(m)
        self._starts = [run[0] for run in self.runs]

    def _merge(self, m: Mapping) -> None:
        end, shift = m.ssn + m.length, m.at - m.ssn
        if m.length <= 0 or m.at < 0:
            self.problems.append(f"a mapping of {m.length} bytes at {m.at}")
            return
        last = self.runs[-1] if self.runs else [0, 0, 0]
        if last[1] > m.ssn and last[2] != shift:
            self.problems.append(f"byte {m.ssn} of a subflow is mapped to {m.at} and {m.ssn + last[2]}")
        elif last[1] >= m.ssn and last[2] == shift:
            last[1] = max(last[1], end)
        else:
            self.runs.append([m.ssn, end, shift])

    def ssn(self, s: Segment) -> int:
        return (s.seq - self.isn) & MASK32

    def pieces(self, s: Segment) -> Iterator[tuple[int | None, bytes]]:
        """Where each part of a segment's payload belongs: None if it has no mapping."""
        ssn, rest = self.ssn(s), s.payload
        while rest:
            i = bisect_right(self._starts, ssn) - 1
            if i < 0 or self.runs[i][1] <= ssn:
                yield None, rest
                return
            part = rest[: self.runs[i][1] - ssn]
            yield ssn + self.runs[i][2], part
            ssn, rest = ssn + len(part), rest[len(part) :]

    def stream(self) -> tuple[bytearray, int]:
        """The subflow's data from SSN 1 on, and how many segments came again."""
        data, again = bytearray(), 0
        for s in self.segments:
            start = self.ssn(s) - 1
            if not s.payload or start < 0:
                continue
            again += start < len(data)
            data.extend(bytes(max(0, start + len(s.payload) - len(data))))
            data[start : start + len(s.payload)] = s.payload
        return data, again


# --- the checks ---


@dataclass
class Case:
    client: Connection
    server: Connection
    raw: tuple[list[Segment], list[Segment]]
    args: argparse.Namespace

    def sent(self, up: bool) -> int:
        return self.args.up if up else self.args.down

    def host(self, is_client: bool) -> Connection:
        return self.client if is_client else self.server


@dataclass
class Outcome:
    """done: how many things were looked at; a check that saw none has failed."""

    done: str = ""
    seen: int = 0
    problems: list[str] = field(default_factory=list)

    def want(self, good: bool, problem: str) -> None:
        self.seen += 1
        if not good:
            self.problems.append(problem)


def side(up: bool) -> str:
    return "client" if up else "server"


def check_options(case: Case) -> Outcome:
    """every option has a length and reserved bits that RFC 8684 knows"""
    out, done = Outcome(), 0
    for s in case.client.segments + case.server.segments:
        for raw in s.options:
            subtype = raw[2] >> 4
            done += 1
            if subtype == DSS:
                decode_dss(raw)
                out.want(not raw[3] & 0xE0 and not raw[2] & 0xF, f"reserved bits of {raw.hex()}")
                continue
            out.want(len(raw) in LENGTHS.get(subtype, ()), f"length of {raw.hex()}")
            if subtype == CAPABLE:
                out.want(not raw[3] & 0x5E & ~CAPABLE_NO_JOIN, f"flags of {raw.hex()}")
    out.done = f"{done} options of {len(case.client.segments) + len(case.server.segments)} segments"
    return out


def capable_flags(case: Case, from_client: bool) -> int:
    no_join = case.args.no_join == side(from_client)
    checksum = CAPABLE_CHECKSUM if case.args.checksum else 0
    return CAPABLE_SHA256 | checksum | (CAPABLE_NO_JOIN if no_join else 0)


def check_capable(case: Case) -> Outcome:
    """MP_CAPABLE: version 1, the keys where they belong, the flags"""
    out, first = Outcome(), case.client.initial
    syn = need(first.syn, CAPABLE, 4, "MP_CAPABLE in the SYN")
    synack = need(first.synack, CAPABLE, 12, "MP_CAPABLE in the SYN/ACK")
    keys = case.client.keys()
    out.want(synack[4:12] == keys[False], "the server's key is not the same in SYN/ACK and third ACK")
    out.want(len({*keys.values(), bytes(8)}) == 3, "keys that are no keys")
    out.want(syn[2] & 0xF == 1, "the SYN's version")
    options = [(s.up, o) for s in case.client.segments if (o := s.option(CAPABLE))]
    for up, raw in options:
        out.want(raw[2] & 0xF == 1, f"version in {raw.hex()}")
        out.want(raw[3] == capable_flags(case, up), f"flags {raw[3]:#x}, not {capable_flags(case, up):#x}")
        if len(raw) >= 20:
            out.want(up and raw[4:20] == keys[True] + keys[False], f"other keys in {raw.hex()}")
    seen_there = [o for s in case.server.segments if (o := s.option(CAPABLE))]
    out.want({o for _, o in options} == set(seen_there), "the two hosts saw different options")
    out.done = f"{len(options)} options"
    return out


def check_first(case: Case) -> Outcome:
    """the first DSN of each direction follows the least significant 64 bits of SHA-256(key)"""
    out = Outcome(done="2 directions")
    for up in (True, False):
        idsn, starts, implied = case.client.idsn(up), [], 0
        for s in case.client.segments:
            capable, dss = s.option(CAPABLE), s.dss()
            if s.up == up and capable and len(capable) >= 22:
                implied = int.from_bytes(capable[20:22], "big")  # the first mapping has no DSN
            elif s.up == up and dss and dss.dsn is not None:
                starts.append(offset(dss.dsn, dss.dsn_wide, idsn))
        good = bool(starts) and min(starts) in (0, implied)
        out.want(good, f"{side(up)}: {min(starts, default=None)} beside it")
    return out


def check_token(case: Case) -> Outcome:
    """MP_JOIN: the token is the most significant 32 bits of SHA-256(the server's key)"""
    out = Outcome(done=f"{len(case.client.joined)} joins")
    want = token_of(case.client.keys()[False])
    for flow in case.client.joined:
        token = need(flow.syn, JOIN, 12, "MP_JOIN in the SYN")[4:8]
        out.want(token == want, f"{token.hex()}, not {want.hex()}")
    return out


def check_hmac(case: Case) -> Outcome:
    """MP_JOIN: both HMACs are those of the keys and nonces"""
    out = Outcome(done=f"{2 * len(case.client.joined)} HMACs")
    a, b = case.client.keys()[True], case.client.keys()[False]
    for flow in case.client.joined:
        nonce_a = need(flow.syn, JOIN, 12, "MP_JOIN in the SYN")[8:12]
        synack = need(flow.synack, JOIN, 16, "MP_JOIN in the SYN/ACK")
        third = need(flow.third, JOIN, 24, "MP_JOIN in the third ACK")
        nonce_b = synack[12:16]
        out.want(synack[4:12] == mac(b, a, nonce_b + nonce_a)[:8], f"SYN/ACK: {synack.hex()}")
        out.want(third[4:24] == mac(a, b, nonce_a + nonce_b)[:20], f"third ACK: {third.hex()}")
    return out


def announced(case: Case) -> dict[bytes, int]:
    """Addresses and their identifiers, of the ADD_ADDRs that the server sent."""
    found = {}
    for s in case.client.segments:
        if (raw := s.option(ADD_ADDR)) and not s.up and not raw[2] & 1:
            found[raw[4 : 8 if len(raw) < 20 else 20]] = raw[3]
    return found


def check_join_id(case: Case) -> Outcome:
    """MP_JOIN: the SYN/ACK's address identifier is the one that was announced"""
    out, ids = Outcome(), announced(case)
    for flow in case.client.joined:
        synack = need(flow.synack, JOIN, 16, "MP_JOIN in the SYN/ACK")
        assert flow.syn
        if flow.syn.server in ids:
            out.want(synack[3] == ids[flow.syn.server], f"{synack[3]}, not {ids[flow.syn.server]}")
    out.done = f"{out.seen} joins"
    return out


def check_fourth(case: Case) -> Outcome:
    """MP_JOIN: no data on the subflow before the fourth ACK, nor from the server before the third"""
    out = Outcome()
    for flow in case.client.joined:
        fourth = flow.first(False, ACK)
        data = next((s for s in flow.segments if s.up and s.payload), None)
        if data:
            out.want(fourth is not None and fourth.index < data.index, "data before the fourth ACK")
    for flow in case.server.joined:
        third, data = flow.third, next((s for s in flow.segments if not s.up and s.payload), None)
        if data:
            out.want(third is not None and third.index < data.index, "data before the third ACK")
    out.done = f"{out.seen} subflows with data"
    return out


def directions(case: Case, up: bool) -> list[Mapped]:
    """Of each subflow, as its sender captured it."""
    connection = case.host(up)
    return [Mapped(f, up, connection.idsn(up)) for f in connection.subflows]


def check_mappings(case: Case) -> Outcome:
    """DSS: each byte of a subflow has one mapping, the same when it is sent again"""
    out, mappings, segments, repeated = Outcome(), 0, 0, 0
    for up in (True, False):
        for flow in directions(case, up):
            out.problems += flow.problems
            mappings += len(flow.mappings)
            repeated += flow.stream()[1]
            for s in flow.segments:
                if s.payload:
                    segments += 1
                    unmapped = [len(part) for at, part in flow.pieces(s) if at is None]
                    out.want(not unmapped, f"{side(up)}: {unmapped} bytes at {flow.ssn(s)} without")
    out.done = f"{mappings} mappings, {segments} segments with data, {repeated} of them again"
    if repeated < case.args.repeated:
        out.problems.append(f"{repeated} segments again, not {case.args.repeated}: too few to tell")
    return out


def pattern(length: int) -> bytes:
    """What sched_sock sends."""
    return bytes(((o * 0x9E3779B97F4A7C15) & MASK64) >> 56 for o in range(length))


class Ranges:
    """Ranges of the connection's data, merged."""

    def __init__(self) -> None:
        self.ranges: list[list[int]] = []

    def add(self, start: int, end: int) -> None:
        i = bisect_right(self.ranges, [start, end])
        if i and self.ranges[i - 1][1] >= start:
            i -= 1
            self.ranges[i][1] = max(self.ranges[i][1], end)
        else:
            self.ranges.insert(i, [start, end])
        while i + 1 < len(self.ranges) and self.ranges[i + 1][0] <= self.ranges[i][1]:
            self.ranges[i][1] = max(self.ranges[i][1], self.ranges.pop(i + 1)[1])

    def complete_to(self) -> int:
        """How far there is no hole."""
        return self.ranges[0][1] if self.ranges and self.ranges[0][0] <= 0 else 0


def check_bytes(case: Case) -> Outcome:
    """DSS: the data, put together by its DSNs, is what was sent"""
    out, copies = Outcome(), 0
    for up in (True, False):
        want, there = pattern(case.sent(up)), Ranges()
        for flow in directions(case, up):
            for s in flow.segments:
                for at, part in flow.pieces(s):
                    if at is None:
                        continue
                    copies += len(part)
                    there.add(at, at + len(part))
                    out.want(want[at : at + len(part)] == part, f"{side(up)}: {len(part)} bytes at {at}")
        whole = [[0, len(want)]] if want else []
        out.want(there.ranges == whole, f"{side(up)}: {there.ranges[:4]}, not {whole}")
    out.done = f"{case.sent(True)} + {case.sent(False)} bytes, {copies} in copies"
    return out


def sums_up(m: Mapping, data: bytes) -> bool:
    """Ones' complement over pseudo-header, data and checksum (section 3.3.1)."""
    header = struct.pack("!QIHH", m.dsn, m.ssn, m.wire_length, 0)
    whole = header + data + bytes(len(data) % 2) + (m.checksum or b"")
    return int.from_bytes(whole, "big") % 0xFFFF == 0


def check_checksum(case: Case) -> Outcome:
    """DSS: each mapping has the right checksum"""
    out, fins = Outcome(), 0
    for up in (True, False):
        for flow in directions(case, up):
            data, _ = flow.stream()
            for m in flow.mappings:
                part = bytes(data[m.ssn - 1 : m.ssn - 1 + m.length])
                good = m.checksum is not None and len(part) == m.length and sums_up(m, part)
                out.want(good, f"{side(up)}: {m}")
        for s, dss in lone_fins(case.host(up), up):
            fins += 1
            fin = Mapping(0, 0, 0, expand(case, up, dss), dss.length, dss.checksum)
            out.want(dss.checksum is not None and sums_up(fin, b""), f"DATA_FIN: {s.options[0].hex()}")
    out.done = f"{out.seen} mappings, {fins} of them a DATA_FIN alone"
    return out


def expand(case: Case, up: bool, dss: Dss) -> int:
    """A data sequence number in 64 bits."""
    idsn = case.client.idsn(up)
    assert dss.dsn is not None
    return (idsn + 1 + offset(dss.dsn, dss.dsn_wide, idsn)) & MASK64


def lone_fins(connection: Connection, up: bool) -> list[tuple[Segment, Dss]]:
    found = ((s, s.dss()) for s in connection.segments if s.up == up)
    return [(s, d) for s, d in found if d and d.fin and d.dsn is not None and d.ssn == 0]


def check_no_checksum(case: Case) -> Outcome:
    """DSS: no mapping has a checksum"""
    out = Outcome()
    for s in case.client.segments + case.server.segments:
        dss, capable = s.dss(), s.option(CAPABLE)
        if dss and dss.dsn is not None:
            out.want(dss.checksum is None, f"{s.options}")
        if capable and len(capable) > 20:
            out.want(len(capable) == 22, capable.hex())
    out.done = f"{out.seen} mappings"
    return out


def fin_at(s: Segment, idsn: int) -> int | None:
    """The place of the DATA_FIN that a segment carries."""
    dss = s.dss()
    if not dss or not dss.fin or dss.dsn is None:
        return None
    return offset(dss.dsn, dss.dsn_wide, idsn) + dss.length - 1


def acked(s: Segment, idsn: int) -> int | None:
    """The place up to which a segment acknowledges the other direction's data."""
    dss = s.dss()
    return offset(dss.ack, dss.ack_wide, idsn) if dss and dss.ack is not None else None


def check_ack(case: Case) -> Outcome:
    """DSS: no DATA_ACK above what had arrived without holes"""
    out = Outcome()
    for up in (True, False):
        connection, there = case.host(not up), Ranges()
        idsn, flows = connection.idsn(up), {}
        for flow in connection.subflows:
            flows.update({s.index: m for m in [Mapped(flow, up, idsn)] for s in m.segments})
        for s in connection.segments:
            if s.up == up and s.index in flows:
                for at, part in flows[s.index].pieces(s):
                    there.add(at or 0, (at or 0) + len(part))
                if (fin := fin_at(s, idsn)) is not None:
                    there.add(fin, fin + 1)
            elif s.up != up and (ack := acked(s, idsn)) is not None:
                out.want(0 <= ack <= there.complete_to(), f"{ack}, but {there.complete_to()} arrived")
    out.done = f"{out.seen} DATA_ACKs"
    return out


def first_fin(case: Case, up: bool) -> Segment | None:
    idsn = case.client.idsn(up)
    return next((s for s in case.host(up).segments if s.up == up and fin_at(s, idsn) is not None), None)


def check_fin(case: Case) -> Outcome:
    """DATA_FIN: in both directions, behind the last byte, and acknowledged"""
    out = Outcome(done="2 directions")
    for up in (True, False):
        idsn, end = case.client.idsn(up), case.sent(up)
        places = {p for s in case.client.segments if s.up == up and (p := fin_at(s, idsn)) is not None}
        acks = [a for s in case.client.segments if s.up != up and (a := acked(s, idsn)) is not None]
        out.want(places == {end}, f"{side(up)}: at {places}, not {end}")
        out.want(max(acks, default=0) == end + 1, f"{side(up)}: acknowledged to {max(acks, default=0)}")
    return out


def check_order(case: Case) -> Outcome:
    """DATA_FIN: in the order in which the programs closed"""
    out, knew = Outcome(done=case.args.order), {}
    for up in (True, False):
        fin = first_fin(case, up)
        if fin is None:
            raise Bad(f"no DATA_FIN of the {side(up)}")
        knew[up] = (acked(fin, case.client.idsn(not up)) or 0) > case.sent(not up)
    want = {"client": (False, True), "server": (True, False), "both": (False, False)}[case.args.order]
    got = (knew[True], knew[False])
    out.want(got == want, f"(client, server) knew the peer's DATA_FIN: {got}, not {want}")
    return out


def check_tcp_fin(case: Case) -> Outcome:
    """all subflows end with FIN, after the DATA_FIN was acknowledged"""
    out = Outcome()
    for up in (True, False):
        connection, idsn = case.host(up), case.client.idsn(up)
        end = case.sent(up) + 1
        known = [s.index for s in connection.segments if s.up != up and acked(s, idsn) == end]
        for flow in connection.subflows:
            fin = flow.first(up, FIN, FIN)
            reset = flow.first(up, RST, RST)
            out.want(fin is not None, f"{side(up)}: a subflow without FIN")
            out.want(reset is None or fin is not None and fin.index < reset.index, f"{side(up)}: RST")
            if fin and case.args.exact in (side(up), "both"):
                good = bool(known) and known[0] < fin.index
                out.want(good, f"{side(up)}: FIN {fin.index} before the DATA_ACK {known[:1]}")
    out.done = f"{len(case.client.subflows)} subflows"
    return out


def add_addr_mac(case: Case, raw: bytes, up: bool) -> bytes:
    """The rightmost 64 bits; over the port, too, which is 0 if there is none (section 3.4.1)."""
    message = raw[3:-8]
    if len(raw) in (16, 28):
        message += bytes(2)
    return mac(case.client.keys()[up], case.client.keys()[not up], message)[-8:]


def check_add_addr(case: Case) -> Outcome:
    """ADD_ADDR: the HMAC is right, the echo has the same identifier and no HMAC"""
    out, sent, echoed, macs = Outcome(), {}, set(), 0
    for s in case.client.segments:
        raw = s.option(ADD_ADDR)
        if raw and raw[2] & 1:
            out.want(len(raw) in (8, 10, 20, 22), f"an echo of {len(raw)} bytes")
            echoed.add((s.up, raw[3:]))
        elif raw:
            out.want(len(raw) in (16, 18, 28, 30), f"{len(raw)} bytes")
            out.want(raw[-8:] == add_addr_mac(case, raw, s.up), f"HMAC in {raw.hex()}")
            sent[not s.up, raw[3:-8]] = raw
            macs += 1
    for key, raw in sent.items():
        out.want(key in echoed, f"no echo of {raw.hex()}")
    out.want(echoed <= set(sent), "an echo of what was not announced")
    out.done = f"{macs} HMACs, {len(echoed)} echos"
    if not sent:
        raise Bad("no ADD_ADDR")
    return out


def check_remove_addr(case: Case) -> Outcome:
    """REMOVE_ADDR: with the identifier of an address that was announced"""
    out, ids = Outcome(), set(announced(case).values())
    for s in case.client.segments:
        if raw := s.option(REMOVE_ADDR):
            out.want(not s.up and set(raw[3:]) <= ids and not raw[2] & 0xF, f"{raw.hex()} of {ids}")
    out.done = f"{out.seen} options"
    return out


def check_prio(case: Case) -> Outcome:
    """MP_PRIO: on the subflow it is about, backup and then regular"""
    out, bits = Outcome(), []
    for flow in case.client.subflows:
        for s in flow.segments:
            if raw := s.option(PRIO):
                bits.append(raw[2] & 0xF)
                out.want(flow in case.client.joined and s.up == case.args.prio_up, f"{raw.hex()}")
    steps = [b for i, b in enumerate(bits) if not i or bits[i - 1] != b]
    out.want(steps == [1, 0], f"B is {bits}")
    out.done = f"{len(bits)} options"
    return out


def check_fastclose(case: Case) -> Outcome:
    """MP_FASTCLOSE: with the receiver's key, and all subflows end with RST"""
    out, options = Outcome(), []
    for s in case.client.segments:
        if raw := s.option(FASTCLOSE):
            options.append(raw)
            out.want(raw[4:12] == case.client.keys()[not s.up], f"key in {raw.hex()}")
            out.want(bool(s.flags & (RST | ACK)), "neither on an ACK nor on an RST")
    for flow in case.client.subflows:
        out.want(any(s.flags & RST for s in flow.segments), "a subflow without RST")
    if not options:
        raise Bad("no MP_FASTCLOSE")
    out.done = f"{len(options)} options, {len(case.client.subflows)} subflows"
    return out


def check_no_join(case: Case) -> Outcome:
    """C in the SYN/ACK: no MP_JOIN to the initial address"""
    out, forbidden = Outcome(), {s.server for s in case.client.initial.segments}
    joins = [s for s in case.raw[0] if s.up and s.flags & SYN and s.option(JOIN)]
    for s in joins:
        out.want(s.server not in forbidden, "a join to the initial address")
    out.done = f"{len(joins)} joins"
    return out


def check_fallback(case: Case) -> Outcome:
    """fallback: after a SYN/ACK without MP_CAPABLE no segment has an option of MPTCP"""
    out, first = Outcome(), case.client.initial
    need(first.syn, CAPABLE, 4, "MP_CAPABLE in the SYN")
    for s in case.client.segments + case.server.segments:
        if s.flags & (SYN | ACK) != SYN:
            out.want(not s.options, f"{s.options}")
    out.want(any(s.payload for s in case.client.segments), "no data")
    out.done = f"{out.seen - 1} segments"
    return out


CHECKS: dict[str, Callable[[Case], Outcome]] = {
    name.removeprefix("check_"): function
    for name, function in list(globals().items())
    if name.startswith("check_")
}


def judge(case: Case, name: str) -> bool:
    """Run a check and print what came out."""
    check = CHECKS[name]
    try:
        out = check(case)
    except (Bad, ValueError, struct.error) as e:
        out = Outcome(problems=[str(e)])
    if not out.seen and not out.problems:
        out.problems.append("there was nothing to look at")
    print(f"{'not ok' if out.problems else 'ok'} {check.__doc__}" + (f" ({out.done})" if out.done else ""))
    for problem in out.problems[:5]:
        print(f"# {problem}")
    if len(out.problems) > 5:
        print(f"# and {len(out.problems) - 5} more")
    return not out.problems


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("client", type=Path)
    parser.add_argument("server", type=Path)
    parser.add_argument("check", nargs="+", choices=CHECKS)
    parser.add_argument("--checksum", action="store_true", help="checksums are on")
    parser.add_argument("--up", type=int, default=0, help="bytes that the client sent")
    parser.add_argument("--down", type=int, default=0, help="bytes that the server sent")
    parser.add_argument("--order", choices=("client", "server", "both"), default="client")
    parser.add_argument("--exact", choices=("client", "server", "both"), help="whose order is exact")
    parser.add_argument("--no-join", choices=("client", "server"), help="who sets C")
    parser.add_argument("--prio-up", action="store_true", help="the client sends MP_PRIO")
    parser.add_argument("--repeated", type=int, default=0, help="segments sent again, at least")
    parser.add_argument("--flip", default="", metavar="SUBTYPE:LENGTH:BYTE|payload|early")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    try:
        raw = read(args.client, args.flip), read(args.server, args.flip)
        case = Case(Connection(raw[0]), Connection(raw[1]), raw, args)
    except (Bad, ValueError) as e:
        print(f"not ok the captures can be read\n# {e}")
        return 1
    results = [judge(case, name) for name in args.check]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
