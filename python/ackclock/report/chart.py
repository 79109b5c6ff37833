"""A figure as data: the page draws it, ``printed`` draws it for a file, ``rows`` writes it as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.report import style
from ackclock.report.curves import Axis, Entry, Panel

COLOURS = ("#005fa8", "#d55e00", "#009e73", "#c061a4", "#1b1b1b", "#3f97da")
"""The colours of the light theme of ``report.css``."""


@dataclass(frozen=True)
class Chart:
    """The panels of a figure, the names of its axes, and the style of each curve."""

    kind: str
    """``time``, ``sweep``, ``trade-off``, ``dots``, ``plane``, ``grid`` or ``distribution``. ``traces.js`` and the
    other scripts in ``assets/figures`` describe the keys of the curves of each kind.
    """
    title: str
    x: Axis
    panels: Sequence[Panel]
    across: int = 1
    """The number of panels side by side."""
    legend: str = ""
    """The quantity whose values the lines of the legend name."""

    @property
    def entries(self) -> list[Entry]:
        """Returns the lines of the legend."""
        return list(dict.fromkeys(curve.entry for panel in self.panels for curve in panel.curves))

    @property
    def looks(self) -> dict[Entry, style.Style]:
        """Returns the style of each line of the legend."""
        entries = self.entries
        return dict(zip(entries, style.choose([entry.index for entry in entries]), strict=True))

    @property
    def shared(self) -> bool:
        """Returns whether all panels have the same vertical axis."""
        return len({panel.y for panel in self.panels}) == 1

    def names_up(self, place: int) -> bool:
        """Returns whether the panel at this place has the name of its vertical axis beside it.

        The first of a row has it, and one whose axis is another than that of the panel to its left.
        """
        left = [panel for panel in self.panels[place - place % self.across : place] if panel.curves]
        return not left or left[-1].y != self.panels[place].y

    def plain(self) -> Mapping[str, Any]:
        """Returns the figure as JSON, for the script of the page."""
        entries = self.entries
        return {
            "kind": self.kind,
            "title": self.title,
            "x": self.x.plain(),
            "panels": [panel.plain(entries) for panel in self.panels],
            "shared": self.shared,
            "entries": [
                {"label": entry.label, "colour": look.colour, "dash": look.dash, "symbol": look.symbol}
                for entry, look in self.looks.items()
            ],
        }
