# SPDX-License-Identifier: MIT
"""Invented links: NAME:SEED. The same seed gives the same link, another one another of its kind.

    handover   A car in a mobile network. In each cell, for 15 to 40 s, the rate rises towards the mast
               and falls behind it, with shadows of 4 dB on top. A handover is a silence of 50 to
               150 ms, one in ten of 0.4 to 1.5 s; the RTT of the cells differs.
    starlink   Every 15 s the dish gets another satellite, after a silence of 60 to 140 ms: another rate
               (lognormal, median 120 Mbit/s) and another RTT (25 to 55 ms). In between both change
               little, but for an obstruction of 0.2 to 1 s every minute or so.
    wifi       A walk at 1.2 m/s away from the access point, for 8 s behind a wall (15 dB), and back. The
               signal falls with the 3.5th power of the distance, with shadows of 3 dB; the rate is
               that of the best modulation for it, or 0. At the edge each frame is sent many times: RTT
               and loss rise.
    lte        A phone that stays where it is: slow shadows (8 dB, 8 s), fast fading (5 dB, 80 ms), and
               other users, who come and go every few seconds and take equal shares.

What they have in common with such links is the kind of changes. Their numbers are plausible ones, chosen
by us: what is to hold on real links needs recorded ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from random import Random

STEP = 0.02  # s
Series = dict[str, list[float]]  # rate in Mbit/s, rtt in ms, loss in %


def _wander(rng: Random, deviation: float, seconds: float) -> Iterator[float]:
    """A value around 0 that forgets where it was within that time (first-order Markov)."""
    keep = math.exp(-STEP / seconds)
    value = rng.gauss(0, deviation)
    while True:
        yield value
        value = keep * value + rng.gauss(0, deviation * math.sqrt(1 - keep * keep))


def _steps(seconds: float) -> int:
    return max(round(seconds / STEP), 1)


def _shannon(decibels: float, megahertz: float) -> float:
    """What a good modem gets out of a signal above the noise, at most 5.5 bit/s per Hz."""
    return megahertz * min(0.75 * math.log2(1 + 10 ** (decibels / 10)), 5.5)


def _handover(rng: Random) -> Series:
    made: Series = {"rate": [], "rtt": []}
    shadow = _wander(rng, 4, 3)
    while len(made["rate"]) < _steps(120):
        cell, peak = _steps(rng.uniform(15, 40)), rng.uniform(10, 24)
        megahertz, rtt = rng.choice((5, 10, 20)), rng.uniform(35, 70)
        for n in range(cell):
            signal = peak - 16 * abs(2 * n / cell - 1) + next(shadow)
            made["rate"].append(_shannon(signal, megahertz))
            made["rtt"].append(rtt + max(0, 8 - signal))
        silence = _steps(rng.uniform(0.4, 1.5) if rng.random() < 0.1 else rng.uniform(0.05, 0.15))
        made["rate"] += [0.0] * silence
        made["rtt"] += [rtt] * silence
    return made


def _starlink(rng: Random) -> Series:
    made: Series = {"rate": [], "rtt": []}
    slow, quick = _wander(rng, 0.15, 5), _wander(rng, 1.5, 0.1)
    for _ in range(8):
        level, rtt = 120 * math.exp(rng.gauss(0, 0.45)), rng.uniform(25, 55)
        silence, interval = _steps(rng.uniform(0.06, 0.14)), _steps(15)
        rates = [0.0] * silence
        rates += [min(level * math.exp(next(slow)), 350) for _ in range(interval - silence)]
        if rng.random() < 0.25:
            begin = rng.randrange(silence, interval - 50)
            gone = _steps(rng.uniform(0.2, 1))
            rates[begin : begin + gone] = [0.0] * gone
        made["rate"] += rates
        made["rtt"] += [rtt + abs(next(quick)) for _ in range(interval)]
    return made


# Signal above the noise in dB, and what TCP gets out of the modulation for it: 802.11n, 20 MHz
WIFI = ((5, 5.0), (8, 10.0), (11, 14.5), (14, 19.5), (18, 28.0), (22, 36.0), (24, 40.0), (27, 45.0))


def _wifi(rng: Random) -> Series:
    made: Series = {"rate": [], "rtt": [], "loss": []}
    shadow, pace = _wander(rng, 3, 2), 1.2
    farthest = rng.uniform(45, 60)
    there = _steps(farthest / pace)
    walk = [*range(there), *[there] * _steps(8), *range(there, 0, -1)]
    for n in walk:
        distance = max(n * STEP * pace, 1)
        signal = 66 - 35 * math.log10(distance) - (15 if n == there else 0) + next(shadow)
        edge = min(max((12 - signal) / 10, 0), 1)  # from the first trouble to the last frame
        made["rate"].append(max((rate for least, rate in WIFI if signal >= least), default=0.0))
        made["rtt"].append(4 + 60 * edge)
        made["loss"].append(5 * edge * edge)
    return made


def _lte(rng: Random) -> Series:
    rates = []
    shadow, fading = _wander(rng, 8, 8), _wander(rng, 5, 0.08)
    megahertz, others = rng.choice((10, 20)), rng.randrange(4)
    for _ in range(_steps(120)):
        if rng.random() < STEP / 3:
            others = max(others + rng.choice((-1, 1)), 0)
        signal = 13 + next(shadow) + next(fading)
        rates.append(_shannon(signal, megahertz) / (1 + others))
    return {"rate": rates}


MODELS: dict[str, Callable[[Random], Series]] = {
    "handover": _handover,
    "starlink": _starlink,
    "wifi": _wifi,
    "lte": _lte,
}


@cache
def make(model: str, seed: int) -> Series:
    """A link. Rounded, so that the last bit of a machine's logarithm does not matter."""
    made = MODELS[model](Random(f"{model}:{seed}"))
    return {kind: [round(value, 3) for value in values] for kind, values in made.items()}


def kinds(model: str) -> list[str]:
    """What a model makes: all of them a rate, some more."""
    return list(make(model, 0))
