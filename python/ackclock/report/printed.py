"""A figure as a file for a paper, drawn by Matplotlib: no browser is needed.

Fonts are embedded as outlines that can be edited and searched (Type 42, which publishers ask for); every curve has a
dash and a marker besides its colour, and no colour is lighter than 3:1 against the paper.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ackclock._libraries import need_matplotlib
from ackclock.errors import InputError
from ackclock.report import fitting, marks, ticks
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis, Panel
from ackclock.report.rows import xs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_IN = 3.5
"""The column width of a two-column paper (IEEE, ACM), in inches."""
PAGE_IN = 7.16
"""The width of both columns of a two-column paper (IEEE, ACM), in inches."""
HEADROOM = 0.12
"""The free space above the highest value of a sweep, as a share of the vertical axis."""
NEAR_ZERO = 0.05
"""A time axis begins at zero if the first time is less than this share of the last time."""
FORMATS = ("pdf", "svg", "png")
_DESCRIPTIONS: Mapping[str, str] = {"pdf": "Subject", "svg": "Description", "png": "Description"}
"""The metadata field that contains the description, for each format."""
_FITTED = ("grid", "distribution")
"""The kinds of figures whose texts are fitted to the available space, because users choose the texts."""
_LOOK: Mapping[str, Any] = {
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "ackclock",
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dfe3e8",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "axes.formatter.use_mathtext": True,
    "figure.constrained_layout.use": True,
}
_CHARACTER_IN = 0.058
"""The approximate width of a character of an axis title, in inches."""


def printed(chart: Chart, format: str, width_in: float | None = None, warnings: Sequence[str] = ()) -> bytes:
    """Returns the figure as PDF, SVG or PNG, ``width_in`` inches wide (by default ``natural_width``). The same figure
    gives the same bytes. Warnings about its scenario are in the description of the file, not in the picture.

    InputError for another format, and without Matplotlib.
    """
    if format not in FORMATS:
        raise InputError(f'figure format: found "{format}", expected one of {", ".join(FORMATS)}')
    need_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context(dict(_LOOK)):
        figure = drawn(chart, natural_width(chart) if width_in is None else width_in)
        file = io.BytesIO()
        # Without a date, the same figure gives the same file.
        undated: Mapping[str, Any] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}[format]
        described = {_DESCRIPTIONS[format]: " ".join(warnings)} if warnings else {}
        figure.savefig(file, format=format, dpi=300, metadata={**undated, **described})
    return file.getvalue()


def natural_width(chart: Chart) -> float:
    """Returns a column's width for one or two panels side by side, a page's for more."""
    return COLUMN_IN if chart.across <= 2 else PAGE_IN


def drawn(chart: Chart, width_in: float) -> Figure:
    """Returns the figure as Matplotlib's, drawn once, with texts that fit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, _height(chart, width_in)))
    _draw(chart, figure)
    if chart.kind in _FITTED:
        fitting.fit(figure, _down(chart))
    return figure


