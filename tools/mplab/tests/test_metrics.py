# SPDX-License-Identifier: MIT
"""The metrics against worked examples of the papers and RFCs, and against their properties."""

from __future__ import annotations

import math
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.traffic import metrics

S1 = [1, 6, 2, 3, 4, 5, 7]  # one packet early: four late
S2 = [1, 3, 4, 5, 6, 2, 7]  # one packet late
S3 = [2, 1, 4, 3, 6, 5, 8, 7]  # flipped in pairs
RFC_5236 = [1, 4, 2, 5, 3, 6, 7, 8]
PACKET = 1480 * 8


def permutations(count: int = 50) -> list[list[int]]:
    """Random orders of 1 to n, the same ones in each run of the tests."""
    rng = random.Random(1)
    return [rng.sample(range(1, n + 1), n) for n in (rng.randint(1, 60) for _ in range(count))]


class Lateness(unittest.TestCase):
    def test_of_late_packets_only(self) -> None:
        """Two of six packets are late, by 4 and by 2: what is early does not count."""
        density = metrics.reorder_density([2, 3, 4, 5, 1, 6, 8, 9, 7])
        self.assertAlmostEqual(metrics.mean_lateness(density), (4 + 2) / 2)
        self.assertEqual(metrics.mean_lateness(metrics.reorder_density([1, 2, 3])), 0)


class Aggregation(unittest.TestCase):
    def test_published_values_of_the_benefit(self) -> None:
        for capacities, goodput, expected in (
            ([500, 500], 750, 0.5),
            ([800, 200], 900, 0.5),
            ([1000, 1000], 1000, 0),
            ([21, 12, 83, 44, 65], 83, 0),
            ([21, 12, 83, 44, 65], 0, -1),
            ([1000, 1000], 2000, 1),
            ([10, 20, 30, 40], 100, 1),
            ([360, 1800], 1110, -0.383),
        ):
            with self.subTest(capacities=capacities, goodput=goodput):
                value = metrics.benefit(goodput, capacities)
                self.assertAlmostEqual(value, expected, places=3)

    def test_three_answers_to_which_is_better(self) -> None:
        first, second = (750, [500, 500]), (900, [800, 200])
        self.assertAlmostEqual(metrics.aggregation_ratio(*first), 0.75)
        self.assertAlmostEqual(metrics.aggregation_ratio(*second), 0.9)
        self.assertAlmostEqual(metrics.aggregation_gain(*first), 0.5)
        self.assertAlmostEqual(metrics.aggregation_gain(*second), 0.125)
        self.assertAlmostEqual(metrics.aggregation_efficiency(*first), 0.5)
        self.assertAlmostEqual(metrics.aggregation_efficiency(*second), 0.5)

    def test_one_path_or_none_at_work(self) -> None:
        self.assertEqual(metrics.benefit(8, [8]), 0)
        self.assertEqual(metrics.benefit(9, [8]), 0)
        self.assertEqual(metrics.benefit(4, [8]), -0.5)
        self.assertEqual(metrics.benefit(8, [8, 0]), 0)
        for metric in (
            metrics.benefit,
            metrics.aggregation_ratio,
            metrics.aggregation_gain,
            metrics.aggregation_efficiency,
        ):
            self.assertEqual(metric(0, [0, 0]), 0)

    def test_benefit_is_bounded_and_rises_with_the_goodput(self) -> None:
        rng = random.Random(2)
        for _ in range(100):
            capacities = [rng.uniform(1, 100) for _ in range(rng.randint(2, 4))]
            goodputs = sorted(rng.uniform(0, sum(capacities)) for _ in range(10))
            values = [metrics.benefit(goodput, capacities) for goodput in goodputs]
            self.assertEqual(values, sorted(values))
            self.assertGreaterEqual(values[0], -1)
            self.assertLessEqual(values[-1], 1)

    def test_jain(self) -> None:
        self.assertAlmostEqual(metrics.jain([5, 5, 5]), 1)
        self.assertAlmostEqual(metrics.jain([9, 0, 0]), 1 / 3)
        self.assertAlmostEqual(metrics.jain([1, 3]), 0.8)
        self.assertEqual(metrics.jain([0, 0]), 1)
        with self.assertRaises(ValueError):
            metrics.jain([])


class Model(unittest.TestCase):
    def test_critical_rate(self) -> None:
        self.assertAlmostEqual(metrics.critical_rate(PACKET, 0.037, 0) / 1e6, 0.32, places=2)
        self.assertEqual(metrics.critical_rate(PACKET, 0.01, 0.05), metrics.critical_rate(PACKET, 0.05, 0.01))
        self.assertEqual(metrics.critical_rate(PACKET, 0.02, 0.02), math.inf)

    def test_expected_displacement(self) -> None:
        self.assertEqual(round(metrics.expected_displacement(2e6, PACKET, 0, 0.037)), 3)
        value = metrics.expected_displacement(6e6, PACKET, 0.010, 0.050)
        self.assertAlmostEqual(value, 10.1, places=1)

    def test_base_delays_do_not_explain_120_packets(self) -> None:
        rate = 1000e3 * 8
        self.assertEqual(round(metrics.expected_displacement(rate, PACKET, 0, 0.045)), 15)
        self.assertEqual(round(metrics.expected_displacement(rate, PACKET, 0, 0.36), -1), 120)


