"""What is wrong with a figure in print: looks at the drawn figure as a reader of the paper does."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from ackclock import Figure
from ackclock.report import printed
from ackclock.report.chart import Chart

from .svg_texts import placed, size

LEAST_PT = 6.0
"""The size below which a text in print is hard to read."""


def faults(figure: Figure, width_in: float) -> list[str]:
    """The faults of a figure of this width, in sentences; empty for a good one."""
    look: Mapping[str, Any] = printed._LOOK
    with mpl.rc_context(dict(look)):
        drawing = printed.drawn(figure.chart, width_in)
        file = io.StringIO()
        drawing.savefig(file, format="svg")
        return [*_of_texts(file.getvalue(), width_in), *_of_marks(drawing), *_of_ticks(figure.chart, drawing)]


def _of_texts(svg: str, width_in: float) -> Iterator[str]:
    """Too small, cut by the edge of the page, or covered by another text."""
    width, height = size(svg)
    if not math.isclose(width, 72 * width_in, rel_tol=1e-3):
        yield f"{width / 72:.2f} inches wide, not {width_in}"
    texts = placed(svg)
    for one in texts:
        left, top, right, bottom = one.box
        if left < 0 or top < 0 or right > width or bottom > height:
            yield f"{one.text!r} is cut by the page"
        if one.size < LEAST_PT - 1e-6:
            yield f"{one.text!r} has {one.size:.1f} points"
    for one, other in combinations(texts, 2):
        if one.covers(other):
            yield f"{one.text!r} covers {other.text!r}"


def _of_marks(drawing: Drawing) -> Iterator[str]:
    """Marks that the frame of their panel, or the page, cuts in two."""
    page = drawing.get_window_extent()
    for ax in drawing.axes:
        frame = ax.get_window_extent()
        for line in ax.get_lines():
            for x, y in _markers(line, ax):
                room = line.get_markersize() / 2 / 72 * drawing.dpi
                if not frame.padded(room).contains(x, y):
                    continue
                if line.get_clip_on() and not frame.padded(-room).contains(x, y):
                    yield f"a mark of {line.get_label()} is cut by the frame"
                if not page.padded(-room).contains(x, y):
                    yield f"a mark of {line.get_label()} is cut by the page"


def _markers(line: Line2D, ax: Axes) -> Iterator[tuple[float, float]]:
    """The places of the marks of a line, in pixels."""
    if line.get_marker() in ("", "None", None):
        return
    points = ax.transData.transform(
        np.column_stack([np.asarray(one, dtype=float) for one in line.get_data()])
    )
    every = line.get_markevery()
    # Marks at equal distances along a curve may be anywhere on it.
    for x, y in points[:: every if isinstance(every, int) else 1]:
        if math.isfinite(x) and math.isfinite(y):
            yield float(x), float(y)


def _of_ticks(chart: Chart, drawing: Drawing) -> Iterator[str]:
    """Numbers and words beside ticks of another value."""
    panels = [panel for panel in chart.panels if panel.curves]
    for panel, ax in zip(panels, drawing.axes, strict=False):
        data = panel.curves[0].data
        across, up = data.get("x", []), data["y"] if "z" in data else []
        if chart.kind == "dots":
            # The cases are above each other.
            across, up = [], across
        for axis, values in ((ax.xaxis, across), (ax.yaxis, up)):
            named = list(values) if "z" in data or any(isinstance(value, str) for value in values) else []
            if axis.get_offset_text().get_text():
                continue
            for tick in axis.get_major_ticks():
                at, text = float(tick.get_loc()), _plain(tick.label1.get_text())
                right = named[round(at)] if named and 0 <= at < len(named) else None if named else at
                if right is not None and text and not _same(text, right):
                    yield f"the tick at {right} says {text}"


def _plain(text: str) -> str:
    """The text of a tick without Matplotlib's commands."""
    found = re.fullmatch(r"\$\\mathdefault\{(.*)\}\$", text)
    return (found[1] if found else text).replace("\N{MINUS SIGN}", "-").replace("\n", " ")


def _same(text: str, value: Any) -> bool:
    """Whether the text names the value; words may be wrapped."""
    if isinstance(value, str):
        return text.replace(" ", "") == value.replace(" ", "")
    return math.isclose(float(text), value, rel_tol=1e-6, abs_tol=1e-12)
