# SPDX-License-Identifier: MIT
"""What a comparison over many networks says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from textwrap import fill

from rich.table import Table

from ..run import baseline
from ..run.experiment import Result
from ..run.report import console, who
from ..traffic import metrics
from . import plot
from .figures.base import BOXES, QUANTILES, benefit_axis, boxes, quantiles


def report(results: Sequence[Result], image: FilePath) -> None:
    """Quantiles and boxes of the benefit, and kernels against each other point by point."""
    series: dict[str, list[Result]] = {}
    kernels = {r.conditions.kernel for r in results}
    controls = {r.conditions.congestion for r in results}
    for r in results:
        c = r.conditions
        parts = [who(c), *([c.congestion] if len(controls) > 1 else [])]
        series.setdefault(", ".join(parts + ([c.kernel] if len(kernels) > 1 else [])), []).append(r)
    known = baseline.by_conditions(results)
    view = Table(title="Aggregation benefit over the design", title_justify="left")
    for heading in ("", "runs", "goodput Mbit/s", *(f"p{q}" for q in QUANTILES), "worst"):
        view.add_column(heading, justify="right" if heading else "left")
    for name, group in series.items():
        benefits = benefits_of(group, known)
        mean = sum(r.goodput for r in group) / len(group) / 1e6
        cells = [*quantiles(benefits), min(benefits)] if benefits else []
        shown = [cell if isinstance(cell, str) else f"{cell:+.2f}" for cell in cells]
        of = f"{len(benefits)} of {len(group)}" if 0 < len(benefits) < len(group) else str(len(group))
        view.add_row(name, of, f"{mean:.2f}", *shown)
    console().print(view)
    if len(kernels) > 1:
        _pair(results)
    plot.attempt("drawing", lambda: _draw({n: benefits_of(g, known) for n, g in series.items()}, image))


def _draw(series: Mapping[str, Sequence[float]], image: FilePath) -> None:
    drawing = plot.canvas()
    axes = drawing.subplots()
    boxes(axes, series, "aggregation benefit")
    benefit_axis(axes)
    drawing.supxlabel(fill(BOXES, 150), fontsize=6.5, x=0.01, ha="left")
    plot.save(drawing, image)


def benefits_of(group: Sequence[Result], known: baseline.Known) -> list[float]:
    """Where there is one."""
    return [worth for r in group if (worth := baseline.benefit(r, known)) is not None]


def _pair(results: Sequence[Result]) -> None:
    """The same points on two kernels: how the goodput of the first relates to the second's."""
    by_kernel: dict[str, dict[object, Result]] = {}
    for r in results:
        c = r.conditions
        by_kernel.setdefault(c.kernel, {})[replace(c, kernel="")] = r
    (one, firsts), *others = by_kernel.items()
    for other, seconds in others:
        ratios: dict[str, list[float]] = {}
        for same, first in firsts.items():
            if same in seconds and seconds[same].goodput:
                ratios.setdefault(first.conditions.scheduler, []).append(
                    first.goodput / seconds[same].goodput
                )
        for name, values in ratios.items():
            low, mid, high = metrics.percentiles(values, (5, 50, 95))
            said = f"{name}: goodput on {one} relative to {other}, {len(values)} pairs: median {mid:.3f}"
            if len(values) >= metrics.PERCENTILES_FROM:
                said += f", 5 to 95 %: {low:.3f} to {high:.3f}"
            print(said)
