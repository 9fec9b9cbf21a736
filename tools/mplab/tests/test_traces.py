# SPDX-License-Identifier: MIT
"""Recorded and invented links as series, and as the steps that the kernel takes."""

from __future__ import annotations

import itertools
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import paths, synthetic, traces
from mplab.lab.traces import LOSS, RATE, RTT
from mplab.run import experiment
from mplab.words import units

MS = traces.MS
NUMBER = itertools.count()  # of files: what one held is remembered


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def file(self, content: str, name: str = "") -> str:
        path = self.dir / (name or f"trace{next(NUMBER)}")
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        return str(path)


class Rates(Scratch):
    def test_a_second_a_line(self) -> None:
        series = traces.load(self.file("# made up\n8\n0\n1.5  # slow\n"), RATE)
        self.assertEqual((series.seconds, series.mahimahi), (3, False))
        self.assertAlmostEqual(series.rate(1514), 9.5e6 / 3)
        steps = list(series.steps(1514))
        self.assertEqual(sum(duration for duration, _ in steps), 3 * 1000 * MS)
        self.assertEqual([sum(b for _, b in steps[i : i + 10]) for i in (0, 10, 20)], [1_000_000, 0, 187_500])

    def test_rounding_loses_no_bytes(self) -> None:
        series = traces.load(self.file("0.333\n" * 1000), RATE, 0.01)
        self.assertEqual(sum(b for _, b in series.steps(1514)), 416_250)

    def test_steps_fit_the_kernel(self) -> None:
        series = traces.load(self.file("100000\n"), RATE, 60)
        self.assertTrue(all(0 < d < 2**32 and b < 2**32 for d, b in series.steps(1514)))

    def test_what_is_wrong_is_named(self) -> None:
        for content, kind, message in (
            ("8\nfast\n", RATE, "line 2: 'fast' is no number in Mbit/s"),
            ("-8\n", RATE, "line 1: '-8' is no number"),
            ("# nothing\n", RTT, "no number in it; write one a line, in ms"),
            ("0\n0\n", RATE, "carries nothing"),
            ("200\n100001\n7\n", RATE, "100001 Mbit/s; the most is 100000"),
            ("101\n", LOSS, "101 %; the most is 100"),
        ):
            with self.subTest(content), self.assertRaises(units.UnitError) as caught:
                traces.load(self.file(content), kind)
            self.assertIn(message, str(caught.exception))
        with self.assertRaisesRegex(units.UnitError, "write at least 10ms"):
            traces.load(self.file("20\n"), RTT, 0.005)


class Mahimahi(Scratch):
    def test_a_frame_per_line(self) -> None:
        series = traces.load(self.file("0\n3\n3\n1500\n"), RATE)
        self.assertEqual((series.seconds, series.mahimahi), (1.5, True))
        self.assertAlmostEqual(series.rate(1514), 4 * 1514 * 8 / 1.5)
        steps = list(series.steps(1514))
        self.assertEqual(steps[:3], [(MS, 1514), (MS, 0), (MS, 2 * 1514)])
        self.assertEqual(steps[-1], (MS, 1514))
        self.assertEqual(sum(duration for duration, _ in steps), 1500 * MS)

    def test_told_from_rates(self) -> None:
        for content, mahimahi in (("1\n5\n2000\n", True), ("5\n1\n2000\n", False), ("10\n10\n10\n", False)):
            with self.subTest(content):
                series = traces.load(self.file(content), RATE)
                self.assertEqual(series.mahimahi, mahimahi)


class Identity(Scratch):
    def test_content_and_name_but_not_the_place(self) -> None:
        here = [paths.parse(f"trace={self.file('8', 'a/x.txt')},20ms,80ms")]
        here.append(paths.parse(f"trace={self.file('8', 'b/x.txt')},20ms,80ms"))
        here.append(paths.parse(f"trace={self.file('9', 'c/x.txt')},20ms,80ms"))
        keys = [experiment.key(experiment.Conditions((path,)), "build") for path in here]
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[0], keys[2])
        self.assertEqual(here[0], here[1])
        shown = str(experiment.Conditions((here[0],)).as_json())
        self.assertNotIn(str(self.dir), shown)
        self.assertIn(here[0].trace.digest, shown)

    def test_a_bare_name_is_one_of_the_project(self) -> None:
        path = paths.parse("trace=03-starlink,40ms,200ms")
        self.assertIn("03-starlink", str(path))
        self.assertEqual(path.queue_bytes, int(path.rate * 0.2 / 8))


class Synthetic(unittest.TestCase):
    def test_a_seed_is_a_link(self) -> None:
        for model in synthetic.MODELS:
            with self.subTest(model):
                one, other = synthetic.make(model, 1), synthetic.make(model, 2)
                synthetic.make.cache_clear()
                self.assertEqual(one, synthetic.make(model, 1))
                self.assertNotEqual(one["rate"], other["rate"])
                self.assertEqual(len({len(values) for values in one.values()}), 1)
                self.assertGreater(min(one["rate"]) + 1, 0)
                self.assertTrue(5 < sum(one["rate"]) / len(one["rate"]) < 300)

    def test_starlink_changes_every_15_seconds(self) -> None:
        rtt = synthetic.make("starlink", 1)["rtt"]
        per = round(15 / synthetic.STEP)
        floors = [min(rtt[i : i + per]) for i in range(0, len(rtt), per)]
        self.assertEqual(len(floors), 8)
        self.assertEqual(len(set(floors)), 8)

    def test_wifi_ends_out_of_reach_and_comes_back(self) -> None:
        rate = synthetic.make("wifi", 1)["rate"]
        middle = len(rate) // 2
        self.assertEqual(max(rate[middle - 50 : middle + 50]), 0)
        self.assertGreater(min(rate[0], rate[-1]), 30)

    def test_series_begin_with_their_first_value(self) -> None:
        path = paths.parse("trace=wifi:1,rtt-trace=wifi:1,80ms,loss-trace=wifi:1")
        made = synthetic.make("wifi", 1)
        self.assertAlmostEqual(path.rtt, sum(made["rtt"]) / len(made["rtt"]) / 1e3)
        self.assertAlmostEqual(path.loss, sum(made["loss"]) / len(made["loss"]))


if __name__ == "__main__":
    unittest.main()
