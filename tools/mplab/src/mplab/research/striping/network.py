# SPDX-License-Identifier: MIT
"""The striping network inside the guest, as a shell script.

    server -- [wan] -- proxy -- [bs1] -- [air1] -- client
                            \\-- [bs2] -- [air2] -/

Rate and queue of a path are at its base station "bs", delay before them; jitter is on the air, behind
them, so that it reorders. A token bucket lets a packet go at once if nothing was there for a while; where a
link is to take its time for each packet (serial), the bucket holds one, and the time is on the air.
Nothing of that is on the hosts' own devices.

The client has a care-of address 10.n.1.1 per path, and one that stays, 10.200.0.1, which belongs to the
tunnel or, with nft's send vector, to its loopback device. A connection that is striped goes to the server's
address 10.100.0.1; MPTCP and connections of one path go to 10.100.n.1, over path n.

A rate is one of IP packets of 1500 bytes: what Ethernet and the tunnel put around them comes on top.
"""

from __future__ import annotations

import shlex

from ...inside.striping import frames, vectors
from ...lab.topology import HOSTS, PYTHON
from .case import MPTCP, NUMGEN, PACKET, TUNNEL, Case, Path

ETHERNET = 14
ROOM = 100  # bytes that a path takes beyond a packet: the tunnel's heads
FIXED, SERVER = "10.200.0.1", "10.100.0.1"
LIMIT = 200_000  # packets that a delay may hold
WAN_RATE = 10e6
SLACK = 16  # bytes by which a bucket of one packet is larger, as tc rounds


def own_server(path: int) -> str:
    """The server's address that is reached over one path only; paths count from 0 in what is data."""
    return f"10.100.{path + 1}.1"


def care_of(path: int) -> str:
    return f"10.{path + 1}.1.1"


def proxy_end(path: int) -> str:
    return f"10.{path + 1}.2.2"


def shortest(weights: tuple[float, ...]) -> int:
    """Length of the shortest vector with these shares, of weights that are multiples of the least."""
    least = min(weights)
    return round(sum(weights) / least)


def vector(case: Case) -> list[int]:
    """The send vector of the case."""
    s = case.striping
    weights = s.weights or tuple(path.rate for path in case.paths)
    return vectors.of(s.length or shortest(weights), weights, s.nearest)


