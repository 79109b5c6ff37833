"""Figures over time: their series and panels."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock._numbers import rounded
from ackclock.report.cases import full_label, selected, shown
from ackclock.report.curves import Axis, Curve, Entry, Panel
from ackclock.report.quantities import title_and_scale
from ackclock.series import Series
from ackclock.study.model import Figure
from ackclock.study.result import CaseResult, StudyResult

MOST_SAMPLES = 4000
"""The largest number of samples of a curve: more than a screen has pixel columns, and few enough for a page of a
hundred studies to open quickly.
"""


@dataclass(frozen=True)
class _Series:
    case: CaseResult
    owner: str
    quantity: str
    time_s: Sequence[float]
    values: Sequence[float | None]


def panels(study: StudyResult, figure: Figure) -> tuple[list[Panel], list[str]]:
    """Returns the figure's panels, and a sentence for each requested series that is missing.

    Several quantities have a panel each, because they never share an axis. A single quantity has a panel for each case,
    because overlaid sawtooths hide each other; the page can overlay these panels.
    """
    found, missing = _find(study, figure)
    if not found:
        return [], missing
    quantities = list(dict.fromkeys(series.quantity for series in found))
    cases = list(dict.fromkeys(series.case.name for series in found))
    groups: list[tuple[str, list[_Series]]]
    if len(quantities) > 1:
        groups = [
            ("", [series for series in found if series.quantity == quantity]) for quantity in quantities
        ]
    elif len(cases) > 1:
        groups = [
            (full_label(study.case(name)), [series for series in found if series.case.name == name])
            for name in cases
        ]
    else:
        groups = [("", found)]
    entries = _entries(study, [group for _, group in groups])
    largest = {
        quantity: max(
            (abs(v) for s in found if s.quantity == quantity for v in s.values if v is not None), default=0.0
        )
        for quantity in quantities
    }
    return [
        _panel(figure, title, group, entries, largest[group[0].quantity]) for title, group in groups
    ], missing


def _find(study: StudyResult, figure: Figure) -> tuple[list[_Series], list[str]]:
    found, missing = [], []
    for case in selected(study.cases, figure.cases):
        for path in figure.series_paths:
            kind, owner, quantity = path.split(".")
            series = case.series
            recorded = {} if series is None else _recorded(series, kind, owner, quantity)
            drawn = {name: values for name, values in recorded.items() if any(v is not None for v in values)}
            if series is None or not drawn:
                missing.append(
                    f"{full_label(case)}: {path} {'has no sample' if recorded else 'was not recorded'}"
                )
                continue
            found += [
                _Series(case, name, quantity, series.time_s.tolist(), values)
                for name, values in drawn.items()
            ]
    return found, missing


def _recorded(series: Series, kind: str, owner: str, quantity: str) -> dict[str, list[float | None]]:
    """Returns the samples of ``quantity`` for each flow or link that ``owner``, a name or a pattern, matches."""
    return {
        name: series.samples(kind, name, quantity)
        for name in series.owners(kind)
        if (name == owner or fnmatch.fnmatchcase(name, owner)) and quantity in series.quantities(kind, name)
    }


def _entries(study: StudyResult, groups: Sequence[Sequence[_Series]]) -> dict[tuple[str, str], Entry]:
    """Returns the legend entry of each curve: the case, the flow or link, or both, as needed to tell curves apart."""
    everything = [series for group in groups for series in group]
    by_case = len({series.case.name for series in everything}) > 1
    # If every panel shows each case once, the axis title already names the flow or link.
    by_owner = any(
        len({series.owner for series in group if series.case.name == case}) > 1
        for group in groups
        for case in {series.case.name for series in group}
    )
    positions = {case.name: index for index, case in enumerate(shown(study))}
    entries: dict[tuple[str, str], Entry] = {}
    for series in everything:
        key = (series.case.name, series.owner)
        if key in entries:
            continue
        if not by_owner:
            entries[key] = Entry(full_label(series.case), positions[series.case.name])
        else:
            label = f"{full_label(series.case)}, {series.owner}" if by_case else series.owner
            entries[key] = Entry(label, len(entries))
    return entries


def _panel(
    figure: Figure,
    title: str,
    group: Sequence[_Series],
    entries: Mapping[tuple[str, str], Entry],
    largest: float,
) -> Panel:
    label, scale = title_and_scale(group[0].quantity, largest)
    if figure.y_label:
        # A title given in the study is in the unit of the recorded values.
        label, scale = figure.y_label, 1.0
    y_range = None if figure.y_range is None else (figure.y_range[0] / scale, figure.y_range[1] / scale)
    curves = [
        Curve(entries[series.case.name, series.owner], over_time(series.time_s, series.values, scale))
        for series in group
    ]
    return Panel(title, Axis(label, figure.y_log, y_range), curves)


def over_time(time_s: Sequence[float], values: Sequence[float | None], scale: float) -> dict[str, Any]:
    """Returns the times and values of a curve from a series, thinned, with the values divided by ``scale``."""
    time_s, values = thinned(time_s, values)
    return {**_times(time_s), "y": _scaled(values, scale)}


def thinned(
    time_s: Sequence[float], values: Sequence[float | None]
) -> tuple[Sequence[float], Sequence[float | None]]:
    """Returns at most ``MOST_SAMPLES`` samples: the smallest and the largest of each stretch, with their times."""
    if len(values) <= MOST_SAMPLES:
        return time_s, values
    stretch = -(-2 * len(values) // MOST_SAMPLES)
    kept: list[int] = []
    for first in range(0, len(values), stretch):
        known = {
            index: value
            for index, value in enumerate(values[first : first + stretch], first)
            if value is not None
        }
        # A stretch without a sample keeps one place, so that the curve shows the gap.
        kept += sorted(
            {min(known, key=known.__getitem__), max(known, key=known.__getitem__)} if known else {first}
        )
    return [time_s[index] for index in kept], [values[index] for index in kept]


def _scaled(values: Sequence[float | None], scale: float) -> list[float | int | None]:
    return rounded(None if value is None else value / scale for value in values)


def _times(time_s: Sequence[float]) -> dict[str, Any]:
    """Returns the start and step of evenly spaced samples, which halves the figure's size, or else all times."""
    if len(time_s) > 2:
        step = (time_s[-1] - time_s[0]) / (len(time_s) - 1)
        if step > 0 and all(abs(time_s[0] + i * step - time) < 1e-3 * step for i, time in enumerate(time_s)):
            return {"x0": float(f"{time_s[0]:.9g}"), "dx": float(f"{step:.9g}")}
    return {"x": rounded(time_s, 7)}
