# SPDX-License-Identifier: MIT
"""Blocks and messages, and how long each takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN, UP
from ..words.settings import choice, octets, span, speed, yes_no
from . import metrics
from .base import Ends, Json, Timed, delays, sent_bytes

STAMP = 8  # bytes in which a block says when it was due


@dataclass(frozen=True)
class Blocks(Timed):
    """Blocks at a constant rate, and the delay of each until its last byte is read.

    rate in bit/s, 0: as fast as it goes. Delays count from the time a block was due, for blocks
    due after the warm-up. With events on a path, the longest gap is the interruption of a handover.
    patience: seconds without a byte before the receiver gives up. notsent: as for bulk.
    """

    name: ClassVar[str] = "blocks"
    judged: ClassVar[tuple[str, bool]] = ("delay_p99_s", True)
    rate: float = speed(4e6, zero=True)
    size: int = octets(8000, least=STAMP)
    patience: float = span(60.0, least=1.0)
    direction: str = choice(UP, DOWN)
    notsent: int = octets(0, least=0)

    @property
    def fills(self) -> bool:
        return not self.rate

    @property
    def paced(self) -> bool:
        return self.rate > 0

    def _program(self, ends: Ends, listen: bool) -> str:
        options: dict[str, Any] = {"size": self.size, "notsent": self.notsent}
        if listen == (self.direction == DOWN):
            times = {"rate": self.rate / 8, "seconds": self.seconds}
            return ends.command("blocks.send", listen, label="send", **times, **self._options(), **options)
        return ends.command("blocks.receive", listen, label="receive", patience=self.patience, **options)

    def _options(self) -> dict[str, Any]:
        """Further settings of the sender."""
        return {}

    def listening(self, ends: Ends) -> str:
        return self._program(ends, True)

    def connecting(self, ends: Ends) -> str:
        return self._program(ends, False)

    def evaluate(self, ends: Ends) -> Json:
        sent, got = ends.result("send"), ends.result("receive")
        ends.check_subflows(sent["trace"])
        rows = list(zip(got["due_us"], got["delay_us"], strict=True))
        kept = [(d / 1e6, delay / 1e6) for d, delay in rows if d >= self.warmup * 1e6]
        if len(rows) < sent["sent"] or not kept:
            raise GuestError(f"{len(rows)} of {sent['sent']} blocks arrived")
        arrivals = [due + delay for due, delay in kept]
        return {
            "goodput_bps": len(kept) * self.size * 8 / (max(arrivals) - kept[0][0]),
            "longest_gap_s": metrics.longest_gap(arrivals),
            **delays([delay for _, delay in kept]),
            **sent_bytes(sent),
        }


@dataclass(frozen=True)
class Writes(Blocks):
    """Small writes: a program that does not collect its data. nodelay: without Nagle's algorithm,
    which waits with what does not fill a segment until the data before is acknowledged."""

    name: ClassVar[str] = "writes"
    rate: float = speed(80e3, zero=True)
    size: int = octets(100, least=STAMP)
    nodelay: bool = yes_no(False)

    def _options(self) -> dict[str, Any]:
        return {"nodelay": self.nodelay}
