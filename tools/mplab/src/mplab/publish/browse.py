# SPDX-License-Identifier: MIT
"""One page for a browser: a row per run, and a click on it shows its course over time.

The page is one file, browse.html with the data in it. It asks no other machine for anything. What draws the
charts (charts.js) serves other pages, too.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from ..run import baseline, report
from ..run.experiment import Result
from ..watch.samples import line_name

PAGE = Path(__file__).with_name("browse.html")
MOST = 1500  # points of a line; of more, the largest of each so many stays
Points = Sequence[tuple[float, float]]
COURSES = {  # of a flow's figures: title, label of x, factor
    "over_time_s_bps": ("received, Mbit/s", "s", 1e-6),
    "received_over_time_s_bps": ("received on each path, Mbit/s", "s", 1e-6),
    "queue_over_time_s_bytes": ("queue of each path, KB", "s", 1e-3),
    "out_of_order_over_time_s_bytes": ("out of order at the receiver, KB", "s", 1e-3),
    "sent_over_time_s_bps": ("sent on each path, Mbit/s", "s", 1e-6),
    "cwnd_over_time": ("congestion windows, segments", "s", 1.0),
    "delays_s": ("delay of each block, ms", "block", 1e3),
    "completions_s": ("time of each transfer, ms", "transfer", 1e3),
    "answers_s": ("time of each answer, ms", "request", 1e3),
    "loads_s": ("time of each page, ms", "page", 1e3),
    "rounds_s": ("time of each round, ms", "round", 1e3),
}


def thinned(points: Points, most: int = MOST) -> Points:
    """No more than so many, without losing the peaks."""
    step = -(-len(points) // most)
    if step <= 1:
        return points
    return [max(points[i : i + step], key=lambda p: p[1]) for i in range(0, len(points), step)]


def _order(line: str) -> tuple[bool, int, str]:
    """Paths by their numbers, then what is none."""
    return not line.isdigit(), len(line), line


def _lines(found: Any) -> Iterator[tuple[str, Points]]:
    """Of a list of points or of values, or of such for each path: name and points."""
    if isinstance(found, Mapping):
        for route, points in sorted(found.items(), key=lambda line: _order(line[0])):
            yield line_name(route), points
    elif found and isinstance(found[0], int | float):
        yield "", list(enumerate(found, 1))
    else:
        yield "", found


def charts(result: Result, most: int = MOST) -> list[dict[str, Any]]:
    """What the main flow measured over time. most: points of a line."""
    drawn = []
    for key, (title, x, factor) in COURSES.items():
        if found := result.main.get(key):
            lines = [
                {"name": name, "points": [(a, round(factor * b, 4)) for a, b in thinned(points, most)]}
                for name, points in _lines(found)
            ]
            drawn.append({"title": title, "x": x, "lines": lines})
    return drawn


def _cells(result: Result, known: baseline.Known) -> list[str]:
    c = result.conditions
    benefit = None if c.plain_tcp else baseline.benefit(result, known)
    extra = [
        "" if (value := result.main.get(figure)) is None else f"{factor * value:.2f}"
        for _, figure, factor in report.EXTRA.get(c.workload.name, [])
    ]
    worth = "" if benefit is None else f"{benefit:+.2f}"
    return [report.who(c), c.congestion, c.kernel, str(c.seed), f"{result.goodput / 1e6:.2f}", worth, *extra]


def page(template: Path, title: str, about: str, data: Mapping[str, Any]) -> str:
    """A template with its data, and the charts' program and style, in it."""
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return Template(template.read_text()).substitute(
        title=html.escape(title), about=html.escape(about), data=text,
        charts=PAGE.with_name("charts.js").read_text(), style=PAGE.with_name("charts.css").read_text(),
    )  # fmt: skip


def write(path: Path, results: Sequence[Result]) -> None:
    """results: of one call of "mplab run", at least one."""
    known = baseline.by_conditions(results)
    extra = [heading for heading, *_ in report.EXTRA.get(results[0].conditions.workload.name, [])]
    data = {
        "head": ["scheduler", "congestion control", "kernel", "seed", "goodput Mbit/s", "benefit", *extra],
        "runs": [
            {"who": report.who(r.conditions), "cells": _cells(r, known), "charts": charts(r)} for r in results
        ],
    }
    path.write_text(page(PAGE, "mplab run", report.title(results), data))
