"""Values over time: the series of a run as columns."""

from __future__ import annotations

import fnmatch
import io
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

Vector = npt.NDArray[np.float64]
Kind = Literal["flows", "links"]
KINDS: tuple[Kind, ...] = ("flows", "links")
TIME = "time_s"


class Series:
    """The series of one run.

    A table of numbers with a row for each instant and the columns ``time_s``, ``flows.FLOW.QUANTITY`` and
    ``links.LINK.QUANTITY``, null where there was nothing to sample. No name of a flow, link or quantity has a dot.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_core(cls, columns: Any) -> Series:
        """From what the core hands over: any object of the Arrow PyCapsule interface. Nothing is copied."""
        return cls(pl.DataFrame(columns))

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Series:
        """From what ``document`` returns."""
        columns = {TIME: document[TIME]}
        for kind in KINDS:
            for owner, quantities in document[kind].items():
                columns |= {f"{kind}.{owner}.{quantity}": values for quantity, values in quantities.items()}
        return cls(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Series:
        """From what ``to_bytes`` returns. ValueError when it is something else."""
        try:
            return cls(pl.read_ipc(io.BytesIO(data), use_pyarrow=False))
        except pl.exceptions.PolarsError as error:
            raise ValueError(str(error)) from None

    def to_bytes(self) -> bytes:
        """As a file of the Arrow IPC format."""
        file = io.BytesIO()
        # lz4 would take a third of the time and half as much room again.
        self.frame.write_ipc(file, compression="zstd")
        return file.getvalue()

    def document(self) -> dict[str, Any]:
        """As the JSON of a run has it: lists by flow or link and quantity, None where there was nothing to sample."""
        lists: dict[str, Any] = {TIME: self.frame[TIME].to_list()}
        for kind in KINDS:
            lists[kind] = {
                owner: {quantity: self._column(kind, owner, quantity).to_list() for quantity in quantities}
                for owner, quantities in self._places[kind].items()
            }
        return lists

    @cached_property
    def time_s(self) -> Vector:
        """The instants in seconds."""
        return self.frame[TIME].to_numpy()

    def paths(self) -> Sequence[str]:
        """``flows.FLOW.QUANTITY`` and ``links.LINK.QUANTITY`` of every series."""
        return [column for column in self.frame.columns if column != TIME]

    def owners(self, kind: str) -> Sequence[str]:
        """The names of the flows or links that have series."""
        return list(self._places.get(kind, ()))

    def quantities(self, kind: str, owner: str) -> Sequence[str]:
        """What there is of a flow or link. KeyError when it has no series."""
        return self._places[kind][owner]

    def values(self, kind: str, owner: str, quantity: str) -> Vector:
        """One series, nan where there was nothing to sample."""
        return self._column(kind, owner, quantity).to_numpy()

    def samples(self, kind: str, owner: str, quantity: str) -> list[float | None]:
        """One series as a list, None where there was nothing to sample."""
        return self._column(kind, owner, quantity).to_list()

    def chosen(self, paths: Iterable[str]) -> Series:
        """A copy of those series alone that are called so, where a flow or link may be a pattern."""
        kept = {TIME: self.time_s.copy()}
        for path in paths:
            of, pattern, wanted = path.split(".")
            for owner, quantities in self._places.get(of, {}).items():
                if wanted in quantities and (owner == pattern or fnmatch.fnmatchcase(owner, pattern)):
                    # A column of its own: while one column of the core's is in use, all of them stay in memory.
                    kept[f"{of}.{owner}.{wanted}"] = self._column(of, owner, wanted).to_numpy().copy()
        return Series(pl.DataFrame(kept, nan_to_null=True))

    @cached_property
    def _places(self) -> dict[str, dict[str, list[str]]]:
        """The quantities by kind and owner."""
        places: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
        for path in self.paths():
            kind, owner, quantity = path.split(".")
            places[kind].setdefault(owner, []).append(quantity)
        return places

    def _column(self, kind: str, owner: str, quantity: str) -> pl.Series:
        return self.frame[f"{kind}.{owner}.{quantity}"]


def as_document(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result as it is published: its series as lists."""
    series = result.get("series")
    return {**result, "series": series.document() if isinstance(series, Series) else series}
