"""Figures in which next to nothing varies: a flat line says little above claims that are about something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ackclock.numbers import plain
from ackclock.report.curves import Panel

NARROW = 0.05
"""Up to this share of the largest value the axis is fitted to the values, which would be a flat line above zero."""
LEVEL = 0.001
"""Up to this share nothing varies."""


@dataclass(frozen=True)
class Spread:
    """How far the values of a figure are apart."""

    low: float
    high: float

    @property
    def share(self) -> float:
        """The distance over the largest value; 0 where all values are 0."""
        largest = max(abs(self.low), abs(self.high))
        return (self.high - self.low) / largest if largest else 0.0

    @property
    def level(self) -> bool:
        """Whether nothing varies."""
        return self.share <= LEVEL

    @property
    def note(self) -> str:
        """What the reader has to know about the axis; empty where values differ enough for one that begins at zero."""
        if self.level:
            return f"Nothing varies here: all values lie {self._between}."
        if self.share <= NARROW:
            return f"The vertical axis does not begin at zero: all values lie {self._between}."
        return ""

    @property
    def _between(self) -> str:
        low, high = (plain(float(f"{end:.4g}")) for end in (self.low, self.high))
        return f"at {low}" if low == high else f"between {low} and {high}"


def spread(panels: Sequence[Panel]) -> Spread | None:
    """The spread of what is drawn and published along the vertical axes. None without a value, or with one alone."""
    values = list(_values(panels))
    return Spread(min(values), max(values)) if len(values) > 1 else None


def fitted(panels: Sequence[Panel]) -> list[Panel]:
    """The panels with a vertical axis that shows what varies, where the study leaves the axis open."""
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
