# SPDX-License-Identifier: MIT
"""Range requests over several interfaces: who asks for what, what is played when, what the numbers mean."""

from __future__ import annotations

import contextlib
import re
import socket
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.inside import davvi, ladder, pipelined, ranges
from mplab.inside.segments import LEAST, Piece, Resource, Sizes, due
from mplab.inside.viewing import Speed, Viewing
from mplab.traffic import playback


class Segments(unittest.TestCase):
    def test_start_is_interleaved(self) -> None:
        """I_1 .. I_n, I_1 .. I_n; then one request for each piece that is complete."""
        resource, waiting = Resource(1000, Sizes(3, 100, False)), [0, 0, 0]
        begun = list(due(waiting, 2, resource.take))
        self.assertEqual([interface for interface, _ in begun], [0, 1, 2, 0, 1, 2])
        self.assertEqual([piece.start for _, piece in begun], [0, 100, 200, 300, 400, 500])
        self.assertEqual(list(due(waiting, 2, resource.take)), [])
        waiting[1] -= 1
        self.assertEqual(list(due(waiting, 2, resource.take)), [(1, Piece(6, 600, 100))])

    def test_more_requests(self) -> None:
        resource, waiting = Resource(1000, Sizes(2, 100, False)), [0, 0]
        self.assertEqual([i for i, _ in due(waiting, 4, resource.take)], [0, 1] * 4)
        self.assertEqual(waiting, [4, 4])

    def test_who_has_fewest_comes_first(self) -> None:
        resource, waiting = Resource(1000, Sizes(2, 100, False)), [1, 0]
        self.assertEqual([i for i, _ in due(waiting, 2, resource.take)], [1, 0, 1])

    def test_each_byte_once(self) -> None:
        resource, pieces = Resource(1050, Sizes(1, 100, False)), []
        while piece := resource.take(0):
            pieces.append(piece)
        self.assertEqual(pieces[-1], Piece(10, 1000, 50))
        ends = [p.start + p.length for p in pieces]
        self.assertEqual([0, *ends], [p.start for p in pieces] + [1050])

    def test_dynamic(self) -> None:
        """1:3 of 2 x 100 KB (Kaspar, 6.3.2), and never below 10 KB."""
        sizes = Sizes(2, 100_000, True)
        sizes.measured(0, 100_000, 1.0)
        self.assertEqual([sizes.of(0), sizes.of(1)], [100_000, 100_000])  # one is not known yet
        sizes.measured(1, 300_000, 1.0)
        self.assertEqual([sizes.of(0), sizes.of(1)], [50_000, 150_000])
        for _ in range(5):
            sizes.measured(0, 1000, 1.0)
        self.assertEqual(sizes.of(0), LEAST)

    def test_fixed(self) -> None:
        sizes = Sizes(2, 100_000, False)
        sizes.measured(0, 1, 1.0)
        sizes.measured(1, 100, 1.0)
        self.assertEqual(sizes.of(0), 100_000)


class Playback(unittest.TestCase):
    """Two interfaces, 100 bytes each; the first segment comes last."""

    HISTORY = ((1.0, 100, 200), (2.0, 0, 50), (3.0, 50, 100), (4.0, 200, 400))

    def setUp(self) -> None:
        self.states = playback.states(self.HISTORY)

    def test_states(self) -> None:
        expected = [(1.0, 0, 100), (2.0, 50, 100), (3.0, 200, 0), (4.0, 400, 0)]
        self.assertEqual([tuple(s) for s in self.states], expected)

    def test_metrics(self) -> None:
        self.assertEqual(playback.rate(self.states), 100)
        # just before 3 s: 300 bytes played, 50 there; before 2 s 200, of which none; before 4 s 400 and 200
        self.assertEqual(playback.startup_latency(self.states), 2.5)
        self.assertEqual(playback.buffer_requirement(self.states), 250 + 100)

    def test_in_order_as_a_byte_stream(self) -> None:
        from mplab.traffic import metrics

        log = [(1.0, 0, 30), (2.5, 30, 60), (3.0, 60, 100)]
        found = playback.states(log)
        stream = [(time, end) for time, _, end in log]
        self.assertEqual(playback.startup_latency(found), metrics.startup_latency(stream))
        self.assertEqual(playback.buffer_requirement(found), metrics.buffer_requirement(stream))

    def test_sustained(self) -> None:
        """After 2 s: nothing may be read before 3 s but 50 bytes, before 4 s 200."""
        self.assertEqual(playback.sustained(self.states, 2.0), 50)
        self.assertIsNone(playback.sustained(self.states, 4.0))

    def test_least_segments(self) -> None:
        self.assertAlmostEqual(playback.minimum_segment(0.110, 300e3), 33e3)
        self.assertAlmostEqual(playback.minimum_for_overhead(200, 0.01), 20e3)


