# SPDX-License-Identifier: MIT
"""Published numbers: what the documents say is what the files say, and the files are of this kernel."""

from __future__ import annotations

import sys
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import cli
from mplab.evidence import check, confirm, measure, plan, runs, scoreboard, tables, texts
from mplab.evidence.moved import moved
from mplab.lab import parts
from mplab.lab.paths import parse
from mplab.run import plans, programs, report
from mplab.run.experiment import TCP, Conditions, Result
from mplab.run.schedulers import Schedulers

CONTROLS = ["cubic", "reno", "lia", "olia", "balia", "wvegas", "ewlia"]
PLAN = """
[measure]
wifi = "run"
[tables.first]
head = "scheduler"
subjects = ["default", ["ours", "inorder"]]
from = "wifi"
figures = [{ label = "Mbit/s", show = "goodput" }, { label = "path 1", show = "path1_share" }]
[tables.turned]
subjects = ["default", "inorder"]
subjects-are = "columns"
figures = [{ label = "both", from = "wifi", show = ["goodput", "p99_ms"] }]
"""
PATCH = "--- a/y.c\n+++ b/y.c\n@@ -1,2 +1,2 @@\n int a;\n-int b;\n+int c;\n"
MAKEFILE = "mptcp_sched_x-y := sched_x.o\n"
VALUES = {"default": {"goodput": 9.336, "path1_share": 0.8, "p99_ms": 40.4}, "inorder": {"goodput": 9.4}}
DOCUMENT = """\
# Title
<!-- evidence: first -->
old
<!-- /evidence -->
It gets <!-- evidence: wifi default goodput -->1<!-- /evidence --> Mbit/s.
<!-- evidence: turned --><!-- /evidence -->
"""
RENEWED = """\
# Title
<!-- evidence: first -->
| scheduler | Mbit/s | path 1 |
|---|---:|---:|
| `default` | 9.34 | 80 % |
| ours | 9.40 |  |
<!-- /evidence -->
It gets <!-- evidence: wifi default goodput -->9.34<!-- /evidence --> Mbit/s.
<!-- evidence: turned -->
|  | `default` | `inorder` |
|---|---:|---:|
| both | 9.34, 40 | 9.40,  |
<!-- /evidence -->
"""


