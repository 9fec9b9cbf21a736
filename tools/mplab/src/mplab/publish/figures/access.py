# SPDX-License-Identifier: MIT
"""The access networks of Kaspar's thesis (Multipath Aggregation of Heterogeneous Networks, 2011, table 3.1)
as paths, and what may use several of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from ...lab import traces
from ...lab.paths import HEADERS, Event, Path
from ...run.experiment import TCP, Conditions
from ...traffic import Workload
from .recorded import PAIRS

KB = 1_000
PACKETS = 200  # of the queues (5.3.1): under load RTTs are 0.5 and 1 s, as in the thesis' table 5.3
PAYLOAD = 1500 - HEADERS[4]
FRAME = 1514


def link(speed: float, rtt: float, queue: float = 0.0) -> Path:
    """A path over which TCP gets so many bytes a second. queue: in s, instead of PACKETS."""
    packets = 0 if queue else PACKETS
    return Path(speed * 8 * FRAME / PAYLOAD, rtt, queue, queue_packets=packets)


# bytes a second that TCP gets, and RTT. HSPA1: S_min of the thesis has 110 ms one way
WLAN1, HSPA1, HSPA2 = link(600 * KB, 0.010), link(300 * KB, 0.220), link(460 * KB, 0.158)

# Recordings that vary as little as a network in which nobody moves, of the project's
STEADY, WAVERING = ("07-verizon", "09-tmobile"), ("07-tmobile", "01-tmobile")
LEAST = 0.02  # of the mean rate, where the recording has less


def varying(path: Path, recording: str, since: int) -> Path:
    """The path with the ups and downs of a recorded link, from a second of it on; its mean stays."""
    values = _recorded(recording)
    mean = sum(values) / len(values)
    turned = [max(value / mean, LEAST) for value in [*values[since:], *values[:since]]]
    events = [Event(float(n), "rate", path.rate * share) for n, share in enumerate(turned * 4)]
    return replace(path, rate=events[0].value, events=tuple(events[1:]))


@cache
def _recorded(name: str) -> tuple[float, ...]:
    return tuple(traces.load(name, traces.RATE).values)


def standing(first: Path, second: Path, step: int) -> list[tuple[Path, Path]]:
    """Both networks as they vary for somebody who does not move, begun every so many seconds of a minute."""
    return [
        (varying(first, one, since), varying(second, other, since))
        for one in STEADY
        for other in WAVERING
        for since in range(0, 60, step)
    ]


def moving(first: Path, second: Path, step: int) -> list[tuple[Path, Path]]:
    """As two networks did that a car saw at the same time, each in the place of either."""
    return [
        (varying(first, one, since), varying(second, other, since))
        for pair in PAIRS
        for one, other in (pair, pair[::-1])
        for since in range(0, 60, step)
    ]


@dataclass(frozen=True)
class Rival:
    """A way to use several paths. tcp: a connection on each; else the name of a scheduler, or TCP on the
    first path."""

    name: str
    scheduler: str
    workload: Workload

    def over(self, paths: Sequence[Path], seed: int = 0) -> Conditions:
        every = self.scheduler == "interfaces"
        scheduler = TCP if every else self.scheduler
        first = tuple(paths) if scheduler != TCP or every else (paths[0],)
        return Conditions(
            first,
            scheduler,
            workload=self.workload,
            topology="interfaces" if every else "disjoint",
            seed=seed,
        )


def having(rivals: Sequence[Rival], schedulers: Sequence[str]) -> list[Rival]:
    """Without those whose scheduler the kernel does not have."""
    return [r for r in rivals if r.scheduler in (TCP, "interfaces", *schedulers)]
