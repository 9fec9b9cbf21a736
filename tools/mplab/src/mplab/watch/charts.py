# SPDX-License-Identifier: MIT
"""A run as three charts above each other, or as a line of text per second."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from ..run.experiment import Conditions
from .canvas import STYLES, Canvas, mark
from .samples import CONNECTION, OUT_OF_ORDER, QUEUES, RECEIVED, Course, Sample, courses, line_name, used

CHARTS = (  # of courses: figure, title, factor
    (RECEIVED, "received, Mbit/s", 1e-6),
    (QUEUES, "queue, KB", 1e-3),
    (OUT_OF_ORDER, "out of order, KB", 1e-3),
)
MARGIN = 9  # characters of the labels on the left
LEAST_ROWS, MOST_ROWS = 2, 12  # of a chart
MANY = 5  # lines, for more of which there is no room to write "path" each time
TOPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)  # of a scale, by powers of ten


def nice(value: float) -> float:
    """The next round number, for the top of a scale."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(n * power for n in TOPS if n * power >= value * (1 - 1e-9))


def number(value: float) -> str:
    """With no more digits than say something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def is_plain(console: Console) -> bool:
    """Whether lines cannot be told apart by colours, or dots not be shown."""
    return console.no_color or console.color_system is None or "utf" not in console.encoding.lower()


class Charts:
    """What was sampled of a run so far, drawn in the size of the terminal."""

    def __init__(self, c: Conditions, title: str, samples: Sequence[Sample]) -> None:
        self._c, self._title, self._samples = c, title, samples

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = (console.height - 3) // len(CHARTS) - 1
        yield from self._drawn(options.max_width, min(max(rows, LEAST_ROWS), MOST_ROWS), is_plain(console))

    def _drawn(self, width: int, rows: int, plain: bool) -> Iterator[Text]:
        now = self._samples[-1].at if self._samples else 0.0
        right = max(self._c.workload.seconds or 0.0, now, 1.0)
        where = f"{now:.1f} s" if self._samples else "the guest starts"
        yield Text(f"{self._title}  {where}", "bold", no_wrap=True, overflow="crop")
        found = courses(self._c, self._samples)
        for figure, title, factor in CHARTS:
            yield from _chart(title, _scaled(found[figure], factor), right, width, rows, plain)
        end = f"{right:g} s"
        yield Text(f"{'0':>{MARGIN + 1}}{end:>{width - MARGIN - 1}}", "dim", no_wrap=True)


def places(names: Sequence[str]) -> list[int]:
    """Of lines among the colours: a path has one wherever it is; what is none has one from the end."""
    others = [name for name in names if not name.isdigit()]
    return [int(n) - 1 if n.isdigit() else len(STYLES) - 1 - others.index(n) for n in names]


def _scaled(lines: Mapping[str, Course], factor: float) -> dict[str, Course]:
    return {name: [(at, factor * value) for at, value in course] for name, course in lines.items()}


def _chart(
    title: str, lines: Mapping[str, Course], right: float, width: int, rows: int, plain: bool
) -> Iterator[Text]:
    """A line with the values of now, which is the key to the colours, too; then the chart."""
    head, found = Text(f"{title}:", no_wrap=True, overflow="crop"), places(list(lines))
    for n, (name, course) in zip(found, lines.items(), strict=True):
        words = name if len(lines) > MANY else line_name(name)
        words = f"{mark(n)}={words}" if plain else words
        value = number(course[-1][1]) if course else "-"
        head.append(f"  {words} {value}", "" if plain else STYLES[n % len(STYLES)])
    yield head
    top = nice(max((value for course in lines.values() for _, value in course), default=0.0))
    canvas = Canvas(max(width - MARGIN, 1), rows, plain)
    for n, course in zip(found, lines.values(), strict=True):
        canvas.draw(course, right, top, n)
    border = "|" if plain else "│"
    for n, row in enumerate(canvas.rows()):
        label = number(top) if n == 0 else "0" if n == rows - 1 else ""
        yield Text.assemble((f"{label:>{MARGIN - 2}} {border}", "dim"), row, no_wrap=True)


def line(c: Conditions, before: Sample, now: Sample) -> str:
    """Of the time from one sample to another, for a file or a pipe."""
    found = courses(c, [before, now])
    parts = []
    for b in used(c):
        name = str(b + 1)
        rate, queue = found[RECEIVED][name][-1][1] / 1e6, now.queues[b] / 1e3
        beside = f", others {found[RECEIVED][f'{name}, others'][-1][1] / 1e6:.2f} Mbit/s" if c.others else ""
        parts.append(f"path {name} {rate:.2f} Mbit/s{beside}, queue {number(queue)} KB")
    waits = {line_name(name): course[-1][1] for name, course in found[OUT_OF_ORDER].items()}
    if CONNECTION in waits:
        parts.append(f"out of order {number(waits[CONNECTION] / 1e3)} KB")
    behind = sum(value for name, value in waits.items() if name != CONNECTION)
    parts.append(f"behind losses {number(behind / 1e3)} KB")
    return f"{now.at:.1f} s: {'; '.join(parts)}"
