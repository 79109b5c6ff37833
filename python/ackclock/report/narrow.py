"""Detects figures in which next to nothing varies, and fits their axes to the values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ackclock._numbers import plain
from ackclock.report.curves import Panel

NARROW = 0.05
"""The spread (largest minus smallest value), as a share of the largest value, up to which the vertical axis is fitted
to the values. On an axis from zero, such values would look like a flat line.
"""
LEVEL = 0.001
"""The spread (largest minus smallest value), as a share of the largest value, up to which the values of a figure count
as equal.
"""


@dataclass(frozen=True)
class Spread:
    """The lowest and the highest value of a figure."""

    low: float
    high: float

    @property
    def share(self) -> float:
        """Returns the distance over the largest value; 0 if all values are 0."""
        largest = max(abs(self.low), abs(self.high))
        return (self.high - self.low) / largest if largest else 0.0

    @property
    def level(self) -> bool:
        """Returns whether nothing varies."""
        return self.share <= LEVEL

    @property
    def note(self) -> str:
        """Returns a remark on the axis; empty if the values differ enough for an axis that begins at zero."""
        if self.level:
            return f"The figure shows no variation: all values are {self._between}."
        if self.share <= NARROW:
            return f"The vertical axis does not begin at zero: all values are {self._between}."
        return ""

    @property
    def _between(self) -> str:
        low, high = (plain(float(f"{end:.4g}")) for end in (self.low, self.high))
        return low if low == high else f"between {low} and {high}"


def spread(panels: Sequence[Panel]) -> Spread | None:
    """Returns the spread of the drawn and published values along the vertical axes. None with fewer than two values."""
    values = list(_values(panels))
    return Spread(min(values), max(values)) if len(values) > 1 else None


def fitted(panels: Sequence[Panel]) -> list[Panel]:
    """Returns the panels with a vertical axis fitted to the values, if the study does not fix the axis."""
    found = spread(panels)
    if found is None or found.level or found.share > NARROW:
        return list(panels)
    room = 0.1 * (found.high - found.low)
    range_ = (found.low - room, found.high + room)
    return [
        panel
        if panel.y.range is not None or panel.y.log
        else replace(panel, y=replace(panel.y, range=range_))
        for panel in panels
    ]


def _values(panels: Sequence[Panel]) -> Iterator[float]:
    for panel in panels:
        for curve in panel.curves:
            for key in ("y", "level", "paper"):
                found = curve.data.get(key)
                yield from (
                    value for value in (found if isinstance(found, list) else [found]) if value is not None
                )
