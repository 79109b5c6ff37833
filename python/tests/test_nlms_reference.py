"""The reference for the normalised-LMS predictor: what is stored is what padasip makes."""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "reference" / "nlms"
READINGS = ["delayed", "current-weights", "current-regressor"]


def table(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@pytest.mark.parametrize("name", ["series.csv", "weights.csv"])
def test_padasip_makes_the_stored_tables_again(tmp_path: Path, name: str) -> None:
    runpy.run_path(str(FOLDER / "generate.py"))["main"](tmp_path)
    stored, again = table(FOLDER / name), table(tmp_path / name)
    assert list(stored) == list(again)
    for column, values in stored.items():
        np.testing.assert_allclose(again[column], values, rtol=1e-11, atol=1e-11)


def test_showing_padasip_late_pairs_is_its_own_run_over_them() -> None:
    """Fifteen samples late, pair by pair, is what padasip's loop does with the matrix of all pairs."""
    generate = runpy.run_path(str(FOLDER / "generate.py"))
    samples, horizon = generate["series"](), generate["HORIZON"]
    whole = generate["nlms"]()
    whole.run(np.array(samples[horizon:], dtype=float), generate["regressors"](samples)[:-horizon])
    np.testing.assert_allclose(table(FOLDER / "weights.csv")["current-weights"], whole.w, rtol=1e-11)


def test_the_readings_differ_by_far_more_than_they_are_compared_to() -> None:
    """A tolerance of 1e-9 can tell one reading from another."""
    weights = table(FOLDER / "weights.csv")
    assert list(weights) == READINGS
    for one, other in zip(READINGS, READINGS[1:] + READINGS[:1], strict=True):
        assert np.abs(weights[one] - weights[other]).max() > 1e-4
