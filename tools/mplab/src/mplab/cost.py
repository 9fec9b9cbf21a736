# SPDX-License-Identifier: MIT
"""What a transfer costs in CPU time on one kernel, relative to another.

The guest's process time for a fixed transfer in virtual time, the two kernels in turn, so that a
machine whose speed drifts slows both. Boot and topology are measured with an empty transfer and
taken off.
"""

from __future__ import annotations

import os
import resource
import shlex
import sys
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from . import paths, topology
from .guest import MPTCPCTL, Guests, scratch

NETWORK = [paths.parse("200mbit,10ms,20ms"), paths.parse("200mbit,10ms,20ms")]
MODES = {
    "plain TCP": "",
    "MPTCP, default scheduler": f"{shlex.quote(str(MPTCPCTL))} run -- ",
}


def _script(mode: str, megabytes: int) -> str:
    if not megabytes:
        return topology.script(NETWORK)
    prefix = MODES[mode]
    client = f"iperf3 -c {topology.SERVER_ADDRESS} -n {megabytes}M -i 0"
    return (
        topology.script(NETWORK)
        + f"ip netns exec {topology.SERVER} {prefix}iperf3 -s -1 >/dev/null &\n"
        + f"sleep 0.5\nip netns exec {topology.CLIENT} {prefix}{client} >/dev/null\n"
    )


def _cpu_seconds(guests: Guests, mode: str, megabytes: int) -> float:
    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    with scratch() as directory:
        guests.run(_script(mode, megabytes), directory)
    return used() - before


def compare(kernels: tuple[Path, Path], megabytes: int, rounds: int) -> Table:
    """CPU time per gigabyte on both kernels, and the ratio first to second."""
    view = Table(
        title=f"CPU time, {megabytes} MB, {rounds} rounds in turn: median [min..max]",
        title_justify="left",
    )
    for name in ("transfer", *(f"{os.path.relpath(k)} s/GB" for k in kernels), "ratio"):
        view.add_column(name, justify="left" if name == "transfer" else "right")
    with Guests(kernels[0]) as one, Guests(kernels[1]) as other:
        empty = [median(_cpu_seconds(g, "plain TCP", 0) for _ in range(3)) for g in (one, other)]
        for mode in MODES:
            costs: tuple[list[float], list[float]] = ([], [])
            for n in range(rounds):
                print(f"mplab: {mode}: round {n + 1} of {rounds}", file=sys.stderr)
                for guests, base, cost in zip((one, other), empty, costs, strict=True):
                    seconds = _cpu_seconds(guests, mode, megabytes) - base
                    cost.append(seconds * 1000 / megabytes)
            ratios = [a / b for a, b in zip(*costs, strict=True)]
            view.add_row(
                mode,
                *(f"{median(c):.2f} [{min(c):.2f}..{max(c):.2f}]" for c in costs),
                f"{median(ratios):.3f} [{min(ratios):.3f}..{max(ratios):.3f}]",
            )
    return view


def show(kernels: tuple[Path, Path], megabytes: int, rounds: int) -> None:
    console = Console(width=120)
    console.print(compare(kernels, megabytes, rounds))
