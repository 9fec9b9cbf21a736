# SPDX-License-Identifier: MIT
"""The designs against what defines them: count, spread, balance, ends of the ranges."""

from __future__ import annotations

import itertools
import random
import sys
import time
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from mplab.research import designs


class Domains(unittest.TestCase):
    def test_order_and_number(self) -> None:
        names = [domain.name for domain in designs.domains("low-lossy")]
        first, second = names[:4], names[4:]
        self.assertEqual(first, ["rate1", "rtt1", "queue1", "loss1"])
        self.assertEqual(second, ["rate2", "rtt2", "queue2", "loss2"])
        self.assertEqual(len(designs.domains("low")), 6)
        self.assertEqual(len(designs.domains("high", paths=3)), 9)
        with self.assertRaisesRegex(ValueError, "'middle'; write one of low, high"):
            designs.domains("middle")

    def test_ends_are_exact(self) -> None:
        for name, ends in (
            ("low", (100e6, 0.05, 0.1)),
            ("high", (100e6, 0.4, 2.0)),
            ("low-lossy", (100e6, 0.05, 0.1, 2.5)),
            ("high-lossy", (100e6, 0.4, 2.0, 2.5)),
        ):
            domains = designs.domains(name)
            corners = np.array([[0.0] * len(domains), [1.0] * len(domains)])
            low, high = designs.scale(corners, domains)
            self.assertEqual(tuple(low.values()), (0.1e6, *[0.0] * (len(ends) - 1)) * 2)
            self.assertEqual(tuple(high.values()), ends * 2)

    def test_scale_is_linear_and_named(self) -> None:
        domains = [designs.Domain("a", 10, 20), designs.Domain("b", -1, 1)]
        self.assertEqual(designs.scale(np.array([[0.5, 0.25]]), domains), [{"a": 15.0, "b": -0.5}])
        with self.assertRaises(ValueError):
            designs.scale(np.array([[0.5]]), domains)


class SpaceFilling(unittest.TestCase):
    def test_count_is_exact_and_all_are_in_the_cube(self) -> None:
        for dimensions, count in ((1, 1), (1, 7), (2, 50), (3, 1), (6, 200), (8, 97)):
            points = designs.wsp(dimensions, count, seed=1)
            self.assertEqual(points.shape, (count, dimensions))
            self.assertEqual(len(np.unique(points, axis=0)), count)
            self.assertTrue(((points >= 0) & (points <= 1)).all())

    def test_the_seed_decides(self) -> None:
        first = designs.wsp(6, 100, seed=1)
        np.testing.assert_array_equal(first, designs.wsp(6, 100, seed=1))
        self.assertFalse(np.array_equal(first, designs.wsp(6, 100, seed=2)))

    def test_spread_is_well_above_random(self) -> None:
        for dimensions, count in ((2, 100), (6, 200), (9, 100)):
            for seed in range(3):
                spread = designs.min_distance(designs.wsp(dimensions, count, seed))
                uniform = np.random.default_rng(seed).random((count, dimensions))
                self.assertGreater(spread, 1.5 * designs.min_distance(uniform))

    def test_no_dimension_is_left_out(self) -> None:
        points = designs.wsp(6, 200, seed=1)
        for column in points.T:
            counts = np.histogram(column, bins=4, range=(0, 1))[0]
            self.assertGreater(counts.min(), 200 / 4 / 2)

    def test_largest_design_is_fast(self) -> None:
        start = time.process_time()
        points = designs.wsp(9, 400, seed=1)
        self.assertLess(time.process_time() - start, 3)
        self.assertEqual(points.shape, (400, 9))

    def test_refused(self) -> None:
        for dimensions, count in ((0, 5), (5, 0)):
            with self.assertRaises(ValueError):
                designs.wsp(dimensions, count, seed=1)

    def test_min_distance(self) -> None:
        self.assertEqual(designs.min_distance(np.array([[0, 0], [3, 4], [30, 40]])), 5)
        with self.assertRaises(ValueError):
            designs.min_distance(np.array([[0, 0]]))