class Reordering(unittest.TestCase):
    def test_ratio(self) -> None:
        self.assertAlmostEqual(metrics.reordered_ratio(S1), 4 / 7)
        self.assertAlmostEqual(metrics.reordered_ratio(S2), 1 / 7)
        self.assertAlmostEqual(metrics.reordered_ratio(S3), 0.5)

    def test_density(self) -> None:
        for sequence, expected in (
            (S1, {-4: 1 / 7, 0: 2 / 7, 1: 4 / 7}),
            (S2, {-1: 4 / 7, 0: 2 / 7, 4: 1 / 7}),
            (S3, {-1: 0.5, 1: 0.5}),
            (RFC_5236, {-2: 1 / 8, -1: 1 / 8, 0: 4 / 8, 1: 1 / 8, 2: 1 / 8}),
        ):
            self.assertEqual(metrics.reorder_density(sequence), expected)

    def test_lost_and_duplicate_packets(self) -> None:
        # RFC 5236: 2 is lost, the second 3 a duplicate; the places are 1, 3, 4, 5
        sequence = [1, 4, 3, 5, 3]
        self.assertEqual(metrics.reorder_density(sequence), {-1: 0.25, 0: 0.5, 1: 0.25})
        self.assertEqual(metrics.buffer_occupancy_density(sequence), {0: 0.75, 1: 0.25})
        self.assertEqual(metrics.reordered_ratio(sequence), 0.25)
        self.assertEqual(metrics.reorder_density([1, 2, 2, 5, 9, 9]), {0: 1})
        self.assertEqual(metrics.buffer_occupancy_density([1, 2, 2, 5, 9, 9]), {0: 1})
        self.assertEqual(metrics.reordered_ratio([1, 2, 2, 5, 9, 9]), 0)

    def test_entropy(self) -> None:
        entropy = metrics.reorder_entropy(metrics.reorder_density(S3))
        self.assertAlmostEqual(entropy, math.log(2))
        self.assertGreater(metrics.reorder_entropy(metrics.reorder_density(S1)), entropy)

    def test_occupancy(self) -> None:
        for sequence, expected in (
            ([1, 2, 3], {0: 1}),
            ([1, 2, 4, 5, 3], {0: 3 / 5, 1: 1 / 5, 2: 1 / 5}),
            (RFC_5236, {0: 5 / 8, 1: 2 / 8, 2: 1 / 8}),
            (S1, {0: 3 / 7, 1: 4 / 7}),
            (S2, {0: 3 / 7, 1: 1 / 7, 2: 1 / 7, 3: 1 / 7, 4: 1 / 7}),
            (S3, {0: 0.5, 1: 0.5}),
        ):
            density = metrics.buffer_occupancy_density(sequence)
            self.assertEqual(density.keys(), expected.keys())
            for occupancy, share in expected.items():
                self.assertAlmostEqual(density[occupancy], share, msg=str(sequence))

    def test_occupancy_percentile(self) -> None:
        density = {0: 0.5, 1: 0.3, 2: 0.2}
        for q, expected in ((0, 0), (50, 0), (51, 1), (80, 1), (81, 2), (100, 2)):
            self.assertEqual(metrics.occupancy_percentile(density, q), expected)
        tenths = {occupancy: 0.1 for occupancy in range(10)}  # their sum is not quite 1
        self.assertEqual(metrics.occupancy_percentile(tenths, 100), 9)

    def test_nothing_received(self) -> None:
        for metric in (
            metrics.reordered_ratio,
            metrics.reorder_density,
            metrics.buffer_occupancy_density,
        ):
            with self.assertRaisesRegex(ValueError, "no packets"):
                metric([])


