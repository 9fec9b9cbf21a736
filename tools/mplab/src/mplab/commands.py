# SPDX-License-Identifier: MIT
"""What each command does."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from . import traffic
from .lab import paths, shell
from .lab.guest import Guests, scratch
from .lab.network import BOTH
from .run import asked, plans
from .run.experiment import Conditions, Result, measure
from .run.runner import Failure, Runner, Store, exit_status
from .run.table import write_csv
from .traffic import Blocks, Bulk, beside
from .words import settings
from .words.places import for_call, written
from .words.units import UsageError

INTERRUPTED = 130  # exit status
# What mplab run --help-WHAT prints
EXPLAINED: dict[str, Callable[[], str]] = {
    "path": lambda: paths.__doc__ or "",
    "workload": lambda: settings.explained(traffic.KINDS),
    "beside": lambda: settings.explained(beside.KINDS),
}

# ---- run, watch


def run(args: argparse.Namespace) -> int:
    """Compare schedulers on one set of paths."""
    if args.explain:
        print(EXPLAINED[args.explain]())
        return 0
    if args.pcap:
        asked.programs("tcpdump")
        if find_spec("dpkt") is None:
            raise UsageError("Python's dpkt is missing: install python3-dpkt")
    with for_call(args) as (out, kept), asked.guests(asked.names(args.kernel, "--kernel"), args) as kernels:
        wanted = plans.plan(args, [tuple(args.paths)], kernels)
        runner = Runner(kernels, Store(kept), args.jobs)
        results = list(runner.run(wanted).values())
        _show(results, runner.failures, out)
        if args.pcap:
            _capture(kernels, [r.conditions for r in results], out)
    return exit_status(runner.failures)


def watch(args: argparse.Namespace) -> int:
    """Draw runs while they run, one after another; then as `run`."""
    if args.explain:
        print(EXPLAINED[args.explain]())
        return 0
    from .watch import live

    args.no_tcp = args.no_tcp or args.tcp_on is None
    with for_call(args) as (out, _):
        # the guests end before the directory goes that they write to
        with scratch() as room, asked.guests(asked.names(args.kernel, "--kernel"), args) as kernels:
            wanted = plans.plan(args, [tuple(args.paths)], kernels)
            found = live.watch(kernels, wanted, room, Console(), args.speed)
        for failure in found.failures:
            print(f"mplab: failed: {failure.reason}", file=sys.stderr)
        if found.results or not found.stopped:
            _show(found.results, found.failures, out)
    if found.stopped:
        print(f"mplab: interrupted: {found.stopped}", file=sys.stderr)
        return INTERRUPTED
    return exit_status(found.failures)


def _show(results: list[Result], failures: list[Failure], out: Path) -> None:
    from .publish import browse, plot
    from .run import report

    summary, rows, figure = out / "results.json", out / "results.csv", out / "goodput.png"
    page = out / "results.html"
    summary.write_text(json.dumps([r.as_json() for r in results], indent=1) + "\n")
    write_csv(rows, results, failures)
    _forget(figure)
    page.unlink(missing_ok=True)
    if results:
        report.show(results)
        _compare_kernels(results)
        plot.attempt("drawing", lambda: plot.draw(results, figure))
        browse.write(page, results)
    written(summary, rows, page, figure, figure.with_suffix(".svg"))


def _compare_kernels(results: Sequence[Result]) -> None:
    """Each with the first, by all runs of a scheduler and a congestion control."""
    from .research import differ
    from .run import report

    first, *others = dict.fromkeys(r.conditions.kernel for r in results)
    by_kernel = {name: [r for r in results if r.conditions.kernel == name] for name in (first, *others)}
    for name in others:
        found = differ.between(by_kernel[first], by_kernel[name])
        if found:
            report.console().print(differ.table(found, first, name))
        else:
            what = f"--repeat {differ.FEWEST} or more, and the same schedulers on both"
            print(f"Do {first} and {name} differ by more than seeds do? That needs {what}")


def _forget(image: Path) -> None:
    """An older call's drawing."""
    image.unlink(missing_ok=True)
    image.with_suffix(".svg").unlink(missing_ok=True)


def _capture(kernels: dict[str, Guests], wanted: Sequence[Conditions], out: Path) -> None:
    """Each run once more, with packet captures at the receiver.

    Only bulk and blocks have one connection, whose packets have an order, unless both ends send.
    """
    from .traffic import capture

    for c in wanted:
        kernel = c.kernel.strip("/").replace("/", "_")
        who = f"path{c.tcp_path}" if c.plain_tcp and c.topology != "interfaces" else c.topology
        keep = out / "pcap" / f"{kernel}-{c.scheduler}-{c.congestion}-{who}-{c.seed}"
        keep.mkdir(parents=True, exist_ok=True)
        for old in keep.glob("*.pcap"):
            old.unlink()
        measure(kernels[c.kernel], c, keep=keep)
        ordered = isinstance(c.workload, Bulk | Blocks) and c.workload.direction != BOTH
        if ordered and not c.plain_tcp:
            print(f"{c.scheduler}, {c.congestion}: {capture.describe(capture.reordering(keep))}")
        print(f"captured: {os.path.relpath(keep)}")


# ---- design


def design(args: argparse.Namespace) -> int:
    """Compare schedulers over a design."""
    from .publish.comparison import report
    from .research import spaces
    from .run.cluster import spread

    points = spaces.named(args)
    with for_call(args) as (out, kept), asked.guests(asked.names(args.kernel, "--kernel"), args) as kernels:
        runs = plans.plan(args, points, kernels)
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
    from .publish.figures import command

    return command.figure(args)


def report(args: argparse.Namespace) -> int:
    from .publish.figures import command

    return command.report(args)


# ---- bench


def bench(args: argparse.Namespace) -> int:
    from .bench import command

    return command.bench(args)


def merge(args: argparse.Namespace) -> int:
    from .run.cluster import merge

    return merge.command(args)


# ---- published numbers


def evidence(args: argparse.Namespace) -> int:
    from .evidence import command

    return command.run(args)


def interactive(args: argparse.Namespace) -> int:
    if args.qemu:
        if args.kernel != "patched":
            raise UsageError("--qemu runs the kernel of make vm: leave out --kernel")
        with asked.machine() as guests:
            return shell.run(guests, args.paths, args.buffer, [], args.argv)
    clock = [] if args.virtual_time else ["--real-time"]
    with asked.guests([args.kernel], args) as kernels:
        return shell.run(kernels[args.kernel], args.paths, args.buffer, clock, args.argv)


def compare_cost(args: argparse.Namespace) -> int:
    from .research import cost

    return cost.run(args)


def striping(args: argparse.Namespace) -> int:
    from .research.striping import command

    return command.run(args)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": run,
    "watch": watch,
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
