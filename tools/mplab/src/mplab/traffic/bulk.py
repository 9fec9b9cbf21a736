# SPDX-License-Identifier: MIT
"""As much as goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.network import BOTH, DOWN, UP
from ..words.settings import choice, octets, span
from . import metrics
from .base import PORT, Ends, Json, Timed, by_route, median_rtts, rates, sent_bytes


def one_way(ends: Ends, listen: bool, way: str, receive: Json, send: Json) -> str:
    """The program of one end of a transfer: up, the client sends."""
    sends = listen == (way == DOWN)
    role, settings = ("send", send) if sends else ("receive", receive)
    port = PORT + (way == DOWN)
    return ends.command(f"bulk.{role}", listen, label=f"{role}-{way}", port=port, **settings)


@dataclass(frozen=True)
class Bulk(Timed):
    """As much as goes. Goodput counts after the warm-up.

    delay: seconds after the others that it begins. direction both: two connections, one each way.
    notsent: bytes that the socket takes before they are sent, of a program that asks when it wants
    more (TCP_NOTSENT_LOWAT; 0: all that the buffer holds).
    """

    name: ClassVar[str] = "bulk"
    delay: float = span(0.0)
    direction: str = choice(UP, DOWN, BOTH)
    notsent: int = octets(0, least=0)

    @property
    def fills(self) -> bool:
        return self.direction != BOTH

    @property
    def ways(self) -> tuple[str, ...]:
        return (UP, DOWN) if self.direction == BOTH else (self.direction,)

    def _programs(self, ends: Ends, listen: bool) -> str:
        # a little longer, for flows that start late
        receive = {"seconds": self.seconds + 0.05, "warmup": self.warmup, "delay": self.delay}
        send = {"seconds": self.seconds + 1, "notsent": self.notsent, "delay": self.delay}
        return "".join(one_way(ends, listen, way, receive, send) for way in self.ways)

    def listening(self, ends: Ends) -> str:
        return self._programs(ends, True)

    def connecting(self, ends: Ends) -> str:
        return self._programs(ends, False)

    def evaluate(self, ends: Ends) -> Json:
        found = {way: self._evaluate(ends, way) for way in self.ways}
        if self.direction != BOTH:
            return found[self.direction]
        rates = {f"{way}_goodput_bps": figures["goodput_bps"] for way, figures in found.items()}
        gaps = [figures["longest_gap_s"] for figures in found.values()]
        total = {"goodput_bps": sum(rates.values()), **rates, "longest_gap_s": max(gaps)}
        return {**total, **{k: v for k, v in found[UP].items() if k not in total}, "down": found[DOWN]}

    def _evaluate(self, ends: Ends, way: str) -> Json:
        sent, got = ends.result(f"send-{way}"), ends.result(f"receive-{way}")
        if not got["samples"]:
            raise GuestError("nothing was measured")
        states = by_route(sent)
        ends.check_subflows(sent["trace"])
        rows = [(t - got["start"], n, used, limit) for t, n, used, limit in got["samples"]]
        if rows[-1][0] < self.seconds - 0.2:
            raise GuestError(f"the receiver measured {rows[-1][0]:.1f} s of {self.seconds:g} s")
        kept = [row for row in rows if row[0] >= self.warmup - 0.05]
        course = rates([(t, n) for t, n, *_ in rows])
        return {
            "start_s": sent["start"],
            "goodput_bps": (kept[-1][1] - kept[0][1]) * 8 / (kept[-1][0] - kept[0][0]),
            "over_time_s_bps": course,
            "time_to_full_rate_s": metrics.time_to_full_rate(course, window=0.3),
            "longest_gap_s": got["longest_gap"],
            "receive_memory_peak_bytes": max(used for *_, used, _ in rows),
            "receive_buffer_peak_bytes": max(limit for *_, limit in rows),
            "cwnd_over_time": {route: [(t, s["cwnd"]) for t, s in trace] for route, trace in states.items()},
            "sent_over_time_s_bps": {
                route: rates([(t, s["sent"]) for t, s in trace]) for route, trace in states.items()
            },
            "srtt_median_s": median_rtts(states, self.warmup),
            **sent_bytes(sent),
        }
