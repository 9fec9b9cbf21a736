# SPDX-License-Identifier: MIT
"""The network inside the guest, as a shell script.

    client -- c1 ---- in [router1] out ---- s1 -- server
           \\- c2 ---- in [router2] out ---- s2 -/

A router per bottleneck. Loss, delay, rate and queue are on its way out, never on the sender's own
interface: TCP small queues would hide them. Delay comes before the rate, so that the queue holds
nothing but what waits. Where a bottleneck leads to several places, a second namespace "exit1"
follows. Segmentation offload is off, or rate and loss would act on 64 KB packets.

Route n has the address 10.n.1.1 at its client and 10.n.2.2 at its server (fd00:n:1::1 and
fd00:n:2::2). The server announces the addresses of its further routes; the client connects to
each of them over the route that leads there. The links between need no addresses: both ends of a
veth pair have the same hardware address and ask nobody for it, so that no ARP exchange adds to
the first packets' delay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .network import UP, Network
from .paths import Path

CLIENT, SERVER = "client", "server"
DELAY_LIMIT = 200_000  # packets that a delay may hold: never the one that drops
ANYWHERE = {4: "0.0.0.0/0", 6: "::/0"}
MSS_AT_ONCE = "gso_max_segs 1"


def router(number: int) -> str:
    return f"router{number}"


def exit_(number: int) -> str:
    return f"exit{number}"


def host(role: str, flow: int) -> str:
    """The namespace of a flow's client or server; the first flow's have the plain names."""
    return role if flow == 0 else f"{role}{flow + 1}"


def address(role: str, route: int, family: int = 4) -> str:
    """Of a route's end."""
    if family == 6:
        return f"fd00:{route}:1::1" if role == CLIENT else f"fd00:{route}:2::2"
    return f"10.{route}.1.1" if role == CLIENT else f"10.{route}.2.2"


@dataclass(frozen=True)
class Link:
    """A veth pair between two namespaces."""

    ends: tuple[str, str]
    devices: tuple[str, str]
    mtu: int

    def device(self, namespace: str) -> str:
        return self.devices[self.ends.index(namespace)]


class Plan:
    """Namespaces, links and the chain of namespaces that each route crosses."""

    def __init__(self, network: Network) -> None:
        self.network = network
        roles = (CLIENT, SERVER) if network.direction == UP else (SERVER, CLIENT)
        self.source, self.sink = roles
        self.families = sorted({p.family for p in network.bottlenecks})
        self.exits = {b for b in range(len(network.bottlenecks)) if len(self._next(b)) > 1}
        self.links: dict[tuple[str, str], Link] = {}
        self.chains: list[tuple[int, list[str]]] = []  # per route: flow, namespaces
        for f, flow in enumerate(network.flows):
            for route in flow.routes:
                self._add_chain(f, route)

    def _next(self, bottleneck: int) -> set[str]:
        """What follows a bottleneck, over all routes."""
        found = set()
        for f, flow in enumerate(self.network.flows):
            for route in flow.routes:
                for here, there in zip(route, [*route[1:], None], strict=True):
                    if here == bottleneck:
                        found.add(host("sink", f) if there is None else router(there + 1))
        return found

    def _add_chain(self, flow: int, route: tuple[int, ...]) -> None:
        chain = [host(self.source, flow)]
        for b in route:
            chain += [router(b + 1), exit_(b + 1)] if b in self.exits else [router(b + 1)]
        chain.append(host(self.sink, flow))
        self.chains.append((flow, chain))
        for i, ends in enumerate(zip(chain, chain[1:], strict=False)):
            if ends not in self.links:
                after, before = route[0] + 1, route[-1] + 1
                first = f"{self.source[0]}{after}" if i == 0 else self._free(ends[0], "out")
                last = f"{self.sink[0]}{before}" if i == len(chain) - 2 else self._free(ends[1], "in")
                mtu = min(self.network.bottlenecks[b].mtu for b in route)
                self.links[ends] = Link(ends, (first, last), mtu)

    def _free(self, namespace: str, stem: str) -> str:
        """A name for the next device of a namespace: in, in2, ..."""
        taken = sum(d.startswith(stem) for d in self.devices(namespace))
        return stem if not taken else f"{stem}{taken + 1}"

    def devices(self, namespace: str) -> list[str]:
        return [link.device(namespace) for link in self.links.values() if namespace in link.ends]

    @property
    def namespaces(self) -> list[str]:
        return list(dict.fromkeys(end for link in self.links.values() for end in link.ends))

    @property
    def hosts(self) -> list[str]:
        flows = range(len(self.network.flows))
        return [host(role, f) for f in flows for role in (CLIENT, SERVER)]


