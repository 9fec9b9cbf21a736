# SPDX-License-Identifier: MIT
"""The numbers of figures, from results whose answer is known."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import sys
import tempfile
import unittest
from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import parts, paths
from mplab.publish import page, plot
from mplab.publish.figures import FIGURES, Setting, Table, command
from mplab.publish.figures.base import add_quantiles, quantile_table
from mplab.publish.figures.designed import benefit, inflation
from mplab.publish.figures.moving import course
from mplab.publish.figures.reordering import displaced, predicted
from mplab.run.experiment import TCP, Conditions, Result
from mplab.run.schedulers import Schedulers

KERNEL = {"release": "6.12.0", "build": "b"}
EVERYTHING = ("cubic", "reno", "bbr", "vegas", "lia", "olia", "balia", "wvegas", "ewlia")
SCHEDULERS = Schedulers(("default", "inorder", "minrtt", "redundant", "rr"), ("rp", "bm", "rs"))
SMALL = Setting(False, SCHEDULERS, EVERYTHING)


def result(c: Conditions, *flows: dict) -> Result:
    return Result(c, flows, (1,) * len(c.paths), {}, KERNEL)


def rows(name: str, results: dict[Conditions, Result], s: Setting = SMALL) -> dict[str, list[str]]:
    """Of the figure's table: first cell to the others."""
    drawing = plot.canvas()
    table: Table = FIGURES[name].draw(s, results, drawing)
    plot.save(drawing, Path("/dev/null"))
    return {row[0]: row[1:] for row in table.rows}


