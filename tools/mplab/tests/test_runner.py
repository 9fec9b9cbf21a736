# SPDX-License-Identifier: MIT
"""Evaluation of what a guest left, and many runs: nothing lost, nothing twice."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import commands, traffic
from mplab.inside import connections
from mplab.lab import paths, topology
from mplab.lab.guest import GuestError, OutOfTime
from mplab.publish import figures, page, plot
from mplab.run import experiment, report, runner, table
from mplab.run.experiment import Conditions, Result
from mplab.run.schedulers import Schedulers
from mplab.traffic import Blocks, Bulk, metrics
from mplab.words import units

WIFI, MOBILE = paths.parse("8mbit,20ms,80ms"), paths.parse("2mbit,150ms,2s")
KERNEL = {"release": "6.12.0", "build": "b"}


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)


class Evaluation(Scratch):
    def leave(self, way: str, sent: object, got: object) -> None:
        """What a guest leaves for the first flow."""
        for end, content in (("send", sent), ("receive", got)):
            (self.dir / f"{end}{way}-0.json").write_text(json.dumps(content))
        (self.dir / "times").write_text("10.0 1\n13.1 1\n")
        for role in ("client", "server"):
            (self.dir / f"netstat-{role}").write_text(
                "MPTcpExt: MPCapableSYNACKRX MPJoinSynAckRx\nMPTcpExt: 1 0\n"
            )
        for router, sent in (("router1", 300), ("router2", 100)):
            said = f"qdisc netem 1: root refcnt 2\n Sent {sent} bytes 2 pkt (dropped 0)\n"
            (self.dir / f"sent-{router}").write_text(said)
        (self.dir / "kernel").write_text("6.12.0\n")
        (self.dir / "modules").write_text("nft_numgen\n")

    def bulk(self, routes: tuple[int, ...] = (1, 2), seconds: int = 3, rate: int = 5) -> Result:
        """1 MB/s after a first second of 2 MB/s."""
        trace = []
        for t in (0.5, 1, 2, 3):
            state = {"cwnd": 10, "srtt_us": 1000 * t, "retrans": 1}
            trace.append([10 + t, [{"route": n, "sent": rate * n * t, **state} for n in routes]])
        sent = {"start": 10.0, "trace": trace, "totals": {}}
        ticks = range(10 * seconds + 1)
        samples = [[10 + t / 10, t * 10**5 + min(t, 10) * 10**5, 7, 9] for t in ticks]
        self.leave("-up", sent, {"start": 10.0, "samples": samples, "longest_gap": 0.2})
        conditions = Conditions((WIFI, MOBILE), "rr", workload=Bulk(2, 1))
        return experiment.evaluate(conditions, self.dir, "b")

    def test_goodput_without_warmup(self) -> None:
        result = self.bulk()
        self.assertAlmostEqual(result.goodput, 8e6)
        self.assertEqual(result.shares, (0.75, 0.25))
        self.assertEqual(result.main["receive_buffer_peak_bytes"], 9)
        self.assertEqual(result.main["subflow_bytes_retransmitted"], 2)
        self.assertEqual(result.counters["client"], {"MPCapableSYNACKRX": 1})

    def test_a_module_that_nobody_asked_for_is_an_error(self) -> None:
        """Or else its changes would not make this run another."""
        self.bulk()
        (self.dir / "modules").write_text("mptcp_sched_rr\nmptcp_sched_blest\n")
        conditions = Conditions((WIFI, MOBILE), "rr", workload=Bulk(2, 1))
        with self.assertRaisesRegex(GuestError, "loaded mptcp_sched_blest, which its conditions do not name"):
            experiment.evaluate(conditions, self.dir, "b")

    def test_each_path_over_time(self) -> None:
        main = self.bulk().main
        self.assertEqual(main["start_s"], 10)
        self.assertEqual(main["cwnd_over_time"]["2"][0], (0.5, 10))
        self.assertEqual(main["sent_over_time_s_bps"]["1"], [(1, 40), (2, 40), (3, 40)])
        self.assertEqual(main["sent_over_time_s_bps"]["2"][-1], (3, 80))
        self.assertEqual(main["srtt_median_s"], {"1": 0.002, "2": 0.002})  # without the warm-up

    def test_a_missing_subflow_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "only 1 of 2 subflows"):
            self.bulk(routes=(1,))

    def test_an_early_end_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "measured 2.0 s of 3 s"):
            self.bulk(seconds=2)

    def test_one_that_never_sends_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "0.00 Mbit/s: the scheduler did not send a byte"):
            self.bulk(rate=0)

    def test_a_guest_that_lost_its_patience_is_an_error(self) -> None:
        (self.dir / "impatient").touch()
        with self.assertRaisesRegex(OutOfTime, "no end after 20000 s of the guest's time"):
            self.bulk()
        self.assertEqual(experiment.patience(Conditions((WIFI,), workload=Bulk(30_000, 0))), 90_000)

    def test_no_result_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "left no result"):
            experiment.evaluate(Conditions((WIFI,)), self.dir, "b")

    def blocks(self, arrived: int) -> Result:
        """A block each 100 ms, 20 ms under way; the last one 1 s."""
        subflow = {"route": 1, "cwnd": 10, "srtt_us": 1, "sent": 5, "retrans": 1}
        due = [100_000 * n for n in range(arrived)]
        delay = [20_000] * (arrived - 1) + [1_000_000]
        sent = {"start": 0.0, "sent": 30, "trace": [[0.5, [subflow]]], "totals": {}}
        self.leave("", sent, {"start": 0.0, "due_us": due, "delay_us": delay})
        conditions = Conditions((WIFI,), workload=Blocks(2, 1, 8e4, 1000))
        return experiment.evaluate(conditions, self.dir, "b")

    def test_delays(self) -> None:
        main = self.blocks(30).main
        self.assertAlmostEqual(main["delay_p50_s"], 0.02)
        self.assertAlmostEqual(main["delay_max_s"], 1.0)
        self.assertAlmostEqual(main["longest_gap_s"], 1.08)
        self.assertEqual(len(main["delays_s"]), 20)  # without the warm-up

    def incast(self, took: tuple[float, ...]) -> Result:
        """Two rounds of 1 s and 3 s."""
        subflow = {"route": 1, "cwnd": 10, "srtt_us": 1, "sent": 5, "retrans": 1}
        self.leave("", {}, {})
        for role, content in (
            ("ask", {"rounds": [10.0, 11.0, 14.0], "took": [[t] for t in took]}),
            ("answer", {"servers": [{"trace": [[13.0, [subflow]]], "totals": {}, "timeouts": 3}]}),
        ):
            (self.dir / f"{role}-0.json").write_text(json.dumps(content))
        work = traffic.Incast(1000, 2)
        conditions = Conditions((WIFI,), workload=work, topology="incast", connections=1)
        return experiment.evaluate(conditions, self.dir, "b")

    def test_a_round_lasts_until_the_slowest_answer(self) -> None:
        result = self.incast((0.5, 2.0))
        self.assertEqual(result.goodput, 2 * 1000 * 8 / 4)
        self.assertEqual(result.main["answer_max_s"], 2)
        self.assertEqual(result.main["rounds_began_s"], [10, 11])
        self.assertEqual((result.main["rounds_s"], result.main["timeouts"]), ([1, 3], 3))

    def test_a_missing_answer_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "1 of 2 answers"):
            self.incast((0.5,))

    def test_a_missing_block_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "29 of 30 blocks"):
            self.blocks(29)


class Settings(unittest.TestCase):
    """What the guest's script sets, and where."""

    def lines(self, **conditions: object) -> list[str]:
        """The orders of each host: its name before them."""
        c = Conditions((WIFI, MOBILE), "rr", "olia", **conditions)  # type: ignore[arg-type]
        text = experiment._host_settings(c, c.network())
        return text.replace("ip netns exec", "\0ip netns exec").split("\0")

    def test_sysctls_of_the_main_hosts(self) -> None:
        first, *hosts = self.lines(sysctls=(("mptcp/ewlia_weight", "8"),), competing=1, competing_path=2)
        having = [h.split()[3] for h in hosts if "echo 8 >/proc/sys/net/mptcp/ewlia_weight" in h]
        self.assertEqual(having, ["client", "server"])
        self.assertEqual([h.split()[3] for h in hosts], ["client", "server", "client2", "server2"])
        self.assertNotIn("ewlia", first)

    def test_of_all_connections_of_an_incast(self) -> None:
        _, *hosts = self.lines(
            sysctls=(("mptcp/ewlia_weight", "8"),),
            **{"topology": "incast", "connections": 3, "workload": traffic.Incast()},
        )
        self.assertEqual(sum("/proc/sys/net/mptcp/ewlia_weight" in h for h in hosts), 6)

    def test_restricted_congestion_controls_are_set_in_the_first_namespace(self) -> None:
        first = self.lines(competing=1)[0]
        self.assertEqual(
            [line.split(" ||")[0] for line in first.splitlines()],
            [f"echo {name} >/proc/sys/net/ipv4/tcp_congestion_control" for name in ("olia", "reno")],
        )

    def test_a_sysctl_that_fails_is_named(self) -> None:
        """The shell runs an order for a file that no kernel has."""
        order = experiment._set("nosuch/weight", "8 9") + "\necho went on"
        ran = subprocess.run(["sh", "-e", "-c", order], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("net.nosuch.weight: this kernel does not have it or does not take '8 9'", ran.stdout)
        self.assertNotIn("went on", ran.stdout)

    def test_one_that_works_is_written(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            order = experiment._set("mptcp/x", "8 9").replace("/proc/sys/net/mptcp", directory)
            subprocess.run(["sh", "-e", "-c", order], check=True)
            self.assertEqual((Path(directory) / "x").read_text(), "8 9\n")

    def test_nobody_waits_for_the_patience(self) -> None:
        """A workload that has ended by itself leaves nothing to wait for."""
        script = experiment.script(Conditions((WIFI,), workload=traffic.Http()), Path("/x"))
        waiting = script[script.index("{ sleep 20000") :].splitlines()[1]
        ran = subprocess.run(["sh", "-c", f"sleep 60 & {waiting}; kill $!"], timeout=10, check=False)
        self.assertEqual(ran.returncode, 0)

    def test_competitors_have_times_of_their_own(self) -> None:
        c = Conditions((WIFI,), workload=Bulk(60, 0), competing=1, competitor=Bulk(20, 0, 15))
        main, others = experiment._workloads(c, c.network(), Path("/x"))
        orders = [shlex.split(w.connecting(e).split(" & ")[0])[-1] for w, e in [*main, *others]]
        self.assertEqual([json.loads(order)["delay"] for order in orders], [0, 15])
        self.assertEqual([json.loads(order)["seconds"] for order in orders], [61, 20])


class OneComparison(Scratch):
    def results(self, *controls: str) -> list[Result]:
        flow = {"goodput_bps": 8e6, "over_time_s_bps": [(n / 10, 8e6) for n in range(1, 31)] + [(3.1, 1e6)]}
        conditions = [Conditions((WIFI,), s, c) for c in controls for s in ("tcp", "default")]
        return [Result(c, (flow,), (5,), {}, KERNEL) for c in conditions]

    def test_congestion_controls_are_kept_apart(self) -> None:
        self.assertEqual(list(report.grouped(self.results("reno"))), ["TCP on path 1", "default"])
        groups = report.grouped(self.results("cubic", "reno"))
        names = ["TCP on path 1, cubic", "TCP on path 1, reno", "default, cubic", "default, reno"]
        self.assertEqual(list(groups), names)
        self.assertIn("cubic and reno", report.title(self.results("cubic", "reno")))
        self.assertEqual(report.table(self.results("cubic", "reno")).row_count, 4)

    def test_only_whole_seconds_are_drawn(self) -> None:
        samples = self.results("reno")[0].main["over_time_s_bps"]
        self.assertEqual(metrics.by_second(samples), [(0.5, 8e6), (1.5, 8e6), (2.5, 8e6)])
        self.assertEqual(metrics.by_second([(1.0001, 5), (2.0001, 6)]), [(0.5, 5), (1.5, 6)])

    def test_hundreds_of_events_fit(self) -> None:
        """Also the drawing, whose title is a part of it."""
        path = paths.parse("8mbit,20ms,80ms" + "".join(f",rate=1mbit@{n}s" for n in range(1, 300)))
        result = replace(self.results("reno")[0], conditions=Conditions((path,), "default"))
        plot.draw([result], self.dir / "x.png")
        self.assertLess(len(report.title([result]).splitlines()[0]), 250)

    def test_a_drawing_that_fails_is_a_warning(self) -> None:
        def fails(*_: object) -> None:
            raise OverflowError("raster overflow")

        said = io.StringIO()
        with (
            mock.patch.object(plot, "draw", fails),
            contextlib.redirect_stderr(said),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            commands._show(self.results("reno"), [], self.dir)
        self.assertIn("warning: no drawing: OverflowError: raster overflow", said.getvalue())
        self.assertTrue((self.dir / "results.json").exists() and (self.dir / "results.csv").exists())

    def shown(self, results: list[Result], width: int) -> str:
        said = io.StringIO()
        report.Console(file=said, width=width).print(report.table(results))
        return said.getvalue()

    def test_several_runs_are_counted_and_their_spread_shown(self) -> None:
        first = self.results("reno")[1]
        flow = {**first.main, "goodput_bps": 7e6}
        more = [
            first,
            replace(first, flows=(flow,)),
            replace(first, conditions=replace(first.conditions, seed=9)),
        ]
        said = self.shown(more, 110)
        self.assertIn("8.00 [7.00..8.00]", said)
        self.assertIn("[least..most]", " ".join(said.split()))
        self.assertRegex(said, r"│ +3 │")
        self.assertIn("seeds 0 to 9", said)
        self.assertNotIn("[", self.shown(self.results("reno"), 110))

    def test_an_empty_column_says_why(self) -> None:
        first = self.results("reno")[1]

        def said(*results: Result) -> str:
            return " ".join(self.shown(list(results), 200).split())

        def alone(*wanted: paths.Path, **more: str) -> Result:
            return replace(first, conditions=Conditions(wanted, "default", **more))  # type: ignore[arg-type]

        filled = said(*self.results("reno"))
        self.assertFalse("none ran here" in filled or "No benefit" in filled)
        self.assertIn("Of TCP: none ran here", said(alone(WIFI, MOBILE)))
        changing = paths.parse("8mbit,20ms,80ms,rate=1mbit@5s")
        self.assertIn("No benefit: what such paths offer", said(alone(changing, MOBILE)))
        self.assertIn("No benefit: paths are shared", said(alone(WIFI, topology="shared")))

    def test_names_are_whole_at_80_columns(self) -> None:
        first = self.results("reno")[1]
        first = replace(first, conditions=Conditions((WIFI, MOBILE), "redundant+rp+bm"), path_bytes=(5, 5))
        self.assertIn("redundant+rp+bm", self.shown([first] * 3, 80))

    def test_no_benefit_of_what_does_not_fill_the_paths(self) -> None:
        """Nor where a path's capacity is more than one number."""
        changing = paths.parse("8mbit,20ms,80ms,rate=1mbit@5s")
        for c, has in (
            (Conditions((WIFI,)), True),
            (Conditions((WIFI,), workload=Blocks()), False),
            (Conditions((changing,)), False),
        ):
            flow = {"goodput_bps": 1e6}
            self.assertEqual(Result(c, (flow,), (1,), {}, {}).benefit is not None, has)

    def test_files_also_if_all_failed(self) -> None:
        failure = runner.Failure(Conditions((WIFI,)), "broken")
        (self.dir / "goodput.png").write_text("of an older call")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            commands._show([], [failure], self.dir)
        self.assertIn("broken", (self.dir / "results.csv").read_text())
        self.assertFalse((self.dir / "goodput.png").exists())
        self.assertNotIn("goodput.png", said.getvalue())


class Addresses(unittest.TestCase):
    def test_route_of_a_peer(self) -> None:
        import socket
        import struct

        v4 = struct.pack("=H", socket.AF_INET) + bytes(2) + socket.inet_aton("10.7.2.2")
        v6 = struct.pack("=H", socket.AF_INET6) + bytes(6)
        self.assertEqual(connections._route(v4), 7)
        for n in (1, 255, 256, 600):
            raw = struct.pack("=HH", socket.AF_INET, 5001) + socket.inet_aton(topology.address("client", n))
            self.assertEqual(connections._route(raw), n)
        self.assertEqual(connections._route(v6 + socket.inet_pton(socket.AF_INET6, "fd00:9:2::2")), 9)
        self.assertEqual(connections._route(v6 + socket.inet_pton(socket.AF_INET6, "::ffff:10.3.2.2")), 3)


class FakeGuests:
    def identity(self, _: set[str]) -> str:
        return "b"


class Runner(Scratch):
    def setUp(self) -> None:
        super().setUp()
        self.measured: list[Conditions] = []
        self.plan = [Conditions((WIFI,), seed=n) for n in range(6)]

    def go(self, fail: Callable[[Conditions], bool] = lambda c: False) -> tuple[dict, runner.Runner]:
        def measure(guests: object, c: Conditions, cpu: int) -> Result:
            self.measured.append(c)
            if fail(c):
                raise GuestError("broken")
            return Result(c, ({"goodput_bps": 1e6 + c.seed},), (1,), {}, KERNEL)

        made = runner.Runner({"patched": FakeGuests()}, runner.Store(self.dir), 2)  # type: ignore[dict-item]
        with mock.patch.object(runner, "measure", measure), contextlib.redirect_stderr(io.StringIO()):
            return made.run(self.plan), made

    def test_order_and_content(self) -> None:
        results, _ = self.go()
        self.assertEqual(list(results), self.plan)
        self.assertEqual([r.goodput for r in results.values()], [1e6 + n for n in range(6)])

    def test_goes_on_where_it_stopped(self) -> None:
        def interrupt(c: Conditions) -> bool:
            if c.seed == 3:
                raise KeyboardInterrupt
            return False

        with self.assertRaises(KeyboardInterrupt):
            self.go(interrupt)
        kept = len(list((self.dir / "runs").glob("*.gz")))
        self.assertGreaterEqual(kept, 1)
        self.measured.clear()
        results, _ = self.go()
        self.assertEqual(len(results), 6)
        self.assertLessEqual(len(self.measured), 6 - kept)  # one more may have ended meanwhile

    def test_a_damaged_result_is_measured_anew(self) -> None:
        self.go()
        for number, file in enumerate(sorted((self.dir / "runs").glob("*.gz"))):
            whole = bytearray(file.read_bytes())
            whole[12 + number] ^= 0xFF  # in what is compressed
            file.write_bytes(whole)
        self.measured.clear()
        results, made = self.go()
        self.assertEqual((len(results), len(self.measured), made.failures), (6, 6, []))

    def test_a_result_that_finds_no_room(self) -> None:
        """The error says which, and no part of it is left. Python ignores the signal of this limit."""
        self.plan, allowed = self.plan[:1], resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, allowed[1]))
        try:
            with self.assertRaisesRegex(OSError, r"File too large: '.*/runs/[0-9a-f]{20}\.json\.gz'"):
                self.go()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
        self.assertEqual(list((self.dir / "runs").iterdir()), [])

    def test_a_failure_is_tried_again(self) -> None:
        results, made = self.go(lambda c: c.seed == 2 and self.measured.count(c) == 1)
        self.assertEqual((len(results), made.failures), (6, []))

    def test_a_failure_is_reported_and_tried_next_time(self) -> None:
        results, made = self.go(lambda c: c.seed == 2)
        self.assertEqual(len(results), 5)
        self.assertEqual([f.conditions.seed for f in made.failures], [2])
        table.write_csv(self.dir / "x.csv", results.values(), made.failures)
        with (self.dir / "x.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["error"] for row in rows], [""] * 5 + ["broken"])
        self.assertEqual({row["build"] for row in rows[:5]}, {"b"})
        self.assertEqual(len(self.go()[0]), 6)

    def test_one_that_ran_out_of_time_is_not_tried_again(self) -> None:
        def measure(guests: object, c: Conditions, cpu: int) -> Result:
            self.measured.append(c)
            raise OutOfTime("no end")

        made = runner.Runner({"patched": FakeGuests()}, runner.Store(self.dir), 1)  # type: ignore[dict-item]
        with mock.patch.object(runner, "measure", measure), contextlib.redirect_stderr(io.StringIO()):
            made.run(self.plan[:1])
        self.assertEqual((len(self.measured), made.failures[0].reason), (1, "no end"))

    def test_a_broken_file_is_measured_again(self) -> None:
        self.go()
        for file in (self.dir / "runs").iterdir():
            file.write_bytes(file.read_bytes()[:20])
        self.measured.clear()
        self.assertEqual(len(self.go()[0]), 6)
        self.assertEqual(len(self.measured), 6)

    def test_key_depends_on_everything(self) -> None:
        base = Conditions((WIFI,))
        other = [
            replace(base, seed=1),
            replace(base, paths=(MOBILE,)),
            replace(base, buffer=1),
            replace(base, workload=Bulk(31)),
            replace(base, workload=Blocks()),
            replace(base, competing_path=1),
            replace(base, competitor=Bulk()),
            replace(base, competitor=Bulk(delay=1)),
            replace(base, sysctls=(("mptcp/ewlia_weight", "8"),)),
            replace(base, sysctls=(("mptcp/ewlia_weight", "9"),)),
        ]
        keys = {experiment.key(c, "b") for c in [base, *other]} | {experiment.key(base, "c")}
        self.assertEqual(len(keys), 12)

    def test_what_is_set_is_in_the_results(self) -> None:
        c = Conditions(
            (WIFI,), competing=2, competing_path=1, competitor=Bulk(20, 0, 15),
            sysctls=(("mptcp/ewlia_weight", "8"), ("ipv4/x", "1 2")),
        )  # fmt: skip
        flows = ({"goodput_bps": 1e6},) * 3
        result = Result(c, flows, (1,), {}, KERNEL)
        found = json.loads(json.dumps(result.as_json()))["conditions"]
        self.assertEqual(found["sysctls"], [["mptcp/ewlia_weight", "8"], ["ipv4/x", "1 2"]])
        self.assertEqual(
            found["competitor"], {"duration": 20, "warmup": 0, "delay": 15, "direction": "up", "notsent": 0}
        )
        row = table.row(result)
        self.assertEqual(row["sysctls"], "net.mptcp.ewlia_weight=8 net.ipv4.x=1 2")
        self.assertEqual((row["competing_path"], row["competing_delay_s"]), (1, 15))
        self.assertIn("net.mptcp.ewlia_weight=8, net.ipv4.x=1 2", report.title([result]))


class Columns(unittest.TestCase):
    def row(self, *texts: str, **conditions: object) -> dict[str, object]:
        c = Conditions(tuple(map(paths.parse, texts)), **conditions)  # type: ignore[arg-type]
        flow = {"goodput_bps": 1e6}
        return table.row(Result(c, (flow,) * len(c.network().flows), (1,) * len(texts), {}, KERNEL))

    def test_numbers_of_each_path(self) -> None:
        row = self.row("8mbit,20ms,80ms,1%,burst=4,down@5s", "2mbit,150ms,100p", workload=Blocks())
        self.assertEqual((row["path1_rate_bps"], row["path1_rtt_s"], row["path1_queue_s"]), (8e6, 0.02, 0.08))
        self.assertEqual((row["path1_loss_percent"], row["path1_loss_burst_packets"]), (1, 4))
        self.assertEqual((row["path1_events"], row["path2_events"], row["path2_queue_packets"]), (1, 0, 100))
        self.assertEqual((row["workload_rate_bps"], row["workload_duration_s"]), (4e6, 30))
        self.assertIsNone(row["benefit"])

    def test_all_are_explained(self) -> None:
        """In tools/mplab/README.md, with N in place of a number."""
        text = (Path(__file__).parents[1] / "README.md").read_text()
        explained = set(re.findall(r"`(\w+)`", text))
        for kind in traffic.KINDS.values():
            row = self.row(
                "8mbit,20ms,80ms", workload=kind(), competing=1, competitor=Bulk(), competing_path=1
            )
            names = {re.sub(r"^(path|beside)\d", r"\1N", name) for name in row}
            self.assertEqual(names - explained, set())


class Figures(Scratch):
    def test_each_draws_what_there_is(self) -> None:
        """With made-up results for all, for some and for none of its runs."""
        s = figures.Setting(
            False, Schedulers(("default", "minrtt", "rr"), ("rp",)), ("cubic", "reno", "olia")
        )
        for figure in figures.FIGURES.values():
            wanted = figure.plan(s)
            results = {c: self.made_up(c) for c in wanted}
            some = dict(list(results.items())[::3])
            for there in (results, some, {}):
                with self.subTest(figure.name, runs=len(there)):
                    drawn = page.draw(figure, s, there, [], self.dir)
                    self.assertGreater(drawn.image.stat().st_size, 3000)
            self.assertTrue(drawn.image.with_suffix(".svg").exists())
            self.assertIn(figure.name, page.markdown(drawn))

    def test_the_caption_says_what_it_is_from(self) -> None:
        s = figures.Setting(schedulers=Schedulers(("default",)))
        handover = figures.FIGURES["handover"]
        results = [self.made_up(c) for c in handover.plan(s)]
        said = page.caption(handover, results)
        self.assertIn("Bar: median; line: from the least to the most. 6 runs, blocks of 200 bytes", said)
        self.assertIn("seeds 0 to 2.", said)

    def test_names_that_no_kernel_has(self) -> None:
        """Nothing asks for another name than the project's kernel has; if it does, that is an error."""
        rivals = ("blest", "ecf", "edpf", "pet", "stms", "sttf", "wrr")
        bases = ("default", "inorder", "minrtt", "redundant", "rr", *rivals)
        known = Schedulers(bases, ("rp", "bm", "rs", "r", "rp0", "rp1"))
        controls = ("cubic", "reno", "lia", "olia", "balia", "wvegas", "ewlia")
        for figure in figures.FIGURES.values():
            self.assertTrue(figure.plan(figures.Setting(False, known, controls, strict=True)), figure.name)
        fewer = figures.Setting(False, Schedulers(("default", "minrtt"), ("r", "rp1")), controls, strict=True)
        with self.assertRaisesRegex(
            units.UnitError, r"asks for 'minrtt\+rp', which this kernel does not have"
        ):
            figures.FIGURES["fig4.6"].plan(fewer)

    def made_up(self, c: Conditions) -> Result:
        flow = {
            "goodput_bps": 0.9 * c.paths[0].capacity,
            "delays_s": [0.01, 0.02, 0.03],
            "longest_gap_s": 0.5,
            "receive_buffer_peak_bytes": 10**6,
            "time_to_full_rate_s": 1.0,
            "cwnd_over_time": {"1": [(0.1, 10), (0.2, 20)]},
            "sent_over_time_s_bps": {path: [(t / 2, 1e6) for t in range(1, 120)] for path in "12"},
            "srtt_median_s": {"1": 0.1},
            "start_s": 7.0,
            "answer_max_s": 0.2,
        }
        count = len(c.network().flows)
        return Result(c, (flow,) * count, (1000,) * len(c.paths), {}, KERNEL)


if __name__ == "__main__":
    unittest.main()