class Builder:
    """Lines for ip(8) and tc(8)."""

    def __init__(self, case: Case) -> None:
        self.case, self.lines, self._links = case, [], 0
        self.tunnel = case.striping.how == TUNNEL
        self.features: dict[str, list[str]] = {}

    def ip(self, where: str, line: str) -> None:
        self.lines.append(f"ip -n {where} {line}")

    def tc(self, where: str, line: str) -> None:
        self.lines.append(f"tc -n {where} {line}")

    def link(self, one: str, device: str, other: str, other_device: str, mtu: int = PACKET) -> None:
        """Both ends have one hardware address and ask nobody for it."""
        self._links += 1
        ends = [
            f"{dev} netns {name} mtu {mtu} address 02:00:00:00:00:{self._links:02x} arp off"
            for name, dev in ((one, device), (other, other_device))
        ]
        self.lines.append(f"ip link add {ends[0]} type veth peer name {ends[1]}")
        for name, dev in ((one, device), (other, other_device)):
            self.features.setdefault(name, []).append(dev)
            self.ip(name, f"link set {dev} up")

    def wired(self, path: Path) -> float:
        """The link's rate."""
        around = ETHERNET + (frames.OVERHEAD if self.tunnel else 0)
        return path.rate * (PACKET + around) / PACKET

    def tbf(self, path: Path) -> str:
        size = PACKET + ETHERNET + frames.OVERHEAD
        burst = size + SLACK if path.serial else 2 * size
        return f"tbf rate {self.wired(path):.0f}bit burst {burst} limit {path.queue * size}"

    def script(self) -> str:
        case = self.case
        stations = [f"bs{k + 1}" for k in range(case.count)]
        airs = [f"air{k + 1}" for k in range(case.count)]
        for name in ("server", "wan", "proxy", "client", *stations, *airs):
            self.lines.append(f"ip netns add {name}")
            self.ip(name, "link set lo up")
        self._wire()
        for k, path in enumerate(case.paths):
            self._path(k, path)
        self._client()
        words = [
            f"{'host' if name in ('server', 'client') else 'router'}:{name}:{','.join(devices)}"
            for name, devices in self.features.items()
        ]
        self.lines.append(shlex.join([PYTHON, "-I", "-S", str(HOSTS), *words]))
        return "\n".join(["set -e", *_inherited(), *self.lines]) + "\n"

    def _wire(self) -> None:
        self.link("server", "s0", "wan", "in")
        self.link("wan", "out", "proxy", "p0")
        for number in range(self.case.count + 1):
            self.ip("server", f"addr add 10.100.{number}.1/32 dev s0")
        self.ip("server", f"route add default dev s0 src {SERVER}")
        self.ip("wan", "route add 10.100.0.0/16 dev in")
        self.ip("wan", "route add default dev out")
        self.ip("proxy", "route add 10.100.0.0/16 dev p0")
        if self.case.wire:
            delay = f"netem delay {self.case.wire * 1e6:.0f}us limit {LIMIT}"
            self.tc("wan", f"qdisc add dev in root {delay}")
            self.tc("wan", f"qdisc add dev out root handle 1: {delay}")
            self.tc("wan", f"qdisc add dev out parent 1:1 tbf rate {WAN_RATE:.0f}bit burst 3200 limit 1mb")

    def _path(self, k: int, path: Path) -> None:
        n, station, air = k + 1, f"bs{k + 1}", f"air{k + 1}"
        mtu = PACKET + ROOM if self.tunnel else PACKET
        self.link("proxy", f"q{n}", station, "in", mtu)
        self.link(station, "out", air, "in", mtu)
        self.link(air, "out", "client", f"c{n}", mtu)
        self.ip("proxy", f"addr add {proxy_end(k)}/32 dev q{n}")
        self.ip("proxy", f"route add {care_of(k)} dev q{n} src {proxy_end(k)}")
        for name in (station, air):
            self.ip(name, "route add default dev in")
            self.ip(name, f"route add {care_of(k)} dev out")
            self.ip(name, f"route add {FIXED} dev out")
        loss = f" loss {path.loss:g}%" if path.loss else ""
        fixed = f"netem delay {path.delay * 1e6:.0f}us limit {LIMIT}"
        there = f"netem limit {LIMIT}{loss}" if path.jitter else fixed + loss
        self.tc(station, f"qdisc add dev in root {fixed}")
        self.tc(station, f"qdisc add dev out root handle 1: {there}")
        if path.rate:
            self.tc(station, f"qdisc add dev out parent 1:1 handle 2: {self.tbf(path)}")
            self.tc(station, f"qdisc add dev out parent 2:1 {_queue(path)}")
        if path.serial:
            self.tc(air, f"qdisc add dev out root netem delay {PACKET * 8e6 / path.rate:.0f}us limit {LIMIT}")
        elif path.jitter:
            spread = f" distribution {path.distribution}" if path.distribution else ""
            delay = f"{path.delay * 1e6:.0f}us {path.jitter * 1e6:.0f}us{spread}"
            self.tc(air, f"qdisc add dev out root netem delay {delay} limit {LIMIT}")

    def _client(self) -> None:
        case, flavour, how = self.case, self.case.flavour, self.case.striping.how
        options = f"{f' window {flavour.window}' if flavour.window else ''}{' quickack 1' * flavour.quickack}"
        for k in range(case.count):
            device = f"dev c{k + 1} src {care_of(k)}"
            self.ip("client", f"addr add {care_of(k)}/32 dev c{k + 1}")
            self.ip("client", f"route add {proxy_end(k)} {device}")
            self.ip("client", f"route add {own_server(k)} {device}{options}")
            self.ip("client", f"rule add from {care_of(k)} table {101 + k}")
            self.ip("client", f"route add default {device} table {101 + k}{options}")
        back = case.striping.back
        if how == TUNNEL:
            for name in ("proxy", "client"):
                self.ip(name, "tuntap add dev tun0 mode tun")
                self.ip(name, f"link set tun0 mtu {PACKET} txqueuelen 1000 up")
            self.ip("proxy", f"route add {FIXED} dev tun0")
            self.ip("client", f"addr add {FIXED}/32 dev tun0")
            self.ip("client", f"route add {SERVER} dev tun0 src {FIXED}{options}")
        else:
            self.ip("client", f"addr add {FIXED}/32 dev lo")
            route = f"dev c{back + 1} src {FIXED}{options}"
            self.ip("client", f"route add {SERVER} {route}")
            self.ip("proxy", f"route add {FIXED} dev q{back + 1}")
        if how == NUMGEN:
            self._numgen()
        elif how == MPTCP:
            for name in ("client", "server"):
                self.ip(name, "mptcp limits set subflow 8 add_addr_accepted 0")
            for k in range(1, case.count):
                self.ip("client", f"mptcp endpoint add {care_of(k)} dev c{k + 1} subflow")

    def _numgen(self) -> None:
        """The send vector as nft has it: a packet's mark is its turn's, and each mark has its route."""
        turns = vector(self.case)
        places = ", ".join(f"{i} : {path + 1}" for i, path in enumerate(turns))
        turn = f"numgen inc mod {len(turns)} map {{ {places} }}"
        rules = [
            "add table ip striping",
            "add chain ip striping c { type filter hook prerouting priority -150 ; }",
            f"add rule ip striping c ip daddr {FIXED} meta mark set {turn}",
        ]
        self.lines.append(f"ip netns exec proxy nft {shlex.quote(chr(10).join(rules))}")
        for k in range(self.case.count):
            self.ip("proxy", f"rule add fwmark {k + 1} table {201 + k}")
            self.ip("proxy", f"route add {FIXED} dev q{k + 1} table {201 + k}")


def _queue(path: Path) -> str:
    """A queue per flow is fq_codel's, with a target that is never met; it drops from the longest."""
    if not path.fair:
        return f"pfifo limit {path.queue}"
    return f"fq_codel limit {path.queue} target 1000s interval 1000s drop_batch 1 quantum {PACKET + ROOM}"


def _inherited() -> list[str]:
    """Set before the namespaces exist, which take them over."""
    values = {
        "net/core/devconf_inherit_init_net": "1",
        "net/ipv4/ip_forward": "1",
        "net/ipv4/conf/all/rp_filter": "0",
        "net/ipv4/conf/default/rp_filter": "0",
        "net/ipv6/conf/all/disable_ipv6": "1",
        "net/ipv6/conf/default/disable_ipv6": "1",
    }
    return [f"echo {value} >/proc/sys/{name}" for name, value in values.items()]


def steps(case: Case) -> list[str]:
    """Shell commands in the background that change rates as time goes by."""
    found = []
    for k, path in enumerate(case.paths):
        now, orders = 0.0, []
        for at, rate in path.steps:
            changed = Builder(case).tbf(Path(rate, path.delay, path.queue))
            change = f"tc -n bs{k + 1} qdisc change dev out parent"
            # a change of the rate gives the queue the limit in bytes, too
            orders.append(
                f"sleep {at - now:g}; {change} 1:1 handle 2: {changed}; {change} 2:1 {_queue(path)}"
            )
            now = at
        found += [f"{{ {'; '.join(orders)}; }} &"] if orders else []
    return found
