# SPDX-License-Identifier: MIT
"""What each command does."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from . import asked, baseline, beside, paths, shell, units
from .experiment import TCP, Conditions, Result, measure
from .guest import Guests
from .places import for_call, lines_of_words, written
from .runner import Failure, Runner, Store, exit_status
from .schedulers import available
from .table import write_csv
from .units import UsageError
from .workloads import Blocks, Bulk, Davvi, Ranges, Workload
from .workloads import parse as workload

MOST_PATHS = 8


# ---- runs of run and design


def _check_points(points: Sequence[tuple[paths.Path, ...]], work: Workload) -> None:
    """What a run could not do."""
    end = work.seconds
    most = max(map(len, points))
    if most > MOST_PATHS:
        raise UsageError(f"{most} paths; an MPTCP connection of Linux has at most {MOST_PATHS}")
    events = [event for point in points for path in point for event in path.events]
    for event in events:
        if end is not None and event.at >= end:
            raise UsageError(
                f"event '{event}' is not before the end of the run, at {end:g} s: name an earlier time,"
                " or a longer --duration"
            )
    if events and end is None:
        what = f"how long '{work.name}' takes is not known before; an event after its end does nothing"
        print(f"mplab: {what}", file=sys.stderr)


def _tcp(c: Conditions, where: int | str | None) -> Sequence[Conditions]:
    """Plain TCP to compare with: on one path, on each, on all at once, too, or (None) on each if a path's
    rate does not tell what TCP gets there."""
    if where == "all":
        if not isinstance(c.workload, Ranges | Davvi):
            raise UsageError(f"--tcp-on all: a workload '{c.workload.name}' has one connection")
        every = dataclasses.replace(c, scheduler=TCP, topology="interfaces")
        return [*baseline.on_each(c), every]
    if isinstance(where, int):
        if where > len(c.paths):
            raise UsageError(f"--tcp-on {where}: there are {len(c.paths)} paths")
        return [baseline.in_our_place(c, where)]
    tells = where is None and c.workload.fills and c.capacities_tell
    return [baseline.in_our_place(c, 1)] if tells else baseline.on_each(c)


def plan(
    args: argparse.Namespace, points: Sequence[tuple[paths.Path, ...]], kernels: dict[str, Guests]
) -> list[Conditions]:
    """Every combination of what the command line names, on every kernel that has it."""
    work = workload(args.workload, args.duration, args.warmup)
    asked.programs(*work.needs)
    _check_points(points, work)
    others = tuple(map(beside.parse, args.beside))
    for point in points:
        beside.check(others, point, work.direction)
    wanted = []
    for label, guests in kernels.items():
        schedulers, controls = available(guests)
        if label == "stock":  # it has one; the others are what we compare it with
            named = asked.scheduler_names(args.scheduler, schedulers)
            names = schedulers.having(named) or list(schedulers.bases)
        else:
            names = asked.schedulers(args.scheduler, schedulers)
        for each in others:
            if each.congestion:
                asked.known("--beside: congestion", each.congestion, controls, ", ".join(controls))
        for congestion in asked.controls(args.congestion, controls):
            for point in points:
                for n in range(args.repeat):
                    c = Conditions(
                        point, names[0], congestion, work, beside=others, competing=args.competing,
                        buffer=args.buffer, sysctls=tuple(args.sysctls), offload=args.offload == "on",
                        seed=args.seed + n, kernel=label,
                    )  # fmt: skip
                    wanted += [] if args.no_tcp else _tcp(c, args.tcp_on)
                    wanted += [dataclasses.replace(c, scheduler=name) for name in names]
    return wanted


# ---- run


def run(args: argparse.Namespace) -> int:
    """Compare schedulers on one set of paths."""
    if args.help_path:
        print(paths.__doc__)
        return 0
    out, kept = for_call(args)
    if args.pcap:
        asked.programs("tcpdump")
        if find_spec("dpkt") is None:
            raise UsageError("Python's dpkt is missing: install python3-dpkt")
    with asked.guests(asked.names(args.kernel, "--kernel"), args) as kernels:
        wanted = plan(args, [tuple(args.paths)], kernels)
        runner = Runner(kernels, Store(kept), args.jobs)
        results = list(runner.run(wanted).values())
        _show(results, runner.failures, out)
        if args.pcap:
            _capture(kernels, [r.conditions for r in results], out)
    return exit_status(runner.failures)


def _show(results: list[Result], failures: list[Failure], out: Path) -> None:
    from . import plot, report

    summary, rows, figure = out / "results.json", out / "results.csv", out / "goodput.png"
    summary.write_text(json.dumps([r.as_json() for r in results], indent=1) + "\n")
    write_csv(rows, results, failures)
    _forget(figure)
    if results:
        report.show(results)
        _compare_kernels(results)
        plot.attempt("drawing", lambda: plot.draw(results, figure))
    written(summary, rows, figure, figure.with_suffix(".svg"))


def _compare_kernels(results: Sequence[Result]) -> None:
    """Each with the first, by all runs of a scheduler and a congestion control."""
    from . import differ, report

    first, *others = dict.fromkeys(r.conditions.kernel for r in results)
    by_kernel = {name: [r for r in results if r.conditions.kernel == name] for name in (first, *others)}
    for name in others:
        found = differ.between(by_kernel[first], by_kernel[name])
        if found:
            report.console().print(differ.table(found, first, name))
        else:
            print(
                f"With --repeat {differ.FEWEST} or more: do {first} and {name} differ by more than seeds do?"
            )


def _forget(image: Path) -> None:
    """An older call's drawing."""
    image.unlink(missing_ok=True)
    image.with_suffix(".svg").unlink(missing_ok=True)


