# SPDX-License-Identifier: MIT
"""What a transfer costs in CPU time on one kernel, relative to another.

The guest's process time for the same transfer in virtual time, the two kernels in turn on the same
CPU, so that a machine whose speed drifts slows both. Boot and topology are measured with an empty
transfer and taken off.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from statistics import median

from rich.table import Table

from . import paths
from .experiment import TCP, Conditions, measure
from .guest import Guests
from .report import console
from .workloads import Bulk

NETWORK = (paths.parse("200mbit,10ms,20ms"), paths.parse("200mbit,10ms,20ms"))
MODES = {"plain TCP": TCP, "MPTCP, default scheduler": "default"}
EMPTY = 0.5  # seconds of a transfer that costs next to nothing


def _run(guests: Guests, scheduler: str, seconds: float) -> tuple[float, float]:
    """CPU seconds and gigabytes."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    result = measure(guests, Conditions(NETWORK, scheduler, workload=Bulk(seconds, 0)), cpu=0)
    return used() - before, result.goodput * seconds / 8e9


def _cost(guests: Guests, scheduler: str, seconds: float) -> float:
    """CPU seconds per gigabyte."""
    base, none = _run(guests, scheduler, EMPTY)
    cpu, gigabytes = _run(guests, scheduler, seconds)
    return (cpu - base) / (gigabytes - none)


def compare(kernels: tuple[Path, Path], seconds: float, rounds: int) -> Table:
    """CPU time per gigabyte on both kernels, and the ratio first to second."""
    view = Table(
        title=f"CPU time, {seconds:g} s over 2 x 200 Mbit/s, {rounds} rounds in turn: median [min..max]",
        title_justify="left",
    )
    for name in ("transfer", *(f"{os.path.relpath(k)} s/GB" for k in kernels), "ratio"):
        view.add_column(name, justify="left" if name == "transfer" else "right")
    with Guests(kernels[0]) as one, Guests(kernels[1]) as other:
        for mode, scheduler in MODES.items():
            costs: tuple[list[float], list[float]] = ([], [])
            for n in range(rounds):
                print(f"mplab: {mode}: round {n + 1} of {rounds}", file=sys.stderr)
                for guests, cost in zip((one, other), costs, strict=True):
                    cost.append(_cost(guests, scheduler, seconds))
            ratios = [a / b for a, b in zip(*costs, strict=True)]
            view.add_row(
                mode,
                *(f"{median(c):.2f} [{min(c):.2f}..{max(c):.2f}]" for c in costs),
                f"{median(ratios):.3f} [{min(ratios):.3f}..{max(ratios):.3f}]",
            )
    return view


def show(kernels: tuple[Path, Path], seconds: float, rounds: int) -> None:
    console().print(compare(kernels, seconds, rounds))
