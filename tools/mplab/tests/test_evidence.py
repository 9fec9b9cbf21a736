# SPDX-License-Identifier: MIT
"""Published numbers: what the documents say is what the files say, and the files are of this kernel."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.evidence import check, measure, plan, sources, texts
from mplab.experiment import Conditions, Result
from mplab.paths import parse

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
KCONFIG = """config A
\tbool "one"
\tdefault y
\thelp
\t  One thing.
"""
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
        (self.top / "net/mptcp/Kconfig.sched").write_text(KCONFIG)
        (self.top / "net/mptcp/Makefile.sched").write_text("obj-y += x.o\n")
        (self.top / "tools/kernel/config").mkdir(parents=True)
        (self.top / "tools/kernel/config/uml.config").write_text("CONFIG_HZ=100\n")
        (self.dir / "plan.toml").write_text(PLAN)
        (self.top / "README.md").write_text(RENEWED)
        self.save(sources.digest(self.top))

    def save(self, digest: str, command: str = "run") -> None:
        plan.save("wifi", plan.Measured(command, "b", digest, VALUES), self.dir)

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
        made = texts.markdown(all_of_them, lambda _: plan.Measured("", "", "", values))
        self.assertEqual(made.splitlines()[2:], ["| one | 1.00 | 2.00 |", "| three | 4.00 |  |"])

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

    def test_a_missing_file(self) -> None:
        (self.dir / "wifi.json").unlink()
        self.assertIn("run 'make evidence ONLY=wifi'", self.problems()[0])

    def test_another_command(self) -> None:
        self.save(sources.digest(self.top), "run --buffer 1m")
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


class Sources(Project):
    def test_comments_change_nothing(self) -> None:
        before = sources.digest(self.top)
        (self.top / "net/mptcp/sched_x.c").write_text("/* what else */\nint  a; // and\n")
        (self.top / "net/mptcp/sched_test.c").write_text("int test;\n")
        (self.top / "net/mptcp/Kconfig.sched").write_text(KCONFIG.replace("One thing.", "Another."))
        (self.top / "net/mptcp/Makefile.sched").write_text("# why\nobj-y += x.o\n")
        self.patch.write_text(
            "From: another\n\n" + PATCH.replace("@@ -1,2 +1,2 @@", "@@ -7,2 +7,4 @@\n+/* why\n+ * so */")
        )
        self.assertEqual(sources.digest(self.top), before)

    def test_code_changes_all(self) -> None:
        for file, text in (
            ("net/mptcp/sched_x.c", "int b;\n"),
            ("net/mptcp/Kconfig.sched", KCONFIG.replace("default y", "default n")),
            ("net/mptcp/Makefile.sched", "obj-m += x.o\n"),
            ("net/mptcp/Makefile.sched", "obj-m += x.o # y.o\nccflags-y += -O3\n"),
            ("tools/kernel/config/uml.config", "CONFIG_HZ=1000\n"),
            ("tools/kernel/config/uml.config", "# CONFIG_HZ is not set\n"),
            ("patches/fixes/0001-x.patch", PATCH.replace("+int c;", "+int d;")),
        ):
            with self.subTest(file=file, text=text):
                before = sources.digest(self.top)
                (self.top / file).write_text(text)
                self.assertNotEqual(sources.digest(self.top), before)
                self.one("wifi.json is from the sources")
                self.save(sources.digest(self.top))

    def patch_digest(self, *lines: str, file: str = "y.c") -> str:
        """Of a patch with these lines in its hunk."""
        old, new = (sum(line[0] in signs for line in lines) for signs in (" -", " +"))
        head = f"--- a/{file}\n+++ b/{file}\n@@ -1,{old} +1,{new} @@\n"
        self.patch.write_text(head + "\n".join(lines) + "\n-- \n2.39.5\n")
        return sources.digest(self.top)

    def test_what_looks_like_a_comment_in_a_patch(self) -> None:
        none = self.patch_digest(" int a;", " int b;")
        for line in ("+#define LIMIT 3", "-#if IS_ENABLED(CONFIG_MPTCP)", "+\t*p = 3;", "+\t*p++;"):
            self.assertNotEqual(self.patch_digest(" int a;", line, " int b;"), none, line)
        for name, line in (("Kconfig", "+\tdefault y"), ("Makefile", "+obj-y += a.o")):
            self.assertNotEqual(self.patch_digest(" a", line, " b", file=name), none, name)

    def test_comments_in_a_patch(self) -> None:
        none = self.patch_digest(" int a;", " int b;")
        for lines in (
            (" int a;", "+/* one", "+ * two", "+ */", " int b;"),
            ("  * its end is", "+ * here */", " int b;"),
            ("  * a comment", "+ * goes on", "  * on both sides"),
            (" int a;", " /* it begins", "-   here */", "+   there */"),
            (" int a; /* one */", "-\t", "+\t// two"),
        ):
            self.assertEqual(self.patch_digest(*lines), none, lines)
        self.assertEqual(self.patch_digest(" a", "+# why", file="Makefile"), none)
        self.assertEqual(self.patch_digest(" a", "+\t  Why.", file="Kconfig"), none)
        self.assertEqual(self.patch_digest(" a", "+int b;", file="Documentation/x.rst"), none)

    def test_a_comment_in_a_text(self) -> None:
        before = self.patch_digest('+char *a = "http://b";')
        self.assertNotEqual(self.patch_digest('+char *a = "http://c";'), before)

    def test_a_change_that_does_not_matter(self) -> None:
        old = sources.digest(self.top)
        (self.top / "net/mptcp/sched_x.c").write_text("int other;\n")
        middle, new = "123456789abc", sources.digest(self.top)
        self.one(f"{old} {new} WHY")
        (self.dir / "same.txt").write_text(f"# why\n{old} {middle} a name\n{middle} {new}\n")
        self.one("WHY")  # no reason, no excuse
        (self.dir / "same.txt").write_text(f"{old} {middle} a name\n{middle} {new} another name\n")
        self.assertEqual(self.problems(), [])

    def test_the_page_of_figures(self) -> None:
        (self.top / "Documentation/figures").mkdir()
        page = self.top / "Documentation/figures/index.md"
        page.write_text("kernel build 1\n")
        self.one("does not say which sources")
        page.write_text("sources 123456789abc\n")
        self.one("figures/index.md is from the sources 123456789abc")
        (self.dir / "older.txt").write_text("figures/index.md 123456789abc it takes a night\n")
        self.assertEqual(self.problems(), [])
        page.write_text("sources 023456789abc\n")  # older.txt is about another one
        self.one("figures/index.md is from the sources 023456789abc")
        page.write_text(f"sources {sources.digest(self.top)}\n")
        self.assertEqual(self.problems(), [])

    def test_a_number_that_is_known_to_be_older(self) -> None:
        old = "000000000001"
        self.save(old)
        self.one(f"wifi.json is from the sources {old}")
        (self.dir / "older.txt").write_text(f"wifi {old}\n")
        self.one(f"wifi.json is from the sources {old}")  # no reason, no excuse
        (self.dir / "older.txt").write_text(f"wifi {old} it takes a night\n")
        self.assertEqual(self.problems(), [])


class Numbers(unittest.TestCase):
    def results(self, count: int) -> list[Result]:
        c = Conditions((parse("8mbit,20ms,80ms"), parse("2mbit,20ms,80ms")), "default")
        flow = {"goodput_bps": 0.9 * c.paths[0].capacity, "delay_p99_s": 0.04, "start_s": 1.0}
        return [
            Result(c, ({**flow, "goodput_bps": flow["goodput_bps"] + n},), (3, 1), {}, {})
            for n in range(count)
        ]

    def test_of_a_comparison(self) -> None:
        found = measure._single(self.results(3), None)
        self.assertEqual((found["path1_share"], found["delay_p99_ms"]), (0.75, 40))
        self.assertAlmostEqual(found["benefit"], -0.1, 5)
        self.assertNotIn("start_ms", found)

    def test_percentiles_of_few_are_none(self) -> None:
        for count, there in ((19, False), (20, True)):
            results = self.results(count)
            self.assertEqual("p5_benefit" in measure._over_points(results, {}), there)


if __name__ == "__main__":
    unittest.main()
