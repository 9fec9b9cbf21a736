# SPDX-License-Identifier: MIT
"""README's first table, measured anew: the same digits in every clone, for every user. Prints TAP.

usage: digits.py [KERNEL]    a directory with 'linux' (default: build/uml)
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import cli
from mplab.evidence import measure, plan, texts
from mplab.lab.guest import Guests
from mplab.run.runner import Runner, Store

TABLE, NAME, JOBS = "first", "wifi-3g", 2


def measured(guests: Guests, published: plan.Measured) -> plan.Measured:
    args = cli.parse(shlex.split(published.command))
    with tempfile.TemporaryDirectory(prefix="mplab.") as store:
        runner = Runner({"patched": guests}, Store(Path(store)), JOBS)
        return measure.measure(published.command, args, guests, runner)


def main() -> int:
    published, table = plan.load(NAME), plan.read().tables[TABLE]
    with Guests(Path(sys.argv[1]) if len(sys.argv) > 1 else None) as guests:
        if changed := published.changed(guests.parts):
            print(f"ok 1 # SKIP {', '.join(changed)} changed since README's table was measured")
            return 4
        found = measured(guests, published)
    rows = [texts.markdown(table, lambda _, one=one: one).splitlines()[2:] for one in (published, found)]
    wrong = 0
    for n, (wanted, got) in enumerate(zip(*rows, strict=True), 1):
        wrong += wanted != got
        print(
            f"{'ok' if wanted == got else 'not ok'} {n} {wanted}",
            *([f"# here: {got}"] if wanted != got else []),
            sep="\n",
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
