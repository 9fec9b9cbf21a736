# SPDX-License-Identifier: MIT
"""What each command does."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import shutil
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from . import baseline, beside, paths, shell, units
from .experiment import Conditions, Result, measure
from .guest import BOOT, MPTCPCTL, PATH, TIME_LIMIT, TOP, Guests
from .places import for_call
from .runner import Failure, Runner, Store
from .schedulers import LONGEST_NAME, Schedulers, available
from .table import write_csv
from .units import UsageError
from .workloads import Blocks, Bulk, Workload
from .workloads import parse as workload

KERNELS = {"patched": TOP / "build" / "uml", "stock": TOP / "build" / "stock" / "uml"}
HOW_TO_BUILD = {"patched": "make kernel", "stock": "make kernel-stock"}
PACKAGES = {"nginx": "nginx-light", "ab": "apache2-utils"}  # others have the program's name
MOST_PATHS = 8


# ---- what several commands need


def kernel_directory(name: str) -> Path:
    """Of one of ours, or what the user wrote."""
    return KERNELS.get(name, Path(name))


def _kernel(name: str) -> Path:
    """The directory of a kernel that is built."""
    directory = kernel_directory(name)
    if not (directory / "linux").exists():
        how = HOW_TO_BUILD.get(name, "give a directory that holds 'linux', or patched, or stock")
        raise UsageError(f"no kernel at {directory}: {how}")
    if not MPTCPCTL.exists():
        raise UsageError("mptcpctl is not built: run 'make mptcpctl' first")
    if not BOOT.exists():
        raise UsageError(f"{BOOT} is missing: is this a whole checkout?")
    return directory


@contextlib.contextmanager
def _guests(names: Sequence[str], args: argparse.Namespace) -> Iterator[dict[str, Guests]]:
    """Guests on each of the kernels, by name; ended when the block is left."""
    with contextlib.ExitStack() as stack:
        limit = getattr(args, "time_limit", TIME_LIMIT)
        real_time = getattr(args, "real_time", False)
        found = {name: Guests(_kernel(name), real_time, limit) for name in names}
        for guests in found.values():
            stack.enter_context(guests)
        yield found


def _names(text: str, option: str) -> list[str]:
    names = list(dict.fromkeys(name for name in text.split(",") if name))
    if not names:
        raise UsageError(f"{option} names none")
    return names


def _programs(*names: str) -> None:
    """What the guest takes from the host must be there."""
    for name in names:
        if shutil.which(name, path=PATH) is None:
            raise UsageError(f"'{name}' is missing: install {PACKAGES.get(name, name)}")


def _known(option: str, name: str, there_are: Container[str], shown: str) -> None:
    if name not in there_are:
        raise UsageError(f"{option} {name}: this kernel has none of that name; it has {shown}")


def _controls(text: str, there_are: Sequence[str]) -> list[str]:
    """Congestion controls that the user names, and the kernel has."""
    names = _names(text, "--congestion")
    for name in names:
        _known("--congestion", name, there_are, ", ".join(there_are))
    return names


def _schedulers(text: str, there_are: Schedulers) -> list[str]:
    """Schedulers that the user names, and the kernel has."""
    names = _names(text, "--scheduler")
    for name in names:
        _known("--scheduler", name, there_are, str(there_are))
        if len(name) > LONGEST_NAME:
            raise UsageError(f"--scheduler {name}: {len(name)} characters; the kernel takes {LONGEST_NAME}")
    return names


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
    """Plain TCP to compare with: on one path, on each, or (None) on each if a path's rate does not
    tell what TCP gets there."""
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
    _programs(*work.needs)
    _check_points(points, work)
    others = tuple(map(beside.parse, args.beside))
    for point in points:
        beside.check(others, point, work.direction)
    wanted = []
    for label, guests in kernels.items():
        schedulers, controls = available(guests)
        if label == "stock":  # it has one; the others are what we compare it with
            named = _names(args.scheduler, "--scheduler")
            names = schedulers.having(named) or list(schedulers.bases)
        else:
            names = _schedulers(args.scheduler, schedulers)
        for each in others:
            if each.congestion:
                _known("--beside: congestion", each.congestion, controls, ", ".join(controls))
        for congestion in _controls(args.congestion, controls):
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


def _failed(failures: Sequence[Failure]) -> int:
    if failures:
        what = f"{len(failures)} run{'s' if len(failures) > 1 else ''} failed"
        print(f"mplab: {what}; the next call tries again", file=sys.stderr)
    return 1 if failures else 0


# ---- run


def run(args: argparse.Namespace) -> int:
    """Compare schedulers on one set of paths."""
    if args.help_path:
        print(paths.__doc__)
        return 0
    out, kept = for_call(args)
    if args.pcap:
        _programs("tcpdump")
        if find_spec("dpkt") is None:
            raise UsageError("Python's dpkt is missing: install python3-dpkt")
    with _guests(_names(args.kernel, "--kernel"), args) as kernels:
        wanted = plan(args, [tuple(args.paths)], kernels)
        runner = Runner(kernels, Store(kept), args.jobs)
        results = list(runner.run(wanted).values())
        _show(results, runner.failures, out)
        if args.pcap:
            _capture(kernels, [r.conditions for r in results], out)
    return _failed(runner.failures)


def _show(results: list[Result], failures: list[Failure], out: Path) -> None:
    from . import plot, report

    summary, rows, figure = out / "results.json", out / "results.csv", out / "goodput.png"
    summary.write_text(json.dumps([r.as_json() for r in results], indent=1) + "\n")
    write_csv(rows, results, failures)
    _forget(figure)
    if results:
        report.show(results)
        plot.attempt("drawing", lambda: plot.draw(results, figure))
    _written(summary, rows, figure, figure.with_suffix(".svg"))


def _forget(image: Path) -> None:
    """An older call's drawing."""
    image.unlink(missing_ok=True)
    image.with_suffix(".svg").unlink(missing_ok=True)


def _written(*files: Path) -> None:
    print("written:", ", ".join(os.path.relpath(p) for p in files if p.exists()))


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
    try:
        lines = [line.split("#")[0].split() for line in file.read_text().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {getattr(error, 'strerror', '') or 'not a text file'}") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found += [tuple(map(paths.parse, line))] if line else []
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
    with _guests(_names(args.kernel, "--kernel"), args) as kernels:
        runs = plan(args, points, kernels)
        if (failures := spread.share(args, runs, kernels, kept)) is not None:
            return _failed(failures)
        with spread.runner(args, kernels, kept, lean=True) as runner:
            results = runner.run(runs, "design")
    rows, image = out / "results.csv", out / "design.png"
    write_csv(rows, results.values(), runner.failures)
    _forget(image)
    if results:
        report(list(results.values()), image)
    _written(rows, image, image.with_suffix(".svg"))
    return _failed(runner.failures)


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
    with _guests([args.kernel], args) as kernels:
        guests = kernels[args.kernel]
        return shell.run(guests, args.paths, args.buffer, args.virtual_time, args.argv)


def compare_cost(args: argparse.Namespace) -> int:
    from . import cost

    return cost.run(args)


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
}
