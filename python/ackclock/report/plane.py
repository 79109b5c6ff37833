"""Planes of delay and goodput: the runs of each discipline as points with their ellipse, drawn without a script.

Better is to the left and up: less delay, more goodput (RFC 7928 section 2.7).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ackclock._numbers import significant
from ackclock.characterisation.ellipse import Ellipse, fitted
from ackclock.report import rows, style
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis as Named
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.style import Style
from ackclock.study.model import Metric
from ackclock.study.result import CaseResult

Point = tuple[float, float]
WIDTH, HEIGHT = 420.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 10.0, 42.0
WIDE = 6.0
"""The ratio of the largest to the smallest delay above which the delay axis is logarithmic."""
LEAST_DELAY_MS = 0.1


@dataclass(frozen=True)
class Mark:
    """A discipline: its median, its contour, its runs."""

    label: str
    look: Style
    at: tuple[float, float]
    contour: str
    """The points of an SVG polygon around the runs (an ellipse); empty if the runs have no spread."""
    runs: Sequence[tuple[float, float]]
    words: str
    line: str = ""
    """The points of an SVG line through the medians of several cases of a discipline, such as several target delays."""
    stops: Sequence[tuple[float, float]] = ()
    """The medians that ``line`` joins."""


@dataclass(frozen=True)
class Plane:
    """One pair of axes, in the coordinates of its drawing."""

    title: str
    x_label: str
    y_label: str
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    marks: Sequence[Mark]
    chart: Chart
    """The plane in the form in which the reader can save it to a file."""
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM

    @property
    def csv(self) -> str:
        """Returns its numbers as a table."""
        return rows.csv(self.chart)


@dataclass(frozen=True)
class Axis:
    """A scale with its ticks."""

    low: float
    high: float
    log: bool
    ticks: Sequence[tuple[float, str]]

    def share(self, value: float) -> float:
        """Returns the position of ``value``, from 0 to 1."""
        if self.log:
            value = max(value, self.low)
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def plane(title: str, cases: Sequence[tuple[int, str, CaseResult]], x: Metric, y: Metric) -> Plane | None:
    """Returns the plane of the cases, each with its number among the disciplines and its label; None without any point.

    Several cases of one discipline are joined by a line, in their order.
    """
    found: list[tuple[int, str, CaseResult, Ellipse]] = []
    for index, label, case in cases:
        one = fitted(np.array(case.values[x.id].samples), np.array(case.values[y.id].samples))
        if one is not None:
            found.append((index, label, case, one))
    if not found:
        return None
    across = axis([value for *_, case, _ in found for value in case.values[x.id].samples], may_be_log=True)
    up = axis([value for *_, case, _ in found for value in case.values[y.id].samples], may_be_log=False)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return (
            round(LEFT + across.share(point[0]) * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - up.share(point[1]) * (HEIGHT - TOP - BOTTOM), 1),
        )

    groups: dict[int, list[tuple[str, tuple[Point, ...], Ellipse]]] = {}
    for index, label, case, one in found:
        pairs = zip(case.values[x.id].samples, case.values[y.id].samples, strict=True)
        runs = tuple((a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b))
        groups.setdefault(index, []).append((label, runs, one))
    curves = {index: _curve(index, members) for index, members in groups.items()}
    return Plane(
        title=title,
        x_label=x.axis_title,
        y_label=y.axis_title,
        x_ticks=[(place((value, up.low))[0], text) for value, text in across.ticks],
        y_ticks=[(place((across.low, value))[1], text) for value, text in up.ticks],
        marks=[_mark(index, curve, groups[index][0][2], place, x, y) for index, curve in curves.items()],
        chart=Chart(
            "plane",
            title or f"{y.label} over {x.label}",
            Named(x.axis_title, across.log, (across.low, across.high)),
            [Panel("", Named(y.axis_title, range=(up.low, up.high)), list(curves.values()))],
        ),
    )


def _curve(index: int, members: Sequence[tuple[str, tuple[Point, ...], Ellipse]]) -> Curve:
    """Returns the mark of a discipline: its runs with their contour and median, or the line through the medians of
    several cases.
    """
    label, runs, one = members[0]
    stops = list(dict.fromkeys(other.median for _, _, other in members))
    points = list(runs) if len(stops) == 1 else stops
    data = {"x": [x for x, _ in points], "y": [y for _, y in points], "medians": stops}
    if len(stops) == 1:
        data["contour"] = list(one.contour)
    return Curve(Entry(label, index), data)


def _mark(
    index: int, curve: Curve, one: Ellipse, place: Callable[[Point], Point], x: Metric, y: Metric
) -> Mark:
    label, data = curve.entry.label, curve.data
    stops = [place(median) for median in data["medians"]]
    alone = len(stops) == 1
    said = f"median {significant(one.median[0], 3)} {x.unit}, {significant(one.median[1])} {y.unit}"
    return Mark(
        label=label,
        look=style.style(index),
        at=stops[0],
        contour=" ".join("{},{}".format(*place(point)) for point in data.get("contour", ())),
        runs=[place(point) for point in zip(data["x"], data["y"], strict=True)] if alone else (),
        words=f"{label}: {said if alone else f'{len(stops)} points'}",
        line="" if alone else " ".join("{},{}".format(*stop) for stop in stops),
        stops=() if alone else stops,
    )


def axis(values: Sequence[float], *, may_be_log: bool) -> Axis:
    """Returns a scale that contains the finite ``values``."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite), max(finite)
    if may_be_log and high > WIDE * max(low, LEAST_DELAY_MS):
        low = 10 ** (math.log10(max(low, LEAST_DELAY_MS)) - 0.06)
        high = 10 ** (math.log10(high) + 0.06)
        steps = [
            factor * 10.0**power
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for factor in (1, 2, 5)
        ]
        inside = [step for step in steps if low <= step <= high]
        return Axis(low, high, True, [(step, f"{step:g}") for step in inside])
    if high - low < 1e-9 * max(abs(high), 1e-9):
        low, high = low - 0.05 * abs(low or 1), high + 0.05 * abs(high or 1)
    room = 0.05 * (high - low)
    low, high = (0.0 if 0 <= low < 0.3 * high else low - room), high + room
    step = _round_step((high - low) / 5)
    ticks = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return Axis(low, high, False, [(value, f"{value:.6g}") for value in ticks])


def _round_step(rough: float) -> float:
    """Returns the smallest of 1, 2, 5 times a power of ten that is not below ``rough``."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next((factor * power for factor in (1, 2, 5) if factor * power >= rough * 0.999), 10 * power)
