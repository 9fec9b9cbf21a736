# SPDX-License-Identifier: MIT
"""Which kernel sources a number is from, and whether they still count."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..guest import TOP

# in C a text may hold what looks like a comment
COMMENT = re.compile(r"(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
INSIDE = re.compile(r"\s*\*(\s|/|$)")  # how lines within one begin
C_FILE = re.compile(r"\.[chS]$")
REMARK = re.compile(r"#(?! CONFIG_\w+ is not set)|\t  \S")  # elsewhere, and Kconfig's help texts
UNSEEN = re.compile(r"_test\.c$|_vectors\.h$|^Documentation/|^tools/testing/")  # by what is measured
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
ROOMS = ("net/mptcp", "net/sched")
CONFIGS = ("common.config", "uml.config")  # of the kernel with which is measured
SAME = "same.txt"
OLDER = "older.txt"


def _blank(found: re.Match[str]) -> str:
    """A comment's place, with as many lines."""
    return found[1] or " " + "\n" * found[0].count("\n")


def _begins_inside(lines: Sequence[str]) -> bool:
    """Is the first line of a hunk within a comment?"""
    mark = next((m[0] for line in lines for m in [re.search(r"/\*|\*/", line)] if m), None)
    return mark == "*/" or (mark is None and all(INSIDE.match(line) for line in lines if line.strip()))


def _code(name: str, lines: Sequence[str]) -> list[str]:
    """Each line without comments and layout."""
    if not C_FILE.search(name):
        return ["" if REMARK.match(line) else " ".join(line.split()) for line in lines]
    lead = "/*" if _begins_inside(lines) else ""
    return [" ".join(line.split()) for line in COMMENT.sub(_blank, lead + "\n".join(lines)).split("\n")]


def _hunks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Of a patch: the file, and the lines with the sign before each."""
    lines, name = iter(text.splitlines()), ""
    for line in lines:
        if line.startswith(("--- a/", "+++ b/")):
            name = line[6:].split("\t")[0]
        elif found := HUNK.match(line):
            left, hunk = {sign: int(n or 1) for sign, n in zip("-+", found.groups(), strict=True)}, []
            while max(left.values()) > 0:
                hunk.append(next(lines, None) or " ")
                for sign in left:
                    left[sign] -= hunk[-1][0] in (sign, " ")
            yield name, hunk


def _changes(text: str) -> str:
    """What a patch adds and removes, and where, but no comments and line numbers."""
    kept = []
    for name, hunk in _hunks(text):
        for sign in "-+" if not UNSEEN.search(name) else "":
            side = [line for line in hunk if line[0] in (sign, " ")]
            plain = _code(name, [line[1:] for line in side]) if side else []
            code = [line for whole, line in zip(side, plain, strict=True) if whole[0] == sign and line]
            if code:
                kept += [f"{sign} {name}", *code]
    return "\n".join(kept)


def _files(top: Path) -> Iterator[Path]:
    for room in ROOMS:
        for pattern in ("*.[ch]", "Kconfig*", "Makefile*"):
            yield from sorted((top / room).glob(pattern))
    yield from (top / name for name in ["Kconfig", *(f"tools/kernel/config/{name}" for name in CONFIGS)])


def _parts(top: Path) -> Iterator[tuple[str, str]]:
    for file in _files(top):
        if file.exists() and not UNSEEN.search(file.name):
            yield file.name, " ".join(" ".join(_code(file.name, file.read_text().splitlines())).split())
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
