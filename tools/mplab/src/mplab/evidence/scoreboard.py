# SPDX-License-Identifier: MIT
"""The scoreboard as a table, a row per scenario: scoreboard.csv, of bench.json and, where a paper's scheduler
does best, rivals.json."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from .plan import DIRECTORY, Measured

FILE = "scoreboard.csv"
BEST = "best TCP"
OF = " to TCP"


def _ratios(of: dict[str, float | str]) -> dict[str, float]:
    """By scheduler."""
    return {name.removesuffix(OF): float(value) for name, value in of.items() if name.endswith(OF)}


def _rows(bench: Measured, rivals: Measured) -> Iterator[list[str]]:
    ours: list[str] = []
    for scenario in bench.having([BEST]):
        of = dict(bench.values[scenario])
        ratios, others = _ratios(of), _ratios(dict(rivals.values.get(scenario, {})))
        if not ours:
            ours = list(ratios)
            yield ["scenario", BEST, *(f"{name} of TCP" for name in ours), "best rival", "best rival of TCP"]
        best = max((name for name in others if name not in ours), key=others.__getitem__, default="")
        rival = f"{others[best]:.2f}" if best else ""
        yield [
            scenario,
            str(of[BEST]),
            *(f"{ratios[name]:.2f}" if name in ratios else "" for name in ours),
            best,
            rival,
        ]


def text(load: Callable[[str], Measured]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(_rows(load("bench"), load("rivals")))
    return out.getvalue()


def write(load: Callable[[str], Measured], directory: Path = DIRECTORY) -> bool:
    """False: it is so already."""
    file, now = directory / FILE, text(load)
    if file.exists() and file.read_text() == now:
        return False
    file.write_text(now)
    return True
