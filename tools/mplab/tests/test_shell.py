# SPDX-License-Identifier: MIT
"""The shell of the guest, and one command in its place."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import paths, shell


class Scripts(unittest.TestCase):
    def test_a_command_finds_what_the_shell_has(self) -> None:
        """Network, orders over time, and the server of iperf3."""
        wifi = [paths.parse("8mbit,20ms,80ms,down@8s")]
        with tempfile.TemporaryDirectory() as name:
            both = [shell._script(wifi, None, argv, Path(name)) for argv in ([], ["true"])]
        same = os.path.commonprefix(both)
        self.assertIn("iperf3 -s -D", same)
        rest = both[1].removeprefix(same).splitlines()
        self.assertEqual(rest[-1], "exec ip netns exec client true")
        self.assertEqual(len(rest), 2)  # and its PATH


if __name__ == "__main__":
    unittest.main()
