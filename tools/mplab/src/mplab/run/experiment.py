# SPDX-License-Identifier: MIT
"""One run: its conditions, the guest's script, and what came of it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from textwrap import shorten
from typing import Any

from ..lab import network, one_address, parts, timeline, topology
from ..lab.guest import BOOT, INSIDE, MPTCPCTL, GuestError, Guests, OutOfTime, scratch
from ..lab.network import Network
from ..lab.paths import Path
from ..traffic import PYTHON, Bulk, Ends, Workload, metrics
from ..traffic.beside import Beside, Tcp

TCP = "tcp"  # instead of a scheduler's name: plain TCP, over the first path
INSTANT = INSIDE / "instant.py"
STAGGER = 0.5  # seconds within which flows start that share a network
PATIENCE = 20_000  # of the guest's seconds, or some times the transfer's if that is longer


@dataclass(frozen=True)
class Conditions:
    """All that a result depends on, beside the kernel and this program.

    tcp_path: the one that plain TCP uses, from 1. beside: traffic of others. competing is short for
    so many TCP flows of others on each path (disjoint) or in all (shared), with their own congestion
    control; competing_path: the only path that has them, from 1 (0: each); competitor: when they
    send (None: as long as the main flows). subflows: of the shared topology; connections: of it, or
    the servers of an incast. buffer: limit of send and receive buffers in bytes (None: the
    kernel's). sysctls: names below /proc/sys/net and values, for the main flows' hosts. offload: TSO,
    GSO and GRO at the hosts. seed: of the guest's random numbers.
    """

    paths: tuple[Path, ...]
    scheduler: str = "default"
    congestion: str = "cubic"
    workload: Workload = field(default_factory=Bulk)
    topology: str = "disjoint"
    subflows: int = 1
    connections: int = 1
    tcp_path: int = 1
    beside: tuple[Beside, ...] = ()
    competing: int = 0
    competing_congestion: str = "reno"
    competing_path: int = 0
    competitor: Bulk | None = None
    buffer: int | None = None
    sysctls: tuple[tuple[str, str], ...] = ()
    offload: bool = True
    seed: int = 0
    kernel: str = "patched"

    @property
    def plain_tcp(self) -> bool:
        return self.scheduler == TCP

    def network(self) -> Network:
        protocol = network.TCP if self.plain_tcp else network.MPTCP
        if self.topology == "triangle":
            return network.triangle(self.paths, protocol)
        if self.topology == "incast":
            return network.incast(self.paths, self.connections, protocol)
        way = network.DOWN if self.workload.direction == network.DOWN else network.UP
        others = [network.beside(each.protocol, path) for _, each, path in self.neighbours]
        if self.topology == "shared":
            counts = (self.subflows, protocol, self.connections)
            return network.shared(self.paths[0], *counts, others, way)
        if self.topology in ("one address", "interfaces"):
            return network.every_path(self.paths, protocol, way)
        return network.disjoint(self.paths, protocol, others, way, self.tcp_path)

    @property
    def others(self) -> tuple[Beside, ...]:
        """All kinds of traffic beside the main flows."""
        if not self.competing:
            return self.beside
        since = self.competitor.delay if self.competitor else 0.0
        until = since + self.competitor.seconds if self.competitor else 0.0
        flows = Tcp(
            path=self.competing_path, since=since, until=until,
            count=self.competing, congestion=self.competing_congestion,
        )  # fmt: skip
        return (*self.beside, flows)

    @property
    def neighbours(self) -> list[tuple[int, Beside, int]]:
        """Each flow of others: the number of its kind in `others`, the kind, its path from 1."""
        return [
            (number, each, path)
            for number, each in enumerate(self.others)
            for path in each.places(len(self.paths) if self.topology == "disjoint" else 1)
            for _ in range(each.count)
        ]

    @property
    def capacities_tell(self) -> bool:
        """Whether a path offers its rate to one TCP flow, all the time."""
        varies = any(p.events or p.trace or p.police for p in self.paths)
        return not self.others and not varies

    @property
    def main_flows(self) -> int:
        """How many of the flows, from the first, do the workload; the others compete."""
        several = {"triangle": 3, "shared": self.connections, "incast": self.connections}
        return several.get(self.topology, 1)

    @property
    def modules(self) -> set[str]:
        """Of the kernel, that this run may load."""
        return parts.modules(self.scheduler, [self.congestion, *(each.congestion for each in self.others)])

    @property
    def parts(self) -> set[str]:
        """Of the kernel, that this run needs."""
        return {parts.CORE, *self.modules, *parts.extensions(name for name, _ in self.sysctls)}

    @property
    def sysctl_texts(self) -> list[str]:
        """As sysctl(8) takes them."""
        return [f"net.{name.replace('/', '.')}={value}" for name, value in self.sysctls]

    def as_json(self) -> dict[str, Any]:
        made = dataclasses.asdict(self, dict_factory=_without_places)
        others = [_named(each) for each in self.beside]
        return made | {"workload": _named(self.workload), "beside": others}


def _named(thing: Workload | Beside) -> dict[str, Any]:
    return {"name": thing.name, **dataclasses.asdict(thing)}


def _without_places(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Where a trace is on this machine does not belong to what a result depends on."""
    return {name: value for name, value in fields if not isinstance(value, FilePath)}


@dataclass(frozen=True)
class Result:
    """flows: per flow what its workload measured, the main ones first. Rates in bit/s, times in s.
    Those of others say which of their kinds they are (beside, counted from 0), and on which path.

    path_bytes: what each bottleneck sent, headers and warm-up included. counters: MPTcpExt of the
    first flow's client and server. kernel: release, and identity of the parts that this run needs.
    """

    conditions: Conditions
    flows: tuple[dict[str, Any], ...]
    path_bytes: tuple[int, ...]
    counters: dict[str, dict[str, int]]
    kernel: dict[str, str]

    @property
    def main(self) -> dict[str, Any]:
        return self.flows[0]

    @property
    def goodput(self) -> float:
        """Of all main flows together."""
        return sum(f["goodput_bps"] for f in self.flows[: self.conditions.main_flows])

    @property
    def shares(self) -> tuple[float, ...]:
        total = sum(self.path_bytes) or 1
        return tuple(count / total for count in self.path_bytes)

    @property
    def benefit(self) -> float | None:
        """Against what the links carry; None where that says nothing: see baseline.py."""
        c = self.conditions
        if not (c.workload.fills and c.capacities_tell):
            return None
        return metrics.benefit(self.goodput, [p.capacity for p in c.paths])

    def as_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "conditions": self.conditions.as_json()}

    @staticmethod
    def from_json(c: Conditions, raw: Mapping[str, Any]) -> Result:
        return Result(c, tuple(raw["flows"]), tuple(raw["path_bytes"]), raw["counters"], raw["kernel"])


