"""Results as pandas frames and as xarray datasets, if these libraries are installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from polars import selectors as cs

from ackclock._libraries import missing
from ackclock._summary import UNITS

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ackclock._sweep import Axis


def to_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """Returns the table as a pandas frame, with types that do not depend on missing values, so that two frames can be
    concatenated.

    InputError without pandas.
    """
    try:
        import pandas as pd
    except ImportError:
        raise missing("a pandas frame needs", "pandas") from None

    # Converts by way of NumPy, because pyarrow may be missing. A missing whole number is <NA>, not a float.
    kinds: Mapping[Any, str] = {
        pl.Int64: "Int64",
        pl.Float64: "float64",
        pl.Boolean: "boolean",
        pl.String: "str",
    }
    return pd.DataFrame(
        {
            name: pd.Series(table[name].to_list(), dtype=kinds.get(table[name].dtype, "object"))
            for name in table.columns
        }
    )


def to_xarray(table: pl.DataFrame, axes: Sequence[Axis], row: str) -> xr.Dataset:
    """Returns the table as a dataset: a dimension for each swept axis, the seed and ``row`` ("flow", "group" or
    "link").

    A sweep whose values were drawn from ranges has no grid: it has one dimension, ``point``, with the values along it.
    Missing runs are nan. InputError without xarray.
    """
    try:
        import xarray as xr
    except ImportError:
        raise missing("an xarray dataset needs", "xarray") from None

    swept = [axis.column for axis in axes]
    along: dict[str, tuple[str, Any]] = {}
    if any(axis.sampled for axis in axes):
        points = table.select(swept).unique(maintain_order=True).with_row_index("point")
        table = table.join(points, on=swept, maintain_order="left")
        along = {column: ("point", points[column].to_numpy()) for column in swept}
        swept = ["point"]
    dims = [*swept, "seed", row]
    table = table.rename({"name": row})
    coordinates = {dim: table[dim].unique(maintain_order=True).to_list() for dim in dims}
    places = tuple(
        table[dim].replace_strict(values, range(len(values)), return_dtype=pl.Int64).to_numpy()
        for dim, values in coordinates.items()
    )
    shape = [len(values) for values in coordinates.values()]
    data = {}
    for name in table.select(cs.numeric(), cs.boolean()).columns:
        if name not in dims and name not in along:
            values = np.full(shape, np.nan)
            values[places] = table[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
            data[name] = (dims, values, _unit(name))
    return xr.Dataset(data, coords={**coordinates, **along})


def _unit(name: str) -> dict[str, str]:
    """Returns the unit that a column's name ends in."""
    ending = next((unit for unit in UNITS if name.endswith(unit)), "")
    unit = {"_bps": "bit/s"}.get(ending, ending.removeprefix("_"))
    return {"units": unit} if unit else {}
