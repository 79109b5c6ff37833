"""The picture of a sweep, or a distribution, as a Plotly figure: on the page, and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ackclock._numbers import mean_and_spread
from ackclock.report.chart import COLOURS, Chart
from ackclock.report.curves import Curve, Panel
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
    figure.update_yaxes(rangemode="tozero")
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
        # An interval may reach below 0, but the axis of a quantity that cannot be negative begins there.
        if top := _top(chart, place):
            figure.update_yaxes(range=[0, top], **at)
        values = [x for curve in panel.curves for x in curve.data["x"]]
        if not all(isinstance(x, int | float) for x in values):
            # Points over one word lie beside each other.
            figure.update_layout(scattermode="group")
        across = panel.x or chart.x
        if across.log:
            figure.update_xaxes(type="log", **at)
        elif all(isinstance(x, int | float) and x >= 0 for x in values):
            figure.update_xaxes(rangemode="tozero", **at)
        figure.update_xaxes(title_text=across.label, **at)
        if chart.names_up(place):
            figure.update_yaxes(title_text=panel.y.label, **at)
    figure.update_layout(legend_title_text=chart.legend or None)
    return figure


def _top(chart: Chart, place: int) -> float:
    """Returns the end of the vertical axis of a panel and of those that share it: just above the highest interval; 0 if
    a value is negative, or if the panel has no intervals.
    """
    row = place // chart.across
    panels = chart.panels if chart.shared else chart.panels[row * chart.across : (row + 1) * chart.across]
    curves = [curve.data for panel in panels for curve in panel.curves if "high" in curve.data]
    values = [value for data in curves if "z" not in data for value in data["y"] if value is not None]
    highs = [value for data in curves if "z" not in data for value in data["high"] if value is not None]
    if not values or min(values) < 0:
        return 0.0
    return 1.05 * float(max(*values, *highs, 0.0))


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
    """Returns the text of a square: the value, and below it half the interval."""
    value, low, high = (data[key][row][column] for key in ("z", "low", "high"))
    if value is None:
        return ""
    interval = None if low is None or high is None else (low, high)
    return mean_and_spread(value, interval).replace(" ±", "<br>±")


def _interval(data: Mapping[str, Any], row: int, column: int) -> str:
    low, high = data["low"][row][column], data["high"][row][column]
    return "" if low is None or high is None else f", 95 % interval {low:.4g} to {high:.4g}"
