# SPDX-License-Identifier: MIT
"""Files that a user names: directories for results, lists to read."""

from __future__ import annotations

import argparse
import datetime
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .units import UsageError


def writable(directory: Path, option: str = "--out ") -> Path:
    """Find out before the measurement, not after it. option: empty if none names it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{option}{directory}: {error.strerror}") from None
    if not os.access(directory, os.W_OK):
        raise UsageError(f"{option}{directory}: not writable")
    return directory


def lines_of_words(file: Path) -> list[tuple[int, list[str]]]:
    """The number and the words of each line that has some; what follows a # is a comment."""
    try:
        lines = [line.split("#")[0].split() for line in file.read_text().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {getattr(error, 'strerror', '') or 'not a text file'}") from None
    return [(number, line) for number, line in enumerate(lines, 1) if line]


@contextmanager
def for_call(args: argparse.Namespace) -> Iterator[tuple[Path, Path]]:
    """Where this call's results go, and where what was measured is kept.

    Without --out, a new directory each: no call overwrites another's results. In the end `last` leads
    to it, or it is gone if there are none. What was measured lies above, for all of them.
    """
    if args.out:
        yield writable(args.out), args.out
        return
    above = writable(args.place)
    own = _new(above)
    try:
        yield own, above
    finally:
        _end(own)


def _new(above: Path) -> Path:
    """Another call may begin in the same second."""
    name = datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    own, number = above / name, 1
    while True:
        try:
            own.mkdir()
            return own
        except FileExistsError:
            number += 1
            own = above / f"{name}-{number}"


def _end(own: Path) -> None:
    if not own.is_dir():
        return
    if not any(own.iterdir()):
        own.rmdir()
        return
    new = own.parent / f".last.{os.getpid()}"
    new.symlink_to(own.name)
    new.replace(own.parent / "last")


def written(*files: Path) -> None:
    """Say where the results are; what is not there was not made."""
    if not (there := [p for p in files if p.exists()]):
        return
    where = os.path.relpath(os.path.commonpath(p.parent.absolute() for p in there))
    print(f"written to {where}: {', '.join(os.path.relpath(p, where) for p in there)}")
