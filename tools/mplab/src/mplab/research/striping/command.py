# SPDX-License-Identifier: MIT
"""mplab striping: tables of the sources beside what is measured here, in Markdown."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...lab.guest import Guests
from ...run import asked
from ...words.units import UsageError
from .case import Case
from .run import measure_all
from .tables import TABLES, Table


def cases(table: Table, few: bool = False) -> list[Case]:
    """Each once, though several rows may show it."""
    return list(dict.fromkeys(case for row in table.rows(few) for case in row.cases))


def measured(
    table: Table, guests: Guests, store: Path, jobs: int, few: bool = False
) -> Iterator[tuple[str, dict[str, str]]]:
    """A row as soon as it is there: its label, and its cells by their headings."""
    rows, wanted = table.rows(few), cases(table, few)
    heads = list(table.figures)
    said = [n for n in range(len(heads)) if any(row.theirs[n : n + 1] not in ((), ("",)) for row in rows)]
    outcomes, found = measure_all(guests, wanted, store, jobs), {}
    waiting = iter(wanted)
    for row in rows:
        while any(case not in found for case in row.cases):
            found[next(waiting)] = next(outcomes)
        theirs = {f"{heads[n]}, theirs": row.theirs[n] if len(row.theirs) > n else "" for n in said}
        ours = [show(row.cases, [found[case] for case in row.cases]) for show in table.figures.values()]
        yield row.label, theirs | dict(zip(heads, ours, strict=True))


def _print(table: Table, guests: Guests, store: Path, jobs: int, few: bool) -> None:
    print(f"\n{table.title}\n")
    for n, (label, cells) in enumerate(measured(table, guests, store, jobs, few)):
        if not n:
            print("| |" + "".join(f" {head} |" for head in cells))
            print("|---|" + "---:|" * len(cells))
        print(f"| {label} |" + "".join(f" {value} |" for value in cells.values()), flush=True)


def named(names: Sequence[str]) -> list[Table]:
    """These, or all."""
    known = {table.name: table for table in TABLES}
    for name in names:
        if name not in known and name != "all":
            raise UsageError(f"no table '{name}': 'mplab striping' lists them")
    return [known[name] for name in (known if "all" in names else dict.fromkeys(names))]


def run(args: argparse.Namespace) -> int:
    """mplab striping [NAME...]"""
    chosen = named(args.names)
    if not chosen:
        for table in TABLES:
            print(f"{table.name:24} {table.title}")
        return 0
    asked.programs("nft", "tc", "ip")
    with asked.guests([args.kernel], args) as kernels:
        for table in chosen:
            _print(table, kernels[args.kernel], args.out, args.jobs, args.quick)
    return 0