def _set(name: str, value: str) -> str:
    """Write a sysctl. The shell's own words for a value that is refused do not name it."""
    refused = f"net.{name.replace('/', '.')}: this kernel does not have it or does not take '{value}'"
    file = shlex.quote(f"/proc/sys/net/{name}")
    return f"echo {shlex.quote(value)} >{file} || {{ echo {shlex.quote(refused)}; exit 1; }}"


def _host_settings(c: Conditions, net: Network) -> str:
    """Scheduler and congestion control by sysctl, so that any program uses them."""
    controls = [c.congestion] * c.main_flows + [each.congestion for _, each, _ in c.neighbours]
    # in the first namespace before the others: that allows them the restricted ones, such as vegas
    lines = [_set("ipv4/tcp_congestion_control", name) + "\n" for name in dict.fromkeys(controls) if name]
    for f, congestion in enumerate(controls):
        if congestion is None:
            continue
        values = [("ipv4/tcp_congestion_control", congestion)]
        if net.flows[f].protocol == network.MPTCP:
            values.append(("mptcp/scheduler", c.scheduler))
        values += c.sysctls if f < c.main_flows else ()
        orders = shlex.quote("\n".join(_set(*pair) for pair in values))
        for role in (topology.CLIENT, topology.SERVER):
            lines.append(f"ip netns exec {topology.host(role, f)} sh -e -c {orders}\n")
    return "".join(lines)