def _capture(kernels: dict[str, Guests], wanted: Sequence[Conditions], out: Path) -> None:
    """Each run once more, with packet captures at the receiver.

    Only bulk and blocks have one connection, whose packets have an order.
    """
    from . import capture

    for c in wanted:
        kernel = c.kernel.strip("/").replace("/", "_")
        keep = out / "pcap" / f"{kernel}-{c.scheduler}-{c.congestion}-{c.seed}"
        keep.mkdir(parents=True, exist_ok=True)
        for old in keep.glob("*.pcap"):
            old.unlink()
        measure(kernels[c.kernel], c, keep=keep)
        if not c.plain_tcp and isinstance(c.workload, Bulk | Blocks):
            print(f"{c.scheduler}, {c.congestion}: {capture.describe(capture.reordering(keep))}")
        print(f"captured: {os.path.relpath(keep)}")


# ---- design


def space(args: argparse.Namespace) -> list[tuple[paths.Path, ...]]:
    """The points that the user names."""
    from .spaces import SPACES, points

    kind, colon, name = args.space.rpartition(":")
    if name in SPACES and kind in (("orthogonal", "grid") if colon else ("",)):
        return points(kind, name, args.points, args.design_seed)
    file = Path(args.space)
    if not file.is_file():
        raise UsageError(f"design {args.space}: neither one of {', '.join(SPACES)} nor a file with points")
    return _points(file)


def _points(file: Path) -> list[tuple[paths.Path, ...]]:
    """A point per line: its paths, with spaces between."""
    found = []
    for number, line in lines_of_words(file):
        try:
            found.append(tuple(map(paths.parse, line)))
        except units.UnitError as error:
            raise UsageError(f"{file}, line {number}: {str(error).removeprefix('--path ')}") from None
    if not found:
        raise UsageError(f"{file}: no point in it; write a line per point: its paths, with spaces between")
    return found


def design(args: argparse.Namespace) -> int:
    """Compare schedulers over a design."""
    from .cluster import spread
    from .spaces import report

    points = space(args)
    out, kept = for_call(args)
    with asked.guests(asked.names(args.kernel, "--kernel"), args) as kernels:
        runs = plan(args, points, kernels)
        if (failures := spread.share(args, runs, kernels, kept)) is not None:
            return exit_status(failures)
        with spread.runner(args, kernels, kept, lean=True) as runner:
            results = runner.run(runs, "design")
    rows, image = out / "results.csv", out / "design.png"
    write_csv(rows, results.values(), runner.failures)
    _forget(image)
    if results:
        report(list(results.values()), image)
    written(rows, image, image.with_suffix(".svg"))
    return exit_status(runner.failures)


# ---- what lives elsewhere


def figure(args: argparse.Namespace) -> int:
    from .figures import command

    return command.figure(args)


def report(args: argparse.Namespace) -> int:
    from .figures import command

    return command.report(args)


# ---- bench


def bench(args: argparse.Namespace) -> int:
    from .bench import command

    return command.bench(args)


def merge(args: argparse.Namespace) -> int:
    from .cluster import merge

    return merge.command(args)


# ---- published numbers


def evidence(args: argparse.Namespace) -> int:
    from .evidence import command

    return command.run(args)


def interactive(args: argparse.Namespace) -> int:
    if args.qemu:
        with asked.machine() as guests:
            return shell.run(guests, args.paths, args.buffer, [], args.argv)
    clock = [] if args.virtual_time else ["--real-time"]
    with asked.guests([args.kernel], args) as kernels:
        return shell.run(kernels[args.kernel], args.paths, args.buffer, clock, args.argv)


def compare_cost(args: argparse.Namespace) -> int:
    from . import cost

    return cost.run(args)


def striping(args: argparse.Namespace) -> int:
    from .striping import command

    return command.run(args)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": run,
    "design": design,
    "figure": figure,
    "report": report,
    "bench": bench,
    "merge": merge,
    "evidence": evidence,
    "shell": interactive,
    "cost": compare_cost,
    "striping": striping,
}