class Ladder(unittest.TestCase):
    def test_lengths(self) -> None:
        """Each quality has its mean; no segment is longer in a worse one; none fills its slot."""
        found = ladder.lengths(1000, 2.0)
        for quality, (_, mean, _) in enumerate(ladder.LADDER):
            rate = sum(each[quality] for each in found) * 8 / 2000 / 1e3
            self.assertAlmostEqual(rate, mean, delta=0.01)
        self.assertTrue(all(each == sorted(each) for each in found))
        self.assertLess(max(map(max, found)), ladder.SLOT)
        self.assertEqual(found, ladder.lengths(1000, 2.0))

    def test_best(self) -> None:
        self.assertEqual(ladder.best([100, 200, 300], 100, 2.0), 1)
        self.assertEqual(ladder.best([100, 200, 300], 0, 2.0), 0)
        self.assertEqual(ladder.best([100, 200, 300], 1e9, 2.0), 2)


class Watching(unittest.TestCase):
    def test_room(self) -> None:
        """Two segments fill the buffer, then it plays; a third one has room when the first plays."""
        viewing = Viewing(4, 2.0, 2, False)
        self.assertEqual([viewing.begin(0.0), viewing.begin(0.0), viewing.begin(0.0)], [0, 1, None])
        viewing.arrived(1, 1.0)
        self.assertEqual(viewing.begins, [])
        viewing.arrived(0, 1.5)
        self.assertEqual(viewing.begins, [1.5, 3.5])
        self.assertEqual([viewing.begin(1.5), viewing.begin(1.5)], [2, None])
        self.assertEqual(viewing.opens(), 3.5)
        viewing.arrived(2, 6.0)
        self.assertEqual(viewing.begins, [1.5, 3.5, 6.0])
        self.assertEqual(viewing.stalls(), [[0.0, 1.5], [5.5, 0.5]])

    def test_live(self) -> None:
        """What is not recorded yet cannot be asked for."""
        viewing = Viewing(9, 2.0, 3, True)
        self.assertEqual([viewing.begin(0.0) for _ in range(3)], [0, 1, None])
        self.assertEqual(viewing.opens(), 2.0)
        self.assertEqual(viewing.begin(2.0), 2)

    def test_skips(self) -> None:
        """A segment that comes 2.5 s late costs the next one; one of 2 s does not."""
        for late, following, skipped in ((2.0, 2, []), (2.5, 3, [2])):
            viewing = Viewing(9, 2.0, 1, True)
            viewing.begin(0.0)
            viewing.arrived(0, 0.5)
            self.assertEqual(viewing.begin(0.5), 1)
            viewing.arrived(1, 2.5 + late)
            self.assertEqual(viewing.begin(2.5 + late), following)
            self.assertEqual(viewing.skipped, skipped)

    def test_not_live_never_skips(self) -> None:
        viewing = Viewing(9, 2.0, 1, False)
        viewing.begin(0.0)
        viewing.arrived(0, 0.5)
        viewing.begin(0.5)
        viewing.arrived(1, 60.0)
        self.assertEqual((viewing.begin(60.0), viewing.skipped), (2, []))

    def test_speed_without_pauses(self) -> None:
        speed = Speed()
        speed.asked(1.0, True)
        speed.arrived(2.0, 1000)
        speed.settle()
        self.assertEqual(speed.value, 1000)
        speed.asked(10.0, True)
        speed.arrived(12.0, 1000)
        speed.settle()
        self.assertEqual(speed.value, 500)