Work = list[tuple[Workload | Beside, Ends]]


def _workloads(
    c: Conditions, net: Network, directory: FilePath, window: tuple[float, float] = (0.0, 0.0)
) -> tuple[Work, Work]:
    """What the main flows do, and the others."""
    stagger = STAGGER if c.main_flows > 1 else 0.0
    main: Work = [(c.workload, Ends(net, f, directory, stagger=stagger)) for f in range(c.main_flows)]
    others: Work = []
    for f, (_, each, _) in enumerate(c.neighbours, c.main_flows):
        ends = Ends(net, f, directory, beside=True, window=window, stagger=STAGGER, seed=c.seed)
        others.append((each, ends))
    return main, others


def patience(c: Conditions) -> float:
    """Seconds of the guest's time after which it gives up, on a path that stays dead."""
    return max(PATIENCE, 3 * (c.workload.seconds or 0.0))


def script(c: Conditions, directory: FilePath, capture: bool = False) -> str:
    """What the guest runs: the network, the traffic, the counters afterwards."""
    net = c.network()
    main, others = _workloads(c, net, directory)
    out = shlex.quote(str(directory))
    routers = [topology.router(i) for i in range(1, len(c.paths) + 1)]
    sent = [
        f"[ ! -e /run/netns/{name} ] || tc -n {name} -s qdisc show dev out root >{out}/sent-{name}\n"
        for name in routers
    ]
    counters = [
        f"ip netns exec {role} cat /proc/net/netstat >{out}/netstat-{role}\n"
        for role in (topology.CLIENT, topology.SERVER)
    ]
    return "".join(
        [
            topology.script(net, c.buffer, c.offload),
            one_address.script(net) if c.topology == "one address" else "",
            _host_settings(c, net),
            _captures(net, out) if capture else "",
            *(workload.listening(ends) for workload, ends in [*main, *others]),
            f"{PYTHON} -I -S {shlex.quote(str(INSTANT))}\n",
            timeline.start(net, directory),
            f"cat /proc/uptime >{out}/times\n",
            *(workload.connecting(ends) for workload, ends in [*others, *main]),
            f"{{ sleep {patience(c):.0f}; touch {out}/impatient; kill $pids; }} 2>/dev/null &\n",
            # without $pids it would wait for the one who sleeps; others last as long as the main flows
            f'[ -z "$pids" ] || wait $pids || true\ncat /proc/uptime >>{out}/times\n',
            '[ -z "$rest" ] || { kill $rest; wait $rest; } 2>/dev/null || true\n',
            timeline.end(),
            *sent,
            *counters,
            f"uname -r >{out}/kernel\n",
            parts.list_loaded(out),
        ]
    )


def _captures(net: Network, out: str) -> str:
    """tcpdump at the first flow's data receiver, one file per path."""
    plan = topology.Plan(net)
    name = topology.host(plan.sink, 0)
    return "".join(
        f"ip netns exec {name} tcpdump -i {dev} -s 160 -U -w {out}/{dev}.pcap tcp 2>/dev/null &\n"
        for dev in plan.devices(name)
    )


def mptcp_counters(netstat: str) -> dict[str, int]:
    """The MPTcpExt counters of a /proc/net/netstat that are not 0."""
    rows = [line.split() for line in netstat.splitlines() if line.startswith("MPTcpExt:")]
    if len(rows) != 2:
        return {}
    counts = zip(rows[0][1:], map(int, rows[1][1:]), strict=True)
    return {name: count for name, count in counts if count}


