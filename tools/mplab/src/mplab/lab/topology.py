# SPDX-License-Identifier: MIT
"""The network inside the guest, as a shell script.

    client -- c1 ---- in [router1] out ---- s1 -- server
           \\- c2 ---- in [router2] out ---- s2 -/

A router per bottleneck. Loss, delay, rate and queue are on its way out, never on the sender's own
interface: TCP small queues would hide them. Delay comes before the rate, so that the queue holds
nothing but what waits (links.py). Where a bottleneck leads to several places, a second namespace
"exit1" follows; where the way back has a rate and leads to several, "entry1" comes before.

Hosts offload as real ones do: TCP makes segments of up to 64 KB, which their devices cut before the
first router, so that rate, loss and queue act on packets; GRO merges what arrives at one instant.

Route n has the address 10.n.1.1 at its client and 10.n.2.2 at its server (fd00:n:1::1 and
fd00:n:2::2). The server announces the addresses of its further routes; the client connects to
each of them over the route that leads there. The links between need no addresses: both ends of a
veth pair have the same hardware address and ask nobody for it, so that no ARP exchange adds to
the first packets' delay.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path as FilePath

from . import links
from .network import UP, Network

CLIENT, SERVER = "client", "server"
ANYWHERE = {4: "0.0.0.0/0", 6: "::/0"}
BATCH = 400  # lines
MANY = 96  # routes
MSS_AT_ONCE = " gso_max_segs 1"
PYTHON = "/usr/bin/python3"
HOSTS = FilePath(__file__).with_name("hosts.py")


def router(number: int) -> str:
    return f"router{number}"


def exit_(number: int) -> str:
    return f"exit{number}"


def entry(number: int) -> str:
    return f"entry{number}"


def host(role: str, flow: int) -> str:
    """The namespace of a flow's client or server; the first flow's have the plain names."""
    return role if flow == 0 else f"{role}{flow + 1}"


def address(role: str, route: int, family: int = 4) -> str:
    """Of a route's end. From 256 on the number is in two bytes of an IPv4 address."""
    if family == 6:
        return f"fd00:{route}:1::1" if role == CLIENT else f"fd00:{route}:2::2"
    high, low = divmod(route, 256)
    return f"10.{low}.{2 * high + 1}.1" if role == CLIENT else f"10.{low}.{2 * high + 2}.2"


def table(route: int) -> int:
    """Of a client's routes, the one for this; 253 to 255 are the kernel's own."""
    return (100 if route < 100 else 1000) + route


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
        bottlenecks = range(len(network.bottlenecks))
        self.exits = {b for b in bottlenecks if len(self._beside(b, 1)) > 1}
        self.entries = {
            b for b in bottlenecks if network.bottlenecks[b].back and len(self._beside(b, -1)) > 1
        }
        self.links: dict[tuple[str, str], Link] = {}
        self.chains: list[tuple[int, list[str]]] = []  # per route: flow, namespaces
        for f, flow in enumerate(network.flows):
            for route in flow.routes:
                self._add_chain(f, route)

    def _beside(self, bottleneck: int, step: int) -> set[object]:
        """What follows a bottleneck (step 1) or comes before it (-1), over all routes."""
        found: set[object] = set()
        for f, flow in enumerate(self.network.flows):
            for route in flow.routes:
                around = [host(self.source, f), *route, host(self.sink, f)]
                found |= {around[i + step] for i, here in enumerate(around) if here == bottleneck}
        return found

    def _add_chain(self, flow: int, route: tuple[int, ...]) -> None:
        chain = [host(self.source, flow)]
        for b in route:
            chain += [entry(b + 1)] if b in self.entries else []
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

    def ins(self, bottleneck: int) -> list[str]:
        """The devices of its router that lead back."""
        return [d for d in self.devices(router(bottleneck + 1)) if d.startswith(links.IN)]

    def host_device(self, name: str, route: int) -> str:
        """Of a host, for one of its routes."""
        chain = self.chains[route - 1][1]
        ends = chain[:2] if chain[0] == name else chain[-2:]
        return self.links[(ends[0], ends[1])].device(name)

    def initial_window(self, route: int) -> int:
        """Of what a host sends over one of its routes; 0: the kernel's."""
        routes = [way for flow in self.network.flows for way in flow.routes]
        return self.network.bottlenecks[routes[route - 1][0]].initcwnd

    def access_lines(self, flow: int) -> list[str]:
        """tc lines for the own links of who sends, if they have a rate."""
        if not self.network.access:
            return []
        name, first = host(self.source, flow), self.network.route_numbers(flow).start
        return [
            line
            for n, way in enumerate(self.network.flows[flow].routes, first)
            for line in links.access(self.network.bottlenecks[way[0]], [self.host_device(name, n)])
        ]

    @property
    def namespaces(self) -> list[str]:
        return list(dict.fromkeys(end for link in self.links.values() for end in link.ends))

    @property
    def hosts(self) -> list[str]:
        flows = range(len(self.network.flows))
        return [host(role, f) for f in flows for role in (CLIENT, SERVER)]


