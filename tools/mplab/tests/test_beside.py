# SPDX-License-Identifier: MIT
"""Traffic of others, and what one TCP flow gets in our place."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import cli
from mplab.lab import paths
from mplab.lab.guest import Guests
from mplab.run import baseline, experiment, plans, report, table
from mplab.run.experiment import TCP, Conditions, Result
from mplab.run.schedulers import Schedulers
from mplab.traffic import Blocks, Bulk, Ends, Request, Rpc, beside, metrics
from mplab.traffic import parse as workload
from mplab.traffic.beside import Tcp, Udp, Web
from mplab.words import settings
from mplab.words.units import UnitError, UsageError

WIFI, MOBILE = paths.parse("8mbit,20ms,80ms"), paths.parse("2mbit,150ms,2s")
BOTH = (WIFI, MOBILE)


class Texts(unittest.TestCase):
    def test_as_written(self) -> None:
        for text, wanted in (
            ("tcp", Tcp()),
            ("tcp,count=2,congestion=reno,path=1", Tcp(count=2, congestion="reno", path=1)),
            ("tcp,from=3s,until=1500ms", None),
            ("tcp,from=3s,until=9s,direction=against", Tcp(since=3, until=9, direction="against")),
            ("web,load=2mbit,size=50k", Web(load=2e6, size=50_000)),
            ("udp,rate=64kbit,size=200,direction=down", Udp(rate=64e3, size=200, direction="down")),
        ):
            with self.subTest(text):
                if wanted:
                    self.assertEqual(beside.parse(text), wanted)
                    self.assertEqual(beside.parse(str(wanted)), wanted)
                else:
                    self.assertRaises(UsageError, beside.parse, text)

    def test_what_is_wrong_is_named(self) -> None:
        for text, message in (
            ("sctp", "--beside sctp: there are tcp, web, udp"),
            ("udp,count=2", "udp has no 'count'; it has path, from, until, direction, rate, size"),
            ("tcp,count=0", "count=0 is below 1, the least for tcp"),
            ("tcp,count=99", "at most 50 of them"),
            ("tcp,from=5s,until=4s", "it ends before it begins"),
            ("web,direction=left", "write along or against or up or down"),
            ("udp,size=1201", "at most 1200 bytes"),
        ):
            with self.subTest(text), self.assertRaises((UsageError, UnitError)) as caught:
                beside.parse(text)
            self.assertIn(message, str(caught.exception))

    def test_what_the_network_has_no_room_for(self) -> None:
        with self.assertRaisesRegex(UsageError, "there are 2 paths"):
            beside.check((Tcp(path=3),), BOTH, "up")
        with self.assertRaisesRegex(UsageError, "no room for 150 flows"):
            beside.check((Tcp(count=50), Tcp(count=25)), BOTH, "up")
        beside.check((Tcp(count=50), Tcp(count=24)), BOTH, "up")

    def test_what_goes_against_needs_a_limit(self) -> None:
        limited = (paths.parse("8mbit,20ms,80ms,back=1mbit"), MOBILE)
        for main, direction in (("up", "against"), ("up", "down"), ("down", "up")):
            with self.assertRaisesRegex(UsageError, f"direction={direction}: .*back=RATE"):
                beside.check((Tcp(direction=direction),), limited, main)
            beside.check((Tcp(direction=direction, path=1),), limited, main)
            beside.check((Udp(direction=direction), Web(direction=direction)), limited, main)
        beside.check((Tcp(direction="up"),), BOTH, "up")
        with self.assertRaisesRegex(UsageError, "direction=both: .*back=RATE"):
            beside.check((), limited, "both")

    def test_each_kind_says_all_of_itself(self) -> None:
        for kind in beside.KINDS.values():
            self.assertEqual(beside.parse(settings.text(kind(), whole=True)), kind())


class Places(unittest.TestCase):
    def routes(self, *others: beside.Beside, **more: object) -> list[tuple]:
        c = Conditions(BOTH, beside=others, **more)  # type: ignore[arg-type]
        return [(f.protocol, f.routes[0][0]) for f in c.network().flows[c.main_flows :]]

    def test_on_each_path_or_on_one(self) -> None:
        self.assertEqual(self.routes(Tcp(count=2)), [("tcp", 0), ("tcp", 0), ("tcp", 1), ("tcp", 1)])
        self.assertEqual(self.routes(Tcp(path=2), Udp()), [("tcp", 1), ("udp", 0), ("udp", 1)])

    def test_competing_is_short_for_reno(self) -> None:
        c = Conditions(BOTH, competing=2, competing_path=1, competitor=Bulk(20, 0, 15))
        self.assertEqual(c.others, (Tcp(count=2, congestion="reno", path=1, since=15.0, until=35.0),))
        self.assertEqual(self.routes(competing=1), [("tcp", 0), ("tcp", 1)])

    def test_beside_connections_that_share_a_bottleneck(self) -> None:
        c = Conditions((WIFI,), topology="shared", connections=2, beside=(Tcp(count=2),))
        self.assertEqual(len(c.network().flows), 4)

    def test_tcp_in_our_place(self) -> None:
        net = Conditions(BOTH, TCP, tcp_path=2, beside=(Udp(),)).network()
        self.assertEqual([f.routes for f in net.flows], [((1,),), ((0,),), ((1,),)])

    def test_the_senders_of_each_direction(self) -> None:
        """Of main flows that send up: along is up."""
        for direction, sender in (("along", "client"), ("against", "server"), ("up", "client")):
            for each in (Tcp(direction=direction), Udp(direction=direction), Web(direction=direction)):
                c = Conditions((WIFI,), beside=(each,))
                ((_, ends),) = experiment._workloads(c, c.network(), Path("/x"))[1]
                orders = (each.listening(ends) + each.connecting(ends)).splitlines()
                by_host = {order.split()[3]: order for order in orders}
                sends = ('"bulk.send"', '"datagrams.send"', '"web.serve"')
                self.assertTrue(any(s in by_host[f"{sender}2"] for s in sends), (each, orders))
                self.assertTrue(all('rest="$rest $!"' in order for order in orders))

    def test_they_end_with_the_main_flows(self) -> None:
        text = experiment.script(Conditions((WIFI,), beside=(Web(),)), Path("/x"))
        order = [text.index(part) for part in ("web.browse", "bulk.send", "wait $pids", "kill $rest")]
        self.assertEqual(order, sorted(order))


class Evaluation(unittest.TestCase):
    """Main flows counted from 10 s to 20 s of the guest's clock."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def ends(self, each: beside.Beside, **left: object) -> Ends:
        c = Conditions((WIFI,), beside=(each,))
        ((_, ends),) = experiment._workloads(c, c.network(), self.dir, (10.0, 20.0))[1]
        for label, content in left.items():
            ends.file(label.replace("_", "-")).write_text(json.dumps(content))
        return ends

    def tcp(self, each: Tcp, start: float) -> dict:
        """1 Mbit/s, and 2 Mbit/s from 15 s on."""
        times = [start + n / 10 for n in range(300)]
        samples = [[t, 125_000 * (t - start + max(0, t - 15)), 0, 0] for t in times]
        subflow = {"route": 2, "cwnd": 1, "srtt_us": 1, "sent": 9, "retrans": 2}
        sent = {"start": start, "trace": [[start, [subflow]]], "totals": {}}
        received = {"start": start, "samples": samples, "longest_gap": 0}
        return each.evaluate(self.ends(each, send_up=sent, receive_up=received))

    def test_a_long_flow_counts_as_long_as_the_main_ones(self) -> None:
        found = self.tcp(Tcp(), 5)
        self.assertAlmostEqual(found["goodput_bps"], 1.5e6, delta=1e4)
        self.assertEqual(found["subflow_bytes_retransmitted"], 2)

    def test_or_for_a_while(self) -> None:
        self.assertAlmostEqual(self.tcp(Tcp(since=10, until=14), 11)["goodput_bps"], 1e6, delta=1e4)

    def test_one_that_never_began(self) -> None:
        each = Tcp(since=100)
        ends = self.ends(each, send_up={}, receive_up={"start": 0.0, "samples": [], "longest_gap": 0})
        self.assertEqual(each.evaluate(ends), {"goodput_bps": 0.0, "start_s": None})

    def test_short_flows(self) -> None:
        """One before the window, one that ends, one that does not end, and one after."""
        flows = [[9.0, 100, 0.1], [11.0, 1000, 2.0], [18.0, 5000, None], [21.0, 100, None]]
        each = Web()
        found = each.evaluate(self.ends(each, browse={"flows": flows}))
        self.assertEqual((found["flows_count"], found["unfinished_count"]), (2, 1))
        self.assertEqual(found["goodput_bps"], 800)
        self.assertEqual(found["completion_mean_s"], 2.0)
        self.assertIsNone(found["completion_p95_s"])

    def test_datagrams(self) -> None:
        """100 a second from 0 s on; one in four is lost in the window, and all before it."""
        each = Udp(rate=96e3, size=120)
        numbers = [n for n in range(1000, 2000) if n % 4]
        got = {"numbers": numbers, "delays_us": [1000 * (n % 4) for n in numbers]}
        found = each.evaluate(self.ends(each, send={"start": 0.0, "sent": 2000}, receive=got))
        self.assertAlmostEqual(found["loss_percent"], 25, delta=0.2)
        self.assertAlmostEqual(found["goodput_bps"], 72e3, delta=200)
        self.assertEqual((found["delay_min_s"], found["delay_max_s"]), (0.001, 0.003))

    def test_what_is_under_way_at_the_end_is_not_lost(self) -> None:
        """Nothing arrives after number 1799, or 1499; what was due 3 s before the end is lost."""
        each = Udp(rate=96e3, size=120)
        for last, lost in ((1800, 0.0), (1500, 100 * 200 / 700)):
            got = {"numbers": list(range(last)), "delays_us": [1] * last}
            found = each.evaluate(self.ends(each, send={"start": 0.0, "sent": 2000}, receive=got))
            with self.subTest(last):
                self.assertAlmostEqual(found["loss_percent"], lost)


