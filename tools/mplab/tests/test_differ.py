# SPDX-License-Identifier: MIT
"""Two kernels differ if their results are ranked otherwise than by chance."""

from __future__ import annotations

import contextlib
import io
import sys
import unittest
from dataclasses import replace
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import commands
from mplab.lab.paths import parse
from mplab.research import differ
from mplab.run.experiment import Conditions, Result
from mplab.traffic import Blocks

PATH = parse("8mbit,20ms,80ms")


def by_hand(first: list[float], second: list[float]) -> float:
    """Over all divisions of the values, one by one."""
    values, n = [*first, *second], len(first)
    ranks = [sum(w < v for w in values) + (values.count(v) + 1) / 2 for v in values]
    middle = n * sum(ranks) / len(ranks)
    ways = [abs(sum(way) - middle) for way in combinations(ranks, n)]
    return sum(way >= abs(sum(ranks[:n]) - middle) - 1e-9 for way in ways) / len(ways)


def results(kernel: str, rates: list[float], scheduler: str = "default", blocks: bool = False) -> list:
    work = {"workload": Blocks()} if blocks else {}
    c = Conditions((PATH,), scheduler, kernel=kernel, **work)  # type: ignore[arg-type]
    return [
        Result(replace(c, seed=n), ({"goodput_bps": 1e6 * rate, "delay_p50_s": 0.02},), (1,), {}, {})
        for n, rate in enumerate(rates)
    ]


class Chance(unittest.TestCase):
    def test_known_values(self) -> None:
        """Mann and Whitney's table: of five against five all on one side is 2 of 252."""
        self.assertAlmostEqual(differ.chance([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]), 2 / 252)
        self.assertEqual(differ.chance([1, 4], [2, 3]), 1)

    def test_as_by_hand(self) -> None:
        for first, second in (
            ([1, 2, 3, 7], [4, 5, 6, 8, 9]),
            ([1, 1, 1, 1], [1, 1, 1, 1]),
            ([1, 2, 2, 3], [2, 3, 3, 9]),
            ([5, 1, 3], [2, 8, 8, 8, 1]),
        ):
            self.assertAlmostEqual(differ.chance(first, second), by_hand(first, second), 12)

    def test_who_looks_often_finds_something(self) -> None:
        found = [differ.Difference(str(n), "", 0, 0, p) for n, p in enumerate((0.03, 0.01, 0.04, 0.5))]
        self.assertEqual([round(d.p, 6) for d in differ.corrected(found)], [0.09, 0.04, 0.09, 0.5])


class Kernels(unittest.TestCase):
    def found(self, first: list[Result], second: list[Result]) -> dict[tuple[str, str], bool]:
        return {(d.who, d.figure): d.is_real for d in differ.between(first, second)}

    def test_more_than_seeds(self) -> None:
        low, high = [1.0, 1.2, 1.1, 1.3, 1.4], [2.0, 2.2, 2.1, 2.3, 2.4]
        mixed = [1.05, 1.15, 1.35, 1.25, 0.9]
        first = results("a", low) + results("a", low, "rr")
        second = results("b", high) + results("b", mixed, "rr") + results("b", low, "minrtt")
        self.assertEqual(
            self.found(first, second), {("default", "goodput Mbit/s"): True, ("rr", "goodput Mbit/s"): False}
        )

    def test_the_figures_of_the_workload(self) -> None:
        """Those that all runs have."""
        first, second = (results(name, [1.0] * 5, blocks=True) for name in "ab")
        self.assertEqual(
            self.found(first, second), {("default", "goodput Mbit/s"): False, ("default", "p50 ms"): False}
        )

    def said(self, count: int) -> str:
        rates = [1.0 + n for n in range(count)]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            commands._compare_kernels(results("a", rates) + results("b", [9 + rate for rate in rates]))
        return said.getvalue()

    def test_the_table(self) -> None:
        self.assertRegex(self.said(5), r"default +│ goodput Mbit/s +│ +3.00 │ +12.00 │ +0.008 │ differ")
        self.assertIn("That needs --repeat 5 or more", self.said(4))

    def test_too_few_runs_for_so_many_figures(self) -> None:
        first, second = (
            [r for n in range(7) for r in results(name, [shift + i for i in range(5)], f"s{n}")]
            for name, shift in (("a", 1.0), ("b", 9.0))
        )
        found = differ.between(first, second)
        self.assertFalse(any(d.is_real for d in found))
        self.assertIn("a larger --repeat can", str(differ.table(found, "a", "b").caption))

    def test_one_kernel_is_compared_with_none(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            commands._compare_kernels(results("a", [1.0] * 5))
        self.assertEqual(said.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
