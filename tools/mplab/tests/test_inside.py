# SPDX-License-Identifier: MIT
"""The programs inside the guest, over this machine's loopback device."""

from __future__ import annotations

import json
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.inside import connections, incast, video, web
from mplab.traffic.base import INSIDE, ISOLATED

COMMON = {"protocol": "tcp", "family": 4, "address": "127.0.0.1", "route": 1}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Programs(unittest.TestCase):
    """As the guest starts them: processes of their own."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir, self.port = Path(directory.name), free_port()

    def start(self, program: str, listen: bool, **settings: object) -> subprocess.Popen:
        config = {
            **{**COMMON, "program": program, "listen": listen, "port": self.port},
            **{"out": str(self.dir / program), **settings},
        }
        command = [sys.executable, *shlex.split(ISOLATED), str(INSIDE), json.dumps(config)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        while listen and not self.listening() and process.poll() is None:
            time.sleep(0.01)
        return process

    def listening(self) -> bool:
        """Somebody waits at the port."""
        sockets = [Path(f"/proc/net/{kind}").read_text().splitlines()[1:] for kind in ("tcp", "udp")]
        places = [(s.split()[1], s.split()[3]) for s in sum(sockets, [])]
        return any(place.endswith(f":{self.port:04X}") and state in ("0A", "07") for place, state in places)

    def result(self, process: subprocess.Popen, program: str) -> dict:
        said = process.communicate(timeout=20)[1]
        self.assertEqual((process.returncode, said), (0, ""))
        return json.loads((self.dir / program).read_text())

    def both(self, waits: str, begins: str, first: dict, second: dict) -> tuple[dict, dict]:
        one = self.start(waits, True, **first)
        other = self.start(begins, False, **second)
        return self.result(one, waits), self.result(other, begins)

    def test_bulk_in_both_roles(self) -> None:
        for waits, begins in (("bulk.receive", "bulk.send"), ("bulk.send", "bulk.receive")):
            with self.subTest(waits):
                found = dict(
                    zip((waits, begins), self.both(waits, begins, *[{"seconds": 0.5}] * 2), strict=True)
                )
                samples = found["bulk.receive"]["samples"]
                self.assertGreater(samples[-1][0] - samples[0][0], 0.2)
                self.assertGreater(samples[-1][1], samples[0][1])
                self.assertEqual(found["bulk.send"]["trace"][0][1][0]["route"], 1)

    def test_the_longest_time_without_a_byte(self) -> None:
        """0.3 s and 1.5 s, of which the warm-up takes 0.9 s."""
        receiver = self.start("bulk.receive", True, seconds=60, warmup=1.2)
        with socket.create_connection(("127.0.0.1", self.port)) as peer:
            for pause in (0.3, 1.5, 0.3):
                peer.send(b"x")
                time.sleep(pause)
        gap = self.result(receiver, "bulk.receive")["longest_gap"]
        self.assertAlmostEqual(gap, 0.6, delta=0.25)  # a busy machine is late

    def test_who_has_enough_says_what_came_of_it(self) -> None:
        receiver = self.start("bulk.receive", True, seconds=1e6)
        sender = self.start("bulk.send", False, seconds=1e6, notsent=16384)
        time.sleep(2)
        for process in (receiver, sender):
            process.send_signal(signal.SIGTERM)
        self.assertGreater(self.result(receiver, "bulk.receive")["samples"][-1][1], 0)
        self.assertGreater(len(self.result(sender, "bulk.send")["trace"]), 0)

    def test_who_never_began_has_nothing(self) -> None:
        receiver = self.start("bulk.receive", True, seconds=1e6)
        time.sleep(1)  # it listens a moment before it waits, and what ends it between is not seen
        receiver.send_signal(signal.SIGTERM)
        self.assertEqual(self.result(receiver, "bulk.receive")["samples"], [])

    def test_a_main_flow_that_is_ended_has_no_result(self) -> None:
        receiver = self.start("blocks.receive", True, size=10, patience=9)
        receiver.send_signal(signal.SIGTERM)
        self.assertNotEqual((receiver.wait(20), (self.dir / "blocks.receive").exists()), (0, True))

    def test_blocks_of_a_socket_that_says_when(self) -> None:
        for rate in (1e5, 0):
            sending = {"size": 1000, "rate": rate, "seconds": 0.5, "notsent": 4096}
            got, sent = self.both("blocks.receive", "blocks.send", {"size": 1000, "patience": 5}, sending)
            self.assertEqual(len(got["due_us"]), sent["sent"])
            if rate:
                self.assertEqual(sent["sent"], 50)
                self.assertEqual(got["due_us"][10] - got["due_us"][0], 100_000)

    def transfer(self, warm: bool, **sizes: int) -> tuple[dict, dict]:
        often = {"count": 3, "pause": 0.1, "warm": warm}
        serve = {"connections": 1 if warm else 3}
        return self.both("transfers.serve", "transfers.ask", serve, {**often, **sizes})

    def test_transfers_cold_and_warm_down_and_up(self) -> None:
        for warm in (False, True):
            for sizes in ({"request": 8, "answer": 200_000}, {"request": 200_000, "answer": 1}):
                served, asked = self.transfer(warm, **sizes)
                with self.subTest(warm=warm, **sizes):
                    self.assertEqual(len(asked["ended"]), 3)
                    arrived = served["arrived"][int(warm) :]
                    for start, there, end in zip(asked["began"], arrived, asked["ended"], strict=True):
                        self.assertTrue(start < there <= end)
                    self.assertEqual(len(asked["trace"]), int(warm))

    def calls(self, **settings: float) -> dict:
        calling = {"request": 100, "answer": 3000, "seconds": 0.5, "patience": 3, **settings}
        return self.both("transfers.serve", "calls.call", {"connections": 1}, calling)[1]

    def test_calls_at_equal_intervals(self) -> None:
        found = self.calls(interval=0.02)
        self.assertEqual((len(found["due"]), len(found["delays"])), (25, 25))
        self.assertAlmostEqual(found["due"][10] - found["due"][5], 0.1)

    def test_calls_back_to_back(self) -> None:
        found = self.calls(interval=0)
        self.assertGreater(len(found["due"]), 100)
        self.assertEqual(len(found["due"]), len(found["delays"]))
        for due, delay, following in zip(found["due"], found["delays"], found["due"][1:], strict=False):
            self.assertLessEqual(due + delay, following + 1e-9)

    def test_calls_that_are_not_answered_do_not_count(self) -> None:
        caller = {"request": 100, "answer": 10, "seconds": 0.2, "patience": 0.3, "interval": 0.05}
        with socket.create_server(("127.0.0.1", self.port)):
            found = self.result(self.start("calls.call", False, **caller), "calls.call")
        self.assertEqual((len(found["due"]), found["delays"]), (4, []))

    def test_a_player(self) -> None:
        """Two segments of half a second fit: the third one waits until half of the first is played."""
        watching = {"seconds": 1.5, "segment": 0.5, "ladder": [1e6, 2e6], "start": 0.5, "buffer": 1.0}
        _, found = self.both("transfers.serve", "video.watch", {"connections": 1}, watching)
        rates = [rate for *_, rate in found["segments"]]
        self.assertEqual((rates, found["wanted"], len(found["stalls"])), ([1e6, 2e6, 2e6], 3, 1))
        self.assertAlmostEqual(found["segments"][2][0], 0.5, delta=0.1)

    def test_short_flows_at_random_times(self) -> None:
        server = self.start("web.serve", True)
        browsing = {"rate": 1e6, "size": 20_000, "draw": "0-1", "delay": 0, "seconds": 1, "patience": 9}
        browser = self.start("web.browse", False, **browsing)
        time.sleep(2)
        for process in (browser, server):
            process.send_signal(signal.SIGTERM)
        flows = self.result(browser, "web.browse")["flows"]
        self.assertEqual(self.result(server, "web.serve"), {})
        self.assertTrue(25 <= len(flows) <= 80, len(flows))
        self.assertTrue(all(took is not None for *_, took in flows))

    def test_datagrams(self) -> None:
        receiver = self.start("datagrams.receive", True)
        sending = {"rate": 1e5, "size": 1000, "seconds": 0.5}
        sent = self.result(self.start("datagrams.send", False, **sending), "datagrams.send")
        receiver.send_signal(signal.SIGTERM)
        self.assertEqual(sent["sent"], 50)
        self.assertEqual(self.result(receiver, "datagrams.receive")["numbers"], list(range(50)))


class Sizes(unittest.TestCase):
    def test_mean_and_tail_of_short_flows(self) -> None:
        least, count = web.least_size(30_000), 200_000
        sizes = [web.size((n + 0.5) / count, least) for n in range(count)]
        self.assertAlmostEqual(sum(sizes) / count / 30_000, 1, delta=0.01)
        self.assertTrue(least <= min(sizes) and max(sizes) <= web.MOST)
        largest = sum(sorted(sizes)[-count // 100 :])
        self.assertGreater(largest / sum(sizes), 0.25)  # one in a hundred has a quarter of the bytes


class Player(unittest.TestCase):
    def test_it_stops_when_the_buffer_is_empty(self) -> None:
        """Segments of 2 s; it begins with 4 s. The third comes 1 s late, and one is too little."""
        player = video.Playback(10.0, 4.0)
        for now in (11, 13, 18, 19, 20):
            player.arrived(now, 2.0, last=False)
        self.assertEqual(player.stalls, [[10.0, 3.0], [17.0, 2.0]])
        self.assertEqual(player.level(20.5), 4 + 2 - 1.5)

    def test_what_is_left_is_played_at_the_end(self) -> None:
        player = video.Playback(0.0, 4.0)
        player.arrived(1, 2.0, last=True)
        self.assertTrue(player.playing)

    def test_the_best_quality_that_the_throughput_allows(self) -> None:
        ladder = [1e6, 2e6, 4e6]
        for speeds, wanted in (([], 1e6), ([2.4e6], 1e6), ([2.6e6], 2e6), ([9e6, 1e6], 1e6), ([9e6], 4e6)):
            self.assertEqual(video.quality(ladder, speeds), wanted, speeds)
        self.assertEqual(video.quality(ladder, [1e5] + [9e6] * 5), 4e6)


class Incast(unittest.TestCase):
    """All in one network namespace, on different ports."""

    def setUp(self) -> None:
        self.addCleanup(lambda: [s.close() for s in connections.LISTENERS])
        self.entered: list[str] = []
        for name, value in (("enter", self.entered.append), ("SETTLE", 0.0)):
            patch = mock.patch.object(incast, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def ran(self, count: int, size: int, rounds: int) -> tuple[dict, dict]:
        """What came of it, of the clients and of the servers."""
        flows = [{"host": f"host{n}", "route": n, "port": free_port()} for n in range(1, count + 1)]
        with ThreadPoolExecutor(2) as pool:
            servers: Future = pool.submit(incast.answer, {**COMMON, "listen": True, "flows": flows})
            time.sleep(0.2)  # they listen
            asking = {**COMMON, "listen": False, "flows": flows, "size": size, "rounds": rounds}
            clients: Future = pool.submit(incast.ask, asking)
            return clients.result(10), servers.result(10)

    def test_nobody_asks_before_all_have_their_answer(self) -> None:
        asked, answered = self.ran(3, 3_000_000, 4)
        self.assertEqual((len(asked["rounds"]), len(asked["took"])), (5, 4))
        for start, took, end in zip(asked["rounds"], asked["took"], asked["rounds"][1:], strict=False):
            self.assertEqual(len(took), 3)
            self.assertGreaterEqual(end, start + max(took))
        sent = [server["trace"][0][1][0] for server in answered["servers"]]
        self.assertEqual([s["route"] for s in sent], [1, 2, 3])
        for s in sent:
            self.assertGreaterEqual(s["sent"], 4 * 3_000_000)

    def test_all_are_asked_in_an_order_of_their_own(self) -> None:
        with mock.patch.object(incast.random, "sample", wraps=incast.random.sample) as drawn:
            self.ran(3, 100, 2)
        self.assertEqual([len(call.args[0]) for call in drawn.call_args_list], [1, 1, 1, 3, 3])

    def test_each_has_a_namespace_of_its_own(self) -> None:
        self.ran(2, 100, 1)
        self.assertEqual(sorted(self.entered), sorted(["host1", "host2"] * 3))

    def test_an_answer_that_is_not_whole_does_not_count(self) -> None:
        with mock.patch.object(incast.Answering, "write", self.cut_short):
            self.assertEqual(len(self.ran(1, 5000, 3)[0]["took"]), 1)

    @staticmethod
    def cut_short(server: incast.Answering) -> None:
        """The second of the large ones; the client is gone when the server looks again."""
        server.large = getattr(server, "large", 0) + (server.owed == 5000)
        if server.large == 2:
            server.peer.send(bytes(4999))
            server.peer.shutdown(socket.SHUT_WR)
        elif server.owed:
            server.peer.send(bytes(server.owed))
        server.owed = 0

    def test_timeouts_of_a_namespace(self) -> None:
        text = "TcpExt: A TCPTimeouts B\nTcpExt: 1 7 3\nIpExt: X\nIpExt: 4\n"
        self.assertEqual(incast.timeouts(text), 7)


class Start(unittest.TestCase):
    def test_a_delay_comes_before_the_connection(self) -> None:
        order = []
        with (
            mock.patch.object(connections.time, "sleep", lambda seconds: order.append(seconds)),
            mock.patch.object(connections, "_socket", lambda c: mock.Mock(connect=order.append)),
        ):
            connections.connection({"listen": False, "address": "a", "port": 1, "delay": 20, "stagger": 0.5})
        self.assertTrue(20 <= order[0] <= 20.5, order)
        self.assertEqual(order[1:], [("a", 1)])


if __name__ == "__main__":
    unittest.main()
