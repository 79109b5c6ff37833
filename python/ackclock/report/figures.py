"""Turns a study's figures into the descriptions that the page draws.

The page receives a small description of each figure, not Plotly's own: the numbers, their names, and the
style of each curve. The script in the page turns it into Plotly's traces with the colours of the theme in use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ackclock._numbers import rounded, rounded_one
from ackclock.experiment.model import sweep_text
from ackclock.report import narrow, rows, style, time_figure, trade_off
from ackclock.report.cases import families, selected, shown
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis, Curve, Entry, Panel
from ackclock.report.quantities import title_and_scale
from ackclock.study.model import Figure
from ackclock.study.result import CaseResult, MetricValue, StudyResult


@dataclass(frozen=True)
class FigureView:
    """One figure, ready for the template and for the page's script."""

    id: str
    file: str
    """The name of the file that the figure is saved as, without its extension."""
    caption: str
    chart: Chart
    panels: int
    stackable: bool
    """Whether the reader can overlay the panels."""
    overlaid: bool
    """Whether the panels are overlaid until the reader separates them."""
    splittable: bool
    """Whether a panel has several curves, and the reader can split it into one panel for each curve."""
    single: bool
    """Whether each panel has one curve, which needs neither dash nor marker."""
    has_paper: bool
    has_bands: bool
    has_crosses: bool
    """Whether the points have horizontal and vertical intervals."""
    missing: Sequence[str]
    seed: int | None
    """The seed of the run that a figure over time shows, if it is the same for all cases."""
    thinned: bool
    """Whether samples were left out of the drawing."""
    note: str = ""
    """A remark on values in a narrow range; empty without one."""
    level: bool = False
    """Whether all values of the figure are practically equal."""
    folded: bool = False
    """Whether the figure is folded, because its values are practically equal and those of other figures are not."""

    @property
    def title(self) -> str:
        """Returns the heading above the figure."""
        return self.chart.title

    @property
    def legend(self) -> Sequence[tuple[Entry, style.Style]]:
        """Returns each line of the legend with its style."""
        return list(self.chart.looks.items())

    @property
    def drawing(self) -> Mapping[str, Any]:
        """Returns the figure for the page's script, with its table unless its series are long; the script makes that
        table itself.
        """
        plain = dict(self.chart.plain())
        if self.chart.kind != "time":
            plain["csv"] = rows.csv(self.chart)
        return plain

    @property
    def empty(self) -> bool:
        """Returns whether nothing was recorded for it."""
        return not self.legend


def view(study: StudyResult, figure: Figure, anchor: str) -> FigureView:
    """Returns the figure of a study as the page draws it."""
    if figure.kind == "time":
        panels, missing = time_figure.panels(study, figure)
        x_axis = Axis("Time (s)", figure.x_log, figure.x_range)
    elif figure.kind == "trade-off":
        panels, missing = trade_off.panels(study, figure)
        x_axis = trade_off.x_axis(study, figure)
    else:
        panels, missing = _sweep_panels(study, figure)
        sweep_axis = figure.x_label or (study.sweep.axis if study.sweep else "")
        x_axis = Axis(sweep_axis, figure.x_log, figure.x_range)
    found = None if figure.kind == "time" else narrow.spread(panels)
    made = assembled(
        figure.kind,
        x_axis,
        panels if found is None else narrow.fitted(panels),
        id=anchor,
        file=f"{study_stem(study.name)}-{figure.id}",
        title=figure.title or _fallback_title(study, figure),
        caption=figure.caption,
        missing=missing,
        seed=_seed(study, figure),
        thinned=figure.kind == "time" and _is_long(study, figure),
    )
    if found is None:
        return made
    return replace(
        made,
        note=found.note if figure.y_range is None or found.level else "",
        level=found.level,
    )


