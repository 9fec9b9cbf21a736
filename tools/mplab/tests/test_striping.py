# SPDX-License-Identifier: MIT
"""What decides in the striping tunnel, against the papers' own examples; and the tables that name them."""

from __future__ import annotations

import random
import struct
import sys
import unittest
from dataclasses import replace
from pathlib import Path as FilePath

sys.path.insert(0, str(FilePath(__file__).resolve().parents[1] / "src"))

from mplab.inside.striping import frames, vectors
from mplab.inside.striping.equalizer import Equalizer
from mplab.inside.striping.monitor import Monitor
from mplab.inside.striping.receivers import Bmp, InOrder, Plain
from mplab.inside.striping.senders import Edpf, Pet, Turns
from mplab.research.striping import network
from mplab.research.striping.case import MPTCP, NUMGEN, TUNNEL, Case, Path, Striping
from mplab.research.striping.flavours import DEFAULT
from mplab.research.striping.tables import TABLES

RATES = (6250.0, 12500.0, 25000.0)  # bytes per second: 50, 100 and 200 kbit/s
PACKET = 1500


class Vectors(unittest.TestCase):
    def test_examples_of_evensen(self) -> None:
        self.assertEqual(vectors.of_two(5, 2, 3, nearest=True), [0, 1, 1, 0, 1])
        found = vectors.of_two(11, 3.8, 2.2, nearest=True)
        self.assertEqual(found, [0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1])
        self.assertEqual(vectors.of(10, [2, 3, 5], nearest=True), [0, 2, 1, 2, 1, 2, 0, 2, 1, 2])

    def test_example_of_kaspar(self) -> None:
        self.assertEqual(vectors.of_two(8, 300, 500), [0, 1, 0, 1, 1, 0, 1, 1])

    def test_as_the_text_rounds(self) -> None:
        self.assertEqual(vectors.of_two(5, 2, 3), [0, 1, 0, 1, 1])
        self.assertEqual(vectors.of_two(11, 3.8, 2.2), [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1])

    def test_shares_are_off_by_half_a_position_at_most(self) -> None:
        drawn = random.Random(1)
        for _ in range(500):
            n, one, two = drawn.randint(1, 128), drawn.uniform(0, 10), drawn.uniform(0, 10)
            for nearest in (False, True):
                found = vectors.of_two(n, one, two, nearest)
                self.assertEqual(len(found), n)
                self.assertLessEqual(abs(sum(found) / n - two / (one + two)), 0.5 / n + 1e-9)

    def test_what_has_no_weight_gets_nothing(self) -> None:
        self.assertEqual(vectors.of_two(4, 1, 0), [0] * 4)
        self.assertEqual(vectors.of(4, [0, 0, 1]), [2] * 4)


class Links:
    """A path each: a packet is there when the ones before it and its own bits are."""

    def __init__(self, delays: tuple[float, ...]) -> None:
        self.delays, self.free = delays, [0.0] * len(delays)

    def arrival(self, path: int, now: float, size: int) -> float:
        self.free[path] = max(now + self.delays[path], self.free[path]) + size / RATES[path]
        return self.free[path]


def arrivals(sender: Turns | Edpf, delays: tuple[float, ...], sizes: list[int], gap: float) -> list[int]:
    """Numbers in the order of their arrival, of packets that come at a constant rate."""
    links, found = Links(delays), []
    for number, size in enumerate(sizes):
        path = sender.choose(number, number * gap, size, True)
        found.append((links.arrival(path, number * gap, size), number))
    # exact ties are in order
    return [number for _, number in sorted((round(at, 9), number) for at, number in found)]


