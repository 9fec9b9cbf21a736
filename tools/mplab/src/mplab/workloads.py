# SPDX-License-Identifier: MIT
"""What the hosts do with the network: shell commands for the guest, and what came of them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from statistics import median
from typing import Any, ClassVar

from . import metrics
from .guest import MPTCPCTL, GuestError
from .network import DOWN, MPTCP, UP, Network
from .topology import CLIENT, SERVER, address, host

TRAFFIC = FilePath(__file__).with_name("traffic.py")
PYTHON = "/usr/bin/python3"
PORT = 5001
STAGGER = 0.5  # seconds within which flows start that share a network
Json = dict[str, Any]


class Ends:
    """Both ends of a flow as the traffic program wants them."""

    def __init__(self, network: Network, flow: int, directory: FilePath) -> None:
        self.network, self.flow, self.directory = network, flow, directory
        self.protocol = network.flows[flow].protocol
        self.route = network.route_numbers(flow).start
        self.family = self._family()
        self.server_address = address(SERVER, self.route, network.family(flow, 0))
        if self.family == 6 and network.family(flow, 0) == 4:
            self.server_address = f"::ffff:{self.server_address}"

    def _family(self) -> int:
        """An IPv6 socket takes subflows of both kinds, an IPv4 socket only its own."""
        routes = range(len(self.network.flows[self.flow].routes))
        return max(self.network.family(self.flow, r) for r in routes)

    def file(self, role: str) -> FilePath:
        return self.directory / f"{role}-{self.flow}.json"

    def command(self, role: str, listen: bool, **settings: Any) -> str:
        """A traffic program in the background."""
        several = len(self.network.flows) > 1
        config = {
            **{"role": role, "listen": listen, "protocol": self.protocol, "route": self.route},
            **{"address": self.server_address, "port": PORT, "family": self.family},
            **{"stagger": STAGGER if several else 0, "out": str(self.file(role)), **settings},
        }
        namespace = host(SERVER if listen else CLIENT, self.flow)
        program = shlex.join([PYTHON, "-I", "-S", str(TRAFFIC), json.dumps(config)])
        return f'ip netns exec {namespace} {program} & pids="$pids $!"\n'

    def result(self, role: str) -> Json:
        try:
            return json.loads(self.file(role).read_text())
        except (OSError, json.JSONDecodeError):
            raise GuestError(f"flow {self.flow}: '{role}' left no result") from None

    def check_subflows(self, trace: Sequence[tuple[float, list[Json]]]) -> None:
        """Each route must have had a subflow, or the figure would be another experiment's."""
        wanted = set(self.network.route_numbers(self.flow))
        seen = {subflow["route"] for _, subflows in trace for subflow in subflows}
        if not wanted <= seen:
            raise GuestError(f"only {len(seen & wanted)} of {len(wanted)} subflows came up")


@dataclass(frozen=True)
class Bulk:
    """As much as goes, from client to server. Goodput counts after the warm-up.

    delay: seconds after the others that it begins.
    """

    name: ClassVar[str] = "bulk"
    direction: ClassVar[str] = UP
    duration: float = 30.0
    warmup: float = 5.0
    delay: float = 0.0

    @property
    def seconds(self) -> float:
        return self.warmup + self.duration

    def listening(self, ends: Ends) -> str:
        # a little longer, for flows that start late
        return ends.command("receive_bulk", True, seconds=self.seconds + 0.05)

    def connecting(self, ends: Ends) -> str:
        return ends.command("send_bulk", False, seconds=self.seconds + 1, delay=self.delay)

    def evaluate(self, ends: Ends) -> Json:
        sent, got = ends.result("send_bulk"), ends.result("receive_bulk")
        states = _by_route(sent)
        if ends.protocol == MPTCP:
            ends.check_subflows(sent["trace"])
        rows = [(t - got["start"], n, used, limit) for t, n, used, limit in got["samples"]]
        if not rows or rows[-1][0] < self.seconds - 0.2:
            last = rows[-1][0] if rows else 0
            raise GuestError(f"the receiver measured {last:.1f} s of {self.seconds:g} s")
        kept = [row for row in rows if row[0] >= self.warmup - 0.05]
        rates = _rates([(t, n) for t, n, *_ in rows])
        return {
            "start_s": sent["start"],
            "goodput_bps": (kept[-1][1] - kept[0][1]) * 8 / (kept[-1][0] - kept[0][0]),
            "over_time_s_bps": rates,
            "time_to_full_rate_s": metrics.time_to_full_rate(rates, window=0.3),
            "receive_memory_peak_bytes": max(used for *_, used, _ in rows),
            "receive_buffer_peak_bytes": max(limit for *_, limit in rows),
            "cwnd_over_time": {route: [(t, s["cwnd"]) for t, s in trace] for route, trace in states.items()},
            "sent_over_time_s_bps": {
                route: _rates([(t, s["sent"]) for t, s in trace]) for route, trace in states.items()
            },
            "srtt_median_s": _median_rtts(states, self.warmup),
            **_sent_bytes(sent),
        }


