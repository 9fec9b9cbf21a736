# SPDX-License-Identifier: MIT
"""Runs one after another, each drawn while it runs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.live import Live

from ..lab.guest import GuestError, Guests
from ..run.experiment import Conditions, Result
from ..run.report import who
from ..run.runner import Failure
from .charts import Charts, line
from .measure import sampled
from .samples import Reader, Sample, per_second, used

LOOK = 0.05  # seconds of the host's time between two looks at what the guest wrote


@dataclass
class Outcome:
    """What came of the runs. stopped: what was seen of the one that was interrupted, in words."""

    results: list[Result] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    stopped: str = ""


class View:
    """Of one run: charts in a terminal, else a line per second of the guest's time."""

    def __init__(self, c: Conditions, title: str, console: Console) -> None:
        self._c, self._title, self._console = c, title, console
        self._draws = console.is_terminal and not console.is_dumb_terminal
        self._told: Sample | None = None
        self.samples: list[Sample] = []

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        if not self._draws:
            self._say(self._title)
            yield
            return
        with Live(get_renderable=self._charts, console=self._console, refresh_per_second=10):
            yield

    def _say(self, text: str) -> None:
        print(text, file=self._console.file, flush=True)

    def _charts(self) -> Charts:
        return Charts(self._c, self._title, list(self.samples))

    def add(self, new: Sequence[Sample]) -> None:
        self.samples += new
        if self._draws or not new:
            return
        for before, now in per_second([self._told, *new] if self._told else new):
            self._say(line(self._c, before, now))
            self._told = now
        self._told = self._told or new[0]

    def so_far(self) -> str:
        """What the receiver got on each path; with headers, as it is what its devices count."""
        if len(self.samples) < 2:
            return "nothing was sampled yet"
        first, last = self.samples[0], self.samples[-1]
        rates = {
            b + 1: 8 * (last.received[b] - first.received[b]) / (last.at - first.at) / 1e6
            for b in used(self._c)
        }
        each = ", ".join(f"path {path} {rate:.2f}" for path, rate in rates.items())
        return f"in {last.at:.1f} s: {sum(rates.values()):.2f} Mbit/s with headers ({each})"


def _due(waiting: list[Sample], since: float | None, speed: float | None) -> int:
    """How many of them may be shown: of the guest's time, `speed` seconds in each of ours."""
    if speed is None or since is None:
        return len(waiting)
    seen = (time.monotonic() - since) * speed
    return sum(sample.at <= seen for sample in waiting)


def follow(measure: Callable[[], Result], reader: Reader, view: View, speed: float | None = None) -> Result:
    """Show what comes while it is measured. The guest does not wait for us."""
    pool = ThreadPoolExecutor(1)
    waiting: list[Sample] = []
    since: float | None = None
    try:
        measuring = pool.submit(measure)
        with view.shown():
            while True:
                ended = measuring.done()  # asked first: what is read afterwards is all
                waiting += reader.new()
                if waiting and since is None:
                    since = time.monotonic()
                count = _due(waiting, since, speed)
                view.add(waiting[:count])
                del waiting[:count]
                if ended and not waiting:
                    return measuring.result()
                time.sleep(LOOK)
    finally:
        pool.shutdown(wait=False)


def _title(c: Conditions, number: int, count: int) -> str:
    place = f"  run {number} of {count}" if count > 1 else ""
    return f"{who(c)}, {c.congestion}, {c.workload.name}, seed {c.seed}, kernel {c.kernel}{place}"


def watch(
    kernels: Mapping[str, Guests], wanted: Sequence[Conditions], room: Path, console: Console,
    speed: float | None = None,
) -> Outcome:  # fmt: skip
    """room: a directory that is there until the guests have ended."""
    found = Outcome()
    for number, c in enumerate(wanted, 1):
        directory = room / str(number)
        directory.mkdir()
        view = View(c, _title(c, number, len(wanted)), console)
        try:
            result = follow(
                lambda c=c, directory=directory: sampled(kernels[c.kernel], c, directory),
                Reader(directory), view, speed,
            )  # fmt: skip
        except GuestError as error:
            found.failures.append(Failure(c, str(error)))
        except KeyboardInterrupt:
            found.stopped = f"{who(c)}, {view.so_far()}"
            break
        else:
            found.results.append(result)
    return found
