"""A figure, described once: the page draws it, ``printed`` draws it for a file, ``rows`` writes it as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.report import style
from ackclock.report.curves import Axis, Entry, Panel

COLOURS = ("#005fa8", "#d55e00", "#009e73", "#c061a4", "#1b1b1b", "#3f97da")
"""Those of the light theme of ``report.css``."""


@dataclass(frozen=True)
class Chart:
    """The panels of a figure, how its axes are called, and what each curve looks like."""

    kind: str
    """``time``, ``sweep``, ``trade-off``, ``dots``, ``plane`` or ``grid``; what the curves of each hold stands in
    ``traces.js`` and its neighbours in ``assets/figures``.
    """
    title: str
    x: Axis
    panels: Sequence[Panel]
    across: int = 1
    """So many panels beside each other."""
    legend: str = ""
    """What the lines of the legend differ in."""

    @property
    def entries(self) -> list[Entry]:
        """The lines of the legend."""
        return list(dict.fromkeys(curve.entry for panel in self.panels for curve in panel.curves))

    @property
    def looks(self) -> dict[Entry, style.Style]:
        """What each line of the legend looks like."""
        entries = self.entries
        return dict(zip(entries, style.choose([entry.index for entry in entries]), strict=True))

    @property
    def shared(self) -> bool:
        """Whether all panels have the same vertical axis."""
        return len({panel.y for panel in self.panels}) == 1

    def plain(self) -> Mapping[str, Any]:
        """The figure as JSON, for the script of the page."""
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
