# SPDX-License-Identifier: MIT
"""How things look in all drawings: a scheduler, a congestion control or a path is the same everywhere.

Colours are told apart by most who see fewer (Okabe and Ito, 2008); lines differ by their dashes, too, so that
curves that coincide show.
"""

from __future__ import annotations

import re
import zlib
from typing import TypedDict

TCP = ("#000000", "#595959", "#8c8c8c", "#b3b3b3")  # on path 1, 2, ...
SCHEDULERS = {
    "default": "#0072b2",
    "minrtt": "#e69f00",
    "minrtt+rp": "#d55e00",
    "minrtt+bm": "#b8860b",
    "minrtt+rp+bm": "#8c3b00",
    "inorder": "#009e73",
    "redundant": "#cc79a7",
    "rr": "#56b4e9",
    "minrtt+rs": "#a6761d",
    "blest": "#7570b3",
    "ecf": "#e7298a",
    "sttf": "#66a61e",
    "stms": "#1b9e77",
    "edpf": "#386cb0",
    "pet": "#80b1d3",
    "wrr": "#a65628",
    "replay": "#666666",
    "weighted": "#bf5b17",
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


def _look(label: str) -> tuple[str, int]:
    """Colour and number of dashes. A label may hold more than a name: "minrtt, lia", "minrtt 4 MB".

    A scheduler, or the path of plain TCP, gives the colour and the dashes, a congestion control beside it
    other dashes.
    """
    words = re.split(r"[, ]+", label)
    schedulers = [word for word in words if word in SCHEDULERS]
    controls = [word for word in words if word in CONTROLS]
    if on_path := re.match(r"TCP on path (\d+)", label):
        number = int(on_path[1])
        dashes = list(CONTROLS).index(controls[0]) if controls else number
        return TCP[(number - 1) % len(TCP)], dashes
    if schedulers:
        dashes = list(CONTROLS).index(controls[0]) if controls else list(SCHEDULERS).index(schedulers[0])
        return SCHEDULERS[schedulers[0]], dashes
    number = zlib.crc32(label.encode())
    if controls:
        dashes = list(CONTROLS).index(controls[0]) if label == controls[0] else number
        return CONTROLS[controls[0]], dashes
    return OTHERS[number % len(OTHERS)], number


def colour(label: str) -> str:
    return _look(label)[0]


def path(number: int) -> str:
    """Of path `number`, from 1."""
    return PATHS[(number - 1) % len(PATHS)]


def line(label: str) -> Line:
    found, dashes = _look(label)
    return {"color": found, "linestyle": DASHES[dashes % len(DASHES)], "linewidth": 1.3}
