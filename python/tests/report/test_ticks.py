"""Ticks of logarithmic axes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.report.ticks import LEAST, logarithmic


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        # A round trip that doubles has one power of ten, and none of 2 and 5 besides.
        ([60, 85, 120], [60, 80, 100, 120]),
        ([75, 300], [100, 200, 300]),
        ([0.05, 0.06], [0.05, 0.055, 0.06]),
        ([1, 1000], [1, 10, 100, 1000]),
    ],
)
def test_they_are_round_numbers_among_the_values(values: list[float], ticks: list[float]) -> None:
    assert logarithmic(values, exact=False) == ticks


@given(st.floats(1e-9, 1e9), st.floats(1.001, 1e6))
def test_at_least_three_lie_among_values_that_differ(low: float, ratio: float) -> None:
    high = low * ratio
    among = [
        tick
        for tick in logarithmic([low, high], exact=False)
        if low <= tick * (1 + 1e-9) and tick <= high * (1 + 1e-9)
    ]
    assert len(among) >= LEAST
