# SPDX-License-Identifier: MIT
"""The scoreboard as one picture: a row per scenario, a dot per contestant, left of 1 is a loss."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..publish import palette
from .board import Board
from .plan import Contestant
from .score import BEHIND, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

INK, FAINT, LOSS = "#333333", "#dddddd", "#f6dcd9"
MARKS = "osD^vP*"  # also told apart in black and white
WIDEST = 8.0  # ratios beyond are drawn at the edge, with their number
Ratio = Callable[[Score], float | None]


def _order(board: Board) -> list[tuple[str, dict[Contestant, Score]]]:
    """Groups as in the suite; in each, the scenarios by the last contestant's ratio, best first."""
    rows = list(board.rows().items())
    groups = list(dict.fromkeys(_group(row) for _, row in rows))
    last = board.contestants[-1]
    return sorted(rows, key=lambda item: (groups.index(_group(item[1])), -(item[1][last].to_tcp or 0)))


def _group(row: dict[Contestant, Score]) -> str:
    return next(iter(row.values())).entry.scenario.group


def _places(rows: list[tuple[str, dict[Contestant, Score]]]) -> list[float]:
    """From the top, with a gap between groups."""
    places, y, before = [], 0.0, None
    for _, row in rows:
        y += 1.0 if _group(row) == before else 2.0
        before = _group(row)
        places.append(y)
    return places


def _inside(ratio: float) -> float:
    return min(max(ratio, 1 / WIDEST), WIDEST)


def _dots(axes: Axes, board: Board, rows: list[tuple[str, dict[Contestant, Score]]], ratio: Ratio) -> None:
    places, count = _places(rows), len(board.contestants)
    for n, who in enumerate(board.contestants):
        aside = (n - (count - 1) / 2) * 0.5 / count
        style = {"color": palette.colour(board.label(who)), "zorder": 3}
        points = [(y + aside, row[who]) for y, (_, row) in zip(places, rows, strict=True)]
        dots = [(y, r) for y, score in points if (r := ratio(score)) is not None]
        at, ys, mark = [_inside(r) for _, r in dots], [y for y, _ in dots], MARKS[n % len(MARKS)]
        axes.plot(at, ys, mark, markersize=5.5, linestyle="", label=board.label(who), **style)
        for y, r in dots:
            if r != _inside(r):
                aside_by = (7 + 18 * n) * (1 if r < 1 else -1)  # inwards, beside each other
                where = {"xytext": (aside_by, 0), "textcoords": "offset points", "va": "center"}
                where["ha"] = "left" if r < 1 else "right"
                axes.annotate(f"{r:.2g}", (_inside(r), y), fontsize=6, color=style["color"], **where)
        for y, score in points:
            if ratio is _to_tcp and score.spread:
                axes.plot([_inside(r) for r in score.spread], [y, y], linewidth=1.4, **style)


def _to_tcp(score: Score) -> float | None:
    return score.to_tcp


def _to_default(score: Score) -> float | None:
    return None if score.entry.runs == score.entry.reference else score.to_default


def _limits(ratios: list[float]) -> tuple[float, float]:
    """With some room beside the outermost, and beside 1."""
    inside = list(map(_inside, ratios))
    return min([0.83, *(r / 1.1 for r in inside)]), max([1.2, *(r * 1.1 for r in inside)])


def _frame(axes: Axes, board: Board, title: str, ratio: Ratio) -> None:
    low, high = _limits([r for score in board.scores if (r := ratio(score))])
    axes.set_xscale("log", base=2)
    axes.set_xlim(low, high)
    axes.axvspan(low, BEHIND, color=LOSS, linewidth=0, zorder=0)
    axes.axvline(1, color=INK, linewidth=0.9, zorder=2)
    ticks = [t for t in (1 / 8, 1 / 4, 1 / 2, 0.8, 1, 1.25, 2, 4, 8) if low <= t <= high]
    if high / low > 6:
        ticks = [t for t in ticks if t not in (0.8, 1.25)]
    axes.set_xticks(ticks, [f"{t:.3g}" for t in ticks], fontsize=7)
    axes.minorticks_off()
    axes.set_title(title, fontsize=9, loc="left")
    axes.grid(axis="x", color=FAINT, linewidth=0.6, zorder=1)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def draw(board: Board, caption: str) -> Canvas:
    """Left against TCP, right against the default scheduler."""
    from ..publish import plot

    rows = _order(board)
    places = _places(rows)
    height = 0.3 + 0.19 * places[-1]
    drawing = plot.canvas(9.0, 1.0 + height)
    panels = drawing.subplot_mosaic(
        [["key", "key"], ["tcp", "default"]], height_ratios=(0.25, height), width_ratios=(3, 2)
    )
    for panel, title, ratio in (
        ("tcp", "relative to the best single-path TCP", _to_tcp),
        ("default", "relative to Linux's scheduler, default", _to_default),
    ):
        axes = panels[panel]
        _frame(axes, board, title, ratio)
        _dots(axes, board, rows, ratio)
        axes.set_ylim(places[-1] + 1, 0.4)
        for y in places:
            axes.axhline(y, color=FAINT, linewidth=0.5, zorder=1)
    left = panels["tcp"]
    left.set_yticks(places, [name for name, _ in rows], fontsize=7)
    panels["default"].set_yticks([])
    _name_groups(left, rows, places)
    handles, labels = left.get_legend_handles_labels()
    panels["key"].legend(handles, labels, loc="center left", ncols=4, fontsize=8, frameon=False)
    panels["key"].set_axis_off()
    drawing.supxlabel(textwrap.fill(caption, 150), fontsize=7, color=INK, x=0.01, ha="left")
    return drawing


def _name_groups(axes: Axes, rows: list[tuple[str, dict[Contestant, Score]]], places: list[float]) -> None:
    before = None
    for y, (_, row) in zip(places, rows, strict=True):
        if _group(row) != before:
            before = _group(row)
            axes.annotate(
                before, (0, y - 0.9), (-4, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                ha="right", va="center", fontsize=7.5, fontweight="bold", annotation_clip=False,
            )  # fmt: skip


def save(board: Board, caption: str, paths: Sequence[Path]) -> None:
    """In the format that each file's name asks for; an older call's are gone if it fails."""
    import matplotlib.pyplot as plt

    for path in paths:
        path.unlink(missing_ok=True)
    drawing = draw(board, caption)
    for path in paths:
        drawing.savefig(path, dpi=150)
    plt.close(drawing)
