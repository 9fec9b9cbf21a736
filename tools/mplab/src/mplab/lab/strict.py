# SPDX-License-Identifier: MIT
"""Paths as people write them: what paths.parse() would pass over without a word is an error.

Here, for the players in the guests have that module too: numbers of links that change would be old after an
edit of it, though all came out as before.
"""

from __future__ import annotations

from ..words import units
from . import paths
from .paths import Path


def parse(text: str) -> Path:
    """As paths.parse()."""
    path = paths.parse(text)
    if any(field.startswith("step=") for field in text.split(",")) and not _has_steps(path):
        raise units.UnitError(
            f"--path {text}: step is the time between numbers of a file; models and Mahimahi's files have"
            " their own: leave it out"
        )
    return path


def _has_steps(path: Path) -> bool:
    """Does a series of it have those that the user may choose?"""
    every = (path.trace, path.rtt_trace, path.loss_trace)
    return any(series and series.file and not series.mahimahi for series in every)
