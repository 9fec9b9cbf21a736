# SPDX-License-Identifier: MIT
"""mplab evidence: measure what the plan names, write it into the documents, check that all fits."""

from __future__ import annotations

import argparse
import os
import shlex

from ..lab import parts
from ..lab.guest import Guests
from ..run import asked
from ..run.cluster import spread
from ..run.runner import exit_status
from ..words.places import writable
from ..words.units import UsageError
from . import check, measure, plan, scoreboard, texts
from .moved import moved


def _known(name: str) -> plan.Measured | None:
    try:
        return plan.load(name)
    except plan.EvidenceError:
        return None


def _is_due(name: str, planned: plan.Plan, guests: Guests) -> bool:
    """Would it come out otherwise on this kernel, as far as one can know?"""
    known = _known(name)
    return not known or known.command != planned.commands[name] or bool(known.changed(guests.parts))


def _announce(names: list[str], count: int) -> None:
    """What comes, and how long all of it took the last time."""
    known = [found for name in names if (found := _known(name))]
    runs, spent = sum(found.runs for found in known), sum(found.seconds for found in known)
    cost = f" ({runs} runs, {check.minutes(spent)} of a CPU the last time)" if spent else ""
    print(f"to measure, of {count}: {', '.join(names) or 'nothing'}{cost}", flush=True)


def _measure(args: argparse.Namespace, planned: plan.Plan) -> int | None:
    """Each file as soon as it is known; runs that are in the store are not repeated. Or a share of the runs,
    and the exit status."""
    for name in args.only:
        if name not in planned.commands:
            raise plan.EvidenceError(f"plan.toml measures no '{name}'; it has {', '.join(planned.commands)}")
    out = writable(args.out)
    with asked.guests([args.kernel], args) as kernels:
        guests, usual = kernels[args.kernel], planned.usual()
        if guests.parts != parts.of():
            raise plan.EvidenceError(
                f"{guests.kernel} is not of these sources: run 'make kernel'; edits of its tree have to be"
                " in patches/"
            )
        names = args.only or [name for name in usual if _is_due(name, planned, guests)]
        _announce(names, len(usual))
        parsed = {name: args.parse(shlex.split(planned.commands[name])) for name in names}
        by_label = {"patched": guests}
        if args.shard or args.slurm:
            runs = [c for one in parsed.values() for c in measure.runs(one, guests)]
            return exit_status(spread.share(args, runs, by_label, out) or [])
        for name in names:
            known = _known(name)
            with spread.runner(args, by_label, out) as runner:
                before, command = known.seconds if known else 0, planned.commands[name]
                found = measure.measure(command, parsed[name], guests, runner, before)
            plan.save(name, found)
            for line in moved(known, found) if known else []:
                print(f"{name} moved: {line}", flush=True)
            plan.no_longer_once(name)
    return None


def _write(planned: plan.Plan) -> None:
    written = []
    for document in texts.documents():
        text = document.read_text()
        renewed = texts.renewed(text, planned, plan.load)
        if renewed != text:
            document.write_text(renewed)
            written.append(os.path.relpath(document))
    if "rivals" in planned.commands and scoreboard.write(plan.load):
        written.append(scoreboard.FILE)
    print("written:", ", ".join(written) or "nothing, the texts have these numbers already")


def run(args: argparse.Namespace) -> int:
    try:
        planned = plan.read()
        if args.what == "measure":
            status = _measure(args, planned)
            if status is not None:
                return status
            planned = plan.read()
        if args.what != "check":
            _write(planned)
            return 0
        found = check.problems(planned)
    except plan.EvidenceError as error:
        raise UsageError(str(error)) from None
    for problem in found:
        print(problem)
    return 1 if found else 0
