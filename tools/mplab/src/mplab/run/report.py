# SPDX-License-Identifier: MIT
"""Results of one comparison as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from textwrap import shorten

from rich.console import Console
from rich.table import Table

from ..lab.network import BOTH, DOWN
from ..traffic import Workload
from ..words import settings
from . import baseline
from .experiment import TCP, Conditions, Result

LONGEST = 200  # characters of a path in a title; its events may be hundreds
EXTRA = {  # per workload: heading, figure, factor
    "blocks": [
        ("p50 ms", "delay_p50_s", 1e3),
        ("p99 ms", "delay_p99_s", 1e3),
        ("worst ms", "delay_max_s", 1e3),
    ],
    "writes": [("p50 ms", "delay_p50_s", 1e3), ("p99 ms", "delay_p99_s", 1e3)],
    "order": [("late", "late_ratio", 1), ("hold 99 %", "hold_p99_packets", 1)],
    "rpc": [("p50 ms", "delay_p50_s", 1e3), ("p99 ms", "delay_p99_s", 1e3), ("worst ms", "delay_max_s", 1e3)],
    "transfer": [("median s", "completion_median_s", 1), ("worst s", "completion_max_s", 1)],
    "bursts": [("median ms", "completion_median_s", 1e3), ("worst ms", "completion_max_s", 1e3)],
    "tls": [("median s", "completion_median_s", 1), ("worst s", "completion_max_s", 1)],
    "page": [("median s", "load_median_s", 1), ("worst s", "load_max_s", 1)],
    "video": [
        ("start s", "startup_delay_s", 1),
        ("stalls", "rebuffering_count", 1),
        ("stalled s", "rebuffering_s", 1),
    ],
    "ranges": [("start s", "least_startup_s", 1), ("buffer KB", "least_buffer_bytes", 1e-3)],
    "davvi": [
        ("quality Mbit/s", "quality_mean_bps", 1e-6),
        ("best %", "quality_4_share", 100),
        ("stalled s", "rebuffering_s", 1),
    ],
    "request": [("median s", "answer_median_s", 1), ("worst s", "answer_max_s", 1)],
    "http": [("requests/s", "requests_per_second", 1), ("p99 s", "answer_p99_s", 1)],
}


def who(c: Conditions) -> str:
    """Who it was: a scheduler, or TCP and where."""
    place = "all paths" if c.topology == "interfaces" else f"path {c.tcp_path}"
    return f"TCP on {place}" if c.plain_tcp else c.scheduler


def grouped(results: Sequence[Result]) -> dict[str, list[Result]]:
    """By scheduler and, if there are several, congestion control and kernel; plain TCP first."""
    controls = len({r.conditions.congestion for r in results}) > 1
    kernels = len({r.conditions.kernel for r in results}) > 1
    groups: dict[str, list[Result]] = {}
    for result in sorted(results, key=lambda r: r.conditions.scheduler != TCP):
        c = result.conditions
        parts = [who(c), *([c.congestion] if controls else []), *([c.kernel] if kernels else [])]
        groups.setdefault(", ".join(parts), []).append(result)
    return groups


def goodput(results: Sequence[Result]) -> float:
    return median([r.goodput for r in results] or [0.0])


def table(results: Sequence[Result]) -> Table:
    """Goodput per scheduler, against plain TCP and against what the paths offer."""
    groups, known = grouped(results), baseline.by_conditions(results)
    first = results[0].conditions
    view = Table(title=title(results), title_justify="left", caption_justify="left")
    view.caption = (
        "Goodput: what the receiving program got. Benefit: 0 like the best path, "
        "1 the sum of all, -1 nothing."
    )
    view.add_column("scheduler", no_wrap=True, min_width=max(map(len, groups)))
    several = max(map(len, groups.values())) > 1
    if several:
        view.caption += r" Median of the runs \[least..most]."
        view.add_column("runs", justify="right")
    extra = EXTRA.get(first.workload.name, [])
    for name in ("goodput Mbit/s", "of TCP", "benefit", *(heading for heading, *_ in extra)):
        view.add_column(name, justify="right")
    for i in range(1, len(first.paths) + 1):
        view.add_column(f"path {i}", justify="right")
    tcp = best_tcp(groups.values())
    view.caption += "".join(f" {why}" for why in _empty(results, bool(tcp), known))
    for name, group in groups.items():
        rate, c = goodput(group), group[0].conditions
        alone = goodput(tcp[peer(group[0])]) if peer(group[0]) in tcp else 0
        of_tcp = f"{rate / alone:.2f}" if alone else "-"
        worth = "-" if c.plain_tcp else spread([baseline.benefit(r, known) for r in group], "+.2f")
        more = [spread([r.main.get(figure) for r in group], factor=factor) for _, figure, factor in extra]
        shares = [f"{median(values):.0%}" for values in zip(*(r.shares for r in group), strict=True)]
        count = [str(len(group))] if several else []
        rates = spread([r.goodput for r in group], factor=1e-6)
        view.add_row(name, *count, rates, of_tcp, worth, *more, *shares)
    return view


def _empty(results: Sequence[Result], has_tcp: bool, known: baseline.Known) -> Iterator[str]:
    """Why a column has dashes only."""
    if not has_tcp:
        yield "Of TCP: none ran here, or all failed (--no-tcp)."
    ours = [r for r in results if not r.conditions.plain_tcp]
    if ours and all(baseline.benefit(r, known) is None for r in ours):
        c = results[0].conditions
        if c.topology != "disjoint":
            yield "No benefit: paths are shared."
        elif c.workload.paced:
            yield "No benefit: this traffic has a rate of its own."
        else:
            yield "No benefit: what such paths offer is what TCP gets on each, which did not run (--tcp-on)."


def spread(values: Sequence[float | None], form: str = ".2f", factor: float = 1) -> str:
    """The median and, of several, from the least to the most; a dash if there are runs without a value."""
    known = [factor * v for v in values if v is not None]
    if not known or len(known) < len(values):
        return "-"
    text = format(median(known), form)
    return text if len(known) == 1 else f"{text} [{min(known):{form}}..{max(known):{form}}]"


GOT = {"goodput_bps": ("Mbit/s", 1e-6), "completion_mean_s": ("mean s", 1), "delay_p95_s": ("p95 ms", 1e3)}


def neighbours(results: Sequence[Result]) -> Table:
    """What a flow of each kind beside ours gets on the mean, and the harm."""
    view = Table(title="What others get", title_justify="left", caption_justify="left")
    view.caption = "Harm: what they lose against one TCP flow in our place, on the path where it is most."
    view.add_column("scheduler")
    kinds, known = results[0].conditions.others, baseline.by_conditions(results)
    judged = [(n, figure, each.name) for n, each in enumerate(kinds) for figure in each.judged]
    for _, figure, name in judged:
        view.add_column(f"{name} {GOT[figure][0]}", justify="right")
        view.add_column("harm", justify="right")
    for name, group in grouped(results).items():
        cells = []
        for number, figure, _ in judged:
            cells.append(spread([baseline.got(r)[number][figure] for r in group], factor=GOT[figure][1]))
            cells.append(spread([baseline.worst_harm(r, known, number, figure) for r in group], "+.2f"))
        view.add_row(name, *cells)
    return view


def peer(result: Result) -> tuple[str, str]:
    """What a result and the plain TCP to compare it with have in common."""
    return result.conditions.kernel, result.conditions.congestion


def best_tcp(groups: Iterable[Sequence[Result]]) -> dict[tuple[str, str], Sequence[Result]]:
    """The runs to compare with: those of plain TCP on the path where it does best."""
    best: dict[tuple[str, str], Sequence[Result]] = {}
    for group in sorted(groups, key=goodput):
        c = group[0].conditions
        if c.plain_tcp and c.topology != "interfaces":
            best[peer(group[0])] = group
    return best


def describe(workload: Workload) -> str:
    match workload.name:
        case "bulk" | "iperf3":
            way = {DOWN: ", download", BOTH: ", both ways"}.get(workload.direction, "")
            return f"{workload.duration:g} s after {workload.warmup:g} s of warm-up{way}"
        case "blocks" | "order":
            rate = f"at {workload.rate / 1e6:g} Mbit/s" if workload.rate else "as fast as it goes"
            return f"blocks of {workload.size} bytes {rate}, {workload.duration:g} s"
        case "request":
            return f"{workload.count} answers of {workload.size} bytes"
        case "http":
            return f"{workload.requests} requests of {workload.size} bytes, {workload.clients} at a time"
        case "incast":
            return f"{workload.rounds} rounds of {workload.size} bytes from each"
    return settings.text(workload, whole=True)


def title(results: Sequence[Result]) -> str:
    c = results[0].conditions
    lines = [
        f"path {i}: {shorten(str(path), LONGEST, placeholder=' ...')}" for i, path in enumerate(c.paths, 1)
    ]
    buffer = f"buffers {c.buffer / 1000:g} KB" if c.buffer else "autotuned buffers"
    releases = ", ".join(dict.fromkeys(r.kernel["release"] for r in results))
    others = "".join(f", beside {each}" for each in c.others)
    controls = " and ".join(dict.fromkeys(r.conditions.congestion for r in results))
    sysctls = "".join(f", {text}" for text in c.sysctl_texts)
    seeds = sorted({r.conditions.seed for r in results})
    which = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    lines.append(f"Linux {releases}, {which}, {controls}, {buffer}, {describe(c.workload)}{others}{sysctls}")
    return "\n".join(lines)


def console() -> Console:
    """The terminal, or a file that is wide enough for a table."""
    here = Console()
    return here if here.is_terminal else Console(width=110)


def show(results: Sequence[Result]) -> None:
    console().print(table(results))
    if results[0].conditions.others:
        console().print(neighbours(results))
