# SPDX-License-Identifier: MIT
"""What a SYN/ACK costs, by protocol and kernel, beside connections that are there.

CPU time of the guest's process for rounds of 20,000 SYNs that are answered, nothing else; what comes
before is measured by itself, and taken off. Sending a SYN is in it, in the same way for all: what
MPTCP takes is what it takes more than TCP.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.markup import escape
from rich.table import Table

from ...inside.syns import ADDRESS, DEVICE, LOW, NOBODYS, SYNS
from ...lab.guest import INSIDE, GuestError, Guests, scratch
from ...traffic.base import ISOLATED, PYTHON, Json
from .crowd import MEMORY
from .measure import in_turn, ratio, used

TCP, CAPABLE, JOIN = "tcp", "capable", "join"
KINDS = {TCP: "SYN of TCP", CAPABLE: "MP_CAPABLE", JOIN: "MP_JOIN"}
LOWS = {LOW + CAPABLE: "MP_CAPABLE, low overhead", LOW + JOIN: "MP_JOIN, low overhead"}  # the first kernel's
PRESENT = (0, 1000, 10000, 20000)  # other connections
TIMES = 50  # 20,000 SYNs


@dataclass(frozen=True)
class Case:
    """SYNs of a kind that a kernel answers, beside others."""

    guests: Guests
    kind: str
    present: int


def _run(case: Case, rounds: int) -> tuple[float, Json]:
    """CPU seconds, and what the program in the guest found."""
    before = used()
    with scratch() as directory:
        out = directory / "syns.json"
        config = {"program": "syns.syns", "kind": case.kind, "present": case.present}
        config |= {"rounds": rounds, "out": str(out)}
        lines = [f"ip addr add {ADDRESS}/32 dev lo", f"ip tuntap add {DEVICE} mode tun"]
        lines += [f"ip link set {DEVICE} up", f"ip route add {NOBODYS} dev {DEVICE}"]
        lines += [f"{PYTHON} {ISOLATED} {shlex.join([str(INSIDE), json.dumps(config)])}", ""]
        case.guests.run(" &&\n".join(lines).removesuffix(" &&\n") + "\n", directory, "--mem", MEMORY)
        return used() - before, json.loads(out.read_text())


def _each(case: Case) -> float:
    """CPU microseconds of a SYN and its answer."""
    base, _ = _run(case, 0)
    cpu, found = _run(case, TIMES)
    if found["answered"] < TIMES * SYNS * 0.99:
        raise GuestError(f"{case.kind}: {found['answered']} of {TIMES * SYNS} SYNs were answered")
    return (cpu - base) / (TIMES * SYNS) * 1e6


def _beyond(costs: Sequence[float], of_tcp: Sequence[float]) -> list[float]:
    return [cost - tcp for cost, tcp in zip(costs, of_tcp, strict=True)]


def _row(costs: Sequence[Sequence[float]], tcp: Sequence[Sequence[float]]) -> list[str]:
    """What the columns show: of each kernel, their ratio, the same of what is beyond TCP."""
    beyond = [_beyond(*both) for both in zip(costs, tcp, strict=True)]
    shown = [f"{median(one):.2f}" for one in costs] + [ratio(*costs)]
    if costs is not tcp:
        shown += [f"{median(one):.2f}" for one in beyond] + [ratio(*beyond)]
    return shown


def compare(kernels: Sequence[Path], rounds: int) -> Table:
    """SYN/ACKs of both kernels, what MPTCP adds to TCP's, and the ratio first to second of both. The
    low-overhead handshake of the first is compared with the second one's ordinary one."""
    title = f"A SYN and its SYN/ACK, {rounds} rounds in turn: medians, [min..max]"
    view = Table(title=escape(title), title_justify="left")
    names = [os.path.relpath(kernel) for kernel in kernels]
    columns = ("SYN", "others", *(f"{name} \u00b5s" for name in names), "ratio")
    for column in (*columns, *(f"{name} beyond TCP" for name in names), "ratio of that"):
        view.add_column(column, justify="left" if column == "SYN" else "right")
    with ExitStack() as stack:
        first, second = (stack.enter_context(Guests(kernel)) for kernel in kernels)
        for present in PRESENT:
            cases = [Case(guests, kind, present) for kind in KINDS for guests in (first, second)]
            cases += [Case(first, kind, present) for kind in LOWS]
            found = in_turn(cases, _each, rounds, f"SYNs beside {present} connections")
            costs = {(case.guests, case.kind): one for case, one in zip(cases, found, strict=True)}
            tcp = [costs[guests, TCP] for guests in (first, second)]
            for kind, what in KINDS.items():
                both = [costs[guests, kind] for guests in (first, second)] if kind != TCP else tcp
                view.add_row(what, f"{present:,}", *_row(both, tcp))
            for kind, what in LOWS.items():
                both = [costs[first, kind], costs[second, kind.removeprefix(LOW)]]
                view.add_row(what, f"{present:,}", *_row(both, tcp))
            print(f"mplab: beside {present}: {[round(median(one), 2) for one in found]}", file=sys.stderr)
    return view
