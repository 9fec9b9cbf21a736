#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of Documentation/upstream-fixes.md: subjects and tests from the patches' messages, which of them
the newest Linux needs from its series, and the rest from upstream-fixes.tsv beside it.

usage: fixes_table.py write | check [TOP]    check: exit status 1 if the page is not as it is to be
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

BASE, NEWEST = "6.12", "7.3"
BEGIN, END = "<!-- fixes -->\n", "<!-- /fixes -->\n"


class Wrong(Exception):
    """What is to be mended by hand."""


@dataclass
class Row:
    """A line of the .tsv."""

    patch: str
    since: str
    known: str
    why: str = ""
    test: str = ""


@dataclass
class Patch:
    """What a patch's message says, and where it is below patches/."""

    name: str
    subject: str
    tags: dict[str, str]

    @property
    def plain(self) -> str:
        """As other versions have it, too."""
        return plain_name(self.name)


def plain_name(name: str) -> str:
    return re.sub(r"^\d+\.\d+/", "", name)


def title(name: str) -> str:
    """Without group and number."""
    return re.sub(r"^.*/\d+-", "", name)


def read_patch(path: Path, name: str) -> Patch:
    message = HeaderParser().parsestr(path.read_text())
    subject = re.sub(r"\s+", " ", message["Subject"])
    said = str(message.get_payload()).split("\n---\n")[0]
    tags = dict(re.findall(r"^(Fixes|Test): (.+)", said, re.MULTILINE))
    return Patch(name, re.sub(r"^\[PATCH\] (mptcp: )?", "", subject), tags)


class Series:
    """Those of patches/: which patches a version has, and why not others."""

    def __init__(self, top: Path) -> None:
        self.text = {
            BASE if file.parent.name == "patches" else file.parent.name: file.read_text()
            for file in sorted((top / "patches").glob("**/series"))
        }

    def names(self, version: str) -> list[str]:
        lines = (line.split("#")[0].strip() for line in self.text[version].splitlines())
        return [line for line in lines if line]

    def has(self, version: str, plain: str) -> bool:
        return plain in map(plain_name, self.names(version))

    def mends(self, version: str, patch: str) -> bool:
        """By a patch of that name in any group."""
        return title(patch) in map(title, self.names(version))

    def why_not(self, patch: str) -> str:
        """What the newest one's comment says: "# fixes/0006: REASON"."""
        found = re.search(rf"^# .*\b{patch}: (.+)", self.text[NEWEST], re.MULTILINE)
        return found[1] if found else ""

    def fixes(self) -> Iterator[str]:
        for version in self.text:
            yield from (name for name in self.names(version) if plain_name(name).startswith("fixes/"))


def read_rows(file: Path) -> list[Row | str]:
    """Of the .tsv; a line without a tab is a heading."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return [Row(*line.split("\t")) if "\t" in line else line for line in lines]


def test_of(row: Row, patch: Patch, top: Path) -> str:
    """As seen from selftests/fixes."""
    found = re.search(r"selftests/(\S+)\.sh\b", patch.tags.get("Test", ""))
    name = row.test or (found[1] if found else "")
    if not name:
        return ""
    if not (top / f"selftests/{name}.sh").exists():
        raise Wrong(f"{row.patch}: there is no selftests/{name}.sh")
    return f": `../{name}`".replace("../fixes/", "")


def state_of(row: Row, patch: Patch, series: Series) -> str:
    """Has the newest Linux, as it came, the defect?"""
    how, _, part = row.known.partition(" ")
    if how not in ("tried", "read"):
        raise Wrong(f"{row.patch}: neither tried nor read: {row.known}")
    why, others = row.why, ""
    if series.has(NEWEST, patch.plain):
        word = part or "yes"
    else:
        word, why = "no", series.why_not(row.patch)
        has = [one for one in series.text if one != BASE and series.mends(one, patch.name)]
        others = f" ({', '.join(has)}: yes)" if has else ""
    if bool(why) == (word == "yes"):
        raise Wrong(f"{row.patch}: {NEWEST}: {word}: {why or 'why?'}")
    return (f"**{word}**" if how == "tried" else word) + others + (f": {why}" if why else "")


class Table:
    """Its lines, and what they must have in common."""

    def __init__(self, top: Path) -> None:
        self.top, self.series = top, Series(top)
        self.listed: set[str] = set()
        self.since: dict[str, str] = {}

    def find(self, row: Row) -> Patch:
        paths = list((self.top / "patches").glob(f"{row.patch}-*.patch"))
        if len(paths) != 1:
            raise Wrong(f"{row.patch}: {len(paths)} patches have that number")
        return read_patch(paths[0], str(paths[0].relative_to(self.top / "patches")))

    def line(self, row: Row) -> str:
        patch = self.find(row)
        title = "the same" if patch.plain in self.listed else patch.subject
        self.listed.add(patch.plain)
        commit = patch.tags.get("Fixes", "none").split()[0]
        if commit != "none" and self.since.setdefault(commit, row.since) != row.since:
            raise Wrong(f"{row.patch}: {commit} is in {row.since}, or in {self.since[commit]}?")
        return (
            f"| [{title}](../patches/{patch.name}){test_of(row, patch, self.top)} | {row.since} | "
            f"{state_of(row, patch, self.series)} |"
        )

    def text(self) -> str:
        rows = read_rows(self.top / "Documentation/upstream-fixes.tsv")
        lines = [self.line(row) if isinstance(row, Row) else f"| **{row}** | | |" for row in rows]
        missing = [name for name in self.series.fixes() if plain_name(name) not in self.listed]
        if missing:
            raise Wrong(f"upstream-fixes.tsv lacks {', '.join(missing)}")
        return "\n".join([f"| patch: test | since | {NEWEST} |", "|---|---|---|", *lines, ""])


def main() -> int:
    top = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).resolve().parents[2])
    page = top / "Documentation/upstream-fixes.md"
    old = page.read_text()
    head, rest = old.split(BEGIN, 1)
    try:
        new = head + BEGIN + Table(top).text() + END + rest.split(END, 1)[1]
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    if sys.argv[1] == "write":
        page.write_text(new)
    elif new != old:
        print("upstream-fixes.md is not as it is to be: make fixes-table", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
