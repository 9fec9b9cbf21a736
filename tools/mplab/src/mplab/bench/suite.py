# SPDX-License-Identifier: MIT
"""A suite: networks, and what is done in them, as data that a researcher copies and edits.

TOML, one table per scenario. Paths, workload, traffic beside it, buffer and sysctls are the texts
of the command line. Documentation/bench.md describes the rest.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import traffic
from ..lab import strict
from ..run.experiment import Conditions
from ..run.plans import check_points
from ..traffic import beside
from ..words import options, units
from ..words.units import UsageError

DIRECTORY = Path(__file__).resolve().parents[3] / "bench"
STANDARD = DIRECTORY / "suite.toml"
LOWER_IS_BETTER = ("_s", "_bytes", "_bytes_sent")
HIGHER_IS_BETTER = ("_bps", "_per_second")
OTHERS = "others_goodput_bps"  # what the traffic beside ours gets, all together

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Scenario:
    """A network, what is done in it, and which figure of the results decides.

    base: conditions of its runs, but for scheduler, congestion control, seed and kernel.
    congestion: these instead of the command line's. alone: the paths, from 1, on which TCP is
    measured to compare with.
    """

    name: str
    group: str
    why: str
    base: Conditions
    measure: str
    congestion: tuple[str, ...]
    alone: tuple[int, ...]
    seeds: int
    quick: bool

    @property
    def higher_is_better(self) -> bool:
        return self.measure.endswith(HIGHER_IS_BETTER)


KINDS = {
    **dict.fromkeys(("group", "why", "workload", "measure", "buffer"), str),
    **dict.fromkeys(("paths", "beside", "sysctls", "congestion", "alone"), list),
    **dict.fromkeys(("seeds", "subflows"), int),
    "quick": bool,
}
NEEDED = ("group", "why", "paths", "workload", "measure")
WORDS = {str: "a text", list: "a list", int: "a whole number", bool: "true or false"}


def read(file: Path) -> dict[str, Table]:
    """The tables of a suite by name, not looked into yet."""
    try:
        tables = tomllib.loads(file.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {getattr(error, 'strerror', '') or 'not a text file'}") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is no TOML: {error}") from None
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise UsageError(f"{file}: '{name}' belongs to no scenario; write [NAME] before its lines")
    if not tables:
        raise UsageError(f"{file}: no scenario in it; write a table [NAME] for each")
    return tables


def _check_kinds(table: Table) -> None:
    for key, value in table.items():
        if key not in KINDS:
            raise UsageError(f"there is no '{key}'; there are {', '.join(KINDS)}")
        kind = KINDS[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise UsageError(f"{key} = {value!r}: write {WORDS[kind]}")
        if kind is list and not all(isinstance(v, int if key == "alone" else str) for v in value):
            raise UsageError(f"{key} = {value!r}: write a list of {'numbers' if key == 'alone' else 'texts'}")
    missing = [key for key in NEEDED if not table.get(key)]
    if missing:
        raise UsageError(f"{' and '.join(missing)} missing")


def _base(table: Table) -> Conditions:
    network, work = tuple(map(strict.parse, table["paths"])), traffic.parse(table["workload"])
    others = tuple(map(beside.parse, table.get("beside", [])))
    check_points([network], work)
    beside.check(others, network, work.direction)
    fields: dict[str, Any] = {"beside": others}
    if "buffer" in table:
        fields["buffer"] = options.buffer(table["buffer"])
    if "subflows" in table:
        fields |= {"topology": "shared", "subflows": table["subflows"]}
    return Conditions(
        network,
        workload=work,
        sysctls=tuple(map(options.sysctl, table.get("sysctls", []))),
        **fields,
    )


def _check_numbers(table: Table) -> None:
    count = len(table["paths"])
    if not table["measure"].endswith((*LOWER_IS_BETTER, *HIGHER_IS_BETTER)):
        ends = ", ".join((*LOWER_IS_BETTER, *HIGHER_IS_BETTER))
        raise UsageError(f"measure '{table['measure']}': its end says which way is better, one of {ends}")
    if not all(1 <= path <= count for path in table.get("alone", [])):
        raise UsageError(f"alone = {table['alone']}: the paths have the numbers 1 to {count}")
    for key in ("seeds", "subflows"):
        if table.get(key, 1) < 1:
            raise UsageError(f"{key} = {table[key]}: write a number from 1")
    if "subflows" in table and count != 1:
        raise UsageError(f"subflows: of one path that they share, and there are {count}")


def scenario(name: str, table: Table) -> Scenario:
    """A table's scenario; UsageError says what is wrong with it."""
    try:
        _check_kinds(table)
        _check_numbers(table)
        base = _base(table)
    except (UsageError, units.UnitError) as error:
        raise UsageError(f"{name}: {str(error).removeprefix('--path ').removeprefix('--')}") from None
    return Scenario(
        name,
        table["group"],
        table["why"],
        base,
        table["measure"],
        tuple(table.get("congestion", ())),
        tuple(table.get("alone", range(1, len(base.paths) + 1))),
        table.get("seeds", 1),
        table.get("quick", False),
    )


def _called(name: str, table: Table) -> set[str]:
    """What --only may say for it: its name, that without a network's number behind it, its group."""
    return {name, name.rpartition(" ")[0], str(table.get("group", ""))} - {""}


def chosen(
    tables: Mapping[str, Table], file: Path, only: Sequence[str] = (), quick: bool = False
) -> list[Scenario]:
    """The scenarios of a suite, or those that are named."""
    known = set().union(*(_called(name, table) for name, table in tables.items()))
    for name in only:
        if name not in known:
            raise UsageError(f"--only {name}: {file.name} has no such scenario or group; --list shows them")
    found = {
        name: table
        for name, table in tables.items()
        if (not only or _called(name, table) & set(only)) and (not quick or table.get("quick") is True)
    }
    if not found:
        raise UsageError(f"{file}: no scenario with 'quick = true'")
    try:
        return [scenario(name, table) for name, table in found.items()]
    except UsageError as error:
        raise UsageError(f"{file}, {error}") from None
