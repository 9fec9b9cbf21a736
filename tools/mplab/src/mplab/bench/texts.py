# SPDX-License-Identifier: MIT
"""What a suite says, in the words of the command line, as the fields of a run's conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import units

BESIDE = {"count": "1", "congestion": "reno", "path": "0"}


def beside(texts: Sequence[str]) -> dict[str, Any]:
    """The traffic beside ours: KIND[,KEY=VALUE]..."""
    if not texts:
        return {}
    if len(texts) > 1:
        raise units.UnitError(f"beside {list(texts)}: only one kind of traffic can be beside ours")
    kind, *settings = texts[0].split(",")
    if kind != "tcp":
        raise units.UnitError(f"beside '{kind}': there is tcp")
    values = dict(BESIDE)
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in values or not value:
            raise units.UnitError(f"beside '{setting}': write {', '.join(f'{k}=' for k in BESIDE)}")
        values[key] = value
    return {
        "competing": _whole(values["count"], "count"),
        "competing_congestion": values["congestion"],
        "competing_path": _whole(values["path"], "path"),
    }


def _whole(text: str, what: str) -> int:
    if not text.isdigit():
        raise units.UnitError(f"beside '{what}={text}': write a number")
    return int(text)
