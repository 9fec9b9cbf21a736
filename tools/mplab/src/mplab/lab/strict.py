# SPDX-License-Identifier: MIT
"""Paths as people write them: what paths.parse() would pass over without a word is an error.

Here, for the players in the guests have that module too: numbers of links that change would be old after an
edit of it, though all came out as before.
"""

from __future__ import annotations

import re

from ..words import units
from . import paths, synthetic
from .paths import Path

QUEUE = re.compile(r"queue=(.*)@.*")  # that becomes another
SEED = re.compile(rf"[a-z-]*trace=(({'|'.join(synthetic.MODELS)}):(.*))")
WHOLE = re.compile(r"(mtu|initcwnd)=(.*)")


def parse(text: str) -> Path:
    """As paths.parse()."""
    fields = text.split(",")
    try:
        _check_numbers(fields)
    except units.UnitError as error:
        raise units.UnitError(f"--path {text}: {error}") from None
    path = paths.parse(text)
    if any(field.startswith("step=") for field in fields) and not _has_steps(path):
        raise units.UnitError(
            f"--path {text}: step is the time between numbers of a file; models and Mahimahi's files have"
            " their own: leave it out"
        )
    return path


def _check_numbers(fields: list[str]) -> None:
    """Those that have to be whole."""
    for queue in [*fields[2:3], *(found[1] for field in fields if (found := QUEUE.fullmatch(field)))]:
        packets = queue.removesuffix("p")
        if packets != queue and not (units.is_whole(packets) and int(packets) > 1):
            raise units.UnitError(f"queue '{queue}': write at least 2p, or a time, for example 80ms")
    for field in fields:
        if (found := SEED.fullmatch(field)) and not units.is_whole(found[3]):
            raise units.UnitError(
                f"trace '{found[1]}': write a number for the seed, for example {found[2]}:1"
            )
        if (found := WHOLE.fullmatch(field)) and not units.is_whole(found[2]):
            raise units.UnitError(f"{found[1]} '{found[2]}': write a whole number")


def _has_steps(path: Path) -> bool:
    """Does a series of it have those that the user may choose?"""
    every = (path.trace, path.rtt_trace, path.loss_trace)
    return any(series and series.file and not series.mahimahi for series in every)
