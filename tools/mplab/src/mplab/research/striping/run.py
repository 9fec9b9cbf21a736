# SPDX-License-Identifier: MIT
"""One case in a guest of its own: its script, and what it left as figures."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shlex
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from ...lab import parts
from ...lab.guest import BOOT, INSIDE, GuestError, Guests, scratch
from ...lab.topology import HOSTS, PYTHON
from ...run import programs
from ...run.experiment import INSTANT
from ...run.runner import write_whole
from ...traffic import metrics
from ...traffic.base import ISOLATED
from . import network
from .case import ALONE, EACH, MPTCP, PACKET, TUNNEL, Case

PORT, CROSS_PORT = 5001, 6001
UDP_HEADS = 28
FILE = (200_000, 2_000_000)  # bytes of others' files, uniform, as Chebrolu has them
Json = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of a case. goodput: payload, bit/s, from the first connection's begin on (of datagrams, IP
    packets). again: what TCP sent again, in packets. The order is that in which packets reach the tunnel's
    client, of datagrams that in which they reach the program."""

    goodput: float
    again: float = 0.0
    timeouts: int = 0
    late: float = 0.0  # M_TPRRS, of packets as they arrive
    entropy: float = 0.0
    p95: int = 0  # packets in a buffer that puts them into order
    p99: int = 0
    lost: float = 0.0  # of datagrams
    sent: tuple[int, ...] = ()  # bytes per path, of all
    each: tuple[float, ...] = ()  # goodput of each connection


class Programs:
    """Shell commands that start the programs of a case."""

    def __init__(self, case: Case, directory: FilePath) -> None:
        self.case, self.directory = case, directory
        self.before, self.after = [], []  # those that wait, and those that begin

    def start(self, where: str, program: str, label: str, rest: bool = False, **settings: Any) -> None:
        config = {
            **{"program": program, "protocol": "tcp", "family": 4, "route": 1, "listen": False},
            **{"port": PORT, "address": "", "out": str(self.directory / f"{label}.json"), **settings},
        }
        command = f"{PYTHON} {ISOLATED} {shlex.join([str(INSIDE), json.dumps(config)])}"
        group = "rest" if rest else "pids"
        lines = self.before if rest or config["listen"] else self.after
        lines.append(f'ip netns exec {where} {command} & {group}="${group} $!"\n')

    def tunnel(self) -> None:
        case, s = self.case, self.case.striping
        known = {
            "delays": [] if s.monitor else [path.delay for path in case.paths],
            "rates": [path.rate / 8 for path in case.paths],
        }
        ends = [[network.proxy_end(k), network.care_of(k)] for k in range(case.count)]
        shared = {"monitor": s.monitor, "signals": s.sender == "pet"}
        turns = list(range(case.count)) if s.monitor else network.vector(case)
        self.start(
            "proxy", "striping.proxy", "proxy", True, paths=ends, sender=s.sender, vector=turns,
            length=s.length or 64, nearest=s.nearest, equalize=s.equalize, drops=case.drops,
            **known, **shared,
        )  # fmt: skip
        self.start(
            "client", "striping.client", "client", True, paths=[e[::-1] for e in ends],
            receiver=s.receiver, pace=s.pace, back=s.back, **shared,
        )  # fmt: skip

    def flows(self) -> None:
        case, how = self.case, self.case.striping.how
        if case.datagrams:
            size = 1480 - UDP_HEADS
            rate = case.datagrams / 8 * size / 1480
            self.start("client", "datagrams.receive", "receive", True)
            self.start(
                "server", "datagrams.send", "send", address=network.FIXED, seconds=case.seconds,
                rate=rate, size=size,
            )  # fmt: skip
            return
        protocol = "mptcp" if how == MPTCP else "tcp"
        numbers = {EACH: range(case.count), ALONE: [case.striping.path], MPTCP: [0]}.get(how, [None])
        for k in numbers:
            address = network.SERVER if k is None else network.own_server(k)
            settings = {"protocol": protocol, "port": PORT + (k or 0), "route": (k or 0) + 1}
            self.start(
                "server", "bulk.send", f"send-{k or 0}", listen=True, seconds=case.seconds + 1, **settings
            )
            self.start(
                "client",
                "bulk.receive",
                f"receive-{k or 0}",
                address=address,
                seconds=case.seconds,
                **settings,
            )

    def cross(self) -> None:
        """Files at random times, and web pages all the time: the same for whoever is compared."""
        cross = self.case.cross
        if not cross:
            return
        self.start("server", "web.serve", "serve", True, listen=True, port=CROSS_PORT)
        drawn = random.Random(cross.seed)
        for k, count in enumerate(cross.files):
            plan = sorted([drawn.uniform(0, self.case.seconds), drawn.randint(*FILE)] for _ in range(count))
            common = {"address": network.own_server(k), "port": CROSS_PORT}
            self.start("client", "striping.files", f"files-{k}", True, plan=plan, delay=1, **common)
            if cross.web[k]:
                self.start(
                    "client", "web.browse", f"web-{k}", True, rate=cross.web[k] / 8, size=10_000, delay=0,
                    seconds=self.case.seconds + 5, patience=0, draw=drawn.randint(0, 1 << 30), **common,
                )  # fmt: skip


