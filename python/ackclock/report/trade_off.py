"""Figures of one metric against another: a point for each swept value of a case, joined in the order of the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ackclock._numbers import mean_and_spread, rounded
from ackclock.experiment.model import sweep_text
from ackclock.report.cases import families, selected, shown
from ackclock.report.curves import Axis, Curve, Entry, Panel
from ackclock.study.model import Figure, Metric
from ackclock.study.result import CaseResult, MetricValue, StudyResult


def x_axis(study: StudyResult, figure: Figure) -> Axis:
    """Returns the horizontal axis."""
    across, _ = _metrics(study, figure)
    return Axis(figure.x_label or across.axis_title, figure.x_log, figure.x_range)


def title(study: StudyResult, figure: Figure) -> str:
    """Returns the title of a figure whose file sets none."""
    across, up = _metrics(study, figure)
    return f"{up.label} against {across.label[:1].lower() + across.label[1:]}"


def panels(study: StudyResult, figure: Figure) -> tuple[list[Panel], list[str]]:
    """Returns the one panel with its curves, and a sentence for each case that has no point."""
    across, up = _metrics(study, figure)
    positions = {name: index for index, name in enumerate(families(shown(study)))}
    curves, missing = [], []
    for name, runs in families(selected(study.cases, figure.cases)).items():
        entry = Entry(runs[0].label or name, positions[name])
        found = [
            (run, x, y)
            for run in runs
            for x, y in [(run.values.get(across.id), run.values.get(up.id))]
            if x is not None and y is not None and x.mean is not None and y.mean is not None
        ]
        if found:
            words = [_in_words(study, run, (across, x), (up, y)) for run, x, y in found]
            data = {**_points(found), "words": words}
            swept = [sweep_text(run.sweep_value) for run, _, _ in found if run.sweep_value is not None]
            if swept:
                data["at"] = {study.axis(found[0][0]): swept}
            curves.append(Curve(entry, data))
        else:
            missing.append(f"{entry.label}: no point has values of both metrics")
    y_axis = Axis(figure.y_label or up.axis_title, figure.y_log, figure.y_range)
    return ([Panel("", y_axis, curves)] if curves else []), missing


def _metrics(study: StudyResult, figure: Figure) -> tuple[Metric, Metric]:
    if figure.x is None or figure.y is None:
        raise AssertionError("found a trade-off figure without x or y, expected validation to reject it")
    return study.metric(figure.x), study.metric(figure.y)


def _points(found: Sequence[tuple[CaseResult, MetricValue, MetricValue]]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "x": rounded(x.mean for _, x, _ in found),
        "y": rounded(y.mean for _, _, y in found),
    }
    for keys, values in (
        (("x_low", "x_high"), [x for _, x, _ in found]),
        (("low", "high"), [y for _, _, y in found]),
    ):
        if any(value.interval for value in values):
            for end, key in enumerate(keys):
                data[key] = rounded(value.interval[end] if value.interval else None for value in values)
    return data


def _in_words(study: StudyResult, run: CaseResult, *values: tuple[Metric, MetricValue]) -> list[str]:
    """Returns the text that the page shows at a point: its position on the curve, then each metric with its 95 %
    interval.
    """
    lines = []
    if run.sweep_value is not None:
        lines.append(f"{study.axis(run)}: {sweep_text(run.sweep_value)}")
    for metric, value in values:
        unit = f" {metric.unit}" if metric.unit else ""
        lines.append(f"{metric.label}: {mean_and_spread(value.mean, value.interval)}{unit}")
    return lines
