# SPDX-License-Identifier: GPL-2.0
"""A peer that has the keys, and makes work: does it grow faster than what it sends, and is all released?

usage: python3 growth.py CLIENT SERVER [quick | CASE]

Prints "ok WHAT" or "not ok WHAT", and a row of the table.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

from conformance.byhand import option
from conformance.crypto import idsn_of
from conformance.mapping import MASK32, MASK64
from conformance.options import DSS, DSS_ACK, DSS_MAP, DSS_MAP64
from gauge import sockets
from lab import Cost, Lab, Recorder, feed, held, measured, released
from readers import slow, trickle
from stranger import Stranger, listening

from net import inside, set_sysctl

LINEAR = 1.5  # what the last packets may cost, in that of the first ones
RUNS, QUICK_RUNS = 5, 3
ROUNDS = 4  # of so many runs, while others use the CPU
MAPPING = 40000  # the server has a window for it
# As after a bulk transfer: the more a peer may send ahead the more it can make wait.
BUFFER = "4096 33554432 33554432"


def tiny(lab: Lab, size: int) -> Cost:
    """a mapping of 40 KB in segments of a byte that the kernel cannot merge"""
    connection, app = lab.connect()
    with Recorder(lab.stranger) as packets:
        for number in range(size):
            wide = number % 2  # mappings of another form are not merged
            dsn = (idsn_of(connection.key) + 1 + 4) & (MASK64 if wide else MASK32)
            flags = DSS_ACK | DSS_MAP | (DSS_MAP64 if wide else 0)
            ack = (idsn_of(connection.peer_key) + 1) & MASK32
            body = struct.pack(f"!BI{'Q' if wide else 'I'}IH", flags, ack, dsn, 5, MAPPING)
            # the first one says how long they are otherwise
            data = b"x" if number else bytes(1000)
            connection.segment(option(DSS, 0, body), data)
            connection.sent += len(data)
    with app:
        cost = feed(lab, packets)
        connection.fastclose(0)
    return cost


def tiny_looked(lab: Lab, size: int) -> Cost:
    """the same, to a server that looks at lengths"""
    set_sysctl(lab.namespace, "mptcp/check_lengths", 1)
    try:
        return tiny(lab, size)
    finally:
        set_sysctl(lab.namespace, "mptcp/check_lengths", 0)


def holes(lab: Lab, size: int) -> Cost:
    """data of a byte each, none next to the other"""
    connection, app = lab.connect()
    with Recorder(lab.stranger) as packets:
        for number in range(size):
            connection.send(b"x", skip=10 + number)
    with app:
        cost = feed(lab, packets)
        connection.fastclose(0)
    return cost


def joins(lab: Lab, size: int) -> Cost:
    """joins with the right HMAC, many more than the limit"""
    connection, app = lab.connect()
    with app:
        cost = measured(lab, [connection.join] * size, 2)
        connection.fastclose(0)
    return cost


def addresses(lab: Lab, size: int) -> Cost:
    """ADD_ADDR with the right HMAC, an address each"""
    connection, app = lab.connect()
    with Recorder(lab.stranger) as packets:
        for number in range(size):
            address = bytes([10, 9, 1 + number // 250, 1 + number % 250])
            connection.announce(1 + number % 250, address, 0)
    with app:
        cost = feed(lab, packets, 0.001)
        connection.fastclose(0)
    return cost


def withdrawals(lab: Lab, size: int) -> Cost:
    """ADD_ADDR and REMOVE_ADDR in turn"""
    connection, app = lab.connect()
    with Recorder(lab.stranger) as packets:
        for number in range(size // 2):
            address = bytes([10, 9, 1 + number // 250, 1 + number % 250])
            connection.announce(9, address, 0)
            connection.remove(9)
    with app:
        cost = feed(lab, packets, 0.001)
        connection.fastclose(0)
    return cost


CASES: dict[str, tuple[Callable[[Lab, int], Cost], int]] = {
    "tiny": (tiny, 6000),
    "looked": (tiny_looked, 6000),
    "holes": (holes, 4000),
    "slow": (slow, 500),
    "joins": (joins, 200),
    "addresses": (addresses, 1000),
    "withdrawals": (withdrawals, 1000),
}


def cheapest(costs: list[Cost]) -> list[float]:
    """Of each part the cheapest run counts: others use the CPU, too."""
    return [min(found) for found in zip(*(cost.parts for cost in costs), strict=True)]


def judge(lab: Lab, name: str, runs: int) -> None:
    act, size = CASES[name]
    before, gone, costs = sockets(lab.namespace), True, list[Cost]()
    empty = held(lab)
    lab.stranger.sent = lab.stranger.came = 0
    for number in range(ROUNDS * runs):
        costs.append(act(lab, size))
        gone = released(lab, before) and gone
        parts = cheapest(costs)
        growth = parts[-1] / parts[1]
        if number >= runs - 1 and growth < LINEAR:
            break
    good = growth < LINEAR
    print(f"{'ok' if good else 'not ok'} {act.__doc__}: the last ones cost what the first ones do")
    if not good:
        print(f"# ticks a packet: {' '.join(f'{part:.0f}' for part in parts)}")
    print(f"{'ok' if gone else 'not ok'} {act.__doc__}: all is released afterwards")
    peak = max(cost.peak for cost in costs) - empty
    cost = f"{costs[0].packets} packets, the last ones cost {growth:.2f} of the first ones, {peak} kB"
    answers = f"{lab.stranger.came / lab.stranger.sent:.2f} bytes are sent for a byte that came"
    print(f"# | {act.__doc__} | {cost}, {answers}{lab.told and ', '}{lab.told} |")
    lab.told = ""
    sys.stdout.flush()


def can_look(namespace: str) -> bool:
    """Not unpatched Linux."""
    with inside(namespace):
        return Path("/proc/sys/net/mptcp/check_lengths").exists()


def main() -> int:
    namespace, words = sys.argv[2], sys.argv[3:]
    for name in "tcp_rmem", "tcp_wmem":
        set_sysctl(namespace, f"ipv4/{name}", BUFFER)
    with listening(namespace) as listener:
        lab = Lab(namespace, Stranger(namespace, "10.9.0.2"), listener)
        released(lab, 1)
        able = [n for n in CASES if n != "looked" or can_look(namespace)]
        chosen = [n for n in able if words in ([], ["quick"], [n])]
        for name in chosen:
            judge(lab, name, QUICK_RUNS if words == ["quick"] else RUNS)
        if words in ([], ["quick"], ["trickle"]):
            trickle(lab)
    print(f"# {len(chosen)} attacks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
