# SPDX-License-Identifier: MIT
"""Workloads: their texts, and what is made of what a guest leaves."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import traffic
from mplab.lab import network, paths
from mplab.lab.guest import GuestError
from mplab.run.experiment import Conditions
from mplab.traffic import (
    Blocks,
    Bulk,
    Bursts,
    Ends,
    Order,
    Page,
    Rpc,
    Tls,
    Transfer,
    Video,
    Workload,
    Writes,
    capture,
    metrics,
    parse,
)
from mplab.words import settings
from mplab.words.units import UnitError, UsageError

WIFI, MOBILE = paths.parse("8mbit,20ms,80ms"), paths.parse("2mbit,150ms,2s")
SUBFLOWS = [{"route": n, "cwnd": 10, "srtt_us": 1, "sent": 5, "retrans": 1} for n in (1, 2)]
TRACE = {"trace": [[1.0, SUBFLOWS]], "totals": {}}


class Texts(unittest.TestCase):
    def test_as_written(self) -> None:
        for text, wanted in (
            ("bulk,direction=both,notsent=16k", Bulk(direction="both", notsent=16_000)),
            ("transfer,size=64k,count=20,warm=yes", Transfer(64_000, 20, True)),
            ("rpc,per_second=0.5,answer=64k", Rpc(answer=64_000, per_second=0.5)),
            ("writes,nodelay=yes,rate=1mbit", Writes(rate=1e6, nodelay=True)),
            ("video,ladder=3mbit/1mbit", Video(ladder=(1e6, 3e6))),
        ):
            with self.subTest(text):
                self.assertEqual(parse(text), wanted)
                self.assertEqual(parse(settings.text(wanted)), wanted)

    def test_each_says_all_of_itself(self) -> None:
        for kind in traffic.KINDS.values():
            self.assertEqual(parse(settings.text(kind(), whole=True)), kind())

    def test_each_is_explained(self) -> None:
        text = settings.explained(traffic.KINDS)
        self.assertLess(max(map(len, text.splitlines())), 80)
        for name, kind in traffic.KINDS.items():
            form = text[text.index(f"{name}") :]
            self.assertTrue(all(f"{key}=" in form for key in settings.keys(kind)), name)
        self.assertIn("direction=down|up", text)

    def test_what_is_wrong_is_named(self) -> None:
        for text, message in (
            ("bulk,direction=left", "direction 'left': write up or down or both"),
            ("transfer,warm=1", "warm '1': write yes or no"),
            ("transfer,count=1.5", "count '1.5': write a whole number"),
            ("rpc,per_second=often", "write a number from 0 to 100000"),
            ("rpc,request=7", "request=7 is below 8, the least for rpc"),
            ("video,ladder=1", "ladder '1' has no unit"),
            ("video,buffer=5s", "the buffer must hold what it starts with and a segment more"),
            ("page,size=10", "size=10 is below 1000"),
        ):
            with self.subTest(text), self.assertRaises((UsageError, UnitError)) as caught:
                parse(text)
            self.assertIn(message, str(caught.exception))

    def test_the_data_of_each_direction_meets_the_bottlenecks(self) -> None:
        for text, wanted in (
            ("bulk", "up"),
            ("bulk,direction=both", "up"),
            ("blocks,direction=down", "down"),
        ):
            net = Conditions((WIFI,), workload=parse(text)).network()
            self.assertEqual(net.direction, wanted)

    def test_who_sends(self) -> None:
        """The server waits, and sends if data goes down; for both ways there are two connections."""
        ends = Ends(Conditions((WIFI,)).network(), 0, Path("/x"))
        for kind, program in ((Bulk, "bulk"), (Blocks, "blocks"), (Writes, "blocks")):
            for direction, waits in (("up", "receive"), ("down", "send")):
                self.assertIn(f'"{program}.{waits}"', kind(direction=direction).listening(ends))
        both = Bulk(direction="both").listening(ends)
        self.assertEqual([both.count(f'"port": {port}') for port in (5001, 5002)], [1, 1])


class Evaluation(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def found(self, work: Workload, protocol: str = network.MPTCP, **left: object) -> dict:
        """The figures of what the programs left."""
        ends = Ends(network.disjoint((WIFI, MOBILE), protocol), 0, self.dir)
        for label, content in left.items():
            text = content if isinstance(content, str) else json.dumps(content)
            ends.file(label.replace("_", "-")).write_text(text)
        return work.evaluate(ends)

    def test_both_ways(self) -> None:
        def one(rate: int, gap: float) -> tuple[dict, dict]:
            samples = [[t / 10, t * rate // 80, 1, 2] for t in range(31)]
            return {"start": 0.0, **TRACE}, {"start": 0.0, "samples": samples, "longest_gap": gap}

        (up, got_up), (down, got_down) = one(8_000_000, 0.5), one(1_600_000, 0.2)
        left = {"send_up": up, "receive_up": got_up, "send_down": down, "receive_down": got_down}
        found = self.found(Bulk(2, 1, direction="both"), **left)
        self.assertAlmostEqual(found["up_goodput_bps"], 8e6)
        self.assertAlmostEqual(found["goodput_bps"], 9.6e6)
        self.assertEqual((found["longest_gap_s"], found["down"]["longest_gap_s"]), (0.5, 0.2))

    def ordered(self, protocol: str = network.MPTCP) -> dict:
        """Four blocks, each one late by the one after it."""
        sent = {"sent": 4, **TRACE}
        got = {"due_us": [1e6 * n for n in range(4)], "delay_us": [1000] * 4}
        order = [2, 1, 4, 3]
        density = metrics.reorder_density(order)
        found = capture.Reordering(4, 0, 0.5, 1.0, density, 0.7, 1.0, 1, 1)
        with mock.patch.object(capture, "reordering", return_value=found) as asked:
            figures = self.found(Order(3, 0), protocol, send=sent, receive=got)
        self.asked = [call.args for call in asked.call_args_list]
        return figures

    def test_order(self) -> None:
        found = self.ordered()
        self.assertEqual(self.asked, [(self.dir, "order-0-*")])
        self.assertEqual(
            (found["late_ratio"], found["late_by_packets"], found["hold_p99_packets"]), (0.5, 1, 1)
        )
        self.assertEqual(found["displacements"], [(-1, 0.5), (1, 0.5)])
        self.assertNotIn("late_ratio", self.ordered(network.TCP))
        self.assertEqual(self.asked, [])

    def test_captures_are_at_the_receiver(self) -> None:
        """One of each link, before anything is sent."""
        ends = Ends(network.disjoint((WIFI, MOBILE)), 0, self.dir)
        lines = Order().listening(ends).splitlines()
        for line, device in zip(lines, ("s1", "s2"), strict=False):
            self.assertIn(f"ip netns exec server tcpdump -i {device} ", line)
            self.assertIn(f"/order-0-{device} tcp", line)
        self.assertIn('"blocks.receive"', lines[2])

    def test_nothing_captured_is_an_error(self) -> None:
        sent, got = {"sent": 1, **TRACE}, {"due_us": [1e6], "delay_us": [1000]}
        with self.assertRaisesRegex(GuestError, "no data packet"):
            self.found(Order(3, 0), send=sent, receive=got)

    def transfers(self, count: int, **settings: object) -> dict:
        """Each takes 1 s to the receiver, and its sender knows 0.2 s later."""
        work = Transfer(1000, count, **settings)  # type: ignore[arg-type]
        began = [2.0 * n for n in range(count)]
        up = 0.2 if work.direction == "up" else 0.0
        asked = {"began": began, "ended": [t + 1 + up for t in began], **TRACE}
        first = [-2.0] if work.warm else []
        served = {"arrived": [*first, *(t + 1 for t in began)], **TRACE}
        return self.found(work, ask=asked, serve=served)

    def test_completion_is_when_the_receiver_has_it(self) -> None:
        for warm in (False, True):
            for direction in ("up", "down"):
                found = self.transfers(3, warm=warm, direction=direction)
                with self.subTest(warm=warm, direction=direction):
                    self.assertEqual(found["completions_s"], [1.0] * 3)
                    self.assertEqual((found["goodput_bps"], found["completion_max_s"]), (8000, 1))

    def test_bursts_after_the_first_one(self) -> None:
        sent = {"began": [1.0, 4.0, 7.0], **TRACE}
        found = self.found(Bursts(1000, 3), send=sent, receive={"ended": [3.0, 4.5, 7.1]})
        self.assertEqual([round(t, 3) for t in found["completions_s"]], [0.5, 0.1])
        with self.assertRaisesRegex(GuestError, "2 of 3 bursts arrived"):
            self.found(Bursts(1000, 3), send=sent, receive={"ended": [3.0, 4.5]})

    def test_percentiles_only_of_enough(self) -> None:
        self.assertIsNone(self.transfers(19)["completion_p95_s"])
        self.assertEqual(self.transfers(20)["completion_p95_s"], 1)
        few = metrics.delay_summary([0.1] * 19)
        self.assertEqual((few.min, few.p50, few.p95, few.p99, few.max), (0.1, None, None, None, 0.1))

    def test_a_transfer_that_is_not_whole_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "1 of 2 transfers"):
            self.found(
                Transfer(9, 2), ask={"began": [1], "ended": [2], **TRACE}, serve={"arrived": [1], **TRACE}
            )

    def test_a_warm_connection_must_have_its_subflows(self) -> None:
        one = {"trace": [[1.0, SUBFLOWS[:1]]], "totals": {}}
        asked = {"began": [1], "ended": [2], **TRACE}
        with self.assertRaisesRegex(GuestError, "only 1 of 2"):
            self.found(Transfer(9, 1, True), ask=asked, serve={"arrived": [1, 2], **one})

    def calls(self, answered: int) -> dict:
        """Ten a second, each answered after 20 ms, but the last of all after 1 s."""
        due = [n / 10 for n in range(60)]
        delays = [0.02] * 59 + [1.0]
        return self.found(Rpc(5, 1), call={"due": due, "delays": delays[:answered], **TRACE})

    def test_calls(self) -> None:
        found = self.calls(60)
        self.assertEqual((found["delay_p50_s"], found["delay_max_s"]), (0.02, 1.0))
        self.assertEqual(len(found["delays_s"]), 50)  # without the warm-up
        self.assertAlmostEqual(found["longest_gap_s"], 1.08)
        self.assertAlmostEqual(found["calls_per_second"], 50 / 5.9)

    def test_a_call_that_is_not_answered_is_an_error(self) -> None:
        with self.assertRaisesRegex(GuestError, "59 of 60 calls were answered"):
            self.calls(59)

    def page(self, *lines: str) -> dict:
        return self.found(Page(objects=2, count=2), curl="\n".join(lines))

    def test_pages(self) -> None:
        first, second = Page(objects=2).sizes
        one = (str(first), str(second))
        found = self.page("began 1.0", *one, "ended 2.5", "began 4.0", *one, "ended 4.5")
        self.assertEqual(found["loads_s"], [1.5, 0.5])
        self.assertEqual(found["goodput_bps"], (first + second) * 8)

    def test_a_page_that_is_not_whole_is_an_error(self) -> None:
        first, second = map(str, Page(objects=2).sizes)
        for lines, message in (
            (("began 1.0", first, "ended 2"), f"{first} of a page's 60000 bytes"),
            (("began 1.0", "curl: (7) no route"), "curl: curl: .7. no route"),
            (("began 1.0", first, second, "ended 2.5"), "1 of 2 pages"),
        ):
            with self.subTest(lines), self.assertRaisesRegex(GuestError, message):
                self.page(*lines)

    def test_the_objects_of_a_page(self) -> None:
        sizes = Page(objects=100, size=20_000).sizes
        self.assertAlmostEqual(sum(sizes), 2e6, delta=100)
        self.assertGreater(max(sizes), 10 * sorted(sizes)[50])
        self.assertNotEqual(sizes, sorted(sizes))

    def test_tls(self) -> None:
        said = "1000 0.1 0.5\n1000 0.2 1.5\n1000 0.1 0.7"
        found = self.found(Tls(1000, 3), curl=said)
        self.assertEqual((found["completion_median_s"], found["handshake_median_s"]), (0.7, 0.1))
        for wrong, message in (("1000 0.1 0.5", "1 of 3"), ("curl: (7) refused", "curl: curl: .7")):
            with self.assertRaisesRegex(GuestError, message):
                self.found(Tls(1000, 3), curl=wrong)

    def watched(self, segments: list) -> dict:
        stalls = [[0.0, 1.0], [4.0, 2.0], [9.0, 1.0]]
        left = {"start": 0.0, "segments": segments, "stalls": stalls, "wanted": 3, **TRACE}
        return self.found(Video(6, 2), watch=left)

    def test_video(self) -> None:
        segments = [[0, 1, 1000, 1e6], [1, 3, 2000, 2e6], [5, 6, 3000, 2e6]]
        found = self.watched(segments)
        self.assertEqual((found["startup_delay_s"], found["rebuffering_count"]), (1, 2))
        self.assertEqual((found["rebuffering_s"], found["uninterrupted"]), (3, 0))
        self.assertEqual(found["quality_changes"], 1)
        self.assertEqual(found["quality_shares"], {"1e+06": 1 / 3, "2e+06": 2 / 3})
        self.assertEqual(found["goodput_bps"], 6000 * 8 / 4)
        with self.assertRaisesRegex(GuestError, "2 of 3 segments"):
            self.watched(segments[:2])


class Playback(unittest.TestCase):
    """1000 bytes by 1 s, 2000 by 4 s, 6000 by 6 s: 1000 bytes/s in the mean."""

    LOG = ((1.0, 1000), (4.0, 2000), (6.0, 6000))

    def test_the_wait_after_which_playback_never_stops(self) -> None:
        """Just before the last bytes arrive, 6000 are due and 2000 there."""
        self.assertEqual(metrics.buffer_requirement(self.LOG), 4000)
        self.assertEqual(metrics.startup_latency(self.LOG), 4)

    def test_all_at_once_is_waited_for(self) -> None:
        self.assertEqual(metrics.startup_latency([(5.0, 100)]), 5)


if __name__ == "__main__":
    unittest.main()
