"""The picture of a sweep as a Plotly figure: on the page, and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ackclock.report.chart import COLOURS, Chart
from ackclock.report.curves import Curve, Panel
from ackclock.report.style import Style


def plotly_figure(chart: Chart) -> go.Figure:
    """Returns the figure of ``sweep_figure`` for Plotly."""
    rows = -(-len(chart.panels) // chart.across)
    titles = [panel.title for panel in chart.panels]
    figure = make_subplots(
        rows=rows, cols=chart.across, shared_yaxes="all", subplot_titles=titles if any(titles) else None
    )
    figure.update_layout(template="plotly_white", height=max(420, 300 * rows))
    # The axis of a quantity that cannot be negative begins at 0.
    figure.update_yaxes(rangemode="tozero")
    drawn: set[str] = set()
    for place, panel in enumerate(chart.panels):
        at = {"row": place // chart.across + 1, "col": place % chart.across + 1}
        for curve in panel.curves:
            if "z" in curve.data:
                figure.add_trace(_heat_map(chart, panel, curve), **at)
                # Squares have one size even if values are far apart: the ticks show the values.
                figure.update_xaxes(type="category", **at)
                figure.update_yaxes(type="category", **at)
                colours = {"colorscale": "Viridis", "colorbar": {"title": {"text": panel.z}}}
                figure.update_layout(coloraxis=colours)
            else:
                trace = _curve(curve, chart.looks[curve.entry])
                trace.showlegend = len(chart.entries) > 1 and curve.entry.label not in drawn
                drawn.add(curve.entry.label)
                figure.add_trace(trace, **at)
        values = [x for curve in panel.curves for x in curve.data["x"]]
        if all(isinstance(x, int | float) and x >= 0 for x in values):
            figure.update_xaxes(rangemode="tozero", **at)
        figure.update_xaxes(title_text=(panel.x or chart.x).label, **at)
        if place % chart.across == 0:
            figure.update_yaxes(title_text=panel.y.label, **at)
    figure.update_layout(legend_title_text=chart.legend or None)
    return figure


def _curve(curve: Curve, look: Style) -> go.Scatter:
    data, colour = curve.data, COLOURS[look.colour]
    return go.Scatter(
        x=data["x"],
        y=data["y"],
        error_y={
            "type": "data",
            "array": _away(data["high"], data["y"]),
            "arrayminus": _away(data["y"], data["low"]),
            "thickness": 1,
        },
        name=curve.entry.label,
        legendgroup=curve.entry.label,
        mode="lines+markers" if data["joined"] else "markers",
        line={"color": colour, "dash": look.dash.replace(" ", "px,") + "px" if look.dash else "solid"},
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
        hovertemplate=f"{chart.x.label} %{{x}}, {panel.y.label} %{{y}}: %{{z:.4g}}%{{customdata}}<extra></extra>",
        coloraxis="coloraxis",
    )


def _interval(data: Mapping[str, Any], row: int, column: int) -> str:
    low, high = data["low"][row][column], data["high"][row][column]
    return "" if low is None or high is None else f", 95 % interval {low:.4g} to {high:.4g}"
