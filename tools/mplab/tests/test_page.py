# SPDX-License-Identifier: MIT
"""The bench as a page: what it holds, and what clicks on it show in a browser."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from browser import Browser, installed

from mplab import cli
from mplab.bench import command, page, plan, score, suite
from mplab.bench.board import Board
from mplab.bench.plan import Contestant
from mplab.run.experiment import Conditions, Result

TABLE = {
    "group": "static",
    "why": "A reason, <b>with</b> </script> in it.",
    "paths": ["8mbit,20ms,80ms", "2mbit,150ms,2s"],
    "workload": "bulk,duration=5s",
    "measure": "goodput_bps",
}
CONTESTANTS = tuple(Contestant(name, "cubic", "patched") for name in ("default", "inorder"))
RATES = {"tcp": 4e6, "default": 2e6, "inorder": 5e6}


def result(c: Conditions) -> Result:
    """inorder is better than TCP, default is worse. TCP is better on path 1."""
    goodput = RATES[c.scheduler] / c.tcp_path
    flow = {
        "goodput_bps": goodput,
        "received_over_time_s_bps": {"1": [(0.1, goodput), (0.2, goodput)], "2": [(0.1, 1e6), (0.2, 2e6)]},
        "out_of_order_over_time_s_bytes": {"1": [(0.1, 0)], "connection": [(0.1, 9e3)]},
    }
    return Result(c, (flow,), (3, 1), {}, {"release": "6.12", "build": "b"})


def board(*failed: str) -> tuple[Board, dict[Conditions, Result]]:
    """Of two scenarios, the second of which has three seeds; and all results but those of some."""
    scenarios = [suite.scenario("one", TABLE), suite.scenario("two", {**TABLE, "group": "more", "seeds": 3})]
    entries = plan.entries(scenarios, CONTESTANTS)
    results = {c: result(c) for c in plan.conditions(entries) if c.scheduler not in failed}
    return Board(CONTESTANTS, tuple(score.score(e, results) for e in entries)), results


def write(file: Path, found: Board, results: Mapping[Conditions, Result]) -> dict:
    page.write(file, found, results, "mplab bench")
    data = re.search(r'<script type="application/json" id="data">(.*)</script>', file.read_text())
    assert data
    return json.loads(data[1])


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        self.file = self.dir / "bench.html"


class ThePage(Scratch):
    def test_cells_are_those_of_the_scoreboard(self) -> None:
        data = write(self.file, *board())
        self.assertEqual(data["head"], ["scenario", "best TCP", "default, of TCP", "inorder, of TCP"])
        self.assertEqual([row["name"] for row in data["rows"]], ["one", "two"])
        tcp, default, inorder = data["rows"][0]["cells"]
        self.assertEqual((tcp["text"], default["text"], inorder["text"]), ("4.00 Mbit/s", "0.50", "1.25"))
        self.assertEqual((tcp["ratio"], default["ratio"], inorder["ratio"]), (None, 0.5, 1.25))
        self.assertEqual(data["runs"][tcp["run"]]["who"], "one, TCP on path 1")
        self.assertEqual(data["runs"][inorder["run"]]["who"], "one, inorder")
        self.assertIn("path 2: 2 Mbit/s, RTT 150 ms", data["runs"][inorder["run"]]["about"])

    def test_runs_of_the_first_seed_and_no_more(self) -> None:
        found, _ = board()
        wanted = [(c.seed, c.scheduler, c.tcp_path) for c in page.wanted(found)]
        self.assertEqual(wanted, [(0, "tcp", 1), (0, "default", 1), (0, "inorder", 1)])
        # both scenarios have the same runs; each is there once
        self.assertEqual(len(write(self.file, found, {c: result(c) for c in page.wanted(found)})["runs"]), 3)

    def test_one_that_failed_has_nothing_to_show(self) -> None:
        cells = write(self.file, *board("inorder"))["rows"][0]["cells"]
        self.assertEqual((cells[2]["text"], cells[2]["ratio"], cells[2]["run"]), ("failed", None, None))
        self.assertEqual(cells[1]["run"], 1)

    def test_nothing_ends_the_script_or_asks_another_machine(self) -> None:
        write(self.file, *board())
        text = self.file.read_text()
        self.assertEqual(text.count("</script>"), 2)
        self.assertEqual(set(re.findall(r"https?://[^\s\"'<]+", text)), {"http://www.w3.org/2000/svg"})


class InABrowser(Scratch):
    def test_clicks(self) -> None:
        installed()
        found, results = board()
        write(self.file, found, results)
        with Browser() as browser:
            browser.open(self.file)
            self.assertEqual(browser.count("svg"), 0)
            browser.click("tr.scenario th", 0)  # a row: of TCP and both schedulers
            self.assertEqual(browser.count("svg"), 6)
            self.assertEqual(browser.count("polyline"), 12)
            self.assertIn(
                "one, inorder: received on each path, Mbit/s\npath 1 path 2", browser.text("#charts")
            )
            self.assertIn("A reason, <b>with</b> </script> in it.", browser.text("#what"))
            browser.click("tr.scenario th", 0)
            self.assertEqual(browser.count("svg"), 0)
            browser.click("tr.scenario td", 1)  # a cell, and another one to compare
            self.assertEqual(browser.count("svg"), 2)
            browser.click("tr.scenario td", 2)
            self.assertEqual(browser.count("svg"), 4)
            browser.press("Enter")
            self.assertNotIn("inorder:", browser.text("#charts"))
            self.assertIn("one, default:", browser.text("#charts"))
            worse, better = (
                browser.value(
                    f"getComputedStyle(document.querySelectorAll('tr.scenario td')[{n}]).backgroundColor"
                )
                for n in (1, 2)
            )
            red, _, blue, *_ = map(float, re.findall(r"[\d.]+", worse))
            self.assertGreater(red, blue)
            red, _, blue, *_ = map(float, re.findall(r"[\d.]+", better))
            self.assertGreater(blue, red)
            browser.open(self.file, "#1,1.2")  # a link to a choice
            self.assertEqual(browser.count("svg"), 4)
            self.assertEqual(browser.errors, [])
            self.assertEqual([each for each in browser.asked if not each.startswith(("file:", "about:"))], [])


class TheCommand(Scratch):
    def test_runs_of_its_own_with_samples(self) -> None:
        """What the scoreboard is made of is not touched; it says what failed."""
        found, results = board()
        runner = mock.Mock(failures=[])
        runner.run.return_value = results
        kernels: dict = {"patched": object()}
        with (
            mock.patch.object(command, "SampledRunner", return_value=runner) as made,
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            command._draw(self.file, found, kernels, self.dir, 2, "mplab bench")
        made.assert_called_once_with(kernels, self.dir, 2)
        self.assertEqual(runner.run.call_args.args[0], page.wanted(found))
        self.assertIn("bench.html", said.getvalue())
        self.assertTrue(self.file.exists())

    def test_mistakes_are_found_before_it_measures(self) -> None:
        (self.dir / "file").write_text("")
        for argv, message in (
            (("--page", "/proc/x/y.html"), "mplab: --page /proc/x/y.html: No such file"),
            (
                ("--page", str(self.dir)),
                f"--page {self.dir}: a directory; name a file in it, such as bench.html",
            ),
            (("--page", str(self.dir / "file" / "x.html")), "x.html: File exists"),
            (("--page", str(self.file), "--shard", "1/2"), "--page: with --shard nothing is drawn"),
            (("--page", str(self.file), "--slurm", "x.sh"), "--page: with --slurm nothing is drawn"),
        ):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                self.assertEqual(cli.main(["bench", *argv, "--kernel", "/nonexistent"]), 2)
            self.assertIn(message, errors.getvalue())


if __name__ == "__main__":
    unittest.main()
