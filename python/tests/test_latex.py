"""Tables of a sweep for LaTeX: chosen columns in units of choice, with intervals."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SCENARIO, Command

from ackclock import InputError, Scenario
from ackclock.numbers import mean_and_spread

SWEPT = (
    SCENARIO
    + '\n[sweep]\n"dumbbell.bottleneck.rate" = ["1 Mbit/s", "4 Mbit/s"]\n"flows.tcp.control" = ["reno", "cubic"]\n'
)


def test_a_table_has_the_swept_values_and_the_chosen_columns() -> None:
    runs = Scenario.from_text(SWEPT).run_many(replications=3)
    lines = runs.to_latex(["goodput_bps [kbit/s]", "fairness"]).splitlines()
    assert lines[0] == r"\begin{tabular}{llrr}"
    assert (
        lines[2] == r"Bottleneck rate (Mbit/s) & Tcp control & Goodput per flow of tcp (kbit/s) & Fairness \\"
    )
    assert lines[1::3][:2] == [r"\toprule", lines[4]]
    row = runs.summary().row(0, named=True)
    name = "groups.tcp.goodput"
    ends = (row[f"{name}_low_bps"] / 1e3, row[f"{name}_high_bps"] / 1e3)
    number = mean_and_spread(row[f"{name}_bps"] / 1e3, ends).replace("±", r"\pm")
    assert lines[4].startswith(rf"1 & reno & ${number}$ & $")
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_words_are_escaped() -> None:
    text = SCENARIO + '\n[sweep]\n"name" = ["50 % & more_", "b"]\n'
    assert r"50 \% \& more\_ &" in Scenario.from_text(text).run_many([1]).to_latex("fairness")


def test_an_unknown_column_or_unit_is_refused() -> None:
    runs = Scenario.from_text(SWEPT).run_many([1])
    with pytest.raises(InputError, match=r'did you mean "groups\.tcp\.goodput_bps"'):
        runs.to_latex("goodputs_bps")
    with pytest.raises(
        InputError, match="no such unit of the column; there is bit/s, kbit/s, Mbit/s, Gbit/s"
    ):
        runs.to_latex("goodput_bps [ms]")


def test_the_command_writes_the_table(ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
    scenario_file.write_text(SWEPT)
    outcome = ackclock("run", scenario_file, "--out", "results", "--latex", "goodput_bps [Mbit/s]")
    assert outcome.code == 0, outcome.err
    assert "wrote results/points.tex" in outcome.out
    assert "Goodput per flow of tcp (Mbit/s)" in (tmp_path / "results/points.tex").read_text()
    refused = ackclock("run", scenario_file, "--latex", "fairness")
    assert (refused.code, refused.out) == (2, "")
    assert "--latex: needs --out DIR" in refused.err