def assembled(
    kind: str,
    x_axis: Axis,
    panels: Sequence[Panel],
    *,
    id: str,
    file: str,
    title: str,
    caption: str,
    missing: Sequence[str] = (),
    seed: int | None = None,
    thinned: bool = False,
    overlaid: bool = False,
) -> FigureView:
    """Returns the panels as a figure: each curve gets its style, and the template the remarks that it shows."""
    chart = Chart(kind, title, x_axis, panels)
    curves = [curve for panel in panels for curve in panel.curves]
    stackable = chart.shared and len(panels) > 1
    return FigureView(
        id=id,
        file=file,
        caption=caption,
        chart=chart,
        panels=len(panels),
        stackable=stackable,
        overlaid=stackable and overlaid,
        splittable=len(panels) == 1
        and kind != "trade-off"
        and sum("level" not in curve.data for curve in curves) > 1,
        single=kind == "time" and all(len(panel.curves) == 1 for panel in panels),
        has_paper=any("paper" in curve.data for curve in curves),
        has_bands=kind != "trade-off" and any("low" in curve.data for curve in curves),
        has_crosses=kind == "trade-off" and any("low" in curve.data for curve in curves),
        missing=missing,
        seed=seed,
        thinned=thinned,
    )


def file_stem(*parts: str) -> str:
    """Returns the parts joined to the name of a file, without characters that are not allowed there or special in a
    shell.

    >>> file_stem("Two flows through 1 Mbit/s", "cwnd_packets")
    'Two-flows-through-1-Mbit-s-cwnd_packets'
    """
    return re.sub(r"[^\w.+-]+", "-", "-".join(parts)).strip("-.")


def study_stem(name: str) -> str:
    """Returns ``rbcc-table-4.1`` for a study of the package, ``own`` for the file /some/where/own.toml."""
    return Path(name).stem if name.endswith(".toml") else file_stem(name)


def _seed(study: StudyResult, figure: Figure) -> int | None:
    if figure.kind != "time":
        return None
    seeds = {case.seeds[0] for case in selected(study.cases, figure.cases) if case.seeds}
    return seeds.pop() if len(seeds) == 1 else None


def _is_long(study: StudyResult, figure: Figure) -> bool:
    series = [case.series for case in selected(study.cases, figure.cases) if case.series]
    return any(one.time_s.size > time_figure.MOST_SAMPLES for one in series)


def _fallback_title(study: StudyResult, figure: Figure) -> str:
    if figure.kind == "trade-off":
        return trade_off.title(study, figure)
    if figure.metric is not None:
        return study.metric(figure.metric).label
    names = dict.fromkeys(
        title_and_scale(path.split(".")[2], 0.0)[0].rpartition(" (") for path in figure.series_paths
    )
    return " and ".join(name or unitless for name, _, unitless in names) + " over time"


def _sweep_panels(study: StudyResult, figure: Figure) -> tuple[list[Panel], list[str]]:
    if figure.metric is None:
        raise AssertionError(
            "found a figure over the sweep without a metric, expected validation to reject it"
        )
    label = figure.y_label or study.metric(figure.metric).axis_title
    positions = {name: index for index, name in enumerate(families(shown(study)))}
    curves, missing = [], []
    for name, runs in families(selected(study.cases, figure.cases)).items():
        entry = Entry(runs[0].label or name, positions[name])
        found = [(run, run.values[figure.metric]) for run in runs if figure.metric in run.values]
        if all(value.mean is None for _, value in found):
            missing.append(f"{entry.label}: no value")
        elif runs[0].sweep_value is None:
            curves.append(Curve(entry, _level(found[0][1])))
        else:
            curves.append(Curve(entry, _swept(found)))
    y_axis = Axis(label, figure.y_log, figure.y_range)
    return ([Panel("", y_axis, curves)] if curves else []), missing


def _swept(found: Sequence[tuple[CaseResult, MetricValue]]) -> dict[str, Any]:
    """Returns a curve over the sweep. Values such as "droptail" have no place on a scale and become categories."""
    numbers = [run.sweep_number for run, _ in found]
    categories = any(number is None for number in numbers)
    data: dict[str, Any] = {
        "x": [sweep_text(run.sweep_value or 0) for run, _ in found] if categories else rounded(numbers, 9),
        "y": rounded(value.mean for _, value in found),
    }
    if any(value.interval for _, value in found):
        data["low"] = rounded(value.interval[0] if value.interval else None for _, value in found)
        data["high"] = rounded(value.interval[1] if value.interval else None for _, value in found)
    if any(value.paper is not None for _, value in found):
        data["paper"] = rounded((value.paper for _, value in found), 9)
    return data


def _level(value: MetricValue) -> dict[str, Any]:
    """Returns a case outside the sweep as a level: one value, drawn across the whole figure."""
    data: dict[str, Any] = {"level": rounded_one(value.mean)}
    if value.interval:
        data["low"], data["high"] = map(rounded_one, value.interval)
    return data
