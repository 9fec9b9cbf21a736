# SPDX-License-Identifier: MIT
"""Several interfaces in the test bed: the network, what a run left, and the figures of known results."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.inside import ladder
from mplab.lab import paths
from mplab.lab.guest import GuestError
from mplab.publish import plot
from mplab.publish.figures import FIGURES, ONE_BY_ONE, Setting, Table
from mplab.publish.figures.access import HSPA1, WLAN1, Rival, moving, standing, varying
from mplab.publish.figures.davvi import DAVVI
from mplab.publish.figures.ranges import RANGES
from mplab.run.experiment import TCP, Conditions, Result
from mplab.run.schedulers import Schedulers
from mplab.run.table import row
from mplab.traffic import Davvi, Ends, Ranges, parse
from mplab.traffic.ranges import interfaces
from mplab.words.units import UsageError

SMALL = Setting(False, Schedulers(("default", "inorder"), ("bm",)), ("cubic",))
PAIR = tuple(map(paths.parse, ("8mbit,20ms,80ms", "2mbit,150ms,2s")))
KERNEL = {"release": "6.12.0", "build": "b"}


class Network(unittest.TestCase):
    def ends(self, scheduler: str, topology: str, pair: tuple[paths.Path, ...] = PAIR) -> Ends:
        c = Conditions(pair, scheduler, workload=Ranges(), topology=topology)
        return Ends(c.network(), 0, Path("/nowhere"))

    def test_a_connection_for_each_path(self) -> None:
        several = [("10.1.1.1", "10.1.2.2"), ("10.2.1.1", "10.2.2.2")]
        self.assertEqual(interfaces(self.ends(TCP, "interfaces")), several)
        self.assertEqual(interfaces(self.ends(TCP, "disjoint")), several[:1])
        self.assertEqual(interfaces(self.ends("default", "disjoint")), [(None, "10.1.2.2")])

    def test_two_families(self) -> None:
        mixed = (PAIR[0], paths.parse("2mbit,150ms,2s,family=6"))
        wanted = [("::ffff:10.1.1.1", "::ffff:10.1.2.2"), ("fd00:2:1::1", "fd00:2:2::2")]
        self.assertEqual(interfaces(self.ends(TCP, "interfaces", mixed)), wanted)

    def test_many_peers(self) -> None:
        """The draw alone decides who goes where."""
        ends = self.ends(TCP, "interfaces")
        drawn = [Ranges(peers=50, draw=n).connecting(ends) for n in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertEqual(sum(drawn[0].count(f'"{a}"') for a in ("10.1.2.2", "10.2.2.2")) - 1, 50)

    def test_varying_keeps_the_mean(self) -> None:
        path = varying(WLAN1, "07-verizon", 20)
        rates = [path.rate, *(event.value for event in path.events)]
        self.assertEqual([event.at for event in path.events[:2]], [1.0, 2.0])
        self.assertAlmostEqual(sum(rates) / len(rates) / WLAN1.rate, 1)
        self.assertEqual(len(set(standing(WLAN1, HSPA1, 10))), 24)
        self.assertEqual(len(set(moving(WLAN1, HSPA1, 60))), 12)


class Evaluation(unittest.TestCase):
    def evaluate(self, work: Ranges | Davvi, label: str, left: dict) -> dict:
        with tempfile.TemporaryDirectory() as directory:
            c = Conditions(PAIR, TCP, workload=work, topology="interfaces")
            ends = Ends(c.network(), 0, Path(directory))
            ends.file(label).write_text(json.dumps({"trace": [], "totals": {}, **left}))
            return work.evaluate(ends)

    def test_download(self) -> None:
        log = [[1.0, 100, 200], [2.0, 0, 50], [3.0, 50, 100], [4.0, 200, 400]]
        got = self.evaluate(Ranges(400, start=2.0), "download", {"log": log})
        self.assertEqual((got["goodput_bps"], got["sustained_bps"]), (800, 400))
        self.assertEqual((got["least_startup_s"], got["least_buffer_bytes"]), (2.5, 350))
        with self.assertRaisesRegex(GuestError, "0 of 400 bytes"):
            self.evaluate(Ranges(400), "download", {"log": log[:1]})

    def test_player(self) -> None:
        left = {"segments": [[0, 0, 1.0], [2, 3, 4.0]], "skipped": [1], "begins": [1.0, 4.0]}
        got = self.evaluate(Davvi(count=3), "watch", {**left, "stalls": [[0.0, 1.0], [3.0, 1.0]]})
        self.assertEqual((got["startup_delay_s"], got["rebuffering_s"], got["skipped_segments"]), (1, 1, 1))
        self.assertEqual([got[f"quality_{q}_share"] for q in (1, 2, 3, 4)], [0.5, 0, 0, 0.5])
        self.assertEqual(got["quality_mean_bps"], (746e3 + 3010e3) / 2)
        sizes = ladder.lengths(3, 2.0)
        self.assertEqual(got["goodput_bps"], (sizes[0][0] + sizes[2][3]) * 8 / 4)
        with self.assertRaisesRegex(GuestError, "2 of 4 segments"):
            self.evaluate(Davvi(count=4), "watch", {**left, "stalls": [[0.0, 1.0]]})

    def test_columns_have_units(self) -> None:
        """A segment is bytes of a file, seconds of a video."""
        for work, names in (
            (Ranges(), {"workload_segment_bytes", "workload_start_s", "workload_size_bytes"}),
            (Davvi(), {"workload_segment_s", "workload_subsegment_bytes"}),
        ):
            c = Conditions(PAIR, TCP, workload=work, topology="interfaces")
            self.assertLess(names, set(row(Result(c, ({"goodput_bps": 1.0},), (1, 1), {}, KERNEL))))

    def test_settings(self) -> None:
        with self.assertRaisesRegex(UsageError, "whole or dynamic"):
            parse("davvi,whole=yes,dynamic=yes")
        with self.assertRaisesRegex(UsageError, "segments of 2 seconds"):
            parse("davvi,segment=4s")


def made(name: str, figures: Callable[[Conditions], dict]) -> list[list[str]]:
    """Rows of a figure whose runs had these results."""
    found = {
        c: Result(c, (figures(c),), (1,) * len(c.paths), {}, KERNEL) for c in ONE_BY_ONE[name].plan(SMALL)
    }
    drawing = plot.canvas()
    table: Table = ONE_BY_ONE[name].draw(SMALL, found, drawing)
    plot.save(drawing, Path("/dev/null"))
    return table.rows


def download(c: Conditions) -> dict:
    """Several interfaces get 800 KB/s, one connection 400 and, if it is MPTCP, 900."""
    speed = 6.4e6 if c.topology == "interfaces" else 3.2e6 if c.plain_tcp else 7.2e6
    least = {"least_startup_s": 1.0, "least_buffer_bytes": 50_000}
    return {"goodput_bps": speed, "sustained_bps": speed * 0.9, **least}


def view(c: Conditions) -> dict:
    best = 0.5 if c.topology == "interfaces" else 0.25
    shares = {
        "quality_1_share": 1 - best,
        "quality_2_share": 0,
        "quality_3_share": 0,
        "quality_4_share": best,
    }
    played = {"startup_delay_s": 1, "rebuffering_count": 2, "rebuffering_s": 3, "skipped_segments": 4}
    return {"goodput_bps": 1e6, "quality_mean_bps": 2e6 * best, **shares, **played}


class Figures(unittest.TestCase):
    def test_not_in_the_report(self) -> None:
        """It needs no web server."""
        self.assertFalse(set(ONE_BY_ONE) & set(FIGURES))
        self.assertFalse(
            [f.name for f in FIGURES.values() for c in f.plan(SMALL) if "nginx" in c.workload.needs]
        )

    def test_nothing_measured(self) -> None:
        for name, figure in ONE_BY_ONE.items():
            drawing = plot.canvas()
            figure.draw(SMALL, {}, drawing)
            plot.save(drawing, Path("/dev/null"))
            self.assertTrue(figure.plan(SMALL), name)

    def test_who_takes_part(self) -> None:
        """One connection never asks for ranges; plain TCP alone is on the first path."""
        for figure in (*RANGES, *DAVVI):
            for c in figure.plan(SMALL):
                one = c.topology != "interfaces"
                whole = (
                    c.workload.segment == c.workload.size
                    if isinstance(c.workload, Ranges)
                    else c.workload.whole
                )
                self.assertEqual(one, whole)
                if c.plain_tcp and one:
                    self.assertEqual(len(c.paths), 1)

    def test_playback(self) -> None:
        rows = {row[0]: row[1:] for row in made("ranges-playback", download)}
        self.assertEqual(rows["TCP on path 1"][:3], ["100.00", "100.00", "0.00"])  # to 360 KB/s
        self.assertEqual(rows["HTTP over both"][4:7], ["100.00", "100.00", "0.00"])  # to 720 KB/s
        self.assertEqual(rows["MPTCP, inorder"][6:9], ["100.00", "0.00", "900.00"])

    def test_sizes(self) -> None:
        rows = made("ranges-size", download)
        of_two = [row for row in rows if row[0] == "2 interfaces"]
        self.assertEqual(
            [row[1] for row in of_two], ["25", "50", "100", "250", "500", "1000", "2500", "5000"]
        )
        self.assertEqual({tuple(row[2:]) for row in of_two}, {("800.00", "0.67", "1.00", "50.00")})
        self.assertIn(["3 interfaces: MPTCP, inorder", "whole", "900.00", "0.39", "1.00", "50.00"], rows)

    def test_least_size(self) -> None:
        rows = {row[0]: row[1:] for row in made("ranges-minimum", download)}
        self.assertEqual(set(rows["2 outstanding"]), {"800.00"})

    def test_peers(self) -> None:
        rows = {row[0]: row[1:] for row in made("many-peers", download)}
        self.assertEqual(rows["50"][1], "800.00")
        self.assertEqual(rows["MPTCP, default"][1], "900.00")

    def test_player(self) -> None:
        for name in ("davvi-field", "davvi-live"):
            rows = {row[0]: row[1:] for row in made(name, view)}
            self.assertEqual(rows["HTTP, fixed"][:5], ["50.00", "0.00", "0.00", "50.00", "1.00"])
            self.assertEqual(rows["MPTCP, inorder"][5:], ["2.00", "3.00", "4.00", "1.00"])

    def test_splits(self) -> None:
        for name in ("davvi-split", "davvi-rtt"):
            rows = {tuple(row[:2]): row[2:] for row in made(name, view)}
            self.assertEqual(rows["100:0", "TCP on path 1"][3], "25.00")
            self.assertEqual(len(rows), 5 * 6 + 1)

    def test_rivals_over_paths(self) -> None:
        over = {name: Rival("", name, Ranges()).over(PAIR) for name in (TCP, "interfaces", "inorder")}
        self.assertEqual([len(c.paths) for c in over.values()], [1, 2, 2])
        self.assertEqual([c.scheduler for c in over.values()], [TCP, TCP, "inorder"])


if __name__ == "__main__":
    unittest.main()
