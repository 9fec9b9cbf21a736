# SPDX-License-Identifier: MIT
"""Drawings as files, and the one of a comparison: goodput or delays, and who carried how much."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..run.experiment import Result
from ..run.report import goodput, grouped, title
from ..traffic.metrics import by_second
from . import palette
from .figures.base import tail

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def canvas(width: float = 9.0, height: float = 4.2) -> Canvas:
    """A drawing that needs no display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


WIDE = 20  # times the least delay: then on a logarithmic axis
DPI = 160  # of a PNG; an SVG lies beside it


def save(drawing: Canvas, path: Path) -> None:
    """As PNG under this name and as SVG beside it; the same drawing gives the same files."""
    import matplotlib.pyplot as plt

    drawing.savefig(path, dpi=DPI)
    with plt.rc_context({"svg.hashsalt": path.stem}):
        drawing.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    plt.close(drawing)


def attempt(what: str, drawn: Callable[[], None]) -> None:
    """Draw. What was measured is on disk and in the table: a drawing that fails is no more than a warning."""
    try:
        drawn()
    except Exception as error:  # noqa: BLE001 (whatever matplotlib has)
        print(f"mplab: warning: no {what}: {type(error).__name__}: {error}", file=sys.stderr)


def draw(results: Sequence[Result], path: Path) -> None:
    """One comparison: goodput over time or delays, and goodput by path."""
    drawing = canvas(10)
    left, right = drawing.subplots(1, 2, width_ratios=(3, 2))
    groups = grouped(results)
    if "delays_s" in results[0].main:
        delays = {n: [1e3 * d for r in g for d in r.main["delays_s"]] for n, g in groups.items()}
        tail(left, delays, "delay [ms]")
        all_delays = [d for values in delays.values() for d in values]
        if max(all_delays) > WIDE * min(all_delays) > 0:
            left.set_xscale("log")
    else:
        _over_time(left, groups)
    _by_path(right, groups)
    drawing.suptitle(title(results), fontsize="small", x=0.01, ha="left")
    save(drawing, path)


def _over_time(axes: Axes, groups: dict[str, list[Result]]) -> None:
    """Of the first seed. Dotted: the payload rate."""
    for name, group in groups.items():
        samples = group[0].main.get("over_time_s_bps")
        if samples:
            time, rate = zip(*by_second(samples), strict=True)
            axes.plot(time, [r / 1e6 for r in rate], label=name, **palette.line(name))
    first = next(iter(groups.values()))[0].conditions
    capacities = [p.capacity / 1e6 for p in first.paths]
    for level, what in {sum(capacities): "all paths", max(capacities): "best path"}.items():
        axes.axhline(level, color="grey", linewidth=0.7, linestyle=":")
        note = {"xytext": (-2, 2), "textcoords": "offset points", "ha": "right", "color": "grey"}
        axes.annotate(what, (1, level), xycoords=axes.get_yaxis_transform(), fontsize=6.5, **note)
    warmup = getattr(first.workload, "warmup", 0)
    if warmup:
        axes.axvspan(0, warmup, color="black", alpha=0.07)
        axes.text(warmup / 2, 0, "warm-up", ha="center", va="bottom", fontsize=6.5, color="grey")
    axes.set(xlabel="time [s]", ylabel="goodput [Mbit/s]", xlim=(0, None))
    columns = _columns(groups)
    axes.set_ylim(bottom=0, top=(1.15 + 0.1 * -(-len(groups) // columns)) * axes.get_ylim()[1])
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small", loc="upper center", ncols=columns)
    axes.grid(alpha=0.3)


def _columns(names: Iterable[str]) -> int:
    """Of a legend over the larger drawing."""
    return max(1, min(5, 75 // (max(map(len, names)) + 7)))


def _by_path(axes: Axes, groups: dict[str, list[Result]]) -> None:
    names, base = list(groups), [0.0] * len(groups)
    paths = len(next(iter(groups.values()))[0].path_bytes)
    for i in range(paths):
        part = [goodput(g) / 1e6 * g[0].shares[i] for g in groups.values()]
        colour = palette.path(i + 1)
        axes.bar(names, part, bottom=base, label=f"path {i + 1}", width=0.6, color=colour, edgecolor="grey")
        base = [b + p for b, p in zip(base, part, strict=True)]
    for name, group in groups.items():
        if len(group) > 1:
            rates, mid = [r.goodput / 1e6 for r in group], goodput(group) / 1e6
            axes.errorbar([name], [mid], [[mid - min(rates)], [max(rates) - mid]], color="black", capsize=3)
    for name, top in zip(names, base, strict=True):
        axes.annotate(f"{top:.2f}", (name, top), ha="center", va="bottom", fontsize="small")
    axes.set(ylabel="goodput by path [Mbit/s]")
    axes.set_ylim(top=1.25 * max(base) or 1)
    if sum(map(len, names)) > 36:
        axes.set_xticks(range(len(names)), names, rotation=20, ha="right", fontsize=8)
    axes.legend(fontsize="small", loc="upper center", ncols=paths)