class Senders(unittest.TestCase):
    def test_edpf_keeps_packets_of_one_size_in_order(self) -> None:
        for delays in ((0.05, 0.05, 0.05), (1.0, 0.05, 0.05), (0.013, 0.2, 0.09)):
            found = arrivals(Edpf(delays, RATES), delays, [PACKET] * 5000, 0.0343)
            self.assertEqual(found, sorted(found))

    def test_edpf_gives_each_path_its_share(self) -> None:
        edpf = Edpf((1.0, 0.05, 0.05), RATES)
        found = [edpf.choose(n, n * 0.0343, PACKET, True) for n in range(7000)]
        for path, share in enumerate((1000, 2000, 4000)):
            self.assertAlmostEqual(found.count(path), share, delta=40)

    def test_of_unlike_sizes_it_does_not(self) -> None:
        drawn, delays = random.Random(1), (0.05, 0.05, 0.05)
        sizes = [drawn.choice((1500, 576, 64)) for _ in range(2000)]
        found = arrivals(Edpf(delays, RATES), delays, sizes, 0.0163)
        self.assertNotEqual(found, sorted(found))

    def test_a_vector_starts_anew_when_it_changes(self) -> None:
        turns = Turns([0, 1, 1])
        self.assertEqual([turns.choose(n, 0, 1, True) for n in range(2)], [0, 1])
        turns.set([0, 1, 1])
        self.assertEqual(turns.choose(2, 0, 1, True), 1)
        turns.set([1, 0])
        self.assertEqual([turns.choose(n, 0, 1, True) for n in range(3)], [1, 0, 1])

    def test_pairs_go_together_and_tell_the_rate(self) -> None:
        pet, links, before = Pet((0.05, 0.05, 0.05)), Links((0.05, 0.05, 0.05)), -1
        for number in range(600):
            now = number // 2 * 0.0686
            path = pet.choose(number, now, PACKET, True)
            if number % 2:
                self.assertEqual(path, before)
            before = path
            pet.report(number, path, links.arrival(path, now, PACKET))
        for rate, exact in zip(pet.rates, RATES, strict=True):
            self.assertAlmostEqual(rate / exact, 1, places=3)

    def test_pairs_are_weighted_and_begin_in_turn(self) -> None:
        pet = Pet((0.0, 0.0))
        self.assertEqual([pet.choose(n, 0.0, 1000, True) for n in range(4)], [0, 0, 1, 1])
        for number, path, at in ((0, 0, 1.0), (1, 0, 2.0), (2, 1, 1.0), (3, 1, 1.5)):
            pet.report(number, path, at)
        self.assertEqual(pet.rates, [1000, 2000])
        pet._sample(0, 2000.0)
        self.assertAlmostEqual(pet.rates[0], 1800)

    def test_what_is_not_fresh_is_no_part_of_a_pair(self) -> None:
        pet = Pet((0.0, 0.0))
        pet.choose(0, 0.0, 1000, True)
        pet.choose(1, 0.0, 1000, False)
        self.assertEqual(pet.choose(2, 0.0, 1000, True), 0)
        for number, at in ((0, 1.0), (1, 1.1), (2, 2.0)):
            pet.report(number, 0, at)
        self.assertEqual(pet.rates, [1000, None])

    def test_a_path_without_pairs_is_tried_again(self) -> None:
        pet = Pet((0.0, 0.0), probe=2.0, blackout=100.0)
        pet.rates = [1e6, 10.0]
        found = [pet.choose(n, n * 0.1, 1000, True) for n in range(50)]
        self.assertEqual(found.count(1) % 2, 0)
        self.assertTrue(2 <= found.count(1) <= 6)

    def test_a_path_that_reports_nothing_is_left(self) -> None:
        pet = Pet((0.0, 0.0), probe=100.0, blackout=3.0)
        pet.rates = [1e6, 1e5]
        found = []
        for n in range(80):
            path = pet.choose(n, n * 0.1, 1000, True)
            if path == 1:
                pet.report(n, 1, n * 0.1 + 0.01)
            found.append(path)
        self.assertEqual(set(found[:20]), {0})
        self.assertEqual(set(found[-20:]), {1})


class Receivers(unittest.TestCase):
    def test_plain_hands_on_what_comes(self) -> None:
        self.assertEqual(Plain().arrived(7, 0, "p", 0.0), ["p"])

    def test_an_endless_buffer_waits_for_ever(self) -> None:
        buffer = InOrder()
        self.assertEqual([buffer.arrived(n, 0, n, 0.0) for n in (1, 2, 4)], [[], [], []])
        self.assertEqual(buffer.arrived(0, 0, 0, 9.0), [0, 1, 2])
        self.assertIsNone(buffer.deadline)
        self.assertEqual(buffer.most, 3)

    def test_later_packets_on_all_paths_tell_a_loss(self) -> None:
        buffer = Bmp(2)
        self.assertEqual(buffer.arrived(1, 0, 1, 0.0), [])
        self.assertEqual(buffer.arrived(2, 0, 2, 0.0), [])  # path 1 may still have it
        self.assertEqual(buffer.arrived(3, 1, 3, 0.1), [1, 2, 3])
        self.assertEqual((buffer.lost, buffer.timeouts), (1, 0))
        self.assertEqual(buffer.arrived(0, 1, 0, 0.2), [0])  # it was late, not lost
        self.assertEqual(buffer.late, 1)

    def test_what_waits_behind_another_gap_goes_on_waiting(self) -> None:
        buffer = Bmp(2)
        for number, path in ((1, 0), (4, 0)):
            self.assertEqual(buffer.arrived(number, path, number, 0.0), [])
        self.assertEqual(buffer.arrived(2, 1, 2, 0.0), [1, 2])
        self.assertEqual(buffer.arrived(3, 1, 3, 0.0), [3, 4])

    def test_the_timer_decides_after_half_a_second(self) -> None:
        buffer = Bmp(2)
        buffer.arrived(1, 0, 1, 2.0)
        self.assertEqual(buffer.deadline, 2.5)
        buffer.arrived(2, 0, 2, 2.4)
        self.assertEqual(buffer.deadline, 2.5)
        self.assertEqual(buffer.expired(2.5), [1, 2])
        self.assertIsNone(buffer.deadline)
        self.assertEqual((buffer.lost, buffer.timeouts), (1, 1))

    def test_nothing_is_lost_or_doubled(self) -> None:
        drawn = random.Random(3)
        buffer, found, now = Bmp(3), [], 0.0
        queues = {0: [], 1: [], 2: []}
        for number in range(3000):
            if drawn.random() > 0.02:
                queues[drawn.randrange(3)].append(number)
        total = sum(map(len, queues.values()))
        while any(queues.values()):
            path = drawn.choice([p for p, queue in queues.items() if queue])
            number, now = queues[path].pop(0), now + 0.001
            found += buffer.arrived(number, path, number, now)
        while buffer.deadline is not None:
            found += buffer.expired(buffer.deadline)
        self.assertEqual((len(found), len(set(found))), (total, total))


