# SPDX-License-Identifier: MIT
"""Which of our programs a run has inside its guest, and when such a one is another."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import traffic
from mplab.lab import paths
from mplab.research.striping import run as striping
from mplab.research.striping import tables
from mplab.run import programs
from mplab.run.experiment import Conditions
from mplab.traffic import beside

STILL, MOVING = paths.parse("8mbit,20ms,80ms"), paths.parse("8mbit,20ms,80ms,down@5s")
ALWAYS = {"guest", "hosts", "instant"}


class Used(unittest.TestCase):
    def test_what_the_traffic_needs(self) -> None:
        for work, others, path, found in (
            ("bulk", (), STILL, {"bulk"}),
            ("bulk", (), MOVING, {"bulk", "player"}),
            ("bulk", ("udp,rate=1mbit",), STILL, {"bulk", "datagrams"}),
            ("davvi", (), STILL, {"davvi"}),
            ("iperf3", (), STILL, set()),
        ):
            c = Conditions((path,), workload=traffic.parse(work), beside=tuple(map(beside.parse, others)))
            self.assertEqual(programs.used([c]), ALWAYS | found, work)

    def test_each_kind_of_traffic_has_programs_that_are_there(self) -> None:
        for kind in traffic.KINDS.values():
            for name in programs.used([Conditions((MOVING,), workload=kind())]):
                self.assertTrue(programs.digest(name), name)

    def test_striping(self) -> None:
        cases = [case for row in tables.TABLES[0].rows(True) for case in row.cases]
        used = striping.used(cases)
        self.assertIn("striping", used)
        self.assertTrue(all(map(programs.digest, used)))


class Digests(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        top = Path(directory.name)
        self.room = top / "inside"
        self.room.mkdir()
        (self.room / "__main__.py").write_text("")
        (self.room / "a.py").write_text('"""What."""\nfrom .b import x\n')
        (self.room / "b.py").write_text("from . import c\nx = 1  # so many\n")
        (self.room / "c.py").write_text("y = 1\n")
        for name, value in ("INSIDE", self.room), ("TOP", top):
            patched = mock.patch.object(programs, name, value)
            patched.start()
            self.addCleanup(patched.stop)

    def digest(self) -> str:
        programs.digest.cache_clear()
        self.addCleanup(programs.digest.cache_clear)
        return programs.digest("a")

    def test_code_of_all_that_it_takes_from(self) -> None:
        before = self.digest()
        (self.room / "b.py").write_text("from . import c\n# a remark\n\nx = 1\n")
        self.assertEqual(self.digest(), before)
        (self.room / "c.py").write_text("y = 2\n")
        self.assertNotEqual(self.digest(), before)

    def test_none(self) -> None:
        (self.room / "a.py").unlink()
        self.assertEqual(self.digest(), "")


if __name__ == "__main__":
    unittest.main()
