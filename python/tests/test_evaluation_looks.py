"""Runs of an evaluation by looks: which go on, and that the verdicts are those of all seeds."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from conftest import EVALUATED

from ackclock import _archive
from ackclock.evaluation import contenders, files, renewal, run
from ackclock.evaluation.document import scenario_document
from ackclock.evaluation.judge import Judged, findings
from ackclock.evaluation.language import TESTED
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.planning import going_on
from ackclock.evaluation.result import ScenarioResult
from ackclock.evaluation.words import CONCERN, OK, UNDECIDED
from ackclock.experiment.looks import Looks
from ackclock.schemas.experiment import FindingRecord

ERROR = Looks.until(10).error(3)
"""0.01 times the root of 1/3 is 0.0058."""


def at_first_look(text: str, own: Sequence[Sequence[float]]) -> tuple[list[Judged], set[tuple[str, int]]]:
    """What the first three seeds of two settings give, where CUBIC has a delay of 10 ms, and what goes on."""
    loaded = files.parse(text, "small.toml")
    measured = Measured(list(loaded.about.settings(quick=False)), range(10))
    for setting, values in enumerate(own):
        measured.values[TESTED, setting, "delay"] = np.array([*values, *[np.nan] * 7])
        measured.values["cubic", setting, "delay"] = np.full(10, 10.0)
        measured.fewer |= {(TESTED, setting): 3, ("cubic", setting): 3}
    found = findings(loaded, measured, ["cubic"], ERROR)
    return found, going_on(found)


SURE, UNSURE = [5.0, 5.1, 5.2], [9.0, 10.0, 11.5]
BAD = [20.0, 20.1, 20.2]
BOTH = {(TESTED, 0), ("cubic", 0)}


def test_only_what_is_undecided_goes_on() -> None:
    found, on = at_first_look(EVALUATED, [UNSURE, SURE])
    assert [(one.verdict, one.open) for one in found] == [(UNDECIDED, True), (OK, False)]
    assert on == BOTH


def test_a_look_decides_at_its_own_error() -> None:
    # Logarithms of ratios to CUBIC of -0.24, -0.22 and -0.02 have the mean -0.16 and the deviation 0.12: t = (0.16 +
    # ln 1.05) / (0.12 / root 3) = 3.0, with a one-sided p of 0.049 at two degrees of freedom; 9.2 would be 0.0058.
    near = [10 * np.exp(-0.24), 10 * np.exp(-0.22), 10 * np.exp(-0.02)]
    found, on = at_first_look(EVALUATED, [near, SURE])
    assert (found[0].verdict, on) == (UNDECIDED, BOTH)


def test_a_condition_that_is_surely_a_concern_is_not_followed_elsewhere() -> None:
    found, on = at_first_look(EVALUATED, [UNSURE, BAD])
    assert [one.verdict for one in found] == [UNDECIDED, CONCERN]
    assert on == set()


RATIO = 'limit = { measure = "ratio", high = 1.05 }'


def test_runs_that_may_be_outside_are_followed_where_a_rate_is_judged() -> None:
    rate = EVALUATED.replace(RATIO, 'limit = { measure = "rate", high = 30, runs = 0.05 }')
    # 10, 11 and 12 reach 11 + t * 1 * root (4/3), where t is that of an error of 0.025 over 7 runs at two degrees of
    # freedom, 11.8: at most 24.7. With twice the deviation it is 38.3. Only the control itself has to go on.
    assert at_first_look(rate, [[10.0, 11.0, 12.0], SURE])[1] == set()
    assert at_first_look(rate, [[9.0, 11.0, 13.0], SURE])[1] == {(TESTED, 0)}
    # Beside a reference both go on.
    beside = rate.replace("runs = 0.05", "runs = 0.05, beside = true")
    assert at_first_look(beside, [[9.0, 11.0, 13.0], SURE])[1] == BOTH


def test_what_is_surely_met_beside_one_reference_does_not_go_on_for_another() -> None:
    loaded = files.parse(EVALUATED, "small.toml")
    measured = Measured(list(loaded.about.settings(quick=True)), range(10))
    for name, values in ((TESTED, SURE), ("cubic", [5.0, 5.6, 4.4]), ("sack", [9.0, 9.1, 9.2])):
        measured.values[name, 0, "delay"] = np.array(values)
        measured.fewer[name, 0] = 3
    (found,) = findings(loaded, measured, ["cubic", "sack"], ERROR)
    assert [one.word for one in found.beside] == [UNDECIDED, OK]
    assert (found.verdict, going_on([found])) == (OK, set())


def test_a_run_with_looks_makes_fewer_runs_and_finds_the_same() -> None:
    # CUBIC is compared with itself: every ratio is 1 in every run, which is decided with three seeds.
    loaded = files.parse(EVALUATED, "small.toml")
    cubic = contenders.contender("cubic")
    made = run.evaluate(run.Plan(cubic, [cubic], [loaded], quick=False, seeds=10))
    assert made.runs == 2 * 3
    (result,) = made.family("N-02").scenarios
    document = scenario_document(result, ["cubic"])
    assert [len(one["tested"]["delay"]) for one in document["settings"]] == [3, 3]
    assert result.verdict == OK
    # What was judged is recorded as in every document.
    for one in document["findings"]:
        recorded = FindingRecord.model_validate(one["finding"])
        assert (recorded.measured, recorded.high) == (
            "max(delay('tested'), 0.0) / max(delay('cubic'), 0.0)",
            1.05,
        )
        assert (recorded.result, recorded.estimate, recorded.seeds) == ("met", 1.0, 3)
    # A quick evaluation has a single look.
    assert run.evaluate(run.Plan(cubic, [cubic], [loaded], quick=True, seeds=10)).runs == 10


@pytest.mark.parametrize(
    "control",
    [
        pytest.param(one, marks=() if one == "rbcc" else pytest.mark.nightly)
        for one in ("bbrv3", "copa", "rbcc")
    ],
)
def test_the_verdicts_of_a_recorded_control_are_those_of_all_seeds(control: str) -> None:
    record = json.loads(_archive.evaluation_text(control) or "")
    references, looks = record["references"], Looks.until(len(record["seeds"]))
    seats = followed = 0
    for criterion in record["criteria"]:
        for one in criterion["scenarios"]:
            loaded = files.load(one["name"])
            measured = renewal.samples_of(one, record)
            whole = ScenarioResult(loaded, measured, findings(loaded, measured, references)).verdict
            wanted = set(measured.fewer)
            for look in looks.seeds:
                measured.fewer |= dict.fromkeys(wanted, look)
                if look != looks.seeds[-1]:
                    wanted &= going_on(findings(loaded, measured, references, looks.error(look)))
            looked = ScenarioResult(loaded, measured, findings(loaded, measured, references)).verdict
            assert looked == whole, one["name"]
            seats += len(measured.fewer)
            followed += len(wanted)
    # All seeds are needed of 1 % of RBCC's, 10 % of Copa's, 19 % of BBRv3's contenders and settings.
    assert followed < 0.25 * seats