def _height(chart: Chart, width_in: float) -> float:
    if chart.kind == "dots":
        return 0.55 + 0.16 * max(len(curve.data["y"]) for panel in chart.panels for curve in panel.curves)
    down = _down(chart)
    # The legend of a fitted figure is measured.
    lines = 0 if chart.kind in _FITTED or len(chart.entries) == 1 else -(-len(chart.entries) // 2)
    legend = 0.13 * lines
    each = width_in / chart.across * 0.62
    least = 1.35 if chart.kind in _FITTED else 1.0
    return max(each, 1.6) + legend if down == 1 else 0.5 + legend + down * max(least, 0.62 * each)


def _draw(chart: Chart, figure: Figure) -> None:
    own = any(panel.x is not None for panel in chart.panels)
    axes = figure.subplots(
        _down(chart),
        chart.across,
        squeeze=False,
        sharex=not own and not _heat(chart),
        sharey=True if chart.shared else "row" if _rows_alike(chart) else False,
    )
    places = list(axes.flat)
    for panel, ax in zip(chart.panels, places, strict=False):
        marks.drawn(chart, panel, ax)
    empty = [ax for ax, panel in zip(places, chart.panels, strict=False) if not panel.curves]
    for unused in (*empty, *places[len(chart.panels) :]):
        unused.remove()
    if _heat(chart):
        marks.colour_bar(figure, chart.panels[0].z)
    room_in = float(figure.get_size_inches()[1]) / _down(chart) - 0.3
    # Only now do the shared scales include the values of all panels.
    for index, ax in enumerate(places[: len(chart.panels)]):
        if not chart.panels[index].curves:
            continue
        if chart.kind == "dots":
            _axis(ax, "x", chart.panels[index].y, True, _values(chart.panels[index], "y", "paper"))
        else:
            _axes(chart, index, ax, room_in)
    for ax in figure.axes:
        marks.whole(ax)
    figure.align_ylabels()
    if chart.shared and _down(chart) > 1:
        figure.supylabel(marks.plain(chart.panels[0].y.label), fontsize=_LOOK["axes.labelsize"])
    if chart.kind == "dots" or (len(chart.entries) > 1 and not _titled(chart)):
        _legend(chart, figure)


def _lowest(chart: Chart, index: int) -> bool:
    """Returns whether no panel is below this one: the lowest panel of a column has the names of the axis."""
    return not any(panel.curves for panel in chart.panels[index + chart.across :: chart.across])


def _rows_alike(chart: Chart) -> bool:
    """Returns whether the panels of each row have the same vertical axis."""
    rows = [chart.panels[at : at + chart.across] for at in range(0, len(chart.panels), chart.across)]
    return all(len({panel.y for panel in row if panel.curves}) <= 1 for row in rows)


def _axes(chart: Chart, index: int, ax: Axes, room_in: float) -> None:
    """Sets the title of a panel and its axes; if all panels share the axes, only those at the edge have a name."""
    panel = chart.panels[index]
    above = chart.panels[index - chart.across] if chart.kind == "grid" and index >= chart.across else None
    if panel.title and not (above and above.curves and above.title == panel.title):
        title = ax.set_title(marks.plain(panel.title), loc="left", fontweight="bold")
        title.set_gid(fitting.TITLE)
    across, lowest = panel.x or chart.x, _lowest(chart, index)
    # A scale that panels share has the ticks of all their values.
    sharing = chart.panels if panel.x is None else [panel]
    values = [value for one in sharing for value in _values(one, "x")]
    _axis(ax, "x", across, panel.x is not None or lowest, values)
    if lowest and chart.kind in _FITTED:
        ax.xaxis.set_tick_params(labelbottom=True)
    if chart.across > 1 and values and not across.log:
        ax.locator_params(axis="x", nbins=4)
    if chart.kind == "time" and across.range is None:
        ax.autoscale(axis="x", tight=True)
        first, last = ax.get_xlim()
        if 0 < first < NEAR_ZERO * last and not across.log:
            # The first sample is one interval after the beginning.
            ax.set_xlim(0, last)
    named = chart.names_up(index) and not (chart.shared and _down(chart) > 1)
    if chart.kind == "grid" and not _heat(chart):
        # The markers of the highest values are inside.
        ax.margins(y=HEADROOM)
    beside = [one for place, one in enumerate(chart.panels) if place // chart.across == index // chart.across]
    alike = chart.panels if chart.shared else beside if _rows_alike(chart) else [panel]
    heights = [value for one in alike for value in _values(one, "y", "paper", "level")]
    _axis(ax, "y", panel.y, named, heights, room_in)


def _legend(chart: Chart, figure: Figure) -> None:
    """Draws each line of the legend once, below the panels."""
    handles: dict[str, Any] = {}
    for ax in figure.axes:
        handles |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if handles and chart.kind in _FITTED:
        title = marks.plain(chart.legend)
        fitting.legend(figure, list(handles.values()), list(handles), title)
    elif handles:
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2, frameon=False)


def _down(chart: Chart) -> int:
    """Returns the number of panels above each other."""
    return -(-len(chart.panels) // chart.across)


def _heat(chart: Chart) -> bool:
    return any("z" in curve.data for panel in chart.panels for curve in panel.curves)


def _titled(chart: Chart) -> bool:
    """Returns whether the title of each panel names its only curve."""
    return all(panel.title and len(panel.curves) == 1 for panel in chart.panels)


def _axis(
    ax: Axes,
    which: Literal["x", "y"],
    axis: Axis,
    named: bool,
    values: Sequence[float],
    room_in: float = COLUMN_IN,
) -> None:
    """Sets title and scale. The axis of a quantity that is never negative begins at zero unless it is fitted, as on
    the page; time and words fill their axis.
    """
    if named:
        lines = textwrap.wrap(marks.plain(axis.label), max(12, int(room_in / _CHARACTER_IN)))
        ax.set(**{f"{which}label": "\n".join(lines)})
    if axis.log:
        _logarithmic(ax, which, values)
    if axis.range is not None:
        ax.set(**{f"{which}lim": axis.range})
        return
    if axis.from_zero(values):
        ax.set(**{f"{which}lim": (0, None)})
    if which == "y" and axis.fitted and values and min(values) >= 0 > ax.get_ylim()[0]:
        ax.set_ylim(bottom=0)
    if which == "y" and axis.most is not None and values and max(values) <= axis.most < ax.get_ylim()[1]:
        # An interval may reach above what the quantity can be; the axis ends there.
        ax.set_ylim(top=axis.most * (1 + HEADROOM / 2))


def _logarithmic(ax: Axes, which: Literal["x", "y"], values: Sequence[float]) -> None:
    """Gives an axis a logarithmic scale, with few ticks that are written as numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    ax.set(**{f"{which}scale": "log"})
    found = ticks.logarithmic(values, exact=which == "x")
    scale = ax.xaxis if which == "x" else ax.yaxis
    if found:
        scale.set_major_locator(FixedLocator(found))
        scale.set_major_formatter(FuncFormatter(lambda value, _: ticks.text(value)))
    if set(found) <= set(values):
        # The ticks are the values of a sweep, which no subdivision of decades fits.
        scale.set_minor_locator(NullLocator())
    scale.set_minor_formatter(NullFormatter())


def _values(panel: Panel, *keys: str) -> list[float]:
    """Returns the numbers of a panel along an axis; none for an axis of words or of colours."""
    found: list[Any] = []
    for curve in panel.curves:
        if "z" in curve.data:
            return []
        for key in keys:
            values = xs(curve.data) if key == "x" and "level" not in curve.data else curve.data.get(key, [])
            found += values if isinstance(values, Sequence) and not isinstance(values, str) else [values]
    known = [value for value in found if value is not None]
    return known if all(isinstance(value, int | float) for value in known) else []
