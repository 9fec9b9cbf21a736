# SPDX-License-Identifier: GPL-2.0
"""From the bytes of subflows to those of the connection."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from .capture import SYN, Segment
from .connection import Subflow
from .options import CAPABLE

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


@dataclass(frozen=True)
class Mapping:
    """Of data of a subflow; at: where in the connection's data, 0 is the first byte."""

    ssn: int
    at: int
    length: int
    dsn: int
    wire_length: int
    checksum: bytes | None

    def sums_up(self, data: bytes) -> bool:
        """Ones' complement over pseudo-header, data and checksum (section 3.3.1)."""
        header = struct.pack("!QIHH", self.dsn, self.ssn, self.wire_length, 0)
        whole = header + data + bytes(len(data) % 2) + (self.checksum or b"")
        return int.from_bytes(whole, "big") % 0xFFFF == 0


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

    def of(self, m: Mapping, data: bytearray) -> bytes:
        """The bytes of the stream that a mapping covers."""
        return bytes(data[m.ssn - 1 : m.ssn - 1 + m.length])


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
