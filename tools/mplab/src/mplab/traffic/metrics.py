# SPDX-License-Identifier: MIT
"""Figures of merit: what several paths were worth, and how disordered and late data arrived.

Pure functions of lists of numbers. Rates are in bit/s, times in s and sizes in bits, but what is
a ratio of rates or of times takes any unit, as long as it is the same everywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

PERCENTILES_FROM = 20  # values: of fewer, the 5th and 95th percentile are the extremes by another name
EPSILON = 1e-9  # sums of decimal fractions miss their target by less than this


# What aggregation was worth (D. Kaspar, Multipath Aggregation of Heterogeneous Networks, 2011,
# 3.6). Capacities are what each path reaches alone.


def aggregation_ratio(goodput: float, capacities: Sequence[float]) -> float:
    """Share of all capacity in use: x / sum C (Kaspar, 3.5). No unit, 0 to 1; 0 without capacity.

    Flatters a slow second path: 1000+100 scores 0.91 when the second path adds nothing.
    """
    total = sum(capacities)
    return goodput / total if total > 0 else 0.0


def aggregation_gain(goodput: float, capacities: Sequence[float]) -> float:
    """Gain over the best path: (x - max C) / max C (Kaspar, 3.6). No unit; 0 without capacity.

    From -1 (nothing arrives) over 0 (like the best path) to n-1 at most for n paths. Unfair to
    unequal paths: their best possible gain is small.
    """
    best = max(capacities)
    return (goodput - best) / best if best > 0 else 0.0


def aggregation_efficiency(goodput: float, capacities: Sequence[float]) -> float:
    """Share of the possible gain: (x - max C) / (sum C - max C) (Kaspar, 3.7). No unit.

    1 all paths filled, 0 like the best path. Below that it has no fixed worst case: the less the
    other paths could add, the further it falls. 0 if they could add nothing (one path).
    """
    best, total = max(capacities), sum(capacities)
    return (goodput - best) / (total - best) if total > best else 0.0


def benefit(goodput: float, capacities: Sequence[float]) -> float:
    """Aggregation benefit (Kaspar, 3.8): the efficiency of a gain, the size of a loss. No unit.

    -1 nothing arrives, 0 like the best path, 1 all paths filled; linear on either side of 0, so
    that unlike scenarios compare. 0 for a single path that is filled.
    """
    if goodput >= max(capacities):
        return aggregation_efficiency(goodput, capacities)
    return aggregation_gain(goodput, capacities)


def jain(rates: Sequence[float]) -> float:
    """Fairness among n flows: (sum x)^2 / (n sum x^2) (Jain, Chiu and Hawe, 1984). No unit.

    1/n one flow has everything, 1 all have the same (even if that is nothing).
    """
    _need(rates, "rates")
    squares = sum(x * x for x in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares > 0 else 1.0


def harm(alone: float, beside: float, less_is_better: bool = False) -> float:
    """What somebody loses by what is beside them (Ware et al., Beyond Jain's Fairness Index, 2019).

    alone: their figure with what they are compared with, beside: with what is judged. No unit: 0 no
    harm, 1 nothing left; below 0 they are better off. 0 if there was nothing to lose.
    """
    better, worse = (beside, alone) if less_is_better else (alone, beside)
    return 1 - worse / better if better > 0 else 0.0


# Disorder from paths of unequal delay, as a model (Kaspar, 4.1) and as measured.


def critical_rate(packet_bits: float, d1: float, d2: float) -> float:
    """Rate in bit/s at which round-robin over two paths starts to reorder (Kaspar, 4.1).

    s / |d1 - d2|: slower than that, the next packet leaves too late to overtake. Delays in s,
    without jitter. Above 0; infinite for equal delays.
    """
    difference = abs(d1 - d2)
    return packet_bits / difference if difference > 0 else math.inf


def expected_displacement(rate: float, packet_bits: float, d1: float, d2: float) -> float:
    """Packets that overtake one packet on the slower path (Kaspar, 4.2). 0 or more.

    B / (2 s) |d1 - d2|: half of the packets take the faster path, and overtake for as long as the
    delays differ. Rate in bit/s, delays in s; mind that full queues are part of the delay.
    """
    return rate / (2 * packet_bits) * abs(d1 - d2)


def reordered_ratio(sequence: Sequence[int]) -> float:
    """Share of late packets: Type-P-Reordered-Ratio-Stream (RFC 4737, 4.2). No unit, 0 to below 1.

    A packet is reordered if one with a higher number came before it. How late it is does not
    count, so that round-robin over two paths never gets beyond 0.5.
    """
    received = _first_copies(sequence)
    highest = received[0]
    late = 0
    for number in received:
        late += number < highest
        highest = max(highest, number)
    return late / len(received)


def reorder_density(sequence: Sequence[int]) -> dict[int, float]:
    """Displacement in packets -> share of packets (RFC 5236). Shares are above 0, their sum is 1.

    The displacement is the place of arrival minus the place in order: negative early, positive
    late. Places carry the numbers of received packets only, since what is lost was not displaced;
    of duplicates the first copy counts. Which packets are lost is known here from the complete
    sequence, so that RFC 5236's displacement threshold, which guesses it earlier, is not needed.
    """
    received = _first_copies(sequence)
    places = sorted(received)
    return _density([place - number for place, number in zip(places, received, strict=True)])


def mean_lateness(density: dict[int, float]) -> float:
    """Packets that overtook a late one, on the mean: what expected_displacement() predicts. 0 or more."""
    late = {by: share for by, share in density.items() if by > 0}
    return sum(by * share for by, share in late.items()) / sum(late.values()) if late else 0.0


def reorder_entropy(density: dict[int, float]) -> float:
    """Total disorder: -sum p ln p of a reorder density (Ye et al.; Kaspar, 2.1). In nats.

    0 all packets in order; ln k if they spread evenly over k displacements. The displacements
    of all packets sum to 0, so nothing but order has all of them at one value.
    """
    # "0.0 -" and not a sign: order is 0, not -0
    return 0.0 - sum(share * math.log(share) for share in density.values() if share > 0)


def buffer_occupancy_density(sequence: Sequence[int]) -> dict[int, float]:
    """Packets in the reorder buffer -> share of arrivals that leave it so (RFC 5236).

    Shares are above 0, their sum is 1. An early packet is in the buffer from its own arrival on,
    until all before it are there. Lost packets are not waited for, duplicates not counted.
    """
    received = _first_copies(sequence)
    order = sorted(received)
    arrived: set[int] = set()
    delivered = 0
    occupancies = []
    for number in received:
        arrived.add(number)
        while delivered < len(order) and order[delivered] in arrived:
            delivered += 1
        occupancies.append(len(arrived) - delivered)
    return _density(occupancies)


def occupancy_percentile(density: dict[int, float], q: float) -> int:
    """Buffer in packets that is enough for q % of the arrivals (Kaspar, 2.2.2). 0 or more.

    With q = 95 at most 5 % of arrivals find it too small, with q = 99 at most 1 %.
    """
    _need(density, "density")
    _check_percent(q)
    share = 0.0
    for occupancy in sorted(density):
        share += density[occupancy]
        if share >= q / 100 - EPSILON:
            return occupancy
    return max(density)


# Delay


@dataclass(frozen=True)
class DelaySummary:
    """A distribution of delays, in the unit of the delays. Percentiles: None of too few."""

    min: float
    p50: float | None
    p95: float | None
    p99: float | None
    max: float


def percentiles(values: Sequence[float], qs: Sequence[float]) -> list[float]:
    """The qs-th percentiles (0 to 100), in the unit of the values; linear between two values."""
    _need(values, "values")
    for q in qs:
        _check_percent(q)
    return [float(value) for value in np.percentile(np.asarray(values, dtype=float), list(qs))]


def percentiles_or_none(values: Sequence[float], qs: Sequence[float]) -> list[float | None]:
    """The same; None for each if there are too few values to speak of percentiles."""
    return [None] * len(qs) if len(values) < PERCENTILES_FROM else [*percentiles(values, qs)]


def delay_summary(delays: Sequence[float]) -> DelaySummary:
    """Smallest, median, 95th and 99th percentile and largest delay, in the unit of the delays."""
    least, most = percentiles(delays, (0, 100))
    return DelaySummary(least, *percentiles_or_none(delays, (50, 95, 99)), most)


def relative_increase(delays: Sequence[float]) -> list[float]:
    """Each delay over the smallest one, minus 1 (Paasch, Improving Multipath TCP, 2014, 3.3.3).

    No unit, 0 or more: 1 means twice the delay that the paths are able to deliver.
    """
    _need(delays, "delays")
    smallest = min(delays)
    if smallest <= 0:
        raise ValueError(f"smallest delay {smallest:g} is not above 0: are both clocks the same?")
    return [delay / smallest - 1 for delay in delays]


# Rates over time


def time_to_full_rate(
    samples: Sequence[tuple[float, float]],
    share: float = 0.9,
    tail: float = 0.5,
    window: float = 1.0,
) -> float | None:
    """Time at which the rate first reaches its share of the final rate; None if it never does.

    Samples are (end of the interval, mean rate in it), in order of time and equally spaced; the
    result is one of their times, as they count it. The final rate is the median over the last
    tail (0 to 1) of the samples: a stall in there does not lower it. Rates are averaged over the
    window (s) before each sample, so that a single burst does not count as arrival; until one
    window has passed there is no average yet.
    """
    _need(samples, "samples")
    rates = [rate for _, rate in samples]
    final = median(rates[-max(1, math.ceil(len(rates) * tail)) :])
    return _first_at(samples, share * final, window) if final > 0 else None


def recovery_time(
    samples: Sequence[tuple[float, float]], since: float, level: float, window: float = 1.0
) -> float | None:
    """Time from `since` until the rate is at the level again; None if it never is.

    Samples and window as for time_to_full_rate(); what was before counts for nothing.
    """
    return _first_at([(t - since, rate) for t, rate in samples if t > since], level, window)


def _first_at(samples: Sequence[tuple[float, float]], level: float, window: float) -> float | None:
    """When the mean over the window first reaches the level."""
    times, rates = [time for time, _ in samples], [rate for _, rate in samples]
    spacing = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else window
    width = max(1, round(window / spacing)) if spacing > 0 else 1
    for end in range(width, len(rates) + 1):
        if fmean(rates[end - width : end]) >= level:
            return times[end - 1]
    return None


def by_second(samples: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The mean rate of each whole second; a sample's time is the end of its interval."""
    seconds: dict[int, list[float]] = {}
    for time, rate in samples:
        seconds.setdefault(int(max(time - 0.05, 0)), []).append(rate)
    half = max(map(len, seconds.values()), default=0) / 2
    return [(s + 0.5, sum(r) / len(r)) for s, r in sorted(seconds.items()) if len(r) > half]


# Playback: a log has (time, bytes there by then, without gaps), from the first request on, at time 0


def startup_latency(log: Sequence[tuple[float, int]]) -> float:
    """Seconds of waiting after which playback at the mean rate never stops (Kaspar, 6.1 to 6.3).

    max (r t - bytes(t)) / r, where r is all bytes over the whole time: just before bytes arrive the
    most are missing.
    """
    return _most_needed(log) / _mean_rate(log)


def buffer_requirement(log: Sequence[tuple[float, int]]) -> float:
    """Bytes of buffer that this takes (Kaspar, 6.4).

    max (bytes needed + bytes that wait for others); of a byte stream the kernel holds what waits for
    others, and none of that is in the log.
    """
    return _most_needed(log)


def _mean_rate(log: Sequence[tuple[float, int]]) -> float:
    _need(log, "log")
    return log[-1][1] / log[-1][0]


def _most_needed(log: Sequence[tuple[float, int]]) -> float:
    rate = _mean_rate(log)
    before = [0, *(count for _, count in log)]
    return max(rate * time - ready for (time, _), ready in zip(log, before, strict=False))


def longest_gap(times: Sequence[float]) -> float:
    """Longest time between two arrivals, in the unit of the times; 0 for fewer than two.

    What a handover or a lost path costs whoever watches or listens.
    """
    ordered = sorted(times)
    return max((b - a for a, b in zip(ordered, ordered[1:], strict=False)), default=0.0)


def _need(values: Sequence[object] | dict[int, float], what: str) -> None:
    if not len(values):
        raise ValueError(f"no {what}: nothing was measured")


def _check_percent(q: float) -> None:
    if not 0 <= q <= 100:
        raise ValueError(f"percentile {q:g} is not between 0 and 100")


def _first_copies(sequence: Sequence[int]) -> list[int]:
    """Without duplicates, in order of arrival: only the first copy tells about the order."""
    _need(sequence, "packets")
    return list(dict.fromkeys(sequence))


def _density(values: list[int]) -> dict[int, float]:
    return {value: count / len(values) for value, count in sorted(Counter(values).items())}
