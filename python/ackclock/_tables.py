"""Tables of results: as data frames, and as the files that a run writes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import polars as pl
import polars.selectors as cs

from ackclock import _typed_core as core
from ackclock._csv_cells import inert
from ackclock._files import replacing
from ackclock._summary import OfOneRun, PointSummary, bound
from ackclock.series import KINDS, Series

if TYPE_CHECKING:
    from ackclock._sweep import Axis
    from ackclock.run import Run
    from ackclock.statistics import Summary

NAMES = ("flows", "links", "groups", "transfers", "size_classes", "summary", "series")
"""The names of the tables of results that are written to files."""
_RECORDS: Mapping[str, str] = {
    "flows": "flow",
    "links": "link",
    "groups": "group",
    "transfers": "transfer",
    "size_classes": "size_class",
}
"""For each table, the name of the record of the core of which the table has one per row."""
_TYPES: Mapping[str, Any] = {
    "number": pl.Float64,
    "share": pl.Float64,
    "integer": pl.Int64,
    "text": pl.String,
    "numbers": pl.List(pl.Float64),
}
"""The type of a column, by the kind that the core declares for the field."""
_COUNTED = ("packets", "bytes")
"""Columns of swept values in these units contain integers if all values are whole numbers."""


def frame(record: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Returns the rows with the columns that the core declares, in its order; columns that no row has are left out."""
    present: set[str] = set().union(*rows)
    fields = [field for field in core.fields()[record] if field["name"] in present]
    columns = {field["name"]: _column(field["name"], rows) for field in fields}
    return pl.DataFrame(columns, schema={field["name"]: _TYPES[field["kind"]] for field in fields})


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    try:
        return list(map(itemgetter(name), rows))
    except KeyError:  # flows of different kinds have different fields
        return [row.get(name) for row in rows]


def over_time(series: Series | None) -> pl.DataFrame:
    """Returns values over time: columns time_s, kind ("flow" or "link"), name, and one per quantity."""
    if series is None:
        return pl.DataFrame(schema={"time_s": pl.Float64, "kind": pl.String, "name": pl.String})
    parts = []
    for kind in KINDS:
        for name in series.owners(kind):
            columns = {f"{kind}.{name}.{quantity}": quantity for quantity in series.quantities(kind, name)}
            labels = [pl.lit(kind.removesuffix("s")).alias("kind"), pl.lit(name).alias("name")]
            parts.append(series.frame.select("time_s", *labels, *columns).rename(columns))
    if not parts:
        return series.frame.select("time_s")
    return pl.concat(parts, how="diagonal")


def stacked(name: str, runs: Sequence[Run], axes: Sequence[Axis]) -> pl.DataFrame:
    """Returns the table of that name of all runs, one below the other, with the seed and the values of the sweep."""
    if name == "series":
        return _stacked_series(runs, axes)
    records = [run.result.get(name) or [] for run in runs]
    counts = [len(rows) for rows in records]
    rows = frame(_RECORDS[name], [row for run in records for row in run])
    return rows.select(*_labels(runs, counts, axes), pl.all())


def _stacked_series(runs: Sequence[Run], axes: Sequence[Axis]) -> pl.DataFrame:
    # Of thousands of runs without series, one suffices to know the columns.
    timed = [run for run in runs if run.result.get("series") is not None] or runs[:1]
    # What a control publishes may be called as one of its parameters, which is swept.
    twins = {axis.column: f"series_{axis.column}" for axis in axes}
    frames = [
        run.series.rename(twins, strict=False).select(*_labels([run], [len(run.series)], axes), pl.all())
        for run in timed
    ]
    return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()


def _labels(runs: Sequence[Run], counts: Sequence[int], axes: Sequence[Axis]) -> list[pl.Series]:
    """Returns the seed and the values of the sweep of each run, repeated for each of its rows."""
    repeated = [run for run, count in zip(runs, counts, strict=True) for _ in range(count)]
    seeds = pl.Series("seed", [run.seed for run in repeated], dtype=pl.Int64)
    return [seeds, *_label_columns([run.cells for run in repeated], axes).values()]


