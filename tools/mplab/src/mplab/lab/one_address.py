# SPDX-License-Identifier: MIT
"""Several links to a server that has one address: MPTCP with endpoints at the client, or Linux's bonding
driver, which spreads the packets of any connection over the links in turn, below TCP.

Made of a network of disjoint paths: their other routers lead to the first route's addresses, too. A
bond's ports have its hardware address, and so have the routers' devices there, as the hosts
ask nobody for one (topology.py).
"""

from __future__ import annotations

from .network import TCP, Network
from .topology import ANYWHERE, CLIENT, SERVER, Plan, address, router

BOND = "bond0"


def script(network: Network) -> str:
    """Shell commands, after those of topology.script(). Plain TCP is given bonds."""
    plan, bonded = Plan(network), network.flows[0].protocol == TCP
    lines = [line for role in (CLIENT, SERVER) for line in _bond(plan, role)] if bonded else _endpoints(plan)
    for number, (_, chain) in enumerate(plan.chains, 1):
        lines += _router(plan, number, chain, bonded)
    return "".join(f"ip -n {line}\n" for line in lines)


def _endpoints(plan: Plan) -> list[str]:
    """The client opens a subflow from each further address; the server announces none."""
    lines, family = [f"{SERVER} mptcp endpoint flush"], plan.network.family(0, 0)
    for number in plan.network.route_numbers(0)[1:]:
        own, device = address(CLIENT, number, family), plan.host_device(CLIENT, number)
        lines.append(f"{CLIENT} mptcp endpoint add {own} dev {device} subflow")
    return lines


def _hardware_address(role: str) -> str:
    """Of a host's bond, and of the routers' devices that lead there."""
    return f"02:00:00:00:fe:{1 if role == CLIENT else 2:02x}"


def _bond(plan: Plan, role: str) -> list[str]:
    """A host's devices as one; the driver takes them over only when they are down."""
    other, family = SERVER if role == CLIENT else CLIENT, plan.network.family(0, 0)
    lines = [f"{role} link add {BOND} address {_hardware_address(role)} type bond mode balance-rr"]
    for number in plan.network.route_numbers(0):
        device = plan.host_device(role, number)
        lines += [f"{role} link set {device} down", f"{role} link set {device} master {BOND}"]
    lines += [
        f"{role} link set {BOND} arp off up",
        f"{role} addr add {address(role, 1, family)} dev {BOND}",
        f"{role} route add {address(other, 1, family)} dev {BOND} src {address(role, 1, family)}",
    ]
    if role == CLIENT:
        lines.append(f"{role} route add {ANYWHERE[family]} dev {BOND} table 101")
    return lines


def _router(plan: Plan, number: int, chain: list[str], bonded: bool) -> list[str]:
    """A route's router: it leads to the first route's addresses."""
    name, lines, family = router(number), [], plan.network.family(0, 0)
    for role, ends in ((chain[0], chain[:2]), (chain[-1], chain[1:])):
        device = plan.links[(ends[0], ends[1])].device(name)
        lines += [f"{name} link set {device} address {_hardware_address(role)}"] if bonded else []
        lines.append(f"{name} route replace {address(role, 1, family)} dev {device}")
    return lines
