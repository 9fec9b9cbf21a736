# SPDX-License-Identifier: MIT
"""plan.toml: what is measured, and the tables made of it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..lab import parts
from ..lab.parts import TOP
from ..run import programs

DIRECTORY = TOP / "Documentation" / "evidence"
ALL = "all"  # as a table's subjects
FIGURES = "figures"  # in "once", all of them
Values = Mapping[str, Mapping[str, float | str]]  # subject (a scheduler, a row), figure: value


class EvidenceError(Exception):
    """Something in the files that does not fit together; the message says what to do."""


@dataclass(frozen=True)
class Column:
    """Some figures of a measurement. subjects: their names there, {} for the table's."""

    label: str
    source: str
    show: tuple[str, ...]
    subjects: tuple[str, ...] = ("{}",)


@dataclass(frozen=True)
class Table:
    """subjects: label and name of each; none: all that have the figures of the first column.
    down: a row for each of them, otherwise a column."""

    head: str
    subjects: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    down: bool = False


@dataclass(frozen=True)
class Measured:
    """What NAME.json holds. commit: of the tree; parts: of the kernel, and programs: inside the guest, that
    the runs needed, with their digests; runs: how many; seconds: of CPUs that all of them took, 0: not
    known; head: what subjects are; digits: of each run, see runs.py. confirmed: how many runs were made
    again at that commit and gave the same digits; then "measured" is the commit of all runs."""

    command: str
    commit: str
    parts: Mapping[str, str]
    values: Values
    runs: int = 0
    seconds: int = 0
    head: str = ""
    programs: Mapping[str, str] = field(default_factory=dict)
    digits: str = ""
    confirmed: int = 0
    measured: str = ""

    def changed(self, now: Mapping[str, str]) -> list[str]:
        """The parts of a kernel and the programs that are not what they were."""
        others = [name for name, then in self.programs.items() if programs.digest(name) != then]
        return [*parts.changed(self.parts, now), *(f"program {name}" for name in others)]

    def value(self, subject: str, figure: str) -> float | str | None:
        """None: not measured for that one."""
        return self.values.get(subject, {}).get(figure)

    def having(self, figures: Sequence[str]) -> list[str]:
        """The subjects of which all these are known."""
        return [name for name, of in self.values.items() if set(figures) <= set(of)]


@dataclass(frozen=True)
class Plan:
    """long: names of those commands that take too long to be run unless they are named. once: of those
    whose numbers are of an older kernel, as the texts say beside them, until they are named."""

    commands: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    long: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()

    def usual(self) -> list[str]:
        """The names of the other commands: what is neither waited for nor known to be older."""
        return [name for name in self.commands if name not in self.long | self.once]


def _pair(subject: str | list[str]) -> tuple[str, str]:
    return (f"`{subject}`", subject) if isinstance(subject, str) else (subject[0], subject[1])


def _several(names: str | list[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _column(raw: Mapping[str, Any], default: Mapping[str, Any]) -> Column:
    merged = {**default, **raw}
    return Column(
        merged["label"], merged["from"], _several(merged["show"]), _several(merged.get("subject", "{}"))
    )


def _table(name: str, raw: Mapping[str, Any]) -> Table:
    default = {key: raw[key] for key in ("from", "show", "subject") if key in raw}
    try:
        columns = tuple(_column(column, default) for column in raw["figures"])
        subjects = () if raw["subjects"] == ALL else tuple(_pair(subject) for subject in raw["subjects"])
        return Table(raw.get("head", ""), subjects, columns, raw.get("subjects-are", "rows") == "rows")
    except KeyError as error:
        raise EvidenceError(f"plan.toml: table {name} lacks {error}") from None


def read(directory: Path = DIRECTORY) -> Plan:
    """The plan, all of whose tables are made of what it measures."""
    try:
        raw = tomllib.loads((directory / "plan.toml").read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise EvidenceError(f"{directory}/plan.toml: {error}") from None
    tables = {name: _table(name, table) for name, table in raw.get("tables", {}).items()}
    long = raw.get("measure-long", {})
    commands = {**raw.get("measure", {}), **long}
    for name, table in tables.items():
        for column in table.columns:
            if column.source not in commands:
                raise EvidenceError(f"plan.toml: table {name} takes '{column.source}', which is not measured")
    once = frozenset(raw.get("once", ()))
    if unknown := sorted(once - commands.keys() - {FIGURES}):
        raise EvidenceError(f"plan.toml: once names {', '.join(unknown)}, which is not measured")
    return Plan(commands, tables, frozenset(long), once)


def load(name: str, directory: Path = DIRECTORY) -> Measured:
    file = directory / f"{name}.json"
    try:
        raw = json.loads(file.read_text())
        return Measured(**raw)
    except (OSError, ValueError, TypeError):
        how = f"make evidence ONLY={name}"
        raise EvidenceError(f"{file.name} is missing or not whole: run '{how}'") from None


def no_longer_once(name: str, directory: Path = DIRECTORY) -> None:
    """Measured anew: out of the list, which has a line for each."""
    file = directory / "plan.toml"
    head, mark, rest = file.read_text().partition("\nonce = [\n")
    listed, end, others = rest.partition("]\n")
    file.write_text(head + mark + listed.replace(f'    "{name}",\n', "") + end + others)


def save(name: str, measured: Measured, directory: Path = DIRECTORY) -> None:
    """One line per subject, so that a change shows in a diff."""
    rows = ",\n".join(f"  {json.dumps(s)}: {json.dumps(figures)}" for s, figures in measured.values.items())
    head = {key: value for key, value in vars(measured).items() if key != "values"}
    text = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    (directory / f"{name}.json").write_text(f'{{\n{text},\n "values": {{\n{rows}\n }}\n}}\n')
