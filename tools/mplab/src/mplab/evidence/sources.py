# SPDX-License-Identifier: MIT
"""Which kernel sources a number is from, and whether they still count."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from ..guest import TOP

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
TESTS = re.compile(r"_test\.c$|_vectors\.h$")  # never run while something is measured
REMARKS = re.compile(r"\s*(/\*|\*|//|#)")
SAME = "same.txt"
OLDER = "older.txt"


def _code(text: str) -> str:
    """Without comments and layout."""
    return " ".join(COMMENT.sub(" ", text).split())


def _changes(text: str) -> str:
    """What a patch adds and removes, and where, but no comments and line numbers."""
    kept = []
    for line in text.splitlines():
        if line.startswith(("+++ ", "--- ")):
            kept.append(line.split("\t")[0])
        elif line.startswith(("+", "-")) and not REMARKS.match(line[1:]):
            kept.append(line[0] + " ".join(line[1:].split()))
    return "\n".join(kept)


def _parts(top: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(file for room in ("mptcp", "sched") for file in (top / "net" / room).glob("*.[ch]")):
        if not TESTS.search(file.name):
            yield file.name, _code(file.read_text())
    for line in (top / "patches/series").read_text().splitlines():
        name = line.split("#")[0].strip()
        if name:
            yield name.partition("/")[0], _changes((top / "patches" / name).read_text())


def digest(top: Path = TOP) -> str:
    """Of everything in net and patches that could change what is measured."""
    text = "\0".join(part for pair in _parts(top) for part in pair)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """The first two words of each line that goes on with a reason; without one it does not count."""
    for line in file.read_text().splitlines() if file.exists() else ():
        fields = line.split(maxsplit=2)
        if len(fields) == 3 and not line.startswith("#"):
            yield fields[0], fields[1]


def counts_as(directory: Path) -> dict[str, set[str]]:
    """From same.txt, for each digest those that follow it without a change of any number.

    A line: OLD NEW REASON.
    """
    found: dict[str, set[str]] = {}
    for old, new in _lines(directory / SAME):
        found.setdefault(old, set()).add(new)
    return found


def known_to_be_older(directory: Path) -> set[tuple[str, str]]:
    """From older.txt, what waits to be measured anew, and its digest. A line: NAME DIGEST REASON."""
    return set(_lines(directory / OLDER))


def is_current(measured: str, now: str, follows: dict[str, set[str]]) -> bool:
    """Is a number that was measured with one digest still true of another?"""
    known, new = {measured}, {measured}
    while new:
        new = {after for digest in new for after in follows.get(digest, ())} - known
        known |= new
    return now in known
