# SPDX-License-Identifier: MIT
"""The figure of one comparison: goodput or delays, and who carried how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .experiment import Result
from .figures.base import cdf
from .metrics import by_second
from .report import goodput, grouped, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def canvas(width: float = 9.0, height: float = 4.2) -> Canvas:
    """A drawing that needs no display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def save(drawing: Canvas, path: Path) -> None:
    import matplotlib.pyplot as plt

    drawing.savefig(path, dpi=80)
    plt.close(drawing)


def draw(results: Sequence[Result], path: Path) -> None:
    """Write a PNG or, by its name, an SVG."""
    drawing = canvas(10)
    left, right = drawing.subplots(1, 2, width_ratios=(3, 2))
    groups = grouped(results)
    if "delays_s" in results[0].main:
        cdf(
            left,
            {n: [1e3 * d for r in g for d in r.main["delays_s"]] for n, g in groups.items()},
            "delay [ms]",
        )
    else:
        _over_time(left, groups)
    _by_path(right, groups)
    drawing.suptitle(title(results), fontsize="small", x=0.01, ha="left")
    save(drawing, path)


def _over_time(axes: Axes, groups: dict[str, list[Result]]) -> None:
    for name, group in groups.items():
        samples = group[0].main.get("over_time_s_bps")
        if samples:
            time, rate = zip(*by_second(samples), strict=True)
            style = "--" if group[0].conditions.plain_tcp else "-"
            axes.plot(time, [r / 1e6 for r in rate], style, label=name, linewidth=1.3)
    axes.set(xlabel="time [s]", ylabel="goodput [Mbit/s]")
    columns = _columns(groups)
    axes.set_ylim(bottom=0, top=(1.15 + 0.1 * -(-len(groups) // columns)) * axes.get_ylim()[1])
    if axes.lines:
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
        axes.bar(names, part, bottom=base, label=f"path {i + 1}", width=0.6)
        base = [b + p for b, p in zip(base, part, strict=True)]
    for name, top in zip(names, base, strict=True):
        axes.annotate(f"{top:.2f}", (name, top), ha="center", va="bottom", fontsize="small")
    axes.set(ylabel="goodput by path [Mbit/s]")
    axes.set_ylim(top=1.25 * max(base) or 1)
    if sum(map(len, names)) > 36:
        axes.set_xticks(range(len(names)), names, rotation=20, ha="right", fontsize=8)
    axes.legend(fontsize="small", loc="upper center", ncols=paths)
