# SPDX-License-Identifier: MIT
"""Lines in a terminal: in dots of braille characters, eight of which share a cell, or else in digits."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

STYLES = ("blue", "yellow", "green", "cyan", "red", "bright_blue", "bright_yellow", "bright_green", "magenta")
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # of a cell: left, right; from the top
BLANK = 0x2800
Points = Sequence[tuple[float, float]]


class Canvas:
    """So many characters wide and high. plain: a digit per line, where dots or colours cannot be shown."""

    def __init__(self, columns: int, rows: int, plain: bool = False) -> None:
        self._across, self._up = (1, 1) if plain else (2, 4)
        self._plain, self._wide, self._high = plain, columns * self._across, rows * self._up
        self._cells = [[0] * columns for _ in range(rows)]
        self._owners = [[0] * columns for _ in range(rows)]

    def _dot(self, x: int, y: int, line: int) -> None:
        """y counts from the bottom."""
        if not (0 <= x < self._wide and 0 <= y < self._high):
            return
        row, up = divmod(self._high - 1 - y, self._up)
        column, right = divmod(x, self._across)
        self._cells[row][column] |= DOTS[right][up]
        self._owners[row][column] = line

    def draw(self, points: Points, right: float, top: float, line: int) -> None:
        """A line from point to point, on a plane from 0 to `right` and `top`."""
        places = [(round(x / right * (self._wide - 1)), round(y / top * (self._high - 1))) for x, y in points]
        for (x, y), (x2, y2) in zip(places, places[1:] or places, strict=False):
            steps = max(abs(x2 - x), abs(y2 - y), 1)
            for n in range(steps + 1):
                self._dot(x + round((x2 - x) * n / steps), y + round((y2 - y) * n / steps), line)

    def rows(self) -> list[Text]:
        return [self._row(*row) for row in zip(self._cells, self._owners, strict=True)]

    def _row(self, cells: Sequence[int], owners: Sequence[int]) -> Text:
        text = Text()
        for dots, line in zip(cells, owners, strict=True):
            if self._plain:
                text.append(mark(line) if dots else " ")
            else:
                text.append(chr(BLANK + dots), STYLES[line % len(STYLES)] if dots else "")
        return text


def mark(line: int) -> str:
    """Of a line, where there are no colours."""
    return str((line + 1) % 10)
