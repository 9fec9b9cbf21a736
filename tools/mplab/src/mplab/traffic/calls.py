# SPDX-License-Identifier: MIT
"""Remote procedure calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN
from ..words.settings import frequency, octets, span
from . import metrics
from .answers import HEAD
from .base import Ends, Json, Timed, delays, sent_bytes


@dataclass(frozen=True)
class Rpc(Timed):
    """Calls over one connection: `request` bytes there, `answer` bytes back.

    per_second: so many are due at equal intervals, whether or not those before are answered (0: each
    when the one before is). Delays count from the time a call was due until its answer is whole.
    """

    name: ClassVar[str] = "rpc"
    direction: ClassVar[str] = DOWN
    judged: ClassVar[tuple[str, bool]] = ("delay_p99_s", True)
    request: int = octets(200, least=HEAD)
    answer: int = octets(2000)
    per_second: float = frequency(20.0)
    patience: float = span(60.0, least=1.0)

    @property
    def paced(self) -> bool:
        return self.per_second > 0

    def listening(self, ends: Ends) -> str:
        return ends.command("transfers.serve", True, label="serve", connections=1, nodelay=True)

    def connecting(self, ends: Ends) -> str:
        sizes = {"request": self.request, "answer": self.answer, "nodelay": True}
        interval = 1 / self.per_second if self.per_second else 0.0
        times = {"seconds": self.seconds, "interval": interval, "patience": self.patience}
        return ends.command("calls.call", False, label="call", **sizes, **times)

    def evaluate(self, ends: Ends) -> Json:
        found = ends.result("call")
        ends.check_subflows(found["trace"])
        rows = list(zip(found["due"], found["delays"], strict=False))
        kept = [(due, delay) for due, delay in rows if due >= self.warmup]
        if len(rows) < len(found["due"]) or not kept:
            raise GuestError(f"{len(rows)} of {len(found['due'])} calls were answered")
        arrivals = [due + delay for due, delay in kept]
        took = max(arrivals) - kept[0][0]
        return {
            "goodput_bps": len(kept) * self.answer * 8 / took,
            "calls_per_second": len(kept) / took,
            "longest_gap_s": metrics.longest_gap(arrivals),
            **delays([delay for _, delay in kept]),
            **sent_bytes(found),
        }
