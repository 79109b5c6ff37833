"""Styles of curves: each has a colour, a dash and a marker, so that no one of them is needed to tell curves apart."""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = 6
"""The number of colours in the style sheet, ``--curve-0`` to ``--curve-5``, for the light and for the dark theme.

Derived from Okabe and Ito's palette ("Color Universal Design", 2008), moved where a colour had less than 3:1 contrast
with the background, and checked for distance under simulated protanopia and deuteranopia.
"""

_DASHES = ("", "9 4", "2 3", "12 4 2 4", "16 5")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "triangle-down", "cross", "star")


@dataclass(frozen=True)
class Style:
    """The style of a curve. ``dash`` has lengths in px, "" for a solid line; ``symbol`` is one of Plotly's names."""

    colour: int
    dash: str
    symbol: str


def style(index: int) -> Style:
    """Returns the style of the ``index``-th curve; the cycles have different lengths, so 120 curves differ."""
    return Style(index % COLOURS, _DASHES[index % len(_DASHES)], _SYMBOLS[index % len(_SYMBOLS)])


def choose(indices: list[int]) -> list[Style]:
    """Returns styles for the curves of one figure, given each one's number in the whole study.

    A case looks the same in all figures of a study as long as no two curves of the figure would share a colour;
    otherwise the figure numbers its curves itself.
    """
    colours = {index % COLOURS for index in indices}
    if len(colours) == len(indices):
        return [style(index) for index in indices]
    return [style(position) for position in range(len(indices))]
