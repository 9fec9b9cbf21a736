# SPDX-License-Identifier: MIT
"""Numbers in the documents: tables and single ones, between markers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..lab.parts import TOP
from .plan import EvidenceError, Measured, Plan, Table

MARKED = re.compile(r"(<!-- evidence: (.+?) -->)(.*?)(<!-- /evidence -->)", re.DOTALL)
NOTHING = ""  # in a table, what was not measured
FORMATS = (  # how a figure is written, by the end of its name
    ("share", lambda v: f"{100 * v:.0f} %"),
    ("benefit", lambda v: f"{v:+.2f}"),
    ("_ms", lambda v: f"{v:.0f}"),
    ("_packets", lambda v: f"{v:.0f}"),
    ("", lambda v: f"{v:.2f}" if abs(v) < 100 else f"{v:.0f}"),
)
MINUS_NOTHING = re.compile(r"-(0(\.0+)?)(?!\.?\d)")
Load = Callable[[str], Measured]


def documents(top: Path = TOP) -> list[Path]:
    pages = [page for where in ("*.md", "research/*.md") for page in (top / "Documentation").glob(where)]
    return [top / "README.md", *sorted(pages)]


def shown(figure: str, value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or NOTHING
    text = next(write for end, write in FORMATS if figure.endswith(end))(value)
    return MINUS_NOTHING.sub(r"\1", text)


def _cell(table: Table, column: int, subject: str, load: Load) -> str:
    wanted = table.columns[column]
    measured = load(wanted.source)
    names = [pattern.replace("{}", subject) for pattern in wanted.subjects]
    cells = [shown(figure, measured.value(name, figure)) for name in names for figure in wanted.show]
    return ", ".join(cells) if any(cells) else NOTHING


def markdown(table: Table, load: Load) -> str:
    """The table, subjects as rows or as columns."""
    first = table.columns[0]
    subjects = table.subjects or [(name, name) for name in load(first.source).having(first.show)]
    labels = [label for label, _ in subjects]
    body = [[_cell(table, i, subject, load) for i in range(len(table.columns))] for _, subject in subjects]
    others = [column.label for column in table.columns]
    if not table.down:
        labels, others, body = others, labels, [list(row) for row in zip(*body, strict=True)]
    rows = [[label, *cells] for label, cells in zip(labels, body, strict=True)]
    # a label may itself be several cells: their number is the first column's
    lead = table.head.count("|") + 1
    return _grid(f" {table.head} ", lead, others, rows)


def _grid(head: str, lead: int, others: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """head: of the first column, which may itself be several: lead."""
    lines = [f"|{head}| " + " | ".join(others) + " |"]
    lines.append("|" + "|".join(["---"] * lead + ["---:"] * len(others)) + "|")
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _whole(measured: Measured) -> str:
    """All that was measured: a row for each subject, a column for each figure."""
    figures = list(dict.fromkeys(figure for of in measured.values.values() for figure in of))
    rows = [
        [subject, *(shown(figure, measured.value(subject, figure)) for figure in figures)]
        for subject in measured.values
    ]
    return _grid(f" {measured.head} " if measured.head else " ", 1, figures, rows)


def _note(names: Iterable[str], plan: Plan, load: Load) -> str:
    """Below a table that has numbers of an older kernel."""
    commits: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        if name in plan.once:
            commits.setdefault(load(name).commit, []).append(f"`{name}`")
    if not commits:
        return ""
    said = "; ".join(f"{', '.join(old)} at commit {commit}" for commit, old in commits.items())
    return f"\nMeasured once, on an older kernel: {said}. Commands: Documentation/evidence/plan.toml.\n"


def _text(what: str, plan: Plan, load: Load) -> str:
    """What stands between a pair of markers."""
    if what in plan.tables:
        table = plan.tables[what]
        return f"\n{markdown(table, load)}\n{_note((c.source for c in table.columns), plan, load)}"
    name, _, rest = what.partition(" ")
    if name not in plan.commands:
        raise EvidenceError(f"plan.toml has no table and no measurement '{name}'")
    if not rest:
        return f"\n{_whole(load(name))}\n{_note([name], plan, load)}"
    subject, _, figure = rest.rpartition(" ")
    value = load(name).value(subject, figure)
    if value is None:
        raise EvidenceError(f"{name}.json has no '{figure}' of '{subject}'")
    once = f" (commit {load(name).commit})" if name in plan.once else ""
    return shown(figure, value) + once


def renewed(text: str, plan: Plan, load: Load) -> str:
    """A document with the numbers as they are."""
    return MARKED.sub(lambda m: f"{m[1]}{_text(m[2], plan, load)}{m[4]}", text)


def used(text: str) -> set[str]:
    """The tables and measurements that a document takes something from."""
    found = {m[2] for m in MARKED.finditer(text)}
    return found | {what.partition(" ")[0] for what in found}
