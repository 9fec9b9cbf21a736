# SPDX-License-Identifier: MIT
"""Each workload, and each kind of traffic beside it, on the kernel itself. Prints TAP.

usage: applications.py [KERNEL]    a directory with 'linux' (default: build/uml)
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tap import Checks

from mplab.lab import paths, shell, topology
from mplab.lab.guest import Guests
from mplab.research.striping import tables
from mplab.research.striping.case import NUMGEN, Case, Striping
from mplab.research.striping.run import measure as striped
from mplab.research.striping.run import payload
from mplab.run import baseline
from mplab.run.experiment import TCP, Conditions, Result, measure
from mplab.traffic import Incast, beside, parse

WIFI, DSL = "8mbit,20ms,80ms", "4mbit,40ms,80ms"
CAPACITY = paths.parse(WIFI).capacity
Json = dict[str, object]


class Bench(Checks):
    """Runs what a workload or traffic beside it is."""

    def __init__(self, guests: Guests) -> None:
        super().__init__()
        self.guests = guests

    def run(self, work: str, *networks: str, scheduler: str = TCP, others: Sequence[str] = ()) -> Result:
        """Over paths; plain TCP over the first of them."""
        return measure(self.guests, conditions(work, *networks, scheduler=scheduler, others=others))

    def main(self, work: str, *networks: str, scheduler: str = TCP, others: Sequence[str] = ()) -> Json:
        return self.run(work, *networks, scheduler=scheduler, others=others).main


def conditions(work: str, *networks: str, scheduler: str = TCP, others: Sequence[str] = ()) -> Conditions:
    return Conditions(
        tuple(map(paths.parse, networks or (WIFI,))), scheduler,
        workload=parse(work), beside=tuple(map(beside.parse, others)),
    )  # fmt: skip


def bulk(b: Bench) -> None:
    down = b.main("bulk,duration=4s,warmup=2s,direction=down")
    b.near("a download: payload rate", down["goodput_bps"], CAPACITY, 0.01)
    gap = down["longest_gap_s"]  # until what was lost is there again, seen to 10 ms
    b.check("no silence of more than an RTT on a full link", gap < 0.12, f"{gap:.4f} s")
    outage = b.main("bulk,duration=8s,warmup=2s", f"{WIFI},down@4s,up@6s")["longest_gap_s"]
    b.check("a path that is down for 2 s is silent for 2 s and more", 2 <= outage < 5, f"{outage:.2f} s")


def blocks(b: Bench) -> None:
    full = b.main("blocks,rate=0,duration=4s,warmup=2s")["delay_p50_s"]
    asked = b.main("blocks,rate=0,duration=4s,warmup=2s,notsent=16k")["delay_p50_s"]
    b.check("a socket that says when holds less", asked < 0.7 * full, f"p50 {asked:.3f} s, else {full:.3f} s")


def writes(b: Bench) -> None:
    """One each 10 ms, half of the RTT being 10 ms; with Nagle's algorithm each waits for an ACK."""
    once = b.main("writes,duration=3s,warmup=1s,nodelay=yes")["delay_p50_s"]
    b.check("small writes go at once without Nagle's algorithm", abs(once - 0.01) < 5e-4, f"p50 {once:.4f} s")
    waits = b.main("writes,duration=3s,warmup=1s")["delay_max_s"]
    b.check("and wait for an ACK with it", waits > 0.018, f"at most {waits:.4f} s")


def order(b: Bench) -> None:
    """In turns over paths whose delays differ by 37 ms: late from 0.216 Mbit/s on, at 2 Mbit/s by 4.6."""
    if find_spec("dpkt") is None or _missing("tcpdump"):
        b.skip("the order of packets", "no dpkt or no tcpdump")
        return
    pair = ("10mbit,20ms,50ms", "10mbit,94ms,50ms")
    work = "order,size=1000,duration=10s,warmup=1s"
    slow, fast = (b.main(f"{work},rate={rate}mbit", *pair, scheduler="rr") for rate in (0.2, 2))
    b.check("packets in turn, slowly: all in order", not slow["late_ratio"], f"{slow['late_ratio']}")
    b.near("packets in turn: half of them late", fast["late_ratio"], 0.5, 0.05)
    late = fast["late_by_packets"]
    b.check("by as many as the model has, rounded", 4 <= late <= 5.1, f"{late:.2f}")


