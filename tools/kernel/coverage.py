#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which lines and branches of net/mptcp ran, from what gcc counted in the guests.

usage: coverage.py TOP BUILD TREE COUNTS

TOP: the project; BUILD: the kernel's build; TREE: its source. COUNTS has a folder of .gcda files per test.
Prints a table of the files of which much did not run, and each such line of ours, and writes the table into
Documentation/coverage.md. What mplab's parts.py calls idle without extensions must not have run in tests that
use none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mplab/src"))

from mplab.lab.parts import IDLE  # noqa: E402

PLAIN = ("minrtt", "rp", "inorder", "rr", "redundant", "replay", "papers")  # tests without an extension
OURS, THEIRS = 97, 90  # percent of the lines; files with more are not listed
IS_TEST = re.compile(r"(^|_)test$")
BEGIN, END = "<!-- coverage -->\n", "<!-- /coverage -->\n"


@dataclass
class File:
    """How often each line, branch and function ran."""

    lines: Counter[int] = field(default_factory=Counter)
    branches: Counter[tuple[int, int]] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)

    def count(self, other: File) -> None:
        self.lines.update(other.lines)
        self.branches.update(other.branches)
        self.functions.update(other.functions)


Files = defaultdict[Path, File]


def add(files: Files, told: dict) -> None:
    """What gcov says of one object."""
    for one in told["files"]:
        path = Path(os.path.realpath(Path(told["current_working_directory"], one["file"])))
        file = files[path]
        for line in one["lines"]:
            number = line["line_number"]
            file.lines[number] += line["count"]
            for n, branch in enumerate(line["branches"]):
                file.branches[number, n] += branch["count"]
        for function in one["functions"]:
            file.functions[function["name"]] += function["execution_count"]


def read(files: Files, counts: Path, build: Path) -> None:
    """A test's."""
    objects = sorted(counts.glob("*.gcda"))
    for one in objects:
        notes = one.with_suffix(".gcno")
        notes.unlink(missing_ok=True)
        notes.symlink_to(build / "net/mptcp" / notes.name.replace("#", "/"))
    if not objects:
        return
    command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", *(str(one) for one in objects)]
    told = subprocess.run(command, cwd=build, check=True, capture_output=True, text=True).stdout
    for line in told.splitlines():
        add(files, json.loads(line))


def below(path: Path) -> str:
    """Its name as the Makefile of net/mptcp says it."""
    return str(path).rpartition("net/mptcp/")[2]


def not_idle(files: Files) -> list[str]:
    """The functions that ran, of a test that uses no extension, in files of which none should."""
    return [
        f"{function}() of {below(path)}"
        for path, file in files.items()
        if IDLE.fullmatch(below(path))
        for function, count in file.functions.items()
        if count
    ]


def ran(counter: Counter) -> tuple[int, int]:
    return sum(count > 0 for count in counter.values()), len(counter)


def share(some: int, of: int) -> float:
    return 100 * some / of


def percent(some: int, of: int) -> str:
    return f"{share(some, of):.1f}" if of else ""


def row(name: str, files: Iterable[File]) -> str:
    chosen = list(files)
    lines = [sum(pair) for pair in zip(*(ran(file.lines) for file in chosen), strict=True)]
    branches = [sum(pair) for pair in zip(*(ran(file.branches) for file in chosen), strict=True)]
    return f"| {name} | {lines[1]} | {percent(*lines)} | {percent(*branches)} |"


def ranges(numbers: list[int]) -> str:
    """ "3-5, 8" """
    parts = []
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ", ".join(parts)


def table(ours: dict[str, File], theirs: dict[str, File]) -> str:
    """All of ours, all of Linux's, and each file of which much did not run."""
    both = ours | theirs
    rest = [
        name
        for of, least in ((ours, OURS), (theirs, THEIRS))
        for name in of
        if share(*ran(of[name].lines)) < least
    ]
    rows = ["| file | lines | % ran | % of branches taken |", "|---|---:|---:|---:|"]
    rows += [
        row(f"all {len(ours)} of ours", ours.values()),
        row(f"all {len(theirs)} of Linux's", theirs.values()),
    ]
    rows += [row(f"`{name}`", [both[name]]) for name in rest]
    # those of trace.h are what Linux's macros make of it
    idle = {
        name: [f"`{function}()`" for function, count in file.functions.items() if not count]
        for name, file in ours.items()
        if not name.endswith("trace.h")
    }
    if any(idle.values()):
        rows += ["", "Functions of ours that no test ran:", ""]
        rows += [f"- `{name}`: {', '.join(functions)}" for name, functions in idle.items() if functions]
    return "\n".join(rows) + "\n"


def write(text: Path, new: str) -> None:
    old = text.read_text()
    if BEGIN in old:
        head, rest = old.split(BEGIN, 1)
        text.write_text(head + BEGIN + new + END + rest.split(END, 1)[1])


def main() -> int:
    top, build, tree, counts = (Path(word).resolve() for word in sys.argv[1:5])
    files: Files = defaultdict(File)
    wrong: list[str] = []
    for folder in sorted(counts.iterdir()):
        alone: Files = defaultdict(File)
        read(alone, folder, build)
        if folder.name in PLAIN:
            wrong += [f"not ok: {folder.name}: {one} ran without an extension" for one in not_idle(alone)]
        for path, file in alone.items():
            files[path].count(file)
    # the tests in the kernel are no code that is to be tested
    chosen = {
        path: file for path, file in sorted(files.items()) if not IS_TEST.search(path.stem) and file.lines
    }
    ours, theirs = (
        {below(path): file for path, file in chosen.items() if path.is_relative_to(of / "net/mptcp")}
        for of in (top, tree)
    )
    if not ours:
        print("nothing was counted", file=sys.stderr)
        return 1
    told = table(ours, theirs)
    print(told)
    for name, file in ours.items():
        missing = sorted(number for number, count in file.lines.items() if not count)
        if missing:
            print(f"net/mptcp/{name}: {ranges(missing)}")
    write(top / "Documentation/coverage.md", told)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
