# SPDX-License-Identifier: MIT
"""How exact the test bed is, measured on the kernel itself. Prints TAP.

usage: accuracy.py [KERNEL]    a directory with 'linux' (default: build/uml)
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import network, paths, topology
from mplab.experiment import TCP, Conditions, measure
from mplab.guest import GuestError, Guests, scratch
from mplab.workloads import PYTHON, Blocks, Bulk, Iperf, Workload

CPUS = 2
SHORT = Bulk(8, 3)
WIFI, MOBILE = "8mbit,20ms,80ms", "2mbit,150ms,2s"

# Sends `count` datagrams of 1472 bytes, `gap` seconds apart, and says when each arrived.
DATAGRAMS = """
import json, socket, sys, threading, time
count, gap, out = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
sent, got = [], []
if sys.argv[4] == "receive":
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)
    s.bind(("", 9)); s.settimeout(3)
    try:
        while True:
            n = int(s.recv(2000)[:9]); got.append((n, time.monotonic()))
    except TimeoutError:
        json.dump(got, open(out, "w"))
else:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 32, 1 << 26)
    for n in range(count):
        sent.append((n, time.monotonic()))
        s.sendto(b"%09d" % n + bytes(1463), ("10.1.2.2", 9))
        if gap: time.sleep(gap)
    json.dump(sent, open(out, "w"))