class Grid(unittest.TestCase):
    def test_every_combination_once(self) -> None:
        points = designs.grid([3, 2, 1]).tolist()
        expected = itertools.product([0, 0.5, 1], [0, 1], [0.5])
        self.assertEqual(points, [list(point) for point in expected])
        with self.assertRaises(ValueError):
            designs.grid([3, 0])


class Orthogonal(unittest.TestCase):
    def assert_orthogonal(self, array: np.ndarray, levels: int) -> None:
        """Each pair of columns has each pair of levels equally often."""
        for one, other in itertools.combinations(array.T, 2):
            counts = np.bincount(one * levels + other, minlength=levels**2)
            self.assertEqual(set(counts.tolist()), {len(array) // levels**2})

    def test_arrays(self) -> None:
        for levels in (2, 3, 5, 7, 13):
            array = designs.orthogonal_array(levels)
            self.assertEqual(array.shape, (levels**2, levels + 1))
            self.assert_orthogonal(array, levels)

    def test_only_primes(self) -> None:
        for levels in (0, 1, 4, 9, 12):
            with self.assertRaisesRegex(ValueError, "prime"):
                designs.orthogonal_array(levels)

    def test_published_size(self) -> None:
        self.assertEqual(designs.orthogonal([13] * 14).shape, (169, 14))
        self.assertEqual(len(designs.orthogonal([13] * 14, arrays=400)), 67600)

    def test_repeated_arrays_stay_orthogonal(self) -> None:
        runs = designs.orthogonal([5] * 6, arrays=3, seed=1)
        self.assertEqual(runs.shape, (75, 6))
        self.assert_orthogonal(runs, 5)
        self.assertFalse(np.array_equal(runs[:25], runs[25:50]))
        np.testing.assert_array_equal(runs, designs.orthogonal([5] * 6, arrays=3, seed=1))
        self.assertFalse(np.array_equal(runs, designs.orthogonal([5] * 6, arrays=3, seed=2)))

    def test_missing_levels_are_replaced_in_balance(self) -> None:
        levels = [13, 13, 13, 13, 13, 13, 13, 12, 2, 2, 2, 3, 2, 13]
        runs = designs.orthogonal(levels, arrays=2, seed=1)
        for column, count in zip(runs.T, levels, strict=True):
            counts = np.bincount(column, minlength=count)
            self.assertEqual(len(counts), count)
            self.assertLessEqual(counts.max() - counts.min(), 2)  # one per array

    def test_size_follows_levels_and_parameters(self) -> None:
        self.assertEqual(designs.orthogonal([2, 2]).shape, (4, 2))
        self.assertEqual(designs.orthogonal([4]).shape, (25, 1))
        self.assertEqual(designs.orthogonal([2] * 7).shape, (49, 7))
        for levels, arrays in (([], 1), ([0, 3], 1), ([3, 3], 0)):
            with self.assertRaises(ValueError):
                designs.orthogonal(levels, arrays)


class Sensitivity(unittest.TestCase):
    def test_same_results_have_none(self) -> None:
        spread = designs.sensitivity([[-1, 0, 1]] * 5)
        self.assertEqual(spread, {5: 0, 25: 0, 50: 0, 75: 0, 95: 0})

    def test_deviation_is_a_share_of_the_range(self) -> None:
        spread = designs.sensitivity([[0.0, 0.2], [0.2, 0.4]], qs=(50,))
        self.assertAlmostEqual(spread[50], 0.2 / 2**0.5 / 2)
        spread = designs.sensitivity([[0.0, 0.2], [0.2, 0.4]], qs=(50,), full_range=1)
        self.assertAlmostEqual(spread[50], 0.2 / 2**0.5)

    def test_more_points_less_spread(self) -> None:
        rng = random.Random(1)
        few, many = (
            designs.sensitivity([[rng.uniform(-1, 1) for _ in range(n)] for _ in range(20)])
            for n in (20, 2000)
        )
        for q, deviation in many.items():
            self.assertLess(deviation, few[q])

    def test_one_design_tells_nothing(self) -> None:
        with self.assertRaises(ValueError):
            designs.sensitivity([[1, 2, 3]])


if __name__ == "__main__":
    unittest.main()
