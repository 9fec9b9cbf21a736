# SPDX-License-Identifier: MIT
"""A share of a plan: every n-th run of it, in the order of the results' names.

All machines make the same plan, and each picks its share without asking the others. The shares are
alike in what they cost, for names are hashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...lab.guest import Guests
from ...words import units
from ..experiment import Conditions, key


@dataclass(frozen=True)
class Shard:
    """The number of the share, from 1, and how many there are."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def of(self, plan: Iterable[Conditions], kernels: Mapping[str, Guests]) -> list[Conditions]:
        named = {key(c, kernels[c.kernel].identity(c.parts)): c for c in plan}
        return [named[name] for name in sorted(named)[self.number - 1 :: self.count]]


def parse(text: str) -> Shard:
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise units.UnitError(f"--shard '{text}': write NUMBER/COUNT, from 1/4 to 4/4 for example")
    return Shard(int(match[1]), int(match[2]))
