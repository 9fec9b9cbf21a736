# SPDX-License-Identifier: GPL-2.0
"""What the checks look at, and what comes out."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

from .capture import Segment
from .connection import Connection
from .mapping import MASK64, Mapped


@dataclass
class Case:
    """The connection as its two hosts saw it, and all segments of their captures."""

    client: Connection
    server: Connection
    raw: tuple[list[Segment], list[Segment]]
    args: argparse.Namespace

    def sent(self, up: bool) -> int:
        return self.args.up if up else self.args.down

    def host(self, is_client: bool) -> Connection:
        return self.client if is_client else self.server

    def directions(self, up: bool) -> list[Mapped]:
        """Of each subflow, as its sender captured it."""
        connection = self.host(up)
        return [Mapped(f, up, connection.idsn(up)) for f in connection.subflows]


@dataclass
class Outcome:
    """done: how many things were looked at; a check that saw none has failed."""

    done: str = ""
    seen: int = 0
    problems: list[str] = field(default_factory=list)

    def want(self, good: bool, problem: str) -> None:
        self.seen += 1
        if not good:
            self.problems.append(problem)


def side(up: bool) -> str:
    return "client" if up else "server"


def pattern(length: int) -> bytes:
    """What sched_sock sends."""
    return bytes(((o * 0x9E3779B97F4A7C15) & MASK64) >> 56 for o in range(length))
