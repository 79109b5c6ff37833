"""Results of runs as data frames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, overload

import polars as pl
import polars.selectors as cs

from ackclock import core
from ackclock.series import KINDS, Series, as_document

if TYPE_CHECKING:
    from pathlib import Path


class Run:
    """The result of one run.

    ``flows``, ``links`` and ``groups`` are data frames with one row per flow, link or group; ``series`` has one row per
    time and flow or link. Column names end in their unit (``_s``, ``_bps``, ``_packets``); what they mean is in
    ``ackclock schema --of run``. A value without a sample is null.
    """

    def __init__(
        self,
        result: Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
        point: Mapping[str, Any] | None = None,
    ) -> None:
        self.result = result
        """The result as the core hands it over: records, and the series as columns."""
        self.overrides = dict(overrides or {})
        self.point = dict(point or {})
        """The values of the scenario's sweep, by dotted path; empty without a sweep."""

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The result as it is published in JSON: the series as lists."""
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
        """Jain's index over the goodput of all flows; None when no flow got anything."""
        value = self.result["fairness"]
        return None if value is None else float(value)

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
    def series(self) -> pl.DataFrame:
        """Values over time: columns time_s, kind ("flow" or "link"), name, and one per quantity (cwnd_packets,
        queue_packets...), null where the quantity is not the row's. Without rows when the run was made without series.
        """
        series: Series | None = self.result.get("series")
        if series is None:
            return pl.DataFrame(schema={"time_s": pl.Float64, "kind": pl.String, "name": pl.String})
        parts = []
        for kind in KINDS:
            for name in series.owners(kind):
                columns = {
                    f"{kind}.{name}.{quantity}": quantity for quantity in series.quantities(kind, name)
                }
                labels = [pl.lit(kind.removesuffix("s")).alias("kind"), pl.lit(name).alias("name")]
                parts.append(series.frame.select("time_s", *labels, *columns).rename(columns))
        if not parts:
            return series.frame.select("time_s")
        return pl.concat(parts, how="diagonal")

    def to_json(self) -> str:
        """The result as it is published, as JSON text."""
        return json.dumps(self.document)

    def __repr__(self) -> str:
        return f"Run({self.scenario!r}, seed={self.seed}, flows={len(self.document['flows'])})"


class Runs(Sequence[Run]):
    """Many runs.

    The data frames are those of the runs, one below the other, with the columns ``seed`` and one per swept path.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = tuple(runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: int | slice) -> Run | Runs:
        return Runs(self._runs[index]) if isinstance(index, slice) else self._runs[index]

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
    def series(self) -> pl.DataFrame:
        """Values over time of all runs; see ``Run.series``."""
        return self._stacked("series")

    def write(self, folder: Path) -> list[Path]:
        """Write flows, links and groups as CSV and Parquet, the series (if any) as Parquet; returns the files."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for name in ("flows", "links", "groups", "series"):
            frame = self._stacked(name)
            if name == "series" and frame.is_empty():
                continue
            if name != "series":
                # Distributions are lists, for which CSV has no cell.
                frame.select(cs.exclude(cs.nested())).write_csv(folder / f"{name}.csv")
                written.append(folder / f"{name}.csv")
            frame.write_parquet(folder / f"{name}.parquet")
            written.append(folder / f"{name}.parquet")
        return written

    def __repr__(self) -> str:
        return f"Runs({len(self)} runs)"

    def _stacked(self, name: str) -> pl.DataFrame:
        frames = []
        for run in self._runs:
            labels = [pl.lit(run.seed).alias("seed")]
            labels += [pl.lit(_plain(value)).alias(path) for path, value in run.point.items()]
            frame: pl.DataFrame = getattr(run, name)
            frames.append(frame.select([*labels, pl.all()]))
        return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()


_TYPES: Mapping[str, Any] = {
    "number": pl.Float64,
    "share": pl.Float64,
    "integer": pl.Int64,
    "text": pl.String,
    "numbers": pl.List(pl.Float64),
}
"""Of a field's kind, as the core names it, the type of its column."""


def _frame(record: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows with the columns that the core declares, in its order; those that no row has are left out."""
    present = set().union(*rows)
    columns = {
        field["name"]: _TYPES[field["kind"]] for field in _declared(record) if field["name"] in present
    }
    return pl.DataFrame(list(rows), schema=columns)


@lru_cache
def _declared(record: str) -> list[dict[str, Any]]:
    return core.fields()[record]


def _plain(value: Any) -> Any:
    """A swept value as a cell: a table such as {name = "rbcc"} becomes text."""
    return value if isinstance(value, bool | int | float | str) else json.dumps(value)
