"""The figures over time of a scenario: windows, goodput, round trips, queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ackclock._fairness import starting
from ackclock.report import figures, time_figure
from ackclock.report.curves import Curve, Entry, Panel
from ackclock.report.figures import FigureView
from ackclock.report.naming import TIME
from ackclock.report.quantities import Declared, Shown, shown
from ackclock.report.scenario_tables import worth_showing
from ackclock.run import Run
from ackclock.series import Series, Vector

MOST_CURVES = 12
"""The largest number of curves in a figure; of more flows or links, only the first are drawn."""
STRETCHES = 120
"""The number of intervals in a figure of rates; each interval is drawn as the mean of its samples."""


@dataclass(frozen=True)
class Drawn:
    """A figure: the series that it shows for all flows or links."""

    kind: str
    quantity: str
    title: str
    averaged: bool = False
    """Whether means of several samples are drawn, because the rate between two samples depends on bursts."""


FIGURES = (
    Drawn("flows", "cwnd_packets", "Congestion window"),
    Drawn("flows", "goodput_bps", "Goodput", averaged=True),
    Drawn("flows", "rtt_s", "Round-trip time"),
    Drawn("links", "queue_packets", "Queue"),
)


def figures_of(
    run: Run,
    anchor: str,
    declared: Declared = Declared(),
) -> list[FigureView]:
    """Returns the figures of a run with series, with HTML ids made from ``anchor``. Series without samples have no
    figure.
    """
    series: Series | None = run.result.get("series")
    if series is None:
        return []
    found = [_figure(run, series, drawn, f"{anchor}-{drawn.quantity}", declared) for drawn in FIGURES]
    return [figure for figure in found if not figure.empty]


def _figure(run: Run, series: Series, drawn: Drawn, id: str, declared: Declared) -> FigureView:
    owners = _owners(run, series, drawn)
    kept = owners[:MOST_CURVES]
    values = {owner: series.values(drawn.kind, owner, drawn.quantity) for owner in kept}
    time_s = series.time_s
    caption = ""
    if drawn.averaged:
        each = max(1, time_s.size // STRETCHES)
        values = {owner: _means(samples, each) for owner, samples in values.items()}
        if each > 1:
            caption = f" Each value is the mean over {_seconds(time_s[each] - time_s[0])}."
        # Seen at the end of a recovery.
        caption += (
            " Data received out of order is counted when the gap before it is filled, so a value can "
            "exceed the link rate."
        )
        time_s = time_s[each - 1 :: each]  # the end of each stretch
    largest = max(map(_largest, values.values()), default=0.0)
    quantity = declared.shown(shown(drawn.quantity, largest), drawn.quantity, [drawn.quantity])
    time = declared.shown(Shown("Time", "s"), TIME, [TIME])
    title = quantity.words if quantity.declared else drawn.title
    time_s = time_s / time.divisor
    panels = [
        Panel(
            declared.word(owner) if len(kept) > 1 else "",
            quantity.axis,
            [
                Curve(
                    Entry(declared.word(owner), index),
                    time_figure.over_time(time_s.tolist(), _or_none(values[owner]), quantity.divisor),
                )
            ],
        )
        for index, owner in enumerate(kept)
    ]
    left_out = len(owners) - len(kept)
    what = "flow" if drawn.kind == "flows" else "link"
    return figures.assembled(
        "time",
        time.axis,
        panels,
        id=id,
        file=figures.file_stem(run.scenario, drawn.quantity),
        title=title,
        caption=f"{title} of each {what} over time.{caption}",
        missing=[f"{left_out} of {len(owners)} {what}s"] if left_out else [],
        seed=run.seed,
        thinned=series.time_s.size > time_figure.MOST_SAMPLES,
        overlaid=True,
    )


def _owners(run: Run, series: Series, drawn: Drawn) -> Sequence[str]:
    """Returns the flows or links with a sample; only links at which anything happened."""
    names = [
        owner
        for owner in series.owners(drawn.kind)
        if drawn.quantity in series.quantities(drawn.kind, owner)
        and not np.all(np.isnan(series.values(drawn.kind, owner, drawn.quantity)))
    ]
    if drawn.kind == "flows":
        there = {flow["name"] for flow in starting(run.document["flows"])}
        return [name for name in names if name in there]
    busy = {link["name"] for link in run.document["links"] if worth_showing(link)}
    return [name for name in names if name in busy]


def _largest(values: Vector) -> float:
    return float(np.nanmax(np.abs(values), initial=0.0))


def _means(values: Vector, each: int) -> Vector:
    """Returns the mean of each stretch of ``each`` samples, nan if there was none; an unfinished
    stretch is left out.
    """
    stretches = values[: values.size // each * each].reshape(-1, each)
    known = np.isfinite(stretches)
    counts = known.sum(axis=1)
    sums = np.where(known, stretches, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _or_none(values: Vector) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _seconds(span: float) -> str:
    return f"{span:.2g} s" if span >= 1 else f"{1000 * span:.3g} ms"
