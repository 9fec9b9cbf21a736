# SPDX-License-Identifier: MIT
"""The runs of `run` and `design`: every combination of what a command line names."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence

from ..lab import paths
from ..lab.guest import Guests
from ..traffic import Davvi, Ranges, Workload, beside
from ..traffic import parse as workload
from ..words.units import UsageError
from . import asked, baseline
from .experiment import TCP, Conditions
from .schedulers import available

MOST_PATHS = 8


def _check_traces(path: paths.Path) -> None:
    """A delay or a loss that never changes would have the guest look for a change for ever."""
    for series, what in ((path.rtt_trace, "rtt"), (path.loss_trace, "loss")):
        if series and len(set(series.values)) == 1:
            raise UsageError(f"{what}-trace={series}: all its values are the same: write one in its place")


SET_ELSEWHERE = {
    "mptcp/scheduler": "--scheduler",
    "ipv4/tcp_congestion_control": "--congestion",
    "ipv4/tcp_rmem": "--buffer",
    "ipv4/tcp_wmem": "--buffer",
}


def _check_sysctls(sysctls: Sequence[tuple[str, str]]) -> None:
    """The tables would name what the option says."""
    for name, _ in sysctls:
        if name in SET_ELSEWHERE:
            raise UsageError(f"--sysctl {name.replace('/', '.')}: write {SET_ELSEWHERE[name]} in its place")


def check_points(points: Sequence[tuple[paths.Path, ...]], work: Workload) -> None:
    """What a run could not do."""
    for path in {path for point in points for path in point}:
        _check_traces(path)
    end = work.seconds
    most = max(map(len, points))
    if most > MOST_PATHS:
        raise UsageError(f"{most} paths; the test bed takes at most {MOST_PATHS}")
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
    check_points(points, work)
    _check_sysctls(args.sysctls)
    others = tuple(map(beside.parse, args.beside))
    for point in points:
        beside.check(others, point, work.direction)
    wanted = []
    for label, guests in kernels.items():
        schedulers, controls = available(guests)
        if asked.is_stock(label):
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
