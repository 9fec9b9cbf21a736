# SPDX-License-Identifier: MIT
"""What came of a test on machines, as TAP with the time."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field

from machine import Machine


@dataclass
class Results:
    """So far."""

    passed: int = 0
    failed: int = 0
    began: float = field(default_factory=time.monotonic)

    def say(self, text: str) -> None:
        """A line that says how far it is."""
        print(f"# {time.monotonic() - self.began:4.0f} s  {text}", flush=True)

    def that(self, what: str, holds: bool, why: str = "") -> None:
        """One result."""
        self.passed += holds
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} {self.passed + self.failed} {what}", flush=True)
        if not holds and why:
            print("\n".join(f"# {line}" for line in why.splitlines()[-40:]), flush=True)

    def selftests(self, machine: Machine, least: int, settings: str = "") -> None:
        """The kselftests, on a machine as it came; settings of make choose some."""
        self.say("kselftests")
        command = f"cd ~/mptcp && KSFT_MACHINE_SLOW=yes make -C selftests run_tests {settings} 2>&1"
        got = machine.wait(machine.begin(command), 3600).output
        lines = got.splitlines()
        wrong = [n for n, line in enumerate(lines) if re.match(r"(# )?not ok", line)]
        # with what was seen there
        told = [line for n in wrong for line in lines[n : n + 3]]
        passed = len(re.findall(r"^(?:# )?ok \d+ (?!.*# SKIP)", got, re.M))
        what = f"kselftests: {passed} passed, {len(wrong)} failed"
        self.that(what, passed > least and not wrong, "\n".join(told) or got)

    def end(self) -> int:
        """The last lines, and the exit status."""
        print(f"1..{self.passed + self.failed}")
        print(f"{self.passed} passed, {self.failed} failed, 0 skipped")
        return 1 if self.failed else 0
