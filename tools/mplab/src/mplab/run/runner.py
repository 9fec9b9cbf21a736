# SPDX-License-Identifier: MIT
"""Many runs: side by side, with what is known already left out, and nothing lost.

Each result is a file of its own, named by its key, written as soon as it is there. A plan that is
interrupted goes on where it stopped; one that grows measures what is new. A run that fails is
tried once more, then reported as failed and left for the next time; one that ran out of time is not
tried again.
"""

from __future__ import annotations

import gzip
import json
import os
import queue
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from ..lab.guest import GuestError, Guests, OutOfTime
from .experiment import Conditions, Result, key, measure

Outcome = Mapping[Conditions, Result]
Measure = Callable[[Guests, Conditions, int | None], Result]


@dataclass(frozen=True)
class Failure:
    """A run that failed, and why."""

    conditions: Conditions
    reason: str


def twice(
    guests: Guests, c: Conditions, cpu: int | None = None, how: Measure | None = None
) -> Result | Failure:
    """Measure; what fails is tried once more, but not what would take as long again."""
    how = how or measure
    try:
        return how(guests, c, cpu)
    except OutOfTime as error:
        return Failure(c, str(error))
    except GuestError as error:
        print(f"mplab: again, because: {error}", file=sys.stderr)
    try:
        return how(guests, c, cpu)
    except GuestError as error:
        return Failure(c, str(error))


def numbers(result: Result) -> Result:
    """Without what has many values, such as samples over time: it is on disk, and takes 0.2 MB a run."""
    flows = [{k: v for k, v in f.items() if isinstance(v, int | float) or v is None} for f in result.flows]
    return replace(result, flows=tuple(flows))


class Store:
    """Results on disk: OUT/runs/KEY.json.gz."""

    def __init__(self, directory: Path) -> None:
        self.runs = directory / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)

    def _file(self, c: Conditions, kernel_id: str) -> Path:
        return self.runs / f"{key(c, kernel_id)}.json.gz"

    def load(self, c: Conditions, kernel_id: str) -> Result | None:
        try:
            raw = json.loads(gzip.decompress(self._file(c, kernel_id).read_bytes()))
            return Result.from_json(c, raw)
        except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
            return None  # not there, or not whole: measure it

    def save(self, result: Result) -> None:
        text = json.dumps(result.as_json()).encode()
        path = self._file(result.conditions, result.kernel["build"])
        write_whole(path, gzip.compress(text, compresslevel=5, mtime=0))


def write_whole(path: Path, data: bytes) -> None:
    """Whole or not at all, whenever we are interrupted, and whoever else writes the same."""
    new = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    try:
        new.write_bytes(data)
    except OSError as error:  # of a full disk, which does not say where
        new.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    new.replace(path)


class Runner:
    """Measures plans on one or more kernels, known by their labels.

    lean: hand out what is one number only, so that a plan may have 100,000 runs.
    timed: are `seconds` those of this machine's CPUs?
    """

    timed = True

    def __init__(self, kernels: Mapping[str, Guests], store: Store, jobs: int, lean: bool = False) -> None:
        self.kernels, self.store, self.jobs, self.lean = kernels, store, jobs, lean
        self.failures: list[Failure] = []
        # so far: the parts of the kernel that its runs need; how many of them were not in the store, and
        # the seconds of CPUs that those took
        self.parts = set[str]()
        self.measured, self.seconds = 0, 0.0
        allowed = sorted(os.sched_getaffinity(0))
        self._cpus: queue.SimpleQueue[int] = queue.SimpleQueue()
        for n in range(jobs):
            self._cpus.put(allowed[n % len(allowed)])

    def run(self, plan: Iterable[Conditions], what: str = "measuring") -> dict[Conditions, Result]:
        """All results that could be had, in the order of the plan."""
        wanted = list(dict.fromkeys(plan))
        self.parts.update(*(c.parts for c in wanted))
        results = {c: r for c in wanted if (r := self._known(c))}
        missing = [c for c in wanted if c not in results]
        if missing:
            begin = time.monotonic()
            results |= self._measure_all(missing, len(results), what)
            self.measured += len(missing)
            self.seconds += (time.monotonic() - begin) * min(self.jobs, len(missing))
        return {c: results[c] for c in wanted if c in results}

    def _known(self, c: Conditions) -> Result | None:
        found = self.store.load(c, self.kernels[c.kernel].identity(c.parts))
        return numbers(found) if found and self.lean else found

    def outcome(self, c: Conditions, cpu: int) -> Result | Failure:
        """Of a run that is not known yet."""
        return twice(self.kernels[c.kernel], c, cpu)

    def _one(self, c: Conditions) -> Result | Failure:
        cpu = self._cpus.get()
        try:
            outcome = self.outcome(c, cpu)
        finally:
            self._cpus.put(cpu)
        if isinstance(outcome, Result):
            self.store.save(outcome)
        return outcome

    def _outcomes(self, missing: Sequence[Conditions]) -> Iterator[Result | Failure]:
        """Measure, and hand out each outcome as it comes; what is not begun when we are left is not."""
        pool = ThreadPoolExecutor(self.jobs)
        try:
            for future in as_completed([pool.submit(self._one, c) for c in missing]):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _measure_all(self, missing: Sequence[Conditions], known: int, what: str) -> dict[Conditions, Result]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        console = Console(stderr=True)
        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        results = {}
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task(what, total=known + len(missing), completed=known)
            for outcome in self._outcomes(missing):
                progress.advance(task)
                if isinstance(outcome, Failure):
                    self.failures.append(outcome)
                    print(f"mplab: failed: {outcome.reason}", file=sys.stderr)
                else:
                    results[outcome.conditions] = numbers(outcome) if self.lean else outcome
                    if not console.is_terminal:
                        self._say(what, known + len(results), known + len(missing), outcome)
        return results

    @staticmethod
    def _say(what: str, done: int, total: int, result: Result) -> None:
        """Progress for a log file."""
        if done % max(total // 10, 1) == 0 or total <= 20:
            c = result.conditions
            rate = f"{c.scheduler}, {c.congestion}: {result.goodput / 1e6:.2f} Mbit/s"
            print(f"mplab: {what}: {done} of {total}: {rate}", file=sys.stderr)


def exit_status(failures: Sequence[Failure]) -> int:
    """Of a call, which says so if runs failed."""
    if failures:
        what = f"{len(failures)} run{'s' if len(failures) > 1 else ''} failed"
        print(f"mplab: {what}; the next call tries again", file=sys.stderr)
    return 1 if failures else 0
