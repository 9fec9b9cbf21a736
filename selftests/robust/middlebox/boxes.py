# SPDX-License-Identifier: GPL-2.0
"""What middleboxes do to the segments that pass them (RFC 8684 section 6)."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from packet import (
    ACK,
    DSS,
    FIN,
    MASK32,
    MPTCP,
    PSH,
    RST,
    SACK,
    SYN,
    TIMESTAMP,
    WSCALE,
    Flow,
    Option,
    Segment,
    Side,
    before,
)

Which = Callable[[Segment], bool]


class Box:
    """Passes everything. acted: how many segments it changed, held or dropped."""

    advmss: int | None = None  # what hosts announce if the box needs room in the packets

    def __init__(self) -> None:
        self.acted = 0

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        """What goes on instead, to where its "up" says."""
        return [segment]

    def tick(self, now: float) -> list[Segment]:
        """What has to go now."""
        return []

    def deadline(self) -> float | None:
        """When the next tick is due."""
        return None


def is_syn(s: Segment) -> bool:
    return bool(s.flags & SYN) and not s.flags & ACK


def is_synack(s: Segment) -> bool:
    return bool(s.flags & SYN) and bool(s.flags & ACK)


def is_data(s: Segment) -> bool:
    """All that comes after the SYNs, be there payload or not."""
    return not s.flags & SYN


class Strip(Box):
    """Removes options."""

    def __init__(self, which: Which, subtype: int | None = None) -> None:
        super().__init__()
        self.which, self.subtype = which, subtype

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if self.which(segment):
            kept = [o for o in segment.options if not self.meant(o)]
            self.acted += len(kept) < len(segment.options)
            segment.options = kept
        return [segment]

    def meant(self, option: Option) -> bool:
        return option.kind == MPTCP and self.subtype in (None, option.subtype)


class StripLater(Strip):
    """All options, once a flow has carried some data: the route changed."""

    def __init__(self, which: Which, limit: int) -> None:
        super().__init__(lambda s: which(s) and self.passed[s.flow] > self.limit)
        self.limit = limit
        self.passed: dict[Flow, int] = {}

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        self.passed[segment.flow] = self.passed.get(segment.flow, 0) + len(segment.payload)
        return super().handle(segment, now)


class Drop(Box):
    """Drops the segments that carry the option."""

    def __init__(self, which: Which) -> None:
        super().__init__()
        self.which = which

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if self.which(segment) and segment.option(MPTCP):
            self.acted += 1
            return []
        return [segment]


class Echo(Box):
    """Like a server that sends back the options it does not know, with MPTCP or without."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[Flow, list[Option]] = {}

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        mine = [o for o in segment.options if o.kind == MPTCP]
        others = [o for o in segment.options if o.kind != MPTCP]
        if is_syn(segment):
            self.sent[segment.flow] = mine
        elif is_synack(segment) and self.sent.get(segment.flow):
            self.acted += 1
            return [segment.but(options=others + self.sent[segment.flow])]
        # the server is none that speaks MPTCP
        return [segment.but(options=others)] if segment.up else [segment]


