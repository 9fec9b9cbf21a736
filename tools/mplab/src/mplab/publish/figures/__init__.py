# SPDX-License-Identifier: MIT
"""The thesis' figures (Paasch, "Improving Multipath TCP", 2014) on the real kernel, and some more.

A figure shows those of its schedulers and congestion controls that the kernel has, by name.
"""

from __future__ import annotations

import re

from .base import Figure, Setting, Table
from .davvi import DAVVI
from .delays import DELAYS
from .designed import DESIGNED
from .incast import INCAST
from .moving import MOVING
from .ranges import RANGES
from .recorded import RECORDED
from .reordering import REORDERING
from .sharing import SHARING
from .starting import STARTING
from .sweeps import SWEEPS
from .timers import TIMERS


def _order(figure: Figure) -> tuple[list[int], str]:
    numbers = [int(n) for n in re.findall(r"\d+", figure.name)]
    return (numbers or [99], figure.name)


ALL = [*SWEEPS, *DESIGNED, *DELAYS, *SHARING, *STARTING, *MOVING, *RECORDED, *INCAST, *REORDERING]
FIGURES: dict[str, Figure] = {figure.name: figure for figure in sorted(ALL, key=_order)}
# Those that are no part of the report: they need a web server, or are about no scheduler
ONE_BY_ONE: dict[str, Figure] = {figure.name: figure for figure in [*RANGES, *DAVVI, *TIMERS]}

__all__ = ["FIGURES", "ONE_BY_ONE", "Figure", "Setting", "Table"]
