# SPDX-License-Identifier: MIT
"""Series: what a link was like as time went by. They begin anew at their end.

A file of one is told by its content:

    a number a line, # begins a comment    Mbit/s, ms or %, each for a second or for step=TIME
    whole numbers that never fall, to      Mahimahi: ms at which a frame of 1500 bytes may leave,
    1000 or more                           and with it the headers that the bottleneck counts

A name without a file is one of the project's, in tools/mplab/traces; NAME:SEED is made by a model
of synthetic.py.
"""

from __future__ import annotations

import hashlib
import itertools
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath

from ..words import units
from . import synthetic

PROJECT = FilePath(__file__).resolve().parents[3] / "traces"
RATE, RTT, LOSS = "rate", "rtt", "loss"
WHAT = {RATE: "Mbit/s", RTT: "ms", LOSS: "%"}
MOST = {RATE: 100_000.0, RTT: 60_000.0, LOSS: 100.0}
MS = 1_000_000  # ns
LONGEST = 100 * MS  # of a step for the kernel, which takes 32 bits of ns and of bytes
SHORTEST = 0.01  # of the steps of delays and losses, in s


@dataclass(frozen=True)
class Series:
    """Name and digest of the content tell series apart, on any machine.

    mean: of the values in bit/s, s or %; of Mahimahi's, frames/s. seconds: after which it begins
    anew. file: where it is on this machine, None if a model makes it.
    """

    name: str
    digest: str
    kind: str
    mean: float
    seconds: float
    step: float
    mahimahi: bool = False
    file: FilePath | None = field(default=None, compare=False, repr=False)

    @property
    def values(self) -> Sequence[float]:
        """In Mbit/s, ms or %; of Mahimahi's, ms."""
        return _content(self.file or self.name, self.kind, self.step)[0]

    def rate(self, frame: int) -> float:
        """Mean in bit/s, for frames of that many bytes."""
        return self.mean * frame * 8 if self.mahimahi else self.mean

    def steps(self, frame: int) -> Iterator[tuple[int, int]]:
        """Duration in ns and bytes of each step of a rate, as sch_replay.c takes them."""
        return _opportunities(self.values, frame) if self.mahimahi else _rates(self.values, self.step)

    def __str__(self) -> str:
        return f"{self.name} ({self.seconds:g} s)"


def _rates(values: Sequence[float], step: float) -> Iterator[tuple[int, int]]:
    """Rounded as a whole, so that no bytes are lost to it."""
    pieces = -(-round(step * 1e9) // LONGEST)
    carried, due = 0, 0.0
    for value in values:
        for _ in range(pieces):
            due += value * 1e6 / 8 * step / pieces
            yield round(step * 1e9 / pieces), round(due) - carried
            carried = round(due)


def _opportunities(times: Sequence[float], frame: int) -> Iterator[tuple[int, int]]:
    """A frame that leaves at 5 ms is carried from 4 to 5 ms."""
    now = 0
    for time, frames in itertools.groupby(max(int(t), 1) for t in times):
        idle = (time - now - 1) * MS
        while idle > 0:
            yield min(idle, LONGEST), 0
            idle -= LONGEST
        yield MS, sum(1 for _ in frames) * frame
        now = time


def load(text: str, kind: str, step: float = 1.0) -> Series:
    """The series that a user names; UnitError says what is wrong with it."""
    source = _source(text, kind)
    values, mahimahi, step = _content(source, kind, step)
    if mahimahi:
        seconds = max(values[-1], 1) / 1e3
        mean = len(values) / seconds
    else:
        seconds = len(values) * step
        mean = sum(values) / len(values) * {RATE: 1e6, RTT: 1e-3, LOSS: 1}[kind]
    if kind == RATE and not mean:
        raise units.UnitError(f"trace '{text}' carries nothing")
    digest = hashlib.sha256(f"{kind} {step} {mahimahi}".encode() + array("d", values).tobytes())
    file = source if isinstance(source, FilePath) else None
    name = file.name.removesuffix(".txt") if file else text
    return Series(name, digest.hexdigest()[:12], kind, mean, seconds, step, mahimahi, file)


def _source(text: str, kind: str) -> FilePath | str:
    """A file, or what a model makes."""
    model, colon, seed = text.partition(":")
    if colon and model in synthetic.MODELS:
        if not seed.isdigit():
            raise units.UnitError(f"trace '{text}': write a number for the seed, for example {model}:1")
        if kind not in synthetic.kinds(model):
            has = " and ".join(synthetic.kinds(model))
            raise units.UnitError(f"{kind}-trace '{text}': the model '{model}' has {has} only")
        return text
    for file in (FilePath(text), PROJECT / f"{text}.txt"):
        if file.is_file():
            return file.resolve()
    there_are = ", ".join(sorted(f.stem for f in PROJECT.glob("*.txt")))
    models = ", ".join(f"{m}:SEED" for m in synthetic.MODELS)
    raise units.UnitError(
        f"trace '{text}': neither a file, nor one of the project's ({there_are}), nor a model ({models})"
    )


@cache
def _content(source: FilePath | str, kind: str, step: float) -> tuple[Sequence[float], bool, float]:
    """Values; whether they are Mahimahi's; the time from one to the next."""
    if isinstance(source, str):
        model, _, seed = source.partition(":")
        return synthetic.make(model, int(seed))[kind], False, synthetic.STEP
    values = _read(source, kind)
    whole = all(v.is_integer() for v in values)
    if kind == RATE and whole and values[-1] >= 1000 and all(a <= b for a, b in itertools.pairwise(values)):
        return values, True, 0.001
    if kind != RATE and step < SHORTEST:
        raise units.UnitError(f"step={step * 1e3:g}ms: write at least {SHORTEST * 1e3:g}ms for {kind}s")
    worst = max(values)
    if worst > MOST[kind]:
        raise units.UnitError(f"{source}: {worst:g} {WHAT[kind]}; the most is {MOST[kind]:g}")
    return values, False, step


def _read(file: FilePath, kind: str) -> Sequence[float]:
    values = array("d")
    try:
        with file.open() as lines:
            for number, line in enumerate(lines, 1):
                word = line.partition("#")[0].strip()
                if not word:
                    continue
                if not word.replace(".", "", 1).isdecimal():
                    raise units.UnitError(f"{file}, line {number}: '{word}' is no number in {WHAT[kind]}")
                values.append(float(word))
    except (OSError, UnicodeDecodeError) as error:
        raise units.UnitError(f"{file}: {getattr(error, 'strerror', '') or 'not a text file'}") from None
    if not values:
        raise units.UnitError(f"{file}: no number in it; write one a line, in {WHAT[kind]}")
    return values
