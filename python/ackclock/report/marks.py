"""Draws the contents of the axes of a printed figure: curves, levels, dots, clouds, heat maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ackclock._numbers import mean_and_spread
from ackclock.report.chart import COLOURS, Chart
from ackclock.report.curves import Axis, Curve, Panel
from ackclock.report.rows import xs
from ackclock.report.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure

COLOUR_BAR = "colour bar"
"""The id of the axes of a colour bar."""
CAP = "cap"
"""The id of the caps of error bars."""
_LONG = ("time", "distribution")
"""The kinds of figures whose curves have many points."""
_MARKERS: Mapping[str, str] = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "x": "x",
    "cross": "P",
    "star": "*",
}
_LIGHTEST = 0.85
"""The lightest colour of a heat map, as a position from 0 to 1 on the colour scale. The yellow of higher positions is
hard to see on paper.
"""
_DODGE = 0.12
"""The horizontal distance between the points of two curves at one category, as a share of a category's width."""
_CELLS = 60
"""The largest number of cells of a heat map whose values are written into the cells."""


def drawn(chart: Chart, panel: Panel, ax: Axes) -> None:
    """Draws the curves of a panel."""
    if chart.kind == "dots":
        _dots(panel, ax)
        return
    words = _words(panel) if chart.kind == "grid" else []
    for number, curve in enumerate(panel.curves):
        look = chart.looks[curve.entry]
        if "z" in curve.data:
            _heat_map(ax, curve)
        elif words:
            _beside(ax, curve, look, words, (number - (len(panel.curves) - 1) / 2) * _DODGE)
        elif chart.kind == "plane":
            _cloud(ax, curve, look)
        elif "level" in curve.data:
            _level(ax, curve, look)
        else:
            _line(
                ax,
                curve,
                look,
                long=chart.kind in _LONG,
                alone=len(panel.curves) == 1,
                barred=chart.kind == "grid",
                clipped=_beyond(xs(curve.data), panel.x or chart.x) or _beyond(curve.data["y"], panel.y),
            )


def _beyond(values: Sequence[Any], axis: Axis) -> bool:
    """Returns whether a value lies beyond the limits of an axis."""
    if axis.range is None:
        return False
    low, high = axis.range
    return any(isinstance(value, int | float) and not low <= value <= high for value in values)


def _words(panel: Panel) -> list[str]:
    """Returns the words of a horizontal axis without numbers, in their order; none for an axis of numbers."""
    found = [x for curve in panel.curves for x in curve.data.get("x", [])]
    if not found or any(isinstance(x, int | float) and not isinstance(x, bool) for x in found):
        return []
    return list(dict.fromkeys(map(str, found)))


def _beside(ax: Axes, curve: Curve, look: Style, words: Sequence[str], shift: float) -> None:
    """Draws points over words, those of several curves beside each other so that no interval covers another."""
    joined = curve.data["joined"]
    x = [words.index(str(word)) + (0.0 if joined else shift) for word in curve.data["x"]]
    _line(ax, Curve(curve.entry, {**curve.data, "x": x}), look, long=False, alone=True, barred=True)
    _name_ticks(ax.xaxis, words)
    ax.set_xlim(-0.5, len(words) - 0.5)


