# SPDX-License-Identifier: MIT
"""What one plain TCP flow gets in our place: the baseline of whatever is not told by the paths' rates.

The same network with the same traffic of others, and one TCP flow over one of the paths where our
connection was. The best of them is what a user without MPTCP would have. What the others on a path
get beside that flow is what they may expect beside ours (RFC 6356, goal 2: over any of its paths a
multipath flow takes no more than one flow over that path would).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from ..traffic import metrics
from .experiment import TCP, Conditions, Result

Known = Mapping[Conditions, Result]


def by_conditions(results: Iterable[Result]) -> Known:
    return {r.conditions: r for r in results}


def in_our_place(c: Conditions, path: int) -> Conditions:
    """One TCP flow over a path, counted from 1; all else the same."""
    return replace(c, scheduler=TCP, tcp_path=path)


def on_each(c: Conditions) -> list[Conditions]:
    """The runs of which the best is the baseline."""
    return [in_our_place(c, path) for path in range(1, len(c.paths) + 1)]


def measured(c: Conditions, known: Known) -> dict[int, Result]:
    """Those of them that are known, by path."""
    return {wanted.tcp_path: known[wanted] for wanted in on_each(c) if wanted in known}


def best(results: Sequence[Result]) -> Result:
    """The one that its workload judges best."""
    name, less = results[0].conditions.workload.judged

    def worth(result: Result) -> float:
        value = result.goodput if name == "goodput_bps" else result.main[name]
        return float("-inf") if value is None else -value if less else value

    return max(results, key=worth)


def benefit(result: Result, known: Known) -> float | None:
    """Aggregation benefit against the paths' rates or, where these do not tell, against what TCP got
    on each path; None for a workload that has a rate of its own, or if TCP was not measured."""
    c = result.conditions
    if c.topology != "disjoint" or c.workload.paced:
        return None
    if result.benefit is not None:
        return result.benefit
    alone = measured(c, known)
    if len(alone) < len(c.paths):
        return None
    return metrics.benefit(result.goodput, [r.goodput for r in alone.values()])


def _others(result: Result) -> list[tuple[tuple[int, int], dict[str, Any]]]:
    """What each flow of others got that met ours, with its kind (counted from 0) and path."""
    c = result.conditions
    flows = zip(c.neighbours, result.flows[c.main_flows :], strict=False)
    met = {c.tcp_path} if c.plain_tcp else set(range(1, len(c.paths) + 1))
    return [((kind, path), flow) for (kind, _, path), flow in flows if path in met]


def _mean(flows: Iterable[dict[str, Any]], figure: str) -> float | None:
    """Of those that have the figure."""
    values = [flow[figure] for flow in flows if flow.get(figure) is not None]
    return fmean(values) if values else None


def got(result: Result) -> list[dict[str, float | None]]:
    """Per kind of others, what one of its flows got: the mean over paths and flows."""
    flows = _others(result)
    return [
        {name: _mean((f for (n, _), f in flows if n == number), name) for name in each.judged}
        for number, each in enumerate(result.conditions.others)
    ]


@dataclass(frozen=True)
class Harm:
    """What a kind of others (counted from 0) loses on a path, in one of its figures; as a share."""

    kind: int
    path: int
    figure: str
    share: float


def harm(result: Result, known: Known) -> list[Harm]:
    """Against one TCP flow in our place on the same path, where that was measured."""
    c = result.conditions
    found: list[Harm] = []
    if c.plain_tcp:
        return found
    for path, other in measured(c, known).items():
        for number, each in enumerate(c.others):
            for figure, less in each.judged.items():
                ours, theirs = (
                    _mean((f for group, f in _others(r) if group == (number, path)), figure)
                    for r in (result, other)
                )
                if ours is not None and theirs is not None:
                    found.append(Harm(number, path, figure, metrics.harm(theirs, ours, less)))
    return found


def worst_harm(result: Result, known: Known, kind: int, figure: str) -> float | None:
    """Of all paths; None: not measured."""
    shares = [h.share for h in harm(result, known) if (h.kind, h.figure) == (kind, figure)]
    return max(shares, default=None)