def _rates(rows: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """Bit/s between samples."""
    pairs = zip(rows, rows[1:], strict=False)
    # less than before: a subflow went, and what it had sent
    return [(round(t, 3), round(max(b - a, 0) * 8 / (t - s))) for (s, a), (t, b) in pairs if t > s]


def _by_route(sent: Json) -> dict[str, list[tuple[float, Json]]]:
    """Per route, the state of its subflow over time; while an old one closes, of the new one."""
    states: dict[str, list[tuple[float, Json]]] = {}
    for t, subflows in sent["trace"]:
        for route in {s["route"] for s in subflows} - {0}:  # 0: closed, with no address any more
            same = [s for s in subflows if s["route"] == route]
            state = {**same[-1], "sent": sum(s["sent"] for s in same)}
            states.setdefault(str(route), []).append((round(t - sent["start"], 3), state))
    return states


def _median_rtts(states: Mapping[str, list[tuple[float, Json]]], warmup: float) -> dict[str, float]:
    """Per route, the smoothed round-trip time as the sender has it, after the warm-up."""
    times = {route: [s["srtt_us"] for t, s in trace if t >= warmup] for route, trace in states.items()}
    return {route: median(values) / 1e6 for route, values in times.items() if values}


def _sent_bytes(sent: Json) -> dict[str, int]:
    """Bytes that the subflows sent, how many of them again on the same subflow, and the same of
    the connection: what it sent again went to another subflow."""
    last = sent["trace"][-1][1] if sent["trace"] else []
    return {
        "subflow_bytes_sent": sum(s["sent"] for s in last),
        "subflow_bytes_retransmitted": sum(s["retrans"] for s in last),
        **sent["totals"],
    }


@dataclass(frozen=True)
class Blocks:
    """Blocks at a constant rate, and the delay of each until its last byte is read.

    rate in bit/s, 0: as fast as it goes. Delays count from the time a block was due, for blocks
    due after the warm-up. With events on a path, the longest gap is the interruption of a handover.
    """

    name: ClassVar[str] = "blocks"
    direction: ClassVar[str] = UP
    duration: float = 30.0
    warmup: float = 5.0
    rate: float = 4e6
    size: int = 8000
    patience: float = 60.0  # seconds without a byte before the receiver gives up

    @property
    def seconds(self) -> float:
        return self.warmup + self.duration

    def listening(self, ends: Ends) -> str:
        return ends.command("receive_blocks", True, size=self.size, patience=self.patience)

    def connecting(self, ends: Ends) -> str:
        wanted = {"size": self.size, "rate": self.rate / 8, "seconds": self.seconds}
        return ends.command("send_blocks", False, **wanted)

    def evaluate(self, ends: Ends) -> Json:
        sent, got = ends.result("send_blocks"), ends.result("receive_blocks")
        if ends.protocol == MPTCP:
            ends.check_subflows(sent["trace"])
        rows = list(zip(got["due_us"], got["delay_us"], strict=True))
        kept = [(d / 1e6, delay / 1e6) for d, delay in rows if d >= self.warmup * 1e6]
        if len(rows) < sent["sent"] or not kept:
            raise GuestError(f"{len(rows)} of {sent['sent']} blocks arrived")
        delays = [delay for _, delay in kept]
        arrivals = [due + delay for due, delay in kept]
        summary = metrics.delay_summary(delays)
        return {
            "goodput_bps": len(kept) * self.size * 8 / (max(arrivals) - kept[0][0]),
            "delay_min_s": summary.min,
            "delay_p50_s": summary.p50,
            "delay_p95_s": summary.p95,
            "delay_p99_s": summary.p99,
            "delay_max_s": summary.max,
            "longest_gap_s": metrics.longest_gap(arrivals),
            "delays_s": delays,
            **_sent_bytes(sent),
        }


@dataclass(frozen=True)
class Request:
    """A connection, a request, an answer of `size` bytes from the server; `count` times."""

    name: ClassVar[str] = "request"
    direction: ClassVar[str] = DOWN
    size: int = 65536
    count: int = 5
    pause: float = 1.0

    def listening(self, ends: Ends) -> str:
        return ends.command("respond", True, size=self.size, count=self.count)

    def connecting(self, ends: Ends) -> str:
        wanted = {"size": self.size, "count": self.count, "pause": self.pause}
        return ends.command("request", False, **wanted)

    def evaluate(self, ends: Ends) -> Json:
        took = ends.result("request")["took"]
        if len(took) < self.count:
            raise GuestError(f"{len(took)} of {self.count} answers were whole")
        return {
            "goodput_bps": self.size * 8 / median(took),
            "answer_median_s": median(took),
            "answer_max_s": max(took),
            "answers_s": took,
        }


@dataclass(frozen=True)
class Incast:
    """All servers are asked at the same instant for `size` bytes each; when all answers are there,
    again. Each connection lasts for all rounds."""

    name: ClassVar[str] = "incast"
    direction: ClassVar[str] = DOWN
    size: int = 65536
    rounds: int = 10

    def listening(self, ends: Ends) -> str:
        first, count = ends.flow == 0, len(ends.network.flows)
        barrier = ends.command("barrier", False, count=count) if first else ""
        return barrier + ends.command("answer", True)

    def connecting(self, ends: Ends) -> str:
        return ends.command("ask", False, size=self.size, rounds=self.rounds)

    def evaluate(self, ends: Ends) -> Json:
        """A round lasts until the slowest answer of all, so that its goodputs add up."""
        asked, sent = ends.result("ask"), ends.result("answer")
        if ends.protocol == MPTCP:
            ends.check_subflows(sent["trace"])
        if len(asked["took"]) < self.rounds:
            raise GuestError(f"{len(asked['took'])} of {self.rounds} answers were whole")
        seconds = asked["rounds"][-1] - asked["rounds"][0]
        return {
            "goodput_bps": self.size * 8 * self.rounds / seconds,
            "answer_median_s": median(asked["took"]),
            "answer_max_s": max(asked["took"]),
            "answers_s": asked["took"],
            "rounds_began_s": asked["rounds"][:-1],
            **_sent_bytes(sent),
        }


NGINX = """\
user root; worker_processes 1; daemon off; pid {dir}/nginx.pid; error_log {dir}/nginx.log;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; keepalive_requests 100000;
  client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/fcgi;
  uwsgi_temp_path {dir}/uwsgi; scgi_temp_path {dir}/scgi;
  server {{ listen {listen}; root {dir}; }} }}
"""


@dataclass(frozen=True)
class Http:
    """nginx, and ab with several clients: requests per second, a connection for each."""

    name: ClassVar[str] = "http"
    direction: ClassVar[str] = DOWN
    size: int = 65536
    requests: int = 100
    clients: int = 10

    def _over(self, ends: Ends, *command: str) -> str:
        over = [str(MPTCPCTL), "run", "--"] if ends.protocol == MPTCP else []
        return shlex.join([*over, *command])

    def listening(self, ends: Ends) -> str:
        where, namespace = ends.directory, host(SERVER, ends.flow)
        listen = "[::]:80 ipv6only=off" if ends.family == 6 else "80"
        server = self._over(ends, "nginx", "-p", str(where), "-c", f"{where}/nginx.conf")
        return (
            f"cat >{where}/nginx.conf <<'END'\n{NGINX.format(dir=where, listen=listen)}END\n"
            f"head -c {self.size} /dev/zero >{where}/file\n"
            f"ip netns exec {namespace} {server} & server=$!\n"
        )

    def connecting(self, ends: Ends) -> str:
        address = ends.server_address
        url = f"http://[{address}]/file" if ":" in address else f"http://{address}/file"
        load = ["-q", "-n", f"{self.requests}", "-c", f"{self.clients}", "-s", "600", url]
        return (
            f"ip netns exec {host(CLIENT, ends.flow)} {self._over(ends, 'ab', *load)}"
            f" >{ends.file('ab')} 2>&1 || true\nkill $server\nwait $server || true\n"
        )

    def evaluate(self, ends: Ends) -> Json:
        said = ends.file("ab").read_text()

        def figure(pattern: str) -> float:
            found = re.search(pattern, said)
            if not found:
                raise GuestError(f"ab did not finish: {said.strip()[-300:]}")
            return float(found.group(1))

        failed = figure(r"Failed requests:\s+(\d+)")
        if failed or "Non-2xx" in said:
            why = [line for line in said.splitlines() if line.startswith(("Failed", "Non-2xx", "   (Con"))]
            raise GuestError(f"requests failed: {'; '.join(why)}")
        per_second = figure(r"Requests per second:\s+([0-9.]+)")
        return {
            "goodput_bps": per_second * self.size * 8,
            "requests_per_second": per_second,
            "answer_median_s": figure(r"\n\s+50%\s+(\d+)") / 1e3,
            "answer_p99_s": figure(r"\n\s+99%\s+(\d+)") / 1e3,
        }


@dataclass(frozen=True)
class Iperf:
    """Bulk with iperf3 instead of our own program: the cross-check, at ten times the CPU time."""

    name: ClassVar[str] = "iperf3"
    direction: ClassVar[str] = UP
    duration: float = 30.0
    warmup: float = 5.0

    @property
    def seconds(self) -> float:
        return self.warmup + self.duration

    def _over(self, ends: Ends, *command: str) -> str:
        over = [str(MPTCPCTL), "run", "--"] if ends.protocol == MPTCP else []
        return shlex.join([*over, "iperf3", *command])

    def listening(self, ends: Ends) -> str:
        command = self._over(ends, "-s", "-1", "-J")
        return f"ip netns exec {host(SERVER, ends.flow)} {command} >/dev/null 2>&1 &\n"

    def connecting(self, ends: Ends) -> str:
        options = ["-J", "--get-server-output", "-t", f"{self.seconds:g}"]
        command = self._over(ends, "-c", ends.server_address, *options)
        namespace = host(CLIENT, ends.flow)
        # iperf3 says in its JSON what went wrong; the status alone would hide it
        return f"ip netns exec {namespace} {command} >{ends.file('iperf')} 2>&1 || true\n"

    def evaluate(self, ends: Ends) -> Json:
        raw = ends.result("iperf")
        if "error" in raw:
            raise GuestError(f"iperf3: {raw['error']}")
        # Not iperf3's own --omit: its first interval after the warm-up is short of bytes.
        rows = [i["sum"] for i in raw["server_output_json"]["intervals"]]
        kept = [r for r in rows if r["start"] > self.warmup - 0.5 and r["seconds"] > 0.5]
        took = sum(r["seconds"] for r in kept)
        if took < self.duration * 0.9:
            raise GuestError(f"iperf3 measured {took:.1f} s of {self.duration:g} s")
        return {
            "goodput_bps": sum(r["bytes"] for r in kept) * 8 / took,
            "over_time_s_bps": [(r["end"], r["bits_per_second"]) for r in rows],
        }


Workload = Bulk | Blocks | Request | Incast | Http | Iperf
