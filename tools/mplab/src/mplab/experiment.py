# SPDX-License-Identifier: MIT
"""One measurement: a bulk transfer from client to server, and what came of it."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import topology
from .guest import MPTCPCTL, GuestError, Guests, scratch
from .paths import Path as NetPath

TCP = "tcp"  # instead of a scheduler's name: plain TCP over the first path


@dataclass(frozen=True)
class Conditions:
    """All that a result depends on. Times in s, buffer in bytes (None: the kernel's)."""

    paths: tuple[NetPath, ...]
    scheduler: str
    congestion: str = "cubic"
    duration: float = 30.0
    warmup: float = 5.0
    buffer: int | None = None
    repeat: int = 0

    @property
    def plain_tcp(self) -> bool:
        return self.scheduler == TCP


@dataclass(frozen=True)
class Result:
    """Rates in bit/s. path_bytes: what each bottleneck sent, headers and warm-up included."""

    conditions: Conditions
    goodput: float
    over_time: tuple[tuple[float, float], ...]
    path_bytes: tuple[int, ...]
    counters: dict[str, int]
    kernel: str
    raw: dict[str, Any]

    @property
    def shares(self) -> tuple[float, ...]:
        total = sum(self.path_bytes) or 1
        return tuple(count / total for count in self.path_bytes)


def benefit(goodput: float, capacities: list[float]) -> float:
    """Kaspar's aggregation benefit: -1 nothing arrives, 0 like the best path, 1 all of them."""
    best, total = max(capacities), sum(capacities)
    if goodput >= best:
        return (goodput - best) / (total - best) if total > best else 0.0
    return (goodput - best) / best


def _iperf(c: Conditions, directory: Path) -> str:
    client = [
        *("iperf3", "-c", topology.SERVER_ADDRESS, "-J", "--get-server-output"),
        *("-t", f"{c.warmup + c.duration:g}"),
    ]
    server = ["iperf3", "-s", "-1", "-J"]
    if c.plain_tcp:
        client += ["-C", c.congestion]
    else:
        options = ["--scheduler", c.scheduler, "--congestion", c.congestion]
        client = [str(MPTCPCTL), "run", *options, "--", *client]
        server = [str(MPTCPCTL), "run", "--", *server]
    out = shlex.quote(str(directory))
    # iperf3 says in its JSON what went wrong; the status alone would hide it
    return (
        f"ip netns exec {topology.SERVER} {shlex.join(server)} >/dev/null 2>&1 &\n"
        "sleep 0.5\n"
        f"ip netns exec {topology.CLIENT} {shlex.join(client)} >{out}/iperf.json"
        f" 2>{out}/iperf.err || true\n"
    )


def script(c: Conditions, directory: Path) -> str:
    """What the guest runs: the network, the transfer, the counters afterwards."""
    out = shlex.quote(str(directory))
    routers = [topology.router(i) for i in range(1, len(c.paths) + 1)]
    sent = [
        f"ip netns exec {name} cat /sys/class/net/out/statistics/tx_bytes >>{out}/sent"
        for name in routers
    ]
    return (
        topology.script(list(c.paths), c.buffer)
        + _iperf(c, directory)
        + "\n".join(sent)
        + f"\nip netns exec {topology.CLIENT} cat /proc/net/netstat >{out}/netstat\n"
        + f"uname -r >{out}/kernel\n"
    )


def mptcp_counters(netstat: str) -> dict[str, int]:
    """The MPTcpExt counters of a /proc/net/netstat."""
    rows = [line.split() for line in netstat.splitlines() if line.startswith("MPTcpExt:")]
    if len(rows) != 2:
        return {}
    return dict(zip(rows[0][1:], map(int, rows[1][1:]), strict=True))


def _check_subflows(c: Conditions, counters: dict[str, int]) -> None:
    """Each path must have carried a subflow, or the figure would be another experiment's."""
    wanted = 2 * (len(c.paths) - 1)  # iperf3 has a control and a data connection
    joined = counters.get("MPJoinSynAckRx", 0)
    if counters.get("MPCapableSYNACKRX", 0) < 2:
        raise GuestError("the connection fell back to TCP: no MP_CAPABLE in the SYN/ACK")
    if joined < wanted:
        raise GuestError(f"only {joined} of {wanted} additional subflows came up")


def _measured(c: Conditions, raw: dict[str, Any]) -> list[dict[str, Any]]:
    """The server's intervals of 1 s after the warm-up, without the rest at the end.

    Not iperf3's own --omit: its first interval after the warm-up is short of bytes.
    """
    sums = [i["sum"] for i in raw["server_output_json"]["intervals"]]
    return [s for s in sums if s["start"] > c.warmup - 0.5 and s["seconds"] > 0.5]


def evaluate(c: Conditions, directory: Path) -> Result:
    """Read what the guest left; raise GuestError if it is not what was asked for."""
    text = (directory / "iperf.json").read_text()
    try:
        raw = json.loads(text)
    except json.JSONDecodeError:
        said = (directory / "iperf.err").read_text().strip() or text.strip()[-500:]
        raise GuestError(f"iperf3 did not run: {said}") from None
    if "error" in raw:
        raise GuestError(f"iperf3: {raw['error']}")
    counters = mptcp_counters((directory / "netstat").read_text())
    if not c.plain_tcp:
        _check_subflows(c, counters)
    measured = _measured(c, raw)
    time = sum(s["seconds"] for s in measured)
    if time < c.duration * 0.9:
        raise GuestError(f"the server measured {time:.1f} s of {c.duration:g} s")
    return Result(
        conditions=c,
        goodput=sum(s["bytes"] for s in measured) * 8 / time,
        over_time=tuple((s["end"] - c.warmup, s["bits_per_second"]) for s in measured),
        path_bytes=tuple(int(n) for n in (directory / "sent").read_text().split()),
        counters={k: v for k, v in counters.items() if v},
        kernel=(directory / "kernel").read_text().strip(),
        raw=raw,
    )


def measure(guests: Guests, c: Conditions) -> Result:
    """Boot a guest, run the transfer, return the result."""
    with scratch() as directory:
        try:
            guests.run(script(c, directory), directory)
            return evaluate(c, directory)
        except GuestError as error:
            raise GuestError(f"{c.scheduler}: {error}") from None


def available(guests: Guests) -> list[str]:
    """The schedulers of the guest's kernel."""
    with scratch() as directory:
        return guests.run("cat /proc/sys/net/mptcp/available_schedulers", directory).split()
