# SPDX-License-Identifier: MIT
"""How exact the test bed is, measured on the kernel itself. Prints TAP.

usage: accuracy.py [KERNEL]    a directory with 'linux' (default: build/uml)
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tap import Checks

from mplab.lab import network, paths, timeline, topology
from mplab.lab.guest import TOP, Guests, scratch
from mplab.run import experiment
from mplab.run.experiment import TCP, Conditions, measure
from mplab.traffic import PYTHON, Blocks, Bulk, Iperf, Workload
from mplab.watch.measure import sampled
from mplab.watch.samples import CONNECTION, OUT_OF_ORDER, QUEUES, RECEIVED

CPUS = 2
SHORT = Bulk(8, 3)
REAL_WITHIN = 0.02
REAL_TRIES = 5
BUSY = 0.15  # of the time some program waited for a processor
ETHERNET = 14  # bytes of its header, which a bottleneck counts and a receiver does not
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

# Sends datagrams, 20 at a time, at so many bit/s for so many seconds: more than the link carries.
FLOOD = """
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(17, 103, 1472)  # UDP_SEGMENT
s.setsockopt(socket.SOL_SOCKET, 32, 1 << 26)
rate, end = float(sys.argv[1]), time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    s.sendto(bytes(20 * 1472), (sys.argv[3], 9))
    time.sleep(20 * 1514 * 8 / rate)
"""


class Bench(Checks):
    """In virtual and in real time."""

    def __init__(self, guests: Guests, real: Guests) -> None:
        super().__init__()
        self.guests, self.real = guests, real

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
                + f"ip netns exec server {run}/got receive & receiver=$!\nsleep 0.5\n"
                + timeline.start(net, directory)
                + f"ip netns exec client {run}/sent send\nwait $receiver\n"
                + timeline.end(),
                directory,
                "--seed",
                "1",
            )
            sent, got = (dict(json.loads((directory / f).read_text())) for f in ("sent", "got"))
        return sent, got

    def flood(self, texts: Sequence[str], seconds: float, peak: float, device: str = "out") -> list[int]:
        """Bytes that each bottleneck carried, from one second after the start on."""
        net = network.disjoint([paths.parse(text) for text in texts])
        ends = (topology.CLIENT, topology.SERVER)
        name, other = ends if device == "out" else ends[::-1]
        numbers = range(1, len(texts) + 1)
        with scratch() as directory:
            (directory / "flood.py").write_text(FLOOD)
            flood = f"{PYTHON} -I -S {directory}/flood.py {peak} {seconds + 2}"
            floods = [f"ip netns exec {name} {flood} {topology.address(other, n)} &\n" for n in numbers]

            def count(when: str) -> list[str]:
                tc = "tc -n router{n} -s qdisc show dev {device} root >{directory}/{when}{n}\n"
                return [tc.format(n=n, device=device, directory=directory, when=when) for n in numbers]

            script = [topology.script(net), "sleep 0.5\n", timeline.start(net, directory), *floods]
            script += ["sleep 1\n", *count("a"), f"sleep {seconds}\n", *count("b"), timeline.end()]
            self.guests.run("".join(script), directory, "--seed", "1")
            first, last = (
                [int((directory / f"{when}{n}").read_text().split("Sent ")[1].split()[0]) for n in numbers]
                for when in "ab"
            )
        return [b - a for a, b in zip(first, last, strict=True)]


def conditions(
    *texts: str, scheduler: str = TCP, workload: Workload = SHORT, seed: int = 0, offload: bool = True
) -> Conditions:
    parsed = tuple(map(paths.parse, texts))
    return Conditions(parsed, scheduler, workload=workload, seed=seed, offload=offload)


def goodput(b: Bench) -> None:
    for text in ("500kbit,20ms,200ms", WIFI, "100mbit,10ms,30ms", f"{WIFI},family=6", f"{WIFI},mtu=1400"):
        c = conditions(text, workload=Bulk(20, 5) if "kbit" in text else SHORT)
        b.near(f"TCP over {text}: payload rate", b.goodputs([c])[0], c.paths[0].capacity, 0.01)
    c = conditions(WIFI, offload=False)
    b.near(f"TCP over {WIFI} without offloads: payload rate", b.goodputs([c])[0], c.paths[0].capacity, 0.01)


def _counters(snmp: str) -> dict[str, int]:
    """Of /proc/net/snmp: IpOutRequests and so on."""
    rows = [line.split() for line in snmp.splitlines()]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return {
        head[0][:-1] + name: int(n)
        for head, values in pairs
        for name, n in zip(head[1:], values[1:], strict=True)
    }


def offloads(b: Bench) -> None:
    """Hosts' TCP makes large segments, but each packet that a router forwards is a single one."""
    for offload in (True, False):
        c = conditions("100mbit,10ms,30ms", workload=Bulk(4, 1), offload=offload)
        with scratch() as directory:
            ends = ("client", "server", "router1")
            look = [f"ip netns exec {e} cat /proc/net/snmp >{directory}/snmp-{e}\n" for e in ends]
            b.guests.run(experiment.script(c, directory) + "".join(look), directory)
            client, server, router = (_counters((directory / f"snmp-{e}").read_text()) for e in ends)
        large = client["TcpOutSegs"] / client["IpOutRequests"]
        right = large > 2 if offload else large < 1.01
        b.check(f"segments that TCP sends at once, offloads {offload}", right, f"{large:.2f}")
        segments = client["TcpOutSegs"] + server["TcpOutSegs"]
        b.near("packets of the router: TCP's segments", router["IpForwDatagrams"], segments, 0.001)


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


