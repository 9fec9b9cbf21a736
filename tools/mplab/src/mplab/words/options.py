# SPDX-License-Identifier: MIT
"""Settings of a run as people write them, on the command line and in a suite of the bench."""

from __future__ import annotations

import re

from . import units


def buffer(text: str) -> int:
    """Limit of send and receive buffers, in bytes."""
    value = units.size(text, "--buffer")
    if not 8000 <= value <= 2 * 10**9:
        raise units.UnitError(f"--buffer '{text}': write a size from 8k to 2000m")
    return value


def sysctl(text: str) -> tuple[str, str]:
    """NAME=VALUE, the name as sysctl(8) takes it: its place below /proc/sys/net, and the value."""
    name, equals, value = (part.strip() for part in text.partition("="))
    path = re.sub(r"^net[./]", "", name)
    path = path if "/" in path else path.replace(".", "/")
    if not (equals and value.isprintable() and value and re.fullmatch(r"\w+(/[\w-][\w.-]*)+", path)):
        raise units.UnitError(f"--sysctl '{text}': write NAME=VALUE, for example mptcp.ewlia_weight=8")
    return path, value
