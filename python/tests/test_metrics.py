"""Closed-form numbers."""

import math

import numpy as np
import pytest

from ackclock.metrics import (
    coefficient_of_variation,
    convergence_time,
    correlation,
    growth,
    hurst,
    jain_index,
    stretches,
    time_of_max,
    time_of_reaching,
)


def test_jain_index_of_known_shares() -> None:
    assert jain_index(np.array([3.0, 3.0, 3.0])) == 1
    assert jain_index(np.array([1.0, 0.0, 0.0, 0.0])) == 0.25
    # (1 + 2 + 3)^2 / (3 * (1 + 4 + 9)) = 36 / 42
    assert jain_index(np.array([1.0, 2.0, 3.0])) == pytest.approx(36 / 42)
    assert math.isnan(jain_index(np.zeros(3)))


def test_coefficient_of_variation() -> None:
    # 2 and 4: mean 3, population deviation 1
    assert coefficient_of_variation(np.array([2.0, 4.0, np.nan])) == pytest.approx(1 / 3)
    assert math.isnan(coefficient_of_variation(np.array([])))
    assert math.isnan(coefficient_of_variation(np.array([-1.0, 1.0])))


def test_correlation() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    # Deviations -1.5 -0.5 0.5 1.5 and -1 1 -1 1: 2 / sqrt(5 * 4)
    assert correlation(x, np.array([0.0, 2.0, 0.0, 2.0])) == pytest.approx(2 / math.sqrt(20))
    assert correlation(x, np.array([1.0, np.nan, 3.0, 4.0])) == pytest.approx(1)
    assert math.isnan(correlation(x, np.ones(4)))
    assert math.isnan(correlation(x[:1], x[:1]))


def test_time_of_reaching() -> None:
    time = np.array([0.0, 1.0, 2.0])
    assert time_of_reaching(time, np.array([1.0, np.nan, 5.0]), 2) == 2
    assert time_of_reaching(time, np.array([1.0, 5.0, 1.0]), 5) == 1
    assert math.isnan(time_of_reaching(time, np.array([1.0, 1.0, 1.0]), 2))


def test_time_of_max() -> None:
    time = np.array([0.0, 1.0, 2.0, 3.0])
    assert time_of_max(time, np.array([1.0, 5.0, np.nan, 5.0])) == 1
    assert math.isnan(time_of_max(time, np.full(4, np.nan)))
    assert math.isnan(time_of_max(time[:0], time[:0]))


def test_stretches() -> None:
    # Samples every 0.1 s, whose times are not exact: each stretch of 0.3 s has just three.
    time = 0.1 * np.arange(9)
    starts, means = stretches(time, np.arange(9.0), 0.0, 0.3)
    assert starts == pytest.approx([0, 0.3, 0.6])
    assert means.tolist() == [1, 4, 7]
    assert stretches(time[:8], np.arange(8.0), 0.0, 0.3)[0] == pytest.approx([0, 0.3])
    with pytest.raises(ValueError, match="found width_s = 0"):
        stretches(time, time, 0.0, 0.0)


def test_growth() -> None:
    # A count of k^2 at 0.1 k s, whose times are not exact: from 0.1 s on, stretches of 0.3 s end at k = 4 and 7.
    time = 0.1 * np.arange(9)
    squares = np.arange(9.0) ** 2
    assert growth(time, squares, 0.1, 0.3).tolist() == [16 - 1, 49 - 16]
    assert growth(time, squares, 0.0, 0.2).tolist() == [4, 12, 20, 28]
    assert growth(time, squares, 0.5, 0.4).size == 0
    assert growth(time[:0], squares[:0], 0.0, 0.4).size == 0
    with pytest.raises(ValueError, match="found width_s = 0"):
        growth(time, squares, 0.0, 0.0)


class TestConvergence:
    time = np.arange(0.0, 100.0)

    def test_both_flows_must_have_crossed(self) -> None:
        # M = 100 in the first 30 s. From 50 s the first falls by 2 per second: 55 at 50 + 22.5, sampled at 73.
        # The second rises by 1 per second from 50 s: 45 at 95.
        first = np.where(self.time < 50, 100.0, 100 - 2 * (self.time - 50))
        second = np.clip(self.time - 50, 0, None)
        assert convergence_time(self.time, first, second, 50, (0, 30)) == 45
        assert convergence_time(self.time, first, 10 * second, 50, (0, 30)) == 23

    def test_never(self) -> None:
        flat = np.full(100, 100.0)
        assert math.isnan(convergence_time(self.time, flat, flat, 50, (0, 30)))
        assert math.isnan(convergence_time(self.time, flat / 2, flat * np.nan, 50, (0, 30)))

    def test_a_dip_before_the_second_flow_starts_does_not_count(self) -> None:
        first = np.where(self.time == 40, 10.0, 100.0)
        assert math.isnan(convergence_time(self.time, first, first, 50, (0, 30)))

    def test_an_empty_region_has_no_maximum(self) -> None:
        flat = np.full(100, 100.0)
        assert math.isnan(convergence_time(self.time, flat, flat, 50, (200, 300)))


def test_hurst_is_a_half_without_memory_and_near_one_with_a_lasting_level() -> None:
    random = np.random.default_rng(1)
    # The variances of a few large blocks scatter widely, their logarithms most of all downwards: one estimate may be
    # far off, and the mean lies a little low.
    assert np.mean([hurst(random.normal(size=2**12)) for _ in range(100)]) == pytest.approx(0.5, abs=0.06)
    # Variances of block means that do not fall: slope 0, H = 1, but for the n - 1 of few blocks.
    level = np.repeat([0.0, 1.0], 2**10)
    assert hurst(level) == pytest.approx(1.0, abs=0.1)
    # +1, -1, +1...: every mean of two is 0, and there is nothing to fit.
    assert np.isnan(hurst(np.tile([1.0, -1.0], 64)))
