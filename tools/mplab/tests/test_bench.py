# SPDX-License-Identifier: MIT
"""The bench: suites as data, who is compared with what, ratios, and the scoreboard's files."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from rich.console import Console

from mplab import cli
from mplab.bench import board, command, files, mine, picture, plan, score, suite
from mplab.bench.plan import Contestant
from mplab.run.experiment import TCP, Conditions, Result
from mplab.run.runner import Failure
from mplab.words.units import UsageError

TOP = Path(__file__).resolve().parents[3]
TABLE = {
    "group": "static",
    "why": "A reason.",
    "paths": ["8mbit,20ms,80ms", "2mbit,150ms,2s"],
    "workload": "bulk,duration=5s",
    "measure": "goodput_bps",
}
DEFAULT, INORDER = (Contestant(name, "cubic", "patched") for name in ("default", "inorder"))


def scenario(name: str = "x", **other: object) -> suite.Scenario:
    return suite.scenario(name, {**TABLE, **other})


def result(c: Conditions, others: float = 0.0, **figures: float) -> Result:
    flows = ({"goodput_bps": 1e6, **figures}, {"goodput_bps": others, "path": c.tcp_path})
    return Result(c, flows, (1,), {}, {"release": "6.12.0", "build": "b"})


class Suites(unittest.TestCase):
    def test_what_the_project_ships_can_be_read(self) -> None:
        for name, table in suite.read(suite.STANDARD).items():
            with self.subTest(name):
                suite.scenario(name, table)

    def test_texts_are_those_of_the_command_line(self) -> None:
        s = scenario(
            buffer="400k", sysctls=["mptcp.x=8"], beside=["tcp,count=2,congestion=vegas,path=1"], seeds=3
        )
        self.assertEqual([p.rate for p in s.base.paths], [8e6, 2e6])
        self.assertEqual((s.base.buffer, s.base.sysctls), (400_000, (("mptcp/x", "8"),)))
        self.assertEqual([str(each) for each in s.base.beside], ["tcp,path=1,count=2,congestion=vegas"])
        self.assertEqual((s.alone, s.seeds, s.quick), ((1, 2), 3, False))

    def test_what_is_wrong_is_named(self) -> None:
        for change, message in (
            ({"paths": ["8mbit,20,1s", "2mbit,1ms,1s"]}, "x: 8mbit,20,1s: RTT '20' has no unit"),
            ({"workload": "ftp"}, "x: workload ftp: there are"),
            ({"measure": "goodput"}, "'goodput': its end says which way is better, one of _s"),
            ({"alone": [3]}, "the paths have the numbers 1 to 2"),
            ({"alone": ["1"]}, "write a list of numbers"),
            ({"seeds": 0}, "seeds = 0: write a number from 1"),
            ({"seeds": True}, "seeds = True: write a whole number"),
            ({"quick": "yes"}, "write true or false"),
            ({"delay": 1}, "there is no 'delay'; there are group, why"),
            ({"why": ""}, "why missing"),
            ({"subflows": 2}, "of one path that they share, and there are 2"),
            ({"sysctls": ["x"]}, "write NAME=VALUE"),
            ({"beside": ["ftp"]}, "beside ftp: there are"),
            ({"beside": ["tcp,path=3"]}, "there are 2 paths"),
        ):
            with self.subTest(change), self.assertRaises(UsageError) as caught:
                scenario(**change)
            self.assertIn(message, str(caught.exception))

    def test_no_suite(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "x.toml"
            for text, message in (
                (None, "No such"),
                ("[", "no TOML"),
                ("", "no scen"),
                ("a = 1", "write [NAME]"),
            ):
                if text is not None:
                    file.write_text(text)
                with self.subTest(text), self.assertRaises(UsageError) as caught:
                    suite.read(file)
                self.assertIn(message, str(caught.exception))

    def test_some_of_it(self) -> None:
        tables = {"a": {**TABLE, "quick": True}, "b": {**TABLE, "group": "change"}, "c": {"broken": 1}}
        file = Path("x.toml")
        for only, quick, names in ((["a", "change"], False, ["a", "b"]), ([], True, ["a"])):
            self.assertEqual([s.name for s in suite.chosen(tables, file, only, quick)], names)
        for only, message in (
            (["d"], "--only d: x.toml has no such"),
            ([], "x.toml, c: there is no 'broken'"),
        ):
            with self.subTest(only), self.assertRaises(UsageError) as caught:
                suite.chosen(tables, file, only)
            self.assertIn(message, str(caught.exception))


class OnesOwn(unittest.TestCase):
    def tables(self, text: str, name: str = "links") -> dict[str, suite.Table]:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / name
            file.write_text(text)
            return mine.tables(file)

    def test_a_network_per_line(self) -> None:
        tables = self.tables("8mbit,20ms,80ms 2mbit,150ms,2s # home\n\n9mbit,1ms,9ms 3mbit,1ms,9ms\n")
        self.assertEqual(tables["bulk 2"]["paths"], ["9mbit,1ms,9ms", "3mbit,1ms,9ms"])
        groups = [suite.scenario(name, table).group for name, table in tables.items()]
        self.assertEqual(len(set(groups)), 2)

    def test_some_of_it(self) -> None:
        tables = self.tables("9mbit,1ms,9ms 3mbit,1ms,9ms\n8mbit,1ms,9ms 2mbit,1ms,9ms\n")
        for only, names in (("bulk", ["bulk 1", "bulk 2"]), ("bulk 2", ["bulk 2"])):
            with self.subTest(only):
                self.assertEqual([s.name for s in suite.chosen(tables, Path("links"), [only])], names)

    def test_one_path_on_each_line_is_one_network(self) -> None:
        tables = self.tables("8mbit,20ms,80ms\n2mbit,150ms,2s\n")
        self.assertEqual({len(table["paths"]) for table in tables.values()}, {2})

    def test_a_suite(self) -> None:
        self.assertEqual(list(self.tables("[x]\nwhy = 'y'", "mine.toml")), ["x"])

    def test_nothing(self) -> None:
        with self.assertRaisesRegex(UsageError, "no network in it"):
            self.tables("# none\n")


class Plans(unittest.TestCase):
    def test_each_is_compared_with_tcp_on_each_path_and_with_default(self) -> None:
        (first, second) = plan.entries([scenario(seeds=2)], [DEFAULT, INORDER], 5)
        self.assertEqual([c.scheduler for c in second.runs], ["inorder"] * 2)
        self.assertEqual([c.seed for c in second.runs], [5, 6])
        self.assertEqual(second.reference, first.runs)
        self.assertEqual([(path, runs[0].tcp_path) for path, runs in second.alone], [(1, 1), (2, 2)])
        runs = plan.conditions([first, second])
        self.assertEqual(len(runs), 8)
        self.assertEqual({c.scheduler for c in runs}, {"default", "inorder", TCP})

    def test_others_on_the_path_stay_with_tcp(self) -> None:
        (entry,) = plan.entries([scenario(beside=["tcp,path=2"])], [INORDER])
        self.assertEqual({runs[0].beside for _, runs in entry.alone}, {entry.runs[0].beside})

    def test_quick_has_one_seed_of_the_same_runs(self) -> None:
        s = scenario(seeds=3)
        quick, whole = (plan.entries([s], [INORDER], 0, flag)[0] for flag in (True, False))
        self.assertEqual(quick.runs, whole.runs[:1])

    def test_a_scenario_with_its_own_congestion_controls(self) -> None:
        entries = plan.entries([scenario(congestion=["lia", "balia"])], [DEFAULT, INORDER])
        self.assertEqual([e.name for e in entries], ["x, lia"] * 2 + ["x, balia"] * 2)
        self.assertEqual(entries[3].alone[0][1][0].congestion, "balia")
        self.assertEqual(entries[3].contestant, INORDER)

    def test_a_kernel_is_compared_with_the_first_one(self) -> None:
        stock = replace(DEFAULT, kernel="stock")
        entry = plan.entries([scenario()], [DEFAULT, stock])[1]
        self.assertEqual((entry.reference[0].kernel, entry.alone[0][1][0].kernel), ("patched", "stock"))

    def test_over_one_bottleneck_tcp_has_one_subflow(self) -> None:
        (entry,) = plan.entries([scenario(paths=["20mbit,40ms,80ms"], subflows=4, beside=["tcp"])], [INORDER])
        (_, (alone,)), = entry.alone  # fmt: skip
        self.assertEqual((entry.runs[0].subflows, alone.subflows, len(alone.beside)), (4, 1, 1))


class Scores(unittest.TestCase):
    def score(
        self, measure: str, figures: dict[str, list[float]], seeds: int = 1, **other: object
    ) -> score.Score:
        """figures: of inorder, default and TCP on path 1 and 2, per seed."""
        entry = plan.entries([scenario(measure=measure, seeds=seeds)], [DEFAULT, INORDER])[1]
        kinds = {"inorder": entry.runs, "default": entry.reference, **{f"tcp{n}": r for n, r in entry.alone}}
        results = {
            c: result(c, **{measure: value})
            for kind, runs in kinds.items()
            for c, value in zip(runs, figures.get(kind, []), strict=False)
        }
        return score.score(entry, results)

    def test_rates(self) -> None:
        s = self.score("goodput_bps", {"inorder": [9e6], "default": [6e6], "tcp1": [4.5e6], "tcp2": [3e6]})
        self.assertEqual((s.to_tcp, s.to_default, s.tcp_path), (2, 1.5, 1))

    def test_times_are_inverted(self) -> None:
        s = self.score("delay_p99_s", {"inorder": [0.4], "default": [0.8], "tcp1": [0.9], "tcp2": [0.1]})
        self.assertEqual((s.to_tcp, s.to_default, s.tcp_path), (0.25, 2, 2))

    def test_no_time_counts_as_less_than_a_jiffy(self) -> None:
        s = self.score("rebuffering_s", {"inorder": [0.0], "default": [0.0], "tcp1": [0.1], "tcp2": [1]})
        self.assertEqual((s.to_tcp, s.to_default), (10, 1))

    def test_the_median_counts_and_the_spread_is_known(self) -> None:
        s = self.score(
            "goodput_bps",
            {"inorder": [9e6, 1e6, 4e6], "default": [4e6] * 3, "tcp1": [2e6, 1e6, 9e6], "tcp2": [1e6]},
            seeds=3,
        )
        self.assertEqual((s.to_tcp, s.spread), (2, (0.5, 4.5)))

    def test_a_run_that_failed(self) -> None:
        s = self.score("goodput_bps", {"default": [4e6], "tcp1": [2e6]})
        self.assertEqual((s.ours.failed, s.to_tcp, s.to_default), (1, None, None))
        s = self.score("goodput_bps", {"inorder": [4e6], "tcp2": [2e6]})  # TCP may be best on path 1
        self.assertEqual((s.to_tcp, s.tcp_path, s.to_default), (None, None, None))

    def test_what_others_get_is_compared_on_each_path(self) -> None:
        entry = plan.entries([scenario(measure=suite.OTHERS, beside=["tcp"])], [INORDER])[0]
        figures = {entry.runs[0]: 3e6, entry.reference[0]: 2e6}
        figures |= {runs[0]: others for (_, runs), others in zip(entry.alone, (4e6, 1e6), strict=True)}
        results = {c: result(c, others) for c, others in figures.items()}
        s = score.score(entry, results)
        self.assertEqual((s.tcp_path, s.to_tcp, s.to_default), (None, 0.6, 1.5))
        del results[entry.alone[1][1][0]]
        self.assertIsNone(score.score(entry, results).to_tcp)

    def test_an_event_after_the_end(self) -> None:
        with self.assertRaisesRegex(UsageError, "not before the end of the run"):
            scenario(paths=["8mbit,20ms,80ms,down@99s"])

    def test_a_figure_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(UsageError, "'nothing_s': a run of 'bulk' has goodput_bps"):
            score.figure(result(scenario().base), "nothing_s")

    def test_summary(self) -> None:
        entry = plan.entries([scenario()], [INORDER])[0]
        scores = []
        for n in range(21):
            named = replace(entry, scenario=replace(entry.scenario, name=f"s{n}"))
            scores.append(score.Score(named, score.Values((0.5e6 + n * 0.05e6,), 0), 1, 1e6, 2e6))
        found = score.summary(INORDER, scores, to_tcp=True)
        self.assertEqual((found.worst, found.worst_in, found.median, found.behind), (0.5, "s0", 1.0, 10))
        self.assertAlmostEqual(found.p5, 0.55)
        self.assertEqual(score.summary(INORDER, scores, to_tcp=False).median, 0.5)
        self.assertIsNone(score.summary(INORDER, scores[:19], to_tcp=True).p5)
        self.assertIsNone(score.summary(DEFAULT, scores, to_tcp=True))


class TheScoreboard(unittest.TestCase):
    def made_up(self) -> board.Board:
        """Two scenarios of which one failed in part."""
        scenarios = [
            scenario("even", seeds=3),
            scenario("late", group="apps", measure="delay_p99_s", workload="blocks"),
        ]
        entries = plan.entries(scenarios, [DEFAULT, INORDER])
        results = {
            c: result(c, goodput_bps=1e6 + 1e6 * len(c.scheduler) + c.seed * 1e5, delay_p99_s=0.123)
            for c in plan.conditions(entries)
            if not (c.scheduler == "inorder" and c.workload.name == "blocks")
        }
        return board.Board((DEFAULT, INORDER), tuple(score.score(e, results) for e in entries))

    def measure(self, bad: str, made: Callable[[Conditions], Result | None]) -> tuple[str, str, list[int]]:
        """Of a scenario "good" and one with this measure: the error, the scoreboard, and how many runs each
        call of the runner had. made: what they come to; None: it fails."""
        counts = []

        def run(wanted: Iterable[Conditions], _: str) -> dict[Conditions, Result]:
            found = {c: made(c) for c in wanted}
            counts.append(len(found))
            runner.failures += [Failure(c, "why") for c, r in found.items() if not r]
            return {c: r for c, r in found.items() if r}

        runner = mock.Mock(failures=[], kernels={"patched": mock.Mock(build_id="b")}, run=run)
        entries = plan.entries([scenario("good"), scenario("bad", measure=bad)], [DEFAULT, INORDER])
        error = ""
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()) as said:
            try:
                command.measure(runner, entries, Path(name), {"command": "mplab bench"})
            except UsageError as caught:
                error = str(caught)
        self.assertEqual(len(runner.failures), len({f.conditions for f in runner.failures}))
        # What follows names the files, in a folder whose random name may hold any word.
        return error, said.getvalue().partition("written to")[0], counts

    def test_a_wrong_measure_is_named_before_all_other_runs(self) -> None:
        error, said, counts = self.measure("nosuch_s", result)
        self.assertRegex(error, "^bad: measure 'nosuch_s': a run of 'bulk' has goodput_bps$")
        self.assertEqual((said, counts), ("", [1]))

    def test_a_run_without_a_value_does_not_hide_the_others(self) -> None:
        error, said, _ = self.measure("delay_p99_s", lambda c: result(c, delay_p99_s=None))
        self.assertRegex(error, "^bad: measure 'delay_p99_s': a run of 'bulk' has")
        self.assertIn("good", said)
        self.assertNotIn("bad", said)

    def test_a_run_that_failed_is_not_tried_for_the_measure_and_again(self) -> None:
        error, said, counts = self.measure("delay_p99_s", lambda _: None)
        self.assertEqual((error, counts), ("", [1, 3]))
        self.assertIn("failed", said)

    def test_runs_of_tcp_that_failed_are_named_once(self) -> None:
        other = ["8mbit,20ms,80ms", "1mbit,20ms,80ms"]
        entries = plan.entries([scenario("even", seeds=3), scenario("gone", paths=other)], [DEFAULT, INORDER])
        lost = {entries[0].alone[1][1][2], entries[2].alone[1][1][0]}
        results = {c: result(c, goodput_bps=1e6) for c in plan.conditions(entries) if c not in lost}
        made = board.Board((DEFAULT, INORDER), tuple(score.score(e, results) for e in entries))
        self.assertEqual([s.to_tcp for s in made.scores], [1, 1, None, None])
        line = (
            "Runs of TCP that failed, and that the ratios to it are without:"
            " even, path 2: 1 of 3; gone, path 2: 1 of 1."
        )
        said = io.StringIO()
        board.show(made, Console(file=said, width=80))
        self.assertIn(line, " ".join(said.getvalue().split()))
        self.assertIn(line, board.markdown(made))
        self.assertNotIn("Runs of TCP that failed", board.markdown(self.made_up()))

    def test_terminal_of_80_columns(self) -> None:
        said = io.StringIO()
        board.show(self.made_up(), Console(file=said, width=80))
        text = said.getvalue()
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for words in ("even", "4.10 Mbit/s", "1.98±0.02", "failed", "123.0 ms", "0 of 1"):
            self.assertIn(words, text)

    def test_markdown_tables_are_whole(self) -> None:
        lines = board.markdown(self.made_up()).splitlines()
        for table in ("|  | relative", "| scenario"):
            start = next(n for n, line in enumerate(lines) if line.startswith(table))
            rows = [line.count("|") for line in lines[start:] if line.startswith("|")][:3]
            self.assertEqual(len(set(rows)), 1, table)

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            out, made = Path(name), self.made_up()
            files.write_csv(out / "x.csv", made)
            files.write_json(out / "x.json", made, {"command": "mplab bench"})
            written = [out / "board.svg", out / "board.png"]
            picture.save(made, "caption", written)
            self.assertEqual([p.suffix for p in written], [".svg", ".png"])
            self.assertGreater(written[1].stat().st_size, 10_000)
            whole = json.loads((out / "x.json").read_text())
            rows = list(csv.DictReader((out / "x.csv").read_text().splitlines()))
        self.assertEqual(whole["contestants"][1]["failed_runs"], 1)
        self.assertEqual(whole["contestants"][0]["to_default"], None)
        self.assertEqual(
            (rows[1]["ratio_to_tcp_max"], rows[3]["value"], rows[3]["failed_runs"]), ("2.0", "", "1")
        )
        documented = (TOP / "Documentation" / "bench.md").read_text()
        self.assertEqual([column for column in rows[0] if f"`{column}`" not in documented], [])


class CommandLine(unittest.TestCase):
    def call(self, *argv: str) -> tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(["bench", *argv])
        return status, out.getvalue() + err.getvalue()

    def test_list(self) -> None:
        status, said = self.call("--list", "--only", "window,wifi-3g")
        self.assertEqual(status, 0)
        self.assertIn("window-200k", said)
        self.assertIn("A fast path with a short queue", said)

    def test_mistakes(self) -> None:
        for argv, message in (
            (("--only", "nosuch"), "--only nosuch: suite.toml has no such scenario or group"),
            (("--suite", "/nonexistent"), "/nonexistent: No such file"),
            (("--only", "wifi-3g", "--kernel", "/nonexistent"), "no kernel at /nonexistent"),
        ):
            status, said = self.call(*argv, "--out", tempfile.gettempdir())
            self.assertEqual(status, 2)
            self.assertIn(message, said)


if __name__ == "__main__":
    unittest.main()