class Project(unittest.TestCase):
    """A small one, with a document and a file."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = Path(directory.name)
        self.dir = self.top / "Documentation" / "evidence"
        for name in ("Documentation/evidence", "net/mptcp", "patches/fixes"):
            (self.top / name).mkdir(parents=True)
        (self.top / "net/mptcp/sched_x.c").write_text("/* what */\nint a;\n")
        (self.top / "patches/series").write_text("# all\nfixes/0001-x.patch\n")
        self.patch = self.top / "patches/fixes/0001-x.patch"
        self.patch.write_text("From: somebody\n" + PATCH)
        (self.top / "tools/kernel/config").mkdir(parents=True)
        (self.top / "tools/kernel/config/uml.config").write_text("CONFIG_HZ=100\n")
        (self.dir / "plan.toml").write_text(PLAN)
        (self.top / "README.md").write_text(RENEWED)
        (self.top / "net/mptcp/Makefile.sched").write_text(MAKEFILE)
        self.save(parts.of(self.top))

    def save(self, made_of: dict[str, str], command: str = "run") -> None:
        plan.save("wifi", plan.Measured(command, "c0", made_of, VALUES, 3, 40), self.dir)

    def problems(self) -> list[str]:
        return check.problems(plan.read(self.dir), self.dir)

    def one(self, pattern: str) -> None:
        found = self.problems()
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], pattern)


class Texts(Project):
    def test_tables_and_numbers(self) -> None:
        made = texts.renewed(DOCUMENT, plan.read(self.dir), lambda name: plan.load(name, self.dir))
        self.assertEqual(made, RENEWED)

    def test_all_that_have_a_figure(self) -> None:
        all_of_them = plan.Table(
            "name", (), (plan.Column("a", "x", ("a",)), plan.Column("b", "x", ("b",))), True
        )
        values = {"one": {"a": 1.0, "b": 2.0}, "two": {"b": 3.0}, "three": {"a": 4.0}}
        made = texts.markdown(all_of_them, lambda _: plan.Measured("", "", {}, values))
        self.assertEqual(made.splitlines()[2:], ["| one | 1.00 | 2.00 |", "| three | 4.00 |  |"])

    def test_all_of_a_measurement(self) -> None:
        text = "<!-- evidence: wifi --><!-- /evidence -->"
        made = texts.renewed(text, plan.read(self.dir), lambda name: plan.load(name, self.dir))
        self.assertEqual(
            made.splitlines()[1:-1],
            [
                "| | goodput | path1_share | p99_ms |",
                "|---|---:|---:|---:|",
                "| default | 9.34 | 80 % | 40 |",
                "| inorder | 9.40 |  |  |",
            ],
        )

    def test_what_is_not_there_is_named(self) -> None:
        for text, message in (
            ("nosuch", "no table and no measurement 'nosuch'"),
            ("wifi rr x", "no 'x' of 'rr'"),
        ):
            with self.assertRaisesRegex(plan.EvidenceError, message):
                marked = f"<!-- evidence: {text} --><!-- /evidence -->"
                texts.renewed(marked, plan.read(self.dir), lambda name: plan.load(name, self.dir))

    def test_all_is_well(self) -> None:
        self.assertEqual(self.problems(), [])

    def test_another_number_in_the_text(self) -> None:
        (self.top / "README.md").write_text(RENEWED.replace(">9.34<", ">9.35<"))
        self.one("README.md has other numbers than the files")

    def test_a_table_that_somebody_wrote(self) -> None:
        (self.top / "Documentation/x.md").write_text(Written.ROWS)
        self.one(r"Documentation/x.md:1: numbers of what\? Name it in plan.toml, or")

    def test_pages_of_research(self) -> None:
        (self.top / "Documentation/research").mkdir()
        (self.top / "Documentation/research/x.md").write_text(Written.ROWS)
        self.one(r"Documentation/research/x.md:1: numbers of what\?")

    def test_a_missing_file(self) -> None:
        (self.dir / "wifi.json").unlink()
        self.assertIn("run 'make evidence ONLY=wifi'", self.problems()[0])

    def test_another_command(self) -> None:
        self.save(parts.of(self.top), "run --buffer 1m")
        self.one("from another command")

    def test_a_table_that_nobody_shows(self) -> None:
        (self.top / "README.md").write_text(RENEWED.replace("evidence: turned", "nothing: turned"))
        self.one("no document has table turned")

    def test_a_file_that_nobody_measures(self) -> None:
        (self.dir / "other.json").write_text("{}")
        self.one("other.json is not in plan.toml")

    def test_what_takes_long_is_measured_by_name(self) -> None:
        (self.dir / "plan.toml").write_text(PLAN + '[measure-long]\nlow-200 = "design low"\n')
        planned = plan.read(self.dir)
        self.assertEqual(planned.usual(), ["wifi"])
        self.assertEqual(planned.commands["low-200"], "design low")

    def test_a_table_of_nothing(self) -> None:
        (self.dir / "plan.toml").write_text(PLAN.replace('from = "wifi", show', 'from = "lost", show'))
        with self.assertRaisesRegex(plan.EvidenceError, "table turned takes 'lost', which is not measured"):
            plan.read(self.dir)


class Moved(unittest.TestCase):
    def moved(self, then: plan.Values, now: plan.Values) -> list[str]:
        return moved(plan.Measured("run", "c0", {}, then), plan.Measured("run", "c1", {}, now))

    def test_what_moved_most_comes_first(self) -> None:
        then = {"rr": {"worst_benefit": -0.13, "median_benefit": 0.8, "in": "fade"}, "gone": {"goodput": 1.0}}
        now = {"rr": {"worst_benefit": -0.83, "median_benefit": 0.9, "in": "leo"}, "new": {"goodput": 1.0}}
        lines = [
            "gone goodput: 1.0 -> gone",
            "rr worst_benefit: -0.13 -> -0.83",
            "rr median_benefit: 0.8 -> 0.9",
            "rr in: fade -> leo",
        ]
        self.assertEqual(self.moved(then, now), lines)

    def test_figures_have_theirs_as_they_print_them(self) -> None:
        then, now = {"handover": {"p50": "480.00", "p95": "9"}}, {"handover": {"p50": "1500.00", "p95": "9"}}
        self.assertEqual(self.moved(then, now), ["handover p50: 480.00 -> 1500.00"])

    def test_chance_is_left_out(self) -> None:
        then, now = {"rr": {"goodput": 10.0, "of_best": 0.001}}, {"rr": {"goodput": 10.4, "of_best": -0.002}}
        self.assertEqual(self.moved(then, now), [])

    def test_of_many_the_rest_is_counted(self) -> None:
        then, now = ({f"path {i}": {"goodput": value} for i in range(10)} for value in (1.0, 2.0))
        lines = self.moved(then, now)
        self.assertEqual((len(lines), lines[-1]), (9, "and 2 more"))


class Written(unittest.TestCase):
    """Tables in a text."""

    ROWS = "| | ms | % |\n|---|---:|---:|\n| a | 1.5 | 20 % |\n| b | 3 (2 to 4) | |\n"

    def found(self, text: str) -> list[tuple[int, int, bool, bool]]:
        return [(t.line, t.rows, t.generated, t.once) for t in tables.measured(text)]

    def test_numbers_are_measurements(self) -> None:
        self.assertEqual(self.found(f"Text.\n\n{self.ROWS}"), [(3, 2, False, False)])
        words = "| a | b |\n|---|---|\n| one | two |\n| 1 | what it is |\n"
        self.assertEqual(self.found(words), [])

    def test_who_wrote_it(self) -> None:
        said = "<!-- measured once: 0123456789ab: make check-cost -->\n"
        self.assertEqual(self.found(said + self.ROWS), [(2, 2, False, True)])
        self.assertEqual(self.found(f"{said}\n{self.ROWS}"), [(3, 2, False, False)])
        self.assertEqual(self.found(said.replace(": make check-cost", "") + self.ROWS)[0][3], False)
        made = f"<!-- evidence: x -->\n{self.ROWS}<!-- /evidence -->\n{self.ROWS}"
        self.assertEqual([t[2] for t in self.found(made)], [True, False])


class Parts(Project):
    """What changed after the numbers were measured."""

    def change(self) -> None:
        (self.top / "net/mptcp/sched_x.c").write_text("int other;\n")

    def test_what_a_run_needs_counts(self) -> None:
        self.change()
        self.one("mptcp_sched_x changed after wifi: run 'make evidence' \\(3 runs, 40 s of a CPU\\)")
        self.save({"core": parts.of(self.top)["core"]})
        self.assertEqual(self.problems(), [])

    def test_help_of_scripts_does_not_count(self) -> None:
        texts, file = [], self.dir / "script"
        for usage, code in ("a", "b"), ("c", "b"), ("a", "d"):
            file.write_text(f"usage() {{\n\tcat <<-'USAGE'\n\t{usage} {{}}\n\tUSAGE\n}}\n# why\n{code}\n")
            texts.append(programs._shell(file))
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_programs_inside_the_guest_count(self) -> None:
        made_of, old = parts.of(self.top), {"bulk": programs.digest("bulk"), "video": "0"}
        plan.save("wifi", plan.Measured("run", "c0", made_of, VALUES, programs=old), self.dir)
        self.one("^program video changed after wifi: run 'make evidence'")

    def test_many_are_one_line(self) -> None:
        names = [f"measurement-{n}" for n in range(40)]
        (self.dir / "plan.toml").write_text(
            PLAN.replace("[measure]", "[measure]\n" + "\n".join(f'{name} = "run"' for name in names))
        )
        for name in names:
            plan.save(name, plan.Measured("run", "c", {"core": "0"}, VALUES), self.dir)
        self.one("core changed after measurement-0, .*, measurement-[0-9]+: run 'make evidence'$")

    def test_an_older_kernel_is_said_in_the_text(self) -> None:
        self.change()
        (self.dir / "plan.toml").write_text('once = [\n    "wifi",\n]\n' + PLAN)
        self.one("README.md has other numbers")
        planned = plan.read(self.dir)
        text = texts.renewed(RENEWED, planned, lambda name: plan.load(name, self.dir))
        self.assertIn("\n\nMeasured once, on an older kernel: `wifi` at commit c0. Commands:", text)
        self.assertIn(">9.34 (commit c0)<", text)
        (self.top / "README.md").write_text(text)
        self.assertEqual(self.problems(), [])

    def test_measured_anew_it_leaves_the_list(self) -> None:
        (self.dir / "plan.toml").write_text('# x\nonce = [\n    "wifi",\n    "figures",\n]\n' + PLAN)
        self.assertRegex(self.problems()[0], "wifi is of this kernel: take it out of 'once'")
        self.assertEqual(plan.read(self.dir).usual(), [])
        plan.no_longer_once("wifi", self.dir)
        self.assertEqual(plan.read(self.dir).usual(), ["wifi"])
        self.assertEqual((self.dir / "plan.toml").read_text(), '# x\nonce = [\n    "figures",\n]\n' + PLAN)
        self.assertEqual(self.problems(), [])

    def test_the_list_names_what_is_measured(self) -> None:
        (self.dir / "plan.toml").write_text('once = [\n    "lost",\n]\n' + PLAN)
        with self.assertRaisesRegex(plan.EvidenceError, "once names lost, which is not measured"):
            plan.read(self.dir)

    def test_the_page_of_figures(self) -> None:
        (self.top / "Documentation/figures").mkdir()
        page = self.top / "Documentation/figures/index.md"
        page.write_text("of no kernel\n")
        self.one("core changed after figures/index.md")
        (self.dir / "plan.toml").write_text('once = [\n    "figures",\n]\n' + PLAN)
        self.assertEqual(self.problems(), [])
        (self.dir / "plan.toml").write_text(PLAN)
        now = parts.of(self.top)
        page.write_text(parts.in_words(now, ["core", "mptcp_sched_x"]))
        self.assertEqual(self.problems(), [])
        self.change()
        page.write_text(parts.in_words(now, ["core"]))
        self.assertNotIn("figures/index.md", str(self.problems()))


class Board(unittest.TestCase):
    """Ours beside TCP, and the best of the others where it is known."""

    FOUND = {
        "bench": {
            "default to TCP": {"worst": 0.5},
            "wifi": {"best TCP": "7.65 Mbit/s", "default to TCP": 1.219, "inorder to TCP": 1.23, "x": 1.0},
            "radio": {"best TCP": "30 ms", "default to TCP": 0.1, "inorder to TCP": 1.0},
        },
        "rivals": {
            "wifi": {"best TCP": "7.65 Mbit/s", "default to TCP": 9.0, "ecf to TCP": 1.1, "pet to TCP": 1.2}
        },
    }

    def load(self, name: str) -> plan.Measured:
        return plan.Measured("bench", "c0", {}, self.FOUND[name])

    def test_a_row_per_scenario(self) -> None:
        self.assertEqual(
            scoreboard.text(self.load).splitlines(),
            [
                "scenario,best TCP,default of TCP,inorder of TCP,best rival,best rival of TCP",
                "wifi,7.65 Mbit/s,1.22,1.23,pet,1.20",
                "radio,30 ms,0.10,1.00,,",
            ],
        )

    def test_it_is_written_once(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            self.assertTrue(scoreboard.write(self.load, Path(directory)))
            self.assertFalse(scoreboard.write(self.load, Path(directory)))


class Numbers(unittest.TestCase):
    def results(self, count: int) -> list[Result]:
        c = Conditions((parse("8mbit,20ms,80ms"), parse("2mbit,20ms,80ms")), "default")
        sent = {"connection_bytes_sent": 100, "subflow_bytes_sent": 130, "subflow_bytes_retransmitted": 5}
        flow = {"goodput_bps": 0.9 * c.paths[0].capacity, "delay_p99_s": 0.04, "start_s": 1.0}
        flow |= {"hold_p99_packets": 7, **sent}
        return [
            Result(c, ({**flow, "goodput_bps": flow["goodput_bps"] + n},), (3, 1), {}, {})
            for n in range(count)
        ]

    def test_of_a_comparison(self) -> None:
        found = measure._single(self.results(3), None)
        self.assertEqual((found["path1_share"], found["delay_p99_ms"]), (0.75, 40))
        self.assertAlmostEqual(found["benefit"], -0.1, 5)
        self.assertAlmostEqual(found["besides_share"], 0.25)
        self.assertEqual(found["hold_p99_packets"], 7)
        self.assertNotIn("start_ms", found)
        self.assertEqual(found["goodput_range"], "6.89 to 6.89")
        self.assertNotIn("goodput_range", measure._single(self.results(1), None))

    def test_tcp_is_where_it_does_best(self) -> None:
        """Whichever path that is, as in the table that "run" prints."""
        ours = self.results(1)[0]
        alone = {
            path: replace(
                ours, conditions=replace(ours.conditions, scheduler=TCP, tcp_path=path), flows=flows
            )
            for path, flows in ((1, ({"goodput_bps": 4e6},)), (2, ({"goodput_bps": 2e6},)))
        }
        for order in ((1, 2), (2, 1)):
            best = report.best_tcp([[ours], *([alone[path]] for path in order)])
            self.assertEqual(best, {report.peer(ours): [alone[1]]})

    def test_nothing_has_no_sign(self) -> None:
        for figure, value, text in (
            ("besides_share", -0.001, "0 %"), ("x", -0.001, "0.00"), ("x", -0.051, "-0.05"),
            ("benefit", 0.001, "+0.00"), ("hold_p99_packets", 54.0, "54"), ("x", -10.0, "-10.00"),
        ):  # fmt: skip
            self.assertEqual(texts.shown(figure, value), text)

    def test_the_runs_of_a_command(self) -> None:
        """So many, and the same, as it will ask for: shares are made of them."""
        has = (
            Schedulers(("default", "inorder", "rr"), ("rp", "bm")),
            CONTROLS,
        )
        for words, count in (
            (["run", "--scheduler", "default,inorder", "--repeat", "2"], 6),
            (["design", "low", "--points", "3", "--no-tcp", "--scheduler", "inorder"], 3),
            (["figure", "fig2.10"], 60),
            (["striping", "chebrolu-static"], 0),
        ):
            with (
                mock.patch.object(runs, "available", lambda _: has),
                mock.patch.object(plans, "available", lambda _: has),
            ):
                self.assertEqual(len(set(runs.conditions(cli.parse(words), mock.Mock()))), count, words)

    def test_percentiles_of_few_are_none(self) -> None:
        for count, there in ((19, False), (20, True)):
            results = self.results(count)
            self.assertEqual("p5_benefit" in measure._over_points(results, {}), there)

    def confirmed(self, now: Callable[[Conditions], int]) -> tuple[plan.Measured | None, list[str]]:
        """Of 40 runs that gave what their seed is; now: what they give."""
        every = [Conditions((parse("8mbit,20ms,80ms"),), seed=seed) for seed in range(40)]
        known = plan.Measured("run", "a" * 12, {"core": "1"}, VALUES, runs=40)
        known = replace(known, digits=runs.digits({c: c.seed for c in every}))
        guests = mock.Mock(parts={"core": "2", "mptcp_sched_x": "3"})
        with (
            mock.patch.object(runs, "wanted", return_value=every),
            mock.patch.object(runs, "outcomes", lambda chosen, *_: {c: now(c) for c in chosen}),
            mock.patch.object(parts, "commit", return_value="b" * 12),
        ):
            return confirm.confirm("x", known, mock.Mock(), guests, mock.Mock(), 10)

    def test_a_share_of_the_runs_confirms_a_number(self) -> None:
        found, wrong = self.confirmed(lambda c: c.seed)
        assert found
        self.assertEqual((wrong, found.confirmed, found.runs), ([], 4, 40))
        self.assertEqual((found.measured, found.commit, found.parts), ("a" * 12, "b" * 12, {"core": "2"}))
        self.assertEqual(found.values, VALUES)

    def test_other_digits_confirm_nothing(self) -> None:
        which = confirm.drawn("x", 40, 10, "b" * 12)
        found, wrong = self.confirmed(lambda c: c.seed + (c.seed == which[2]))
        self.assertIsNone(found)
        self.assertEqual(len(wrong), 1)
        self.assertIn(f"seed {which[2]}, over", wrong[0])

    def test_runs_are_drawn_by_the_commit(self) -> None:
        draws = [confirm.drawn("x", 40, 10, commit) for commit in "aab"]
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])
        self.assertEqual(confirm.drawn("x", 2, 1, "a"), [0, 1])

    def test_digits_of_another_plan_are_refused(self) -> None:
        known = plan.Measured("run", "a", {}, {}, digits="0123")
        with (
            mock.patch.object(runs, "wanted", return_value=[]),
            self.assertRaisesRegex(plan.EvidenceError, "digits of 1 runs, its command has 0"),
        ):
            confirm.confirm("x", known, mock.Mock(), mock.Mock(), mock.Mock(), 10)


if __name__ == "__main__":
    unittest.main()