def summary_of(summaries: Sequence[PointSummary], axes: Sequence[Axis]) -> pl.DataFrame:
    """Returns a row per point: the values of the sweep, the number of runs, and for each number its mean and the ends
    of its 95 % interval, null with fewer than two samples.

    Numbers without any sample are left out, and so are links without a queue that could fill and without any loss.
    """
    columns: dict[str, pl.Series] = _label_columns([point.cells for point in summaries], axes)
    columns["runs"] = pl.Series("runs", [point.runs for point in summaries], dtype=pl.Int64)
    for name in _busy(summaries):
        found = [point.values.get(name) for point in summaries]
        if not any(one is not None and one.count for one in found):
            continue
        ends = [None if one is None else one.interval for one in found]
        for column, values in (
            (name, [None if one is None else one.mean for one in found]),
            (bound(name, "low"), [None if end is None else end[0] for end in ends]),
            (bound(name, "high"), [None if end is None else end[1] for end in ends]),
        ):
            columns[column] = pl.Series(column, values, dtype=pl.Float64)
    return pl.DataFrame(list(columns.values()))


def _busy(summaries: Sequence[PointSummary]) -> list[str]:
    """Returns the names of all numbers but those of links at which nothing can happen: no path shares their queue, or
    it has no limit, and nothing was lost.
    """

    def any_of(link: str, field: str) -> bool:
        found = (point.values.get(f"{link}.{field}") for point in summaries)
        return any(one is not None and one.mean is not None and one.mean > 0 for one in found)

    def has_queue(link: str) -> bool:
        found = (point.values.get(f"{link}.queue_max_packets") for point in summaries)
        return any(one is not None and one.count for one in found)

    def is_busy(owner: str) -> bool:
        return not owner.startswith("links.") or has_queue(owner) or any_of(owner, "lost_packets")

    owners = dict.fromkeys(owner for point in summaries for owner in _owners(point.values))
    busy = {owner for owner in owners if is_busy(owner)}
    return list(dict.fromkeys(name for point in summaries for name in _names(point.values, busy)))


def _owners(values: Mapping[str, Summary]) -> Iterable[str]:
    """Returns what the numbers belong to: ``links.LINK``; a single run with forty thousand links knows it."""
    if isinstance(values, OfOneRun):
        return values.samples.owners
    return (name.rpartition(".")[0] for name in values)


def _names(values: Mapping[str, Summary], owners: Collection[str]) -> Iterable[str]:
    """Returns the names of the numbers that belong to ``owners``."""
    if isinstance(values, OfOneRun):
        return (name for one in values.samples.owners if one in owners for name in values.samples.names(one))
    return (name for name in values if name.rpartition(".")[0] in owners)


def _label_columns(cells: Sequence[Mapping[str, Any]], axes: Sequence[Axis]) -> dict[str, pl.Series]:
    """Returns a column for each axis, with a type that depends only on its values."""
    return {
        axis.column: pl.Series(axis.column, [_as_cell(row[axis.column]) for row in cells], dtype=_type(axis))
        for axis in axes
    }


def _as_cell(value: Any) -> Any:
    """Returns a swept value as a cell: a table such as {name = "rbcc"} becomes text."""
    return value if isinstance(value, bool | int | float | str) else json.dumps(value)


def _type(axis: Axis) -> Any:
    kinds = {type(_as_cell(cell)) for cell in axis.cells}
    if kinds == {bool}:
        return pl.Boolean
    if kinds == {int} and (axis.unit in _COUNTED or axis.path.endswith(".count")):
        return pl.Int64
    # The values of one sweep may be whole by chance, and those of another not.
    if kinds <= {int, float}:
        return pl.Float64
    return pl.String


def write(folder: Path, frames: Mapping[str, pl.DataFrame], series: pl.DataFrame | None = None) -> list[Path]:
    """Writes the tables into ``folder``, and removes files of another run under their names."""
    folder.mkdir(parents=True, exist_ok=True)
    clear(folder)
    written = []
    for name, table in frames.items():
        # Distributions are lists, which do not fit into a cell of CSV.
        _write(folder / f"{name}.csv", inert(table.select(cs.exclude(cs.nested()))).write_csv)
        _write(folder / f"{name}.parquet", table.write_parquet)
        written += [folder / f"{name}.csv", folder / f"{name}.parquet"]
    if series is not None and not series.is_empty():
        _write(folder / "series.parquet", series.write_parquet)
        written.append(folder / "series.parquet")
    return written


def _write(path: Path, table: Callable[[BinaryIO], object]) -> None:
    """Writes the bytes that ``table`` makes in memory, because Polars reports a full disk in its own words."""
    content = io.BytesIO()
    table(content)
    with replacing(path) as file:
        file.write_bytes(content.getbuffer())


def clear(folder: Path) -> None:
    """Removes the tables that a run has written there."""
    for name in NAMES:
        for ending in ("csv", "parquet"):
            (folder / f"{name}.{ending}").unlink(missing_ok=True)