class Randomize(Box):
    """Other initial sequence numbers, in both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.shift: dict[Side, int] = {}

    def of(self, side: Side) -> int:
        return self.shift.setdefault(side, random.getrandbits(32))

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        self.acted += 1
        back = -self.of(segment.back)
        segment.seq += self.of(segment.side)
        if segment.flags & ACK:
            segment.ack += back
        segment.options = [shift_sack(o, back) for o in segment.options]
        return [segment]


def shift_sack(option: Option, by: int) -> Option:
    if option.kind != SACK:
        return option
    edges = (int.from_bytes(option.data[i : i + 4], "big") for i in range(0, len(option.data), 4))
    return Option(SACK, b"".join(((e + by) & MASK32).to_bytes(4, "big") for e in edges))


class Split(Box):
    """Halves payloads, as network cards do. copy: both halves have the options."""

    def __init__(self, copy: bool) -> None:
        super().__init__()
        self.copy = copy

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        half = len(segment.payload) // 2
        if not half:
            return [segment]
        self.acted += 1
        options = segment.options if self.copy else [o for o in segment.options if o.kind != MPTCP]
        first = segment.but(payload=segment.payload[:half], flags=segment.flags & ~(FIN | PSH))
        second = segment.but(
            payload=segment.payload[half:], seq=(segment.seq + half) & MASK32, options=options
        )
        return [first, second]


class Coalesce(Box):
    """Joins two segments that follow each other, with the options of the first alone."""

    advmss = 600
    WAIT = 0.003

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[Side, tuple[float, Segment]] = {}

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        _, first = self.held.pop(segment.side, (0, None))
        plain = bool(segment.payload) and not segment.flags & (SYN | RST | FIN)
        if first and plain and first.end == segment.seq:
            self.acted += 1
            return [
                first.but(
                    payload=first.payload + segment.payload,
                    flags=first.flags | segment.flags,
                    ack=segment.ack,
                    window=segment.window,
                )
            ]
        out = [first] if first else []
        if plain:
            self.held[segment.side] = now + self.WAIT, segment
            return out
        return [*out, segment]

    def tick(self, now: float) -> list[Segment]:
        due = [key for key, (when, _) in self.held.items() if when <= now]
        return [self.held.pop(key)[1] for key in due]

    def deadline(self) -> float | None:
        return min((when for when, _ in self.held.values()), default=None)


@dataclass
class Proxied:
    """One direction of a flow at a pro-active acker: what it acknowledged and still has."""

    first: int  # sequence number of the first byte
    next: int  # of the sender
    kept: list[Segment] = field(default_factory=list)
    window: int = 0  # of the receiver, as in its last segment
    seq: int = 0  # of the receiver
    when: float = 0.0  # something happened last
    ts: bytes | None = None  # the sender's last timestamp
    ts_peer: bytes = bytes(4)  # the receiver's last timestamp


class Acker(Box):
    """Acknowledges data before the receiver does, and sends it again when that is needed.

    after: only what comes behind so many bytes. window: the one that it announces itself,
    unscaled; None: that of the receiver.
    """

    RETRY = 0.4

    def __init__(self, after: int, window: int | None = None) -> None:
        super().__init__()
        self.after, self.window = after, window
        self.sides: dict[Side, Proxied] = {}

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if segment.flags & RST:
            self.sides.pop(segment.side, None)
            self.sides.pop(segment.back, None)
            return [segment]
        if segment.flags & SYN:
            self.sides[segment.side] = Proxied(segment.end, segment.end, when=now)
        if segment.side not in self.sides or segment.back not in self.sides:
            return [segment]
        self.acknowledged(self.sides[segment.back], segment, now)
        if segment.flags & SYN or not segment.payload:
            return [segment]
        return self.data(self.sides[segment.side], segment, now)

    def acknowledged(self, side: Proxied, segment: Segment, now: float) -> None:
        """By the receiver. What the sender sees acknowledged never goes back."""
        missing = [s for s in side.kept if before(segment.ack, s.end)]
        if len(missing) < len(side.kept):
            side.kept, side.when = missing, now
        side.window, side.seq = segment.window, segment.end
        stamp = segment.option(TIMESTAMP)
        if stamp:
            side.ts_peer = stamp.data[:4]
        if before(side.next, segment.ack):
            side.next = segment.ack
        if before(segment.ack, side.next) and self.mine(side):
            segment.ack = side.next
        if self.window is not None and not segment.flags & SYN:
            segment.window = self.window

    def mine(self, side: Proxied) -> bool:
        return (side.next - side.first) & MASK32 >= self.after

    def data(self, side: Proxied, segment: Segment, now: float) -> list[Segment]:
        """Kept in order; what the sender has sent before is acknowledged again."""
        stamp = segment.option(TIMESTAMP)
        side.ts = stamp.data[:4] if stamp else None
        end = (segment.seq + len(segment.payload)) & MASK32
        if not before(side.next, segment.seq) and before(side.next, end):
            side.next = end
            if not side.kept:
                side.when = now
            side.kept.append(segment.but(flags=segment.flags & ~FIN))
        if not self.mine(side):
            return [segment]
        self.acted += 1
        return [segment, self.ack(side, segment)]

    def ack(self, side: Proxied, segment: Segment) -> Segment:
        """Without the options of MPTCP: the box does not know them."""
        options = [Option(TIMESTAMP, side.ts_peer + side.ts)] if side.ts else []
        window = side.window if self.window is None else self.window
        return segment.answer(seq=side.seq, ack=side.next, flags=ACK, window=window, options=options)

    def tick(self, now: float) -> list[Segment]:
        out = []
        for side in self.sides.values():
            if side.kept and side.when + self.RETRY <= now:
                out.append(side.kept[0].but())
                side.when = now
        return out

    def deadline(self) -> float | None:
        return min((s.when + self.RETRY for s in self.sides.values() if s.kept), default=None)


class Window(Box):
    """Announces less than the receiver does."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.scale: dict[Side, int] = {}

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if segment.flags & SYN:
            scale = segment.option(WSCALE)
            self.scale[segment.side] = scale.data[0] if scale else 0
            return [segment]
        most = self.most >> self.scale.get(segment.side, 0)
        if segment.window > most:
            self.acted += 1
            segment.window = most
        return [segment]


@dataclass
class Edits:
    """A direction of a flow: where the text was replaced, in the sender's numbers."""

    first: int  # sequence number of the first byte
    seen: int = 0  # bytes
    starts: list[int] = field(default_factory=list)


