"""Values over time: the series of a run as columns."""

from __future__ import annotations

import fnmatch
import io
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

# Most of those who load this module only ask whether something is a ``Series``.
if TYPE_CHECKING:
    import polars as pl

Vector = npt.NDArray[np.float64]
Kind = Literal["flows", "links"]
KINDS: tuple[Kind, ...] = ("flows", "links")
TIME = "time_s"


class Series:
    """The series of one run.

    A table of numbers with a row for each time and the columns ``time_s``, ``flows.FLOW.QUANTITY`` and
    ``links.LINK.QUANTITY``, null if there was nothing to sample. No name of a flow, link or quantity has a dot.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    @classmethod
    def from_core(cls, columns: Any) -> Series:
        """Returns series from the core's output: any object of the Arrow PyCapsule interface. Nothing is copied."""
        import polars as pl

        return cls(pl.DataFrame(columns))

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Series:
        """Returns series from the output of ``document``."""
        import polars as pl

        columns = {TIME: document[TIME]}
        for kind in KINDS:
            for owner, quantities in document[kind].items():
                columns |= {f"{kind}.{owner}.{quantity}": values for quantity, values in quantities.items()}
        return cls(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Series:
        """Returns series from the output of ``to_bytes``. ValueError for other bytes."""
        import polars as pl

        try:
            return cls(pl.read_ipc(io.BytesIO(data), use_pyarrow=False))
        except pl.exceptions.PolarsError as error:
            raise ValueError(str(error)) from None

    def to_bytes(self) -> bytes:
        """Returns the series as a file in the Arrow IPC format."""
        file = io.BytesIO()
        # lz4 would take a third of the time and 50 % more room.
        self.frame.write_ipc(file, compression="zstd")
        return file.getvalue()

    def document(self) -> dict[str, Any]:
        """Returns the series as in the JSON of a run: lists by flow or link and quantity, None if there was nothing
        to sample.
        """
        lists: dict[str, Any] = {TIME: self.frame[TIME].to_list()}
        for kind in KINDS:
            lists[kind] = {
                owner: {quantity: self._column(kind, owner, quantity).to_list() for quantity in quantities}
                for owner, quantities in self._places[kind].items()
            }
        return lists

    @cached_property
    def time_s(self) -> Vector:
        """The sampling times in seconds."""
        return self.frame[TIME].to_numpy()

    def paths(self) -> Sequence[str]:
        """Returns ``flows.FLOW.QUANTITY`` or ``links.LINK.QUANTITY`` of every series."""
        return [column for column in self.frame.columns if column != TIME]

    def owners(self, kind: str) -> Sequence[str]:
        """Returns the names of the flows or links that have series."""
        return list(self._places.get(kind, ()))

    def quantities(self, kind: str, owner: str) -> Sequence[str]:
        """Returns the quantities of a flow or link. KeyError when it has no series."""
        return self._places[kind][owner]

    def values(self, kind: str, owner: str, quantity: str) -> Vector:
        """Returns one series, nan if there was nothing to sample."""
        return self._column(kind, owner, quantity).to_numpy()

    def samples(self, kind: str, owner: str, quantity: str) -> list[float | None]:
        """Returns one series as a list, None if there was nothing to sample."""
        return self._column(kind, owner, quantity).to_list()

    def chosen(self, paths: Iterable[str]) -> Series:
        """Returns a copy of only the series with these names, in which a flow or link may be a pattern."""
        import polars as pl

        kept = {TIME: self.time_s.copy()}
        for path in paths:
            of, pattern, wanted = path.split(".")
            for owner, quantities in self._places.get(of, {}).items():
                if wanted in quantities and (owner == pattern or fnmatch.fnmatchcase(owner, pattern)):
                    # Copies the column, because while one of the core's columns is in use, all of them stay in memory.
                    kept[f"{of}.{owner}.{wanted}"] = self._column(of, owner, wanted).to_numpy().copy()
        return Series(pl.DataFrame(kept, nan_to_null=True))

    @cached_property
    def _places(self) -> dict[str, dict[str, list[str]]]:
        """Returns the quantities by kind and owner."""
        places: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
        for path in self.paths():
            kind, owner, quantity = path.split(".")
            places[kind].setdefault(owner, []).append(quantity)
        return places

    def _column(self, kind: str, owner: str, quantity: str) -> pl.Series:
        return self.frame[f"{kind}.{owner}.{quantity}"]


def as_document(result: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a result as published: its series as lists."""
    series = result.get("series")
    return {**result, "series": series.document() if isinstance(series, Series) else series}
