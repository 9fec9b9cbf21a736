# SPDX-License-Identifier: MIT
"""Parts of a kernel: an edit changes the digest of the one that it belongs to, and of no other."""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import parts
from mplab.lab.paths import parse
from mplab.run.experiment import Conditions
from mplab.traffic.beside import Tcp

PATCH = "--- a/y.c\n+++ b/y.c\n@@ -1,2 +1,2 @@\n int a;\n-int b;\n+int c;\n"
KCONFIG = """config A
\tbool "one"
\tdefault y
\thelp
\t  One thing.
"""
MAKEFILE = """\
mptcp-y += core.o ext/coding/send.o
mptcp_sched_x-y := sched/x.o
obj-$(CONFIG_MPTCP_SCHED_X) += mptcp_sched_x.o
"""
CODE = {"core": "core.c", "mptcp_sched_x": "sched/x.c", "coding": "ext/coding/send.c"}


class Sources(unittest.TestCase):
    """A small project."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = Path(directory.name)
        for name in ("net/mptcp/sched", "net/mptcp/ext/coding", "patches/fixes", "tools/kernel/config"):
            (self.top / name).mkdir(parents=True)
        for name in CODE.values():
            (self.top / "net/mptcp" / name).write_text("/* what */\nint a;\n")
        (self.top / "net/mptcp/sched/Kconfig").write_text(KCONFIG)
        (self.top / "net/mptcp/sched/Makefile").write_text(MAKEFILE)
        (self.top / "tools/kernel/config/uml.config").write_text("CONFIG_HZ=100\n")
        (self.top / "patches/series").write_text("# all\nfixes/0001-x.patch\n")
        self.patch = self.top / "patches/fixes/0001-x.patch"
        self.patch.write_text("From: somebody\n" + PATCH)

    def changed(self, before: dict[str, str]) -> list[str]:
        return parts.changed(before, parts.of(self.top))

    def test_each_file_is_of_one_part(self) -> None:
        self.assertEqual(set(parts.of(self.top)), set(CODE))
        for part, name in CODE.items():
            before = parts.of(self.top)
            (self.top / "net/mptcp" / name).write_text("int b;\n")
            self.assertEqual(self.changed(before), [part])

    def test_comments_change_nothing(self) -> None:
        before = parts.of(self.top)
        (self.top / "net/mptcp/sched/x.c").write_text("/* what else */\nint  a; // and\n")
        (self.top / "net/mptcp/sched/test.c").write_text("int test;\n")
        (self.top / "net/mptcp/sched/Kconfig").write_text(KCONFIG.replace("One thing.", "Another."))
        (self.top / "net/mptcp/sched/Makefile").write_text("# why\n" + MAKEFILE)
        self.patch.write_text(
            "From: another\n\n" + PATCH.replace("@@ -1,2 +1,2 @@", "@@ -7,2 +7,4 @@\n+/* why\n+ * so */")
        )
        self.assertEqual(self.changed(before), [])

    def test_what_all_share_is_of_the_core(self) -> None:
        for file, text in (
            ("net/mptcp/sched/Kconfig", KCONFIG.replace("default y", "default n")),
            ("net/mptcp/sched/Makefile", MAKEFILE + "ccflags-y += -O3\n"),
            ("net/mptcp/sched/Makefile", MAKEFILE + "obj-m += x.o # y.o\n"),
            ("net/mptcp/core.h", "int c;\n"),
            ("tools/kernel/config/uml.config", "CONFIG_HZ=1000\n"),
            ("tools/kernel/config/uml.config", "# CONFIG_HZ is not set\n"),
            ("patches/fixes/0001-x.patch", PATCH.replace("+int c;", "+int d;")),
        ):
            with self.subTest(file=file, text=text):
                before = parts.of(self.top)
                (self.top / file).write_text(text)
                self.assertEqual(self.changed(before), ["core"])

    def test_words(self) -> None:
        now = parts.of(self.top)
        self.assertEqual(parts.from_words(f"More. {parts.in_words(now, now)} Less."), now)
        self.assertEqual(parts.from_words("nothing"), {})
        self.assertEqual(parts.changed({}, now), ["core"])

    def patch_digest(self, *lines: str, file: str = "y.c") -> str:
        """Of a patch with these lines in its hunk."""
        old, new = (sum(line[0] in signs for line in lines) for signs in (" -", " +"))
        head = f"--- a/{file}\n+++ b/{file}\n@@ -1,{old} +1,{new} @@\n"
        self.patch.write_text(head + "\n".join(lines) + "\n-- \n2.39.5\n")
        return parts.of(self.top)["core"]

    def test_lines_around_a_change_say_nothing(self) -> None:
        """Fewer of them make two hunks of one."""
        one = self.patch_digest(" int a;", "+int b;", " int c;", " int d;", "-int e;", " int f;")
        hunks = "@@ -1,2 +1,3 @@\n int a;\n+int b;\n int c;\n@@ -3,3 +4,2 @@\n int d;\n-int e;\n int f;\n"
        self.patch.write_text("--- a/y.c\n+++ b/y.c\n" + hunks)
        self.assertEqual(parts.of(self.top)["core"], one)

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


class Needs(unittest.TestCase):
    def parts(self, scheduler: str, **more: object) -> set[str]:
        path = parse("8mbit,20ms,80ms")
        return Conditions((path, path), scheduler, **more).parts - {"core"}  # type: ignore[arg-type]

    def test_modules(self) -> None:
        needed = self.parts("minrtt+rp", congestion="olia", beside=(Tcp(congestion="balia"),))
        self.assertEqual(needed, {"mptcp_sched_minrtt", "mptcp_cong_olia", "mptcp_cong_balia"})

    def test_what_modules_build_on(self) -> None:
        """Of this project: who calls what another module exports."""
        folder = parts.TOP / "net/mptcp"
        made = [pair for file in folder.rglob("Makefile") for pair in parts.MODULE.findall(file.read_text())]
        files = {
            name: (folder / objects.strip()).with_suffix(".c").read_text()
            for name, objects in made
            if "_test" not in name
        }
        found = {}
        for name, text in files.items():
            for symbol in re.findall(r"^EXPORT_SYMBOL\w*\((\w+)\)", text, re.MULTILINE):
                users = [user for user, other in files.items() if re.search(rf"\b{symbol}\b", other)]
                found |= {user: name for user in users if user != name}
        self.assertEqual(found, parts.BUILDS_ON)
        self.assertEqual(self.parts("default", congestion="wvegas") & {"mptcp_cong_lia"}, {"mptcp_cong_lia"})

    def test_modules_that_nobody_named(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            Path(name, "modules").write_text("mptcp_cong_lia\nnft_numgen\nmptcp_sched_rr\n")
            wrong = parts.unexpected(Path(name), {"mptcp_sched_rr"})
            self.assertEqual(wrong, "the run loaded mptcp_cong_lia, which its conditions do not name")

    def test_extensions(self) -> None:
        for sysctl, needed in (
            ("mptcp/coding", {"coding", "control"}),
            ("mptcp/rto_segments", set()),
            ("ipv4/tcp_sack", set()),
        ):
            with_it = self.parts("default", sysctls=((sysctl, "1"),))
            self.assertEqual(with_it - self.parts("default"), needed)

    def test_what_is_idle_is_there(self) -> None:
        """Of this project: the pattern names files."""
        folder = parts.TOP / "net/mptcp"
        names = [file.relative_to(folder) for file in folder.rglob("*.c")]
        found = {name.parent.name for name in names if parts.IDLE.fullmatch(str(name))}
        self.assertEqual(found, set().union(*parts.USED_WITH.values()))
        self.assertLessEqual(found, parts.of().keys())


if __name__ == "__main__":
    unittest.main()
