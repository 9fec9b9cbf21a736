# SPDX-License-Identifier: MIT
"""Do kernels differ by more than seeds do?

Two kernels never give equal bits: another path through the code draws other random numbers. What can
be asked is whether the results of several seeds are ranked otherwise than chance ranks them: the exact
two-sided test of Mann and Whitney (Annals of Mathematical Statistics 18, 1947), with ranks in common
where results are equal, and Holm's correction (Scandinavian Journal of Statistics 6, 1979), since who
looks at twenty figures finds one below 5 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from statistics import median

from rich.table import Table

from ..run.experiment import Result
from ..run.report import EXTRA, grouped

LEVEL = 0.05
FEWEST = 5  # seeds of each; if one kernel is always better, that is p = 0.008


@dataclass(frozen=True)
class Difference:
    """Of one figure between two kernels. p: how often chance does the same, corrected."""

    who: str
    figure: str
    first: float
    second: float
    p: float
    least: float = 0.0  # as it is if one is always better, corrected

    @property
    def is_real(self) -> bool:
        return self.p < LEVEL


def _ranks(values: Sequence[float]) -> list[int]:
    """Doubled, so that those in common are whole."""
    ordered = sorted(values)
    return [2 * ordered.index(v) + ordered.count(v) + 1 for v in values]


def chance(first: Sequence[float], second: Sequence[float]) -> float:
    """The part of all divisions of these values that are at least as uneven as this one."""
    ranks, n = _ranks([*first, *second]), len(first)
    sums: list[Counter[int]] = [Counter({0: 1}), *(Counter() for _ in range(n))]  # by how many are taken
    for rank in ranks:
        for taken in range(n, 0, -1):
            for total, count in sums[taken - 1].items():
                sums[taken][total + rank] += count
    middle = n * sum(ranks) / len(ranks)
    found = abs(sum(ranks[:n]) - middle)
    uneven = sum(count for total, count in sums[n].items() if abs(total - middle) >= found)
    return uneven / sums[n].total()


def corrected(found: Sequence[Difference]) -> list[Difference]:
    """By Holm: the least p times their number, the next times one less, and so on."""
    least, by_p = 0.0, {}
    for place, one in enumerate(sorted(found, key=lambda d: d.p)):
        least = max(least, min(1.0, one.p * (len(found) - place)))
        by_p[one] = replace(one, p=least)
    return [by_p[one] for one in found]


def _figures(group: Sequence[Result]) -> dict[str, list[float]]:
    """What the table shows of these runs, if all have it."""
    values = {"goodput Mbit/s": [r.goodput / 1e6 for r in group]}
    for heading, name, factor in EXTRA.get(group[0].conditions.workload.name, []):
        known = [factor * r.main[name] for r in group if r.main.get(name) is not None]
        if len(known) == len(group):
            values[heading] = known
    return values


def between(first: Sequence[Result], second: Sequence[Result]) -> list[Difference]:
    """Of two kernels, each scheduler and figure that both have often enough."""
    ours, theirs, found = grouped(first), grouped(second), []
    for who in (name for name in ours if name in theirs):
        one, other = _figures(ours[who]), _figures(theirs[who])
        for figure in (name for name in one if name in other):
            a, b = one[figure], other[figure]
            if min(len(a), len(b)) >= FEWEST:
                least = 2 / comb(len(a) + len(b), len(a))
                found.append(Difference(who, figure, median(a), median(b), chance(a, b), least))
    return [replace(one, least=one.least * len(found)) for one in corrected(found)]


def table(found: Sequence[Difference], first: str, second: str) -> Table:
    """Medians, how likely chance is, and what follows."""
    title = f"Do {first} and {second} differ by more than seeds do?"
    view = Table(title=title, title_justify="left", caption_justify="left")
    view.caption = f"Medians; p: exact Mann-Whitney test, Holm's correction; below {LEVEL:g} they differ."
    if min(one.least for one in found) >= LEVEL:
        view.caption += f"\nSo few runs show none of {len(found)} figures to differ: a larger --repeat can."
    for name in ("scheduler", "figure", first, second, "p", ""):
        view.add_column(name, justify="left" if name in ("scheduler", "figure", "") else "right")
    for one in found:
        said = "differ" if one.is_real else "as seeds do"
        view.add_row(one.who, one.figure, f"{one.first:.2f}", f"{one.second:.2f}", f"{one.p:.3f}", said)
    return view
