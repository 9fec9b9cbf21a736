# SPDX-License-Identifier: MIT
"""Results of several machines in one directory.

A result is a file named by all that it depends on, so files of one name must say the same: what
is compared is their content, for another version of zlib may pack it differently.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...words.places import writable
from ...words.units import UsageError

NAME = re.compile(r"[0-9a-f]{20}\.json\.gz")


@dataclass(frozen=True)
class Merged:
    """How many results came in, how many were there already, and of which releases they are."""

    new: int
    known: int
    releases: tuple[str, ...]


def _runs(directory: Path) -> Path:
    runs = directory / "runs"
    if not runs.is_dir():
        raise UsageError(f"{directory}: no results in it; name a directory that was --out of a command")
    return runs


def _content(file: Path) -> bytes:
    try:
        return gzip.decompress(file.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{file} is not whole ({error}): remove it, or copy it again") from None


def _release(file: Path, content: bytes) -> str:
    try:
        return str(json.loads(content)["kernel"]["release"])
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{file} is no result of mplab's: remove it") from None


def merge(out: Path, sources: Sequence[Path]) -> Merged:
    """All or nothing: whatever is wrong is found before anything is made."""
    runs = out / "runs"
    kept: dict[str, Path] = {file.name: file for file in runs.glob("*") if NAME.fullmatch(file.name)}
    known, releases, new = len(kept), {}, []
    for source in sources:
        for file in sorted(_runs(source).iterdir()):
            if not NAME.fullmatch(file.name):
                continue
            content = _content(file)
            releases[_release(file, content)] = None
            there = kept.setdefault(file.name, file)
            if there is file:
                new.append(file)
            elif content != _content(there):
                raise UsageError(
                    f"{file} and {there} have the same name, but differ: one of them was not measured by"
                    " this program on this kernel; find out which, and remove it"
                )
    if not releases:
        raise UsageError(f"no results in {', '.join(map(str, sources))}: their runs failed, or are elsewhere")
    writable(runs, option="")
    for file in new:
        copy = runs / f"{file.name}.{os.getpid()}"
        copy.write_bytes(file.read_bytes())
        copy.replace(runs / file.name)
    return Merged(len(new), known, tuple(releases))


def command(args: argparse.Namespace) -> int:
    """Results of several machines in one directory."""
    merged = merge(args.out, args.sources)
    print(
        f"{args.out}: {merged.new} results more, {merged.known} were there;"
        f" of Linux {', '.join(merged.releases)}"
    )
    return 0
