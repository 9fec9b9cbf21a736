# SPDX-License-Identifier: MIT
"""What to compare with: one TCP connection in our place, with all else as it is."""

from __future__ import annotations

from dataclasses import replace

from ..experiment import TCP, Conditions


def alone(c: Conditions, path: int) -> Conditions:
    """TCP over one of the paths, counted from 1, beside the same traffic."""
    if c.topology == "shared":
        return replace(c, scheduler=TCP, subflows=1)
    others = c.competing if c.competing_path in (0, path) else 0
    return replace(c, scheduler=TCP, paths=(c.paths[path - 1],), competing=others, competing_path=0)