def _batch(tool: str, namespace: str, lines: list[str]) -> str:
    """Several, if there are many lines: ip keeps each namespace that a line names open."""
    where = f"-n {namespace} " if namespace else ""
    parts = [lines[i : i + BATCH] for i in range(0, len(lines), BATCH)]
    return "\n".join("\n".join([f"{tool} {where}-batch - <<END", *part, "END"]) for part in parts)


def address_lines(plan: Plan, role: str, flow: int, route: int, verb: str = "add") -> list[str]:
    """ip lines of a host for one of its routes: its address, and where the other end is."""
    family = plan.network.family(flow, route - plan.network.route_numbers(flow).start)
    own, other = (address(r, route, family) for r in (role, SERVER if role == CLIENT else CLIENT))
    device, nodad = plan.host_device(host(role, flow), route), " nodad" if family == 6 else ""
    window = plan.initial_window(route)
    lines = [
        f"addr {verb} {own} dev {device}{nodad}",
        f"route {verb} {other} dev {device} src {own}{f' initcwnd {window}' if window else ''}",
    ]
    if role == CLIENT:  # the server answers by destination, through the right router
        lines.append(f"route {verb} {ANYWHERE[family]} dev {device} table {table(route)}")
    return lines


def _rules(plan: Plan, flow: int) -> list[str]:
    """What leaves from a client's address leaves over its route. No batch: -6 is ip's own flag."""
    return [
        f"ip -n {host(CLIENT, flow)} {'-6 ' if family == 6 else ''}rule add"
        f" from {address(CLIENT, n, family)} table {table(n)}"
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
    if len(plan.chains) > MANY:  # the neighbours of all namespaces are in one table
        values["net/ipv4/neigh/default/gc_thresh3"] = str(16 * len(plan.chains))
    if buffer:
        for name, default in (("tcp_rmem", 131072), ("tcp_wmem", 16384)):
            values[f"net/ipv4/{name}"] = f"4096 {min(default, buffer)} {buffer}"
    return [f"echo '{value}' >/proc/sys/{name}" for name, value in values.items()]


def script(network: Network, buffer: int | None = None, offload: bool = True) -> str:
    """Shell commands that build the network; they stop at the first error."""
    plan = Plan(network)
    parts = ["set -e", *_global_sysctls(plan, buffer)]
    parts.append(_batch("ip", "", [f"netns add {name}" for name in plan.namespaces]))
    veths = [_veth(i, link, offload) for i, link in enumerate(plan.links.values(), 1)]
    parts += [_batch("ip", "", veths), _features(plan, offload)]
    for flow in range(len(network.flows)):
        for role in (CLIENT, SERVER):
            lines = _links_up(plan, host(role, flow)) + _addresses(plan, role, flow)
            parts.append(_batch("ip", host(role, flow), lines + _path_manager(plan, role, flow)))
        parts += [*_rules(plan, flow), _batch("tc", host(plan.source, flow), plan.access_lines(flow))]
    for name in plan.namespaces:
        if name not in plan.hosts:
            parts.append(_batch("ip", name, _links_up(plan, name) + _forwarding(plan, name)))
    for b, bottleneck in enumerate(network.bottlenecks):
        if router(b + 1) in plan.namespaces:
            path = links.at_start(bottleneck)
            lines = links.delays("add", path, plan.ins(b)) + links.bottleneck(path)
            parts.append(_batch("tc", router(b + 1), lines))
    if len(plan.chains) > MANY:  # Linux takes notice of 100 links a second that are up
        parts.append(f"sleep {len(plan.links) // 40}")
    return "\n".join(part for part in parts if part) + "\n"


def _addresses(plan: Plan, role: str, flow: int) -> list[str]:
    numbers = plan.network.route_numbers(flow)
    return [line for n in numbers for line in address_lines(plan, role, flow, n)]


def _veth(number: int, link: Link, offload: bool) -> str:
    ends = [
        f"{device} netns {namespace} address 02:00:00:00:{number >> 8:02x}:{number & 255:02x}"
        f" arp off{'' if offload else MSS_AT_ONCE}"
        for namespace, device in zip(link.ends, link.devices, strict=True)
    ]
    return f"link add {ends[0]} type veth peer name {ends[1]}"


def _features(plan: Plan, offload: bool) -> str:
    """Of namespaces and their devices: see hosts.py."""
    words = []
    for name in plan.namespaces if offload else plan.hosts:
        role, devices = "host" if name in plan.hosts else "router", plan.devices(name) if offload else []
        words.append(f"{role}:{name}:{','.join(devices)}")
    return shlex.join([PYTHON, "-I", "-S", str(HOSTS), *words])


def picture(network: Network) -> str:
    """The network of one flow over disjoint paths, for a human."""
    lines = ["    client                         router                          server"]
    for i, path in enumerate(network.bottlenecks, 1):
        own, other = (address(role, i, path.family) for role in (CLIENT, SERVER))
        lines.append(f"    {own} c{i} ---- in [ {router(i)} ] out ---- s{i} {other}    {path}")
    return "\n".join(lines)