class Commands(unittest.TestCase):
    """Without a kernel: nothing was measured, and it is drawn and written all the same."""

    def written(self, call: str, *names: str) -> tuple[str, set[str]]:
        """What it says, and the files."""
        runner = mock.Mock(failures=[], run=lambda runs, label: {}, parts={"core"})
        guests = {"patched": mock.Mock(parts={"core": "0123456789ab", "mptcp_sched_rr": "ba9876543210"})}
        with (
            tempfile.TemporaryDirectory() as out,
            mock.patch.object(command.asked, "guests", lambda *_: contextlib.nullcontext(guests)),
            mock.patch.object(command.spread, "runner", lambda *_: contextlib.nullcontext(runner)),
            mock.patch.object(command.spread, "share", lambda *_: None),
            mock.patch.object(command, "FIGURES", {n: FIGURES[n] for n in ("fig2.10", "fig4.15")}),
            mock.patch.object(command, "available", lambda _: (SCHEDULERS, EVERYTHING)),
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            args = argparse.Namespace(out=Path(out), kernel="patched", full=False, design_seed=1, names=names)
            self.assertEqual(getattr(command, call)(args), 0)
            return said.getvalue(), {p.name for p in Path(out).iterdir()}

    def test_figure(self) -> None:
        said, files = self.written("figure", "fig4.15")
        self.assertIn("### fig4.15", said)
        self.assertRegex(said, "written to .*fig4.15.png")
        self.assertIn("fig4.15.csv", files)

    def test_report(self) -> None:
        said, files = self.written("report")
        self.assertRegex(said, "written to .*index.html")
        self.assertLess({"index.md", "numbers.csv", "fig2.10.svg"}, files)

    def test_the_page_says_which_parts_of_the_kernel_ran(self) -> None:
        with mock.patch.object(command.page, "write") as write:
            self.written("report")
        self.assertEqual(parts.from_words(write.call_args[0][3]), {"core": "0123456789ab"})


class ThePage(unittest.TestCase):
    """The command prints the numbers; the page has the picture, and a file beside it has them."""

    def drawn(self, table: Table) -> page.Drawn:
        figure = FIGURES["fig3.3"]
        return page.Drawn(figure, Path("x.png"), table, 1, 0, f"{figure.caption} 20 runs.")

    def distribution(self, count: int) -> Table:
        table = quantile_table("benefit")
        add_quantiles(table, "a", [float(n) for n in range(count)])
        return table

    def test_the_command(self) -> None:
        text = page.markdown(self.drawn(self.distribution(21)))
        self.assertIn("| benefit | runs | least | p5 | p25 | p50 | p75 | p95 | most | mean |", text)
        self.assertIn(FIGURES["fig3.3"].caption, text)

    def test_the_page(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page.write(
                Path(folder) / "index.html", [self.drawn(self.distribution(3))], {"fig3.3": "COMMAND"}, "It."
            )
            text = (Path(folder) / "index.md").read_text()
            html = (Path(folder) / "index.html").read_text()
        self.assertTrue(text.startswith("# Figures\n\nIt.\n\n### fig3.3: "))
        self.assertIn(" below zero.\n20 runs.\n", text)
        self.assertIn("<code>COMMAND</code>", html)
        self.assertNotIn("|", text)

    def test_a_file_has_all_numbers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "numbers.csv"
            page.numbers(file, [self.drawn(self.distribution(3))])
            lines = file.read_text().splitlines()
        self.assertEqual(lines[:2], ["figure,row,column,value", "fig3.3,a,runs,3"])
        self.assertEqual(
            lines[2:], [f"fig3.3,a,{n}" for n in ("least,0.00", "p50,1.00", "most,2.00", "mean,1.00")]
        )

    def test_nothing_measured(self) -> None:
        self.assertIn("| benefit |", page.markdown(self.drawn(quantile_table("benefit"))))

    def test_deviations_are_below_their_percentiles(self) -> None:
        """Designs that give the same: each percentile deviates by nothing, least and most say nothing."""
        plan = FIGURES["sensitivity"].plan(SMALL)
        results = {c: result(c, {"goodput_bps": sum(p.capacity for p in c.paths)}) for c in plan}
        found = rows("sensitivity", results)["deviation, % of range"]
        self.assertEqual(found, ["", "", *["0.0"] * 5, "", ""])


class Shared(unittest.TestCase):
    def test_share_and_ratio(self) -> None:
        """Per subflow, the MPTCP connections get as much as a TCP connection has."""
        results = {
            c: result(c, *[{"goodput_bps": 1e6 * c.subflows}] * 2, *[{"goodput_bps": 1e6}] * 2)
            for c in FIGURES["fig2.10"].plan(SMALL)
        }
        found = rows("fig2.10", results)
        self.assertEqual(found["olia, share"], ["0.50", "0.67", "0.80", "0.89"])
        self.assertEqual(found["olia, of one TCP"], ["1.00", "2.00", "4.00", "8.00"])
        self.assertEqual(len(found), 2 * len(("reno", "lia", "olia", "balia", "wvegas")))

    def test_only_what_the_kernel_has(self) -> None:
        some = Setting(False, SCHEDULERS, ("cubic", "reno", "balia"))
        names = {c.congestion for c in FIGURES["fig2.10"].plan(some)}
        self.assertEqual(names, {"reno", "balia"})


class Congested(unittest.TestCase):
    """Until 20.5 s and from 43 s on path 1 carries 10 Mbit/s, between 1; path 2 always 10."""

    def one(self, recovers: bool = True) -> Result:
        c = FIGURES["congested"].plan(SMALL)[0]
        times = [n / 10 for n in range(1, 601)]
        first = [(t, 10e6 if t <= 20.5 or (t > 43 and recovers) else 1e6) for t in times]
        rates = {"1": first, "2": [(t, 10e6) for t in times]}
        main = {"start_s": 100.0, "goodput_bps": 15e6, "sent_over_time_s_bps": rates}
        # the second competitor starts a little later, and so ends at 40.8 s
        others = [{"start_s": start, "goodput_bps": 2e6} for start in (120.5, 120.8)]
        return result(c, main, *others)

    def test_course(self) -> None:
        found = course(self.one())
        for share, wanted in zip(found.shares, (1 / 2, 1 / 11, 1 / 2), strict=True):
            self.assertAlmostEqual(share, wanted)
        self.assertEqual(found.competing, 4e6)
        # from 40.8 s: 2.2 s until the rate is back, and 0.8 of a window of 1 s
        self.assertAlmostEqual(found.back, 3.0, delta=0.11)

    def test_one_that_does_not_recover(self) -> None:
        run = self.one(recovers=False)
        self.assertEqual(course(run).back, math.inf)
        name = run.conditions.congestion
        self.assertEqual(rows("congested", {run.conditions: run})[name][2:], ["0.09", "4.00", "never"])

    def test_competitors_are_on_the_first_path_for_a_while(self) -> None:
        c = FIGURES["congested"].plan(SMALL)[0]
        self.assertEqual([f.routes for f in c.network().flows[1:]], [((0,),)] * 4)
        self.assertEqual((c.competitor.delay, c.competitor.seconds, c.workload.seconds), (20, 20, 60))
        self.assertEqual(c.competing_congestion, "reno")


class Incast(unittest.TestCase):
    def test_weight_is_the_number_of_servers(self) -> None:
        plan = FIGURES["incast"].plan(SMALL)
        weighted = [c for c in plan if c.congestion == "ewlia"]
        self.assertEqual({c.congestion for c in plan if c.sysctls}, {"ewlia"})
        for c in weighted:
            self.assertEqual(dict(c.sysctls)["mptcp/ewlia_weight"], str(c.connections))
        self.assertEqual({dict(c.sysctls)["mptcp/ewlia_exponent"] for c in weighted}, {"1", "2"})
        self.assertEqual(len(weighted), 2 * len({c.connections for c in plan}))

    def test_all_servers_count(self) -> None:
        """As many Mbit/s each as there are servers; one of them takes 250 ms once."""
        results = {}
        for c in FIGURES["incast"].plan(SMALL):
            flows = [{"goodput_bps": 1e6 * c.connections, "answer_max_s": 0.002}] * c.connections
            results[c] = result(c, *flows[:-1], {**flows[0], "answer_max_s": 0.25})
        found = rows("incast", results)
        self.assertEqual(found["lia: goodput Mbit/s"], ["1.00", "4.00", "16.00", "256.00"])
        self.assertEqual(found["ewlia, 1/n²: slowest answer ms"], ["250.00"] * 4)


class Collapse(unittest.TestCase):
    NAMES = ("incast-server", "incast-request", "incast-mtu", "incast-tcp")

    def test_volumes(self) -> None:
        """Of each server the same, or of all together."""
        for name, wanted in (("incast-server", 262_144), ("incast-request", None)):
            for c in FIGURES[name].plan(SMALL):
                size = wanted or 4_194_304 // c.connections
                self.assertEqual(c.workload.size, size)

    def test_the_full_size_has_300_requests(self) -> None:
        for name in self.NAMES:
            plan = FIGURES[name].plan(Setting(True, SCHEDULERS, EVERYTHING))
            cells: Counter[Conditions] = Counter()
            for c in plan:
                cells[replace(c, seed=0)] += c.workload.rounds
            self.assertEqual(set(cells.values()), {300})
            counts = {c.connections for c in plan}
            self.assertEqual(max(counts), 300 if name == "incast-mtu" else 48)

    def test_plain_tcp_has_one_bottleneck(self) -> None:
        for c in FIGURES["incast-tcp"].plan(SMALL):
            self.assertTrue(c.plain_tcp)
            self.assertEqual({f.routes for f in c.network().flows}, {((0,),)})
        weights = {c.congestion: dict(c.sysctls) for c in FIGURES["incast-tcp"].plan(SMALL)}
        self.assertIn("mptcp/ewlia_weight", weights["ewlia"])
        self.assertEqual(weights["reno"], {})

    def test_queues_are_of_bytes(self) -> None:
        """A smaller MTU does not make the queue smaller."""
        queues = {c.paths[0].mtu: c.paths[0].queue_bytes for c in FIGURES["incast-mtu"].plan(SMALL)}
        self.assertEqual(queues, dict.fromkeys((1500, 1000, 576), 125_000))

    def results(self, s: Setting = SMALL) -> dict[Conditions, Result]:
        """Requests of 1 to 10 ms; each server has one timeout."""
        times = [n / 1000 for n in range(1, 11)]
        return {
            c: result(
                c, *[{"goodput_bps": 1e6 * (1 + c.seed), "rounds_s": times, "timeouts": 1}] * c.connections
            )
            for c in FIGURES["incast-request"].plan(s)
        }

    def test_table(self) -> None:
        found = rows("incast-request", self.results())
        self.assertEqual(found["lia: goodput Mbit/s"], ["4.00", "8.00", "16.00", "32.00", "48.00"])
        self.assertEqual(found["reno: request ms, median"], ["5.50"] * 5)
        self.assertEqual(found["reno: request ms, slowest"], ["10.00"] * 5)
        self.assertEqual(found["ewlia, 1/n: timeouts per request"], ["0.40", "0.80", "1.60", "3.20", "4.80"])
        self.assertFalse(any("p99" in name or "least" in name for name in found))

    def test_several_runs_have_a_spread_and_percentiles(self) -> None:
        full = Setting(True, SCHEDULERS, EVERYTHING)
        found = rows("incast-request", self.results(full), full)
        self.assertEqual(found["lia: goodput, least to most"][0], "1.00 to 3.00")
        self.assertEqual(found["lia: goodput Mbit/s"][0], "2.00")
        self.assertTrue(all(9 < float(cell) <= 10 for cell in found["lia: request ms, p99"]))


class Order(unittest.TestCase):
    def test_displaced_counts_early_and_late(self) -> None:
        one = {"displacements": [[-1, 0.5], [0, 0.25], [2, 0.25]], "goodput_bps": 1e6}
        runs = [result(c, one) for c in FIGURES["reordering"].plan(SMALL)[:2]]
        self.assertEqual(displaced(runs), [(1, 0.75), (2, 0.25)])
        self.assertEqual(displaced([]), [])

    def test_model(self) -> None:
        """Kaspar's difference of 37 ms: below the critical rate nobody is late."""
        self.assertEqual(predicted(0.2e6), (0, 0))
        late, by = predicted(2e6)
        self.assertEqual(late, 0.5)
        self.assertAlmostEqual(by, 2e6 / 16000 * 0.037)

    def test_a_row_for_each_scheduler_and_network(self) -> None:
        plan = FIGURES["reordering"].plan(SMALL)
        figures = {"late_ratio": 0.25, "reorder_entropy": 1.5, "displacement_mean_packets": 4}
        figures |= {
            "hold_p95_packets": 5,
            "hold_p99_packets": 9,
            "goodput_bps": 9e6,
            "displacements": [[0, 1]],
        }
        found = rows("reordering", {c: result(c, figures) for c in plan})
        self.assertEqual(found["WiFi and 3G: rr"], ["0.25", "1.50", "4.00", "5.00", "9.00", "9.00"])
        self.assertEqual(len(found), len(plan))

    def test_what_paths_are_worth(self) -> None:
        """As much as the better one carries, and half of what the other one does."""
        plan = FIGURES["worth"].plan(SMALL)
        self.assertLessEqual(set(plan), set(FIGURES["fig4.13"].plan(SMALL)))  # nothing more to run
        results = {}
        for c in plan:
            least, best = sorted(p.capacity for p in c.paths)
            results[c] = result(c, {"goodput_bps": best + least / 2})
        found = rows("worth", results)
        for what in ("efficiency", "benefit"):
            self.assertEqual(set(found[f"{what}: inorder"][1:]), {"0.50"})
        for what, least, most in (("ratio", 0.75, 1), ("gain", 0, 0.5)):
            mean = float(found[f"{what}: inorder"][-1])
            self.assertTrue(least < mean < most, (what, mean))


class Designs(unittest.TestCase):
    PAIR = tuple(map(paths.parse, ("8mbit,20ms,80ms,1%", "2mbit,100ms,2s,1%")))

    def test_coupled_control_is_compared_with_reno(self) -> None:
        alone = {c.congestion for c in FIGURES["fig3.5"].plan(SMALL) if c.scheduler == TCP}
        self.assertEqual(alone, {"cubic", "reno"})
        c = Conditions(self.PAIR, congestion="olia")
        results = {c: result(c, {"goodput_bps": 6e6})}
        for path, rate in zip(self.PAIR, (5e6, 2e6), strict=True):
            tcp = Conditions((path,), TCP, "reno")
            self.assertIsNone(benefit(results, c))
            results[tcp] = result(tcp, {"goodput_bps": rate})
        self.assertAlmostEqual(benefit(results, c), 0.5)

    def test_no_seed_is_lucky_for_all_points(self) -> None:
        """TCP alone has the seed of what it is compared with."""
        mptcp = [c for c in FIGURES["fig3.5"].plan(SMALL) if c.congestion == "olia" and c.scheduler != TCP]
        low = [c for c in mptcp if max(p.rtt for p in c.paths) <= 0.05]
        self.assertEqual([c.seed for c in low], list(range(18)))  # three for each of six points
        plan = set(FIGURES["fig3.5"].plan(SMALL))
        for c in low:
            for path in c.paths:
                self.assertIn(replace(c, paths=(path,), scheduler=TCP, congestion="reno"), plan)
        self.assertEqual({c.seed for c in FIGURES["fig4.13"].plan(SMALL)}, {0})

    def test_full_queues_show_in_the_round_trip_time(self) -> None:
        c = Conditions(self.PAIR)
        run = result(c, {"goodput_bps": 1e6, "srtt_median_s": {"1": 0.1, "2": 0.2}})
        self.assertEqual(inflation(run), [5, 2])
        nothing = Conditions((replace(self.PAIR[0], rtt=0.0),))
        self.assertEqual(inflation(result(nothing, run.main)), [])

    def test_delays_are_those_of_the_autotuned_low_bdp_runs(self) -> None:
        """With a full queue wherever the buffer is fixed, and in the high-BDP environment."""
        results = {}
        low = {c for c in FIGURES["fig3.3"].plan(SMALL) if max(p.rtt for p in c.paths) <= 0.05}
        for c in FIGURES["fig3.3"].plan(SMALL):
            times = 1.5 if c in low and c.buffer is None else 9
            rtts = {str(i): times * p.rtt for i, p in enumerate(c.paths, 1)}
            results[c] = result(c, {"goodput_bps": 1e6, "srtt_median_s": rtts})
        found = rows("fig3.3", results)
        of_wvegas = [cells for name, cells in found.items() if "RTT" in name and "wvegas" in name]
        # of twelve values no percentiles: least, median, most, mean
        self.assertEqual([[cell for cell in cells if cell] for cells in of_wvegas], [["12", *["1.50"] * 4]])


class Size(unittest.TestCase):
    """`make figures` is to take less than a quarter of an hour on two cores."""

    def test_the_small_version_stays_small(self) -> None:
        runs = {c for figure in FIGURES.values() for c in figure.plan(SMALL)}
        self.assertLess(len(runs), 1350)

    def test_the_triangle_has_enough_points_for_a_median(self) -> None:
        plan = FIGURES["fig3.7"].plan(SMALL)
        for name in ("cubic", "lia", "olia", "balia", "wvegas"):
            low = [c for c in plan if c.congestion == name and max(p.rtt for p in c.paths) <= 0.05]
            self.assertGreaterEqual(len(low), 6, name)

    def test_a_weight_of_one_is_left_out(self) -> None:
        """It is LIA."""
        for figure in FIGURES.values():
            for c in figure.plan(SMALL):
                self.assertTrue(c.congestion != "ewlia" or c.sysctls, figure.name)


if __name__ == "__main__":
    unittest.main()
