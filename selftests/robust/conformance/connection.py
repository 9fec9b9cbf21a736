# SPDX-License-Identifier: GPL-2.0
"""Subflows and the connection to which they belong."""

from __future__ import annotations

from dataclasses import dataclass, field

from .capture import ACK, RST, SYN, Segment
from .crypto import idsn_of, token_of
from .options import CAPABLE, JOIN


class Bad(Exception):
    """What is there is so wrong that nothing else can be said."""


def need(segment: Segment | None, subtype: int, length: int, what: str) -> bytes:
    """The option, which must be there with that length."""
    raw = segment.option(subtype) if segment else None
    if raw is None or len(raw) != length:
        raise Bad(f"{what}: {'no such option' if raw is None else f'{len(raw)} bytes'}, not {length} bytes")
    return raw


@dataclass
class Subflow:
    segments: list[Segment] = field(default_factory=list)

    def first(self, up: bool, flags: int, mask: int = SYN | RST | ACK) -> Segment | None:
        return next((s for s in self.segments if s.up == up and s.flags & mask == flags), None)

    @property
    def active(self) -> bool:
        """Whether the client opened it."""
        return self.segments[0].up

    @property
    def syn(self) -> Segment | None:
        return self.first(self.active, SYN)

    @property
    def synack(self) -> Segment | None:
        return self.first(not self.active, SYN | ACK)

    @property
    def third(self) -> Segment | None:
        return self.first(self.active, ACK)

    @property
    def target(self) -> tuple[bytes, int]:
        """The address and the port to which it was opened."""
        return self.segments[0].server if self.active else self.segments[0].client

    def joins(self) -> bool:
        return self.syn is not None and self.syn.option(JOIN) is not None

    def isn(self, up: bool) -> int:
        start = self.syn if up == self.active else self.synack
        assert start is not None
        return start.seq


Flows = dict[tuple[tuple[bytes, int], tuple[bytes, int]], Subflow]


def flows_of(segments: list[Segment]) -> Flows:
    flows: Flows = {}
    for s in segments:
        flows.setdefault((s.client, s.server), Subflow()).segments.append(s)
    return flows


def busiest(segments: list[Segment]) -> list[Segment]:
    """Those of the connection that has the most."""
    connections: dict[bytes, list[Segment]] = {}
    for flow in flows_of(segments).values():
        third = flow.third.option(CAPABLE) if flow.third else None
        join = flow.syn.option(JOIN) if flow.syn else None
        if join or third:
            token = join[4:8] if join else token_of(third[12:20] if third else b"")
            connections.setdefault(token, []).extend(flow.segments)
    return sorted(max(connections.values(), key=len, default=[]), key=lambda s: s.index)


class Connection:
    """As one host saw it: the first subflow, and those that joined."""

    def __init__(self, segments: list[Segment]) -> None:
        flows = flows_of(segments)
        # without SYNs that were not answered
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
