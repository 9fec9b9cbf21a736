# SPDX-License-Identifier: MIT
"""Topologies, as data: bottlenecks, and flows whose subflows cross them.

A flow is one connection between two hosts of its own. Each of its subflows has a route: the
bottlenecks it crosses, in order. That is enough for all networks of the literature:

    disjoint   one bottleneck per path; other flows may be beside on each, or on some
    shared     everybody crosses the same bottleneck (Paasch 2014, fig. 2.9)
    triangle   three bottlenecks; each connection has a route over one and a route over the
               other two, which it had better not use (Wischik et al. 2011; Paasch fig. 3.6)
    one address
               disjoint paths to a server with one address: bonding, or endpoints (Paasch 2014, 5.6)
    interfaces disjoint paths; plain TCP has a connection over each (Kaspar 2011, chapter 6)
    incast     many servers answer one client; each connection has a subflow over each of the
               bottlenecks, which lead to the client (Li 2014, section 3.3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .paths import Path

TCP, MPTCP, UDP = "tcp", "mptcp", "udp"
UP, DOWN = "up", "down"  # who sends the data: the client, or the server
BOTH = "both"


@dataclass(frozen=True)
class Flow:
    """A connection. routes: per subflow, the numbers (from 0) of the bottlenecks it crosses."""

    protocol: str
    routes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Network:
    """Bottlenecks act on data in its direction; what comes back meets delay only.

    access: each sender's own link has the rate of the first bottleneck on its route.
    """

    bottlenecks: tuple[Path, ...]
    flows: tuple[Flow, ...]
    direction: str = UP
    access: bool = False

    def route_numbers(self, flow: int) -> range:
        """Addresses have the number of their route, counted from 1 over all flows."""
        first = 1 + sum(len(f.routes) for f in self.flows[:flow])
        return range(first, first + len(self.flows[flow].routes))

    def family(self, flow: int, route: int) -> int:
        """IP version of a route: that of its first bottleneck."""
        return self.bottlenecks[self.flows[flow].routes[route][0]].family


def beside(protocol: str, path: int) -> Flow:
    """One of the others, over one path, counted from 1."""
    return Flow(protocol, ((path - 1,),))


def disjoint(
    paths: Sequence[Path],
    protocol: str = MPTCP,
    others: Sequence[Flow] = (),
    direction: str = UP,
    tcp_path: int = 1,
) -> Network:
    """A subflow per path; plain TCP uses one path, counted from 1."""
    several = tuple((i,) for i in range(len(paths)))
    routes = several if protocol == MPTCP else (several[tcp_path - 1],)
    return Network(tuple(paths), (Flow(protocol, routes), *others), direction)


def every_path(paths: Sequence[Path], protocol: str = MPTCP, direction: str = UP) -> Network:
    """A flow with a route over each path, also of plain TCP: one address (one_address.py), interfaces."""
    return Network(tuple(paths), (Flow(protocol, tuple((i,) for i in range(len(paths)))),), direction)


def shared(
    path: Path,
    subflows: int,
    protocol: str = MPTCP,
    multipath: int = 1,
    others: Sequence[Flow] = (),
    direction: str = UP,
) -> Network:
    """`multipath` connections of `subflows` subflows each, and other flows beside them."""
    return Network((path,), (Flow(protocol, ((0,),) * subflows),) * multipath + tuple(others), direction)


def incast(paths: Sequence[Path], servers: int, protocol: str = MPTCP) -> Network:
    """A connection to each server, over all bottlenecks.

    Each has a client of its own: nothing but the bottlenecks is in its way to the next one. Without
    the rate of the servers' own links a server's segments would arrive in one piece, ahead of all others'.
    """
    routes = tuple((i,) for i in range(len(paths) if protocol == MPTCP else 1))
    return Network(tuple(paths), (Flow(protocol, routes),) * servers, DOWN, access=True)


def triangle(paths: Sequence[Path], protocol: str = MPTCP) -> Network:
    """Connection i crosses bottleneck i, or the other two."""
    if len(paths) != 3:
        raise ValueError(f"a triangle has 3 bottlenecks, not {len(paths)}")
    long_way = [((i + 1) % 3, (i + 2) % 3) for i in range(3)]
    routes = [((i,), long_way[i]) if protocol == MPTCP else ((i,),) for i in range(3)]
    return Network(tuple(paths), tuple(Flow(protocol, r) for r in routes))