SIZE = 300_000
CONFIG = {"protocol": "tcp", "family": 4, "listen": False, "route": 1, "size": SIZE}


class Server:
    """Answers range requests, all that came at once; each byte tells where it is."""

    def __init__(self, status: str = "206 Partial Content", shift: int = 0, most: int = 10**6) -> None:
        self._status, self._shift, self._most = status, shift, most
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port, self.ranges = self.socket.getsockname()[1], []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self.socket.accept()[0],), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        text, source = b"", peer.getpeername()[0]
        with peer, contextlib.suppress(OSError):
            for _ in range(self._most):
                while b"\r\n\r\n" not in text:
                    if not (more := peer.recv(65536)):
                        return
                    text += more
                head, _, text = text.partition(b"\r\n\r\n")
                first, last = map(int, re.search(rb"(?i)range: bytes=(\d+)-(\d+)", head).groups())
                self.ranges.append((source, first, last))
                where = f"bytes {first + self._shift}-{last + self._shift}/{SIZE}"
                length = last - first + 1
                said = (
                    f"HTTP/1.1 {self._status}\r\nContent-Range: {where}\r\nContent-Length: {length}\r\n\r\n"
                )
                peer.sendall(said.encode() + bytes(length))


class Requests(unittest.TestCase):
    def get(self, server: Server, sources: tuple[str, ...] = ("127.0.0.1",), **how: object) -> dict:
        self.addCleanup(server.socket.close)
        settings = {"segment": 10_000, "outstanding": 2, "dynamic": False, "port": server.port, **how}
        where = [(source, "127.0.0.1") for source in sources]
        return ranges.download({**CONFIG, **settings, "interfaces": where})

    def test_all_of_it(self) -> None:
        """Two interfaces, pipelined: each byte once, from both addresses."""
        for how in ({}, {"outstanding": 1}, {"outstanding": 5, "segment": 1000}, {"dynamic": True}):
            server = Server()
            got = self.get(server, ("127.0.0.1", "127.0.0.2"), **how)
            found = playback.states(got["log"])
            self.assertEqual(found[-1][1:], (SIZE, 0), how)
            self.assertEqual({source for source, *_ in server.ranges}, {"127.0.0.1", "127.0.0.2"})
            asked = sorted((first, last) for _, first, last in server.ranges)
            self.assertEqual([0, *(last + 1 for _, last in asked)], [*(f for f, _ in asked), SIZE])

    def test_wrong_answers(self) -> None:
        """Another status, other bytes, an end before all is there."""
        for server in (Server(status="200 OK"), Server(shift=1), Server(most=1)):
            with self.assertRaises((pipelined.Bad, pipelined.h11.RemoteProtocolError, ConnectionError)):
                self.get(server)

    def test_player(self) -> None:
        server = Server()
        self.addCleanup(server.socket.close)
        video = {"count": 3, "segment": 0.2, "room": 2, "live": False, "subsegment": 5000}
        how = {"dynamic": True, "whole": False, "outstanding": 2, "port": server.port}
        where = [(source, "127.0.0.1") for source in ("127.0.0.1", "127.0.0.2")]
        got = davvi.watch({**CONFIG, **video, **how, "interfaces": where})
        self.assertEqual([n for n, *_ in got["segments"]], [0, 1, 2])
        self.assertEqual(len(got["begins"]), 3)
        wanted = ladder.lengths(3, 0.2)
        asked = sum(last + 1 - first for _, first, last in server.ranges)
        self.assertEqual(asked, sum(wanted[n][q] for n, q, _ in got["segments"]))


if __name__ == "__main__":
    unittest.main()
