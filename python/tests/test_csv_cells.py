"""CSV that a spreadsheet opens: names of users are no formulas, and numbers stay numbers."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import polars as pl
import pytest
from conftest import SCENARIO, replaced

import ackclock
from ackclock import Scenario
from ackclock._csv_cells import inert

PACKAGE = Path(ackclock.__file__).parent
NAMES = ["=1+1", "+x", "-x", "@SUM(A1)", "=cmd|' /C calc'!A0"]


def cells(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def formulas(path: Path) -> list[str]:
    return [cell for cell in cells(path) if cell[:1] in tuple("=+-@\t\r") and not is_number(cell)]


def test_texts_are_quoted_and_numbers_are_not() -> None:
    texts = ["=1+1", "+a", "-a", "@a", "\ta", "\ra", "-1", "+1.5e3", "-.5", "a=1", "", None, "'=1"]
    table = inert(pl.DataFrame({"=head": texts, "number": [-1.0] * len(texts), "whole": [-1] * len(texts)}))
    assert table.columns == ["'=head", "number", "whole"]
    expected = ["'=1+1", "'+a", "'-a", "'@a", "'\ta", "'\ra", "-1", "+1.5e3", "-.5", "a=1", "", None, "'=1"]
    assert table["'=head"].to_list() == expected
    assert set(table["number"]) == {-1.0}
    assert set(table["whole"]) == {-1}
    assert inert(table).equals(table)


@pytest.mark.parametrize("name", NAMES)
def test_no_table_of_a_run_has_a_formula(tmp_path: Path, name: str) -> None:
    text = replaced(SCENARIO, ('name = "tcp"', f'name = "{name}"'), ('"5 s"', '"1 s"'))
    runs = Scenario.from_text(
        f'{text}\n[sweep]\nname = ["{name}", "plain"]\n"flows.0.control" = ["cubic", "reno"]\n'
    ).run_many(series=True)
    written = [path for path in runs.write(tmp_path) if path.suffix == ".csv"]
    assert {"flows.csv", "groups.csv", "summary.csv"} <= {path.name for path in written}
    assert [cell for path in written for cell in formulas(path)] == []
    assert f"'{name}" in cells(tmp_path / "summary.csv")
    assert f"'{name}-1" in cells(tmp_path / "flows.csv")
    # Parquet has the names as they are.
    assert name in pl.read_parquet(tmp_path / "groups.parquet")["name"].to_list()
    assert is_number(cells(tmp_path / "flows.csv")[-1]) or cells(tmp_path / "flows.csv")[-1] == ""

    (log,) = Scenario.from_text(text).export(tmp_path, "events=csv")
    assert formulas(log.path) == []
    figure = runs.plot("goodput_bps").save(tmp_path / "figure.csv")
    assert formulas(figure) == []


def test_every_table_that_is_written_is_inert() -> None:
    written = [
        (path.name, line.strip())
        for path in PACKAGE.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\.write_csv|csv\.writer|to_csv", line)
    ]
    assert len(written) >= 4
    assert [one for one in written if "inert(" not in one[1]] == []
