# SPDX-License-Identifier: MIT
"""Kinds of things with settings, as people write them: NAME[,KEY=VALUE]...

A kind is a dataclass whose fields say how their values are written. What is wrong with a text is
said together with what may be written instead.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, field
from textwrap import fill, wrap
from typing import Any, TypeVar

from . import units
from .units import UsageError

Kind = TypeVar("Kind")
WIDTH, INDENT = 79, " " * 4  # of what is explained


def _setting(
    default: Any, read: Callable[[str, str], Any], write: Callable[[Any], str], key: str, shown: str = ""
) -> Any:
    """shown: what may be written, if that is a few words."""
    return field(default=default, metadata={"read": read, "write": write, "key": key, "shown": shown})


def _from(
    read: Callable[[str, str], Any], least: float, write: Callable[[Any], str]
) -> Callable[[str, str], Any]:
    """Refuses what is less."""

    def checked(text: str, what: str) -> Any:
        value = read(text, what)
        if value < least:
            raise UsageError(f"{what}={text} is below {write(least)}, the least for")
        return value

    return checked


def span(default: float, least: float = 0.0, key: str = "") -> Any:
    """A time in seconds."""
    return _setting(default, _from(units.seconds, least, _span), _span, key)


def _span(value: float) -> str:
    return f"{value:g}s"


def octets(default: int, least: int = 1) -> Any:
    """A size in bytes."""
    return _setting(default, _from(units.size, least, str), str, "")


def number(default: int, least: int = 1) -> Any:
    return _setting(default, _from(_whole, least, str), str, "")


def _whole(text: str, what: str) -> int:
    if not units.is_whole(text):
        raise units.UnitError(f"{what} '{text}': write a whole number")
    return int(text)


def speed(default: float, zero: bool = False) -> Any:
    """A rate in bit/s; zero: 0 has a meaning of its own."""
    return _setting(default, _speed_or_zero if zero else units.rate, _speed, "")


def _speed(value: float) -> str:
    if not value:
        return "0"
    unit = next(unit for unit in ("gbit", "mbit", "kbit", "bit") if value >= units.RATES[unit])
    return f"{value / units.RATES[unit]:.15g}{unit}"


def _speed_or_zero(text: str, what: str) -> float:
    return 0.0 if text == "0" else units.rate(text, what)


def frequency(default: float) -> Any:
    """How often, at most 100,000; 0 has a meaning of its own."""

    def read(text: str, what: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1e5:
            raise units.UnitError(f"{what} '{text}': write a number from 0 to 100000")
        return value

    return _setting(default, read, "{:g}".format, "")


def choice(default: str, *others: str) -> Any:
    """One of some words."""
    words = (default, *others)

    def read(text: str, what: str) -> str:
        if text not in words:
            raise units.UnitError(f"{what} '{text}': write {' or '.join(words)}")
        return text

    return _setting(default, read, str, "", "|".join(words))


def word(default: str) -> Any:
    """A name that others know."""

    def read(text: str, what: str) -> str:
        if not text.isidentifier():
            raise units.UnitError(f"{what} '{text}' is no name")
        return text

    return _setting(default, read, str, "")


def yes_no(default: bool) -> Any:
    def read(text: str, what: str) -> bool:
        if text not in ("yes", "no"):
            raise units.UnitError(f"{what} '{text}': write yes or no")
        return text == "yes"

    words = ("yes", "no") if default else ("no", "yes")
    return _setting(default, read, lambda value: "yes" if value else "no", "", "|".join(words))


def several_speeds(*default: float) -> Any:
    """Rates in bit/s, with slashes between them."""

    def read(text: str, what: str) -> tuple[float, ...]:
        return tuple(sorted(units.rate(rate, what) for rate in text.split("/")))

    return _setting(default, read, lambda rates: "/".join(map(_speed, rates)), "")


def keys(kind: type) -> dict[str, Field[Any]]:
    """The fields by what people call them."""
    return {f.metadata["key"] or f.name: f for f in dataclasses.fields(kind)}


def parse(kinds: Mapping[str, type[Kind]], text: str, option: str, **given: object) -> Kind:
    """A thing from its text. given: values of further fields, which win."""
    name, *settings = text.split(",")
    if name not in kinds:
        raise UsageError(f"{option} {name}: there are {', '.join(kinds)}")
    kind, values = kinds[name], {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"{option}: '{setting}' is not KEY=VALUE")
        values |= _value(kind, name, key, value, option)
    made = kind(**{**values, **given})
    wrong = getattr(made, "wrong", lambda: "")()
    if wrong:
        raise UsageError(f"{option} {text}: {wrong}")
    return made


def _value(kind: type, name: str, key: str, text: str, option: str) -> dict[str, Any]:
    known = keys(kind)
    if key not in known:
        raise UsageError(f"{option}: {name} has no '{key}'; it has {', '.join(known)}")
    try:
        return {known[key].name: known[key].metadata["read"](text, key)}
    except UsageError as error:
        raise UsageError(f"{option}: {error} {name}") from None
    except units.UnitError as error:
        raise units.UnitError(f"{option} {name}: {error}") from None


def text(thing: Any, whole: bool = False) -> str:
    """As parse() takes it: the name, and what is not by default, or the whole."""
    said = [thing.name]
    for key, each in keys(type(thing)).items():
        value = getattr(thing, each.name)
        if whole or value != each.default:
            said.append(f"{key}={each.metadata['write'](value)}")
    return ",".join(said)


def explained(kinds: Mapping[str, type]) -> str:
    """Each kind as it may be written, with the defaults, and what it says of itself."""
    return "\n\n".join(f"{_form(name, kind)}\n{_of_itself(kind)}" for name, kind in kinds.items())


def _form(name: str, kind: type) -> str:
    known = keys(kind).items()
    words = [f"{key}={f.metadata['shown'] or f.metadata['write'](f.default)}" for key, f in known]
    return "\n".join(wrap(", ".join([name, *words]), WIDTH, subsequent_indent=INDENT)).replace(", ", ",")


def _of_itself(kind: type) -> str:
    said = (" ".join(each.split()) for each in (inspect.getdoc(kind) or "").split("\n\n"))
    return "\n".join(fill(each, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT) for each in said)
