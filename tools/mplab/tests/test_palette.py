# SPDX-License-Identifier: MIT
"""The same thing looks the same in all drawings, and nothing else looks like it."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.publish import palette


class Looks(unittest.TestCase):
    def test_all_are_told_apart(self) -> None:
        for table in (palette.SCHEDULERS, palette.CONTROLS):
            colours = {palette.colour(name) for name in table}
            others = {*palette.TCP, *palette.PATHS}
            self.assertEqual(len(colours | others), len(table) + len(others))

    def test_whatever_else_the_label_says(self) -> None:
        for label in (
            "minrtt+rp",
            "minrtt+rp 4 MB",
            "minrtt+rp autotuned",
            "minrtt+rp, lia",
            "minrtt+rp, stock",
        ):
            self.assertEqual(palette.colour(label), palette.SCHEDULERS["minrtt+rp"], label)
        self.assertEqual(palette.colour("lia autotuned"), palette.CONTROLS["lia"])
        self.assertEqual(palette.colour("TCP on path 1, lia"), palette.TCP[0])

    def test_controls_of_one_scheduler_have_other_dashes(self) -> None:
        lines = [palette.line(f"minrtt, {control}")["linestyle"] for control in ("cubic", "lia", "balia")]
        self.assertEqual(len(set(lines)), 3)

    def test_plain_tcp_on_each_path(self) -> None:
        """By colour alone, as bars are, and by dashes alone, as in black and white."""
        for key in ("color", "linestyle"):
            looks = [palette.line(f"TCP on path {number}")[key] for number in range(1, 5)]
            self.assertEqual(len(set(looks)), 4, key)
        beside = [palette.line(f"TCP on path 2, {name}")["linestyle"] for name in ("cubic", "lia")]
        self.assertEqual(len(set(beside)), 2)

    def test_names_that_nobody_knows_have_one_look_each(self) -> None:
        self.assertEqual(palette.line("mine"), palette.line("mine"))
        self.assertNotEqual(palette.line("ewlia, 1/n"), palette.line("ewlia, 1/n²"))


if __name__ == "__main__":
    unittest.main()
