#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The coupled congestion controls in double precision, over random states.

Writes net/mptcp/cong/vectors.h, with which the KUnit test compares the kernel's fixed point.
Formulas are written as in the sources, in segments and seconds, and know nothing of the kernel's:

    LIA     RFC 6356
    OLIA    draft-khalili-mptcp-congestion-control-05
    BALIA   draft-walid-mptcp-congestion-control-04
    wVegas  draft-xu-mptcp-congestion-control-05
    EWLIA   M. Li, "Improving the Efficiency of Multipath Transport Protocols", 2014

usage: cong_model.py [--seed N] [--count N] [--check] FILE
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ONE = 2**40  # the kernel's unit of an increase: a segment per acknowledged segment
CWND, RTT_US, MSS, PATHS = (1, 100_000), (50, 4_000_000), (536, 9000), (1, 8)
WVEGAS_TOTAL, WVEGAS_LEAST = 10, 2


@dataclass(frozen=True)
class Subflow:
    """cwnd in segments, RTT in us, l of OLIA in bytes."""

    cwnd: int
    rtt_us: int
    mss: int
    interval: int

    @property
    def window(self) -> float:
        return float(self.cwnd * self.mss)

    @property
    def rtt(self) -> float:
        return self.rtt_us / 1e6

    @property
    def rate(self) -> float:
        return self.window / self.rtt


State = Sequence[Subflow]  # the first one has got the ACK


def reno(s: State) -> float:
    return 1 / s[0].cwnd


def lia(s: State) -> float:
    """RFC 6356, section 3: windows in bytes; the result in segments."""
    total = sum(p.window for p in s)
    alpha = total * max(p.window / p.rtt**2 for p in s) / sum(p.rate for p in s) ** 2
    return min(alpha * s[0].mss / total, reno(s))


def olia(s: State) -> float:
    first = s[0].window / s[0].rtt ** 2 / sum(p.rate for p in s) ** 2 * s[0].mss
    return min(first + olia_alpha(s) / s[0].cwnd, reno(s))


def olia_alpha(s: State) -> float:
    # whole numbers: which is best must not depend on rounding
    best_value = max((p.interval**2, p.rtt_us) for p in s)
    for p in s:
        if p.interval**2 * best_value[1] > best_value[0] * p.rtt_us:
            best_value = (p.interval**2, p.rtt_us)
    best = {i for i, p in enumerate(s) if p.interval**2 * best_value[1] == best_value[0] * p.rtt_us}
    highest = max(p.cwnd * p.mss for p in s)
    largest = {i for i, p in enumerate(s) if p.cwnd * p.mss == highest}
    lacking = best - largest
    if 0 in lacking:
        return 1 / (len(s) * len(lacking))
    if lacking and 0 in largest:
        return -1 / (len(s) * len(largest))
    return 0.0


def balia(s: State) -> float:
    alpha = max(p.rate for p in s) / s[0].rate
    growth = s[0].rate / (s[0].rtt * sum(p.rate for p in s) ** 2) * s[0].mss
    return min(growth * (1 + alpha) / 2 * (4 + alpha) / 5, reno(s))


def balia_cut(s: State) -> float:
    """What a loss leaves, in segments."""
    alpha = max(p.rate for p in s) / s[0].rate
    return s[0].cwnd - s[0].cwnd / 2 * min(alpha, 1.5)


def wvegas_target(s: State) -> float:
    return max(s[0].rate / sum(p.rate for p in s) * WVEGAS_TOTAL, WVEGAS_LEAST)


def wvegas_queued(cwnd: int, base_us: int, rtt_us: int) -> float:
    return (cwnd / base_us - cwnd / rtt_us) * base_us


def spread(rng: random.Random, bounds: tuple[int, int]) -> int:
    """Evenly over the orders of magnitude."""
    low, high = bounds
    return min(high, max(low, round(low * (high / low) ** rng.random())))


def states(rng: random.Random, count: int) -> Iterator[list[Subflow]]:
    """Random ones; in a quarter of them paths are alike, so that there are ties."""
    for n in range(count):
        paths = [
            Subflow(spread(rng, CWND), spread(rng, RTT_US), spread(rng, MSS), spread(rng, (1, 2**32 - 1)))
            for _ in range(rng.randint(*PATHS))
        ]
        if n % 4 == 0:
            paths = [rng.choice(paths) for _ in paths]
        yield paths


def line(s: State) -> str:
    """An entry of the array: the paths, then what each algorithm makes of them."""
    paths = [f"{{ {p.cwnd}, {p.rtt_us}, {p.mss}, {p.interval}U }}" for p in s]
    pairs = ",\n\t    ".join(", ".join(paths[i : i + 2]) for i in range(0, len(paths), 2))
    base = max(s[0].rtt_us // 2, 1)
    results = [
        *(round(f(s) * ONE) for f in (lia, olia, balia)),
        *(round(f(s) * 1024) for f in (balia_cut, wvegas_target)),
        round(wvegas_queued(s[0].cwnd, base, s[0].rtt_us) * 1024),
    ]
    return f"\t{{ {len(s)}, {{ {pairs} }},\n\t  {', '.join(f'{r}LL' for r in results)} }},\n"


def header(seed: int, count: int) -> str:
    rng = random.Random(seed)
    # the corners first
    corners = [
        [Subflow(c, r, m, 1), Subflow(*other, 1)]
        for c, r, m in ((1, 50, 536), (1, 4_000_000, 536), (100_000, 50, 9000), (100_000, 4_000_000, 9000))
        for other in ((1, 50, 536), (1, 4_000_000, 9000), (100_000, 50, 536), (100_000, 4_000_000, 9000))
    ]
    text = "".join(line(s) for s in [*corners, *states(rng, count)])
    return (
        "/* SPDX-License-Identifier: GPL-2.0 */\n"
        "/* Random states, and what the congestion controls make of them in double\n"
        " * precision. Written by tools/cong-model/cong_model.py"
        f" --seed {seed} --count {count}.\n"
        " */\n\nstatic const struct cong_vector cong_vectors[] = {\n" + text + "};\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="net/mptcp/cong/vectors.h")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="of states (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file differs")
    args = parser.parse_args()
    text = header(args.seed, args.count)
    if not args.check:
        args.file.write_text(text)
    elif args.file.read_text() != text:
        print(f"{args.file} is not what {sys.argv[0]} writes: run it without --check", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
