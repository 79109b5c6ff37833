"""The figure that a report opens with: every printed number against the measured one, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ackclock._numbers import significant
from ackclock.study.printed_numbers import NEAR, WIDE, of_studies, within
from ackclock.study.result import StudyResult

SIZE = 320.0
"""The side of the figure's square, in pixels."""


@dataclass(frozen=True)
class Point:
    """A printed number and the measured one, in pixels from the upper left corner."""

    x: float
    y: float
    words: str


@dataclass(frozen=True)
class Agreement:
    """The figure. ``bands`` are polygons within 25 % and 10 % of equality."""

    points: Sequence[Point]
    ticks: Sequence[tuple[float, str]]
    bands: Sequence[str]
    near: int
    wide: int
    zeros: int
    """The numbers that a logarithmic axis cannot show: a printed or a measured 0."""

    @property
    def words(self) -> str:
        """Returns the figure in a sentence."""
        count = len(self.points) + self.zeros
        return (
            f"{self.near} of {count} printed number{'s' if count != 1 else ''} "
            f"{'are' if self.near != 1 else 'is'} within 10 % of the measured one, {self.wide} within 25 %."
        )


def agreement(results: Sequence[StudyResult]) -> Agreement | None:
    """Returns the figure; None if no number is printed and measured."""
    numbers = of_studies(results)
    if not numbers:
        return None
    near, wide = within(numbers)
    shown = [one for one in numbers if one.printed * one.measured > 0]
    ends = [abs(value) for one in shown for value in (one.printed, one.measured)] or [1.0]
    low, high = _decades(min(ends), max(ends))

    def place(value: float) -> float:
        return SIZE * (math.log10(abs(value)) - low) / (high - low)

    points = [
        Point(
            round(place(one.printed), 1),
            round(SIZE - place(one.measured), 1),
            f"{one.what}, {one.where}: printed {significant(one.printed)}, measured {significant(one.measured)}",
        )
        for one in shown
    ]
    ticks = [(round(place(10.0**k), 1), _power(k)) for k in range(math.ceil(low), math.floor(high) + 1)]
    bands = [_band(share, SIZE / (high - low)) for share in (WIDE, NEAR)]
    return Agreement(points, ticks, bands, near, wide, len(numbers) - len(shown))


def _decades(low: float, high: float) -> tuple[float, float]:
    """Returns the ends of the axes as logarithms: whole decades, at least one."""
    first, last = math.floor(math.log10(low) - 0.05), math.ceil(math.log10(high) + 0.05)
    return first, max(last, first + 1)


def _power(k: int) -> str:
    return f"{10.0**k:g}" if -3 <= k <= 4 else f"1e{k}"


def _band(share: float, decade: float) -> str:
    """Returns the polygon of the values within ``share`` of equality."""
    up, down = decade * math.log10(1 + share), -decade * math.log10(1 - share)
    corners = [(0, SIZE - up), (0, SIZE + down), (SIZE, down), (SIZE, -up)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
