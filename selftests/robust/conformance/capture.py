# SPDX-License-Identifier: GPL-2.0
"""Segments of a capture, on request with bits inverted: what the checks must find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import dpkt

from .options import CAPABLE, DSS, DSS_ACK64, Dss, decode_dss, mptcp_options, subtype_of

FIN, SYN, RST, ACK = 1, 2, 4, 16
FOREIGN, OUTGOING = 3, 4


@dataclass(frozen=True)
class Segment:
    """up: from the client to the server; client, server: address and port."""

    index: int
    up: bool
    client: tuple[bytes, int]
    server: tuple[bytes, int]
    seq: int
    flags: int
    payload: bytes
    options: tuple[bytes, ...]

    def option(self, subtype: int) -> bytes | None:
        return next((o for o in self.options if subtype_of(o) == subtype), None)

    def dss(self) -> Dss | None:
        raw = self.option(DSS)
        return decode_dss(raw) if raw else None


Flip = Callable[[bytes], bytes]


def unchanged(data: bytes) -> bytes:
    return data


def flip_bit(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def flip_infinite(raw: bytes) -> bytes:
    """The subflow sequence number of an infinite mapping with checksum."""
    dss = decode_dss(raw) if subtype_of(raw) == DSS else None
    return flip_bit(raw, len(raw) - 5) if dss and dss.checksum and not dss.length else raw


def narrow(raw: bytes) -> bytes:
    """A DATA_ACK of 64 bits in 32 bits."""
    if subtype_of(raw) != DSS or not raw[3] & DSS_ACK64:
        return raw
    return bytes([raw[0], raw[1] - 4, raw[2], raw[3] & ~DSS_ACK64]) + raw[8:]


def flipper(what: str) -> tuple[Flip, Flip]:
    """What is done to each option and to each payload."""
    if what in ("", "early"):
        return unchanged, unchanged
    if what == "infinite":
        return flip_infinite, unchanged
    if what == "narrow":
        return narrow, unchanged
    if what == "payload":
        return unchanged, lambda p: flip_bit(p, 0) if p else p
    subtype, length, at = map(int, what.split(":"))

    def option(raw: bytes) -> bytes:
        return flip_bit(raw, at) if (subtype_of(raw), len(raw)) == (subtype, length) else raw

    return option, unchanged


def early(segments: list[Segment]) -> list[Segment]:
    """All that carries data or a FIN comes before the acknowledgments."""

    def rank(s: Segment) -> int:
        if s.flags & SYN or s.option(CAPABLE):
            return 0
        return 1 if s.payload or s.flags & FIN else 2

    return [replace(s, index=i) for i, s in enumerate(sorted(segments, key=rank))]


def read(file: Path, by_client: bool, flip: str = "") -> list[Segment]:
    """All segments, in the order of the capture, which the client or the server made."""
    segments: list[Segment] = []
    option, payload = flipper(flip)
    with file.open("rb") as stream:
        reader = dpkt.pcap.Reader(stream)
        layer = dpkt.sll2.SLL2 if reader.datalink() == dpkt.pcap.DLT_LINUX_SLL2 else dpkt.sll.SLL
        for _, frame in reader:
            cooked = layer(frame)
            tcp = getattr(cooked.data, "data", None)
            if not isinstance(tcp, dpkt.tcp.TCP) or cooked.type == FOREIGN:
                continue
            ip, up = cooked.data, (cooked.type == OUTGOING) == by_client
            source, target = (ip.src, tcp.sport), (ip.dst, tcp.dport)
            segments.append(
                Segment(
                    index=len(segments),
                    up=up,
                    client=source if up else target,
                    server=target if up else source,
                    seq=tcp.seq,
                    flags=tcp.flags,
                    payload=payload(bytes(tcp.data)),
                    options=tuple(option(o) for o in mptcp_options(tcp.opts)),
                )
            )
    return early(segments) if flip == "early" else segments