class Nama(unittest.TestCase):
    def test_table_of_the_equalizer(self) -> None:
        """Evensen, table I: times in ms, packets every 2 ms."""
        equalizer = Equalizer(2)
        equalizer.set_delays([30, 10])
        turns = vectors.of_two(11, 3.8, 2.2, nearest=True)
        left = [equalizer.release(path, 2 * n) for n, path in enumerate(turns)]
        self.assertEqual(left, [0, 2, 24, 6, 8, 30, 12, 34, 16, 18, 40])
        there = [at + (30, 10)[path] for at, path in zip(left, turns, strict=True)]
        self.assertEqual(there, list(range(30, 52, 2)))

    def test_a_shorter_hold_overtakes_nobody(self) -> None:
        equalizer = Equalizer(2)
        equalizer.set_delays([30, 10])
        self.assertEqual(equalizer.release(1, 0), 20)
        equalizer.set_delays([12, 10])
        self.assertEqual([equalizer.release(1, 2), equalizer.release(1, 30)], [20, 32])

    def test_monitor_means_the_last_ten(self) -> None:
        monitor = Monitor(2)
        self.assertEqual((monitor.delays, monitor.rates), (None, None))
        for n in range(20):
            monitor.trip(0, float(n))
            monitor.rate(0, 100.0)
        self.assertIsNone(monitor.delays)
        monitor.trip(1, 4.0)
        monitor.rate(1, 50.0)
        self.assertEqual((monitor.delays, monitor.rates), ([14.5 / 2, 2.0], [100, 50]))


def tcp(sequence: int, length: int, flags: int = 0x10) -> bytes:
    head = struct.pack("!HHIIBBHHH", 80, 5000, sequence, 0, 5 << 4, flags, 0, 0, 0)
    return b"\x45" + bytes(8) + b"\x06" + bytes(10) + head + bytes(length)


class Frames(unittest.TestCase):
    def test_frames_come_back(self) -> None:
        self.assertEqual(frames.parse(frames.frame(frames.DATA, 2, b"abc")), (frames.DATA, 2, b"abc"))

    def test_what_went_by_before_is_not_fresh(self) -> None:
        fresh = frames.Fresh()
        self.assertFalse(fresh(tcp(0xFFFFFF00, 0, 0x12)))  # a handshake has no data
        for sequence in (0xFFFFFF00, 1204, 2664):
            self.assertTrue(fresh(tcp(sequence, 1460)))
        self.assertFalse(fresh(tcp(1204, 1460)))
        self.assertEqual(fresh.again, 1)


class Networks(unittest.TestCase):
    PATHS = (Path(1e6, 0.01), Path(2e6, 0.02))

    def script(self, how: Striping, **more: object) -> str:
        return network.Builder(replace(Case(self.PATHS, how, DEFAULT), **more)).script()

    def test_rates_are_of_packets_without_their_heads(self) -> None:
        for how, heads in ((TUNNEL, 14 + frames.OVERHEAD), (MPTCP, 14)):
            with self.subTest(how):
                found = self.script(Striping(how, "vector"))
                self.assertIn(f"tbf rate {1e6 * (1500 + heads) / 1500:.0f}bit", found)

    def test_nft_gets_the_vector(self) -> None:
        found = self.script(Striping(NUMGEN, "vector"))
        self.assertIn("numgen inc mod 3 map { 0 : 1, 1 : 2, 2 : 2 }", found)

    def test_a_changed_rate_leaves_the_queue_as_it_was(self) -> None:
        path = replace(self.PATHS[0], queue=33, steps=((30.0, 5e5),))
        found = network.steps(Case((path,), Striping(TUNNEL, "vector"), DEFAULT))[0]
        self.assertIn("sleep 30; tc -n bs1 qdisc change dev out parent 1:1 handle 2: tbf rate", found)
        self.assertIn("qdisc change dev out parent 2:1 pfifo limit 33", found)


class Tables(unittest.TestCase):
    def test_each_has_cases_that_can_be_built(self) -> None:
        for table in TABLES:
            for few in (True, False):
                rows = table.rows(few)
                self.assertTrue(rows, table.name)
                for row in rows:
                    self.assertLessEqual(len(row.theirs), len(table.figures), row.label)
                    for case in row.cases:
                        self.assertIn("ip netns add server", network.Builder(case).script())


if __name__ == "__main__":
    unittest.main()
