"""The figure of a comparison: a panel for each quantity with both logs, and a line where they first differ."""

from __future__ import annotations

from ackclock.figure import Figure
from ackclock.report.chart import Chart
from ackclock.report.curves import Axis, Curve, Entry, Panel
from ackclock.report.time_figure import over_time
from ackclock.traces.log import QUANTITIES, Log, Quantity, Steps
from ackclock.traces.outcome import Comparison


def figure(comparison: Comparison) -> Figure:
    """Returns the figure."""
    entries = [Entry("ours", 0), Entry("theirs", 1)]
    panels = []
    for name, courses in comparison.steps.items():
        quantity = QUANTITIES[name]
        curves = [
            Curve(entry, _staircase(steps, comparison.span, quantity.factor))
            for entry, steps in zip(entries, courses, strict=True)
        ]
        if comparison.parting is not None:
            largest = max((value for steps in courses for value in steps.values), default=0.0)
            at = comparison.parting.at
            line = over_time([at, at], [0.0, largest * quantity.factor], 1.0)
            curves.append(Curve(Entry("first difference", 2), line))
        panels.append(Panel("", _axis(quantity, comparison.unit), curves))
    x = f"Time since {comparison.origin} (s)" if comparison.align == "time" else "Data packets sent"
    return Figure(Chart("time", "", Axis(x), panels), "comparison")


def single(log: Log) -> Figure:
    """Returns the figure of one log: a panel for each quantity, over time since the first data packet, or since the
    first acknowledgement if the log does not record when data was sent.
    """
    begin_s = log.first_report_s if log.first_sent_s is None else log.first_sent_s
    unit = "bytes" if log.packet_bytes is None and log.counts == "bytes" else "packets"
    panels = []
    for name, course in log.courses.items():
        quantity = QUANTITIES[name]
        scale = 1.0 if quantity.unit or log.counts == unit else log.packet_bytes or 1.0
        steps = Steps.of(course, "time", begin_s, scale)
        curve = Curve(Entry("", 0), _staircase(steps, log.end.time_s - begin_s, quantity.factor))
        panels.append(Panel("", _axis(quantity, unit), [curve]))
    origin = "first acknowledgement" if log.first_sent_s is None else "first data packet"
    return Figure(Chart("time", "", Axis(f"Time since the {origin} (s)"), panels), "trace")


def _axis(quantity: Quantity, unit: str) -> Axis:
    """Returns the vertical axis of a quantity; ``unit`` is the unit of windows."""
    return Axis(f"{quantity.label[0].upper()}{quantity.label[1:]} ({quantity.unit or unit})")


def _staircase(steps: Steps, span: float, factor: float) -> dict[str, object]:
    """Returns the points of a step curve: each value holds until the next."""
    at: list[float] = []
    values: list[float | None] = []
    for place, value, _ in steps:
        if place > span:
            break
        if values:
            at.append(place)
            values.append(values[-1])
        at.append(place)
        values.append(value * factor)
    return over_time(at, values, 1.0)
