# SPDX-License-Identifier: MIT
"""Bursts after thin traffic: what a connection knows of its paths may not be what the application sent."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN, UP
from ..words.settings import choice, number, octets, span
from .answers import figures
from .base import Ends, Json, Workload, sent_bytes


@dataclass(frozen=True)
class Bursts(Workload):
    """`size` bytes at once after `rest` of thin traffic, `count` times over one connection: how long until
    the last byte is read.

    Thin traffic: `piece` bytes each `every`. The first burst, in slow start, does not count. patience:
    seconds without a byte before the receiver gives up.
    """

    name: ClassVar[str] = "bursts"
    judged: ClassVar[tuple[str, bool]] = ("completion_median_s", True)
    size: int = octets(200_000)
    count: int = number(5, least=2)
    rest: float = span(2.0, least=0.01)
    every: float = span(0.2, least=0.001)
    piece: int = octets(500)
    patience: float = span(60.0, least=1.0)
    direction: str = choice(UP, DOWN)

    @property
    def paced(self) -> bool:
        return True

    def _program(self, ends: Ends, listen: bool) -> str:
        pieces = round(self.rest / self.every)
        shape = {"count": self.count, "size": self.size, "piece": self.piece, "pieces": pieces}
        if listen == (self.direction == DOWN):
            return ends.command("bursts.send", listen, label="send", every=self.every, nodelay=True, **shape)
        return ends.command("bursts.receive", listen, label="receive", patience=self.patience, **shape)

    def listening(self, ends: Ends) -> str:
        return self._program(ends, True)

    def connecting(self, ends: Ends) -> str:
        return self._program(ends, False)

    def evaluate(self, ends: Ends) -> Json:
        sent, ended = ends.result("send"), ends.result("receive")["ended"]
        ends.check_subflows(sent["trace"])
        if len(ended) < self.count:
            raise GuestError(f"{len(ended)} of {self.count} bursts arrived")
        took = [end - start for start, end in zip(sent["began"], ended, strict=True)][1:]
        return {
            "goodput_bps": self.size * 8 / median(took),
            **figures(took, "completion"),
            **sent_bytes(sent),
        }
