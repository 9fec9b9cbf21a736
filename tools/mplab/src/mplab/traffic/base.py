# SPDX-License-Identifier: MIT
"""What all workloads share: how a flow's two programs are started, and how their results are read."""

from __future__ import annotations

import json
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from statistics import median
from typing import Any, ClassVar

from ..lab.guest import INSIDE, MPTCPCTL, GuestError
from ..lab.network import MPTCP, UP, Network
from ..lab.topology import CLIENT, SERVER, address, host
from ..words.settings import span
from . import metrics

# Alone, without site-packages; and all guests compile these programs anew, whether or not there
# is a cache beside them: what a guest does must not depend on that.
PYTHON = "/usr/bin/python3"
ISOLATED = "-I -S -B -X pycache_prefix=/run/none"
PORT = 5001
Json = dict[str, Any]


class Ends:
    """Both ends of a flow.

    beside: it runs until the main flows are done. window: from when to when the main flows counted,
    by the guest's clock (known when they are done). stagger: it begins within so many seconds.
    seed: the run's.
    """

    def __init__(
        self,
        network: Network,
        flow: int,
        directory: FilePath,
        *,
        beside: bool = False,
        window: tuple[float, float] = (0.0, 0.0),
        stagger: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.network, self.flow, self.directory = network, flow, directory
        self.beside, self.window = beside, window
        self.stagger, self.seed = stagger, seed
        self.protocol = network.flows[flow].protocol
        self.route = network.route_numbers(flow).start
        self.family = self._family()

    def _family(self) -> int:
        """An IPv6 socket takes subflows of both kinds, an IPv4 socket only its own."""
        routes = range(len(self.network.flows[self.flow].routes))
        return max(self.network.family(self.flow, r) for r in routes)

    def address(self, role: str, number: int = 0) -> str:
        """Of the client or the server, on one of the routes, by default the first."""
        family = self.network.family(self.flow, number)
        mapped = "::ffff:" if self.family == 6 and family == 4 else ""
        return mapped + address(role, self.route + number, family)

    @property
    def url_host(self) -> str:
        """The server's address as it stands in a URL."""
        found = self.address(SERVER)
        return f"[{found}]" if ":" in found else found

    def file(self, label: str) -> FilePath:
        return self.directory / f"{label}-{self.flow}.json"

    def command(
        self, program: str, listen: bool, *, label: str = "", at: str = "", port: int = PORT, **settings: Any
    ) -> str:
        """A program of ours in the background. The server listens, unless `at` says who does what.

        label: of its result, the program's name by default.
        """
        at = at or (SERVER if listen else CLIENT)
        config = {
            **{"program": program, "listen": listen, "protocol": self.protocol, "route": self.route},
            **{"address": self.address(CLIENT if at == SERVER else SERVER), "port": port},
            **{"family": self.family, "stagger": self.stagger},
            **{"out": str(self.file(label or program)), **settings},
        }
        return self.background(f"{PYTHON} {ISOLATED} {shlex.join([str(INSIDE), json.dumps(config)])}", at)

    def background(self, command: str, at: str, server: bool = False) -> str:
        """A command of one of the hosts. server: it has no end of its own."""
        group = "rest" if self.beside or server else "pids"
        return f'ip netns exec {host(at, self.flow)} {command} & {group}="${group} $!"\n'

    def over(self, *command: str) -> str:
        """Somebody else's program, with the flow's protocol."""
        run = [str(MPTCPCTL), "run", "--"] if self.protocol == MPTCP else []
        return shlex.join([*run, *command])

    def result(self, label: str) -> Json:
        try:
            return json.loads(self.file(label).read_text())
        except (OSError, json.JSONDecodeError):
            raise GuestError(f"flow {self.flow}: '{label}' left no result") from None

    def check_subflows(self, trace: Sequence[tuple[float, list[Json]]]) -> None:
        """Each route must have had a subflow, or the figure would be another experiment's."""
        if self.protocol != MPTCP:
            return
        if not any(subflow["sent"] for _, subflows in trace for subflow in subflows):
            raise GuestError("0.00 Mbit/s: the scheduler did not send a byte")
        wanted = set(self.network.route_numbers(self.flow))
        seen = {subflow["route"] for _, subflows in trace for subflow in subflows}
        if not wanted <= seen:
            raise GuestError(f"only {len(seen & wanted)} of {len(wanted)} subflows came up")


class Workload(ABC):
    """What the main flows do: a dataclass of its settings.

    judged: the figure that tells a good run from a bad one, and whether less of it is better.
    needs: programs of the host. warmup: seconds that do not count.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    direction: ClassVar[str] = UP
    judged: ClassVar[tuple[str, bool]] = ("goodput_bps", False)
    warmup: ClassVar[float] = 0.0

    @property
    def fills(self) -> bool:
        """Whether it takes all that the paths have, for as long as it lasts."""
        return False

    @property
    def paced(self) -> bool:
        """Whether it has a rate of its own, so that goodput tells nothing of the network."""
        return False

    @property
    def seconds(self) -> float | None:
        """How long it lasts; None: until all of it is done."""
        return None

    def wrong(self) -> str:
        """What in the settings does not fit together; empty: nothing."""
        return ""

    @abstractmethod
    def listening(self, ends: Ends) -> str:
        """Shell commands that start what waits for the peer."""

    @abstractmethod
    def connecting(self, ends: Ends) -> str:
        """Shell commands that start what begins."""

    @abstractmethod
    def evaluate(self, ends: Ends) -> Json:
        """What the guest left, as figures; goodput_bps is always there."""


@dataclass(frozen=True)
class Timed(Workload):
    """A workload for a while, of which the warm-up does not count."""

    duration: float = span(30.0, least=1.0)
    warmup: float = span(5.0)

    @property
    def seconds(self) -> float:
        return self.warmup + self.duration


def rates(rows: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """Bit/s between samples."""
    pairs = zip(rows, rows[1:], strict=False)
    # less than before: a subflow went, and what it had sent
    return [(round(t, 3), round(max(b - a, 0) * 8 / (t - s))) for (s, a), (t, b) in pairs if t > s]


def by_route(sent: Json) -> dict[str, list[tuple[float, Json]]]:
    """Per route, the state of its subflow over time; while an old one closes, of the new one."""
    states: dict[str, list[tuple[float, Json]]] = {}
    for t, subflows in sent["trace"]:
        for route in {s["route"] for s in subflows} - {0}:  # 0: closed, with no address any more
            same = [s for s in subflows if s["route"] == route]
            state = {**same[-1], "sent": sum(s["sent"] for s in same)}
            states.setdefault(str(route), []).append((round(t - sent["start"], 3), state))
    return states


def median_rtts(states: Mapping[str, list[tuple[float, Json]]], warmup: float) -> dict[str, float]:
    """Per route, the smoothed round-trip time as the sender has it, after the warm-up."""
    times = {route: [s["srtt_us"] for t, s in trace if t >= warmup] for route, trace in states.items()}
    return {route: median(values) / 1e6 for route, values in times.items() if values}


def sent_bytes(sent: Json) -> dict[str, int]:
    """Bytes that the subflows sent, how many of them again on the same subflow, and the same of
    the connection: what it sent again went to another subflow."""
    last = sent["trace"][-1][1] if sent["trace"] else []
    return {
        "subflow_bytes_sent": sum(s["sent"] for s in last),
        "subflow_bytes_retransmitted": sum(s["retrans"] for s in last),
        **sent["totals"],
    }


def delays(found: Sequence[float], name: str = "delay") -> dict[str, Any]:
    """A distribution as figures; percentiles only of enough values."""
    summary = metrics.delay_summary(found)
    return {
        f"{name}_min_s": summary.min,
        f"{name}_p50_s": summary.p50,
        f"{name}_p95_s": summary.p95,
        f"{name}_p99_s": summary.p99,
        f"{name}_max_s": summary.max,
        f"{name}s_s": list(found),
    }
