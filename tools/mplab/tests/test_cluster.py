# SPDX-License-Identifier: MIT
"""A plan on many machines: shares, merges, job arrays. spread.py does it with real guests."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import cli
from mplab.lab import paths
from mplab.run import runner
from mplab.run.cluster import merge, pool, shard, slurm
from mplab.run.experiment import Conditions, Result
from mplab.words import units
from mplab.words.units import UsageError

PATH = paths.parse("8mbit,20ms,80ms")


class FakeGuests:
    def identity(self, _: set[str]) -> str:
        return "b"


KERNELS = {"patched": FakeGuests()}


class Shares(unittest.TestCase):
    def test_each_run_is_in_one(self) -> None:
        plan = [Conditions((PATH,), seed=n) for n in range(20)]
        backwards = [*reversed(plan), plan[3]]
        shares = [shard.Shard(n, 3).of(plan, KERNELS) for n in (1, 2, 3)]
        self.assertEqual(shares, [shard.Shard(n, 3).of(backwards, KERNELS) for n in (1, 2, 3)])
        self.assertEqual([len(share) for share in shares], [7, 7, 6])
        self.assertEqual(set(plan), {c for share in shares for c in share})

    def test_text(self) -> None:
        self.assertEqual(shard.parse("2/4"), shard.Shard(2, 4))
        for wrong in ("0/4", "5/4", "1", "a/b", "1/0"):
            with self.subTest(wrong), self.assertRaisesRegex(units.UnitError, "write NUMBER/COUNT"):
                shard.parse(wrong)


class Merges(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def put(self, store: str, letter: str, value: int = 1, release: str = "6.12", level: int = 5) -> Path:
        """A result file."""
        runs = self.dir / store / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"value": value, "kernel": {"release": release}}).encode()
        file = runs / f"{letter * 20}.json.gz"
        file.write_bytes(gzip.compress(content + b" " * 99, compresslevel=level, mtime=0))
        return file

    def merge(self, *sources: str) -> merge.Merged:
        return merge.merge(self.dir / "out", [self.dir / name for name in sources])

    def test_files_of_all(self) -> None:
        one, two = self.put("1", "a"), self.put("2", "b", release="7.3")
        self.put("2", "a")
        (self.dir / "2" / "runs" / "b.tmp").write_text("not whole")
        self.assertEqual(self.merge("1", "2"), merge.Merged(2, 0, ("6.12", "7.3")))
        found = {file.name: file.read_bytes() for file in (self.dir / "out" / "runs").iterdir()}
        self.assertEqual(found, {file.name: file.read_bytes() for file in (one, two)})
        self.assertEqual(self.merge("1", "out").new, 0)

    def test_packed_in_another_way(self) -> None:
        one, two = self.put("1", "a", level=0), self.put("2", "a", level=9)
        self.assertNotEqual(one.read_bytes(), two.read_bytes())
        self.assertEqual(self.merge("1", "2").new, 1)

    def test_a_conflict_stops_it_before_anything_is_copied(self) -> None:
        self.put("1", "a")
        self.put("1", "b")
        self.put("2", "b", value=2)
        with self.assertRaisesRegex(
            UsageError, "2/runs/b+.json.gz and .*1/runs/b+.json.gz have the same name"
        ):
            self.merge("1", "2")
        self.assertFalse((self.dir / "out").exists())

    def test_broken_files_and_other_directories(self) -> None:
        file = self.put("1", "a")
        file.write_bytes(file.read_bytes()[:-12])
        with self.assertRaisesRegex(UsageError, "a.json.gz is not whole"):
            self.merge("1")
        file.write_bytes(gzip.compress(b"[]"))
        with self.assertRaisesRegex(UsageError, "is no result"):
            self.merge("1")
        with self.assertRaisesRegex(UsageError, "nosuch: no results in it"):
            self.merge("nosuch")
        self.assertFalse((self.dir / "out").exists())

    def test_a_share_may_be_empty_but_not_all(self) -> None:
        self.put("1", "a")
        for empty in ("2", "3"):
            (self.dir / empty / "runs").mkdir(parents=True)
        with self.assertRaisesRegex(UsageError, "no results in .*/2, .*/3: their runs failed"):
            self.merge("2", "3")
        self.assertFalse((self.dir / "out").exists())
        self.assertEqual(self.merge("1", "2"), merge.Merged(1, 0, ("6.12",)))

    def test_no_place_for_them(self) -> None:
        self.put("1", "a")
        (self.dir / "out").write_text("a file")
        with self.assertRaisesRegex(UsageError, f"^{self.dir}/out/runs: Not a directory"):
            self.merge("1")


class JobArrays(unittest.TestCase):
    def test_a_task_is_not_asked_to_write_a_file(self) -> None:
        argv = ["bench", "--slurm", "f", "--only", "x", "--tasks=4", "--seed", "1"]
        self.assertEqual(slurm.without_own(argv), ["bench", "--only", "x", "--seed", "1"])
        self.assertEqual(slurm.without_own(["--slurm=f", "--tasks", "--slurm", "x"]), ["x"])

    def test_script(self) -> None:
        argv = ["bench", "--mine", "my links", "--slurm", "f"]
        text = slurm.script(argv, 4, Path("/o u/t"), Path("/home/x y"))
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)
        stub = text.replace(str(slurm.LAUNCHER), "printf '%s\\n'").replace("exec ", "", 1)
        said = subprocess.run(
            ["bash"], input=stub, text=True, capture_output=True, check=True,
            env={"SLURM_ARRAY_TASK_ID": "3", "SLURM_CPUS_PER_TASK": "2"},
        ).stdout  # fmt: skip
        words = ["bench", "--mine", "my links", "--shard", "3/4", "--jobs", "2", "--out", "/o u/t"]
        self.assertEqual(said.splitlines(), words)
        self.assertIn("#SBATCH --array=1-4\n", text)
        self.assertIn("#SBATCH --chdir='/home/x y'\n", text)
        self.assertIn("#SBATCH --output='/o u/t/slurm-%A_%a.log'\n", text)


class Dask(unittest.TestCase):
    def test_its_absence_is_explained(self) -> None:
        with (
            mock.patch.dict(sys.modules, distributed=None),
            self.assertRaisesRegex(UsageError, "apt install python3-distributed"),
            pool.connected("local", 1),
        ):
            pass

    def test_a_worker_with_other_files(self) -> None:
        with (
            mock.patch.object(pool, "_guests", lambda label, limit: FakeGuests()),
            self.assertRaisesRegex(UsageError, "has another kernel or another version of mplab"),
        ):
            pool.measured(Conditions((PATH,)), "0" * 20, 600)


class CommandLine(unittest.TestCase):
    def test_one_way_at_a_time(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
            cli.main(["bench", "--shard", "1/2", "--cluster", "local"])
        self.assertIn("not allowed with", said.getvalue())
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
            cli.main(["design", "low", "--shard", "3/2"])
        self.assertIn("'3/2': write NUMBER/COUNT", said.getvalue())


class Lean(unittest.TestCase):
    def test_numbers_only_and_all_on_disk(self) -> None:
        flow = {"goodput_bps": 1e6, "delay_p99_s": None, "delays_s": [1.0], "text": "x"}
        c = Conditions((PATH,))
        whole = Result(c, (flow,), (1,), {}, {"release": "6.12.0", "build": "b"})
        with tempfile.TemporaryDirectory() as name:
            store = runner.Store(Path(name))
            made = runner.Runner(KERNELS, store, 1, lean=True)
            with (
                mock.patch.object(runner, "measure", lambda *_: whole),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                measured, known = made.run([c])[c], made.run([c])[c]
            self.assertEqual(store.load(c, "b").flows, (flow,))
        self.assertEqual(measured.flows, ({"goodput_bps": 1e6, "delay_p99_s": None},))
        self.assertEqual(known, measured)


if __name__ == "__main__":
    unittest.main()
