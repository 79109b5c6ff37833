"""A thesis's testbed on real Linux: the runs that are derived from the studies, and the tables of a record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import testbed_measurements as testbed

from ackclock import Scenario
from ackclock import _toml as toml
from ackclock.study.plan import Plan


@pytest.mark.parametrize("figure", testbed.FIGURES)
def test_a_real_run_has_the_study_s_scenario_with_the_kernel_s_hosts(figure: int) -> None:
    plan = Plan(testbed.study(figure), quick=False, sensitivity=False)
    simulated = {run.name: plan.overrides(run, None) for run in plan.runs}
    for case, run in testbed.runs(figure).items():
        study = testbed.applied(toml.loads(run.text), simulated[case])
        assert {key: value for key, value in run.document.items() if key != "flows"} == {
            key: value for key, value in study.items() if key != "flows"
        }
        for real, flow in zip(run.document["flows"], study["flows"], strict=True):
            assert real["transport"] == "linux"
            expected = flow["control"]
            if expected in ("newreno", "sack"):
                expected = "linux:reno"
            assert real == {**flow, "transport": "linux", "control": expected}


def test_the_scenarios_of_real_runs_are_scenarios_and_figures_share_them() -> None:
    by_key = {run.key: run for run in testbed.wanted(testbed.FIGURES)}
    for run in by_key.values():
        Scenario.from_text(run.text, run.overrides, run.file)
    # Figures 13 and 17 are about the same runs, and so are figures 21 to 23 and 33.
    assert {run.key for run in testbed.runs(13).values()} == {run.key for run in testbed.runs(17).values()}
    joined = {run.key for figure in (21, 22, 23) for run in testbed.runs(figure).values()}
    assert joined < {run.key for run in testbed.runs(33).values()}
    # Two flows of TCP-P/1 on 10 Mbit/s, of which figure 12 has the windows.
    assert testbed.runs(12)["tcp-p"].key == testbed.runs(11)["tcp-p-10[2]"].key


def run_of(parallel: float, single: float) -> dict[str, Any]:
    flows = [("parallel-1", "parallel", parallel), ("single", "single", single)]
    return {
        "flows": [{"name": name, "group": group, "goodput_bps": rate} for name, group, rate in flows],
        "over_time": {"collateral": 40.0, "single_collateral": 1.0},
        "controls": [{"in_time": 3, "late": 1, "reno": 0}],
        "late_p99_s": 50e-6,
        "late_max_s": 2e-3,
    }


def test_the_tables_put_thesis_study_simulation_and_real_runs_side_by_side() -> None:
    real = [run_of(4.6e6, 4.9e6), run_of(4.8e6, 4.7e6)]
    known = {
        testbed.runs(12)["tcp-p"].key: {"real": real, "simulated": [run_of(4.5e6, 5e6)], "invalid": ["late"]}
    }
    text = testbed.figure_part(12, known)
    claim = next(line for line in text.splitlines() if line.startswith("| The single flow gets 4.78"))
    thesis, study, simulated, measured, holds = (cell.strip() for cell in claim.strip("|").split("|")[1:])
    # The means of 4.9 and 4.7 Mbit/s is 4.8, within 10 % of 4.78.
    assert (thesis, simulated, measured, holds) == ("4.78", "5", "4.8", "yes")
    assert study == "–" or float(study) > 0
    assert "4.50 / 4.60–4.80" in text
    assert "| 75.0 | 0.05, 2.00 | 1 |" in text
    assert text.endswith("Invalid: `tcp-p`: late.")
    assert testbed.figure_part(12, {}) == "Not run yet."


def test_a_claim_about_a_case_that_was_not_run_is_left_out() -> None:
    run = run_of(4e6, 5e6)
    known = {testbed.runs(14)["tcp-p-1"].key: {"real": [run], "simulated": [run], "invalid": []}}
    assert "standard flow" not in testbed.figure_part(14, known)
