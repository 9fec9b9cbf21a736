# SPDX-License-Identifier: MIT
"""The scoreboard as a page for a browser: a click on a scenario, or on a cell, shows its time series.

They come from runs of their own, with samples (watch/), so that the scoreboard's do not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..publish import browse
from ..run import report
from ..run.experiment import Conditions, Result
from .board import Board, amount, to_tcp
from .plan import Contestant
from .score import Score

PAGE = Path(__file__).with_name("page.html")
MOST = 400  # points of a line: a page has hundreds of runs


def _of_tcp(score: Score) -> Conditions | None:
    """Of TCP on the path where it does best, the run with the first seed."""
    return next((runs[0] for path, runs in score.entry.alone if path == score.tcp_path), None)


def wanted(board: Board) -> list[Conditions]:
    """The runs behind the cells, each once."""
    found: dict[Conditions, None] = {}
    for score in board.scores:
        found |= dict.fromkeys(c for c in (_of_tcp(score), score.entry.runs[0]) if c)
    return list(found)


class _Runs:
    """The runs on the page, by number."""

    def __init__(self, results: Mapping[Conditions, Result]) -> None:
        self._results, self._numbers = results, dict[Conditions, int]()
        self.data: list[dict[str, Any]] = []

    def number(self, c: Conditions | None, score: Score, who: str) -> int | None:
        """None if it failed, or if there is none to show."""
        if c is None or c not in self._results:
            return None
        if c not in self._numbers:
            self._numbers[c] = len(self.data)
            entry = score.entry
            self.data.append(
                {
                    "who": f"{entry.name}, {who}",
                    "about": f"{entry.name}: {entry.scenario.why}\n{report.title([self._results[c]])}",
                    "charts": browse.charts(self._results[c], MOST),
                }
            )
        return self._numbers[c]


def _cells(board: Board, row: Mapping[Contestant, Score], runs: _Runs) -> list[dict[str, Any]]:
    """TCP's first, then the contestants'."""
    first = next(iter(row.values()))
    tcp, text = _of_tcp(first), amount(first.tcp, first.entry.scenario.measure)
    cells = [{"text": text, "ratio": None, "run": runs.number(tcp, first, report.who(tcp) if tcp else "")}]
    for who in board.contestants:
        score = row[who]
        run = runs.number(score.entry.runs[0], score, board.label(who))
        cells.append({"text": to_tcp(score), "ratio": score.to_tcp, "run": run})
    return cells


def write(path: Path, board: Board, results: Mapping[Conditions, Result], about: str) -> None:
    """results: of wanted(), those that could be had."""
    runs = _Runs(results)
    rows = [
        {
            "name": name,
            "group": (scenario := next(iter(row.values())).entry.scenario).group,
            "why": scenario.why,
            "cells": _cells(board, row, runs),
        }
        for name, row in board.rows().items()
    ]
    head = ["scenario", "best TCP", *(f"{board.label(who)}, of TCP" for who in board.contestants)]
    data = {"head": head, "rows": rows, "runs": runs.data}
    path.write_text(browse.page(PAGE, "mplab bench", about, data))
