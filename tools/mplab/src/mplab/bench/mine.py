# SPDX-License-Identifier: MIT
"""A user's own networks in a standard set of workloads: no suite has to be written for them."""

from __future__ import annotations

from pathlib import Path

from ..words.places import lines_of_words
from ..words.units import UsageError
from .suite import DIRECTORY, Table, read

WORKLOADS = DIRECTORY / "mine.toml"


def tables(file: Path) -> dict[str, Table]:
    """Of a suite, by its name's end, or of a file with networks."""
    if file.suffix == ".toml":
        return read(file)
    return {
        f"{name} {number}": {**table, "group": f"network {number}: {' + '.join(texts)}", "paths": texts}
        for number, texts in enumerate(_networks(file), 1)
        for name, table in read(WORKLOADS).items()
    }


def _networks(file: Path) -> list[list[str]]:
    """A network per line: its paths, with spaces between. One path on each line: it is one network."""
    found = [words for _, words in lines_of_words(file)]
    if not found:
        raise UsageError(f"{file}: no network in it; write one per line: its paths, with spaces between")
    return [[line[0] for line in found]] if all(len(line) == 1 for line in found) else found