def _sent(file: FilePath) -> int:
    """Bytes that a bottleneck sent, as tc counts them; 0 if the network has it not."""
    return int(file.read_text().split("Sent ")[1].split()[0]) if file.exists() else 0


def _window(c: Conditions, directory: FilePath) -> tuple[float, float]:
    """From when to when the main flows counted."""
    try:
        begin, end = (float(line.split()[0]) for line in (directory / "times").read_text().splitlines())
    except (OSError, ValueError):
        raise GuestError("the main flows did not end") from None
    return begin + c.workload.warmup, min(end, begin + (c.workload.seconds or end))


def evaluate(c: Conditions, directory: FilePath, kernel_id: str) -> Result:
    """Read what the guest left; raise GuestError if it is not what was asked for."""
    if (directory / "impatient").exists():
        raise OutOfTime(f"no end after {patience(c):g} s of the guest's time")
    window = _window(c, directory) if c.others else (0.0, 0.0)
    main, others = _workloads(c, c.network(), directory, window)
    flows = [workload.evaluate(ends) for workload, ends in main]
    for (number, _, path), (each, ends) in zip(c.neighbours, others, strict=True):
        flows.append({"beside": number, "path": path, **each.evaluate(ends)})
    counters = {
        role: mptcp_counters((directory / f"netstat-{role}").read_text())
        for role in (topology.CLIENT, topology.SERVER)
    }
    if not c.plain_tcp and not counters[topology.CLIENT].get("MPCapableSYNACKRX"):
        raise GuestError("the connection fell back to TCP: no MP_CAPABLE in the SYN/ACK")
    if wrong := parts.unexpected(directory, c.modules):
        raise GuestError(wrong)
    release = (directory / "kernel").read_text().strip()
    sent = tuple(_sent(directory / f"sent-{topology.router(i)}") for i in range(1, len(c.paths) + 1))
    return Result(c, tuple(flows), sent, counters, {"release": release, "build": kernel_id})


def measure(guests: Guests, c: Conditions, cpu: int | None = None, keep: FilePath | None = None) -> Result:
    """Boot a guest, run the traffic, return the result. keep: directory for packet captures."""
    with scratch() as directory:
        options = ["--seed", str(c.seed)] + (["--cpu", str(cpu)] if cpu is not None else [])
        said = ""
        try:
            said = guests.run(script(c, directory, keep is not None), directory, *options)
            result = evaluate(c, directory, guests.identity(c.parts))
        except GuestError as error:
            words = "".join(f"\n  {line}" for line in said.splitlines()[-5:])
            raise type(error)(f"{_described(c)}: {error}{words}") from None
        for file in directory.glob("*.pcap") if keep else ():
            (keep / file.name).write_bytes(file.read_bytes())
        return result


def _described(c: Conditions) -> str:
    """In a line, for a message."""
    where = shorten(" + ".join(map(str, c.paths)), 160, placeholder=" ...")
    return f"{c.scheduler}, {c.congestion}, {c.workload.name}, seed {c.seed}, over {where}"


@cache
def _starter_id() -> str:
    """Of what starts others' programs with Multipath TCP."""
    files = sorted(MPTCPCTL.parent.glob("*.[ch]"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@cache
def _program_id() -> str:
    """Changes with whatever may change a measurement: no old result is taken for a new one."""
    rooms = (FilePath(__file__).parents[1] / room for room in ("inside", "lab", "traffic", "words"))
    files = [FilePath(__file__), *(file for room in rooms for file in sorted(room.glob("*.py")))]
    files += [BOOT.with_name(name) for name in ("boot-uml", "guest.sh", "guest-init")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def key(c: Conditions, kernel_id: str) -> str:
    """Names a result: equal keys, equal results. kernel_id: Guests.identity() for the run's parts."""
    parts = [c.as_json(), kernel_id, _program_id()]
    if c.workload.needs:
        parts.append(_starter_id())
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