def result(c: Conditions, goodput: float, *others: dict, **figures: object) -> Result:
    return Result(c, ({"goodput_bps": goodput, **figures}, *others), (1, 1), {}, {"release": "", "build": ""})


class Baseline(unittest.TestCase):
    def setUp(self) -> None:
        self.c = Conditions(BOTH, "rr", beside=(Tcp(), Web(path=2)))
        first, second = baseline.on_each(self.c)
        lone, slow = {"goodput_bps": 7e6}, {"goodput_bps": 2e6}
        quick, late = ({"goodput_bps": 1, "completion_mean_s": t} for t in (0.5, 2.0))
        self.tcp = [
            result(first, 4e6, {"goodput_bps": 4e6}, slow, quick),
            result(second, 1e6, lone, {"goodput_bps": 1e6}, {**quick, "completion_mean_s": 1.0}),
        ]
        self.ours = result(self.c, 5e6, {"goodput_bps": 3e6}, {"goodput_bps": 1e6}, late)
        self.results = [*self.tcp, self.ours]
        self.known = baseline.by_conditions(self.results)

    def test_one_tcp_flow_on_each_path(self) -> None:
        self.assertEqual([(c.scheduler, c.tcp_path) for c in baseline.on_each(self.c)], [(TCP, 1), (TCP, 2)])
        self.assertEqual(baseline.best(self.tcp), self.tcp[0])

    def test_the_best_by_what_the_workload_is_judged_by(self) -> None:
        c = Conditions(BOTH, TCP, workload=Blocks())
        slow, fast = result(c, 2, delay_p99_s=0.3), result(c, 1, delay_p99_s=0.1)
        unknown = result(c, 3, delay_p99_s=None)
        self.assertEqual(baseline.best([unknown, slow, fast]), fast)

    def test_benefit_against_what_tcp_gets(self) -> None:
        self.assertAlmostEqual(baseline.benefit(self.ours, self.known), 1.0)
        self.assertIsNone(baseline.benefit(self.ours, baseline.by_conditions(self.results[1:])))

    def test_benefit_against_the_rates_where_they_tell(self) -> None:
        c = Conditions(BOTH, "rr")
        whole = sum(p.capacity for p in BOTH)
        self.assertAlmostEqual(baseline.benefit(result(c, whole), {}), 1.0)
        changing = replace(c, paths=(paths.parse("8mbit,20ms,80ms,rate=1mbit@5s"), MOBILE))
        for other in (changing, replace(c, workload=Request())):
            with self.subTest(other):
                self.assertIsNone(baseline.benefit(result(other, whole), {}))
                alone = {t: result(t, 1e6) for t in baseline.on_each(other)}
                self.assertAlmostEqual(baseline.benefit(result(other, 1.5e6), alone), 0.5)

    def test_a_rate_of_its_own_has_no_benefit(self) -> None:
        for work in (Blocks(), Rpc()):
            c = Conditions(BOTH, "rr", workload=work)
            alone = {t: result(t, 1e6) for t in baseline.on_each(c)}
            self.assertIsNone(baseline.benefit(result(c, 1e6), alone))

    def test_harm_is_against_tcp_on_the_same_path(self) -> None:
        found = {(h.kind, h.path): h.share for h in baseline.harm(self.ours, self.known)}
        self.assertEqual(found, {(0, 1): 0.25, (0, 2): 0.0, (1, 2): 0.5})
        self.assertEqual(baseline.worst_harm(self.ours, self.known, 0, "goodput_bps"), 0.25)
        self.assertIsNone(baseline.worst_harm(self.ours, {}, 0, "goodput_bps"))

    def test_the_same_does_no_harm(self) -> None:
        same = result(self.c, 4e6, *self.tcp[1].flows[1:])
        shares = [h.share for h in baseline.harm(same, self.known) if h.path == 2]
        self.assertEqual(shares, [0.0, 0.0])

    def test_what_a_flow_of_others_gets(self) -> None:
        self.assertEqual(baseline.got(self.ours), [{"goodput_bps": 2e6}, {"completion_mean_s": 2.0}])
        self.assertEqual(  # of those that TCP met
            baseline.got(self.tcp[0]), [{"goodput_bps": 4e6}, {"completion_mean_s": None}]
        )
        row = table.row(self.ours, self.known)
        self.assertAlmostEqual(row["benefit"], 1.0)
        self.assertEqual((row["beside1"], row["beside1_goodput_bps"]), ("tcp", 2e6))
        self.assertEqual(row["beside2_completion_mean_s"], 2.0)

    def test_the_tables_show_both(self) -> None:
        columns = [list(column.cells) for column in report.neighbours(self.results).columns]
        self.assertEqual(columns[0], ["TCP on path 1", "TCP on path 2", "rr"])
        self.assertEqual(columns[1:3], [["4.00", "1.00", "2.00"], ["-", "-", "+0.25"]])
        self.assertEqual(columns[3:], [["-", "1.00", "2.00"], ["-", "-", "+0.50"]])
        first = [list(column.cells) for column in report.table(self.results).columns]
        self.assertEqual(first[2], ["1.00", "0.25", "1.25"])  # of the best TCP


