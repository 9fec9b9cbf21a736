# SPDX-License-Identifier: MIT
"""The runs behind a number, and what each gave, as a few digits of a hash."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..bench import command
from ..lab.guest import Guests
from ..publish.figures import FIGURES as ALL_AT_ONCE
from ..publish.figures import ONE_BY_ONE, Setting
from ..research import spaces
from ..research.striping import command as striping
from ..research.striping.case import Case
from ..research.striping.run import measure_all, used
from ..run import plans, programs
from ..run.experiment import Conditions
from ..run.runner import Runner, numbers
from ..run.schedulers import available

LENGTH = 4  # digits of a run: one in 65,536 that differ is taken for the same
FIGURES = ALL_AT_ONCE | ONE_BY_ONE
Run = Conditions | Case


def setting(args: argparse.Namespace, guests: Guests) -> Setting:
    schedulers, controls = available(guests)
    return Setting(args.full, schedulers, tuple(controls), args.design_seed, strict=True)


def conditions(args: argparse.Namespace, guests: Guests) -> list[Conditions]:
    """That a command needs; none of "striping", whose runs are not mplab's usual ones."""
    kernels = {"patched": guests}
    if args.command in ("run", "design"):
        points = [tuple(args.paths)] if args.command == "run" else spaces.named(args)
        return plans.plan(args, points, kernels)
    if args.command == "figure":
        chosen = setting(args, guests)
        return [c for name in args.names for c in FIGURES[name].plan(chosen)]
    return command.conditions(command.entries(args, kernels)) if args.command == "bench" else []


def wanted(args: argparse.Namespace, guests: Guests) -> list[Run]:
    """All that a command needs, each once, in an order that is always the same."""
    if args.command == "striping":
        return [case for table in striping.named(args.names) for case in striping.cases(table, args.quick)]
    return list(dict.fromkeys(conditions(args, guests)))


def parts_of(chosen: Iterable[Run], guests: Guests) -> dict[str, str]:
    """Of the kernel, that these need."""
    needed = set().union(*(one.parts for one in chosen))
    return {part: digest for part, digest in guests.parts.items() if part in needed}


def programs_of(chosen: Iterable[Run]) -> dict[str, str]:
    """Ours that their guests have."""
    usual, cases = _kinds(chosen)
    return {name: programs.digest(name) for name in sorted(programs.used(usual) | used(cases))}


def _kinds(chosen: Iterable[Run]) -> tuple[list[Conditions], list[Case]]:
    listed = list(chosen)
    return [c for c in listed if isinstance(c, Conditions)], [c for c in listed if isinstance(c, Case)]


def striping_store(runner: Runner) -> Path:
    return runner.store.runs.with_name("striping")


def outcomes(chosen: Sequence[Run], guests: Guests, runner: Runner) -> dict[Run, Any]:
    """What each gave, but those that failed; what is in the store does not run again."""
    usual, cases = _kinds(chosen)
    found: dict[Run, Any] = {}
    given = measure_all(guests, cases, striping_store(runner), runner.jobs)
    for case, outcome in zip(cases, given, strict=True):
        found[case] = asdict(outcome)
    for c, result in (runner.run(usual) if usual else {}).items():
        found[c] = [numbers(result).flows, result.path_bytes]
    return found


def digits(found: Mapping[Run, Any]) -> str:
    """Of each run LENGTH: of what its programs measured, and of how much went over each path."""
    return "".join(map(of_outcome, found.values()))


def of_outcome(outcome: Any) -> str:
    return hashlib.sha256(json.dumps(outcome, sort_keys=True).encode()).hexdigest()[:LENGTH]


def described(one: Run) -> str:
    """For a message."""
    if isinstance(one, Case):
        return str(one)
    where = " + ".join(map(str, one.paths))
    return f"{one.scheduler}, {one.congestion}, {one.workload.name}, seed {one.seed}, over {where}"


def split(together: str) -> list[str]:
    """The digits of each run."""
    return [together[i : i + LENGTH] for i in range(0, len(together), LENGTH)]
