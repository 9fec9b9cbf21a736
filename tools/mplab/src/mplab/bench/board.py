# SPDX-License-Identifier: MIT
"""The scoreboard: in the terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from ..traffic import metrics
from .plan import REFERENCE, Contestant
from .score import BEHIND, Score, Summary, summary

AHEAD = 1 / BEHIND
NOTHING = "-"
UNITS = {
    "_bps": (1e-6, "Mbit/s"), "_s": (1e3, "ms"), "_per_second": (1, "/s"),
    "_bytes": (1e-3, "KB"), "_bytes_sent": (1e-3, "KB"),
}  # fmt: skip
FIRST_COLUMNS, PER_CONTESTANT = 38, 20  # characters
ABOUT = (
    "Ratios: above 1 is better, of times and amounts too. TCP: one TCP connection in our place, on the path"
    " where it does best. ±: half of the range over the seeds. Red: below 0.97."
)


@dataclass(frozen=True)
class Board:
    """All scores, of contestants in this order."""

    contestants: tuple[Contestant, ...]
    scores: tuple[Score, ...]

    def label(self, who: Contestant) -> str:
        """Scheduler and, if there are several, congestion control and kernel."""
        parts = [who.scheduler]
        parts += [who.congestion] if len({c.congestion for c in self.contestants}) > 1 else []
        parts += [who.kernel] if len({c.kernel for c in self.contestants}) > 1 else []
        return ", ".join(parts)

    def rows(self) -> dict[str, dict[Contestant, Score]]:
        """Per scenario the scores of its contestants."""
        rows: dict[str, dict[Contestant, Score]] = {}
        for score in self.scores:
            rows.setdefault(score.entry.name, {})[score.entry.contestant] = score
        return rows

    def is_reference(self, who: Contestant) -> bool:
        """Compared with itself, in every scenario."""
        return all(s.entry.runs == s.entry.reference for s in self.scores if s.entry.contestant == who)

    def failed(self, who: Contestant) -> int:
        return sum(s.ours.failed for s in self.scores if s.entry.contestant == who)

    def without(self) -> str:
        """The runs of TCP that failed, a line; empty: none did."""
        failed = dict.fromkeys(
            f"{s.entry.name}, path {path}: {count} of {len(s.entry.runs)}"
            for s in self.scores
            for path, count in s.tcp_failed
        )
        what = "Runs of TCP that failed, and that the ratios to it are without"
        return f"{what}: {'; '.join(failed)}." if failed else ""

    def summaries(self) -> list[tuple[Contestant, Summary | None, Summary | None]]:
        """Per contestant that of the ratio to TCP, and that of the ratio to the default scheduler."""
        return [
            (
                who,
                summary(who, self.scores, to_tcp=True),
                None if self.is_reference(who) else summary(who, self.scores, to_tcp=False),
            )
            for who in self.contestants
        ]


def amount(value: float | None, measure: str) -> str:
    """A figure in the unit that people read."""
    if value is None:
        return NOTHING
    factor, unit = next(u for end, u in UNITS.items() if measure.endswith(end))
    scaled = value * factor
    return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 1000 else 0}f} {unit}"


def _plain(ratio: float | None) -> str:
    if ratio is None:
        return NOTHING
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0f}"


def _coloured(ratio: float | None, text: str) -> str:
    if ratio is None or BEHIND <= ratio <= AHEAD:
        return text
    return f"[{'red' if ratio < BEHIND else 'green'}]{text}[/]"


def to_tcp(score: Score) -> str:
    """The ratio, and half of its range over the seeds."""
    if score.ours.middle is None:
        return "failed"
    low_high = score.spread
    around = f"±{_plain((low_high[1] - low_high[0]) / 2)}" if low_high else ""
    return _plain(score.to_tcp) + around


SUMMARY_COLUMNS = ("", "relative to", "worst", "in", "5 %", "median", f"< {BEHIND}", "failed")


def _summary_rows(board: Board) -> list[tuple[Summary, list[str]]]:
    """Two rows per contestant: against TCP, and against the default scheduler."""
    rows = []
    for who, *both in board.summaries():
        for against, found in zip(("TCP", REFERENCE), both, strict=True):
            if found:
                ratios = [_plain(r) for r in (found.worst, found.p5, found.median)]
                cells = [board.label(who), against, ratios[0], found.worst_in, *ratios[1:]]
                failed = board.failed(who) or NOTHING
                rows.append((found, [*cells, f"{found.behind} of {found.count}", str(failed)]))
    return rows


def _summary_table(board: Board) -> Table:
    view = Table(title="Over all scenarios", title_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    for heading in SUMMARY_COLUMNS:
        left = heading in ("", "relative to", "in")
        view.add_column(heading, justify="left" if left else "right", overflow="fold")
    for found, cells in _summary_rows(board):
        view.add_row(*cells[:2], _coloured(found.worst, cells[2]), *cells[3:])
    return view


def _scenario_table(board: Board, some: Sequence[Contestant]) -> Table:
    """A row per scenario, under the names of their groups."""
    view = Table(title_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    view.add_column("scenario", overflow="fold", max_width=26)
    view.add_column("best TCP", justify="right", no_wrap=True)
    for who in some:
        view.add_column(f"{board.label(who)}\nof TCP", justify="right")
        if not board.is_reference(who):
            view.add_column("of\ndefault", justify="right")
    group = None
    for name, row in board.rows().items():
        first = next(iter(row.values()))
        if first.entry.scenario.group != group:
            group = first.entry.scenario.group
            view.add_row(f"[bold]{group}[/]")
        cells = [amount(first.tcp, first.entry.scenario.measure)]
        for who in some:
            cells.append(_coloured(row[who].to_tcp, to_tcp(row[who])))
            if not board.is_reference(who):
                cells.append(_coloured(row[who].to_default, _plain(row[who].to_default)))
        view.add_row(name, *cells)
    return view


def show(board: Board, console: Console) -> None:
    """As many contestants beside each other as the terminal is wide."""
    at_once = max(1, (console.width - FIRST_COLUMNS) // PER_CONTESTANT)
    for start in range(0, len(board.contestants), at_once):
        console.print(_scenario_table(board, board.contestants[start : start + at_once]))
    console.print(_summary_table(board))
    console.print(ABOUT, style="dim")
    if failed := board.without():
        console.print(failed)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def markdown(board: Board) -> str:
    """Both tables, to be included in a document."""
    text = _line(SUMMARY_COLUMNS)
    text += _line(["---:" if h in ("worst", *SUMMARY_COLUMNS[4:]) else "---" for h in SUMMARY_COLUMNS])
    for _, (name, *cells) in _summary_rows(board):
        text += _line([f"`{name}`", *cells])
    others = [who for who in board.contestants if not board.is_reference(who)]
    headings = [f"`{board.label(w)}` of TCP" for w in board.contestants]
    headings += [f"`{board.label(w)}` of `{REFERENCE}`" for w in others]
    text += "\n" + _line(["scenario", "best TCP", *headings])
    text += _line(["---", *["---:"] * (len(headings) + 1)])
    for name, row in board.rows().items():
        first = next(iter(row.values()))
        ours = [to_tcp(row[who]) for who in board.contestants]
        ours += [_plain(row[who].to_default) for who in others]
        text += _line([name, amount(first.tcp, first.entry.scenario.measure), *ours])
    about = ABOUT.removesuffix(" Red: below 0.97.")
    failed = f" {without}" if (without := board.without()) else ""
    return f"{text}\n{about} 5 %: from {metrics.PERCENTILES_FROM} scenarios on.{failed}\n"
