# SPDX-License-Identifier: MIT
"""What the patched kernel promises of goodput and delay, measured on the kernel itself. Prints TAP.

usage: promises.py [KERNEL]    a directory with 'linux' (default: build/uml)
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import paths
from mplab.lab.guest import Guests
from mplab.run.experiment import TCP, Conditions, Result, measure
from mplab.traffic import Blocks

WIFI, MOBILE, WEAK = "8mbit,20ms,80ms", "2mbit,150ms,2s", "50kbit,150ms,2s"
RISING = "8mbit,40ms,200ms,rtt=200ms@5s"
DYING, OTHER = "8mbit,20ms,80ms,down@8s", "2mbit,60ms,2s"
CALL = Blocks(20, 2, 160e3, 400)
STREAM = Blocks(30, 5, 9.5e6)  # more than the nearer of these carries, and less than both
NEAR, FAR = "9mbit,9ms,500ms", "1.7mbit,60ms,2s"
INTERRUPTION = 3 * 60 + 2 * 20  # ms: three round trips of the other path, two of the dead one


def on(scheduler: str, *texts: str, buffer: int | None = None) -> Conditions:
    return Conditions(tuple(map(paths.parse, texts)), scheduler, buffer=buffer)


def call(scheduler: str) -> Conditions:
    return Conditions((paths.parse(DYING), paths.parse(OTHER)), scheduler, workload=CALL)


def stream(scheduler: str) -> Conditions:
    return Conditions((paths.parse(NEAR), paths.parse(FAR)), scheduler, workload=STREAM)


def worst(result: Result) -> float:
    """ms until a block is read, at most."""
    return 1e3 * max(result.main["delays_s"])


def measured(guests: Guests, wanted: list[Conditions]) -> list[Result]:
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job: measure(guests, job[1], job[0] % 2), enumerate(wanted)))


def main() -> int:
    wanted = [
        on(TCP, WIFI), on("minrtt+rp", WIFI, MOBILE), on("inorder", WIFI, WEAK, buffer=400_000),
        on("inorder", WIFI, MOBILE, buffer=100_000), on("inorder", WIFI, MOBILE, buffer=400_000),
        on("inorder", WIFI, RISING), on("inorder", "8mbit,10ms,80ms", "8mbit,30ms,80ms", "8mbit,200ms,80ms"),
        stream("default"), stream("inorder"), call("inorder"), call("minrtt+rs"),
    ]  # fmt: skip
    with Guests(Path(sys.argv[1]) if len(sys.argv) > 1 else None) as guests:
        tcp, losses, weak, small, enough, risen, three, plain, fast, *calls = measured(guests, wanted)
    before, late = (1e3 * r.main["delay_p99_s"] for r in (plain, fast))
    dropped = losses.counters["server"].get("NoDSSInWindow", 0)
    checks = [
        ("nothing is sent beyond the peer's window", dropped == 0, dropped),
        ("inorder beside 50 kbit/s: as its best path", weak.goodput > 0.96 * tcp.goodput, weak.goodput),
        ("inorder with 100 KB: as its best path", small.goodput > 0.975 * tcp.goodput, small.goodput),
        ("inorder with 400 KB: both paths", enough.goodput > 9.2e6, enough.goodput),
        ("inorder when an RTT has risen: both paths", risen.goodput > 14.5e6, risen.goodput),
        ("inorder over three paths: each has its third", three.goodput > 21.5e6, three.goodput),
        (
            "inorder: a stream that both carry, its slowest percent in ms: below default's",
            late < before,
            late,
        ),
        *(
            (f"{r.conditions.scheduler} when a path dies: ms of silence", worst(r) <= INTERRUPTION, worst(r))
            for r in calls
        ),
    ]
    for number, (name, good, found) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} {name} # {found:.0f}")
    print(f"1..{len(checks)}")
    return 0 if all(good for _, good, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
