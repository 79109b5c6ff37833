"""Tables of a sweep for LaTeX: chosen columns in units of choice, with intervals."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SCENARIO, Command
from test_completions import TRANSFERS

from ackclock import InputError, Scenario
from ackclock._numbers import mean_and_spread

SWEPT = (
    SCENARIO
    + '\n[sweep]\n"dumbbell.bottleneck.rate" = ["1 Mbit/s", "4 Mbit/s"]\n"flows.tcp.control" = ["sack", "cubic"]\n'
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
    assert lines[4].startswith(rf"1 & sack & ${number}$ & $")
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_words_are_escaped() -> None:
    text = SCENARIO + '\n[sweep]\n"name" = ["50 % & more_", "b"]\n'
    assert r"50 \% \& more\_ &" in Scenario.from_text(text).run_many([1]).to_latex("fairness")


def test_headings_are_short_and_may_be_the_users_own() -> None:
    runs = Scenario.from_text(SWEPT).run_many([1])
    assert "& RTT p95 of tcp (ms) &" in runs.to_latex(["rtt_p95_s [ms]", "fairness"])
    with pytest.raises(InputError, match="with_labels sets headings"):
        runs.to_latex({"rtt_p95_s [ms]": "Delay"})  # type: ignore[arg-type]  # it is wrong


def test_each_class_of_sizes_has_a_row() -> None:
    runs = Scenario.from_text(TRANSFERS).run_many(replications=2)
    lines = runs.to_latex(["size_classes.completion_p50_s [ms]", "size_classes.transfers"]).splitlines()
    assert lines[2] == r"Transfers & Completion p50 (ms) & Transfers \\"
    assert [line.partition(" & ")[0] for line in lines[4:-2]] == [
        "mice, up to 1448 B",
        "mice, 1448 B to 14480 B",
        "mice, above 14480 B",
    ]
    assert lines[-3].startswith("mice, above 14480 B & -- & $0")
    summary = runs.summary().row(0, named=True)
    for line, name in zip(lines[4:-3], ("up_to_1448B", "1448B_to_14480B"), strict=True):
        median = 1e3 * summary[f"size_classes.mice.{name}.completion_p50_s"]
        assert float(line.split(" & $")[1].partition(" ")[0]) == pytest.approx(median, rel=0.05)


def test_an_unknown_column_or_unit_is_refused() -> None:
    runs = Scenario.from_text(SWEPT).run_many([1])
    with pytest.raises(InputError, match=r'did you mean "groups\.tcp\.goodput_bps"'):
        runs.to_latex("goodputs_bps")
    with pytest.raises(InputError, match='no metric "p95"; available: rtt_p95_s, one_way_delay_p95_s'):
        runs.to_latex("p95")
    with pytest.raises(InputError, match='has no unit "ms"; available: bit/s, kbit/s, Mbit/s, Gbit/s'):
        runs.to_latex("goodput_bps [ms]")


def test_a_wrong_column_is_told_before_anything_runs(
    ackclock: Command, scenario_file: Path, tmp_path: Path
) -> None:
    scenario_file.write_text(SWEPT)
    for option, word in (("--latex", "p95"), ("--plot", "p95"), ("--latex", "rtt_p95_s [m]")):
        outcome = ackclock("run", scenario_file, "--out", "results", option, word)
        assert (outcome.code, outcome.out) == (2, "")
        assert "rtt_p95_s" in outcome.err
        assert not (tmp_path / "results").exists()


def test_the_command_writes_the_table(ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
    scenario_file.write_text(SWEPT)
    outcome = ackclock("run", scenario_file, "--out", "results", "--latex", "goodput_bps [Mbit/s]")
    assert outcome.code == 0, outcome.err
    assert "wrote results/summary.tex" in outcome.out
    assert "Goodput per flow of tcp (Mbit/s)" in (tmp_path / "results/summary.tex").read_text()
    refused = ackclock("run", scenario_file, "--latex", "fairness")
    assert (refused.code, refused.out) == (2, "")
    assert "--latex: needs --out DIR" in refused.err