"""


class Bench:
    """Runs tests and counts them."""

    def __init__(self, guests: Guests, real: Guests) -> None:
        self.guests, self.real = guests, real
        self.count = self.failed = 0

    def check(self, name: str, good: bool, found: str) -> None:
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}: {found}", flush=True)

    def near(self, name: str, value: float, wanted: float, within: float) -> None:
        """Within a share of what is wanted."""
        off = value / wanted - 1
        self.check(f"{name} within {within:.1%}", abs(off) <= within, f"{value:.4g}, {off:+.3%}")

    def goodputs(self, wanted: Sequence[Conditions], real: bool = False) -> list[float]:
        guests = self.real if real else self.guests
        with ThreadPoolExecutor(CPUS) as pool:
            jobs = [pool.submit(measure, guests, c, i % CPUS) for i, c in enumerate(wanted)]
            return [job.result().goodput for job in jobs]

    def datagrams(self, path: str, count: int, gap: float) -> tuple[dict[int, float], dict[int, float]]:
        """When each was sent and received."""
        net = network.disjoint([paths.parse(path)], network.TCP)
        with scratch() as directory:
            (directory / "udp.py").write_text(DATAGRAMS)
            run = f"{PYTHON} -I -S {directory}/udp.py {count} {gap} {directory}"
            self.guests.run(
                topology.script(net)
                + f"ip netns exec server {run}/got receive & sleep 0.5\n"
                + f"ip netns exec client {run}/sent send\nwait\n",
                directory,
                "--seed",
                "1",
            )
            sent, got = (dict(json.loads((directory / f).read_text())) for f in ("sent", "got"))
        return sent, got


def conditions(*texts: str, scheduler: str = TCP, workload: Workload = SHORT, seed: int = 0) -> Conditions:
    return Conditions(tuple(map(paths.parse, texts)), scheduler, workload=workload, seed=seed)


def goodput(b: Bench) -> None:
    for text in ("500kbit,20ms,200ms", WIFI, "100mbit,10ms,30ms", f"{WIFI},family=6", f"{WIFI},mtu=1400"):
        c = conditions(text, workload=Bulk(20, 5) if "kbit" in text else SHORT)
        b.near(f"TCP over {text}: payload rate", b.goodputs([c])[0], c.paths[0].capacity, 0.01)


def round_trip(b: Bench) -> None:
    for rtt in (0.001, 0.0205, 0.4):
        net = network.disjoint([paths.Path(100e6, rtt, 0.1)], network.TCP)
        with scratch() as directory:
            ping = "sleep 0.5; ip netns exec client ping -c 5 -q 10.1.2.2\n"
            said = b.guests.run(topology.script(net) + ping, directory)
        values = [float(v) / 1e3 for v in said.split(" = ")[1].split(" ")[0].split("/")]
        worst = max(abs(v - rtt) for v in values[:3])
        b.check(f"RTT {rtt * 1e3:g} ms within 0.1 ms", worst <= 1e-4, f"off by {worst * 1e3:.3f} ms")


def queue(b: Bench) -> None:
    """The last datagram of a burst that finds room waits for a full queue."""
    for text in (WIFI, "50mbit,2ms,20ms", "2mbit,10ms,50p"):
        path = paths.parse(text)
        sent, got = b.datagrams(text, 2 * path.queue_bytes // path.frame, 0)
        longest = max(when - sent[n] for n, when in got.items()) - path.rtt / 2
        packets = (longest - path.queue_bytes * 8 / path.rate) * path.rate / 8 / path.frame
        found = f"{packets:+.2f} packets off the limit of {path.queue_bytes} bytes"
        b.check(f"queue of {text} within one packet", abs(packets) <= 1, found)


def losses(b: Bench) -> None:
    count = 40000
    for text, wanted, run in ((",2%", 0.02, 1.0), (",2%,burst=4", 0.02, 4.0)):
        _, got = b.datagrams(f"1gbit,2ms,100ms{text}", count, 0.0002)
        lost = [n for n in range(count) if n not in got]
        runs = 1 + sum(b - a > 1 for a, b in zip(lost, lost[1:], strict=False))
        b.near(f"loss of {text[1:]}", len(lost) / count, wanted, 0.2)
        b.near(f"mean run of losses of {text[1:]}", len(lost) / runs, run, 0.2)


def repeatable(b: Bench) -> None:
    same = [conditions(WIFI, MOBILE, scheduler="minrtt") for _ in range(2)]
    first, second = b.goodputs(same)
    b.check("equal seeds, equal results", first == second, f"{first:.3f} and {second:.3f} bit/s")
    others = {f"VARIABLE{n}": "x" * n for n in range(100)}
    others |= {"PATH": f"/usr/bin:/bin:/{'x' * 300}", "HOME": "/", "TERM": "dumb", "COLUMNS": "20"}
    with (
        mock.patch.dict(os.environ, others),
        tempfile.TemporaryDirectory(prefix="another-place.") as name,
        mock.patch.object(tempfile, "tempdir", name),
        contextlib.chdir("/usr"),
    ):
        third = b.goodputs(same[:1])[0]
    b.check("the same in another environment", first == third, f"{first:.3f} and {third:.3f} bit/s")
    rates = b.goodputs([conditions(WIFI, seed=seed) for seed in range(5)])
    spread = (max(rates) - min(rates)) / min(rates)
    b.check("five seeds on a lossless path within 0.5 %", spread < 0.005, f"spread {spread:.4%}")
    lossy = b.goodputs([conditions(f"{WIFI},1%", seed=seed) for seed in range(2)])
    b.check("another seed, other losses", lossy[0] != lossy[1], f"{lossy[0]:.0f}, {lossy[1]:.0f} bit/s")


def against_iperf(b: Bench) -> None:
    own, theirs = b.goodputs([conditions(WIFI), conditions(WIFI, workload=Iperf(8, 3))])
    b.near("iperf3 and our own bulk transfer agree", own, theirs, 0.01)


def known_result(b: Bench) -> None:
    """Eight uncoupled subflows beside one TCP connection (Paasch 2014, fig. 2.10: 85 %)."""
    share = []
    for seed in range(8):  # single runs are from 85 to 92 %
        c = Conditions(
            (paths.parse("20mbit,40ms,80ms"),), congestion="reno", workload=Bulk(30, 5),
            topology="shared", subflows=8, competing=1, seed=seed,
        )  # fmt: skip
        flows = measure(b.guests, c, seed % CPUS).flows
        share.append(flows[0]["goodput_bps"] / sum(f["goodput_bps"] for f in flows))
    mean = sum(share) / len(share)
    b.check("8 Reno subflows take 80 to 90 % beside one TCP", 0.8 <= mean <= 0.9, f"{mean:.1%}")


def outage(b: Bench) -> None:
    c = conditions("8mbit,20ms,80ms,down@5s,up@8s", workload=Blocks(12, 1, 80e3, 200))
    gap = measure(b.guests, c, 0).main["longest_gap_s"]
    b.check("a path that is down for 3 s is silent for 3 s and more", 3 <= gap < 7, f"{gap:.2f} s")


def real_time(b: Bench) -> None:
    """The same without time travel: five points that a busy machine can follow, in two tries.

    Not paths that differ much: there a transfer depends on single packets, with any clock.
    """
    points = (
        (WIFI,),
        (WIFI, "6mbit,30ms,80ms"),
        ("4mbit,50ms,50ms",) * 2,
        ("1mbit,5ms,300ms",),
        ("3mbit,80ms,20p",),
    )
    wanted = [conditions(*p, scheduler="default" if len(p) > 1 else TCP) for p in points]
    virtual, real = b.goodputs(wanted), b.goodputs(wanted, real=True)
    late = [i for i in range(len(points)) if abs(real[i] / virtual[i] - 1) > 0.02]
    for i, again in zip(late, b.goodputs([wanted[i] for i in late], real=True), strict=True):
        real[i] = again
    for point, one, other in zip(points, virtual, real, strict=True):
        b.near(f"{' + '.join(point)} in real time", other, one, 0.02)


def main() -> int:
    kernel = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    tests: Sequence[Callable[[Bench], None]] = (
        goodput, round_trip, queue, losses, repeatable, against_iperf, known_result, outage, real_time,
    )  # fmt: skip
    with Guests(kernel) as guests, Guests(kernel, real_time=True) as real:
        bench = Bench(guests, real)
        for test in tests:
            try:
                test(bench)
            except GuestError as error:
                bench.check(test.__name__, False, str(error))
    print(f"1..{bench.count}")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