class Harm(unittest.TestCase):
    def test_more_or_less_may_be_better(self) -> None:
        self.assertEqual(metrics.harm(4, 3), 0.25)
        self.assertEqual(metrics.harm(3, 4, less_is_better=True), 0.25)
        self.assertEqual(metrics.harm(2, 4), -1)
        self.assertEqual(metrics.harm(0, 4), 0)


class CommandLine(unittest.TestCase):
    def plan(self, *argv: str) -> list[Conditions]:
        args = cli._parser().parse_args(["run", "--scheduler", "rr", *argv])
        has = (Schedulers(("default", "rr")), ["cubic", "reno"])
        with mock.patch.object(plans, "available", return_value=has):
            return plans.plan(args, [BOTH], {"patched": Guests()})

    def names(self, *argv: str) -> list[tuple[str, int]]:
        return [(c.scheduler, c.tcp_path) for c in self.plan(*argv)]

    def test_tcp_is_on_each_path_where_the_rates_do_not_tell(self) -> None:
        each = [(TCP, 1), (TCP, 2), ("rr", 1)]
        self.assertEqual(self.names(), [(TCP, 1), ("rr", 1)])
        self.assertEqual(self.names("--beside", "tcp"), each)
        self.assertEqual(self.names("--competing", "1"), each)
        self.assertEqual(self.names("--workload", "rpc"), each)
        self.assertEqual(self.names("--tcp-on", "each"), each)
        self.assertEqual(self.names("--beside", "tcp", "--tcp-on", "2"), [(TCP, 2), ("rr", 1)])
        self.assertEqual(self.names("--beside", "tcp", "--no-tcp"), [("rr", 1)])
        with self.assertRaisesRegex(UsageError, "--tcp-on 3: there are 2 paths"):
            self.plan("--tcp-on", "3")

    def test_others_are_part_of_each_run(self) -> None:
        for c in self.plan("--beside", "tcp,path=2", "--beside", "web"):
            self.assertEqual(c.beside, (Tcp(path=2), Web()))
        with self.assertRaisesRegex(UsageError, "there are 2 paths"):
            self.plan("--beside", "tcp,path=3")
        with self.assertRaisesRegex(UsageError, "congestion vegas: this kernel has none"):
            self.plan("--beside", "tcp,congestion=vegas")

    def test_key_depends_on_what_starts_programs(self) -> None:
        """mptcpctl, where the workload is somebody else's program."""
        for work, depends in ((Bulk(), False), (workload("page"), True)):
            keys = set()
            for starter in "ab":
                with mock.patch.object(experiment, "_starter_id", lambda starter=starter: starter):
                    keys.add(experiment.key(Conditions(BOTH, workload=work), "b"))
            self.assertEqual(len(keys) > 1, depends)

    def test_key_depends_on_them(self) -> None:
        base = Conditions(BOTH)
        others = [(), (Tcp(),), (Web(),), (Tcp(count=2),), (Tcp(), Tcp())]
        keys = {experiment.key(replace(base, beside=each), "b") for each in others}
        keys.add(experiment.key(replace(base, tcp_path=2), "b"))
        self.assertEqual(len(keys), 6)


if __name__ == "__main__":
    unittest.main()
