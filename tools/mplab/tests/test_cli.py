# SPDX-License-Identifier: MIT
"""What the user may write, and what is said of what they may not."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import cli, traffic
from mplab.lab import paths
from mplab.lab.guest import GuestError, Guests
from mplab.research import cost, spaces
from mplab.research.cost import crowd, syns, transfer
from mplab.run import asked, plans
from mplab.run.schedulers import Schedulers, available
from mplab.words import places, units

MPLAB = Path(__file__).resolve().parents[1] / "mplab"


class Units(unittest.TestCase):
    def test_quantities(self) -> None:
        self.assertEqual(units.rate("8mbit"), 8e6)
        self.assertEqual(units.rate("50kbit"), 5e4)
        self.assertAlmostEqual(units.seconds("20ms"), 0.02)
        self.assertEqual(units.size("400k"), 400_000)
        self.assertEqual(units.percent("1.5%"), 1.5)


class Workload(unittest.TestCase):
    def test_settings_in_their_units(self) -> None:
        made = plans.workload("blocks,rate=9.5mbit,size=8k", duration=10)
        self.assertEqual(made, traffic.Blocks(duration=10, rate=9.5e6, size=8000))
        self.assertEqual(plans.workload("blocks,rate=0").rate, 0)
        self.assertEqual(plans.workload("bulk,delay=500ms").delay, 0.5)

    def test_what_is_wrong_is_named(self) -> None:
        for text, message in (
            ("ftp", "there are bulk, blocks, writes, order, transfer"),
            ("bulk,rate=1mbit", "bulk has no 'rate'; it has duration, warmup"),
            ("blocks,rate=1", "rate '1' has no unit"),
            ("blocks,rate", "'rate' is not KEY=VALUE"),
            ("bulk,duration=0s", "duration=0s is below 1s"),
            ("blocks,size=7", "size=7 is below 8, the least for blocks"),
            ("request,count=0", "count=0 is below 1"),
            ("request,count=²", "count '²': write a whole number"),
            (f"blocks,size={'9' * 400}", "has more than 18 digits; write 400k"),
            ("http,requests=5,clients=10", "10 clients need as many requests, not 5"),
        ):
            with self.subTest(text), self.assertRaises((plans.UsageError, units.UnitError)) as caught:
                plans.workload(text)
            self.assertIn(message, str(caught.exception))
        with self.assertRaisesRegex(plans.UsageError, "workload 'request' has none"):
            plans.workload("request", duration=3)


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
        self.assertIn("leave it out", self.fails("run", "--path", "trace=lte:7,40ms,200ms,step=1s"))

    def test_no_kernel(self) -> None:
        self.assertIn("no kernel at /nonexistent", self.fails("run", "--kernel", "/nonexistent"))

    def test_a_kernel_that_is_not_built(self) -> None:
        with mock.patch.dict(asked.KERNELS, stock=Path("/nonexistent")):
            self.assertIn("make kernel-stock", self.fails("shell", "--kernel", "stock"))
        with mock.patch.object(asked, "BUILD", Path("/nonexistent")):
            said = self.fails("shell", "--kernel", "6.18/stock")
            self.assertIn("/nonexistent/6.18/stock/uml: make kernel-stock KSRC=SOURCE, of Linux 6.18", said)
            self.assertIn("make kernel KSRC=SOURCE, of Linux 7.3", self.fails("shell", "--kernel", "7.3"))

    def test_a_version_that_has_no_folder_of_its_own(self) -> None:
        """KSRC= would build it in the place of the usual one."""
        for name in ("6.12", "5.4/stock"):
            said = self.fails("shell", "--kernel", name)
            self.assertIn("give patched, stock, 6.18, 6.18/stock, 7.3, 7.3/stock, or a directory", said)

    def test_results_must_have_a_place_before_they_are_measured(self) -> None:
        self.assertIn("--out /proc/x: No such file", self.fails("run", "--out", "/proc/x"))

    def test_no_call_overwrites_another(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            top = Path(directory)
            found = []
            for _ in range(3):
                with places.for_call(argparse.Namespace(out=None, place=top)) as (own, kept):
                    (own / "results.csv").touch()
                    found.append(own)
                self.assertEqual(kept, top)
            self.assertEqual(len(set(found)), 3)
            self.assertEqual((top / "last").resolve(), found[-1].resolve())
            with places.for_call(argparse.Namespace(out=top, place=top)) as call:
                self.assertEqual(call, (top, top))

    def test_a_call_without_results_leaves_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            top = Path(directory)
            with places.for_call(argparse.Namespace(out=None, place=top)) as (own, _):
                (own / "results.csv").touch()
            call = places.for_call(argparse.Namespace(out=None, place=top))
            with self.assertRaises(units.UsageError), call:
                raise units.UsageError("no such scheduler")
            self.assertEqual((top / "last").resolve(), own.resolve())
            self.assertEqual({each.name for each in top.iterdir()}, {own.name, "last"})

    def test_numbers(self) -> None:
        for wrong in ("0", "²", "9" * 5000):
            self.assertIn(f"'{wrong}': write a number from 1", self.fails("run", "--repeat", wrong))
        self.assertIn("more than 18 digits", self.fails("run", "--buffer", "9" * 400))
        for option in ("--seed", "--competing"):
            self.assertIn("'-1': write a number from 0", self.fails("run", f"{option}=-1"))
        self.assertIn("from 0", self.fails("design", "low", "--design-seed=-1"))
        self.assertIn("write a size from 8k to 2000m", self.fails("run", "--buffer", "1"))
        self.assertIn("seconds from 1", self.fails("cost", "--seconds", "0"))
        self.assertIn("above 100gbit", self.fails("run", "--path", "999gbit,1ms,1ms"))
        self.assertIn("share '5' has no unit; write 1%", self.fails("evidence", "confirm", "--share", "5"))

    def test_malformed_sysctls(self) -> None:
        for wrong in (
            "mptcp.ewlia_weight",
            "mptcp.ewlia_weight=",
            "=8",
            "weight=8",
            "mptcp..weight=8",
            "net/../vm/x=8",
            "mptcp.x y=8",
            "mptcp.x=1\n2",
        ):
            with self.subTest(wrong):
                said = self.fails("run", "--sysctl", wrong)
                self.assertIn("write NAME=VALUE, for example mptcp.ewlia_weight=8", said)

    def test_cost_compares_one_thing(self) -> None:
        said = self.fails("cost", "--congestion", "reno", "--against", "stock")
        self.assertIn("not allowed with", said)
        said = self.fails("cost", "--connections", "--scheduler", "rr,minrtt")
        self.assertIn("what is compared", said)

    def test_cost_of_what_the_kernel_has(self) -> None:
        with (
            mock.patch.object(asked, "kernel", lambda name: Path("/")),
            mock.patch.object(cost, "available", lambda guests: (Schedulers(), ["cubic", "reno"])),
        ):
            said = self.fails("cost", "--congestion", "reno,nosuch")
        self.assertIn("--congestion nosuch: this kernel has none of that name; it has cubic, reno", said)

    def test_a_trace_that_never_changes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "same"
            file.write_text("20\n20\n")
            with self.assertRaisesRegex(plans.UsageError, "rtt-trace=same .*all its values are the same"):
                plans.check_points([(paths.parse(f"8mbit,rtt-trace={file},80ms"),)], traffic.Bulk())

    def test_events_after_the_end(self) -> None:
        late = paths.parse("8mbit,20ms,80ms,down@40s")
        with self.assertRaisesRegex(plans.UsageError, "'down at 40 s' is not before the end of the run"):
            plans.check_points([(late,)], traffic.Bulk())
        plans.check_points([(late,)], traffic.Bulk(36))
        plans.check_points([(late,)], traffic.Request())

    def test_unknown_figure(self) -> None:
        self.assertIn("'mplab figure' lists them", self.fails("figure", "fig9.9"))

    def test_all_numbers_are_looked_at(self) -> None:
        for what in ("write", "check"):
            self.assertIn("leave out --only", self.fails("evidence", what, "--only", "bench"))

    def test_unknown_space(self) -> None:
        with mock.patch.object(asked, "kernel", lambda name: Path("/")):
            said = self.fails("design", "middle", "--out", "/tmp")
        self.assertIn("write one of low, high", said)

    def test_points_that_cannot_be_read(self) -> None:
        good = b"8mbit,20ms,80ms 2mbit,20ms,80ms\n"
        for content, message in (
            (b"# none\n\n", "points.txt: no point in it"),
            (b"\xd7\x00", "points.txt: not a text file"),
            (good + b"8mbit,20,80ms\n", "points.txt, line 2: 8mbit,20,80ms: RTT '20' has no unit"),
            (b"trace=lte:7,40ms,80ms,step=1s", "line 1: trace=lte:7,40ms,80ms,step=1s: step is the time"),
        ):
            with self.subTest(message), tempfile.TemporaryDirectory() as directory:
                file = Path(directory) / "points.txt"
                file.write_bytes(content)
                self.assertIn(message, self.fails("design", str(file), "--out", directory))
                file.write_bytes(good + b"# comment\n" + good)
                self.assertEqual(len(spaces._points(file)), 2)


class Output(unittest.TestCase):
    """Of the program itself: Python writes at its exit what was not written before."""

    def told(self, stdout: int | io.TextIOBase, *argv: str, **environment: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-B", MPLAB, *argv],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
        )
        return done.returncode, done.stderr

    def test_a_full_disk(self) -> None:
        said = (1, "mplab: output: No space left on device\n")
        calls = (["bench", "--list"], ["run", "--help-path"], ["figure"], ["--help"])
        for argv in calls:
            for unbuffered in ("", "1"):
                with self.subTest(argv, unbuffered=unbuffered), Path("/dev/full").open("w") as full:
                    self.assertEqual(self.told(full, *argv, PYTHONUNBUFFERED=unbuffered), said)

    def test_a_reader_that_has_gone(self) -> None:
        for argv in (["--help"], ["run", "--help-path"]):
            reader, writer = os.pipe()
            os.close(reader)
            with self.subTest(argv), os.fdopen(writer, "w") as pipe:
                self.assertEqual(self.told(pipe, *argv), (1, ""))

    def test_a_file_that_cannot_be_written(self) -> None:
        said = io.StringIO()
        error = PermissionError(errno.EACCES, "Permission denied", "/out/results.csv")
        with (
            mock.patch.dict(cli.commands.COMMANDS, merge=mock.Mock(side_effect=error)),
            contextlib.redirect_stderr(said),
        ):
            self.assertEqual(cli.main(["merge", "out", "in"]), 1)
        self.assertEqual(said.getvalue(), "mplab: /out/results.csv: Permission denied\n")


class Plan(unittest.TestCase):
    def plan(self, *argv: str) -> list[plans.Conditions]:
        args = cli._parser().parse_args(["run", *argv])
        kernels = {name: Guests() for name in args.kernel.split(",")}
        has = {
            "patched": (Schedulers(("default", "rr"), ("rp", "bm")), ["cubic", "reno"]),
            "stock": (Schedulers(), ["cubic", "reno"]),
            "6.18/stock": (Schedulers(), ["cubic", "reno"]),
        }
        answers = [has[name] for name in kernels]
        with mock.patch.object(plans, "available", side_effect=answers):
            return plans.plan(args, [(paths.parse("8mbit,20ms,80ms"),)], kernels)

    def test_every_combination(self) -> None:
        plan = self.plan("--scheduler", "default,rr", "--congestion", "cubic,reno", "--repeat", "2")
        self.assertEqual(len(plan), 3 * 2 * 2)  # plain TCP, too
        self.assertEqual({c.seed for c in plan}, {0, 1})

    def test_extensions_compose(self) -> None:
        plan = self.plan("--scheduler", "rr+rp,default+bm+rp", "--no-tcp")
        self.assertEqual([c.scheduler for c in plan], ["rr+rp", "default+bm+rp"])

    def test_all_that_there_are(self) -> None:
        there_are = Schedulers(("default", "replay", "rr"), ("rp",))
        self.assertEqual(asked.schedulers("all", there_are), ["default", "rr"])
        self.assertEqual(asked.schedulers("rr+rp,all,rr", there_are), ["rr+rp", "default", "rr"])

    def test_unknown_names_those_there_are(self) -> None:
        with self.assertRaisesRegex(plans.UsageError, "nosuch.*it has default, rr"):
            self.plan("--scheduler", "nosuch")
        for wrong in ("rr+xx", "rr+rp+rp", "nosuch+rp", "+rp", "rr+"):
            with self.assertRaisesRegex(plans.UsageError, r"with any of them \+rp, \+bm"):
                self.plan("--scheduler", wrong)
        with self.assertRaisesRegex(plans.UsageError, "vegas.*it has cubic, reno"):
            self.plan("--scheduler", "rr", "--congestion", "vegas")

    def test_sysctls_are_part_of_each_run(self) -> None:
        names = ("mptcp.ewlia_weight=8", "net.mptcp.x=a b", "net/ipv4/conf/eth0.1/y=1", "ipv4/z=2=3")
        wanted = [
            ("mptcp/ewlia_weight", "8"),
            ("mptcp/x", "a b"),
            ("ipv4/conf/eth0.1/y", "1"),
            ("ipv4/z", "2=3"),
        ]
        for c in self.plan("--scheduler", "rr", *(f"--sysctl={name}" for name in names)):
            self.assertEqual(c.sysctls, tuple(wanted))
        self.assertEqual(self.plan("--scheduler", "rr")[0].sysctls, ())

    def test_a_sysctl_is_no_other_way_to_name_what_an_option_names(self) -> None:
        for name, option in (("mptcp.scheduler=rr", "--scheduler"), ("ipv4.tcp_rmem=1 2 3", "--buffer")):
            with self.assertRaisesRegex(plans.UsageError, f"write {option} in its place"):
                self.plan("--scheduler", "rr", f"--sysctl={name}")

    def test_the_unpatched_kernel_runs_what_it_has(self) -> None:
        plan = self.plan("--scheduler", "default,rr", "--kernel", "patched,stock,6.18/stock", "--no-tcp")
        found = [(c.kernel, c.scheduler) for c in plan]
        all_on_ours = [("patched", "default"), ("patched", "rr")]
        self.assertEqual(found, [*all_on_ours, ("stock", "default"), ("6.18/stock", "default")])


class Cost(unittest.TestCase):
    def test_congestion_controls_in_turn_relative_to_the_first(self) -> None:
        """A machine that becomes slower slows all of a round: the ratio stays."""
        asked: list[str] = []

        def measured(candidate: transfer.Candidate, seconds: float) -> transfer.Cost:
            asked.append(candidate.congestion)
            slower = 1 + (len(asked) - 1) // 2
            return transfer.Cost(slower * {"reno": 4.0, "lia": 5.0}[candidate.congestion], 7)

        said = io.StringIO()
        with mock.patch.object(transfer, "_cost", measured), contextlib.redirect_stderr(said):
            view = transfer.compare_controls(Guests(), ["reno", "lia"], 10, 3)
        self.assertEqual(asked, ["reno", "lia"] * 3)
        self.assertIn("round 3 of 3", said.getvalue())
        columns = [list(column.cells) for column in view.columns]
        self.assertEqual(columns[0], ["reno", "lia"])
        self.assertEqual(columns[1][1], "10.00 [5.00..15.00]")
        self.assertEqual(columns[2], ["1.000 [1.000..1.000]", "1.250 [1.250..1.250]"])
        self.assertEqual(columns[3], ["7.0", "7.0"])

    def test_schedulers_over_faster_paths(self) -> None:
        asked: list[tuple[str, float]] = []

        def measured(candidate: transfer.Candidate, seconds: float) -> transfer.Cost:
            asked.append((candidate.scheduler, candidate.rate))
            return transfer.Cost(1.0)

        with mock.patch.object(transfer, "_cost", measured), contextlib.redirect_stderr(io.StringIO()):
            transfer.compare_schedulers(Guests(), ["default", "rr"], 10, 1)
            transfer.compare_schedulers(Guests(), ["rr"], 10, 1, rate=1e9)
        self.assertEqual(asked, [("default", 400e6), ("rr", 400e6), ("rr", 1e9)])

    def test_kernels_in_turn(self) -> None:
        """The same for each kind of transfer."""
        kernels = (Path("/one"), Path("/other"))
        with (
            mock.patch.object(
                transfer,
                "_cost",
                lambda c, seconds: transfer.Cost(3.0 if c.guests.kernel == kernels[0] else 2),
            ),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            view = transfer.compare(kernels, 10, 2)
        self.assertEqual(list(view.columns[0].cells), [mode.name for mode in transfer.MODES])
        self.assertEqual(list(view.columns[3].cells), ["1.500 [1.500..1.500]"] * len(transfer.MODES))

    def test_boot_and_topology_do_not_count(self) -> None:
        """10 s of 1 GB/s for 30 s of CPU time, of which an empty transfer takes 20 s and 0.5 GB."""
        runs = {0.5: transfer.Spent(20.0, 0.5, 1000), 10.0: transfer.Spent(30.0, 10.5, 51000)}
        with mock.patch.object(transfer, "_run", lambda c, seconds: runs[seconds]):
            found = transfer._cost(transfer.Candidate("x", Guests()), 10.0)
        self.assertEqual((found.cpu, found.decisions), (1, 5))

    def test_connections_beside_others(self) -> None:
        """What comes before the connections that are counted is taken off."""
        kernels = (Path("/one"), Path("/other"))

        def run(beside: crowd.Crowd, times: int) -> tuple[float, crowd.Json]:
            slower = 2 if beside.guests.kernel == kernels[0] else 1
            return beside.present + times * slower * 1e-4, {"bytes": 5000.0, "plain": 3}

        with mock.patch.object(crowd, "_run", run), contextlib.redirect_stderr(io.StringIO()):
            view = crowd.compare(kernels, 1)
        columns = [list(column.cells) for column in view.columns]
        self.assertEqual(columns[1], ["0", "1,000", "20,000"] * 2)
        self.assertEqual(columns[3][0], "100.0")
        self.assertEqual(columns[4], ["2.000 [2.000..2.000]"] * 6)
        self.assertEqual(columns[5], ["", "5000", "5000"] * 2)
        self.assertEqual(columns[7], ["", "3", "3"] * 2)

    def test_syns_beside_connections(self) -> None:
        """What MPTCP takes is what it takes more than TCP, on the same kernel."""
        kernels, all_syns = (Path("/one"), Path("/other")), syns.TIMES * syns.SYNS
        costs = {syns.TCP: 2.0, syns.CAPABLE: 3.0, syns.JOIN: 4.0}

        def run(case: syns.Case, rounds: int) -> tuple[float, syns.Json]:
            more = 2 if case.kind != syns.TCP and case.guests.kernel == kernels[1] else 0
            less = 0.5 if case.kind.startswith(syns.LOW) else 0
            done, cost = rounds * syns.SYNS, costs[case.kind.removeprefix(syns.LOW)]
            return case.present + done * (cost + more - less) * 1e-6, {"answered": done}

        with mock.patch.object(syns, "_run", run), contextlib.redirect_stderr(io.StringIO()):
            view = syns.compare(kernels, 1)
            lost = mock.patch.object(syns, "_run", lambda *_: (1.0, {"answered": all_syns // 2}))
            with lost, self.assertRaises(GuestError):
                syns.compare(kernels, 1)
        columns = [list(column.cells) for column in view.columns]
        self.assertEqual(columns[1], [p for p in ("0", "1,000", "10,000", "20,000") for _ in range(5)])
        self.assertEqual(columns[2][:5], ["2.00", "3.00", "4.00", "2.50", "3.50"])
        self.assertEqual(columns[5][:5], ["", "1.00", "2.00", "0.50", "1.50"])
        self.assertEqual(columns[6][:5], ["", "3.00", "4.00", "3.00", "4.00"])
        self.assertEqual(columns[7][1], "0.333 [0.333..0.333]")


class Available(unittest.TestCase):
    def test_congestion_controls_loaded_and_as_modules(self) -> None:
        """The command that asks runs on files of ours."""
        modules = ("ipv4/tcp_vegas", "ipv4/tcp_diag", "mptcp/mptcp_cong_lia", "mptcp/mptcp_cong_ewlia")
        modules += ("mptcp/mptcp_cong_test", "mptcp/mptcp_sched_rr", "ipv4/nf_tcp_x", "mptcp/mptcp_cong_reno")
        with tempfile.TemporaryDirectory() as directory:
            top = Path(directory)
            for name in modules:
                file = top / "modules" / "6.12" / "kernel" / "net" / f"{name}.ko"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            sysctls = {
                "ipv4/tcp_available_congestion_control": "reno cubic tcp_odd\n",
                "mptcp/available_schedulers": "default rr\n",
                "mptcp/available_sched_extensions": "rp\n",
            }
            for name, text in sysctls.items():
                (top / name).parent.mkdir(exist_ok=True)
                (top / name).write_text(text)

            def run(command: str, _: Path) -> str:
                for there, here in (("/proc/sys/net", top), ("/lib/modules", top / "modules")):
                    self.assertIn(there, command)
                    command = command.replace(there, str(here))
                return subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout

            guests = Guests()
            with mock.patch.object(guests, "run", run):
                schedulers, controls = available(guests)
        self.assertEqual(schedulers, Schedulers(("default", "rr"), ("rp",)))
        self.assertEqual(controls, ["cubic", "ewlia", "lia", "reno", "tcp_odd", "vegas"])


if __name__ == "__main__":
    unittest.main()
