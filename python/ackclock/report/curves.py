"""The parts of a drawn figure: axes, panels, curves and their entries in the legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Axis:
    """An axis: its title with its unit, its scale, and the limits that the study file fixes."""

    label: str
    log: bool = False
    range: tuple[float, float] | None = None
    fitted: bool = False
    """Whether the axis covers only the range of the values; otherwise it begins at zero if no value is negative."""
    most: float | None = None
    """The largest possible value of the quantity, such as 1 or 100 % for a share; None without a bound."""

    def from_zero(self, values: Sequence[float]) -> bool:
        """Returns whether the axis begins at zero if it shows these values."""
        free = not (self.log or self.fitted or self.range)
        return free and bool(values) and min(values) >= 0

    def plain(self) -> dict[str, Any]:
        """Returns the axis as JSON, without limits that are not fixed."""
        found: dict[str, Any] = {"label": self.label}
        if self.log:
            found["log"] = True
        if self.fitted:
            found["fitted"] = True
        if self.range is not None:
            found["range"] = list(self.range)
        return found


@dataclass(frozen=True)
class Entry:
    """A line of the legend. ``index`` is the curve's number in the study, which determines its style."""

    label: str
    index: int


@dataclass(frozen=True)
class Curve:
    """The numbers of one curve, as JSON (see ``traces.js`` and ``trade-off.js`` in ``assets/figures`` for the keys)."""

    entry: Entry
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Panel:
    """A pair of axes with its curves. A figure has one, or several above each other on the same horizontal axis."""

    title: str
    y: Axis
    curves: Sequence[Curve]
    x: Axis | None = None
    """The panel's own horizontal axis; None if the panels of the figure share one."""
    z: str = ""
    """The title of the quantity that the colours of a heat map show; empty without a heat map."""

    def plain(self, entries: Sequence[Entry]) -> dict[str, Any]:
        """Returns the panel as JSON; its curves refer to the list of entries."""
        curves = [{"entry": entries.index(curve.entry), **curve.data} for curve in self.curves]
        return {"title": self.title, "y": self.y.plain(), "curves": curves}
