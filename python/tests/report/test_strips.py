from __future__ import annotations

import math

from ackclock.report import strips


def test_scale_starts_at_zero_when_values_are_near_it() -> None:
    scale = strips.scale([1.0, 10.0])
    assert scale is not None
    assert scale.low == 0
    assert scale.position(0) == 0
    assert [text for _, text in scale.ticks] == ["0", "2.5", "5", "7.5", "10"]


def test_scale_leaves_room_around_values_far_from_zero() -> None:
    scale = strips.scale([92.0, 99.0])
    assert scale is not None
    assert 0 < scale.position(92.0) < scale.position(99.0) < 100
    assert all(0 <= at <= 100 for at, _ in scale.ticks)


def test_negative_values_count_from_zero_too() -> None:
    scale = strips.scale([-0.05, -0.01])
    assert scale is not None
    assert scale.high == 0


def test_equal_values_have_a_scale_as_well() -> None:
    for value in (0.0, 5.0, -5.0):
        scale = strips.scale([value, value])
        assert scale is not None
        assert scale.low < value < scale.high


def test_nothing_to_show() -> None:
    assert strips.scale([None, math.nan]) is None


def test_positions_and_missing_parts() -> None:
    scale = strips.Scale(0, 10, ())
    full = strips.strip(scale, 5, (4, 7), 6)
    assert (full.mean, full.interval, full.paper) == (50, (40, 30), 60)
    empty = strips.strip(scale, None, (math.nan, math.nan), None)
    assert (empty.mean, empty.interval, empty.paper) == (None, None, None)


def test_the_accepted_range() -> None:
    scale = strips.Scale(0, 10, ())
    assert strips.strip(scale, 5, None, 6, (4, 7)).accepted == strips.Band(40, 30, False, False)
    assert strips.strip(scale, 5, None, None, (None, 7)).accepted == strips.Band(0, 70, True, False)
    assert strips.strip(scale, 5, None, None, (4, None)).accepted == strips.Band(40, 60, False, True)
    assert strips.strip(scale, 5, None, 6).accepted is None
