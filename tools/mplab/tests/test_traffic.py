# SPDX-License-Identifier: MIT
"""Both ends of a connection, over this machine's loopback device."""

from __future__ import annotations

import socket
import sys
import tempfile
import time
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab import traffic

COMMON = {"protocol": "tcp", "family": 4, "address": "127.0.0.1", "route": 1}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Incast(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.addCleanup(lambda: [s.close() for s in traffic.LISTENERS])
        for name, value in (("BARRIER", f"{directory.name}/barrier"), ("SETTLE", 0.0)):
            patch = mock.patch.object(traffic, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def ran(self, sizes: list[int], rounds: int) -> list[dict]:
        """What came of it, per client."""
        with ThreadPoolExecutor(2 * len(sizes) + 1) as pool:
            pool.submit(traffic.barrier, {"count": len(sizes)})
            ports = [free_port() for _ in sizes]
            self.servers = [
                pool.submit(traffic.answer, {**COMMON, "listen": True, "port": port}) for port in ports
            ]
            time.sleep(0.2)  # they listen
            clients: list[Future] = [
                pool.submit(
                    traffic.ask, {**COMMON, "listen": False, "port": port, "size": size, "rounds": rounds}
                )
                for port, size in zip(ports, sizes, strict=True)
            ]
            return [client.result(10) for client in clients]

    def test_nobody_asks_before_all_have_their_answer(self) -> None:
        """One answer is much larger than the others."""
        found = self.ran([100, 3_000_000, 100], 4)
        for client in found:
            self.assertEqual((len(client["rounds"]), len(client["took"])), (5, 4))
        for n in range(4):
            ended = max(client["rounds"][n] + client["took"][n] for client in found)
            self.assertGreaterEqual(min(client["rounds"][n + 1] for client in found), ended)
        self.assertEqual([s.result(10)["trace"][0][1][0]["route"] for s in self.servers], [1, 1, 1])

    def test_an_answer_that_is_not_whole_does_not_count(self) -> None:
        with mock.patch.object(traffic, "_receive_whole", self.cut_short):
            self.assertEqual(len(self.ran([5000], 3)[0]["took"]), 2)

    def cut_short(self, connection: socket.socket, buffer: bytearray) -> bool:
        """The second of the large ones."""
        self.large = getattr(self, "large", 0) + (len(buffer) == 5000)
        return self.whole(connection, buffer) and (len(buffer) < 5000 or self.large != 2)

    whole = staticmethod(traffic._receive_whole)


class Start(unittest.TestCase):
    def test_a_delay_comes_before_the_connection(self) -> None:
        order = []
        with (
            mock.patch.object(traffic.time, "sleep", lambda seconds: order.append(seconds)),
            mock.patch.object(traffic, "_socket", lambda c: mock.Mock(connect=order.append)),
        ):
            traffic._connection({"listen": False, "address": "a", "port": 1, "delay": 20, "stagger": 0.5})
        self.assertTrue(20 <= order[0] <= 20.5, order)
        self.assertEqual(order[1:], [("a", 1)])


if __name__ == "__main__":
    unittest.main()
