# SPDX-License-Identifier: MIT
"""mplab striping: tables of the sources beside what is measured here, in Markdown."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import asked
from ..guest import Guests
from ..units import UsageError
from .run import measure_all
from .tables import TABLES, Table


def _print(table: Table, guests: Guests, store: Path, jobs: int, few: bool) -> None:
    """Each case once, though several rows may show it; a row as soon as it is there."""
    rows = table.rows(few)
    cases = list(dict.fromkeys(case for row in rows for case in row.cases))
    print(f"\n{table.title}\n")
    said = [
        n for n in range(len(table.figures)) if any(row.theirs[n : n + 1] not in ((), ("",)) for row in rows)
    ]
    heads = list(table.figures)
    columns = [f"{heads[n]}, theirs" for n in said] + heads
    print("| |" + "".join(f" {head} |" for head in columns))
    print("|---|" + "---:|" * len(columns))
    outcomes, found = measure_all(guests, cases, store, jobs), {}
    waiting = iter(cases)
    for row in rows:
        while any(case not in found for case in row.cases):
            found[next(waiting)] = next(outcomes)
        theirs = [row.theirs[n] if len(row.theirs) > n else "" for n in said]
        ours = [show(row.cases, [found[case] for case in row.cases]) for show in table.figures.values()]
        print(f"| {row.label} |" + "".join(f" {value} |" for value in theirs + ours), flush=True)


def run(args: argparse.Namespace) -> int:
    """mplab striping [NAME...]"""
    names = {table.name: table for table in TABLES}
    if not args.names:
        for table in TABLES:
            print(f"{table.name:24} {table.title}")
        return 0
    for name in args.names:
        if name not in names and name != "all":
            raise UsageError(f"no table '{name}': 'mplab striping' lists them")
    asked.programs("nft", "tc", "ip")
    chosen = list(names) if "all" in args.names else list(dict.fromkeys(args.names))
    with asked.guests([args.kernel], args) as kernels:
        for name in chosen:
            _print(names[name], kernels[args.kernel], args.out, args.jobs, args.quick)
    return 0
