# SPDX-License-Identifier: MIT
"""What needs no guest: parsing, formulas, the scripts for the guest, messages."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import cli, experiment, paths, topology, units
from mplab.guest import GuestError

WIFI = paths.parse("8mbit,20ms,80ms")
MOBILE = paths.parse("2mbit,150ms,2s,1%")


class Units(unittest.TestCase):
    def test_quantities(self) -> None:
        self.assertEqual(units.rate("8mbit"), 8e6)
        self.assertEqual(units.rate("50kbit"), 5e4)
        self.assertAlmostEqual(units.seconds("20ms"), 0.02)
        self.assertEqual(units.size("400k"), 400_000)
        self.assertEqual(units.percent("1.5%"), 1.5)

    def test_what_is_wrong_is_named(self) -> None:
        for text, message in (
            ("8mbit,20", "3"),
            ("8mbit,20,80ms", "RTT '20' has no unit; write 20ms"),
            ("8parsec,20ms,80ms", "rate '8parsec' has unknown unit 'parsec'"),
            ("fast,20ms,80ms", "rate 'fast' is not a number"),
            ("8mbit,20ms,80ms,100%", "less than 100%"),
            ("1kbit,20ms,80ms", "too slow"),
        ):
            with self.subTest(text), self.assertRaises(units.UnitError) as caught:
                paths.parse(text)
            self.assertIn(text, str(caught.exception))
            if message != "3":
                self.assertIn(message, str(caught.exception))


class Paths(unittest.TestCase):
    def test_queue_is_in_bytes_of_time(self) -> None:
        self.assertEqual(WIFI.queue_bytes, 80_000)
        self.assertEqual(paths.parse("1mbit,1ms,0ms").queue_bytes, 2 * paths.FRAME)

    def test_capacity_is_payload(self) -> None:
        self.assertAlmostEqual(WIFI.capacity / 1e6, 7.651, places=3)


class Benefit(unittest.TestCase):
    def test_ends_and_middle(self) -> None:
        self.assertEqual(experiment.benefit(0, [8, 2]), -1)
        self.assertEqual(experiment.benefit(4, [8, 2]), -0.5)
        self.assertEqual(experiment.benefit(8, [8, 2]), 0)
        self.assertEqual(experiment.benefit(9, [8, 2]), 0.5)
        self.assertEqual(experiment.benefit(10, [8, 2]), 1)
        self.assertEqual(experiment.benefit(8, [8]), 0)


class Topology(unittest.TestCase):
    def test_bottleneck_is_in_the_router(self) -> None:
        text = topology.script([WIFI, MOBILE])
        self.assertIn("tc -n router1 -batch", text)
        self.assertIn("dev out root tbf rate 8000000bit burst 3028 limit 80000", text)
        self.assertIn("dev in root netem delay 20000us", text)
        self.assertIn("netem loss 1%", text)
        self.assertNotIn("qdisc add dev c", text)

    def test_server_announces_all_but_the_first(self) -> None:
        text = topology.script([WIFI, MOBILE, WIFI])
        self.assertNotIn("endpoint add 10.1.2.2", text)
        self.assertIn("endpoint add 10.2.2.2 dev s2 signal", text)
        self.assertIn("endpoint add 10.3.2.2 dev s3 signal", text)

    def test_buffer_limits_default_and_maximum(self) -> None:
        text = topology.script([WIFI], buffer=100_000)
        self.assertIn("tcp_rmem=4096 100000 100000", text)
        self.assertIn("tcp_wmem=4096 16384 100000", text)
        self.assertNotIn("tcp_rmem", topology.script([WIFI]))


class Evaluation(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        self.conditions = experiment.Conditions((WIFI, MOBILE), "rr", duration=2, warmup=1)

    def leave(self, joined: int = 2, error: str = "") -> None:
        sums = [
            {
                "sum": {
                    **{"start": i, "end": i + 1, "seconds": 1},
                    **{"bytes": 10**6 * (1 + (i == 0)), "bits_per_second": 8e6},
                }
            }
            for i in range(3)
        ]
        raw: dict[str, object] = {"server_output_json": {"intervals": sums}}
        if error:
            raw = {"error": error}
        (self.dir / "iperf.json").write_text(json.dumps(raw))
        (self.dir / "netstat").write_text(
            f"MPTcpExt: MPCapableSYNACKRX MPJoinSynAckRx\nMPTcpExt: 2 {joined}\n"
        )
        (self.dir / "sent").write_text("300\n100\n")
        (self.dir / "kernel").write_text("6.12.0\n")

    def test_goodput_without_warmup(self) -> None:
        self.leave()
        result = experiment.evaluate(self.conditions, self.dir)
        self.assertEqual(result.goodput, 8e6)
        self.assertEqual(result.shares, (0.75, 0.25))
        self.assertEqual(len(result.over_time), 2)

    def test_a_missing_subflow_is_an_error(self) -> None:
        self.leave(joined=1)
        with self.assertRaisesRegex(GuestError, "only 1 of 2 additional subflows"):
            experiment.evaluate(self.conditions, self.dir)

    def test_iperf_error_is_shown(self) -> None:
        self.leave(error="unable to connect")
        with self.assertRaisesRegex(GuestError, "unable to connect"):
            experiment.evaluate(self.conditions, self.dir)


class CommandLine(unittest.TestCase):
    def fails(self, *argv: str) -> str:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                self.assertEqual(cli.main(list(argv)), 2)
            except SystemExit as stop:
                self.assertEqual(stop.code, 2)
        return said.getvalue()

    def test_bad_path(self) -> None:
        self.assertIn("RTT '20' has no unit", self.fails("run", "--path", "8mbit,20,1s"))

    def test_no_kernel(self) -> None:
        self.assertIn("make kernel", self.fails("run", "--kernel", "/nonexistent"))

    def test_results_must_have_a_place_before_they_are_measured(self) -> None:
        self.assertIn("--out /proc/x: No such file", self.fails("run", "--out", "/proc/x"))

    def test_unknown_scheduler_names_those_there_are(self) -> None:
        args = cli._parser().parse_args(["run", "--scheduler", "nosuch"])
        args.paths = [WIFI]
        with self.assertRaisesRegex(cli.UsageError, "nosuch.*default, rr"):
            cli._plan(args, ["default", "rr"])


if __name__ == "__main__":
    unittest.main()
