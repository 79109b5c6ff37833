"""The picture of a sweep, or a distribution, as a Plotly figure: on the page, and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ackclock._numbers import mean_and_spread
from ackclock.report import ticks
from ackclock.report.chart import COLOURS, Chart
from ackclock.report.curves import Axis, Curve, Panel
from ackclock.report.style import Style


def plotly_figure(chart: Chart) -> go.Figure:
    """Returns the figure of ``sweep_figure`` or ``completion_figure`` for Plotly."""
    rows = -(-len(chart.panels) // chart.across)
    titles = [panel.title for panel in chart.panels]
    figure = make_subplots(
        rows=rows,
        cols=chart.across,
        shared_yaxes="all" if chart.shared else "rows",
        subplot_titles=titles if any(titles) else None,
    )
    figure.update_layout(template="plotly_white", height=max(420, 300 * rows))
    drawn: set[str] = set()
    for place, panel in enumerate(chart.panels):
        at = {"row": place // chart.across + 1, "col": place % chart.across + 1}
        if not panel.curves:
            figure.update_xaxes(visible=False, **at)
            figure.update_yaxes(visible=False, **at)
            continue
        for curve in panel.curves:
            if "z" in curve.data:
                figure.add_trace(_heat_map(chart, panel, curve), **at)
                # Squares have one size even if values are far apart: the ticks show the values.
                figure.update_xaxes(type="category", **at)
                figure.update_yaxes(type="category", **at)
                colours = {"colorscale": "Viridis", "colorbar": {"title": {"text": panel.z}}}
                figure.update_layout(coloraxis=colours)
            else:
                trace = _curve(curve, chart.looks[curve.entry], marked=chart.kind != "distribution")
                trace.showlegend = len(chart.entries) > 1 and curve.entry.label not in drawn
                drawn.add(curve.entry.label)
                figure.add_trace(trace, **at)
        across = panel.x or chart.x
        if not any("z" in curve.data for curve in panel.curves):
            values = [x for curve in panel.curves for x in curve.data["x"]]
            if not all(isinstance(x, int | float) for x in values):
                # Points over one word lie beside each other.
                figure.update_layout(scattermode="group")
                figure.update_xaxes(type="category", **at)
                values = []
            figure.update_xaxes(_scaled(across, values, exact=True), **at)
            sharing = _sharing(chart, place)
            least = min(_ups(sharing, "low"), default=0.0)
            figure.update_yaxes(_scaled(panel.y, _ups(sharing, "y", "high"), exact=False, least=least), **at)
        figure.update_xaxes(title_text=across.label, **at)
        if chart.names_up(place):
            figure.update_yaxes(title_text=panel.y.label, **at)
    figure.update_layout(legend_title_text=chart.legend or None)
    return figure


def _scaled(axis: Axis, values: Sequence[float], *, exact: bool, least: float = 0.0) -> dict[str, Any]:
    """Returns the scale and the limits of an axis for these values and for intervals whose lowest end is ``least``.
    With ``exact``, the ticks of a logarithmic axis are at the values.
    """
    found: dict[str, Any] = {}
    if axis.log:
        at = ticks.logarithmic(values, exact=exact)
        found = {"type": "log", "tickvals": at, "ticktext": [ticks.text(one) for one in at]}
    if axis.range is not None:
        found["range"] = [math.log10(end) for end in axis.range] if axis.log else list(axis.range)
    elif axis.from_zero(values) or (axis.fitted and not exact and values and min(values) >= 0 > least):
        found["rangemode"] = "tozero"
        if not exact and max(values) > 0:
            # An interval may reach beyond what the quantity can be, but the axis begins and ends there.
            found["range"] = [0, 1.05 * min(max(values), axis.most or math.inf)]
    return found


def _sharing(chart: Chart, place: int) -> Sequence[Panel]:
    """Returns the panels that share the vertical axis of the panel at this place."""
    row = place // chart.across
    return chart.panels if chart.shared else chart.panels[row * chart.across : (row + 1) * chart.across]


def _ups(panels: Sequence[Panel], *keys: str) -> list[float]:
    """Returns the values of these keys, such as means or ends of intervals, in all curves that are not heat maps."""
    curves = [curve.data for panel in panels for curve in panel.curves if "z" not in curve.data]
    found = [value for data in curves for key in keys for value in data.get(key, [])]
    return [value for value in found if value is not None]


def _curve(curve: Curve, look: Style, *, marked: bool) -> go.Scatter:
    data, colour = curve.data, COLOURS[look.colour]
    interval = None
    if "high" in data:
        interval = {
            "type": "data",
            "array": _away(data["high"], data["y"]),
            "arrayminus": _away(data["y"], data["low"]),
            "thickness": 1,
        }
    return go.Scatter(
        x=data["x"],
        y=data["y"],
        error_y=interval,
        name=curve.entry.label,
        legendgroup=curve.entry.label,
        # A marker on the edge is whole.
        cliponaxis=False,
        offsetgroup=None if data["joined"] else curve.entry.label,
        mode=("lines+markers" if marked else "lines") if data["joined"] else "markers",
        line={
            "shape": "hv" if data.get("steps") else "linear",
            "color": colour,
            "dash": look.dash.replace(" ", "px,") + "px" if look.dash else "solid",
        },
        marker={"color": colour, "symbol": look.symbol},
    )


def _away(upper: Sequence[float | None], lower: Sequence[float | None]) -> list[float | None]:
    return [
        None if high is None or low is None else high - low for high, low in zip(upper, lower, strict=True)
    ]


def _heat_map(chart: Chart, panel: Panel, curve: Curve) -> go.Heatmap:
    data = curve.data
    return go.Heatmap(
        x=data["x"],
        y=data["y"],
        z=data["z"],
        customdata=[
            [_interval(data, row, column) for column in range(len(data["x"]))]
            for row in range(len(data["y"]))
        ],
        text=[
            [_cell(data, row, column) for column in range(len(data["x"]))] for row in range(len(data["y"]))
        ],
        texttemplate="%{text}",
        hovertemplate=f"{chart.x.label} %{{x}}, {panel.y.label} %{{y}}: %{{z:.4g}}%{{customdata}}<extra></extra>",
        coloraxis="coloraxis",
    )


def _cell(data: Mapping[str, Any], row: int, column: int) -> str:
    """Returns the text of a heat map's cell: the value and, below it, half the width of its interval."""
    value, low, high = (data[key][row][column] for key in ("z", "low", "high"))
    if value is None:
        return ""
    interval = None if low is None or high is None else (low, high)
    return mean_and_spread(value, interval).replace(" ±", "<br>±")


def _interval(data: Mapping[str, Any], row: int, column: int) -> str:
    low, high = data["low"][row][column], data["high"][row][column]
    return "" if low is None or high is None else f", 95 % interval {low:.4g} to {high:.4g}"
