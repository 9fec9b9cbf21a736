# SPDX-License-Identifier: MIT
"""The page of a run: what it shows, and that a click in a browser does so."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from browser import Browser, installed

from mplab.lab.paths import parse
from mplab.publish import browse
from mplab.run.experiment import TCP, Conditions, Result

COURSE = [(0.1, 8e6), (0.2, 4e6)]


def result(scheduler: str, **figures: object) -> Result:
    paths = (parse("8mbit,20ms,80ms"), parse("2mbit,20ms,80ms"))
    flow = {"goodput_bps": 8e6, "over_time_s_bps": COURSE, **figures}
    return Result(Conditions(paths, scheduler), (flow,), (3, 1), {}, {"release": "6.12", "build": "x"})


def page(*results: Result) -> str:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "results.html")
        browse.write(file, results)
        return file.read_text()


def embedded(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*)</script>', text)
    assert found
    return json.loads(found[1])


class Page(unittest.TestCase):
    def test_a_row_and_its_course(self) -> None:
        data = embedded(page(result(TCP), result("inorder", cwnd_over_time={"1": [(0.1, 10)]})))
        self.assertEqual([run["cells"][0] for run in data["runs"]], ["TCP on path 1", "inorder"])
        chart, windows = data["runs"][1]["charts"]
        self.assertEqual(chart["lines"], [{"name": "", "points": [[0.1, 8], [0.2, 4]]}])
        self.assertEqual(windows["lines"], [{"name": "path 1", "points": [[0.1, 10]]}])

    def test_values_in_turn(self) -> None:
        (_, delays) = browse.charts(result("rr", delays_s=[0.01, 0.02]))
        self.assertEqual(delays["lines"][0]["points"], [(1, 10), (2, 20)])

    def test_peaks_stay(self) -> None:
        points = [(float(i), 1.0) for i in range(10 * browse.MOST)]
        points[777] = (777.0, 9.0)
        found = browse.thinned(points)
        self.assertLessEqual(len(found), browse.MOST)
        self.assertIn((777.0, 9.0), found)
        self.assertEqual(browse.thinned(points[:5]), points[:5])

    def test_nothing_ends_the_script(self) -> None:
        text = page(result("</script><b>"))
        self.assertNotIn("</script><b>", text)
        self.assertEqual(embedded(text)["runs"][0]["cells"][0], "</script><b>")

    def test_asks_no_other_machine(self) -> None:
        addresses = re.findall(r"https?://[^\s\"'<]+", page(result("rr")))
        self.assertEqual(set(addresses), {"http://www.w3.org/2000/svg"})


class InABrowser(unittest.TestCase):
    def test_clicks(self) -> None:
        installed()
        runs = [result(TCP), result("default"), result("inorder", queue_over_time_s_bytes={"1": COURSE})]
        with tempfile.TemporaryDirectory() as name, Browser() as browser:
            file = Path(name, "results.html")
            browse.write(file, runs)
            for fragment, chosen in (("", 1), ("#2", 2), ("#2,3", 4), ("#1", 0)):
                browser.open(file, fragment)
                self.assertEqual(browser.count("polyline"), chosen, fragment)
            browser.open(file)
            browser.click("#rows tr", 2)
            self.assertEqual(browser.count("[aria-selected=true]"), 2)
            self.assertEqual(browser.count("polyline"), 3)
            self.assertIn("inorder: queue of each path, KB\npath 1", browser.text("#charts"))
            browser.click("#rows tr", 2)
            browser.press("Enter")  # the row is still in focus
            browser.click("#rows tr", 0)
            self.assertNotIn("TCP on path 1:", browser.text("#charts"))
            lines = {"2": COURSE, "2, others": COURSE, "10": COURSE}
            browse.write(file, [result(TCP, over_time_s_bps=None, received_over_time_s_bps=lines)])
            browser.open(file)
            strokes = browser.value(
                "[...document.querySelectorAll('polyline')].map(n => n.getAttribute('stroke'))"
            )
            self.assertEqual(strokes[0], "#d95f02")  # of path 2, wherever it is
            self.assertEqual(len(set(strokes)), 3)
            self.assertEqual(browser.errors, [])
            self.assertEqual([each for each in browser.asked if not each.startswith(("file:", "about:"))], [])


if __name__ == "__main__":
    unittest.main()