def _carried(text: str, begin: float, end: float) -> float:
    """Bytes that a path's trace says."""
    path, total, now = paths.parse(text), 0.0, 0.0
    for duration, carried in itertools.cycle(path.trace.steps(path.frame)):
        then = now + duration / 1e9
        total += carried * max(min(then, end) - max(now, begin), 0) / (then - now)
        now = then
        if now >= end:
            return total
    return 0.0


def recorded(b: Bench) -> None:
    """Both formats, a trace's end, several paths; a link that is never idle carries all."""
    with scratch() as directory:
        rates, mahimahi = directory / "rates", directory / "mahimahi"
        rates.write_text("8\n2.5\n0\n0.1\n20\n")
        opportunities = (t for t in range(1, 4001) for _ in range((t * 7919) % 5 if t % 1000 < 700 else 0))
        mahimahi.write_text("".join(f"{t}\n" for t in opportunities))
        texts = [f"trace={f},2ms,100ms" for f in (rates, mahimahi)]
        texts.append(f"trace={rates},2ms,100ms,step=30ms")
        found = b.flood(texts, 9, 80e6)
        for text, got in zip(texts, found, strict=True):
            name = text.replace(f"{directory}/", "")
            b.near(f"bytes over {name}", got, _carried(text, 1.001, 10.001), 0.01)


def series(b: Bench) -> None:
    """Delay and loss of each step; where the delay falls, packets stay in order."""
    with scratch() as directory:
        (directory / "rtt").write_text("20\n60\n40\n")
        (directory / "loss").write_text("0\n50\n")
        text = f"1gbit,rtt-trace={directory}/rtt,100ms,loss-trace={directory}/loss,step=100ms"
        sent, got = b.datagrams(text, 6000, 0.0005)
    begin = sent[0]
    place = {n: divmod(when - begin, 0.1) for n, when in sent.items()}
    wanted = {n: (0.01, 0.03, 0.02)[int(step) % 3] for n, (step, _) in place.items()}
    late = [abs(got[n] - sent[n] - wanted[n]) for n in got if 0.011 < place[n][1] < 0.099]
    b.check("RTT series within 0.1 ms", max(late) <= 1e-4, f"off by {max(late) * 1e3:.3f} ms")
    order = sorted(got, key=lambda n: (got[n], n))
    b.check("in order where the RTT falls", order == sorted(got), f"{len(order)} packets")
    lost = [n for n in sent if n not in got]
    b.near("loss series", len(lost) / len(sent), 0.25, 0.1)
    odd = all(int(place[n][0]) % 2 for n in lost if 0.001 < place[n][1] < 0.099)
    b.check("losses are in the steps that have them", odd, f"{len(lost)}")


def way_back(b: Bench) -> None:
    (got,) = b.flood(["8mbit,2ms,80ms,back=3mbit"], 6, 6e6, "in")
    b.near("rate of the way back", got, 3e6 * 6 / 8, 0.01)


def policer(b: Bench) -> None:
    (got,) = b.flood(["8mbit,2ms,0ms,police=30k"], 6, 12e6)
    b.near("rate that a policer lets through", got, 8e6 * 6 / 8, 0.01)
    sent, got = b.datagrams("8mbit,2ms,0ms,police=30k", 60, 0)
    longest = max(when - sent[n] for n, when in got.items())
    b.check("at once it lets through its burst", 18 <= len(got) <= 20, f"{len(got)} frames of 1514 bytes")
    b.check("and delays none", longest <= 0.0011, f"{longest * 1e3:.3f} ms")


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
    traced = b.goodputs(
        [conditions("trace=03-att,40ms,200ms", "trace=lte:1,rtt-trace=wifi:1,200ms") for _ in "12"]
    )
    b.check("equal seeds on traces", traced[0] == traced[1], f"{traced[0]:.3f} and {traced[1]:.3f} bit/s")
    lossy = b.goodputs([conditions(f"{WIFI},1%", seed=seed) for seed in range(2)])
    b.check("another seed, other losses", lossy[0] != lossy[1], f"{lossy[0]:.0f}, {lossy[1]:.0f} bit/s")


