# SPDX-License-Identifier: MIT
"""A bottleneck as tc(8) takes it: lines for "tc -batch" in its router.

On the way of the data (device "out"), and likewise on the way back if that has a rate ("in"):

    1:  netem    loss and delay
    2:  tbf      rate and queue; for a recorded link "replay", which is ours: net/sched/sch_replay.c
    2:1          the queue, if it is none of tbf's own

A policer is in front of all that: what exceeds its rate never gets to wait.
"""

from __future__ import annotations

from dataclasses import replace

from .paths import Path

OUT, IN = "out", "in"
DELAY_LIMIT = 200_000  # packets that a delay may hold: never the one that drops
ACCESS_LIMIT = 64_000_000  # bytes, for the same reason
# A rate that never limits makes netem keep packets in order whatever their delays are
IN_ORDER = "rate 100gbit"
REPLAY_HANDLE, REPLAY_PARENT = 0x20000, 0x10001  # 2: below 1:1


def at_start(path: Path) -> Path:
    """With the first values of its traces."""
    if path.rtt_trace:
        path = replace(path, rtt=path.rtt_trace.values[0] / 1e3)
    if path.loss_trace:
        path = replace(path, loss=path.loss_trace.values[0])
    return path


def _loss(path: Path) -> str:
    """netem's loss; a run of losses as Gilbert's two-state chain."""
    if not path.loss:
        return ""
    if path.burst <= 1 or path.loss >= 100:
        return f" loss {path.loss:g}%"
    share = path.loss / 100
    return f" loss gemodel {100 * share / (1 - share) / path.burst:.6g}% {100 / path.burst:.6g}%"


def delays(verb: str, path: Path, ins: list[str], outage: bool = False) -> list[str]:
    """What happens to packets before they queue, and on the way back."""
    there = path.rtt * path.there / 100 * 1e6
    back = max((path.rtt - path.jitter) * 1e6 - there, 0)
    delay = f"delay {there:.0f}us"
    if path.jitter:
        delay = f"delay {there + path.jitter * 1e6:.0f}us {path.jitter * 1e6:.0f}us"
    ordered = f" {IN_ORDER}" if path.jitter or path.rtt_trace else ""
    ordered_back = f" {IN_ORDER}" if path.rtt_trace else ""
    lost, lost_back = (" loss 100%",) * 2 if outage else (_loss(path), "")
    there_and_back = [
        (OUT, f"{delay}{ordered} limit {DELAY_LIMIT}{lost}"),
        *((dev, f"delay {back:.0f}us{ordered_back} limit {DELAY_LIMIT}{lost_back}") for dev in ins),
    ]
    return [f"qdisc {verb} dev {dev} root handle 1: netem {what}" for dev, what in there_and_back]


def _tbf(path: Path, rate: float) -> str:
    burst = 2 * path.frame  # virtual time needs no more, and more would add to the queue
    return f"parent 1:1 handle 2: tbf rate {rate:.0f}bit burst {burst} limit {path.drains(rate)}"


def access(path: Path, devices: list[str]) -> list[str]:
    """A sender's own link: the rate of the path, and room for all that the sender has."""
    limit = f"rate {path.rate:.0f}bit burst {2 * path.frame} limit {ACCESS_LIMIT}"
    return [f"qdisc add dev {device} root tbf {limit}" for device in devices]


def _own_queue(path: Path, rate: float) -> str:
    """The queue where it is none of tbf's own, which is bytes."""
    packets = max(path.drains(rate) // path.frame, 2)
    if path.aqm == "fq_codel":
        return f"fq_codel limit {packets}"
    if path.aqm == "cake":
        return f"cake unlimited memlimit {path.drains(rate)}"
    if path.queue_packets:
        return f"pfifo limit {path.queue_packets}"
    return f"bfifo limit {path.drains(rate)}" if path.trace else ""


def _police(path: Path) -> str:
    return f"action police rate {path.rate:.0f}bit burst {path.police} conform-exceed drop/ok index 1"


def bottleneck(path: Path) -> list[str]:
    """The rate and its queue, in either direction."""
    if path.police:
        lines = [
            f"qdisc add dev {OUT} clsact",
            f"filter add dev {OUT} egress matchall {_police(path)}",
        ]
    else:
        limiter = "parent 1:1 handle 2: replay" if path.trace else _tbf(path, path.rate)
        lines = [f"qdisc add dev {OUT} {limiter}"]
        queue = _own_queue(path, path.rate)
        lines += [f"qdisc add dev {OUT} parent 2:1 {queue}"] if queue else []
    if path.back:
        lines.append(f"qdisc add dev {IN} {_tbf(path, path.back)}")
        queue = _own_queue(replace(path, trace=None), path.back)
        lines += [f"qdisc add dev {IN} parent 2:1 {queue}"] if queue else []
    return lines


def changes(path: Path) -> list[str]:
    """For another rate or another queue on the way of the data."""
    if path.police:
        return [f"actions change {_police(path)}"]
    queue = _own_queue(path, path.rate)
    lines = [f"qdisc change dev {OUT} parent 2:1 {queue}"] if queue else []
    return lines if path.trace else [f"qdisc change dev {OUT} {_tbf(path, path.rate)}", *lines]
