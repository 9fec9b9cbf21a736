# SPDX-License-Identifier: GPL-2.0
"""Who sits on a path: passes everything, and knows what is needed to forge the next segment."""

from __future__ import annotations

from dataclasses import dataclass, field

from boxes import Box
from conformance.options import PRIO, Dss, decode_dss
from packet import (
    ADD_ADDR,
    CAPABLE,
    DSS,
    FIN,
    JOIN,
    MASK32,
    MPTCP,
    RST,
    SYN,
    TIMESTAMP,
    Option,
    Segment,
    before,
)


def dss_of(segment: Segment) -> Dss | None:
    option = segment.mptcp(DSS)
    return decode_dss(bytes((MPTCP, len(option.data) + 2)) + option.data) if option else None


@dataclass
class Side:
    """What was seen in one direction."""

    last: Segment | None = None  # the one that reaches furthest
    payload: int = 0
    mapped: int = 0  # the data sequence number behind the last mapping
    acked: int = 0  # the highest DATA_ACK
    number: int = 0  # the address's identifier
    announced: set[int] = field(default_factory=set)
    keys: bytes = b""  # the sender's and the receiver's, as the third ACK of the first subflow has them
    ended: bool = False  # by FIN or RST
    demoted: bool = False  # by MP_PRIO
    start: int = 0  # its initial sequence number
    between: bool = True  # the last segment reaches the end of its mapping

    def see(self, segment: Segment) -> None:
        if segment.flags & SYN:
            self.start = segment.seq
        if self.last is None or not before(segment.end, self.last.end):
            self.last = segment
        self.payload += len(segment.payload)
        self.ended |= bool(segment.flags & (RST | FIN))
        if (join := segment.mptcp(JOIN)) and segment.flags & SYN:
            self.number = join.data[1]
        if (capable := segment.mptcp(CAPABLE)) and len(capable.data) >= 18:
            self.keys = capable.data[2:18]
        if prio := segment.mptcp(PRIO):
            self.demoted = bool(prio.data[0] & 1)
        if announced := segment.mptcp(ADD_ADDR):
            self.announced.add(announced.data[1])
        if dss := dss_of(segment):
            self.note(dss)
            if segment.payload and dss.dsn is not None:
                self.between = self.relative() == (dss.ssn + dss.length) & MASK32

    def relative(self) -> int:
        """The place of the next byte on the subflow."""
        return (self.last.end - self.start) & MASK32 if self.last else 0

    def note(self, dss: Dss) -> None:
        if dss.ack is not None and dss.ack_wide:
            self.acked = max(self.acked, dss.ack)
        if dss.dsn is not None and dss.dsn_wide:
            self.mapped = max(self.mapped, dss.dsn + dss.length)


class Eye(Box):
    """toward[up]: what was seen going up, or down."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.port = port  # of the server: others are late segments of a connection before
        self.toward = {True: Side(), False: Side()}

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if self.port not in (segment.sport, segment.dport):
            return [segment]
        self.toward[segment.up].see(segment)
        return [segment]

    def ready(self) -> bool:
        """The handshake is over in both directions."""
        return all(s.last and not s.last.flags & SYN for s in self.toward.values())

    def next(
        self, up: bool, options: list[Option], flags: int, payload: bytes = b"", ahead: int = 0
    ) -> Segment:
        """The segment that the receiver expects, but that its peer has not sent."""
        last = self.toward[up].last
        assert last is not None
        back = self.toward[not up].last
        assert back is not None
        stamps = [o for o in last.options if o.kind == TIMESTAMP]
        return last.but(
            seq=(last.end + ahead) & MASK32,
            ack=back.end,
            flags=flags,
            options=stamps + options,
            payload=payload,
        )
