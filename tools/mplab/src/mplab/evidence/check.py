# SPDX-License-Identifier: MIT
"""What does not fit together: texts, files, plan and sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..lab import parts
from . import scoreboard, tables, texts
from .plan import DIRECTORY, FIGURES, EvidenceError, Measured, Plan, load

PAGE = "figures/index.md"


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _changed(files: list[tuple[str, Measured]], plan: Plan, now: dict[str, str]) -> Iterator[str]:
    """Of these files, by what changed since and what helps, a line each."""
    groups: dict[tuple[str, str], list[tuple[str, Measured]]] = defaultdict(list)
    for name, measured in files:
        how = f"make evidence ONLY={name}" if name in plan.long else "make evidence"
        groups[", ".join(measured.changed(now)), how].append((name, measured))
    for (what, how), group in groups.items():
        runs, spent = (sum(getattr(m, of) for _, m in group) for of in ("runs", "seconds"))
        more = "" if all(m.seconds for _, m in group) else " or more"
        cost = f" ({runs} runs, {minutes(spent)} of a CPU{more})" if spent else ""
        first = "'mplab evidence confirm', or " if all(m.digits for _, m in group) else ""
        yield f"{what} changed after {', '.join(name for name, _ in group)}: run {first}'{how}'{cost}"


def _files(plan: Plan, directory: Path, now: dict[str, str]) -> Iterator[str]:
    old = []
    for name, command in plan.commands.items():
        try:
            measured = load(name, directory)
        except EvidenceError as error:
            yield str(error)
            continue
        if measured.command != command:
            yield f"{name}.json is from another command than plan.toml has: run 'make evidence ONLY={name}'"
        elif name in plan.once:
            if not measured.changed(now):
                yield f"plan.toml: {name} is of this kernel: take it out of 'once'"
        elif measured.changed(now):
            old.append((name, measured))
    yield from _changed(old, plan, now)
    page = directory.parent / PAGE
    if page.exists():
        changed = parts.changed(parts.from_words(page.read_text()), now)
        if changed and FIGURES not in plan.once:
            how = "run 'make figures' and take its index.md and numbers.csv"
            yield f"{', '.join(changed)} changed after {PAGE}: {how}"
    for file in sorted(directory.glob("*.json")):
        if file.stem not in plan.commands:
            yield f"{file.name} is not in plan.toml: remove one of them"


def _tables(name: Path, text: str) -> Iterator[str]:
    """Measurements that somebody wrote into a text, who does not say what gave them."""
    for table in tables.measured(text):
        if not table.generated and not table.once:
            what = f"numbers of what? Name it in plan.toml, or write above it: {tables.EXAMPLE}"
            yield f"{name}:{table.line}: {what}"


def problems(plan: Plan, directory: Path = DIRECTORY, top: Path | None = None) -> list[str]:
    """All that is wrong, a line each."""
    top = top or directory.parents[1]
    found = list(_files(plan, directory, parts.of(top)))

    @cache
    def cached(name: str) -> Measured:
        return load(name, directory)

    used: set[str] = set()
    for document in texts.documents(top):
        text, name = document.read_text(), document.relative_to(top)
        used |= texts.used(text)
        found += _tables(name, text)
        try:
            if texts.renewed(text, plan, cached) != text:
                found.append(f"{name} has other numbers than the files: run 'make evidence-texts'")
        except EvidenceError as error:
            found.append(f"{name}: {error}")
    board = directory / scoreboard.FILE
    if board.exists() and scoreboard.text(cached) != board.read_text():
        found.append(f"{board.name} has other numbers than the files: run 'make evidence-texts'")
    found += [f"plan.toml: no document has table {name}" for name in plan.tables if name not in used]
    return found
