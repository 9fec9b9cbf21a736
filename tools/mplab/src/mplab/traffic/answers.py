# SPDX-License-Identifier: MIT
"""Transfers of a size: how long they take."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN, UP
from ..lab.topology import CLIENT, SERVER, host
from ..words.settings import choice, number, octets, span, yes_no
from . import metrics
from .base import Ends, Json, Workload, sent_bytes

HEAD = 8  # bytes of the smallest request


def figures(took: list[float], name: str) -> Json:
    """Of times in which something was complete."""
    (p95,) = metrics.percentiles_or_none(took, (95,))
    found = {"median_s": median(took), "p95_s": p95, "max_s": max(took)}
    return {**{f"{name}_{key}": value for key, value in found.items()}, f"{name}s_s": took}


@dataclass(frozen=True)
class Transfer(Workload):
    """`size` bytes, `count` times, with a pause after each, in which the connection is idle.

    Cold: each over a connection of its own, whose handshake counts. Warm: all over one connection,
    after one that does not count.
    """

    name: ClassVar[str] = "transfer"
    judged: ClassVar[tuple[str, bool]] = ("completion_median_s", True)
    size: int = octets(1_000_000)
    count: int = number(10)
    warm: bool = yes_no(False)
    pause: float = span(1.0)
    direction: str = choice(DOWN, UP)

    def listening(self, ends: Ends) -> str:
        connections = 1 if self.warm else self.count
        return ends.command("transfers.serve", True, label="serve", connections=connections)

    def connecting(self, ends: Ends) -> str:
        up = self.direction == UP
        sizes = {"request": HEAD + (self.size if up else 0), "answer": 1 if up else self.size}
        often = {"count": self.count, "pause": self.pause, "warm": self.warm}
        return ends.command("transfers.ask", False, label="ask", **sizes, **often)

    def took(self, ends: Ends) -> list[float]:
        """Each one's time, until the receiver has its last byte."""
        asked, served = ends.result("ask"), ends.result("serve")
        if self.warm:
            ends.check_subflows((served if self.direction == DOWN else asked)["trace"])
        ended = asked["ended"] if self.direction == DOWN else served["arrived"][int(self.warm) :]
        if len(asked["ended"]) < self.count:
            raise GuestError(f"{len(asked['ended'])} of {self.count} transfers were whole")
        return [end - start for start, end in zip(asked["began"], ended, strict=True)]

    def evaluate(self, ends: Ends) -> Json:
        took = self.took(ends)
        sender = "serve" if self.direction == DOWN else "ask"
        return {
            "goodput_bps": self.size * 8 / median(took),
            **figures(took, "completion"),
            **(sent_bytes(ends.result(sender)) if self.warm else {}),
        }


@dataclass(frozen=True)
class Request(Workload):
    """A connection, a request, an answer of `size` bytes from the server; `count` times."""

    name: ClassVar[str] = "request"
    judged: ClassVar[tuple[str, bool]] = ("answer_median_s", True)
    direction: ClassVar[str] = DOWN
    size: int = octets(65536)
    count: int = number(5)
    pause: float = span(1.0)

    @property
    def _transfer(self) -> Transfer:
        return Transfer(self.size, self.count, False, self.pause)

    def listening(self, ends: Ends) -> str:
        return self._transfer.listening(ends)

    def connecting(self, ends: Ends) -> str:
        return self._transfer.connecting(ends)

    def evaluate(self, ends: Ends) -> Json:
        took = self._transfer.took(ends)
        return {"goodput_bps": self.size * 8 / median(took), **figures(took, "answer")}


@dataclass(frozen=True)
class Incast(Workload):
    """All servers are asked at the same instant for `size` bytes each; when all answers are there,
    again. Each connection lasts for all rounds."""

    name: ClassVar[str] = "incast"
    direction: ClassVar[str] = DOWN
    size: int = octets(65536)
    rounds: int = number(10)

    def listening(self, ends: Ends) -> str:
        return self._of_all(ends, SERVER, True, label="answer")

    def connecting(self, ends: Ends) -> str:
        return self._of_all(ends, CLIENT, False, label="ask", size=self.size, rounds=self.rounds)

    @staticmethod
    def _of_all(ends: Ends, role: str, listen: bool, label: str, **settings: int) -> str:
        """The program for all flows, which the first one starts."""
        if ends.flow:
            return ""
        flows = [Ends(ends.network, f, ends.directory) for f in range(len(ends.network.flows))]
        hosts = [
            {"host": host(role, each.flow), "address": each.address(SERVER), "route": each.route}
            for each in flows
        ]
        return ends.command(f"incast.{label}", listen, label=label, flows=hosts, **settings)

    def evaluate(self, ends: Ends) -> Json:
        """A round lasts until the slowest answer of all, so that its goodputs add up."""
        first = Ends(ends.network, 0, ends.directory)
        asked, sent = first.result("ask"), first.result("answer")["servers"][ends.flow]
        if len(asked["took"]) < self.rounds:
            raise GuestError(f"{len(asked['took'])} of {self.rounds} answers were whole")
        ends.check_subflows(sent["trace"])
        began = asked["rounds"]
        return {
            "goodput_bps": self.size * 8 * self.rounds / (began[-1] - began[0]),
            **figures([answers[ends.flow] for answers in asked["took"]], "answer"),
            "rounds_began_s": began[:-1],
            "rounds_s": [end - start for start, end in zip(began, began[1:], strict=False)],
            "timeouts": sent["timeouts"],
            **sent_bytes(sent),
        }
