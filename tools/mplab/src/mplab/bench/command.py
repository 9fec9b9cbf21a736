# SPDX-License-Identifier: MIT
"""The bench from its entries to its files."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from ..lab.guest import Guests
from ..publish import plot
from ..run import asked
from ..run.cluster import spread
from ..run.report import console
from ..run.runner import Runner, exit_status
from ..run.schedulers import available
from ..run.table import write_csv
from ..watch.measure import SampledRunner
from ..words.places import for_call, written
from ..words.settings import WIDTH
from ..words.units import UsageError
from . import board, files, mine, page, picture, plan, suite
from .board import Board
from .plan import REFERENCE, Contestant, Entry, conditions
from .score import Outcome, score
from .suite import Scenario


def listing(scenarios: Sequence[Scenario]) -> str:
    """What there is, and why."""
    lines, group = [], None
    for s in scenarios:
        if s.group != group:
            group = s.group
            lines.append(f"\n{group}" if lines else group)
        seeds = f", {s.seeds} seeds" if s.seeds > 1 else ""
        what = f"{s.why} ({s.measure}{seeds}{', quick' if s.quick else ''})"
        lines.append(fill(what, WIDTH, initial_indent=f"  {s.name:24} ", subsequent_indent=" " * 27))
    return "\n".join(lines)


def measure(runner: Runner, entries: Sequence[Entry], out: Path, about: Mapping[str, object]) -> Board:
    """Run what is not known yet; show and write the scoreboard. A scenario of which a run has no value of
    its measure is left out, and named at the end."""
    _check_measures(runner, entries)
    failed = {failure.conditions for failure in runner.failures}
    results = runner.run([c for c in conditions(entries) if c not in failed], "bench")
    write_csv(out / "runs.csv", results.values(), runner.failures)
    found, wrong = _scored(entries, results)
    if found.scores:
        builds = {
            (name := r.conditions.kernel): {**r.kernel, "build": runner.kernels[name].build_id}
            for r in results.values()
        }
        _write(found, builds, out, about)
    if wrong:
        raise UsageError("; ".join(wrong))
    return found


def _check_measures(runner: Runner, entries: Sequence[Entry]) -> None:
    """Find out what a workload does not measure from one run of each kind, not from all."""
    kinds = {(e.scenario.base.workload, e.scenario.measure): e for e in entries}.values()
    results = runner.run([e.runs[0] for e in kinds], "a run of each measure")
    without = [
        e
        for e in kinds
        if (r := results.get(e.runs[0])) and e.scenario.measure not in (*r.main, suite.OTHERS)
    ]
    if wrong := _scored(without, results)[1]:
        raise UsageError("; ".join(wrong))


def _draw(
    file: Path, found: Board, kernels: Mapping[str, Guests], kept: Path, jobs: int, about: str
) -> Runner:
    """A page with time series of each cell's first run, which are made anew, with samples."""
    runner = SampledRunner(kernels, kept, jobs)
    results = runner.run(page.wanted(found), "sampling")
    page.write(file, found, results, about)
    written(file)
    return runner


def _scored(entries: Sequence[Entry], results: Outcome) -> tuple[Board, list[str]]:
    """The scoreboard, and what is wrong with scenarios that are not on it."""
    scores, wrong = [], {}
    for entry in entries:
        try:
            scores.append(score(entry, results))
        except UsageError as error:
            wrong[entry.scenario.name] = f"{entry.scenario.name}: {error}"
    contestants = tuple(dict.fromkeys(entry.contestant for entry in entries))
    kept = tuple(s for s in scores if s.entry.scenario.name not in wrong)
    return Board(contestants, kept), list(wrong.values())


def _write(
    found: Board, builds: Mapping[str, Mapping[str, str]], out: Path, about: Mapping[str, object]
) -> None:
    files.write_json(out / "results.json", found, {**about, "kernels": builds})
    files.write_csv(out / "scoreboard.csv", found)
    (out / "scoreboard.md").write_text(board.markdown(found))
    board.show(found, console())
    names = ("results.json", "scoreboard.csv", "runs.csv", "scoreboard.md")
    made_on = ", ".join(f"{name} {k['release']}, build {k['build']}" for name, k in builds.items())
    caption = f"{about['command']}; {made_on}"
    drawn = [out / "scoreboard.svg", out / "scoreboard.png"]
    plot.attempt("picture", lambda: picture.save(found, caption, drawn))
    written(*(out / name for name in names), *drawn)


def _file(args: argparse.Namespace) -> Path:
    return args.mine or args.suite or suite.STANDARD


def _scenarios(args: argparse.Namespace) -> list[Scenario]:
    """Those that the user names."""
    file = _file(args)
    tables = mine.tables(file) if args.mine else suite.read(file)
    return suite.chosen(tables, file, [n for n in args.only.split(",") if n], args.quick)


def entries(args: argparse.Namespace, kernels: dict[str, Guests]) -> list[Entry]:
    """Who runs where, as the command line has it."""
    scenarios = _scenarios(args)
    for s in scenarios:
        asked.programs(*s.base.workload.needs)
    return plan.entries(scenarios, _contestants(args, kernels, scenarios), args.seed, args.quick)


def scoreboard(wanted: Sequence[Entry], runner: Runner) -> Board:
    """For those who publish it: all of it, or an error."""
    found, wrong = _scored(wanted, runner.run(conditions(wanted), "bench"))
    if wrong:
        raise UsageError("; ".join(wrong))
    return found


def bench(args: argparse.Namespace) -> int:
    """A suite of networks and applications, and a scoreboard."""
    if args.list:
        print(listing(_scenarios(args)))
        return 0
    if args.page:
        _check_page(args)
    with for_call(args) as (out, kept), asked.guests(asked.names(args.kernel, "--kernel"), args) as kernels:
        wanted = entries(args, kernels)
        if (failures := spread.share(args, conditions(wanted), kernels, kept)) is not None:
            return exit_status(failures)
        about = {"command": shlex.join(["mplab", *args.argv]), "suite": str(_file(args))}
        with spread.runner(args, kernels, kept, lean=True) as runner:
            found = measure(runner, wanted, out, about)
        failures = runner.failures
        if args.page and found.scores:
            failures += _draw(args.page, found, kernels, kept, args.jobs, about["command"]).failures
    return exit_status(failures)


def _check_page(args: argparse.Namespace) -> None:
    """Find out before the measurement, not after it."""
    if args.shard or args.slurm:
        other = "--shard" if args.shard else "--slurm"
        raise UsageError(f"--page: with {other} nothing is drawn; call without it when all is measured")
    file = args.page.absolute()
    if file.is_dir():
        raise UsageError(f"--page {args.page}: a directory; name a file in it, such as bench.html")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--page {args.page}: {error.strerror}") from None
    if not os.access(file.parent, os.W_OK):
        raise UsageError(f"--page {args.page}: its directory is not writable")


def _contestants(
    args: argparse.Namespace, kernels: dict[str, Guests], scenarios: Sequence[Scenario]
) -> list[Contestant]:
    """Linux's scheduler first: the others are compared with it."""
    found = []
    for label, guests in kernels.items():
        schedulers, controls = available(guests)
        names = asked.scheduler_names(f"{REFERENCE},{args.scheduler}", schedulers)
        if asked.is_stock(label):
            names = schedulers.having(names)
        for name in names:
            asked.known("--scheduler", name, schedulers, str(schedulers))
        for s in scenarios:
            asked.controls(",".join(s.congestion) or args.congestion, controls)
        of_tcp = asked.names(args.congestion, "--congestion")
        found += [Contestant(name, congestion, label) for congestion in of_tcp for name in names]
    return found
