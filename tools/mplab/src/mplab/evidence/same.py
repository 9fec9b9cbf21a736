# SPDX-License-Identifier: MIT
"""Kernels that give the same figures, though their sources differ: measurements of one are true of the other.

In virtual time a run gives the same digits each time, as long as it comes to the same code. A mend of what no
measured run comes to changes the digest of the core, and no figure. `mplab evidence same` shows that by a
sample: the quick bench on both kernels, each figure of each run compared. same.tsv keeps what it showed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ..lab.parts import CORE
from ..run.experiment import Conditions, Result

FILE = "same.tsv"
SAMPLE = "bench --quick --scheduler default,minrtt+rp,inorder"


def _pairs(directory: Path) -> dict[str, str]:
    """Digests of cores: of the one that was measured, and of the one that gives the same."""
    file = directory / FILE
    lines = file.read_text().splitlines() if file.exists() else []
    return dict(line.split("\t")[:2] for line in lines if line and not line.startswith("#"))


def carried(parts: Mapping[str, str], directory: Path) -> dict[str, str]:
    """Those of a measurement, as they may be called now."""
    pairs, core = _pairs(directory), parts.get(CORE)
    for _ in range(len(pairs)):
        core = pairs.get(core or "", core)
    return {**parts, CORE: core} if core else dict(parts)


def _figures(result: Result) -> str:
    """All of them; in one form, whether they were just measured or come from a store."""
    return json.dumps([result.flows, result.path_bytes, result.counters], sort_keys=True)


def differing(
    these: Mapping[Conditions, Result], those: Mapping[Conditions, Result]
) -> tuple[list[Conditions], int]:
    """The runs that gave something else, and how many gave anything on both."""
    both = [c for c in these if c in those]
    return [c for c in both if _figures(these[c]) != _figures(those[c])], len(both)


def keep(directory: Path, then: str, now: str, runs: int) -> None:
    """One line: the core that was measured, the one that gives the same, how many runs showed it."""
    with (directory / FILE).open("a") as file:
        file.write(f"{then}\t{now}\t{runs}\n")
