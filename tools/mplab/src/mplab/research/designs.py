# SPDX-License-Identifier: MIT
"""Design of experiments: which networks to measure in, when all of them are too many.

A design is an array with one experiment per row and one parameter per column, in the unit cube;
scale() makes physical values of it. A space-filling design (wsp) assumes nothing about how the
result depends on the parameters, an orthogonal one tells the effect of each parameter apart, a
grid is for two or three parameters that are to be plotted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import Any

import numpy as np

from ..traffic import metrics

Array = np.ndarray[Any, Any]

CANDIDATES = 10  # per wanted point; more fill the space better, in quadratic time
BISECTIONS = 50  # halve the distance until it is within the precision of a float
BENEFIT_RANGE = 2.0  # the aggregation benefit is between -1 and 1


@dataclass(frozen=True)
class Domain:
    """One parameter and its range, linear between the ends."""

    name: str
    low: float
    high: float

    def at(self, unit: float) -> float:
        """The physical value at 0 (low) to 1 (high)."""
        # not low + unit * (high - low), which may miss the upper end by a rounding error
        return self.low * (1 - unit) + self.high * unit


# Of one path (C. Paasch, Improving Multipath TCP, 2014, table 3.1). Rate in bit/s, rtt (the
# propagation's part of it) and queue (time to drain it when full) in s, loss in %: as in paths.
RATE = Domain("rate", 0.1e6, 100e6)
LOW_BDP = (RATE, Domain("rtt", 0.0, 0.050), Domain("queue", 0.0, 0.100))
HIGH_BDP = (RATE, Domain("rtt", 0.0, 0.400), Domain("queue", 0.0, 2.000))
LOSS = Domain("loss", 0.0, 2.5)
ENVIRONMENTS = {
    "low": LOW_BDP,
    "high": HIGH_BDP,
    "low-lossy": (*LOW_BDP, LOSS),
    "high-lossy": (*HIGH_BDP, LOSS),
}


def domains(name: str, paths: int = 2) -> list[Domain]:
    """The dimensions of an environment: rate1, rtt1, queue1[, loss1], rate2, ..."""
    if name not in ENVIRONMENTS:
        raise ValueError(f"unknown environment '{name}'; write one of {', '.join(ENVIRONMENTS)}")
    return [
        Domain(f"{domain.name}{path}", domain.low, domain.high)
        for path in range(1, paths + 1)
        for domain in ENVIRONMENTS[name]
    ]


def scale(points: Array, dimensions: Sequence[Domain]) -> list[dict[str, float]]:
    """Points of the unit cube as physical values: one dictionary per experiment."""
    return [
        {domain.name: domain.at(float(unit)) for domain, unit in zip(dimensions, point, strict=True)}
        for point in points
    ]


def min_distance(points: Array) -> float:
    """Distance between the two closest points: the larger, the better a design fills its space."""
    if len(points) < 2:
        raise ValueError("a distance needs two points")
    return min(
        float(np.sqrt(_squares(points[row + 1 :], points[row]).min())) for row in range(len(points) - 1)
    )


def wsp(dimensions: int, count: int, seed: int) -> Array:
    """Exactly count points that fill the unit cube evenly; the same ones for the same seed.

    WSP (Santiago, Claeys-Bruno and Sergent, 2012): of many random candidates, keep those that
    are at least some distance apart. The distance is found by bisection. The number of points
    jumps at some distances; what is then too much is dropped from the end.
    """
    if dimensions < 1 or count < 1:
        raise ValueError(f"{count} points in {dimensions} dimensions are not a design")
    candidates = np.random.default_rng(seed).random((CANDIDATES * count, dimensions))
    near, far = 0.0, float(np.sqrt(dimensions))  # all candidates remain; one does
    chosen = list(range(len(candidates)))
    for _ in range(BISECTIONS):
        distance = (near + far) / 2
        attempt = _thin(candidates, distance, count + 1)
        if len(attempt) < count:
            far = distance
            continue
        near, chosen = distance, attempt
        if len(attempt) == count:
            break
    return candidates[chosen[:count]]


def _thin(candidates: Array, distance: float, limit: int) -> list[int]:
    """Rows of candidates at least distance apart, in the order found; stops at limit rows.

    Going on with the nearest candidate left, rather than with any, packs the points tightly.
    """
    left = np.arange(len(candidates))
    current = 0
    chosen: list[int] = []
    while len(chosen) < limit:
        chosen.append(current)
        squares = _squares(candidates[left], candidates[current])
        keep = (squares >= distance**2) & (left != current)
        left, squares = left[keep], squares[keep]
        if not len(left):
            break
        current = int(left[squares.argmin()])
    return chosen


def _squares(points: Array, point: Array) -> Array:
    """Squared distances: in the same order as the distances, without the roots."""
    return np.square(points - point).sum(axis=1)


def grid(levels: Sequence[int]) -> Array:
    """Every combination of so many equally spaced levels per dimension; a single one is central."""
    if any(count < 1 for count in levels):
        raise ValueError(f"levels {list(levels)}: each dimension needs at least one")
    axes = [np.linspace(0, 1, count) if count > 1 else np.array([0.5]) for count in levels]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(levels))


def orthogonal_array(levels: int) -> Array:
    """OA(q^2, q+1, q, 2) for a prime q: q^2 runs of q+1 parameters with the levels 0 to q-1.

    Any two columns have each pair of levels exactly once, so the mean over the runs with one
    level of a parameter averages fairly over all levels of any other. The columns are the row,
    the column and the values of q-1 mutually orthogonal Latin squares k * row + column mod q
    (Hedayat, Sloane and Stufken, Orthogonal Arrays, 1999). They are orthogonal since q is prime:
    every difference of two k then has an inverse.
    """
    if not _is_prime(levels):
        raise ValueError(f"{levels} levels: the construction needs a prime number")
    row, column = np.divmod(np.arange(levels**2), levels)
    squares = [(k * row + column) % levels for k in range(1, levels)]
    return np.stack([row, column, *squares], axis=1)


def orthogonal(levels: Sequence[int], arrays: int = 1, seed: int = 0) -> Array:
    """Runs for parameters with so many levels each; the elements are levels, counted from 0.

    D. Kaspar, Multipath Aggregation of Heterogeneous Networks, 2011, algorithm 4: the smallest
    orthogonal array with enough columns and levels, several times with its columns shuffled, for
    confidence intervals over the arrays. Levels that a parameter does not have are replaced by
    its own, at random and balanced: such a column is only nearly orthogonal to the others.
    """
    if not levels or min(levels) < 1 or arrays < 1:
        raise ValueError(f"{arrays} arrays of levels {list(levels)} are not a design")
    array = orthogonal_array(_prime_from(max(*levels, len(levels) - 1, 2)))
    rng = np.random.default_rng(seed)
    return np.concatenate([_allot(array, levels, rng) for _ in range(arrays)])


def _allot(array: Array, levels: Sequence[int], rng: np.random.Generator) -> Array:
    """Shuffle the columns, take one per parameter and replace the levels it does not have."""
    runs = array[:, rng.permutation(array.shape[1])[: len(levels)]]
    for column, count in zip(runs.T, levels, strict=True):
        excess = column >= count
        substitutes = np.resize(rng.permutation(count), excess.sum())
        column[excess] = rng.permutation(substitutes)
    return runs


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _prime_from(number: int) -> int:
    while not _is_prime(number):
        number += 1
    return number


def sensitivity(
    samples: Sequence[Sequence[float]],
    qs: Sequence[float] = (5, 25, 50, 75, 95),
    full_range: float = BENEFIT_RANGE,
) -> dict[float, float]:
    """Percentile -> its standard deviation across designs, as a share of the range (0 to 1).

    Each sample holds the results of one design of the same size. If a percentile hardly depends
    on which design was run, the designs have enough points (C. Paasch, Improving Multipath TCP,
    2014, 3.4: up to 2.62 % for the aggregation benefit at 200 points in 6 dimensions).
    """
    if len(samples) < 2:
        raise ValueError("sensitivity needs the results of at least two designs")
    rows = [metrics.percentiles(sample, qs) for sample in samples]
    columns = zip(*rows, strict=True)
    return {q: stdev(column) / full_range for q, column in zip(qs, columns, strict=True)}
