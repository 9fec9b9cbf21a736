# SPDX-License-Identifier: MIT
"""Figures as files: PNG and SVG, the numbers as CSV, and one page that shows all of them."""

from __future__ import annotations

import csv
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from ..run import report
from ..run.experiment import Conditions, Result
from ..run.runner import Failure
from ..run.table import write_csv
from . import plot
from .figures import Figure, Setting, Table
from .figures.remarks import REMARKS

STYLE = """\
body { font-family: sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0 }
td, th { border-bottom: 1px solid #ddd; padding: .2rem .6rem; text-align: right }
td:first-child, th:first-child { text-align: left }
img { max-width: 100% } code { background: #f2f2f2; padding: .1rem .3rem }
section { margin-bottom: 3rem } .failed { color: #a00 }
"""


@dataclass(frozen=True)
class Drawn:
    """A figure that was made: its file, its numbers, how many runs it shows and lacks."""

    figure: Figure
    image: Path
    table: Table
    runs: int
    failed: int
    caption: str


def draw(
    figure: Figure, s: Setting, results: Mapping[Conditions, Result], failures: Sequence[Failure],
    directory: Path,
) -> Drawn:  # fmt: skip
    """Every run as a row of a CSV file, then the images."""
    wanted = figure.plan(s)
    mine = {c: results[c] for c in wanted if c in results}
    failed = [f for f in failures if f.conditions in set(wanted)]
    drawing = plot.canvas()
    drawing.suptitle(f"{figure.name}: {figure.title}", fontsize=10, x=0.01, ha="left")
    write_csv(directory / f"{figure.name}.csv", mine.values(), failed)
    table = figure.draw(s, mine, drawing)
    image, text = directory / f"{figure.name}.png", caption(figure, list(mine.values()))
    for older in (image, image.with_suffix(".svg")):
        older.unlink(missing_ok=True)
    drawing.supxlabel(fill(text, 150), fontsize=6.5, x=0.01, ha="left")
    plot.attempt(image.name, lambda: plot.save(drawing, image))
    return Drawn(figure, image, table, len(mine), len(failed), text)


def caption(figure: Figure, results: Sequence[Result]) -> str:
    """How to read the drawing, and what it is from."""
    works = list(dict.fromkeys(report.describe(r.conditions.workload) for r in results))
    what = works[0] if len(works) == 1 else f"{len(works)} workloads"
    seeds = sorted({r.conditions.seed for r in results}) or [0]
    which = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    return " ".join(filter(None, [figure.caption, f"{len(results)} runs, {what}, {which}."]))


def _said(figure: Figure) -> str:
    """What others report, and why ours is not the same."""
    source = figure.reports[:1].upper() + figure.reports[1:]
    return " ".join(filter(None, [source and f"{source}.", REMARKS.get(figure.name, "")]))


def _heading(drawn: Drawn, how: str) -> str:
    """What there is to say of a figure, around its picture."""
    figure = drawn.figure
    said = "\n".join(filter(None, [_said(figure), how]))
    failed = f"\n\n{drawn.failed} runs failed and are missing." if drawn.failed else ""
    return f"### {figure.name}: {figure.title}\n\n![{figure.name}]({drawn.image.name})\n\n{said}{failed}\n"


def markdown(drawn: Drawn) -> str:
    """What the figure shows, as text, with all numbers."""
    header, rows = drawn.table.header, drawn.table.rows
    lines = [
        "| " + " | ".join(header) + " |",
        "|" + "|".join(["---", *["---:"] * (len(header) - 1)]) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return _heading(drawn, drawn.caption) + "\n" + "\n".join(lines) + "\n"


def numbers(path: Path, drawn: Sequence[Drawn]) -> None:
    """All numbers of all figures: a line each."""
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("figure", "row", "column", "value"))
        for d in drawn:
            for name, *cells in d.table.rows:
                of = zip(d.table.header[1:], cells, strict=False)
                out.writerows((d.figure.name, name, column, value) for column, value in of if value)


def write(path: Path, drawn: Sequence[Drawn], commands: Mapping[str, str], about: str) -> None:
    """One HTML page with all figures; the same as Markdown beside it, without the captions, which pictures
    have, and without the numbers; and a file of these."""
    numbers(path.with_name("numbers.csv"), drawn)
    sections = "\n".join(_section(d, commands[d.figure.name]) for d in drawn)
    path.write_text(
        "<!doctype html><meta charset=utf-8><title>Multipath TCP on the real kernel</title>"
        f"<style>\n{STYLE}</style><h1>Multipath TCP on the real kernel</h1>"
        f"<p>{html.escape(about)}</p>\n{sections}\n"
    )
    text = [f"# Figures\n\n{about}\n"]
    for d in drawn:
        how = d.caption.removeprefix(d.figure.caption).strip()
        text.append(_heading(d, how))
    path.with_suffix(".md").write_text("\n".join(text))


def _section(drawn: Drawn, command: str) -> str:
    figure, cells = drawn.figure, drawn.table
    head = "".join(f"<th>{html.escape(h)}" for h in cells.header)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(c)}" for c in row) for row in cells.rows)
    failed = f"<p class=failed>{drawn.failed} runs failed and are missing." if drawn.failed else ""
    return (
        f"<section id={figure.name}><h2>{figure.name}: {html.escape(figure.title)}</h2>"
        f"<img src={drawn.image.name} alt='{figure.name}'>"
        f"<p>{html.escape(drawn.caption)}"
        f"<p>{html.escape(_said(figure))}"
        f"<table><tr>{head}{rows}</table>{failed}"
        f"<p>{drawn.runs} runs: <code>{html.escape(command)}</code>,"
        f" <a href={figure.name}.csv>every run</a>, <a href={figure.name}.svg>SVG</a></section>"
    )
