"""Strips: a mean with its interval, the published value and the accepted range on one scale, as positions in per cent.

The style sheet draws them, so they need no script, follow the theme and print.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ackclock._numbers import significant
from ackclock.study.result import Interval


@dataclass(frozen=True)
class Scale:
    """A linear scale from ``low`` to ``high`` with its round tick values."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def position(self, value: float) -> float:
        """Returns the position of a value, in per cent of the width."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)


Range = tuple[float | None, float | None]
"""The lowest and the highest accepted value; None for an open end."""


@dataclass(frozen=True)
class Band:
    """A part of the scale: its left end and its width in per cent. An open end is that of the scale."""

    left: float
    width: float
    open_left: bool
    open_right: bool


@dataclass(frozen=True)
class Strip:
    """Positions in per cent; None for missing values."""

    mean: float | None
    interval: tuple[float, float] | None
    """The left end and the width of the confidence interval of the mean, in per cent of the scale."""
    paper: float | None
    accepted: Band | None = None


def scale(values: Iterable[float | None]) -> Scale | None:
    """Returns a scale around all finite values; None when there is nothing to show.

    It starts at zero if the values are not far from it, so that lengths can be compared, and otherwise leaves a
    little room. Ticks stand at round values.
    """
    finite = [value for value in values if value is not None and math.isfinite(value)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    if 0 < low < 0.7 * high:
        low = 0.0
    elif 0.7 * low < high < 0:
        high = 0.0
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        room = 0.1 * abs(high) or 1.0
        low, high = low - room, high + room
    step = _round_step((high - low) / 4)
    room = 0.04 * (high - low)
    bounds = Scale(low - room if low else 0.0, high + room if high else 0.0, ())
    first, last = math.ceil(bounds.low / step - 1e-9), math.floor(bounds.high / step + 1e-9)
    ticks = [(bounds.position(k * step), _short(significant(k * step, 6))) for k in range(first, last + 1)]
    return Scale(bounds.low, bounds.high, ticks)


def zero(values: Iterable[float | None]) -> list[float]:
    """Returns zero as one more value if no value is negative, so that the axis begins at zero."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    return [0.0] if known and min(known) >= 0 else []


def strip(
    on: Scale,
    mean: float | None,
    interval: Interval | None,
    paper: float | None,
    accepted: Range | None = None,
) -> Strip:
    """Returns the positions of one row."""
    ends = None
    if interval is not None and all(map(math.isfinite, interval)):
        left, right = on.position(interval[0]), on.position(interval[1])
        ends = (left, round(right - left, 2))
    return Strip(
        mean=None if mean is None or not math.isfinite(mean) else on.position(mean),
        interval=ends,
        paper=None if paper is None else on.position(paper),
        accepted=None if accepted is None else _band(on, *accepted),
    )


def _band(on: Scale, low: float | None, high: float | None) -> Band:
    left = 0.0 if low is None else on.position(low)
    right = 100.0 if high is None else on.position(high)
    return Band(left, round(right - left, 2), low is None, high is None)


def _round_step(rough: float) -> float:
    """Returns the smallest of 1, 2, 2.5, 5 times a power of ten that is not below ``rough``."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next((factor * power for factor in (1, 2, 2.5, 5) if factor * power >= rough * 0.999), 10 * power)


def _short(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
