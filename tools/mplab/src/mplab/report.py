# SPDX-License-Identifier: MIT
"""Results for people (a table) and for programs (JSON)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from .experiment import TCP, Result, benefit


def grouped(results: Sequence[Result]) -> dict[str, list[Result]]:
    """By scheduler, in the order of the first of each; plain TCP first."""
    groups: dict[str, list[Result]] = {}
    for result in sorted(results, key=lambda r: r.conditions.scheduler != TCP):
        groups.setdefault(result.conditions.scheduler, []).append(result)
    return groups


def goodput(results: Sequence[Result]) -> float:
    return median(r.goodput for r in results)


def label(scheduler: str) -> str:
    return "TCP on path 1" if scheduler == TCP else scheduler


def table(results: Sequence[Result]) -> Table:
    """Goodput per scheduler, against plain TCP and against what the paths offer."""
    groups = grouped(results)
    first = results[0].conditions
    capacities = [p.capacity for p in first.paths]
    view = Table(title=title(results), title_justify="left", caption_justify="left")
    view.caption = (
        "Goodput: what the server's program received. Benefit: 0 like the best path, "
        "1 the sum of all, -1 nothing."
    )
    view.add_column("scheduler")
    for name in ("goodput Mbit/s", "of TCP", "benefit"):
        view.add_column(name, justify="right")
    for i in range(1, len(first.paths) + 1):
        view.add_column(f"path {i}", justify="right")
    for scheduler, group in groups.items():
        rate = goodput(group)
        of_tcp = f"{rate / goodput(groups[TCP]):.2f}" if TCP in groups else "-"
        worth = "-" if scheduler == TCP else f"{benefit(rate, capacities):+.2f}"
        shares = [f"{share:.0%}" for share in group[0].shares]
        view.add_row(label(scheduler), f"{rate / 1e6:.2f}", of_tcp, worth, *shares)
    return view


def title(results: Sequence[Result]) -> str:
    c = results[0].conditions
    lines = [f"path {i}: {path}" for i, path in enumerate(c.paths, 1)]
    buffer = f"buffers {c.buffer / 1000:g} KB" if c.buffer else "autotuned buffers"
    lines.append(
        f"Linux {results[0].kernel}, {c.congestion}, {buffer}, "
        f"{c.duration:g} s after {c.warmup:g} s of warm-up"
    )
    return "\n".join(lines)


def as_json(result: Result) -> dict[str, object]:
    """Everything but iperf3's own report, with units in the names."""
    c = result.conditions
    capacities = [p.capacity for p in c.paths]
    return {
        "conditions": dataclasses.asdict(c),
        "kernel": result.kernel,
        "goodput_bps": result.goodput,
        "benefit": None if c.plain_tcp else benefit(result.goodput, capacities),
        "path_bytes": result.path_bytes,
        "over_time_s_bps": result.over_time,
        "mptcp_counters": result.counters,
    }


def write(results: Sequence[Result], directory: Path) -> list[Path]:
    """results.json, and iperf3's report of each run beside it."""
    summary = directory / "results.json"
    summary.write_text(json.dumps([as_json(r) for r in results], indent=1) + "\n")
    for r in results:
        name = f"iperf-{r.conditions.scheduler}-{r.conditions.repeat}.json"
        (directory / name).write_text(json.dumps(r.raw, indent=1) + "\n")
    return [summary]


def show(results: Sequence[Result]) -> None:
    console = Console()
    console.print(table(results))
