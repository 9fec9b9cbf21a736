# SPDX-License-Identifier: MIT
"""Quantities as people write them: 8mbit, 20ms, 400k, 1%."""

from __future__ import annotations

import re

RATES = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
SIZES = {"": 1, "k": 1000, "m": 10**6}
DIGITS = 18  # of a number, before its point: what is longer can be too long for int() and for a float


class UnitError(ValueError):
    """A quantity that cannot be read; the message says what is wrong and what to write."""


class UsageError(Exception):
    """Something the user can mend; the message says how."""


def is_whole(text: str) -> bool:
    """Digits of ASCII only, and not too many. isdigit() takes more than int() does."""
    return text.isascii() and text.isdecimal() and len(text) <= DIGITS


def _split(text: str, what: str, units: dict[str, float], example: str) -> float:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z%]*)", text.strip().lower())
    if not match:
        raise UnitError(f"{what} '{text}' is not a number with a unit; write {example}")
    number, unit = match.groups()
    if len(number.partition(".")[0]) > DIGITS:
        raise UnitError(f"{what} '{text}' has more than {DIGITS} digits; write {example}")
    if unit not in units:
        missing = f"unknown unit '{unit}'" if unit else "no unit"
        raise UnitError(f"{what} '{text}' has {missing}; write {example}")
    return float(number) * units[unit]


def rate(text: str, what: str = "rate") -> float:
    """Bits per second."""
    value = _split(text, what, RATES, "8mbit")
    if value < 8000:
        raise UnitError(f"{what} '{text}' is below 8kbit, too slow to measure anything")
    if value > 100e9:
        raise UnitError(f"{what} '{text}' is above 100gbit, more than the test bed can limit")
    return value


def seconds(text: str, what: str = "time") -> float:
    """Seconds."""
    return _split(text, what, TIMES, "20ms")


def size(text: str, what: str = "size") -> int:
    """Bytes; k and m are decimal."""
    return int(_split(text, what, SIZES, "400k"))


def percent(text: str, what: str = "loss") -> float:
    """Percent, 0 to below 100."""
    value = _split(text, what, {"%": 1}, "1%")
    if value >= 100:
        raise UnitError(f"{what} '{text}' leaves nothing to measure; write less than 100%")
    return value
