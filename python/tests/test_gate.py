"""Gates, which decide the exit code: expectations about runs, and verdicts on claims and criteria."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SCENARIO, Command, replaced

from ackclock import Scenario
from ackclock._expect import Expectation, sentence, value
from ackclock.cli.gate import fail_on
from ackclock.errors import InputError, RunError
from ackclock.experiment.model import Result
from ackclock.study.records import result_of
from ackclock.study.result import ClaimResult, OtherResult


@pytest.mark.parametrize(
    ("text", "column", "sign", "bound"),
    [
        ("flows.mine.rtt_p95_s < 0.08", "flows.mine.rtt_p95_s", "<", 0.08),
        ("fairness>=0.9", "fairness", ">=", 0.9),
        (" links.bottleneck.utilisation <= 1e-1 ", "links.bottleneck.utilisation", "<=", 0.1),
    ],
)
def test_an_expectation_is_read(text: str, column: str, sign: str, bound: float) -> None:
    assert Expectation.read(text) == Expectation(column, sign, bound)


@pytest.mark.parametrize(
    "text", ["fairness", "fairness = 1", "0.9 < fairness < 1", "fairness < 80 ms", "x < nan"]
)
def test_another_form_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"flows\.cubic\.rtt_p95_s < 0\.08"):
        Expectation.read(text)


def test_one_run_decides_by_its_value() -> None:
    for text, holds in (
        ("x < 2", Result.NOT_MET),
        ("x <= 2", Result.MET),
        ("x > 2", Result.NOT_MET),
        ("x >= 2", Result.MET),
    ):
        assert Expectation.read(text).finding([2.0]).result is holds
    assert Expectation.read("x < 2").finding([None]).result is Result.NOT_MET


def test_replications_decide_by_their_interval() -> None:
    # Mean 2, deviation 1, t(2) = 4.3027: the interval is 2 ± 2.484.
    found = [1.0, 2.0, 3.0]
    assert Expectation.read("x < 4.49").finding(found).result is Result.MET
    undecided = Expectation.read("x < 4.48").finding(found)
    assert undecided.result is Result.UNDECIDED
    assert not undecided.met
    assert "2 ± 2" in sentence(undecided)
    assert "would decide" in sentence(undecided)
    assert Expectation.read("x < -0.49").finding(found).result is Result.NOT_MET


def test_a_met_expectation_leaves_the_exit_code(ackclock: Command, scenario_file: Path) -> None:
    outcome = ackclock("run", scenario_file, "--expect", "links.bottleneck.utilisation > 0.5")
    assert (outcome.code, outcome.err) == (0, "")
    assert "the expectation links.bottleneck.utilisation > 0.5 holds: measured 0." in outcome.out


def test_an_unmet_expectation_exits_with_1(ackclock: Command, scenario_file: Path) -> None:
    flow = json.loads(ackclock("run", scenario_file, "--json").out)["flows"][1]
    bound = flow["rtt_p95_s"] / 2
    # A flow of a group has its own value.
    outcome = ackclock(
        "run",
        scenario_file,
        "--json",
        "--expect",
        f"flows.tcp-2.rtt_p95_s < {bound}",
        "--expect",
        "fairness > 0",
    )
    assert outcome.code == 1
    assert json.loads(outcome.out)["flows"][1] == flow
    assert "does not hold: measured 0." in outcome.err
    assert "one run, so no interval" in outcome.err
    assert "error: --expect: 1 of 2 expectations not met" in outcome.err


@pytest.mark.parametrize("text", ["x < 9", "x <= 9", "x > 0", "x >= 0"])
@pytest.mark.parametrize("found", [[None], [1.0, None], [1.0, 1.0, None], [None, None, 2.0], [1.0, math.nan]])
def test_a_run_without_a_sample_keeps_to_no_bound(text: str, found: list[float | None]) -> None:
    outcome = Expectation.read(text).finding(found)
    assert not outcome.met
    assert "the quantity has no value in" in sentence(outcome)


@pytest.mark.parametrize("column", ["groups.tcp.rtt_p50_s", "flows.tcp.rtt_p50_s"])
def test_a_flow_without_a_sample_leaves_its_group_without_one(
    ackclock: Command, scenario_file: Path, column: str
) -> None:
    # The run lasts for 5 s, so some of the 16 flows never begin and have no round trip; the mean of the others, below a
    # tenth of the bound, says nothing of them.
    scenario_file.write_text(
        replaced(SCENARIO, ("count = 2", "count = 16"), ('"0 s", "0.5 s"', '"0 s", "20 s"'))
    )
    outcome = ackclock("run", scenario_file, "--expect", f"{column} < 10")
    assert outcome.code == 1
    assert f"{column} < 10 does not hold: the quantity has no value in any run" in outcome.err


def test_a_field_of_a_group_is_the_groups_own(ackclock: Command, scenario_file: Path) -> None:
    # Two flows: the total is twice their mean, and the share of the only group is 1.
    result = Scenario.from_file(scenario_file).run(seed=1).result
    total = sum(flow["goodput_bps"] for flow in result["flows"])
    assert value("groups.tcp.goodput_bps", result) == pytest.approx(total)
    assert value("flows.tcp.goodput_bps", result) == pytest.approx(total / 2)
    assert value("groups.tcp.goodput_share", result) == 1
    # A field that only flows have is the mean over the group's flows.
    assert value("groups.tcp.timeouts", result) == value("flows.tcp.timeouts", result)
    bound = f"groups.tcp.goodput_bps > {0.9 * total}"
    assert (
        ackclock("run", scenario_file, "--expect", bound, "--expect", "groups.tcp.goodput_share >= 1").code
        == 0
    )


def test_the_outcome_has_the_interval_over_the_replications(ackclock: Command, scenario_file: Path) -> None:
    outcome = ackclock(
        "run", scenario_file, "--replications", "3", "--expect", "groups.tcp.goodput_bps > 5e6"
    )
    assert outcome.code == 1
    assert "95 % interval" in outcome.err
    assert "3 replications" in outcome.err


def test_every_point_of_a_sweep_is_judged(ackclock: Command, scenario_file: Path) -> None:
    scenario_file.write_text(SCENARIO + '\n[sweep]\n"dumbbell.bottleneck.rate" = ["1 Mbit/s", "4 Mbit/s"]\n')
    outcome = ackclock("run", scenario_file, "--expect", "flows.tcp.goodput_bps > 7e5")
    assert outcome.code == 1
    assert "(at bottleneck_rate = 1 Mbit/s)" in outcome.err
    assert "(at bottleneck_rate = 4 Mbit/s)" in outcome.out
    assert "--expect: 1 of 2 expectations not met" in outcome.err


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("flows.tcp.rtt_p59_s", "flows.tcp.rtt_p99_s"),
        ("links.botleneck.utilisation", "links.bottleneck.utilisation"),
        ("fairnes", "fairness"),
    ],
)
def test_an_unknown_column_names_the_nearest(
    ackclock: Command, scenario_file: Path, tmp_path: Path, wrong: str, near: str
) -> None:
    outcome = ackclock("run", scenario_file, "--expect", f"{wrong} < 1")
    assert (outcome.code, outcome.out) == (2, "")
    assert f'no column "{wrong}"; did you mean "{near}"?' in outcome.err
    # Nothing was simulated.
    assert not list(tmp_path.rglob("*.run.zip"))


def test_a_study_fails_on_the_verdicts_named(ackclock: Command, study_file: Path) -> None:
    passed = ackclock("reproduce", study_file, "--quick", "--fail-on", "undecided")
    assert passed.code == 0, passed.err
    failed = ackclock("reproduce", study_file, "--quick", "--json", "--fail-on", "undecided,not as printed")
    assert failed.code == 1
    (claim,) = [
        one for one in json.loads(failed.out)["studies"][0]["claims"] if one["verdict"] == "not as printed"
    ]
    assert f' claim {claim["id"]} has the result "not as printed": expected ' in failed.err
    assert "measured " in failed.err
    assert "error: --fail-on matches the results of 1 of 2 claims" in failed.err


def test_an_unknown_verdict_names_the_nearest(ackclock: Command, study_file: Path) -> None:
    outcome = ackclock("reproduce", study_file, "--fail-on", "not as prinded")
    assert (outcome.code, outcome.out) == (2, "")
    assert 'found "not as prinded", expected one of the verdicts as printed, ' in outcome.err
    assert 'did you mean "not as printed"?' in outcome.err


def test_changed_sees_other_verdicts_and_other_reversing_interpretations(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record says that the initial window reverses the claim's result."""
    claim = ClaimResult("1", "It is fair", None, 0.9, None, "as printed", "")
    found = OtherResult("window", "1 packet", "not as printed", evidence="section 4", differs=True)
    reversed_once = replace(claim, interpretations=(found,))
    kept = replace(claim, interpretations=(replace(found, verdict="as printed", differs=False),))
    recorded = result_of("rbcc/table-4.1")
    assert recorded is not None

    def failing(now: ClaimResult, before: ClaimResult, *, quick: bool = False) -> str:
        monkeypatch.setattr("ackclock.cli.gate.recorded_claims", lambda _: {"1": before})
        try:
            fail_on(["changed"], [replace(recorded, claims=(now,), quick=quick)])
        except RunError:
            return capsys.readouterr().err
        return ""

    other = replace(kept, verdict="undecided")
    assert 'has the result "undecided" (recorded: as printed)' in failing(other, kept)
    assert "reversed by no interpretation (recorded: reversed by: window: 1 packet)" in failing(
        kept, reversed_once
    )
    assert "reversed by: window: 1 packet (recorded: reversed by no interpretation)" in failing(
        reversed_once, kept
    )
    assert not failing(kept, kept)
    # A quick run has too few seeds of interpretations, and without --sensitivity there are none.
    assert not failing(kept, reversed_once, quick=True)
    assert not failing(claim, reversed_once)