def _line(
    ax: Axes,
    curve: Curve,
    look: Style,
    *,
    long: bool,
    alone: bool,
    barred: bool = False,
    clipped: bool = False,
) -> None:
    x, y, data = xs(curve.data), _or_nan(curve.data["y"]), curve.data
    colour, marker = COLOURS[look.colour], _MARKERS[look.symbol]
    joined = data.get("joined", True)
    # Bands of several curves over a few values would cover each other.
    band = joined and not barred
    if "low" in data and "x_low" not in data and band:
        ax.fill_between(x, _or_nan(data["low"]), _or_nan(data["high"]), color=colour, alpha=0.2, linewidth=0)
    ax.plot(
        x,
        y,
        label=plain(curve.entry.label),
        color=colour,
        linestyle=("-" if long and alone else _dash(look)) if joined else "none",
        drawstyle="steps-post" if data.get("steps") else "default",
        # A marker on the edge is whole; what lies beyond the limits of an axis is left out.
        clip_on=clipped,
        marker="" if long and alone else marker,
        # A marker on every sample of a long series would hide it; a dozen suffice to recognise it. On a distribution,
        # which is steep where most samples are, they are at equal distances along the curve.
        markevery=(0.04 * (curve.entry.index % 4), 0.16)
        if data.get("steps")
        else max(1, len(y) // 12)
        if long
        else None,
    )
    for ends, values, key in ((("x_low", "x_high"), x, "xerr"), (("low", "high"), y, "yerr")):
        if ends[0] in data and ("x_low" in data or not band):
            away: dict[str, Any] = {key: _away(values, data, *ends)}
            drawn = ax.errorbar(x, y, **away, fmt="none", ecolor=colour, elinewidth=0.7, capsize=1.5)
            for cap in drawn.lines[1]:
                cap.set_gid(CAP)
    if "paper" in data:
        label = plain(f"{curve.entry.label}, published")
        ax.plot(
            x,
            _or_nan(data["paper"]),
            label=label,
            linestyle="none",
            marker=marker,
            clip_on=clipped,
            markersize=6,
            markerfacecolor="none",
            markeredgecolor=colour,
        )


def _name_ticks(axis: XAxis | YAxis, words: Sequence[str]) -> None:
    """Names the places 0, 1 and so on along an axis. Each name stays at its place if ticks are left out."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    axis.set_major_locator(FixedLocator(list(range(len(words)))))
    axis.set_major_formatter(FuncFormatter(lambda at, _: plain(words[round(at)])))


def whole(ax: Axes) -> None:
    """Makes the ends of intervals whole: an end beyond the axis, where the interval is cut, has no cap."""
    import numpy as np

    (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    for cap in ax.get_lines():
        if cap.get_gid() != CAP:
            continue
        x, y = (np.asarray(values, dtype=float) for values in cap.get_data())
        inside = (left <= x) & (x <= right) & (low <= y) & (y <= high)
        cap.set_data(np.where(inside, x, np.nan), np.where(inside, y, np.nan))
        cap.set_clip_on(False)


def _level(ax: Axes, curve: Curve, look: Style) -> None:
    """Draws a value that does not depend on the sweep, across the whole panel."""
    data, colour = curve.data, COLOURS[look.colour]
    if data["level"] is None:
        return
    if data.get("low") is not None:
        ax.axhspan(data["low"], data["high"], color=colour, alpha=0.2, linewidth=0)
    ax.axhline(data["level"], color=colour, linestyle=_dash(look), label=plain(curve.entry.label))


def _dots(panel: Panel, ax: Axes) -> None:
    """Draws a row for each case, the first on top."""
    (curve,) = panel.curves
    data = curve.data
    places = range(len(data["x"]))
    means = _or_nan(data["y"])
    if "paper" in data:
        paper = _or_nan(data["paper"])
        ax.plot(
            paper, places, "D", label="published", markerfacecolor="none", color=COLOURS[1], clip_on=False
        )
    ax.plot(means, places, "o", label="measured, 95 % interval", color=COLOURS[0], clip_on=False)
    if "low" in data:
        away = _away(means, data, "low", "high")
        drawn = ax.errorbar(
            means, places, xerr=away, fmt="none", ecolor=COLOURS[0], elinewidth=0.9, capsize=1.5
        )
        for cap in drawn.lines[1]:
            cap.set_gid(CAP)
    ax.set_yticks(places, [plain(label) for label in data["x"]])
    ax.invert_yaxis()


def _cloud(ax: Axes, curve: Curve, look: Style) -> None:
    """Draws the runs of a discipline, their contour and median; or a line through the medians."""
    data, colour = curve.data, COLOURS[look.colour]
    if "contour" in data:
        ax.fill(*zip(*data["contour"], strict=True), facecolor=colour, alpha=0.15)
        ax.plot(data["x"], data["y"], linestyle="none", marker=".", markersize=1.5, color=colour)
    stops = data["medians"]
    ax.plot(
        *zip(*stops, strict=True),
        label=plain(curve.entry.label),
        color=colour,
        linestyle=_dash(look),
        marker=_MARKERS[look.symbol],
    )


def _heat_map(ax: Axes, curve: Curve) -> None:
    """Draws squares of one size, with their values on the ticks, and numbers inside them if there is room."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    data = curve.data
    colours = LinearSegmentedColormap.from_list("print", mpl.colormaps["viridis"](np.linspace(0, _LIGHTEST)))
    values = np.array([_or_nan(row) for row in data["z"]], dtype=float)
    low, high = data["scale"]
    ax.imshow(values, origin="lower", aspect="auto", cmap=colours, vmin=low, vmax=high)
    ax.grid(visible=False)
    _name_ticks(ax.xaxis, [_tick(x) for x in data["x"]])
    _name_ticks(ax.yaxis, [_tick(y) for y in data["y"]])
    if values.size > _CELLS:
        return
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = high <= low or (value - low) / (high - low) < 0.6
            ink = "white" if dark else "black"
            ends = data["low"][row][column], data["high"][row][column]
            known = None not in ends
            text = mean_and_spread(value, ends, bounded=True) if known else f"{value:.3g}"
            ax.text(
                column,
                row,
                text.replace(" ±", "\n±"),
                ha="center",
                va="center",
                fontsize=6,
                color=ink,
                # An interval that its square has no room for is left out, and the number too.
                gid=f"{value:.3g}" if known else "",
            )


def colour_bar(figure: Figure, label: str) -> None:
    """Draws the colour bar of all panels."""
    panels = list(figure.axes)
    bar = figure.colorbar(panels[0].images[0], ax=panels, label=plain(label))
    bar.ax.set_gid(COLOUR_BAR)


def _tick(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _away(values: Sequence[Any], data: Mapping[str, Any], low: str, high: str) -> list[list[float]]:
    """Returns the distances of the ends of the intervals from the values."""

    def distances(ends: Sequence[float | None], sign: int) -> Iterator[float]:
        for value, end in zip(values, ends, strict=True):
            yield 0.0 if end is None or value != value else max(0.0, sign * (end - value))  # noqa: PLR0124 (nan)

    return [list(distances(data[low], -1)), list(distances(data[high], 1))]


def _or_nan(values: Sequence[float | None]) -> list[float]:
    return [float("nan") if value is None else value for value in values]


def _dash(look: Style) -> Any:
    """Converts dash lengths from px to the points of a line a third as thick."""
    return (0, [float(length) / 2 for length in look.dash.split()]) if look.dash else "-"


def plain(text: str) -> str:
    """Escapes dollar signs, between which Matplotlib reads mathematics."""
    return text.replace("$", r"\$")
