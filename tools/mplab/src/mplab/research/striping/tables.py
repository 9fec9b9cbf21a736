# SPDX-License-Identifier: MIT
"""The sources' tables: what they report beside what it is here."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from ...traffic import metrics
from .case import ALONE, EACH, KBIT, MBIT, MPTCP, NUMGEN, TUNNEL, Case, Cross, Flavour, Path, Striping
from .flavours import CHEBROLU, DEFAULT, KASPAR, LEARNS, TODAY
from .run import Outcome, payload

Figure = Callable[[Sequence[Case], Sequence[Outcome]], str]


@dataclass(frozen=True)
class Row:
    """theirs: what the source reports, per figure; "": nothing."""

    label: str
    cases: tuple[Case, ...]
    theirs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """figures: headings, and what to show of a row's outcomes."""

    name: str
    title: str
    rows: Callable[[bool], list[Row]]  # few of them, or few seeds, if True
    figures: Mapping[str, Figure]


def spread(values: Sequence[float], digits: int) -> str:
    """Median; and range where there is one."""
    middle, low, high = (f"{v:.{digits}f}" for v in (median(values), min(values), max(values)))
    return middle if low == high else f"{middle} ({low} to {high})"


def kbit(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.goodput / KBIT for o in found], 1)


def mbit(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.goodput / MBIT for o in found], 2)


def again(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.again for o in found], 0)


def timeouts(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.timeouts for o in found], 0)


def late(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.late * 100 for o in found], 2)


def p95(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.p95 for o in found], 0)


def p99(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.p99 for o in found], 0)


def entropy(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.entropy for o in found], 2)