def script(case: Case, directory: FilePath) -> str:
    """What the guest runs."""
    programs, out = Programs(case, directory), shlex.quote(str(directory))
    if case.striping.how == TUNNEL:
        programs.tunnel()
    programs.flows()
    programs.cross()
    flavour = case.flavour
    # in the first namespace before the others: that allows the restricted ones
    values = [f"ipv4/tcp_congestion_control={flavour.congestion}"]
    first = f"echo {flavour.congestion} >/proc/sys/net/ipv4/tcp_congestion_control\n"
    values += [f"ipv4/{name}={value}" for name, value in flavour.sysctls]
    if case.striping.how == MPTCP:
        values.append(f"mptcp/scheduler={case.striping.sender}")
    orders = "\n".join(f"echo '{v}' >/proc/sys/net/{n}" for n, v in (value.split("=", 1) for value in values))
    settings = "".join(
        f"ip netns exec {where} sh -e -c {shlex.quote(orders)}\n" for where in ("client", "server")
    )
    return "".join(
        [
            network.Builder(case).script(),
            first,
            settings,
            *programs.before,
            f"{PYTHON} -I -S {shlex.quote(str(INSTANT))}\n",
            *(line + "\n" for line in network.steps(case)),
            *programs.after,
            "wait $pids || true\n",
            f"ip netns exec server cat /proc/net/netstat >{out}/netstat\n",
            parts.list_loaded(out),
            *(f"tc -n bs{k + 1} -s qdisc show dev out root >{out}/sent-{k}\n" for k in range(case.count)),
            '[ -z "$rest" ] || { kill $rest; wait $rest; } 2>/dev/null || true\n',
        ]
    )


def measure(guests: Guests, case: Case) -> Outcome:
    """Boot a guest, run it, read what it left."""
    with scratch() as directory:
        said = guests.run(script(case, directory), directory, "--seed", str(case.seed))
        try:
            return evaluate(case, directory)
        except (OSError, ValueError, KeyError, IndexError) as error:
            raise GuestError(f"{case.striping}: {error!r}\n{said[-2000:]}") from None


def used(cases: Iterable[Case]) -> set[str]:
    """Our programs that their guests have."""
    return set().union(*(programs.named(script(case, FilePath("/"))) for case in cases))


@cache
def _program_id() -> str:
    """Changes with whatever may change a measurement."""
    files = [*(FilePath(__file__).with_name(f"{name}.py") for name in ("network", "run")), HOSTS]
    files += [file for room in (INSIDE, INSIDE / "striping") for file in sorted(room.glob("*.py"))]
    files += [FilePath(metrics.__file__)]
    files += [BOOT.with_name(name) for name in ("boot-uml", "guest.sh", "guest-init")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def place(guests: Guests, case: Case, store: FilePath) -> FilePath:
    """Of what was measured, if it was."""
    words = repr((case, guests.identity(case.parts), _program_id()))
    return store / f"{hashlib.sha256(words.encode()).hexdigest()[:20]}.json"


def kept(guests: Guests, case: Case, store: FilePath) -> Outcome:
    """What was measured before is not measured again."""
    file = place(guests, case, store)
    with contextlib.suppress(OSError, ValueError, TypeError):  # not there, or not whole
        raw = json.loads(file.read_text())
        return Outcome(**{k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()})
    found = measure(guests, case)
    store.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(asdict(found)).encode())
    return found


def measure_all(guests: Guests, cases: list[Case], store: FilePath, jobs: int) -> Iterator[Outcome]:
    """As many guests at a time as there are jobs; in the order of the cases."""
    pool = ThreadPoolExecutor(jobs)
    try:
        yield from pool.map(lambda case: kept(guests, case, store), cases)
    finally:  # one failed, or Ctrl-C: the guests that run are ended by who has them
        pool.shutdown(wait=False, cancel_futures=True)


def _load(directory: FilePath, label: str) -> Json:
    return json.loads((directory / f"{label}.json").read_text())


def _timeouts(netstat: str) -> int:
    rows = [line.split() for line in netstat.splitlines() if line.startswith("TcpExt:")]
    return int(dict(zip(rows[0], rows[1], strict=True))["TCPTimeouts"])


def order(numbers: list[int]) -> Json:
    """Reordering of numbers as they arrived."""
    if not numbers:
        return {}
    held = metrics.buffer_occupancy_density(numbers)
    return {
        "late": metrics.reordered_ratio(numbers),
        "entropy": metrics.reorder_entropy(metrics.reorder_density(numbers)),
        "p95": metrics.occupancy_percentile(held, 95),
        "p99": metrics.occupancy_percentile(held, 99),
    }


def evaluate(case: Case, directory: FilePath) -> Outcome:
    """Read what the guest left."""
    if wrong := parts.unexpected(directory, case.modules):
        raise GuestError(wrong)
    files = [(directory / f"sent-{k}").read_text() for k in range(case.count)]
    sent = tuple(int(text.split("Sent ")[1].split()[0]) for text in files)
    if case.datagrams:
        got, count = _load(directory, "receive"), _load(directory, "send")["sent"]
        numbers = got["numbers"]
        goodput = len(numbers) * 1480 * 8 / case.seconds
        return Outcome(goodput, lost=1 - len(numbers) / count, sent=sent, **order(numbers))
    each, again = [], 0.0
    for file in sorted(directory.glob("receive-*.json")):
        got, send = json.loads(file.read_text()), _load(directory, file.stem.replace("receive", "send"))
        each.append(got["samples"][-1][1] * 8 / case.seconds)
        again += sum(flow["retrans"] for flow in send["trace"][-1][1]) / (PACKET - 40)
    arrived = _load(directory, "client")["arrived"] if case.striping.how == TUNNEL else []
    timeouts = _timeouts((directory / "netstat").read_text())
    return Outcome(sum(each), again, timeouts, sent=sent, each=tuple(each), **order(arrived))


def payload(rate: float) -> float:
    """Of IP packets at this rate what TCP gets without options, in bit/s."""
    return rate * (PACKET - 40) / PACKET