class Rewrite(Box):
    """Replaces a text in the payload, of any length, and keeps the sequence numbers right.

    after: not in what a flow carries first.
    """

    def __init__(self, old: bytes, new: bytes, after: int = 0) -> None:
        super().__init__()
        self.old, self.new, self.grows = old, new, len(new) - len(old)
        self.after = after
        self.advmss = 600 if self.grows > 0 else None
        self.edits: dict[Side, Edits] = {}

    def there(self, edits: Edits, at: int) -> int:
        """Where the receiver has the sender's byte: each byte of the text that has gone
        stands for one of the new text, the last for all the others."""
        n = bisect_right(edits.starts, at)
        if not n:
            return at
        inside = at - edits.starts[n - 1]
        if inside >= len(self.old):
            return at + self.grows * n
        return edits.starts[n - 1] + self.grows * (n - 1) + min(inside, len(self.new))

    def back(self, edits: Edits, at: int) -> int:
        """The sender's last byte that has at most this place at the receiver."""
        n = len(edits.starts)
        while n and edits.starts[n - 1] + self.grows * (n - 1) > at:
            n -= 1
        if not n:
            return at
        inside = at - edits.starts[n - 1] - self.grows * (n - 1)
        if inside >= len(self.new):
            return at - self.grows * n
        return edits.starts[n - 1] + min(inside, len(self.old) - 1)

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if segment.flags & SYN:
            self.edits[segment.side] = Edits(segment.end)
        ours = self.edits.get(segment.side)
        theirs = self.edits.get(segment.back)
        if segment.flags & ACK and theirs:
            self.acknowledge(theirs, segment)
        if not ours or segment.flags & SYN:
            return [segment]
        start = (segment.seq - ours.first) & MASK32
        if start >> 31:  # a probe with an old number
            return [segment]
        self.find(ours, start, segment.payload)
        end = start + len(segment.payload)
        payload = self.replaced(ours, start, segment.payload)
        self.acted += payload != segment.payload
        assert len(payload) == self.there(ours, end) - self.there(ours, start)
        segment.payload = payload
        segment.seq = ours.first + self.there(ours, start)
        return [segment]

    def acknowledge(self, edits: Edits, segment: Segment) -> None:
        at = (segment.ack - edits.first) & MASK32
        if not at >> 31:
            segment.ack = edits.first + self.back(edits, at)
        # no SACK: a block in the middle of a text could not be said
        segment.options = [o for o in segment.options if o.kind != SACK]

    def find(self, edits: Edits, start: int, payload: bytes) -> None:
        """Texts in what has not passed before."""
        at = payload.find(self.old)
        while at >= 0:
            if start + at >= max(edits.seen, self.after):
                edits.starts.append(start + at)
            at = payload.find(self.old, at + len(self.old))
        edits.seen = max(edits.seen, start + len(payload))

    def replaced(self, edits: Edits, start: int, payload: bytes) -> bytes:
        """What the receiver gets for these bytes, also if they have but a part of a text."""
        out, done, end = b"", start, start + len(payload)
        n = max(bisect_right(edits.starts, start) - 1, 0)
        for text in edits.starts[n:]:
            if text >= end:
                break
            stop = text + len(self.old)
            if stop <= start:
                continue
            if text > done:
                out += payload[done - start : text - start]
            a = min(max(start - text, 0), len(self.new))
            b = len(self.new) if stop <= end else min(end - text, len(self.new))
            out += self.new[a:b]
            done = min(stop, end)
        return out + payload[done - start :]


class Reorder(Box):
    """Every tenth segment with payload goes behind the next one, and another one twice."""

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[bool, tuple[float, Segment]] = {}
        self.count = 0

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        _, first = self.held.pop(segment.up, (0, None))
        after = [first] if first else []
        if segment.payload:
            self.count += 1
            if self.count % 10 == 0:
                self.acted += 1
                self.held[segment.up] = now + 0.005, segment
                return after
            if self.count % 10 == 5:
                self.acted += 1
                return [segment, segment.but(), *after]
        return [segment, *after]

    def tick(self, now: float) -> list[Segment]:
        due = [up for up, (when, _) in self.held.items() if when <= now]
        return [self.held.pop(up)[1] for up in due]

    def deadline(self) -> float | None:
        return min((when for when, _ in self.held.values()), default=None)


class Refuse(Box):
    """Answers a SYN with the option by a RST."""

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        if not is_syn(segment) or not segment.option(MPTCP):
            return [segment]
        self.acted += 1
        return [segment.answer(seq=0, ack=segment.end, flags=RST | ACK, window=0)]


class Corrupt(Box):
    """Gives DSS options a subtype that nobody knows."""

    def handle(self, segment: Segment, now: float) -> list[Segment]:
        changed = [Option(MPTCP, b"\xe0" + o.data[1:]) if o.subtype == DSS else o for o in segment.options]
        self.acted += changed != segment.options
        return [segment.but(options=changed)]
