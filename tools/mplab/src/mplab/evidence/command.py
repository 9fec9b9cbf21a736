# SPDX-License-Identifier: MIT
"""mplab evidence: measure what the plan names, confirm it on a later kernel, write it into the documents,
check that all fits."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import textwrap
from collections.abc import Iterator

from ..lab import parts
from ..lab.guest import Guests
from ..run import asked
from ..run.cluster import spread
from ..run.runner import exit_status
from ..words.places import writable
from ..words.units import UsageError
from . import check, confirm, measure, plan, runs, scoreboard, texts
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


@contextlib.contextmanager
def _kernel(args: argparse.Namespace, planned: plan.Plan) -> Iterator[Guests]:
    """That of these sources."""
    for name in args.only:
        if name not in planned.commands:
            raise plan.EvidenceError(f"plan.toml measures no '{name}'; it has {', '.join(planned.commands)}")
    with asked.guests([args.kernel], args) as kernels:
        guests = kernels[args.kernel]
        if guests.parts != parts.of():
            raise plan.EvidenceError(
                f"{guests.kernel} is not of these sources: run 'make kernel'; edits of its tree have to be"
                " in patches/"
            )
        yield guests


def _confirm(args: argparse.Namespace, planned: plan.Plan) -> int:
    """Those that are named, or that an older kernel gave; the exit status."""
    out, status = writable(args.out), 0
    with _kernel(args, planned) as guests:
        can = [name for name in planned.commands if _can_be_confirmed(name, planned, guests)]
        for name in args.only or can:
            parsed = args.parse(shlex.split(planned.commands[name]))
            with spread.runner(args, {"patched": guests}, out) as runner:
                found, wrong = confirm.confirm(name, plan.load(name), parsed, guests, runner, args.share)
            if found:
                plan.save(name, found)
                plan.no_longer_once(name)
                print(f"{name}: {found.confirmed} of {found.runs} runs give the same", flush=True)
            for which in wrong:
                # a path that changes each second takes pages
                short = textwrap.shorten(which, 300, placeholder=" …")
                print(f"{name} is to be measured anew, other digits come of {short}", flush=True)
                status = 1
    return status


def _can_be_confirmed(name: str, planned: plan.Plan, guests: Guests) -> bool:
    known = _known(name)
    if not known or not known.digits or known.command != planned.commands[name]:
        return False
    return bool(known.changed(guests.parts))


def _measure(args: argparse.Namespace, planned: plan.Plan) -> int | None:
    """Each file as soon as it is known; runs that are in the store are not repeated. Or a share of the runs,
    and the exit status."""
    out = writable(args.out)
    with _kernel(args, planned) as guests:
        usual = planned.usual()
        names = args.only or [name for name in usual if _is_due(name, planned, guests)]
        _announce(names, len(usual))
        parsed = {name: args.parse(shlex.split(planned.commands[name])) for name in names}
        by_label = {"patched": guests}
        if args.shard or args.slurm:
            needed = [c for one in parsed.values() for c in runs.conditions(one, guests)]
            return exit_status(spread.share(args, needed, by_label, out) or [])
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
    if args.only and args.what in ("write", "check"):
        raise UsageError(f"evidence {args.what} looks at all numbers: leave out --only")
    try:
        planned, status = plan.read(), None
        if args.what == "measure":
            status = _measure(args, planned)
            if status is not None:
                return status
        elif args.what == "confirm":
            status = _confirm(args, planned)
        if args.what != "check":
            _write(plan.read())  # "once" is another list now
            return status or 0
        found = check.problems(planned)
    except plan.EvidenceError as error:
        raise UsageError(str(error)) from None
    width = shutil.get_terminal_size().columns
    for problem in found:
        print(
            textwrap.fill(
                problem, width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
            )
        )
    return 1 if found else 0
