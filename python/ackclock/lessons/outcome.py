"""The results of a lesson's runs, and whether its statements are true for them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock._numbers import mean_and_spread
from ackclock.errors import InputError
from ackclock.experiment.expression import Array, parsed
from ackclock.experiment.judge import judge
from ackclock.experiment.model import Finding, Setting
from ackclock.experiment.run_words import RunWords, measure
from ackclock.experiment.sample_words import SampleWords
from ackclock.lessons import Check, Lesson
from ackclock.metrics import stretches
from ackclock.run import Run, Runs
from ackclock.scenario import Scenario
from ackclock.statistics import summarise

if TYPE_CHECKING:
    import plotly.graph_objects as go

REPLICATIONS = 10
"""The number of seeds of each variant: enough for a confidence interval, few enough to run during a lesson."""


@dataclass(frozen=True)
class Outcome:
    """The runs of each variant of a lesson, by the label of the variant."""

    lesson: Lesson
    runs: Mapping[str, Runs]

    @cached_property
    def samples(self) -> Mapping[str, Mapping[str, Array]]:
        """Returns the samples of each measure and variant, a number for each seed."""
        return {
            one.id: {label: samples(runs, one.expr) for label, runs in self.runs.items()}
            for one in self.lesson.measures
        }

    def finding(self, check: Check) -> Finding:
        """Returns whether a check holds, by the 95 % intervals of the paired differences over the seeds."""
        words = SampleWords(self.samples, [Setting(label) for label in self.runs])
        seeds = min(map(len, self.runs.values()))
        return judge(check.criterion(self.lesson.look), words, seeds)


def play(lesson: Lesson, replications: int = REPLICATIONS) -> Outcome:
    """Runs every variant of the lesson with this number of seeds, on all cores."""
    scenario = Scenario.from_text(lesson.scenario, file=f"{lesson.name}.toml")
    runs = {
        variant.label: scenario.with_overrides(variant.set).run_many(replications=replications, series=True)
        for variant in lesson.variants
    }
    return Outcome(lesson, runs)


def samples(runs: Runs, expression: str) -> Array:
    """Returns the value of an expression, in the language of a study's metrics, for each run."""
    return np.array([measure(parsed(expression), RunWords(run.result)) for run in runs], dtype=np.float64)


@dataclass(frozen=True)
class Table:
    """A data frame of texts that a notebook shows without quotation marks."""

    frame: pl.DataFrame

    def _repr_html_(self) -> str:
        rows = [self.frame.columns, *self.frame.rows()]
        cells = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"

    def __repr__(self) -> str:
        return repr(self.frame)


def table(runs: Mapping[str, Runs], measures: Mapping[str, str]) -> Table:
    """Returns a table with a row per variant: for each expression in ``measures`` the mean over the seeds ± half its
    95 % interval.

    >>> table(runs, {"Goodput (Mbit/s)": 'flow("tcp").goodput_bps / 1e6'})  # doctest: +SKIP
    """
    columns = {"": list(runs)}
    for title, expression in measures.items():
        found = [summarise(samples(of_one, expression)) for of_one in runs.values()]
        columns[title] = [mean_and_spread(summary.mean, summary.interval) for summary in found]
    return Table(pl.DataFrame(columns))


def curves(runs: Mapping[str, Runs], path: str) -> go.Figure:
    """Draws a series of the first run of each variant over time, a panel for each variant and a curve for each flow
    or link.

    ``path`` is a pattern such as ``flows.*.cwnd_packets``. InputError if no variant has such a series.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    kind, pattern, quantity = path.split(".")
    colours: dict[str, str] = {}
    figure = make_subplots(
        rows=len(runs), cols=1, shared_xaxes=True, shared_yaxes="all", subplot_titles=list(runs)
    )
    for row, of_one in enumerate(runs.values(), start=1):
        for name, times, values in _series(of_one[0], kind, pattern, quantity):
            new = name not in colours
            line = {"color": colours.setdefault(name, _COLOURS[len(colours) % len(_COLOURS)]), "width": 1.5}
            curve = go.Scatter(x=times, y=values, name=name, line=line, legendgroup=name, showlegend=new)
            figure.add_trace(curve, row=row, col=1)
    if not colours:
        raise InputError(f'figure: found "{path}", expected a pattern that matches a series of the runs')
    title = quantity.replace("_bps", "_mbps") if quantity.endswith("_bps") else quantity
    figure.update_layout(height=120 + 150 * len(runs), margin={"t": 40, "b": 40}, template="plotly_white")
    figure.update_yaxes(title_text=title, row=(len(runs) + 1) // 2)
    figure.update_xaxes(title_text="time (s)", row=len(runs))
    return figure


def _series(run: Run, kind: str, pattern: str, quantity: str) -> Iterator[tuple[str, Array, Array]]:
    """Returns the flows or links whose names match and which have the quantity, with its times and values.

    A rate is drawn in Mbit/s, as means over a hundredth of the run: from sample to sample it jumps with every packet.
    """
    series = run.series.filter(pl.col("kind") == kind.removesuffix("s"))
    if quantity not in series.columns:
        return
    for name in fnmatch.filter(series["name"].unique(maintain_order=True), pattern):
        own = series.filter((pl.col("name") == name) & pl.col(quantity).is_not_null())
        if own.is_empty():
            continue
        times, values = own["time_s"].to_numpy(), own[quantity].to_numpy().astype(np.float64)
        if quantity.endswith("_bps"):
            times, values = stretches(times, values / 1e6, 0.0, float(run.result["duration_s"]) / 100)
        yield name, times, values


_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""The colours of Okabe and Ito, which colour-blind readers can tell apart."""
