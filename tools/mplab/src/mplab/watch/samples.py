# SPDX-License-Identifier: MIT
"""What sampler.py sees of a run: how it is started, its lines, and what they say over time."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..lab.topology import Plan, host, router
from ..run.experiment import Conditions
from ..traffic.base import ISOLATED, PYTHON

SAMPLER = Path(__file__).with_name("sampler.py")
FILE = "samples"  # in the directory that guest and host share

RECEIVED, QUEUES, OUT_OF_ORDER = (
    "received_over_time_s_bps",
    "queue_over_time_s_bytes",
    "out_of_order_over_time_s_bytes",
)
CONNECTION = "connection"  # beside the numbers of paths
Course = list[tuple[float, float]]


@dataclass(frozen=True)
class Sample:
    """`at` seconds after the traffic began. Per path: bytes that the main flows received so far, bytes that
    the bottleneck sent so far, those of others too, and bytes in its queue; headers included. ahead: bytes
    that wait in the connection for others before them. behind: memory that waits behind a loss on the path.
    """

    at: float
    received: tuple[int, ...]
    sent: tuple[int, ...]
    queues: tuple[int, ...]
    ahead: int
    behind: tuple[int, ...]

    @staticmethod
    def parse(line: str) -> Sample:
        at, received, sent, queues, ahead, behind = json.loads(line)
        return Sample(at, tuple(received), tuple(sent), tuple(queues), ahead, tuple(behind))


@cache
def used(c: Conditions) -> list[int]:
    """The paths, from 0, that have traffic: plain TCP uses one."""
    there_are = Plan(c.network()).namespaces
    return [b for b in range(len(c.paths)) if router(b + 1) in there_are]


def _receivers(c: Conditions) -> tuple[dict[str, dict[str, int]], dict[int, int]]:
    """Of the main flows: hosts, with the path of each device; the path of each route."""
    network = c.network()
    plan, hosts, routes = Plan(network), dict[str, dict[str, int]](), dict[int, int]()
    for f in range(c.main_flows):
        name = host(plan.sink, f)
        for number, way in zip(network.route_numbers(f), network.flows[f].routes, strict=True):
            routes[number] = way[0] + 1
            hosts.setdefault(name, {})[plan.host_device(name, number)] = way[0] + 1
    return hosts, routes


def start(c: Conditions, directory: Path) -> str:
    """Shell commands to be put before a run's: what waits for its traffic, and looks on."""
    plan, (hosts, routes), paths = Plan(c.network()), _receivers(c), used(c)
    config = {
        "times": str(directory / "times"),
        "out": str(directory / FILE),
        "routers": [router(b + 1) if b in paths else "" for b in range(len(c.paths))],
        "hosts": hosts,
        "routes": routes,
        "sink": plan.sink,
        "families": plan.families,
    }
    return f"{PYTHON} {ISOLATED} {shlex.join([str(SAMPLER), json.dumps(config)])} &\n"


class Reader:
    """Hands out what a guest has written since the last call, whole lines only."""

    def __init__(self, directory: Path) -> None:
        self._file, self._at = directory / FILE, 0

    def new(self) -> list[Sample]:
        if not self._file.exists():
            return []
        with self._file.open("rb") as file:
            file.seek(self._at)
            raw = file.read()
        whole = raw[: raw.rfind(b"\n") + 1]
        self._at += len(whole)
        return [Sample.parse(line) for line in whole.decode().splitlines()]


def _rates(samples: Sequence[Sample], counts: Sequence[int]) -> Course:
    """bit/s, from each sample to the next."""
    steps = zip(samples, samples[1:], counts, counts[1:], strict=False)
    return [(b.at, 8 * max(n - m, 0) / (b.at - a.at)) for a, b, m, n in steps if b.at > a.at]


def _others(samples: Sequence[Sample], b: int) -> list[int]:
    """What the bottleneck sent of others. What is on its way to the receiver is none of theirs for long."""
    return [s.sent[b] - s.received[b] for s in samples]


def courses(c: Conditions, samples: Sequence[Sample]) -> dict[str, dict[str, Course]]:
    """Per figure and line, over time. A line is a path, from "1"; after these "1, others", or the connection:
    so a path has one colour in all charts."""
    received, queues, waits = dict[str, Course](), dict[str, Course](), dict[str, Course]()
    for b in used(c):
        name = str(b + 1)
        received[name] = _rates(samples, [s.received[b] for s in samples])
        queues[name] = [(s.at, s.queues[b]) for s in samples]
        waits[name] = [(s.at, s.behind[b]) for s in samples]
    for b in used(c) if c.others else ():
        received[f"{b + 1}, others"] = _rates(samples, _others(samples, b))
    if not c.plain_tcp:
        waits[CONNECTION] = [(s.at, s.ahead) for s in samples]
    return {RECEIVED: received, QUEUES: queues, OUT_OF_ORDER: waits}


def line_name(name: str) -> str:
    """As people read it."""
    return f"path {name}" if name[:1].isdigit() else name


def per_second(samples: Sequence[Sample]) -> Iterator[tuple[Sample, Sample]]:
    """The first of each second, with the one before."""
    before = samples[0] if samples else None
    for sample in samples:
        assert before
        if int(sample.at + 1e-6) > int(before.at + 1e-6):
            yield before, sample
            before = sample


def with_courses(flows: tuple[dict[str, Any], ...], c: Conditions, samples: Sequence[Sample]) -> tuple:
    """The first flow has them beside what its workload measured."""
    return ({**flows[0], **courses(c, samples)}, *flows[1:])