def _batch(tool: str, namespace: str, lines: list[str]) -> str:
    where = f"-n {namespace} " if namespace else ""
    return "\n".join([f"{tool} {where}-batch - <<END", *lines, "END"]) if lines else ""


def _tbf(path: Path) -> str:
    burst = 2 * path.frame  # virtual time needs no more, and more would add to the queue
    return f"parent 1:1 handle 2: tbf rate {path.rate:.0f}bit burst {burst} limit {path.queue_bytes}"


def _queue(path: Path) -> list[str]:
    """tc lines for the rate and its queue. A queue in bytes is tbf's own."""
    lines = [f"qdisc add dev out {_tbf(path)}"]
    if path.aqm != "fifo":
        packets = max(path.queue_bytes // path.frame, 2)
        lines.append(f"qdisc add dev out parent 2:1 {path.aqm} limit {packets}")
    elif path.queue_packets:
        lines.append(f"qdisc add dev out parent 2:1 pfifo limit {path.queue_packets}")
    return lines


def _loss(path: Path) -> str:
    """netem's loss; a run of losses as Gilbert's two-state chain."""
    if not path.loss:
        return ""
    if path.burst <= 1:
        return f" loss {path.loss:g}%"
    share = path.loss / 100
    return f" loss gemodel {100 * share / (1 - share) / path.burst:.6g}% {100 / path.burst:.6g}%"


def _delays(plan: Plan, verb: str, b: int, path: Path, outage: bool = False) -> list[str]:
    """tc lines for what happens to packets before they queue, and on the way back.

    A rate that never limits makes netem keep packets in order whatever
    the jitter.
    """
    there = path.rtt * path.there / 100 * 1e6
    back = (path.rtt - path.jitter) * 1e6 - there
    delay = f"delay {there:.0f}us"
    if path.jitter:
        delay = f"delay {there + path.jitter * 1e6:.0f}us {path.jitter * 1e6:.0f}us rate 100gbit"
    gone = " loss 100%"
    limit = f"limit {DELAY_LIMIT}"
    return [
        f"qdisc {verb} dev out root handle 1: netem {delay} {limit}{gone if outage else _loss(path)}",
        *(
            f"qdisc {verb} dev {dev} root netem delay {max(back, 0):.0f}us {limit}" + (gone if outage else "")
            for dev in plan.devices(router(b + 1))
            if dev.startswith("in")
        ),
    ]


def _addresses(plan: Plan, role: str, flow: int) -> list[str]:
    """ip lines of a host: its routes' addresses, and their rules."""
    name, lines = host(role, flow), []
    for n in plan.network.route_numbers(flow):
        chain = plan.chains[n - 1][1]
        near = chain[1] if chain[0] == name else chain[-2]
        link = plan.links.get((name, near)) or plan.links[(near, name)]
        family = plan.network.family(flow, n - plan.network.route_numbers(flow).start)
        own, other = (address(r, n, family) for r in (role, SERVER if role == CLIENT else CLIENT))
        nodad = " nodad" if family == 6 else ""
        lines += [
            f"addr add {own} dev {link.device(name)}{nodad}",
            f"route add {other} dev {link.device(name)} src {own}",
        ]
        if role == CLIENT:  # the server answers by destination, through the right router
            lines.append(f"route add {ANYWHERE[family]} dev {link.device(name)} table {100 + n}")
    return lines


def _rules(plan: Plan, flow: int) -> list[str]:
    """What leaves from a client's address leaves over its route. No batch: -6 is ip's own flag."""
    return [
        f"ip -n {host(CLIENT, flow)} {'-6 ' if family == 6 else ''}rule add"
        f" from {address(CLIENT, n, family)} table {100 + n}"
        for i, n in enumerate(plan.network.route_numbers(flow))
        for family in [plan.network.family(flow, i)]
    ]


def _path_manager(plan: Plan, role: str, flow: int) -> list[str]:
    lines = ["mptcp limits set subflow 8 add_addr_accepted 8"]
    numbers = plan.network.route_numbers(flow)
    if role == SERVER:
        for i, n in enumerate(numbers[1:], 1):
            own = address(SERVER, n, plan.network.family(flow, i))
            lines.append(f"mptcp endpoint add {own} signal")
    return lines


def _links_up(plan: Plan, namespace: str) -> list[str]:
    mine = [link for link in plan.links.values() if namespace in link.ends]
    up = [f"link set {link.device(namespace)} mtu {link.mtu} up" for link in mine]
    return ["link set lo up", *up]


def _forwarding(plan: Plan, namespace: str) -> list[str]:
    """Routes to both ends of every route that crosses a router; the rest goes to the servers."""
    lines: list[str] = []
    for n, (flow, chain) in enumerate(plan.chains, 1):
        if namespace not in chain[1:-1]:
            continue
        here = chain.index(namespace)
        family = plan.network.family(flow, n - plan.network.route_numbers(flow).start)
        onward, back = plan.links[(namespace, chain[here + 1])], plan.links[(chain[here - 1], namespace)]
        for role, link in ((plan.sink, onward), (plan.source, back)):
            dev = link.device(namespace)
            lines.append(f"route add {address(role, n, family)} dev {dev}")
            if role == SERVER:
                lines.append(f"route replace {ANYWHERE[family]} dev {dev}")
    return lines


def _global_sysctls(plan: Plan, buffer: int | None) -> list[str]:
    """Set before the namespaces exist, which take them over."""
    values = {"net/core/devconf_inherit_init_net": "1", "net/ipv4/ip_forward": "1"}
    if 6 in plan.families:
        values["net/ipv6/conf/all/forwarding"] = "1"
    else:
        values["net/ipv6/conf/all/disable_ipv6"] = "1"
        values["net/ipv6/conf/default/disable_ipv6"] = "1"
    if buffer:
        for name, default in (("tcp_rmem", 131072), ("tcp_wmem", 16384)):
            values[f"net/ipv4/{name}"] = f"4096 {min(default, buffer)} {buffer}"
    return [f"echo '{value}' >/proc/sys/{name}" for name, value in values.items()]


def script(network: Network, buffer: int | None = None) -> str:
    """Shell commands that build the network; they stop at the first error."""
    plan = Plan(network)
    parts = ["set -e", *_global_sysctls(plan, buffer)]
    parts.append(_batch("ip", "", [f"netns add {name}" for name in plan.namespaces]))
    parts += [
        f"ip netns exec {name} sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save'" for name in plan.hosts
    ]
    parts.append(_batch("ip", "", [_veth(i, link) for i, link in enumerate(plan.links.values(), 1)]))
    for flow in range(len(network.flows)):
        for role in (CLIENT, SERVER):
            lines = _links_up(plan, host(role, flow)) + _addresses(plan, role, flow)
            parts.append(_batch("ip", host(role, flow), lines + _path_manager(plan, role, flow)))
        parts += _rules(plan, flow)
    for name in plan.namespaces:
        if name not in plan.hosts:
            parts.append(_batch("ip", name, _links_up(plan, name) + _forwarding(plan, name)))
    for b, path in enumerate(network.bottlenecks):
        if router(b + 1) in plan.namespaces:
            lines = _delays(plan, "add", b, path) + _queue(path)
            parts.append(_batch("tc", router(b + 1), lines))
    return "\n".join(part for part in parts if part) + "\n"


def _veth(number: int, link: Link) -> str:
    ends = [
        f"{device} netns {namespace} address 02:00:00:00:{number >> 8:02x}:{number & 255:02x}"
        f" arp off {MSS_AT_ONCE}"
        for namespace, device in zip(link.ends, link.devices, strict=True)
    ]
    return f"link add {ends[0]} type veth peer name {ends[1]}"


def _changes(plan: Plan, b: int) -> Iterator[tuple[float, list[str]]]:
    """Each event of a bottleneck: seconds since the one before, and its tc commands."""
    path, outage, last = plan.network.bottlenecks[b], False, 0.0
    for event in path.events:
        if event.what in ("down", "up"):
            outage = event.what == "down"
        else:
            path = replace(path, **{event.what: event.value})
        lines = _delays(plan, "change", b, path, outage)
        if event.what == "rate":
            lines.append(f"qdisc change dev out {_tbf(path)}")
        yield event.at - last, [f"tc -n {router(b + 1)} {line}" for line in lines]
        last = event.at


def events(network: Network) -> str:
    """Shell commands that change the paths as time goes by; to be started with the traffic."""
    plan = Plan(network)
    parts = []
    for b in range(len(network.bottlenecks)):
        steps = [f"sleep {wait:g}; {'; '.join(cmds)}" for wait, cmds in _changes(plan, b)]
        if steps:
            parts.append("{ " + "\n".join(steps) + "\n} &")
    return "\n".join(parts) + "\n"


def picture(network: Network) -> str:
    """The network of one flow over disjoint paths, for a human."""
    lines = ["    client                         router                          server"]
    for i, path in enumerate(network.bottlenecks, 1):
        own, other = (address(role, i, path.family) for role in (CLIENT, SERVER))
        lines.append(f"    {own} c{i} ---- in [ {router(i)} ] out ---- s{i} {other}    {path}")
    return "\n".join(lines)
