"""Results of runs as data frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal, overload

from ackclock import _arguments as arguments
from ackclock._summary import PointSummary, summarised
from ackclock.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import polars as pl
    import xarray as xr

    from ackclock._sweep import Axis
    from ackclock.errors import AckclockError
    from ackclock.figure import Figure
    from ackclock.report.quantities import Declared, Scale

Table = Literal["flows", "links", "groups", "transfers", "size_classes", "series", "summary"]


class Run:
    """The result of one run.

    ``flows``, ``links`` and ``groups`` are data frames with one row per flow, link or group; ``series`` has one row per
    time and flow or link. Column names end in their unit (``_s``, ``_bps``, ``_packets``); their meaning is in
    ``ackclock schema --of run``. A value without a sample is null.
    """

    def __init__(
        self,
        result: Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
        point: Mapping[str, Any] | None = None,
        cells: Mapping[str, Any] | None = None,
    ) -> None:
        self.result = result
        """The result as the simulator core returns it: records, and the series as columns."""
        self.overrides = dict(overrides or {})
        self.point = dict(point or {})
        """The swept values of the run, by dotted path; empty without a sweep."""
        self.cells = dict(cells or {})
        """The swept values of the run as data frames show them, by column name."""

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """Returns the result in the form of the JSON document, with series as lists."""
        if self.result.get("series") is None:
            return {**self.result, "series": None}
        from ackclock.series import as_document

        return as_document(self.result)

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return str(self.result["scenario"])

    @property
    def seed(self) -> int:
        """The seed that all random numbers of the run come from."""
        return int(self.result["seed"])

    @property
    def fairness(self) -> float | None:
        """Jain's index over the goodput of all flows; None if every goodput is zero."""
        value = self.result["fairness"]
        return None if value is None else float(value)

    def fairness_over(self, names: Sequence[str]) -> float | None:
        """Returns Jain's index over the goodput of the named flows; the name of a group stands for all its flows. Flows
        that never start are left out. None if every goodput is zero. InputError for an unknown name.
        """
        from ackclock._fairness import fairness_over

        return fairness_over(self.result, names)

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""
        return _frame("flow", self.result["flows"])

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row per link and direction."""
        return _frame("link", self.result["links"])

    @cached_property
    def groups(self) -> pl.DataFrame:
        """One row per [[flows]] table."""
        return _frame("group", self.result["groups"])

    @cached_property
    def transfers(self) -> pl.DataFrame:
        """One row per connection of flows that run transfers or web sessions; none without `observe.transfers`."""
        return _frame("transfer", self.result.get("transfers") or [])

    @cached_property
    def size_classes(self) -> pl.DataFrame:
        """One row per size class and flow that runs transfers or web sessions; none without `observe.transfers`."""
        return _frame("size_class", self.result.get("size_classes") or [])

    @cached_property
    def series(self) -> pl.DataFrame:
        """Values over time: columns time_s, kind ("flow" or "link"), name, and one per quantity (cwnd_packets,
        queue_packets...), null if the row has no such quantity. There are no rows if the run was made without series.
        """
        from ackclock._tables import over_time

        return over_time(self.result.get("series"))

    def to_json(self) -> str:
        """Returns the result as JSON text."""
        return json.dumps(self.document)

    def __repr__(self) -> str:
        return f"Run({self.scenario!r}, seed={self.seed}, flows={len(self.result['flows'])})"

    def _repr_html_(self) -> str:
        """Shows the flows and the links in a notebook, as tables."""
        return f"<p>{escape(repr(self))}</p>{self.flows._repr_html_()}{self.links._repr_html_()}"


@dataclass(frozen=True)
class Failure:
    """A failed run."""

    point: int
    """The number of the sweep's point, from 1."""
    seed: int
    error: AckclockError
    command: str
    """The command line that repeats only this run."""

    def __str__(self) -> str:
        return f"{self.error}; `{self.command}` repeats the run"


