# SPDX-License-Identifier: MIT
"""What happens to the paths as time goes by: events, traces. player.py does it, inside the guest."""

from __future__ import annotations

import heapq
import itertools
import pickle
import shlex
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path as FilePath

from . import links
from .network import MPTCP, Network
from .paths import ADDRESS, Path
from .topology import CLIENT, Plan, address, address_lines, host, router
from .traces import Series

PYTHON = "/usr/bin/python3"
PLAYER = FilePath(__file__).with_name("player.py")
STEP = struct.Struct("=II")  # struct replay_step of sch_replay.c: ns, bytes
TC, SHELL = "tc", "sh"


@dataclass(frozen=True)
class Change:
    """`at` seconds after the start: lines for tc, or for a shell, in a namespace."""

    at: float
    namespace: str
    tool: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """What the player needs of a bottleneck. recording: file with the steps of its trace."""

    router: str
    ins: list[str]
    path: Path
    rtts: Sequence[float]  # ms
    losses: Sequence[float]  # %
    addresses: dict[str, list[tuple[str, str]]]  # event: namespaces, and what a shell does there
    recording: FilePath | None


def _series(series: Series | None, values: Sequence[float], set_: Callable[[Path, float], Path]) -> Iterator:
    """(time, order, what it makes of the path): each value of a trace, without an end."""
    for n, value in enumerate(itertools.cycle(values) if series else ()):
        if n and value != values[(n - 1) % len(values)]:
            yield n * series.step, 1, lambda path, value=value: set_(path, value)


def _set_events(path: Path) -> Iterator:
    """(time, order, what it makes of the path): all but those of addresses."""
    for event in path.events:
        if event.what == "queue" and path.queue_packets:
            yield event.at, 0, lambda p, e=event: replace(p, queue_packets=int(e.value))
        elif event.what in ("down", "up"):
            yield event.at, 0, event.what == "down"
        elif event.what not in ADDRESS:
            yield event.at, 0, lambda p, e=event: replace(p, **{e.what: e.value})


def _path_changes(link: Link) -> Iterator[Change]:
    """Of delay, loss, rate and queue; at most one at a time."""
    path, outage = links.at_start(link.path), False
    steps = heapq.merge(
        _set_events(path),
        _series(path.rtt_trace, link.rtts, lambda p, ms: replace(p, rtt=ms / 1e3)),
        _series(path.loss_trace, link.losses, lambda p, loss: replace(p, loss=loss)),
        key=lambda step: step[:2],
    )
    for at, group in itertools.groupby(steps, key=lambda step: step[0]):
        before = path, outage
        for *_, change in group:
            path, outage = (path, change) if isinstance(change, bool) else (change(path), outage)
        lines = links.delays("change", path, link.ins, outage)
        if links.changes(path) != links.changes(before[0]):
            lines += links.changes(path)
        yield Change(at, link.router, TC, tuple(lines))


def _address_changes(link: Link) -> Iterator[Change]:
    for event in link.path.events:
        for namespace, script in link.addresses.get(event.what, ()):
            yield Change(event.at, namespace, SHELL, (script,))


def changes(all_links: Sequence[Link]) -> Iterator[Change]:
    """Of all paths, in order; without an end if there are traces."""
    each = [changes(link) for link in all_links for changes in (_path_changes, _address_changes)]
    return heapq.merge(*each, key=lambda change: change.at)


# ---- addresses


NUMBER = "ip mptcp endpoint show | sed -n 's/^{own} id \\([0-9]*\\).*/\\1/p'"
# The path manager takes the first endpoint that has the connection's first address for the one in
# use. So it has to be there before the address goes, or the subflow would not come back with it.
IN_USE = '[ -n "$({number})" ] || ip mptcp endpoint add {own} dev {device} subflow\n'
FORGET = 'id=$({number})\n[ -z "$id" ] || ip mptcp endpoint delete id $id\n'


def _scripts(plan: Plan, flow: int, index: int) -> dict[str, str]:
    """Per event, what the client of a connection does for one of its routes.

    The path manager is told, as a connection manager would; an address that comes back makes a
    subflow.
    """
    n, family = plan.network.route_numbers(flow)[index], plan.network.family(flow, index)
    own, name = address(CLIENT, n, family), host(CLIENT, flow)
    known = {"own": own, "device": plan.host_device(name, n), "number": NUMBER.format(own=own)}
    shown, length = (f"[{own}]", 128) if family == 6 else (own, 32)
    in_use = IN_USE.format(**known) if index == 0 else ""
    forget = FORGET.format(**known)
    add = "".join(f"ip {line}\n" for line in address_lines(plan, CLIENT, flow, n, "replace"))
    return {
        "closed": f"{in_use}ss -K -t src {shlex.quote(shown)} >/dev/null",
        "removed": f"{in_use}ip addr delete {own}/{length} dev {known['device']}\n{forget}",
        "added": f"{add}{forget}ip mptcp endpoint add {own} dev {known['device']} subflow",
    }


def _addresses(plan: Plan, b: int) -> dict[str, list[tuple[str, str]]]:
    """Per event, namespaces and what happens there: of the MPTCP connections over the bottleneck.

    TCP keeps its address: it could but end.
    """
    found: dict[str, list[tuple[str, str]]] = {what: [] for what in ADDRESS}
    for f, flow in enumerate(plan.network.flows):
        for index, route in enumerate(flow.routes):
            if b in route and flow.protocol == MPTCP:
                for what, script in _scripts(plan, f, index).items():
                    found[what].append((host(CLIENT, f), script))
    return found


# ---- what the guest gets


@cache
def _recording(trace: Series, frame: int) -> bytes:
    return b"".join(STEP.pack(*step) for step in trace.steps(frame))


def _link(plan: Plan, b: int, path: Path, directory: FilePath) -> Link:
    recording = None
    if path.trace:
        recording = directory / f"recording{b + 1}"
        recording.write_bytes(_recording(path.trace, path.frame))
    return Link(
        router(b + 1),
        plan.ins(b),
        path,
        list(path.rtt_trace.values) if path.rtt_trace else [],
        list(path.loss_trace.values) if path.loss_trace else [],
        _addresses(plan, b),
        recording,
    )


def start(network: Network, directory: FilePath) -> str:
    """Shell commands that start the player, if anything happens; to be called with the traffic."""
    plan = Plan(network)
    found = [
        _link(plan, b, path, directory)
        for b, path in enumerate(network.bottlenecks)
        if router(b + 1) in plan.namespaces and path.moves
    ]
    if not found:
        return ""
    score = directory / "score"
    score.write_bytes(pickle.dumps(found))
    return f"{PYTHON} -I -S {shlex.quote(str(PLAYER))} {shlex.quote(str(score))} &\nplayer=$!\n"


def end() -> str:
    """Shell commands that end the player; they fail if it did."""
    return '[ -z "${player:-}" ] || { kill $player 2>/dev/null || true; wait $player; }\n'
