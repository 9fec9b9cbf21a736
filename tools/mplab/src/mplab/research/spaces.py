# SPDX-License-Identifier: MIT
"""Networks to compare over: designs by name, or the points of a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path as FilePath

from ..lab import strict
from ..lab.paths import Path
from ..words import units
from ..words.places import lines_of_words
from ..words.units import UsageError
from . import designs

SPACES = ("low", "high", "low-lossy", "high-lossy")


def as_paths(
    cube: designs.Array, dimensions: Sequence[designs.Domain], paths: int = 2
) -> list[tuple[Path, ...]]:
    """Points of the unit cube as networks of so many paths."""
    return [
        tuple(
            Path(p[f"rate{i}"], p[f"rtt{i}"], p[f"queue{i}"], p.get(f"loss{i}", 0.0))
            for i in range(1, paths + 1)
        )
        for p in designs.scale(cube, dimensions)
    ]


def points(kind: str, name: str, count: int, seed: int) -> list[tuple[Path, ...]]:
    """kind: "" is space-filling, or orthogonal or grid, of at least `count` points."""
    dimensions = designs.domains(name)
    if kind == "orthogonal":
        cube = designs.orthogonal(_levels(count, len(dimensions)), seed=seed)
    elif kind == "grid":
        per_dimension = max(2, round(count ** (1 / len(dimensions))))
        cube = designs.grid([per_dimension] * len(dimensions))
    else:
        cube = designs.wsp(len(dimensions), count, seed)
    return as_paths(cube, dimensions)


def _levels(count: int, dimensions: int) -> list[int]:
    """The smallest prime number of levels that gives enough runs and columns."""
    q = 2
    while q * q < count or q + 1 < dimensions or any(q % d == 0 for d in range(2, q)):
        q += 1
    return [q] * dimensions


def named(args: argparse.Namespace) -> list[tuple[Path, ...]]:
    """The points that the user names."""
    kind, colon, name = args.space.rpartition(":")
    if name in SPACES and kind in (("orthogonal", "grid") if colon else ("",)):
        return points(kind, name, args.points, args.design_seed)
    file = FilePath(args.space)
    if not file.is_file():
        raise UsageError(
            f"design {args.space}: write one of {', '.join(SPACES)}, orthogonal: or grid: and one of them,"
            " or a file with points"
        )
    return _points(file)


def _points(file: FilePath) -> list[tuple[Path, ...]]:
    """A point per line: its paths, with spaces between."""
    found = []
    for number, line in lines_of_words(file):
        try:
            found.append(tuple(map(strict.parse, line)))
        except units.UnitError as error:
            raise UsageError(f"{file}, line {number}: {str(error).removeprefix('--path ')}") from None
    if not found:
        raise UsageError(f"{file}: no point in it; write a line per point: its paths, with spaces between")
    return found
