"""Measures over windows of a run, against numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ackclock.characterisation.windows import drift, in_phase, least_share, settling_time

TIMES = np.arange(0.0, 10.0)


def test_the_least_share_of_two_flows() -> None:
    first = np.array([9.0, 9, 1, 1, 1, 1, 1, 1, 1, 1])
    second = np.array([9.0, 9, 1, 1, 0, 0, 1, 3, 3, 3])
    # Windows of 2 s after 1 s: in the one with samples 4 and 5 the second flow has nothing; of those with samples 8 and
    # 9 it has 6 of 8, which leaves the first a quarter, half of its equal share.
    assert least_share([first, second], TIMES, 1, 2) == 0
    assert least_share([first, second], TIMES, 6, 2) == pytest.approx(2 * 2 / 8)
    assert least_share([first, first], TIMES, 1, 2) == 1


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
