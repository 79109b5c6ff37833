"""Measures over windows of a run, against numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ackclock.experiment.windows import drift, in_phase, least_share, settling_time, spectral_line

TIMES = np.arange(0.0, 10.0)


def test_the_least_share_of_two_flows() -> None:
    first = np.array([9.0, 9, 1, 1, 1, 1, 1, 1, 1, 1])
    second = np.array([9.0, 9, 1, 1, 0, 0, 1, 3, 3, 3])
    # Windows of 2 s after 1 s: in the one with samples 4 and 5 the second flow has nothing; of those with samples 8 and
    # 9 it has 6 of 8, which leaves the first a quarter, half of its equal share.
    assert least_share([first, second], TIMES, 1, 2) == 0
    assert least_share([first, second], TIMES, 6, 2) == pytest.approx(2 * 2 / 8)
    assert least_share([first, first], TIMES, 1, 2) == 1


def test_the_least_share_of_some_flows_among_all() -> None:
    small, other = np.full(10, 1.0), np.full(10, 3.0)
    assert least_share([small], TIMES, 0, 4, among=[small, other]) == pytest.approx(0.5)
    assert least_share([other], TIMES, 0, 4, among=[small, other]) == pytest.approx(1.5)
    # Silence of four seconds is found wherever it begins.
    silent = np.array([1.0, 1, 1, 0, 0, 0, 0, 1, 1, 1])
    assert least_share([silent], TIMES, 0, 4, among=[silent, other]) == 0


def test_a_share_needs_a_whole_window_and_somebody_who_gets_something() -> None:
    flow = np.ones(10)
    assert math.isnan(least_share([flow], TIMES, 5, 5))
    assert math.isnan(least_share([0 * flow, 0 * flow], TIMES, 0, 2))
    assert math.isnan(least_share([], TIMES, 0, 2))


def test_drift_is_the_slope() -> None:
    assert drift(TIMES, 3 - 0.5 * TIMES) == pytest.approx(-0.5)
    gaps = np.where(TIMES == 4, np.nan, 2 * TIMES)
    assert drift(TIMES, gaps) == pytest.approx(2)
    assert math.isnan(drift(TIMES[:2], TIMES[:2]))


def test_phases_repeat() -> None:
    # A cycle of 4 s from 2 s on; its second half.
    assert list(TIMES[in_phase(TIMES, 4, 2, 4, 2)]) == [4, 5, 8, 9]
    # A tenth of a second is not exact, and must not fall into the phase before its own.
    tenths = np.arange(100) / 10
    assert list(tenths[in_phase(tenths, 0.4, 0, 0.2, 0.4)][:4]) == pytest.approx([0.4, 0.5, 0.8, 0.9])


def test_settling_ends_when_no_later_second_is_above_the_end_of_the_phase() -> None:
    times = np.arange(1.0, 21.0)
    # A cycle of 10 s, of which the first 6 are the phase: its second half has 4, 4, 4, so that 5 is the limit.
    # In the first cycle the third second has 9, in the other none: 3 s and 0 s.
    first = [9.0, 4, 9, 4, 4, 4, 1, 1, 1, 1]
    other = [5.0, 4, 4, 4, 4, 4, 1, 1, 1, 1]
    assert settling_time(times, np.array(first + other), 10, 0, 6, 0) == pytest.approx(1.5)
    # Without a whole cycle there is none.
    assert math.isnan(settling_time(times[:5], np.ones(5), 10, 0, 6, 0))


def test_a_tone_is_a_line_and_noise_is_not() -> None:
    times = np.arange(1, 4001) * 0.05
    # A period of 2 s with an amplitude of 3 has a variance of 4.5; with noise of variance 1.5 beside it three quarters
    # are left, and the noise that falls on the three bins of 500.
    noise = np.random.default_rng(1).normal(0, math.sqrt(1.5), times.size)
    tone = 20 + 3 * np.sin(2 * math.pi * times / 2)
    share, period = spectral_line(times, tone, 50)
    assert share == pytest.approx(1, abs=1e-6)
    assert period == pytest.approx(2)
    share, period = spectral_line(times, tone + noise, 50)
    assert share == pytest.approx(0.75, abs=0.02)
    assert period == pytest.approx(2)
    assert spectral_line(times, noise, 50)[0] < 0.03


def test_a_spectrum_needs_a_whole_segment_and_something_that_varies() -> None:
    assert all(math.isnan(part) for part in spectral_line(TIMES, np.sin(TIMES), 20))
    assert all(math.isnan(part) for part in spectral_line(TIMES, np.ones(10), 9))