def _in_a_clone(top: Path, kernel: Path, environment: dict[str, str]) -> dict[str, bytes]:
    """What a copy of the programs and of the kernel measures there."""
    shutil.copytree(TOP / "tools", top / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    built = top / "build" / "uml"
    shutil.copytree(kernel / "modules", built / "modules", symlinks=True)
    shutil.copy2(kernel / "linux", built)
    (top / "tmp").mkdir()
    command = [str(top / "tools" / "mplab" / "mplab"), "run", "--out", str(top / "out"), "--jobs", "1"]
    command += ["--no-tcp", "--scheduler", "default,minrtt,inorder", "--duration", "12s", "--repeat", "2"]
    environment = {"TMPDIR": str(top / "tmp"), **environment}
    subprocess.run(command, cwd=top, env=environment, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in (top / "out" / "runs").iterdir()}


def in_any_clone(b: Bench) -> None:
    """The lengths of the names of folders and of the environment are nobody's business."""
    with tempfile.TemporaryDirectory() as name:
        short = Path(name) / "a"
        long = Path(name) / f"another-{'x' * 60}" / "of" / "several" / "folders"
        path = os.environ["PATH"]
        places = (
            (short, {"PATH": path}),
            (long, {"PATH": f"{path}:/{'x' * 300}", "HOME": "/home/somebody", "VARIABLE": "x" * 3000}),
        )
        with ThreadPoolExecutor(CPUS) as pool:
            jobs = [pool.submit(_in_a_clone, top, b.guests.kernel, env) for top, env in places]
            first, second = (job.result() for job in jobs)
    equal = [first[name] == second.get(name) for name in sorted(first)]
    b.check("equal results in another clone", all(equal), f"{sum(equal)} of {len(equal)} are equal")


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


def samples(b: Bench) -> None:
    """What a run that is looked at shows, against its paths and what the receiving program counts."""
    c = conditions(WIFI, MOBILE, scheduler="minrtt")
    with scratch() as directory:
        main = sampled(b.guests, c, directory).main
    for n, path in enumerate(c.paths, 1):
        rates = [rate for at, rate in main[RECEIVED][str(n)] if 5 < at < 10]
        wanted = path.rate * (path.frame - ETHERNET) / path.frame
        b.near(f"rate of path {n} as sampled", sum(rates) / len(rates), wanted, 0.01)
    peak, limit = max(count for _, count in main[QUEUES]["1"]), c.paths[0].queue_bytes
    b.check("a queue as sampled fills to its limit", 0.9 <= peak / limit <= 1, f"{peak} of {limit} bytes")
    ahead = max(count for at, count in main[OUT_OF_ORDER][CONNECTION] if at < 11)
    share = ahead / main["receive_memory_peak_bytes"]
    b.check(
        "out-of-order bytes are most of the receiver's memory",
        0.4 <= share <= 1,
        f"{ahead} bytes, {share:.0%}",
    )


def waited() -> float:
    """Seconds that a program had to wait for a processor so far: another had it, or the machine's host."""
    with contextlib.suppress(OSError):  # a kernel without pressure stall information
        stalled = int(Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0])
        steal = int(Path("/proc/stat").read_text().split()[8])
        return stalled / 1e6 + steal / os.sysconf("SC_CLK_TCK")
    return 0


def real_time(b: Bench) -> None:
    """The same without time travel: five points. What comes out else is tried again, by itself.

    A guest that waits for a processor is late by its own clock: where other programs keep all of them busy,
    nothing is said. Not paths that differ much: there a transfer depends on single packets, with any clock.
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
    for c, point, one, other in zip(wanted, points, virtual, real, strict=True):
        name, found, late = f"{' + '.join(point)} in real time", other, False
        for _ in range(REAL_TRIES):
            if abs(found / one - 1) <= REAL_WITHIN:
                break
            before, start = waited(), time.monotonic()
            (found,) = b.goodputs([c], real=True)
            late |= waited() - before > BUSY * (time.monotonic() - start)
        if late and abs(found / one - 1) > REAL_WITHIN:
            b.skip(name, f"other programs keep the processors busy: {found / one - 1:+.3%}")
        else:
            b.near(name, found, one, REAL_WITHIN)


def main() -> int:
    kernel = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    tests: Sequence[Callable[[Bench], None]] = (
        goodput, offloads, round_trip, queue, losses, recorded, series, way_back, policer, repeatable,
        in_any_clone, against_iperf, known_result, outage, samples, real_time,
    )  # fmt: skip
    with Guests(kernel) as guests, Guests(kernel, real_time=True) as real:
        return Bench(guests, real).all(tests)


if __name__ == "__main__":
    sys.exit(main())