def lost(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([o.lost * 100 for o in found], 2)


def _benefits(cases: Sequence[Case], found: Sequence[Outcome]) -> list[float]:
    pairs = zip(cases, found, strict=True)
    return [metrics.benefit(o.goodput, [payload(path.rate) for path in case.paths]) for case, o in pairs]


def benefit(cases: Sequence[Case], found: Sequence[Outcome]) -> str:
    return spread([100 * b for b in _benefits(cases, found)], 0)


def mean_benefit(cases: Sequence[Case], found: Sequence[Outcome]) -> str:
    return f"{100 * fmean(_benefits(cases, found)):+.0f}"


def positive(cases: Sequence[Case], found: Sequence[Outcome]) -> str:
    values = _benefits(cases, found)
    return f"{100 * sum(b > 0 for b in values) / len(values):.0f}"


def seeds(case: Case, few: bool) -> tuple[Case, ...]:
    """Several where TCP takes what is late for lost: it is chaotic then. The others differ by little."""
    chaotic = case.striping.receiver == "plain" and case.striping.sender == "vector" and not case.datagrams
    return _three(case, few) if chaotic else (case,)


def _three(case: Case, few: bool) -> tuple[Case, ...]:
    return tuple(replace(case, seed=n) for n in range(1 if few else 3))


# ---- Chebrolu, Raman and Rao: A Network Layer Approach to Enable TCP over Multiple Interfaces (2005)

WIRE = 0.015  # seconds between server and proxy, one way
SLOW_DELAY = 1.0
LINKS = tuple(Path(rate * KBIT, 0.05, 200, serial=True) for rate in (50, 100, 200))


def _tunnel(sender: str, receiver: str = "plain", **more: object) -> Striping:
    return Striping(TUNNEL, sender, receiver, **{"back": 2, **more})  # type: ignore[arg-type]


MTCP, EDPF = Striping(EACH), _tunnel("edpf")
WRR, WRR_BUFF, WRR_BMP = _tunnel("vector"), _tunnel("vector", "in-order"), _tunnel("vector", "bmp")
PET_BMP = _tunnel("pet", "bmp")


def _chebrolu(paths: tuple[Path, ...], how: Striping, flavour: Flavour = CHEBROLU, **more: object) -> Case:
    return Case(paths, how, flavour, wire=WIRE, **more)  # type: ignore[arg-type]


def _others(paths: tuple[Path, ...], few: bool) -> list[Row]:
    """What users have: nft's vector, today's TCP, MPTCP."""
    wanted = [
        ("WRR, nft's numgen", _chebrolu(paths, Striping(NUMGEN, "vector", back=2))),
        ("WRR, New Reno that learns", _chebrolu(paths, WRR, LEARNS)),
        ("WRR, today's TCP", _chebrolu(paths, WRR, TODAY)),
        ("WRR-BMP, today's TCP", _chebrolu(paths, WRR_BMP, TODAY)),
        ("PET-BMP, today's TCP", _chebrolu(paths, PET_BMP, TODAY)),
        ("NAMA's equalizer, WRR", _chebrolu(paths, _tunnel("vector", equalize=True))),
        *(
            (f"MPTCP `{name}`", _chebrolu(_window_long(paths), Striping(MPTCP, name), DEFAULT))
            for name in ("default", "inorder")
        ),
    ]
    return [Row(label, seeds(case, few)) for label, case in wanted]


def _window_long(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Queues that hold the sources' whole window, which is 50 packets, and no more: 200 packets would take
    48 s over the slowest path. They lose nothing of the others' either, who have no more under way."""
    return tuple(replace(path, queue=min(path.queue, 50)) for path in paths)


def static(few: bool) -> list[Row]:
    one = (Path(350 * KBIT, 0.05, 200, serial=True),)
    theirs = {
        "MTCP": (_chebrolu(LINKS, MTCP), ("339.6", "0")),
        "ASI": (_chebrolu(one, Striping(ALONE)), ("339.6", "0")),
        "EDPF": (_chebrolu(LINKS, EDPF), ("339", "0")),
        "WRR": (_chebrolu(LINKS, WRR), ("210.6", "128")),
        "WRR-BUFF": (_chebrolu(LINKS, WRR_BUFF), ("338.0", "0")),
        "WRR-BMP": (_chebrolu(LINKS, WRR_BMP), ()),
        "PET-BMP": (_chebrolu(LINKS, PET_BMP), ("336.8", "0")),
        "HBI": (_chebrolu(LINKS, Striping(ALONE, path=2)), ()),
    }
    rows = [Row(label, seeds(case, few), said) for label, (case, said) in theirs.items()]
    return rows + _others(LINKS, few)


def delayed(few: bool) -> list[Row]:
    links = (replace(LINKS[0], delay=SLOW_DELAY), *LINKS[1:])
    theirs = {
        "MTCP": (_chebrolu(links, MTCP), ()),
        "EDPF": (_chebrolu(links, EDPF), ("337.4",)),
        "WRR": (_chebrolu(links, WRR), ("95.6",)),
        "WRR-BUFF": (_chebrolu(links, WRR_BUFF), ("70.4", "", "40")),
        "WRR-BMP": (_chebrolu(links, WRR_BMP), ()),
        "PET-BMP": (_chebrolu(links, PET_BMP), ()),
        "HBI": (_chebrolu(links, Striping(ALONE, path=2)), ()),
    }
    rows = [Row(label, seeds(case, few), said) for label, (case, said) in theirs.items()]
    return rows + _others(links, few)


def isolation(few: bool) -> list[Row]:
    """A queue of 30 KB on the fastest path."""
    links = (*LINKS[:2], replace(LINKS[2], queue=20))
    wanted = {"MTCP": MTCP, "EDPF": EDPF, "PET-BMP": PET_BMP}
    rows = [Row(label, seeds(_chebrolu(links, how), few)) for label, how in wanted.items()]
    mptcp = {f"MPTCP `{name}`": Striping(MPTCP, name) for name in ("default", "inorder")}
    short = _window_long(links)
    return rows + [Row(label, seeds(_chebrolu(short, how, DEFAULT), few)) for label, how in mptcp.items()]


def share(path: int) -> Figure:
    """What a path carried, in kbit/s of IP packets (heads of the tunnel and of Ethernet included)."""

    def figure(cases: Sequence[Case], found: Sequence[Outcome]) -> str:
        return spread([o.sent[path] * 8 / KBIT / c.seconds for c, o in zip(cases, found, strict=True)], 0)

    return figure


WEB = 16 * KBIT  # of a client that reads pages
FAIR = Path(1 * MBIT, 0.05, 1000, fair=True, serial=True)  # a queue that loses nothing
SCENE = Cross((3, 5, 6), tuple(count * WEB for count in (16, 24, 20)))


def crossed(few: bool) -> list[Row]:
    """3 ftp + 16 web, 5 + 24, 6 + 20."""
    links = (FAIR,) * 3
    wanted = {
        "MTCP": (MTCP, CHEBROLU, ("967.6",)),
        "PET-BMP": (PET_BMP, CHEBROLU, ("960",)),
        "WRR-BMP": (WRR_BMP, CHEBROLU, ("589",)),
        "WRR": (WRR, CHEBROLU, ()),
        "MPTCP `default`": (Striping(MPTCP, "default"), DEFAULT, ()),
        "MPTCP `inorder`": (Striping(MPTCP, "inorder"), DEFAULT, ()),
    }
    draws = range(1 if few else 2)
    return [
        Row(
            label,
            tuple(_chebrolu(links, how, flavour, cross=replace(SCENE, seed=n), seed=n) for n in draws),
            said,
        )
        for label, (how, flavour, said) in wanted.items()
    ]


# five alone, two in a window of 50 packets, three in one
DROPS = (240, 480, 720, 960, 1200, 1440, 1455, 1600, 1612, 1624)


def dropped(few: bool) -> list[Row]:
    one = (Path(350 * KBIT, 0.05, 200, serial=True),)
    asi = _chebrolu(one, replace(WRR, back=0), drops=DROPS)
    return [
        Row("PET-BMP", seeds(_chebrolu(LINKS, PET_BMP, drops=DROPS), few), ("330.2", "15")),
        Row("ASI", seeds(asi, few), ("338.2", "10")),
        Row("WRR-BMP", seeds(_chebrolu(LINKS, WRR_BMP, drops=DROPS), few)),
        Row("WRR", seeds(_chebrolu(LINKS, WRR, drops=DROPS), few)),
        Row("PET-BMP, today's TCP", seeds(_chebrolu(LINKS, PET_BMP, TODAY, drops=DROPS), few)),
        Row("ASI, today's TCP", seeds(replace(asi, flavour=TODAY), few)),
    ]


def _scenario(number: int, count: int) -> Cross:
    drawn = random.Random(number)
    files = tuple(drawn.randint(2, 8) for _ in range(count))
    return Cross(files, tuple(drawn.randint(16, 32) * WEB for _ in range(count)), number)


def _lossy(paths: int, loss: float) -> Callable[[bool], list[Row]]:
    """Queues of 200 KB; scenarios at random."""
    links = (replace(FAIR, queue=133, loss=loss),) * paths
    back = {"back": paths - 1}
    wanted = {
        "MTCP": (MTCP, CHEBROLU),
        "PET-BMP": (replace(PET_BMP, **back), CHEBROLU),
        "WRR-BMP": (replace(WRR_BMP, **back), CHEBROLU),
        "WRR": (replace(WRR, **back), CHEBROLU),
        "MPTCP `default`": (Striping(MPTCP, "default"), DEFAULT),
        "MPTCP `inorder`": (Striping(MPTCP, "inorder"), DEFAULT),
    }

    def rows(few: bool) -> list[Row]:
        numbers = range(1 if few else 2)
        return [
            Row(
                label,
                tuple(_chebrolu(links, how, flavour, cross=_scenario(n, paths), seed=n) for n in numbers),
            )
            for label, (how, flavour) in wanted.items()
        ]

    return rows


def best(_: Sequence[Case], found: Sequence[Outcome]) -> str:
    """Of the connections, the best: what HBI gets if they are MTCP's."""
    return spread([max(o.each, default=0.0) / KBIT for o in found], 0) if len(found[0].each) > 1 else ""


# ---- Evensen et al.: A Network-Layer Proxy for Bandwidth Aggregation (2009)

OFFERED = 6 * MBIT
SHORT = 5  # packets of queue: not stated; longer ones would hold more packets than their buffers had to
CONTROL = 1.005  # links have so much more than what is offered, for what the monitor sends
NAMA = Striping(TUNNEL, "vector", length=64, equalize=True, monitor=True)
PLAIN_TURNS = Striping(TUNNEL, "vector", weights=(1.0, 1.0), length=2)


def _datagrams(paths: tuple[Path, ...], how: Striping, seconds: float, **more: object) -> Case:
    return Case(paths, how, DEFAULT, seconds, OFFERED, **more)  # type: ignore[arg-type]


RATIOS = {
    (1, 11): ("5.99", "1.56", "0", "1", "0.10"),
    (3, 9): ("5.99", "1.68", "0", "1", "0.11"),
    (6, 6): ("5.99", "0.09", "0", "0", "0.01"),
}


def ratios(few: bool) -> list[Row]:
    rows = []
    for parts, said in RATIOS.items():
        links = tuple(Path(part / 12 * OFFERED * CONTROL, 0.0002, SHORT) for part in parts)
        label = f"{parts[0]}:{parts[1]}"
        rows.append(Row(label, (_datagrams(links, NAMA, 20 if few else 40),), said))
    return rows


JITTER = (Path(0.0, 0.010, jitter=0.005, distribution="normal"), Path(0.0, 0.050, jitter=0.015))


def jitter(few: bool) -> list[Row]:
    seconds = 20 if few else 60
    wanted = {
        "round robin": (PLAIN_TURNS, ("18",)),
        "and the equalizer, delays known": (replace(PLAIN_TURNS, equalize=True), ("9",)),
        "and the equalizer, delays measured": (replace(NAMA, weights=(1.0, 1.0), length=2), ("9",)),
    }
    return [
        Row(label, seeds(_datagrams(JITTER, how, seconds), few), said)
        for label, (how, said) in wanted.items()
    ]


def _splits(seed: int, seconds: float) -> tuple[Path, ...]:
    """Rates divided anew each 30 s, uniformly; at least 1 % stays with either."""
    drawn = random.Random(seed)
    shares = [drawn.uniform(0.01, 0.99) for _ in range(int(seconds // 30))]
    found = []
    for k, path in enumerate(JITTER):
        rates = [(share if k == 0 else 1 - share) * OFFERED * CONTROL for share in shares]
        steps = tuple((30.0 * n, rate) for n, rate in enumerate(rates) if n)
        found.append(replace(path, rate=rates[0], queue=SHORT, steps=steps))
    return tuple(found)


def dynamic(few: bool) -> list[Row]:
    seconds = 60.0 if few else 90.0
    paths = _splits(0, seconds)
    rows = [
        Row("round robin", (_datagrams(paths, PLAIN_TURNS, seconds),), ("4.49", "26", "25")),
        Row("NAMA", (_datagrams(paths, NAMA, seconds),), ("5.86", "9", "2.2")),
    ]
    connections = {"MPTCP `inorder`": Striping(MPTCP, "inorder"), "TCP over NAMA": NAMA}
    return rows + [
        Row(f"{label}, payload", _three(Case(paths, how, DEFAULT, seconds), few))
        for label, how in connections.items()
    ]


# ---- Kaspar: Multipath Aggregation of Heterogeneous Networks (2011), chapters 4 and 5

KB = 8000  # bit
WLAN, HSPA = Path(600 * KB, 0.005, 200), Path(400 * KB, 0.050, 200)


def _kaspar(primary: Path, secondary: Path, flavour: Flavour, **more: object) -> Case:
    """Static shares, no equalizer, ACKs over the primary path: nft's vector."""
    how = Striping(NUMGEN, "vector", length=64, back=0)
    return Case((primary, secondary), how, flavour, **more)  # type: ignore[arg-type]


def wlan(few: bool) -> list[Row]:
    rows = []
    for label, pair, said in (
        ("WLAN first", (WLAN, HSPA), ("-53",)),
        ("HSPA first", (HSPA, WLAN), ("75",)),
    ):
        for flavour in KASPAR:
            told = said if flavour is DEFAULT else ()
            rows.append(Row(f"{label}: {flavour.name}", (_kaspar(*pair, flavour),), told))
        equalized = Striping(TUNNEL, "vector", length=64, equalize=True, back=0)
        buffered = Striping(TUNNEL, "vector", "bmp", length=64, back=0)
        for how, name in ((equalized, "with the equalizer"), (buffered, "with BMP")):
            rows.append(Row(f"{label}: {DEFAULT.name}, {name}", (Case(pair, how, DEFAULT),)))
        for name in ("default", "inorder"):
            case = Case(pair, Striping(MPTCP, name), DEFAULT)
            rows.append(Row(f"{label}: MPTCP `{name}`", (case,)))
    return rows


LEVELS = 13


def scenarios(count: int) -> list[tuple[Path, Path]]:
    """At random from Kaspar's 13 levels of rate and RTT, of both paths."""
    drawn = random.Random(1)
    return [
        (_level(drawn), _level(drawn))  # the primary first
        for _ in range(count)
    ]


def _level(drawn: random.Random) -> Path:
    rate, rtt = 300 + 150 * drawn.randrange(LEVELS), 10 + 20 * drawn.randrange(LEVELS)
    return Path(rate * KB, rtt / 2e3, 1000)


def flavours(few: bool) -> list[Row]:
    said = (("-81",), ("-28",), ("-19",), ("+9", "56"), ("+27",), ("+39", "77"))
    pairs = scenarios(3 if few else 6)

    def cases(make: Callable[[Path, Path], Case]) -> tuple[Case, ...]:
        return tuple(replace(make(*pair), seed=n % 3) for n, pair in enumerate(pairs))

    rows = [
        Row(flavour.name, cases(lambda one, two, f=flavour: _kaspar(one, two, f)), told)
        for flavour, told in zip(KASPAR, said, strict=True)
    ]
    for name in ("default", "inorder"):
        how = Striping(MPTCP, name)
        rows.append(Row(f"MPTCP `{name}`", cases(lambda one, two, h=how: Case((one, two), h, DEFAULT))))
    return rows


def reordering(few: bool) -> list[Row]:
    """Round robin over paths of 42 and 79 ms, by rate."""
    links = (Path(0.0, 0.042), Path(0.0, 0.079))
    rows = []
    for rate in (0.1, 0.3, 0.35, 0.5, 1.0, 2.0, 6.0):
        case = Case(links, PLAIN_TURNS, DEFAULT, 20, rate * MBIT)
        size = 1480 * 8
        expected = metrics.expected_displacement(rate * MBIT, size, 0.042, 0.079)
        below = rate * MBIT < metrics.critical_rate(size, 0.042, 0.079)
        rows.append(
            Row(
                f"{rate} Mbit/s",
                seeds(case, few),
                ("0" if below else "50", "0" if below else f"{expected:.1f}"),
            )
        )
    return rows


KBITS = {"kbit/s": kbit, "sent again": again, "timeouts": timeouts}
TABLES = (
    Table("chebrolu-static", "Chebrolu, table I: 50, 100 and 200 kbit/s", static, KBITS),
    Table("chebrolu-delay", "Chebrolu: the 50 kbit/s path takes 1 s", delayed, KBITS),
    Table(
        "chebrolu-isolation",
        "Chebrolu, figure 4: a queue of 30 KB on the 200 kbit/s path",
        isolation,
        {**KBITS, "path 1": share(0), "path 2": share(1), "path 3": share(2)},
    ),
    Table("chebrolu-cross", "Chebrolu, figure 5: 3 x 1 Mbit/s shared with others", crossed, KBITS),
    Table("chebrolu-drops", "Chebrolu, figure 6: ten chosen packets are lost", dropped, KBITS),
    Table(
        "chebrolu-losses-2",
        "Chebrolu, figure 7: two paths, others",
        _lossy(2, 0.0),
        {**KBITS, "best path": best},
    ),
    Table(
        "chebrolu-losses-channel",
        "Chebrolu, figure 8: the same, and 1 % of loss",
        _lossy(2, 1.0),
        {**KBITS, "best path": best},
    ),
    Table(
        "chebrolu-losses-3",
        "Chebrolu, figure 9: three paths, others",
        _lossy(3, 0.0),
        {**KBITS, "best path": best},
    ),
    Table(
        "evensen-ratios",
        "Evensen, table II: NAMA over 6 Mbit/s, by ratio",
        ratios,
        {"Mbit/s": mbit, "late %": late, "p95": p95, "p99": p99, "lost %": lost},
    ),
    Table(
        "evensen-jitter",
        "Evensen, figure 9: 10 +- 5 and 50 +- 15 ms",
        jitter,
        {"p99": p99, "late %": late, "entropy": entropy},
    ),
    Table(
        "evensen-dynamic",
        "Evensen, table III: 6 Mbit/s divided anew each 30 s, 10 +- 5 and 50 +- 15 ms",
        dynamic,
        {"Mbit/s": mbit, "p99": p99, "lost %": lost},
    ),
    Table(
        "kaspar-model",
        "Kaspar, figure 4.2: round robin over 42 and 79 ms",
        reordering,
        {"late %": late, "p99": p99},
    ),
    Table(
        "kaspar-wlan",
        "Kaspar, figure 5.11: 600 KB/s, 10 ms and 400 KB/s, 100 ms",
        wlan,
        {"benefit %": benefit, "Mbit/s": mbit, "sent again": again},
    ),
    Table(
        "kaspar-flavours",
        "Kaspar, figures 5.14 and 5.18: rates and RTTs at random",
        flavours,
        {"mean benefit %": mean_benefit, "above 0 %": positive},
    ),
)
