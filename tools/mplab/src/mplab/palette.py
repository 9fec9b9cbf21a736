# SPDX-License-Identifier: MIT
"""How things look in all drawings: a scheduler, a congestion control or a path is the same everywhere.

Colours are told apart by most who see fewer (Okabe and Ito, 2008); lines differ by their dashes, too, so that
curves that coincide show.
"""

from __future__ import annotations

import zlib
from typing import TypedDict

TCP = "#000000"
SCHEDULERS = {
    "default": "#0072b2",
    "minrtt": "#e69f00",
    "minrtt+rp": "#d55e00",
    "minrtt+bm": "#b8860b",
    "minrtt+rp+bm": "#8c3b00",
    "inorder": "#009e73",
    "redundant": "#cc79a7",
    "rr": "#56b4e9",
}
CONTROLS = {
    "cubic": "#0072b2",
    "reno": "#7f7f7f",
    "lia": "#e69f00",
    "olia": "#d55e00",
    "balia": "#009e73",
    "wvegas": "#cc79a7",
    "ewlia": "#56b4e9",
}
PATHS = ("#9ecae1", "#fdd0a2", "#c7e9c0", "#dadaeb", "#fcbba1", "#d9d9d9", "#c6dbef", "#fee6ce")
OTHERS = ("#332288", "#117733", "#882255", "#44aa99", "#aa4499", "#999933")
DASHES = ("-", (0, (6, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (2, 1)), (0, (1, 1)), (0, (8, 2, 2, 2)))


class Line(TypedDict):
    color: str
    linestyle: str | tuple[int, tuple[float, ...]]
    linewidth: float


def _known(name: str) -> tuple[str, int] | None:
    """Colour and number of dashes of a name that has a place here."""
    if name.startswith("TCP on path"):
        return TCP, 1
    for table in (CONTROLS, SCHEDULERS):
        if name in table:
            return table[name], list(table).index(name)
    return None


def _look(label: str) -> tuple[str, int]:
    """Of a label as report.grouped() makes it: what its last part is, if that has a place."""
    parts = label.split(", ")
    for part in [label, *reversed(parts)]:
        if found := _known(part):
            return found
    number = zlib.crc32(label.encode())
    return OTHERS[number % len(OTHERS)], number % len(DASHES)


def colour(label: str) -> str:
    return _look(label)[0]


def path(number: int) -> str:
    """Of path `number`, from 1."""
    return PATHS[(number - 1) % len(PATHS)]


def line(label: str) -> Line:
    found, dashes = _look(label)
    return {"color": found, "linestyle": DASHES[dashes % len(DASHES)], "linewidth": 1.3}