def incast(b: Bench) -> None:
    """260 routes, more than an octet of an address holds; 8 Mbit in all over two links of 8 Mbit/s."""
    count = 130
    c = Conditions(
        (paths.parse("8mbit,1ms,500ms"),) * 2, "default", "reno", Incast(1_000_000 // count, 2),
        topology="incast", connections=count,
    )  # fmt: skip
    run = measure(b.guests, c)  # each of the 260 subflows must have come up
    least = 1_000_000 * 8 / (2 * c.paths[0].rate)
    took = min(run.main["rounds_s"])
    b.check("a request of 130 servers", least < took, f"{took:.3f} s, on the links {least:.3f} s")
    slowest = max(f["answer_max_s"] for f in run.flows)
    same = abs(max(run.main["rounds_s"]) - slowest) < 1e-3
    b.check("lasts until the slowest answer", same, f"{slowest:.3f} s")


def calls(b: Bench) -> None:
    found = b.main("rpc,duration=4s,warmup=1s", WIFI, DSL, scheduler="default")
    b.near("calls over an idle path: the RTT", found["delay_p50_s"], 0.02, 0.1)
    often = b.main("rpc,duration=3s,warmup=1s,per_second=0,answer=200")["calls_per_second"]
    b.near("calls back to back: one per RTT", often, 50, 0.05)


def transfers(b: Bench) -> None:
    """500 KB take 0.52 s on the link; cold, a handshake and slow start come before."""
    least = 500_000 * 8 / CAPACITY
    for direction in ("down", "up"):
        work = f"transfer,size=500k,count=3,direction={direction}"
        cold, warm = (b.main(f"{work},warm={w}")["completion_median_s"] for w in ("no", "yes"))
        good = least + 0.03 < cold < least + 0.2
        b.check(f"500 KB {direction}, cold", good, f"{cold:.3f} s, on the link {least:.3f} s")
        b.check(f"500 KB {direction}, warm", least < warm < cold, f"{warm:.3f} s")


def video(b: Bench) -> None:
    """The link carries 7.65 Mbit/s: 4 s of 4 Mbit/s take 2.1 s; 12 s of 10 Mbit/s take 15.7 s."""
    good = b.main("video,duration=12s")
    b.near("the player starts after", good["startup_delay_s"], 4 * 4e6 / CAPACITY, 0.05)
    b.check("and never stops", good["rebuffering_count"] == 0, f"{good['rebuffering_count']} times")
    bad = b.main("video,duration=12s,ladder=10mbit")
    waited = bad["startup_delay_s"] + bad["rebuffering_s"]
    whole = 12 * 10e6 / CAPACITY
    b.check("too much for the link: it waits", waited > whole - 12, f"{waited:.1f} s in all")
    best = b.main("video,duration=16s,ladder=1mbit/3mbit/5mbit/8mbit")["quality_shares"]
    b.check("of several qualities the best that fits", max(best, key=best.get) == "5e+06", f"{best}")


def _missing(*names: str) -> list[str]:
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    return [name for name in names if shutil.which(name, path=path) is None]


def real_programs(b: Bench) -> None:
    if missing := _missing("nginx", "curl", "openssl"):
        b.skip("a page and TLS", f"no {', '.join(missing)}")
        return
    page, least = b.main("page,count=2", WIFI, DSL, scheduler="default"), 1_500_000 * 8 / (1.5 * CAPACITY)
    found = page["load_median_s"]
    b.check("a page of 50 objects", least < found < 2 * least, f"{found:.2f} s, on the links {least:.2f} s")
    first, second = (b.main("tls,size=500k,count=2", WIFI, DSL, scheduler="default") for _ in range(2))
    shakes = first["handshake_median_s"]
    b.check("a TLS handshake takes two RTTs", 0.04 <= shakes < 0.06, f"{shakes:.4f} s")
    b.check("TLS with an equal seed", first == second, f"{first['completions_s']}, {second['completions_s']}")


def interfaces(b: Bench) -> None:
    """Range requests over both paths at once, from nginx."""
    if (missing := _missing("nginx")) or find_spec("h11") is None:
        b.skip("range requests", f"no {', '.join(missing) or 'h11'}")
        return

    def over_both(work: str, *networks: str) -> Result:
        return measure(b.guests, replace(conditions(work, *networks), topology="interfaces"))

    sent = over_both("ranges,size=8m", WIFI, DSL)
    b.check("range requests fill both links", sent.benefit > 0.85, f"benefit {sent.benefit:.2f}")
    one = over_both("ranges,size=4m,segment=10k,outstanding=1", WIFI, DSL)
    b.check("not without pipelining", one.benefit < 0.5, f"benefit {one.benefit:.2f}")
    again = over_both("ranges,size=8m", WIFI, DSL)
    b.check("equal seeds", again.main == sent.main, f"{again.goodput:.0f}, {sent.goodput:.0f} bit/s")
    slow = "2mbit,20ms,80ms"
    alone, both = b.main("davvi,count=20", slow), over_both("davvi,count=20", slow, slow).main
    best = alone["quality_4_share"], both["quality_4_share"]
    b.check("a player gets over two what it does not over one", best[0] < 0.1 and best[1] > 0.6, f"{best}")
    b.check("and never stops", both["uninterrupted"] == 1, f"{both['rebufferings_s']}")


def command(b: Bench) -> None:
    """What "mplab shell" runs finds the iperf3 that the interactive shell has."""
    if _missing("iperf3"):
        b.skip("a command of the shell finds iperf3", "no iperf3")
        return
    server = topology.address(topology.SERVER, 1)
    argv = ["mptcpctl", "run", "-q", "--", "iperf3", "-c", server, "-t", "1", "--logfile", "/dev/null"]
    status = shell.run(b.guests, [paths.parse(WIFI), paths.parse(DSL)], None, [], argv)
    b.check("a command of the shell finds iperf3", status == 0, f"status {status}")


def datagrams(b: Bench) -> None:
    both = ("udp,rate=1mbit,path=1", "udp,rate=500kbit,path=1,direction=against")
    run = b.run("rpc,duration=4s,warmup=1s", WIFI, DSL, scheduler="default", others=both)
    for flow, rate in zip(run.flows[1:], (1e6, 5e5), strict=True):
        b.near(f"datagrams of {rate / 1e6:g} Mbit/s on an idle link", flow["goodput_bps"], rate, 0.01)
    delay = run.flows[1]["delay_p50_s"]
    b.near("their delay: half of the RTT", delay, 0.01, 0.01)


def replaced(b: Bench, seed: int) -> tuple[Result, float]:
    """TCP beside one flow, and the harm that MPTCP with one subflow does in its place."""
    wanted = conditions(
        "bulk,duration=20s,warmup=5s", scheduler="default", others=("tcp", "web,load=500kbit")
    )
    wanted = replace(wanted, seed=seed)
    alone, ours = (measure(b.guests, c) for c in (*baseline.on_each(wanted), wanted))
    return alone, baseline.worst_harm(ours, {alone.conditions: alone}, 0, "goodput_bps") or 0


def sharing(b: Bench) -> None:
    """One flow beside one, and MPTCP with one subflow in place of TCP."""
    pairs = [replaced(b, seed) for seed in range(5)]
    alone = pairs[0][0]
    share = alone.goodput / (alone.goodput + alone.flows[1]["goodput_bps"])
    b.check("two TCP flows share a link", 0.3 < share < 0.7, f"one has {share:.0%}")
    web = alone.flows[2]
    whole = alone.goodput + sum(f["goodput_bps"] for f in alone.flows[1:])
    b.near("and with what others fetch they fill it", whole, CAPACITY, 0.03)
    found = f"{web['flows_count']}, mean {web['completion_mean_s']:.3f} s"
    b.check("short flows beside them", web["flows_count"] > 20, found)
    # of 20 seeds: -0.53 to 0.27, median -0.16
    harms = [harm for _, harm in pairs]
    same, found = median(harms), ", ".join(f"{harm:+.2f}" for harm in harms)
    b.check("one subflow does no more harm than TCP, median of five", -0.5 < same < 0.2, found)
    two = conditions("bulk,duration=15s,warmup=5s", scheduler="default", others=("tcp,count=2,path=1",))
    crowd = measure(b.guests, two).flows[1:]
    rates = [f["goodput_bps"] for f in crowd]
    b.check("of two each has less", max(rates) < 0.6 * CAPACITY, " and ".join(f"{r:.3g}" for r in rates))


def striping(b: Bench) -> None:
    """Packets of one TCP connection over three links, below TCP and as the stock kernel can."""
    links = tuple(replace(link, rate=4 * link.rate) for link in tables.LINKS)
    whole = payload(sum(link.rate for link in links))
    edpf, pet, wrr, stock = (
        striped(b.guests, Case(links, how, tables.CHEBROLU, seconds=15, wire=tables.WIRE))
        for how in (tables.EDPF, tables.PET_BMP, tables.WRR, Striping(NUMGEN, "vector", back=2))
    )
    b.near("who knows rates and delays fills all links", edpf.goodput, whole, 0.03)
    b.check("and TCP sends nothing again", edpf.again == 0, f"{edpf.again:g} packets")
    b.near("who measures them does nearly", pet.goodput, whole, 0.06)
    for name, found in (("a vector", wrr), ("nft's", stock)):
        said, less = f"{found.goodput / whole:.0%}, {found.again:.0f} sent again", 0.95 * whole
        b.check(f"{name} alone reorders, and TCP suffers", found.goodput < less and found.again > 10, said)


def main() -> int:
    kernel = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    tests: Sequence[Callable[[Bench], None]] = (
        *(bulk, blocks, writes, order, incast, calls, transfers, video, real_programs, interfaces, datagrams),
        *(command, sharing, striping),
    )  # fmt: skip
    with Guests(kernel) as guests:
        return Bench(guests).all(tests)


if __name__ == "__main__":
    sys.exit(main())
