from __future__ import annotations

import math

import pytest

from ackclock import _numbers as numbers


@pytest.mark.parametrize(
    ("mean", "interval", "text"),
    [
        (0.12431, (0.12388, 0.12474), "0.1243 ± 0.0004"),
        (0.12431, (0.12298, 0.12564), "0.1243 ± 0.0013"),  # two digits where the first is a 1
        (12.2, (11.7, 12.7), "12.2 ± 0.5"),
        (0.0, (0.0, 0.0), "0 ± 0"),
        (99.0, (99.0, 99.0), "99 ± 0"),
        (-0.054, (-0.056, -0.052), "−0.054 ± 0.002"),
        (-0.00001, (-0.01, 0.01), "0.000 ± 0.010"),  # no minus sign before a zero
        (1234567.0, (1230000.0, 1239134.0), "1\u202f234\u202f567 ± 4567"),
        (0.3, (0.3 - 1e-17, 0.3 + 1e-16), "0.3 ± 0"),  # rounding of the floats is no spread
        (0.99999902, (0.99999898, 0.99999906), "0.999999 ± <0.000001"),  # six digits are enough
        (123.456789, (123.456779, 123.456799), "123.457 ± <0.001"),
        (1e-9, (-0.3, 0.3), "0.0 ± 0.3"),
        (0.25, None, "0.2500"),
        (None, None, "–"),
    ],
)
def test_mean_and_spread(mean: float | None, interval: tuple[float, float] | None, text: str) -> None:
    assert numbers.mean_and_spread(mean, interval) == text


def test_interval_has_the_digits_of_its_half_width() -> None:
    assert numbers.interval_text(0.12431, (0.12388, 0.12474)) == "0.1239 to 0.1247"
    assert numbers.interval_text(0.99999902, (0.99999898, 0.99999906)) == "0.999999 to 0.999999"
    assert numbers.interval_text(0.5, None) == "–"
    assert numbers.interval_text(0.5, (math.nan, math.nan)) == "–"


def test_written_numbers_keep_their_digits() -> None:
    assert numbers.plain(0.42) == "0.42"
    assert numbers.plain(-3) == "−3"
    assert numbers.plain(None) == numbers.plain(math.nan) == "–"
    assert numbers.plain(math.inf) == "∞"


def test_significant() -> None:
    assert numbers.significant(0.123456) == "0.1235"
    assert numbers.significant(123456.0) == "123\u202f456"
    assert numbers.significant(1.5e-9) == "1.500e−09"
    assert numbers.significant(0.0) == "0"
    assert numbers.significant(-math.inf) == "−∞"


def test_durations() -> None:
    assert numbers.duration(0.4213) == "0.42 s"
    assert numbers.duration(31.4) == "31 s"
    assert numbers.duration(125) == "2 min 05 s"
    assert numbers.duration(7500) == "2 h 05 min"


def test_seeds_in_short() -> None:
    assert numbers.ranges(range(1, 21)) == "1 to 20"
    assert numbers.ranges([1, 2, 7]) == "1, 2, 7"
    assert numbers.ranges([]) == ""


def test_drawn_values_are_short() -> None:
    assert numbers.rounded([1.0, 0.123456789, None, math.nan, 1234567.0]) == [1, 0.12346, None, None, 1234600]


def test_a_mean_is_written_with_the_ends_of_its_interval() -> None:
    assert numbers.with_ends(12.41, (11.92, 12.93), "ms") == "12.4 ms (11.9 to 12.9)"
    assert numbers.with_ends(0.1 + 0.2, (0.1 + 0.2, 0.3)) == "0.300"  # equal but for rounding
    assert numbers.with_ends(12.0, (12.0, 12.0)) == numbers.with_ends(12.0, None) == "12.0"
    assert numbers.with_ends(None, None, "") == numbers.MISSING


def test_items_are_taken_at_even_distances() -> None:
    assert numbers.evenly(3, 3) == [0, 1, 2]
    assert numbers.evenly(11, 3) == [0, 5, 10]
    assert numbers.evenly(0, 3) == []
