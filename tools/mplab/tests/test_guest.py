# SPDX-License-Identifier: MIT
"""Guests: each comes to an end, and knows nothing of the host that could change a result."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.lab import guest
from mplab.lab.guest import BOOT, Ended, GuestError, Guests, KernelChanged, OutOfTime


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)


class TheGuests(Scratch):
    def setUp(self) -> None:
        super().setUp()
        (self.dir / "linux").write_text("one")
        boot = mock.patch.object(Guests, "_command", lambda *_: ["sh", str(self.dir / "guest.sh")])
        for patch in (boot, mock.patch.object(guest, "SHARED", str(self.dir))):
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_kernel_built_meanwhile_is_an_error(self) -> None:
        guests = Guests(self.dir)
        first = guests.build_id
        self.assertEqual(guests.run("echo x", self.dir), "x\n")
        guests.run(f"sleep 0.02; printf one >{self.dir / 'linux'}", self.dir)  # the same again
        with self.assertRaisesRegex(KernelChanged, "was built anew meanwhile"):
            guests.run(f"printf two >{self.dir / 'linux'}", self.dir)
        self.assertNotEqual(first, Guests(self.dir).build_id)

    def test_a_run_is_known_by_what_it_needs(self) -> None:
        """The kernel, its modules, and of ours those that the run may load."""
        modules = self.dir / "modules"
        modules.mkdir()
        names = ("mptcp_sched_x", "mptcp_sched_y", "mptcp_sched_test", "mptcp_token_test", "nft_numgen")
        for name in names:
            (modules / f"{name}.ko").write_text("one")
        needed = {"core", "mptcp_sched_x"}
        first = Guests(self.dir).identity(needed)
        for name in (*(f"modules/{name}.ko" for name in names), "linux"):
            file = self.dir / name
            file.write_text("two")
            changes = Guests(self.dir).identity(needed) != first
            self.assertEqual(changes, file.stem in {"mptcp_sched_x", "nft_numgen", "linux"}, name)
            file.write_text("one")
        self.assertNotEqual(Guests(self.dir, real_time=True).identity(needed), first)

    def test_a_crash_is_told_where_it_was(self) -> None:
        """However long the stack is that follows."""
        script = "echo 'RIP: 0033:mine_get_send+0xb8/0x120'; seq 30; exit 134"
        with self.assertRaisesRegex(GuestError, r"status 134:\nRIP: .*mine_get_send.*\n16\n"):
            Guests(self.dir).run(script, self.dir)

    def test_none_starts_after_the_end(self) -> None:
        with Guests(self.dir) as guests:
            pass
        with self.assertRaises(Ended):
            guests.run(f"touch {self.dir / 'started'}", self.dir)
        self.assertFalse((self.dir / "started").exists())

    def test_one_that_was_ended_is_not_tried_again(self) -> None:
        with ThreadPoolExecutor(1) as pool:
            with Guests(self.dir) as guests:
                future = pool.submit(guests.run, "sleep 60", self.dir)
                while not guests._running:
                    time.sleep(0.01)
            with self.assertRaises(Ended):
                future.result(5)

    def test_one_that_does_not_end_is_ended(self) -> None:
        start = time.monotonic()
        with self.assertRaisesRegex(OutOfTime, "no end after 0.2 s of the host's time"):
            Guests(self.dir, limit=0.2).run("sleep 60", self.dir)
        self.assertLess(time.monotonic() - start, 5)

    def test_one_that_does_not_listen_is_killed(self) -> None:
        with mock.patch.object(guest, "PATIENCE", 0.2), self.assertRaises(OutOfTime):
            Guests(self.dir, limit=0.5).run("trap '' TERM; echo x; while :; do sleep 1; done", self.dir)


class Environment(unittest.TestCase):
    """What a guest gets to see of the host."""

    def orders(self, *options: str, **environment: str) -> str:
        """What boot-uml tells the guest to do."""
        script = (
            f". {shlex.quote(str(BOOT.with_name('guest.sh')))}; guest_options {shlex.join(options)} -- true;"
            " guest_prepare; cd $run; cat command settings shared bound; dirname $run; readlink ro1 || :"
        )
        keep = {"PATH": os.environ["PATH"], **environment}
        made = subprocess.run(
            ["bash", "-eu", "-c", script, "boot"], env=keep, cwd="/usr", check=True, capture_output=True
        )
        return made.stdout.decode()

    def test_with_a_seed_nothing(self) -> None:
        plain = self.orders("--seed", "1", "--rw-at", "/tmp", guest.SHARED)
        other = {"PATH": f"{os.environ['PATH']}:/x/y", "HOME": "/home/somebody", "TERM": "xterm"}
        other["TMPDIR"] = "/var/tmp"
        self.assertEqual(plain, self.orders("--seed", "1", "--rw-at", "/tmp", guest.SHARED, **other))
        self.assertIn(f"PATH={guest.PATH} ", plain)
        self.assertNotIn("/usr\n", plain)  # the working directory

    def test_no_name_of_a_folder(self) -> None:
        def orders(place: Path) -> tuple[str, str]:
            made = place / "modules" / "lib" / "modules"
            made.mkdir(parents=True)
            said = self.orders(
                *("--seed", "1", "--kernel", str(place), "--bind", str(place), guest.TOOLS),
                *("--rw-at", str(place), guest.SHARED),
            )
            return said.removesuffix(f"{place}\n"), said

        with tempfile.TemporaryDirectory() as name:
            (first, whole), (second, _) = (orders(Path(name) / folder) for folder in ("a", "another"))
            self.assertTrue(whole.endswith(f"{name}/a\n"))
        self.assertEqual(first, second)
        self.assertIn(f"ro1\t{guest.TOOLS}\nro2\t/lib/modules\n", first)

    def test_without_one_as_it_is(self) -> None:
        self.assertIn("HOME=/home/somebody TERM=xterm", self.orders(HOME="/home/somebody", TERM="xterm"))
        self.assertTrue(self.orders().startswith("cd /usr\n"))

    def test_the_script_has_the_same_names_everywhere(self) -> None:
        texts = set()
        for top, directory in ((Path("/a"), Path("/tmp/x")), (Path("/home/b/c"), Path("/var/tmp/yyy"))):
            with mock.patch.object(guest, "TOP", top):
                program = top / "tools" / "mplab" / "traffic.py"
                texts.add(guest.same_names(f"{program} >{directory}/out", directory))
        self.assertEqual(texts, {"/run/tools/mplab/traffic.py >/run/mplab/out"})


if __name__ == "__main__":
    unittest.main()
