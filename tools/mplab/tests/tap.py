# SPDX-License-Identifier: MIT
"""Tests on the kernel itself, as TAP: checks that are counted, and one closing line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from mplab.lab.guest import GuestError


class Checks:
    """Runs tests and counts what they check."""

    def __init__(self) -> None:
        self.count = self.failed = 0

    def check(self, name: str, good: bool, found: str) -> None:
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}: {found}", flush=True)

    def near(self, name: str, value: float, wanted: float, within: float) -> None:
        """Within a share of what is wanted."""
        off = value / wanted - 1
        self.check(f"{name} within {within:.1%}", abs(off) <= within, f"{value:.4g}, {off:+.3%}")

    def skip(self, name: str, why: str) -> None:
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def all(self, tests: Sequence[Callable[[Self], None]]) -> int:
        """A guest that fails is a test that failed; the rest runs. The exit status."""
        for test in tests:
            try:
                test(self)
            except GuestError as error:
                self.check(test.__name__, False, str(error))
        print(f"1..{self.count}")
        return 1 if self.failed else 0
