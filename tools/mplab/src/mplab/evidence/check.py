# SPDX-License-Identifier: MIT
"""What does not fit together: texts, files, plan and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from . import sources, texts
from .plan import DIRECTORY, EvidenceError, Measured, Plan, load

PAGE = "figures/index.md"
PAGE_SOURCES = re.compile(r"sources ([0-9a-f]{12})")


def _old(what: str, digest: str, now: str, how: str) -> str:
    return (
        f"{what} is from the sources {digest}, which are {now} now: run '{how}', or write in"
        f" Documentation/evidence/{sources.SAME}: {digest} {now} WHY IT CHANGES NO NUMBER"
    )


def _files(plan: Plan, directory: Path, now: str) -> Iterator[str]:
    follows, older = sources.counts_as(directory), sources.known_to_be_older(directory)
    for name, command in plan.commands.items():
        try:
            measured = load(name, directory)
        except EvidenceError as error:
            yield str(error)
            continue
        how = f"make evidence ONLY={name}"
        if measured.command != command:
            yield f"{name}.json is from another command than plan.toml has: run '{how}'"
        if (name, measured.sources) not in older and not sources.is_current(measured.sources, now, follows):
            yield _old(f"{name}.json", measured.sources, now, how)
    for file in sorted(directory.glob("*.json")):
        if file.stem not in plan.commands:
            yield f"{file.name} is not in plan.toml: remove one of them"
    page = directory.parent / PAGE
    if page.exists():
        match = PAGE_SOURCES.search(page.read_text())
        if not match:
            yield f"{PAGE} does not say which sources it is from: run 'make figures' and take its index.md"
        elif (PAGE, match[1]) not in older and not sources.is_current(match[1], now, follows):
            yield _old(PAGE, match[1], now, "make figures")


def problems(plan: Plan, directory: Path = DIRECTORY, top: Path | None = None) -> list[str]:
    """All that is wrong, a line each."""
    top = top or directory.parents[1]
    found = list(_files(plan, directory, sources.digest(top)))

    @cache
    def cached(name: str) -> Measured:
        return load(name, directory)

    used: set[str] = set()
    for document in texts.documents(top):
        text = document.read_text()
        used |= texts.used(text)
        try:
            if texts.renewed(text, plan, cached) != text:
                found.append(
                    f"{document.relative_to(top)} has other numbers than the files: run 'make evidence-texts'"
                )
        except EvidenceError as error:
            found.append(f"{document.relative_to(top)}: {error}")
    found += [f"plan.toml: no document has table {name}" for name in plan.tables if name not in used]
    return found