class ReorderingProperties(unittest.TestCase):
    def test_shares_sum_to_one_and_displacements_to_zero(self) -> None:
        for order in permutations():
            density = metrics.reorder_density(order)
            self.assertAlmostEqual(sum(density.values()), 1)
            self.assertAlmostEqual(sum(d * share for d, share in density.items()), 0)
            self.assertAlmostEqual(sum(metrics.buffer_occupancy_density(order).values()), 1)

    def test_entropy_is_zero_only_in_order(self) -> None:
        for order in permutations():
            in_order = order == sorted(order)
            entropy = metrics.reorder_entropy(metrics.reorder_density(order))
            self.assertEqual(entropy == 0, in_order)
            self.assertEqual(metrics.reordered_ratio(order) == 0, in_order)
            in_order_density = metrics.reorder_density(sorted(order))
            self.assertEqual(metrics.reorder_entropy(in_order_density), 0)

    def test_loss_alone_and_copies_alone_are_not_disorder(self) -> None:
        rng = random.Random(3)
        for order in permutations():
            kept = sorted(rng.sample(order, rng.randint(1, len(order))))
            copies = [number for number in kept for _ in range(rng.randint(1, 3))]
            self.assertEqual(metrics.reorder_density(copies), {0: 1})
            self.assertEqual(metrics.buffer_occupancy_density(copies), {0: 1})

    def test_round_robin_below_and_above_the_critical_rate(self) -> None:
        gap = metrics.critical_rate(PACKET, 0.010, 0.050)
        for rate, expected in ((0.9 * gap, 0), (20.5 * gap, 0.5)):
            sent = [(n * PACKET / rate, n) for n in range(2000)]
            arrived = sorted((t + (0.010 if n % 2 else 0.050), n) for t, n in sent)
            ratio = metrics.reordered_ratio([n for _, n in arrived])
            self.assertAlmostEqual(ratio, expected, delta=0.01)


class Delays(unittest.TestCase):
    def test_percentiles(self) -> None:
        self.assertEqual(metrics.percentiles([4, 1, 3, 2], (0, 50, 100)), [1, 2.5, 4])
        self.assertEqual(metrics.percentiles([7], (5, 95)), [7, 7])
        with self.assertRaisesRegex(ValueError, "no values"):
            metrics.percentiles([], (50,))
        with self.assertRaisesRegex(ValueError, "101"):
            metrics.percentiles([1], (101,))

    def test_summary(self) -> None:
        summary = metrics.delay_summary([n / 100 for n in range(101)])
        self.assertEqual((summary.min, summary.p50, summary.max), (0, 0.5, 1))
        self.assertAlmostEqual(summary.p95, 0.95)
        self.assertAlmostEqual(summary.p99, 0.99)

    def test_relative_increase(self) -> None:
        self.assertEqual(metrics.relative_increase([0.5, 0.25, 1.0]), [1, 0, 3])
        with self.assertRaisesRegex(ValueError, "clocks"):
            metrics.relative_increase([0.1, -0.2])


class OverTime(unittest.TestCase):
    def test_ramp(self) -> None:
        samples = [(t, min(t, 10) * 1e6) for t in range(1, 41)]
        self.assertEqual(metrics.time_to_full_rate(samples), 9)
        self.assertEqual(metrics.time_to_full_rate(samples, share=0.5), 5)
        self.assertEqual(metrics.time_to_full_rate(samples, window=3), 10)

    def test_a_burst_is_not_the_full_rate(self) -> None:
        samples = [(t / 10, 10e6 if t == 1 or t > 50 else 1e6) for t in range(1, 201)]
        self.assertAlmostEqual(metrics.time_to_full_rate(samples), 5.9)
        self.assertAlmostEqual(metrics.time_to_full_rate(samples, window=0.1), 0.1)

    def test_a_stall_at_the_end_does_not_lower_it(self) -> None:
        samples = [(t, min(t, 10) * 1e6 if t < 38 else 0.0) for t in range(1, 41)]
        self.assertEqual(metrics.time_to_full_rate(samples), 9)

    def test_never(self) -> None:
        self.assertIsNone(metrics.time_to_full_rate([(t, 0.0) for t in range(10)]))
        swinging = [(t, 2.0 if t % 2 else 1.0) for t in range(11)]
        self.assertIsNone(metrics.time_to_full_rate(swinging, share=2, window=4))
        self.assertEqual(metrics.time_to_full_rate([(3, 5.0)]), 3)

    def test_recovery(self) -> None:
        """10 to 20 s, down to 40 s, up by 1 a second after that."""
        samples = [(float(t), 10.0 if t <= 20 else 1.0 if t <= 40 else t - 40.0) for t in range(1, 61)]
        self.assertEqual(metrics.recovery_time(samples, 40, 8), 8)
        self.assertEqual(metrics.recovery_time(samples, 40.5, 8), 7.5)
        self.assertEqual(metrics.recovery_time(samples, 40, 8, window=3), 9)
        self.assertEqual(metrics.recovery_time(samples, 10, 8), 1)  # before it fell
        self.assertIsNone(metrics.recovery_time(samples, 40, 21))
        self.assertIsNone(metrics.recovery_time(samples, 60, 1))

    def test_by_second(self) -> None:
        self.assertEqual(metrics.by_second([(0.5, 1), (1.0, 3), (1.5, 5), (2.0, 7)]), [(0.5, 2), (1.5, 6)])
        self.assertEqual(metrics.by_second([]), [])

    def test_longest_gap(self) -> None:
        self.assertAlmostEqual(metrics.longest_gap([0.0, 0.1, 0.9, 1.0]), 0.8)
        self.assertEqual(metrics.longest_gap([1.0]), 0)
        self.assertEqual(metrics.longest_gap([]), 0)


if __name__ == "__main__":
    unittest.main()
