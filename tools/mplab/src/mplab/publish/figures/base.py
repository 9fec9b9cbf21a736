# SPDX-License-Identifier: MIT
"""What a figure is: a plan of runs, a drawing of their results, and a table of its numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean, median
from typing import TYPE_CHECKING, ClassVar, TypeVar

from ...lab.paths import Path
from ...research import designs
from ...research.spaces import as_paths
from ...run.experiment import TCP, Conditions, Result
from ...run.schedulers import Schedulers, UnknownName
from ...traffic import Bulk, metrics
from .. import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

T = TypeVar("T")
Outcome = Mapping[Conditions, Result]
QUANTILES = (5, 25, 50, 75, 95)
BOXES = (
    "Box: quartiles; line: median; whiskers: 5 and 95 %; diamond: mean; dots: beyond the whiskers,"
    f" or all values where there are fewer than {metrics.PERCENTILES_FROM}."
)


@dataclass(frozen=True)
class Setting:
    """How large, and with what the kernel has."""

    full: bool = False
    schedulers: Schedulers = Schedulers()
    congestions: tuple[str, ...] = ("cubic", "reno")
    seed: int = 1
    strict: bool = False  # a name that the kernel does not have is an error

    def pick(self, full: T, small: T) -> T:
        return full if self.full else small

    def having(self, *names: str) -> list[str]:
        """Those of the schedulers that the kernel has."""
        self._check(names, self.schedulers, str(self.schedulers))
        return self.schedulers.having(names)

    def controls(self, *names: str) -> list[str]:
        """Those of the congestion controls that the kernel has."""
        self._check(names, self.congestions, ", ".join(self.congestions))
        return [name for name in names if name in self.congestions]

    def _check(self, names: Sequence[str], there_are: Container[str], shown: str) -> None:
        unknown = [name for name in names if name not in there_are]
        if self.strict and unknown:
            raise UnknownName(
                f"a figure asks for '{unknown[0]}', which this kernel does not have; it has {shown}"
            )


@dataclass
class Table:
    """The numbers behind a figure, as text."""

    header: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def add(self, *cells: str | float) -> None:
        self.rows.append([c if isinstance(c, str) else f"{c:.2f}" for c in cells])


@dataclass(frozen=True)
class Figure(ABC):
    """name as on the command line; reports: what the thesis says of its own, in words, or nothing; caption:
    how to read the drawing."""

    caption: ClassVar[str] = ""
    name: str
    title: str
    reports: str

    @abstractmethod
    def plan(self, s: Setting) -> list[Conditions]:
        """All runs that it takes."""

    @abstractmethod
    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        """Draw those of the runs that there are."""


def points(environment: str, count: int, seed: int, paths: int = 2) -> list[tuple[Path, ...]]:
    """A space-filling design in one of the thesis' environments."""
    dimensions = designs.domains(environment, paths)
    return as_paths(designs.wsp(len(dimensions), count, seed), dimensions, paths)


def bulk(s: Setting) -> Bulk:
    """The transfer of a design's point: the thesis' 60 s, or a short one."""
    return Bulk(60, 0) if s.full else Bulk(10, 3)


def goodputs(results: Outcome, wanted: Sequence[Conditions]) -> list[float]:
    return [results[c].goodput for c in wanted if c in results]


def tcp_alone(path: Path, c: Conditions) -> Conditions:
    """Plain TCP over one path, all else as in another run."""
    return replace(c, paths=(path,), scheduler=TCP)


def boxes(axes: Axes, series: Mapping[str, Sequence[float]], label: str) -> None:
    """A box per series, as BOXES says; of few values each is a dot."""
    kept = {name: values for name, values in series.items() if values}
    mean_style = {"marker": "D", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": "black"}
    for at, (name, values) in enumerate(kept.items(), 1):
        shade = palette.colour(name)
        if len(values) < metrics.PERCENTILES_FROM:
            axes.plot([at] * len(values), values, "o", color=shade, markersize=4, alpha=0.7)
            axes.hlines(median(values), at - 0.28, at + 0.28, color="black", linewidth=1.2)
            axes.plot([at], [mean(values)], linestyle="", **mean_style)
            continue
        drawn = axes.boxplot(
            [values], positions=[at], whis=(5, 95), showmeans=True, meanprops=mean_style, sym=".",
            widths=0.55, patch_artist=True, medianprops={"color": "black"}, flierprops={"markersize": 3},
        )  # fmt: skip
        drawn["boxes"][0].set(facecolor=shade, alpha=0.6)
    axes.set_xticks(range(1, len(kept) + 1), list(kept), rotation=20, ha="right", fontsize=8)
    axes.set_ylabel(label)
    axes.grid(axis="y", alpha=0.3)


def benefit_axis(axes: Axes) -> None:
    axes.set_ylim(-1.05, 1.05)
    axes.axhline(0, color="black", linewidth=0.6)


def cdf(axes: Axes, series: Mapping[str, Sequence[float]], label: str) -> None:
    """Cumulative distribution of each series."""
    for name, values in series.items():
        if values:
            ordered = sorted(values)
            shares = [(i + 1) / len(ordered) for i in range(len(ordered))]
            axes.step(ordered, shares, where="post", label=name, **palette.line(name))
    axes.set(xlabel=label, ylabel="share", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    legend(axes)


def tail(axes: Axes, series: Mapping[str, Sequence[float]], label: str) -> None:
    """Share that is larger, on a logarithmic axis: one in a thousand shows as well as one in two."""
    least = 1.0
    for name, values in series.items():
        if values:
            ordered = sorted(values)
            larger = [(len(ordered) - i) / len(ordered) for i in range(len(ordered))]
            axes.step(ordered, larger, where="pre", label=name, **palette.line(name))
            least = min(least, larger[-1])
    axes.set(xlabel=label, ylabel="share that takes as long or longer", yscale="log", ylim=(least / 1.5, 1.2))
    axes.grid(alpha=0.3)
    legend(axes)


def bars(axes: Axes, series: Mapping[str, Sequence[float]]) -> None:
    """The median of each series, and a line from the least to the most."""
    for name, values in series.items():
        if values:
            mid = median(values)
            axes.bar([name], [mid], width=0.6, color=palette.colour(name))
            axes.errorbar([name], [mid], [[mid - min(values)], [max(values) - mid]], color="black", capsize=3)


def legend(axes: Axes) -> None:
    """Names of the curves, if there are any."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)


def quantiles(values: Sequence[float]) -> list[float | str]:
    """QUANTILES; of few values only the median, as any percentile would be an extreme by another name."""
    if len(values) >= metrics.PERCENTILES_FROM:
        return list(metrics.percentiles(values, QUANTILES))
    return [median(values) if q == 50 else "" for q in QUANTILES]


def add_quantiles(table: Table, name: str, values: Sequence[float]) -> None:
    """A row: name, count, least, percentiles, most, mean."""
    if values:
        table.add(name, str(len(values)), min(values), *quantiles(values), max(values), mean(values))


def quantile_table(first: str) -> Table:
    return Table([first, "runs", "least", *(f"p{q}" for q in QUANTILES), "most", "mean"])


def middle(values: Sequence[float]) -> float:
    """The median, or not a number where nothing was measured."""
    return median(values) if values else float("nan")