class Runs(Sequence[Run]):
    """The results of several runs.

    The data frames contain the rows of all runs, with a column ``seed`` and a column per swept path, named after the
    end of the path and its unit: ``limit_packets``. ``failures`` are the runs that failed.
    """

    def __init__(
        self,
        runs: Iterable[Run],
        axes: Sequence[Axis] = (),
        failures: Sequence[Failure] = (),
        warnings: Sequence[str] = (),
        declared: Declared | None = None,
    ) -> None:
        self._runs = tuple(runs)
        self.axes = tuple(axes)
        """The swept axes of the scenario."""
        self.failures = tuple(failures)
        self.warnings = tuple(warnings)
        """The warnings of ``ackclock check``: settings that are allowed but probably not intended."""
        self._declared = declared

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: int | slice) -> Run | Runs:
        if not isinstance(index, slice):
            return self._runs[index]
        return Runs(self._runs[index], self.axes, (), self.warnings, self._declared)

    def of(self, run: Run) -> Runs:
        """Returns ``run`` alone, with the present labels and scales."""
        return Runs([run], (), (), self.warnings, self._declared)

    def __len__(self) -> int:
        return len(self._runs)

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per run and flow."""
        return self._stacked("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row per run, link and direction."""
        return self._stacked("links")

    @cached_property
    def groups(self) -> pl.DataFrame:
        """One row per run and [[flows]] table."""
        return self._stacked("groups")

    @cached_property
    def transfers(self) -> pl.DataFrame:
        """One row per run and connection of flows that run transfers or web sessions.

        No rows without `observe.transfers`.
        """
        return self._stacked("transfers")

    @cached_property
    def size_classes(self) -> pl.DataFrame:
        """One row per run, size class and flow that runs transfers or web sessions.

        No rows without `observe.transfers`.
        """
        return self._stacked("size_classes")

    @cached_property
    def series(self) -> pl.DataFrame:
        """Values over time of all runs; see ``Run.series``. A quantity with the name of a swept column gets the prefix
        ``series_``.
        """
        return self._stacked("series")

    @cached_property
    def by_point(self) -> list[list[Run]]:
        """Returns a list of runs for each point of the sweep, in the order of the points."""
        return grouped(self._runs)

    def summary(self) -> pl.DataFrame:
        """Returns a row per sweep point: the swept values, the number of ``runs``, and for each quantity the mean
        over the runs and the bounds of its 95 % confidence interval, e.g. ``groups.tcp.goodput_bps``,
        ``groups.tcp.goodput_low_bps`` and ``groups.tcp.goodput_high_bps``.

        Quantities of a group are means over its flows.
        """
        from ackclock._tables import summary_of

        return summary_of(self.summaries(), self.axes)

    def summaries(self) -> Sequence[PointSummary]:
        """Returns the contents of ``summary`` as an object per point."""
        return self._summaries

    @cached_property
    def _summaries(self) -> Sequence[PointSummary]:
        return [
            PointSummary(runs[0].cells, len(runs), summarised(run.result for run in runs))
            for runs in self.by_point
        ]

    def to_pandas(self, table: Table = "flows") -> pd.DataFrame:
        """Returns a table as a pandas frame: ``flows``, ``links``, ``groups``, ``transfers``, ``size_classes``,
        ``series`` or ``summary``.

        InputError if pandas is not installed, or for an unknown table.
        """
        from ackclock._frames import to_pandas

        return to_pandas(self._table(table))

    def to_xarray(self, table: Table = "flows") -> xr.Dataset:
        """Returns ``flows``, ``links`` or ``groups`` as an xarray dataset: a variable for each number, with its unit,
        and a dimension for each swept axis (one dimension ``point`` for a sweep with ranges), for the seed and for the
        flow, link or group.

        InputError if xarray is not installed, or for another table.
        """
        from ackclock._frames import to_xarray

        if table not in ("flows", "links", "groups"):
            raise InputError(f'to_xarray: found "{table}", expected flows, links or groups')
        return to_xarray(self._table(table), self.axes, table.removesuffix("s"))

    def _table(self, name: str) -> pl.DataFrame:
        from ackclock._tables import NAMES

        if name not in NAMES:
            raise InputError(f'no table is called "{name}": expected {", ".join(NAMES[:-1])} or {NAMES[-1]}')
        return self.summary() if name == "summary" else self._stacked(name)

    @property
    def declared(self) -> Declared:
        """Returns the labels and scales that ``with_labels`` set; by default none."""
        if self._declared is not None:
            return self._declared
        from ackclock.report.quantities import Declared

        return Declared()

    def with_labels(
        self, labels: Mapping[str, str] | None = None, *, scales: Mapping[str, Scale] | None = None
    ) -> Runs:
        """Returns the runs with your own labels and scales for figures, LaTeX tables and reports.

        ``labels`` maps a swept axis (``limit_bdp``, or its path), a quantity (``rtt_p95_s``, or a column of
        ``summary``), a swept value, or a group, link or flow to its label: ``{"limit_bdp": "Buffer (BDP)",
        "rtt_p95_s": "Delay (ms)", "sack": "Reno"}``. A unit in brackets at the end of a quantity's label converts its
        values. ``scales`` maps a swept axis or a quantity to its scale: ``linear`` begins at zero, ``log`` is
        logarithmic, ``fitted`` covers only the values, ``category`` spaces the values of a swept axis evenly. Earlier
        labels and scales stay in force unless replaced.

        InputError for an unknown name or scale, and for a unit that does not fit the quantity.
        """
        if not labels and not scales:
            return self
        from ackclock.report.naming import check
        from ackclock.report.quantities import Declared

        before = self.declared
        declared = Declared({**before.labels, **(labels or {})}, {**before.scales, **(scales or {})})
        check(declared, self)
        return Runs(self._runs, self.axes, self.failures, self.warnings, declared)

    def plot(
        self,
        metrics: str | Sequence[str] | None = None,
        *,
        x: str | None = None,
        rows: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        colour: str | Sequence[str] | None = None,
    ) -> Figure:
        """Returns the sweep's figure with 95 % confidence intervals: curves for one axis, small multiples for more.

        A metric is a column of ``summary`` (``groups.tcp.rtt_mean_s``), or a field (``rtt_mean_s``, ``utilisation``),
        which selects the column of every group or link that has it; by default the goodput of each group. A unit can
        follow in brackets: ``rtt_mean_s [ms]``. ``x``, ``rows``, ``columns`` and ``colour`` each name the column of a
        swept axis, ``metric`` or ``group``. Axes that are not named are placed automatically: the numeric axis with the
        most values is horizontal, metrics are rows, axes of words and groups are colours, the rest are columns. Two
        numeric axes with many values make a heat map. The figure's ``save`` writes a PDF, SVG, PNG or CSV file.
        ``with_labels`` sets names, units and scales.

        InputError without a sweep, for an unknown name, and for more than 24 panels, or 12 curves in a panel.
        """
        from ackclock.figure import Figure
        from ackclock.report.figures import file_stem
        from ackclock.report.sweep_figure import sweep_figure

        chart = sweep_figure(
            self.summary(), self.axes, metrics, self.declared, x=x, rows=rows, columns=columns, colour=colour
        )
        names = [metrics] if isinstance(metrics, str) else list(metrics or ["goodput"])
        stem = file_stem(self[0].scenario, "-".join(name.partition(" [")[0] for name in names))
        return Figure(chart, stem, self.warnings)

    def plot_completions(
        self,
        *,
        rows: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        colour: str | Sequence[str] | None = None,
    ) -> Figure:
        """Returns the distribution of the completion times of observed transfers, with all replications pooled: a curve
        for each size class; with a sweep, a panel for each size class with a curve for each of the first 12 points.

        ``rows``, ``columns`` and ``colour`` each name the column of a swept axis, or ``class``. With any of them, all
        points are drawn, and swept axes that are not named become colours.

        InputError if no completed transfer was observed, for an unknown name, and for more than 24 panels, or 12
        curves in a panel.
        """
        from ackclock.figure import Figure
        from ackclock.report.completion_figure import completion_figure
        from ackclock.report.figures import file_stem

        chart = completion_figure(self, rows=rows, columns=columns, colour=colour)
        if chart is None:
            raise InputError(
                "no completion times to draw: found no completed transfer, expected `[observe] transfers = true` and "
                'flows with the application "transfers" or "web"'
            )
        return Figure(chart, file_stem(self[0].scenario, "completion"), self.warnings)

    def to_latex(self, columns: str | Sequence[str] | None = None) -> str:
        """Returns a LaTeX table for a paper, with a row for each point of the sweep: the swept values, then the mean of
        each column ± half the width of its 95 % confidence interval.

        Columns are metrics as in ``plot``, with optional units: ``goodput_bps [Mbit/s]``; ``with_labels`` sets
        headings. If all columns are fields of size classes (``size_classes.completion_p95_s``), each class has a row.
        The table needs the LaTeX package ``booktabs``. InputError for an unknown column or unit.
        """
        from ackclock.report.latex_table import latex_table

        if isinstance(columns, Mapping):
            raise InputError(
                "to_latex: found a mapping, expected a list of columns; with_labels sets headings"
            )
        return latex_table(self.summary(), self.axes, columns, self.declared, self.warnings)

    def write(self, folder: str | Path) -> list[Path]:
        """Writes flows, links, groups, the summary and any observed transfers and size classes as CSV and Parquet, and
        any series as Parquet. Returns the paths of the files.

        Earlier files of these tables in the folder are removed.
        """
        from ackclock._tables import write

        folder = arguments.path("folder", folder)
        frames = {name: self._stacked(name) for name in ("flows", "links", "groups")}
        observed = {name: self._stacked(name) for name in ("transfers", "size_classes")}
        frames |= {name: rows for name, rows in observed.items() if not rows.is_empty()}
        frames["summary"] = self.summary()
        return write(folder, frames, self._stacked("series"))

    def __repr__(self) -> str:
        return f"Runs({len(self)} run{'' if len(self) == 1 else 's'})"

    def _repr_html_(self) -> str:
        """Shows the summary of each point in a notebook."""
        warnings = "".join(f"<p>{escape(warning)}</p>" for warning in self.warnings)
        return f"<p>{escape(repr(self))}</p>{warnings}{self.summary()._repr_html_() if self else ''}"

    def _stacked(self, name: str) -> pl.DataFrame:
        from ackclock._tables import stacked

        return stacked(name, self._runs, self.axes)


def grouped(runs: Iterable[Run]) -> list[list[Run]]:
    """Returns a list of runs for each point of the sweep, in the order of the points' first runs."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(repr(sorted(run.point.items())), []).append(run)
    return list(groups.values())


def _frame(record: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Returns the records as a data frame. Loads Polars on the first call, as some commands need no data frames."""
    from ackclock._tables import frame

    return frame(record, rows)
