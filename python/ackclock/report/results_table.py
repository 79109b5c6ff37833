"""The results: a row per case, and for each metric the published value beside the measured one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock._numbers import interval_text, mean_and_spread, plain, rounded
from ackclock.report import rows, strips
from ackclock.report.cases import full_label
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis, Curve, Entry, Panel
from ackclock.report.figures import study_stem
from ackclock.study.model import Metric
from ackclock.study.result import MetricValue, StudyResult

LONG = 16
"""The largest number of rows of a table that is not folded. Figures show the numbers of longer tables, too."""


@dataclass(frozen=True)
class Column:
    """A metric. It has a column for published values only if there is one for any case."""

    metric: Metric
    has_paper: bool


@dataclass(frozen=True)
class Cell:
    """One metric of one case."""

    measured: str
    interval: str
    samples: int
    paper: str
    has_paper: bool


@dataclass(frozen=True)
class Row:
    """One case at one value of the sweep."""

    label: str
    name: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class ResultsTable:
    """A table as the template needs it."""

    columns: Sequence[Column]
    rows: Sequence[Row]

    @property
    def long(self) -> bool:
        """Returns whether to fold the table."""
        return len(self.rows) > LONG


@dataclass(frozen=True)
class Card:
    """A metric of all cases on one scale."""

    metric: Metric
    scale: strips.Scale
    rows: Sequence[tuple[str, strips.Strip, str]]
    """For each case, its label, the positions of its marks, and its numbers as text."""
    chart: Chart
    """The dot plot in the form in which the reader can save it to a file."""
    file: str
    """The name of the file that the dot plot is saved as, without its extension."""

    @property
    def drawing(self) -> Mapping[str, Any]:
        """Returns the dot plot for the page's script."""
        return {**self.chart.plain(), "csv": rows.csv(self.chart)}


def table(study: StudyResult) -> ResultsTable:
    """Returns the study's results as a table."""
    columns = [
        Column(metric, any(_paper(case.values.get(metric.id)) for case in study.cases))
        for metric in study.metrics
    ]
    lines = [
        Row(full_label(case), case.name, [_cell(case.values.get(column.metric.id)) for column in columns])
        for case in study.cases
    ]
    return ResultsTable(columns, lines)


def cards(study: StudyResult) -> list[Card]:
    """Returns each metric as a small dot plot. Swept studies have their figures and need none."""
    if study.swept:
        return []
    return [card for card in (_card(study, metric) for metric in study.metrics) if card is not None]


def _card(study: StudyResult, metric: Metric) -> Card | None:
    found = [(full_label(case), case.values[metric.id]) for case in study.cases if metric.id in case.values]
    every = [number for _, value in found for number in (value.mean, value.paper, *(value.interval or ()))]
    on = strips.scale([*every, *strips.zero(every)])
    if on is None:
        return None
    lines = [
        (
            label,
            strips.strip(on, value.mean, value.interval, value.paper),
            _in_words(label, value, metric.unit),
        )
        for label, value in found
    ]
    return Card(metric, on, lines, _chart(metric, found), f"{study_stem(study.name)}-{metric.id}")


def _chart(metric: Metric, found: Sequence[tuple[str, MetricValue]]) -> Chart:
    """Returns the dot plot: each case with its mean, its interval and the published value."""
    data: dict[str, Any] = {
        "x": [label for label, _ in found],
        "y": rounded(value.mean for _, value in found),
    }
    if any(value.interval for _, value in found):
        data["low"] = rounded(value.interval[0] if value.interval else None for _, value in found)
        data["high"] = rounded(value.interval[1] if value.interval else None for _, value in found)
    if any(value.paper is not None for _, value in found):
        data["paper"] = rounded((value.paper for _, value in found), 9)
    panel = Panel("", Axis(metric.axis_title), [Curve(Entry("measured", 0), data)])
    return Chart("dots", metric.label, Axis("Case"), [panel])


def _in_words(label: str, value: MetricValue, unit: str) -> str:
    unit = f" {unit}" if unit else ""
    words = f"{label}: measured {mean_and_spread(value.mean, value.interval)}{unit}"
    return words if value.paper is None else f"{words}, published {plain(value.paper)}{unit}"


def _paper(value: MetricValue | None) -> bool:
    return value is not None and value.paper is not None


def _cell(value: MetricValue | None) -> Cell:
    if value is None:
        return Cell(plain(None), plain(None), 0, plain(None), False)
    samples = sum(not math.isnan(sample) for sample in value.samples)
    return Cell(
        measured=mean_and_spread(value.mean, value.interval),
        interval=interval_text(value.mean, value.interval),
        samples=samples,
        paper=plain(value.paper),
        has_paper=value.paper is not None,
    )
