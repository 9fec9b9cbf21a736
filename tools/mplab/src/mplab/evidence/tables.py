# SPDX-License-Identifier: MIT
"""Tables of measurements in a text: those that are generated, and those that somebody wrote.

What is mostly numbers is taken for a measurement. Who writes one says above it in a comment,
<!-- measured once: COMMIT: COMMAND -->, what gave it, and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

BEGIN = re.compile(r"<!-- (evidence: [^>]*|checks|kernels|coverage) -->")
END = re.compile(r"<!-- /(evidence|checks|kernels|coverage) -->")
ONCE = re.compile(r"<!-- measured once: [0-9a-f]{7,}: \S.* -->")
NUMBER = re.compile(
    r"[-+±<>]?\s*[\d.,]+(\.\.[\d.,]+)?( ?%| ?[kMG]?(bit/s|B)| ?[mµu]?s| of \d+)?( \([^)]*\))?"
)
EXAMPLE = "<!-- measured once: COMMIT: COMMAND -->"
FEWEST = 2  # rows


@dataclass(frozen=True)
class Found:
    """line: of its header, from 1. generated, once: where its numbers are from."""

    line: int
    rows: int
    generated: bool
    once: bool


def _is_measured(rows: list[str]) -> bool:
    cells = [cell.strip() for row in rows for cell in row.strip().strip("|").split("|")[1:]]
    known = [cell for cell in cells if cell]
    return len(rows) >= FEWEST and sum(bool(NUMBER.fullmatch(cell)) for cell in known) > len(known) / 2


def measured(text: str) -> Iterator[Found]:
    """The tables that are mostly numbers."""
    lines, generated, at = text.splitlines(), False, 0
    while at < len(lines):
        line = lines[at]
        if BEGIN.fullmatch(line) or END.fullmatch(line):
            generated = bool(BEGIN.fullmatch(line))
        begin = at
        while at < len(lines) and lines[at].startswith("|"):
            at += 1
        if _is_measured(lines[begin + 2 : at]):
            once = begin > 0 and bool(ONCE.fullmatch(lines[begin - 1]))
            yield Found(begin + 1, at - begin - 2, generated, once)
        at = max(at, begin + 1)
