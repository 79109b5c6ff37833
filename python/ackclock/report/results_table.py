"""The results: a row per case, and per metric the thesis's value beside the measured one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ackclock.numbers import interval_text, mean_and_spread, plain
from ackclock.report import strips
from ackclock.report.cases import full_label
from ackclock.study.model import Metric
from ackclock.study.result import MetricValue, StudyResult

LONG = 16
"""A table with more rows than this is folded: the figures show the same."""


@dataclass(frozen=True)
class Column:
    """A metric. It has a column for the thesis only where the thesis has a number for any case."""

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
    """What the template writes as a table."""

    columns: Sequence[Column]
    rows: Sequence[Row]

    @property
    def long(self) -> bool:
        """Whether to fold it."""
        return len(self.rows) > LONG


@dataclass(frozen=True)
class Card:
    """A metric of all cases on one scale."""

    metric: Metric
    scale: strips.Scale
    rows: Sequence[tuple[str, strips.Strip, str]]
    """Label, positions, and the numbers in words."""
    has_paper: bool


def table(study: StudyResult) -> ResultsTable:
    """The study's results as a table."""
    columns = [
        Column(metric, any(_paper(case.values.get(metric.id)) for case in study.cases))
        for metric in study.metrics
    ]
    rows = [
        Row(full_label(case), case.name, [_cell(case.values.get(column.metric.id)) for column in columns])
        for case in study.cases
    ]
    return ResultsTable(columns, rows)


def cards(study: StudyResult) -> list[Card]:
    """Each metric as a small dot plot. Swept studies have their figures and need none."""
    if study.swept:
        return []
    return [card for card in (_card(study, metric) for metric in study.metrics) if card is not None]


def _card(study: StudyResult, metric: Metric) -> Card | None:
    found = [(full_label(case), case.values[metric.id]) for case in study.cases if metric.id in case.values]
    every = [number for _, value in found for number in (value.mean, value.paper, *(value.interval or ()))]
    on = strips.scale(every)
    if on is None:
        return None
    rows = [
        (
            label,
            strips.strip(on, value.mean, value.interval, value.paper),
            _in_words(label, value, metric.unit),
        )
        for label, value in found
    ]
    return Card(metric, on, rows, any(value.paper is not None for _, value in found))


def _in_words(label: str, value: MetricValue, unit: str) -> str:
    unit = f" {unit}" if unit else ""
    words = f"{label}: measured {mean_and_spread(value.mean, value.interval)}{unit}"
    return words if value.paper is None else f"{words}, thesis {plain(value.paper)}{unit}"


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
