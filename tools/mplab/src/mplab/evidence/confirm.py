# SPDX-License-Identifier: MIT
"""Numbers of an older kernel, confirmed on this one: a share of their runs gives the digits that it gave.

Runs are the same to the byte on the same kernel, so a change shows in the digits of each run that it touches.
One that touches a run in twenty is missed by 60 runs once in twenty times: few runs confirm a number,
hundreds confirm all of them together. Each commit draws others.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import replace

from ..lab import parts
from ..lab.guest import Guests
from ..run.runner import Runner
from . import runs
from .plan import EvidenceError, Measured

LEAST = 2  # of a number's runs


def drawn(name: str, count: int, percent: float, commit: str) -> list[int]:
    """Which of the runs: the same for whoever asks at this commit."""
    size = min(count, max(LEAST, math.ceil(count * percent / 100)))
    return sorted(random.Random(f"{name} {commit}").sample(range(count), size))


def confirm(
    name: str, known: Measured, args: argparse.Namespace, guests: Guests, runner: Runner, percent: float
) -> tuple[Measured | None, list[str]]:
    """As of this kernel, or None and the runs that are not as they were. args: its command, parsed."""
    every, before, commit = runs.wanted(args, guests), runs.split(known.digits), parts.commit()
    if len(before) != len(every):
        raise EvidenceError(
            f"{name}.json has the digits of {len(before)} runs, its command has {len(every)} now:"
            f" run 'make evidence ONLY={name}'"
        )
    chosen = drawn(name, len(every), percent, commit)
    found = runs.outcomes([every[i] for i in chosen], guests, runner)
    wrong = [runs.described(every[i]) for i in chosen if runs.of_outcome(found.get(every[i])) != before[i]]
    if wrong:
        return None, wrong
    state = {"commit": commit, "parts": runs.parts_of(every, guests), "programs": runs.programs_of(every)}
    origin = known.measured or known.commit
    return replace(known, **state, confirmed=len(chosen), measured=origin), []
