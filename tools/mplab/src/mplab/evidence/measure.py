# SPDX-License-Identifier: MIT
"""What a command of the plan gives, as one number per subject and figure."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from statistics import median

from ..bench import board, command
from ..bench.plan import REFERENCE
from ..lab import parts
from ..lab.guest import Guests
from ..publish import comparison, plot
from ..research.striping import command as striping
from ..research.striping.run import place
from ..run import asked, baseline, report
from ..run.experiment import Result
from ..run.runner import Runner
from ..traffic import metrics
from . import runs
from .plan import EvidenceError, Measured

DIGITS = 6  # of a number in a file
MANY = metrics.PERCENTILES_FROM


def _single(group: Sequence[Result], alone: Sequence[Result] | None) -> dict[str, float | str]:
    """Medians of one comparison's runs: rates in Mbit/s, times in ms. Of several the rate's range, too."""
    rate = report.goodput(group)
    found: dict[str, float | str] = {"goodput": rate / 1e6}
    if len(group) > 1:
        each = [r.goodput / 1e6 for r in group]
        found["goodput_range"] = f"{min(each):.2f} to {max(each):.2f}"
    benefits = [r.benefit for r in group if r.benefit is not None]
    if benefits and not group[0].conditions.plain_tcp:
        found["benefit"] = median(benefits)
    if alone:
        found["of_tcp"] = rate / report.goodput(alone)
    for i in range(len(group[0].shares)):
        found[f"path{i + 1}_share"] = median(r.shares[i] for r in group)
    for key, value in group[0].main.items():
        timed = key.endswith(("_s", "_packets")) and key != "start_s" and isinstance(value, int | float)
        # the median of those that got there would be of the better ones
        if timed and all(r.main[key] is not None for r in group):
            middle = median(r.main[key] for r in group)
            found |= {f"{key[:-2]}_ms": 1e3 * middle} if key.endswith("_s") else {key: middle}
    if all(r.main.get("connection_bytes_sent") for r in group):
        found["besides_share"] = median(map(_besides, group))
    return found


def _besides(result: Result) -> float:
    """What subflows sent besides the connection's data, TCP's own retransmissions apart: copies, symbols."""
    of = result.main
    once = of["subflow_bytes_sent"] - of["subflow_bytes_retransmitted"]
    return once / of["connection_bytes_sent"] - 1


def _over_points(group: Sequence[Result], known: baseline.Known) -> dict[str, float]:
    """The benefit over a design."""
    values = comparison.benefits_of(group, known)
    found = {"worst_benefit": min(values), "median_benefit": median(values)}
    if len(values) >= MANY:
        found["p5_benefit"] = metrics.percentiles(values, [5])[0]
    return found


def _compared(args: argparse.Namespace, guests: Guests, runner: Runner) -> dict[str, dict]:
    results = list(runner.run(runs.conditions(args, guests), args.command).values())
    groups = report.grouped(results)
    if args.command == "design":
        known = baseline.by_conditions(results)
        return {name: _over_points(group, known) for name, group in groups.items()}
    alone = report.best_tcp(groups.values())
    return {name: _single(group, alone.get(report.peer(group[0]))) for name, group in groups.items()}


def _figure(args: argparse.Namespace, guests: Guests, runner: Runner) -> tuple[str, dict[str, dict]]:
    """The rows of a figure's table; the first cell names the row, that of the header what it is. Where the
    second column has no heading, or the first cell names several rows, it is of the name, too."""
    setting = runs.setting(args, guests)
    head, found = "", {}
    for name in args.names:
        results = runner.run(runs.FIGURES[name].plan(setting), name)
        table = runs.FIGURES[name].draw(setting, results, plot.canvas())
        head = table.header[0]
        several = len({row[0] for row in table.rows}) < len(table.rows)
        names = 2 if several or table.header[1] == "" else 1
        for row in table.rows:
            found[", ".join(row[:names])] = dict(zip(table.header[names:], row[names:], strict=False))
    return head, found


def _bench(args: argparse.Namespace, guests: Guests, runner: Runner) -> dict[str, dict]:
    """The scoreboard: each contestant over all scenarios, then each scenario."""
    found = command.scoreboard(command.entries(args, {"patched": guests}), runner)
    values: dict[str, dict] = {}
    for who, *both in found.summaries():
        for against, s in zip(("TCP", REFERENCE), both, strict=True):
            if s:
                below = f"{s.behind} of {s.count}"
                ratios = {"worst": s.worst, "p5": s.p5, "median": s.median}
                values[f"{found.label(who)} to {against}"] = {**ratios, "in": s.worst_in, "below": below}
    for name, row in found.rows().items():
        first = next(iter(row.values()))
        values[name] = {"best TCP": board.amount(first.tcp, first.entry.scenario.measure)}
        values[name] |= {f"{found.label(who)} to TCP": s.to_tcp for who, s in row.items()}
        values[name] |= {f"{found.label(who)} to {REFERENCE}": s.to_default for who, s in row.items()}
    return {name: {k: v for k, v in of.items() if v is not None} for name, of in values.items()}


def _striping(args: argparse.Namespace, guests: Guests, runner: Runner) -> dict[str, dict]:
    """The rows of a table of the sources."""
    asked.programs("nft", "tc", "ip")
    found: dict[str, dict] = {}
    store, begin = runs.striping_store(runner), time.monotonic()
    for table in striping.named(args.names):
        cases = striping.cases(table, args.quick)
        runner.measured += sum(not place(guests, case, store).exists() for case in cases)
        found |= dict(striping.measured(table, guests, store, runner.jobs, args.quick))
    runner.seconds += runner.jobs * (time.monotonic() - begin)
    return found


def _rounded(figures: Mapping[str, float | str]) -> dict[str, float | str]:
    return {key: v if isinstance(v, str) else float(f"{v:.{DIGITS}g}") for key, v in figures.items()}


def measure(
    words: str, args: argparse.Namespace, guests: Guests, runner: Runner, before: int = 0
) -> Measured:
    """Run what is not in the store yet. words: a command line, args: the same, parsed; runner: for it alone;
    before: how many seconds all of it took, to be kept if some is in the store."""
    head = ""
    if args.command in ("run", "design"):
        values = _compared(args, guests, runner)
    elif args.command == "figure":
        head, values = _figure(args, guests, runner)
    elif args.command == "bench":
        values = _bench(args, guests, runner)
    elif args.command == "striping":
        values = _striping(args, guests, runner)
    else:
        raise EvidenceError(f"plan.toml: '{words}': evidence is from run, design, figure, bench or striping")
    if runner.failures:
        raise EvidenceError(f"'{words}': {len(runner.failures)} runs failed")
    rounded = {subject: _rounded(figures) for subject, figures in values.items()}
    of = runs.wanted(args, guests)
    spent = runner.seconds if runner.timed and runner.measured == len(of) else before
    digits = runs.digits(runs.outcomes(of, guests, runner))
    state = (parts.commit(), runs.parts_of(of, guests))
    return Measured(words, *state, rounded, len(of), round(spent), head, runs.programs_of(of), digits)
