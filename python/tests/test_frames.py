"""Results for pandas and xarray, and that two of them concatenate."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import SCENARIO, replaced

from ackclock import InputError, Runs, Scenario

SHORT = replaced(SCENARIO, ('duration = "5 s"', 'duration = "0.5 s"'))
LIMITS = '"dumbbell.bottleneck.queue.limit" = ["20 packets", "5 packets"]\n'
GRID = f'[sweep]\n{LIMITS}"flows.tcp.control" = ["reno", "cubic"]\n'
SAMPLES = '[sweep]\n"dumbbell.bottleneck.delay" = { from = "1 ms", to = "9 ms" }\nsamples = { count = 3 }\n'


def runs(sweep: str = "", seeds: int = 2) -> Runs:
    return Scenario.from_text(f"{SHORT}\n{sweep}").run_many(replications=seeds)


@pytest.mark.parametrize("table", ["flows", "links", "groups", "summary"])
def test_pandas_has_the_same_table(table: str) -> None:
    made = runs(GRID)
    ours = made.summary() if table == "summary" else getattr(made, table)
    theirs = made.to_pandas(table)  # type: ignore[arg-type]
    assert list(theirs.columns) == ours.columns
    assert len(theirs) == len(ours)
    for name in ours.columns:
        assert [None if pd.isna(value) else value for value in theirs[name]] == ours[name].to_list()


def test_a_dataset_has_a_dimension_for_each_axis_the_seed_and_the_flow() -> None:
    made = runs(GRID)
    data = made.to_xarray()
    assert dict(data.sizes) == {"limit_packets": 2, "tcp_control": 2, "seed": 2, "flow": 2}
    assert data["goodput_bps"].attrs == {"units": "bit/s"}
    row = made.flows.filter(limit_packets=5, tcp_control="cubic", seed=2, name="tcp-2")
    found = data["goodput_bps"].sel(limit_packets=5, tcp_control="cubic", seed=2, flow="tcp-2")
    assert float(found) == row["goodput_bps"][0]
    assert not np.isnan(data["goodput_bps"]).any()


def test_samples_have_one_dimension() -> None:
    made = runs(SAMPLES, seeds=1)
    data = made.to_xarray("links")
    assert data.sizes["point"] == 3
    assert data["delay_s"].dims == ("point",)
    first = made[0]
    there = data["utilisation"].sel(seed=first.seed, link="bottleneck").isel(point=0)
    assert float(there) == first.links.filter(name="bottleneck")["utilisation"][0]
    assert float(data["delay_s"][0]) == first.cells["delay_s"]


def test_without_a_sweep_there_are_the_seed_and_the_flow() -> None:
    assert dict(runs().to_xarray("groups").sizes) == {"seed": 2, "group": 1}


def test_two_results_concatenate() -> None:
    """Whether a value is whole, missing or swept in one of them and not in the other."""
    other = GRID.replace('"20 packets", "5 packets"', '"7 packets"')
    one, two = runs(GRID), runs(other, seeds=1)
    for table in ("flows", "links", "groups"):
        together = pl.concat([getattr(one, table), getattr(two, table)])
        assert len(together) == len(getattr(one, table)) + len(getattr(two, table))
        frames = [made.to_pandas(table) for made in (one, two)]  # type: ignore[arg-type]
        assert pd.concat(frames).dtypes.equals(frames[0].dtypes)
    # One replication has no interval, which is null and still a number.
    assert len(pl.concat([one.summary(), two.summary()])) == 6


def test_whole_values_of_one_sweep_concatenate_with_fractions_of_another() -> None:
    for path, values, others in (
        ("dumbbell.bottleneck.rate", '["5 Mbit/s"]', '["1.2345678 Mbit/s"]'),
        ("flows.tcp.control.increase", "[1, 2]", "[1.5]"),
    ):
        tables = [runs(f'[sweep]\n"{path}" = {written}\n', seeds=1).flows for written in (values, others)]
        assert tables[0].schema == tables[1].schema


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_without_the_library_the_way_is_told(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = runs(seeds=1)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        InputError, match=rf"needs {library}, which is not installed: .* -m pip install {library}$"
    ):
        getattr(made, f"to_{library}")()


def test_an_unknown_table_is_refused() -> None:
    made = runs(seeds=1)
    with pytest.raises(InputError, match='no table is called "flow"'):
        made.to_pandas("flow")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected flows, links or groups"):
        made.to_xarray("summary")
