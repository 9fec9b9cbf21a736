# SPDX-License-Identifier: MIT
"""Files that a user names: directories for results, lists to read."""

from __future__ import annotations

import argparse
import datetime
import os
from pathlib import Path

from .units import UsageError


def writable(directory: Path) -> Path:
    """Find out before the measurement, not after it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {directory}: {error.strerror}") from None
    if not os.access(directory, os.W_OK):
        raise UsageError(f"--out {directory}: not writable")
    return directory


def lines_of_words(file: Path) -> list[tuple[int, list[str]]]:
    """The number and the words of each line that has some; what follows a # is a comment."""
    try:
        lines = [line.split("#")[0].split() for line in file.read_text().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {getattr(error, 'strerror', '') or 'not a text file'}") from None
    return [(number, line) for number, line in enumerate(lines, 1) if line]


def for_call(args: argparse.Namespace) -> tuple[Path, Path]:
    """Where this call's results go, and where what was measured is kept.

    Without --out, a new directory each: no call overwrites another's results. `last` leads to the
    newest. What was measured lies above, for all of them.
    """
    if args.out:
        return writable(args.out), args.out
    above, name = writable(args.place), datetime.datetime.now().strftime("%Y-%m-%d-%H%M%S")
    taken = len(list(above.glob(f"{name}*")))
    own = above / (f"{name}-{taken + 1}" if taken else name)
    own.mkdir()
    new = above / f".last.{os.getpid()}"
    new.symlink_to(own.name)
    new.replace(above / "last")
    return own, above


def written(*files: Path) -> None:
    """Say where the results are."""
    print("written:", ", ".join(os.path.relpath(p) for p in files if p.exists()))
