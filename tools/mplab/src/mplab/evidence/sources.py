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
    for file in sorted((top / "net/mptcp").iterdir()):
        if file.suffix in (".c", ".h") and not TESTS.search(file.name):
            yield file.name, _code(file.read_text())
    for line in (top / "patches/series").read_text().splitlines():
        name = line.split("#")[0].strip()
        if name:
            yield name.partition("/")[0], _changes((top / "patches" / name).read_text())


def digest(top: Path = TOP) -> str:
    """Of everything in net/mptcp and patches that could change what is measured."""
    text = "\0".join(part for pair in _parts(top) for part in pair)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def counts_as(directory: Path) -> dict[str, set[str]]:
    """From same.txt, for each digest those that follow it without a change of any number.

    A line: OLD NEW REASON. Without a reason it does not count.
    """
    found: dict[str, set[str]] = {}
    file = directory / SAME
    for line in file.read_text().splitlines() if file.exists() else ():
        fields = line.split(maxsplit=2)
        if len(fields) == 3 and not line.startswith("#"):
            found.setdefault(fields[0], set()).add(fields[1])
    return found


def is_current(measured: str, now: str, follows: dict[str, set[str]]) -> bool:
    """Is a number that was measured with one digest still true of another?"""
    known, new = {measured}, {measured}
    while new:
        new = {after for digest in new for after in follows.get(digest, ())} - known
        known |= new
    return now in known
