#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Systematic coding against coding of everything: how long a packet waits in the receiver's buffer.

usage: coding_model.py [--packets N] [--seeds N] [--check]

What net/mptcp/ext/coding/ does is compared here with what it does not do: a code in which each packet is
a combination (NSC, Li's thesis, figure 3.4). Two subflows of the same rate carry a stream, each packet
by the one where it arrives first. A lost packet comes again a round trip later, and may be lost again.
With --in-order TCP keeps what is behind it until then, as Linux does; without, it is seen at once.

The networks are those of the thesis: subflow A loses 0.1 % and has 20 ms of RTT, subflow B loses 1 to 5 %
and has 40 to 60 ms. Rates, the generation's length and the redundancy it does not say: here 10 Mbit/s
each, 32 packets and 3 more.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

PACKET = 1400 * 8 / 10e6  # seconds on the wire
DATA, MORE = 32, 3
A = (0.001, 0.020)


@dataclass(frozen=True)
class Packet:
    """The index-th of a generation, those of redundancy first; arrived: when it is seen."""

    generation: int
    index: int
    arrived: float


def carried(
    packets: int, more: int, paths: list[tuple[float, float]], in_order: bool, draw: random.Random
) -> list[Packet]:
    """All that arrives, by time."""
    free = [0.0] * len(paths)
    behind = [0.0] * len(paths)
    got = []
    for number in range(packets // DATA * (DATA + more)):
        path = min(range(len(paths)), key=lambda i: free[i] + paths[i][1] / 2)
        loss, rtt = paths[path]
        free[path] += PACKET
        seen = free[path] + rtt / 2
        while draw.random() < loss:
            seen += rtt
        if in_order:
            behind[path] = seen = max(seen, behind[path])
        got.append(Packet(number // (DATA + more), number % (DATA + more), seen))
    return sorted(got, key=lambda packet: packet.arrived)


def plain(got: list[Packet]) -> Iterator[float]:
    """Without a code, and with the systematic one (redundancy has an index below zero)."""
    arrived: dict[int, list[tuple[int, float]]] = {}
    next_one, held, spare = 0, {}, {}
    for packet in got:
        generation = packet.generation
        if packet.index < 0:
            spare.setdefault(generation, 0)
            spare[generation] += 1
        else:
            number = generation * DATA + packet.index
            if number < next_one or number in held:
                continue
            held[number] = packet.arrived
            arrived.setdefault(generation, []).append((number, packet.arrived))
        while True:
            while next_one in held:
                yield packet.arrived - held.pop(next_one)
                next_one += 1
            generation = next_one // DATA
            missing = DATA - len(arrived.get(generation, ()))
            if not 0 < missing <= spare.get(generation, 0):
                break
            have = {number for number, _ in arrived.get(generation, ())}
            for number in range(generation * DATA, (generation + 1) * DATA):
                if number not in have:
                    held[number] = packet.arrived
                    arrived.setdefault(generation, []).append((number, packet.arrived))


def combined(got: list[Packet]) -> Iterator[float]:
    """Each packet is a combination: a generation is there when enough of them are."""
    arrived: dict[int, list[float]] = {}
    next_one = 0
    for packet in got:
        if packet.generation < next_one:
            continue
        arrived.setdefault(packet.generation, []).append(packet.arrived)
        while len(arrived.get(next_one, ())) >= DATA:
            for when in arrived.pop(next_one)[:DATA]:
                yield packet.arrived - when
            next_one += 1


def mean_wait(code: str, loss: float, rtt: float, packets: int, in_order: bool, seed: int) -> float:
    draw = random.Random(seed)
    more = 0 if code == "none" else MORE
    got = carried(packets, more, [A, (loss, rtt)], in_order, draw)
    if code == "nsc":
        waits = list(combined(got))
    else:
        waits = list(plain([Packet(p.generation, p.index - more, p.arrived) for p in got]))
    return sum(waits) / len(waits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packets", type=int, default=32000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--in-order", action="store_true", help="subflows keep what is behind a loss")
    parser.add_argument("--check", action="store_true", help="fail if the systematic code is not better")
    args = parser.parse_args()
    good = True
    print("| loss, RTT of B | no code | not systematic | systematic | less than not systematic |")
    print("|---|---|---|---|---|")
    for loss in (0.01, 0.03, 0.05):
        for rtt in (0.040, 0.060):
            ms = {}
            for code in ("none", "nsc", "sc"):
                runs = [
                    mean_wait(code, loss, rtt, args.packets, args.in_order, seed)
                    for seed in range(args.seeds)
                ]
                ms[code] = 1000 * sum(runs) / len(runs)
            less = 100 * (1 - ms["sc"] / ms["nsc"])
            good = good and ms["sc"] < ms["nsc"]
            print(
                f"| {loss:.0%}, {rtt * 1000:.0f} ms | {ms['none']:.1f} ms | {ms['nsc']:.1f} ms "
                f"| {ms['sc']:.1f} ms | {less:.0f} % |"
            )
    return int(args.check and not good)


if __name__ == "__main__":
    sys.exit(main())
