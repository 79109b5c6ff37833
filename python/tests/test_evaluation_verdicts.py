"""How an evaluation judges samples."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from ackclock.evaluation import files, judge, limits, result
from ackclock.evaluation.language import SOLO, TESTED, ScenarioFile
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.spelling import compared, in_lines
from ackclock.evaluation.words import AS_STANDARD, CONCERN, NO_LIMIT, NOT_EVALUATED, OK, UNDECIDED, worst


def judged(
    limit: dict[str, Any] | str | None,
    own: list[float],
    other: list[float] | None = None,
    third: list[float] | None = None,
    *,
    better: str = "less",
    seeds: int = 0,
) -> judge.Judged:
    """The finding of one limit over these samples of a metric, beside CUBIC and Reno; more ``seeds`` are to come."""
    criteria = [] if limit is None else [{"metric": "m", "limit": limit}]
    document = {
        "family": "N-07",
        "title": "t",
        "summary": "s",
        "metrics": [{"id": "m", "label": "m", "unit": "ms", "expr": "fairness", "better": better}],
        "criteria": criteria,
        "solo": {"set": {}},
        "scenario": {},
    }
    about = ScenarioFile.model_validate(document)
    loaded = files.Loaded("small", about, files.extracted("", {}, "small"), "")
    samples = Measured(list(about.settings(quick=True)), range(max(seeds, len(own))))
    for name, values in ((TESTED, own), ("cubic", other or own), (SOLO, [1.0] * len(own)), ("sack", third)):
        if values is not None:
            samples.values[name, 0, "m"] = np.array(values)
            samples.fewer[name, 0] = len(values)
    references = ["cubic"] if third is None else ["cubic", "sack"]
    (found,) = judge.findings(loaded, samples, references)
    return found


def value(**ends: float) -> dict[str, Any]:
    """A limit on the metric itself."""
    return {"measure": "value", **ends}


def test_a_verdict_needs_the_whole_interval() -> None:
    limit = value(high=10)
    assert judged(limit, [8, 8.1, 8.2]).verdict == OK
    assert judged(limit, [12, 12.1, 12.2]).verdict == CONCERN
    # The mean is inside, and so would a guess be; the interval is not.
    assert judged(limit, [2, 9, 16]).verdict == UNDECIDED
    # Without a limit there is nothing to judge.
    assert judged(None, [12, 12.1, 12.2]).verdict == NO_LIMIT


def test_a_failed_run_in_the_setting_to_compare_with_is_a_concern() -> None:
    loaded = files.load("N-13-jitter")
    samples = Measured(list(loaded.about.settings(quick=True)), range(3))
    for contender in (TESTED, "cubic"):
        for setting, _ in enumerate(samples.settings):
            samples.values[contender, setting, "goodput"] = np.full(3, 10.0)
    samples.values[TESTED, 0, "goodput"] = np.full(3, math.nan)
    samples.failures |= {(0, seed): "it ended its process" for seed in range(3)}
    found = judge.findings(loaded, samples, ["cubic"])
    reason = "3 of 3 runs failed: it ended its process"
    assert found
    assert all((one.verdict, one.reason) == (CONCERN, reason) for one in found)
    whole = result.ScenarioResult(loaded, samples, found)
    assert whole.verdict == CONCERN
    assert result.sentence([whole]) == "3 of 9 runs failed: it ended its process."


@pytest.mark.parametrize(
    ("left", "equal", "verdict"),
    [
        # An equal share is 5, of which nine tenths are 4.5; beside the reference the others have all of 10.
        ([4.6, 4.6, 4.6], 5, OK),
        ([4.4, 4.4, 4.4], 5, CONCERN),
        # The path carries 20 with the control, because the others cannot fill it: an equal share is 10.
        ([4.6, 4.6, 4.6], 10, CONCERN),
        # It carries 2 with the control: what matters is an equal share of the 10 with the reference.
        ([1, 1, 1], 1, CONCERN),
        # 5 in the mean, and not surely 4.5: 5 plus and minus 2.5.
        ([4, 5, 6], 5, CONCERN),
        # The harm is 0.25 plus and minus 0.25, so that it is undecided: perhaps not above 0.1.
        ([6.5, 7.5, 8.5], 5, OK),
        ([6.5, 7.5, 8.5], 9, UNDECIDED),
    ],
)
def test_an_equal_share_is_no_harm(left: list[float], equal: float, verdict: str) -> None:
    for excused in ("equal", ""):
        about = of_harm({"equal": excused})
        samples = Measured(list(about.settings(quick=True)), range(3))
        samples.values[TESTED, 0, "left"] = np.array(left)
        samples.values[TESTED, 0, "equal"] = np.full(3, equal)
        samples.values["cubic", 0, "left"] = samples.values[SOLO, 0, "left"] = np.full(3, 10.0)
        samples.values["cubic", 0, "equal"] = np.full(3, 5.0)
        loaded = files.Loaded("small", about, files.extracted("", {}, "small"), "")
        found, *_ = judge.findings(loaded, samples, ["cubic"])
        if excused:
            assert found.verdict == verdict
            assert (found.reason == "other flows keep at least 90 % of an equal share") == (verdict == OK)
        else:
            # Without it, none of them is excused.
            assert found.verdict in (CONCERN, UNDECIDED)


def of_harm(change: dict[str, Any]) -> ScenarioFile:
    """A scenario whose condition is on the harm to what others have left, of which an equal share is no harm."""
    metrics = [("left", "more"), ("equal", "neither"), ("delay", "less")]
    criterion = {"metric": "left", "limit": "harm", "equal": "equal", **change}
    return ScenarioFile.model_validate(
        {
            "family": "N-07",
            "title": "t",
            "summary": "s",
            "metrics": [{"id": id, "label": id, "expr": "fairness", "better": of} for id, of in metrics],
            "criteria": [criterion],
            "solo": {"set": {}},
            "scenario": {},
        }
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": "goodput"}, '`equal` is only for a limit with measure = "harm"'),
        ({"equal": "equel"}, 'there is no metric "equel"'),
        ({"metric": "delay"}, '`equal` needs a metric with better = "more"'),
        ({"limit": "harn"}, 'there is no limit "harn"; did you mean "harm"?'),
        ({"limit": {"measure": "ratio"}, "equal": ""}, "expected `low`, `high` or both, found neither"),
        (
            {"limit": {"measure": "ratio", "low": 1, "beside": True}, "equal": ""},
            "ratio already compares with a reference",
        ),
        (
            {"limit": {"measure": "value", "low": 1, "runs": 0.1}, "equal": ""},
            '`runs` is only for measure = "rate"',
        ),
        (
            {"limit": {"measure": "value", "low": 1, "floor": 1}, "equal": ""},
            '`floor` is only for measure = "ratio"',
        ),
        ({"limit": "steady", "equal": ""}, "needs `against`"),
    ],
)
def test_a_limit_that_means_nothing_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        of_harm(change)


def test_every_limit_has_a_reason_and_is_used() -> None:
    named = limits.known()
    used = {
        one.name
        for scenario in (files.load(name) for name in files.names())
        for one in scenario.about.criteria
    }
    assert used == set(named)
    assert all(limit.reason for limit in named.values())


def test_the_rate_of_runs_outside_is_judged_with_its_interval() -> None:
    starved = {"measure": "rate", "low": 0.05, "runs": 0.05}
    # Clopper and Pearson: the lower end is 1 - 0.975^(1/n) for 1 of n, which is 0.25 % of 10 and 0.5 % of 5.
    for outside, word in ((0, OK), (1, UNDECIDED), (2, UNDECIDED), (3, CONCERN)):
        runs = [0.01] * outside + [0.7] * (10 - outside)
        assert judged(starved, runs, [0.6] * 10).verdict == word
    # Of 3 of 10 the lower end is 6.7 %, of 2 of 5 5.3 %.
    found = judged(starved, [0.01] * 2 + [0.7] * 3, [0.6] * 5)
    assert found.verdict == CONCERN
    assert found.means == {TESTED: 0.4, "cubic": 0.0}
    assert found.finding.interval == pytest.approx((0.0527, 0.8534), abs=1e-4)
    # A reference that starves another as often excuses it.
    beside = judged({**starved, "beside": True}, [0.01] * 3 + [0.7] * 7, [0.7] * 6 + [0.01] * 4)
    assert (beside.verdict, beside.reason) == (AS_STANDARD, "cubic is outside the limit too")
    # A run that may still starve keeps a condition open: 0.1 plus and minus far more than 0.05.
    assert judged(starved, [0.06, 0.1, 0.14], [0.6] * 3, seeds=10).open
    assert not judged(starved, [0.69, 0.7, 0.71], [0.6] * 3, seeds=10).open


def test_the_means_of_a_ratio_are_those_whose_ratio_is_judged() -> None:
    found = judged({"measure": "ratio", "high": 10}, [1.0, 4.0, 16.0], [1.0, 1.0, 8.0])
    assert found.finding.estimate == pytest.approx(2)
    assert found.means[TESTED] == pytest.approx(4)
    assert found.means["cubic"] == pytest.approx(2)
    assert found.allowed == (None, pytest.approx(20))


def test_a_control_that_delivers_nothing_is_a_concern_and_no_gap_in_the_samples() -> None:
    enough = {"measure": "ratio", "low": 0.8}
    nothing = judged(enough, [0.0] * 3, [9.0, 9.1, 9.2])
    assert (nothing.verdict, nothing.finding.estimate) == (CONCERN, None)
    assert nothing.reason == "a value of 0, whereas cubic has a larger one, in 3 of 3 runs"
    # Nor does one run of three disappear, and Reno, which delivers something, does not excuse it.
    one = judged(enough, [0.0, 9.1, 9.2], [9.0, 9.1, 9.2], [1.0, 1.0, 1.0])
    assert (one.verdict, one.reason) == (
        CONCERN,
        "a value of 0, whereas cubic has a larger one, in 1 of 3 runs",
    )
    # Where the reference delivers nothing either it is as the reference.
    both = judged(enough, [0.0] * 3, [0.0] * 3)
    assert (both.verdict, both.reason) == (AS_STANDARD, "a value of 0 in 3 of 3 runs, as with cubic")
    alone = judged(enough, [9.0, 9.1, 9.2], [0.0] * 3)
    assert (alone.verdict, alone.reason) == (
        NO_LIMIT,
        "no comparison possible: the value of cubic is missing or 0",
    )
    # Of a metric that should be small 0 is good, and counts as the floor.
    assert judged({"measure": "ratio", "high": 1.1, "floor": 1}, [0.0] * 3, [5.0, 5.1, 5.2]).verdict == OK
    # What only the reference has is a concern, what neither has is not.
    only = judged(value(high=2), [1.0, math.nan, 1.0], [1.0] * 3)
    assert (only.verdict, only.reason) == (CONCERN, "no value, whereas cubic has one, in 1 of 3 runs")
    neither = judged(value(high=2), [1.0, math.nan, 1.0], [1.0, math.nan, 1.0])
    assert (neither.verdict, neither.reason) == (AS_STANDARD, "no value in 1 of 3 runs, as with cubic")
    assert judged({"measure": "ratio", "high": 2}, [1.0] * 3, [1.0, math.nan, 1.0]).verdict == OK


def test_closed_connections_are_told_with_their_reason() -> None:
    loaded = files.load("N-12")
    settings = list(loaded.about.settings(quick=True))
    samples = Measured(settings, range(2))
    samples.closed |= {
        ("cubic", 0, 0): "too many gaps",
        ("cubic", 1, 1): "too many gaps",
        (TESTED, 0, 0): "idle",
    }
    assert result.ScenarioResult(loaded, samples, []).closed == [
        f"N-12: with cubic, the stack closed a connection in 2 of {2 * len(settings)} runs: too many gaps.",
        f"N-12: with the control, the stack closed a connection in 1 of {2 * len(settings)} runs: idle.",
    ]


def test_ratios_and_differences_are_taken_seed_by_seed() -> None:
    noise = np.array([1.0, 2, 4])
    ratio = judged({"measure": "ratio", "high": 1.5}, list(noise * 1.2), list(noise))
    assert ratio.verdict == OK
    assert ratio.finding.estimate == pytest.approx(1.2)
    difference = judged({"measure": "difference", "high": 0}, list(noise + 1), list(noise))
    assert (difference.verdict, difference.finding.estimate) == (CONCERN, 1)
    assert difference.allowed == (None, pytest.approx(7 / 3))
    # Twice the reference's, or 3: below 1.5 the reference counts as 1.5.
    loss = {"measure": "ratio", "high": 2, "floor": 1.5}
    assert judged(loss, [2.5] * 3, [1.2] * 3).verdict == OK
    assert judged({**loss, "floor": 0.5}, [2.5] * 3, [1.2] * 3).verdict == CONCERN
    assert judged(loss, [2.5] * 3, [1.2] * 3).allowed == (None, 3)


def test_harm_is_compared_with_that_of_the_reference() -> None:
    # Alone 1; with the control 4 (harm 3/4), with the reference 2 (harm 1/2).
    found = judged("harm", [4.0] * 3, [2.0] * 3)
    assert found.finding.estimate == pytest.approx(0.25)
    assert found.verdict == CONCERN
    # A harm of 0.5 and 0.1 is one of 0.6: 1 / (1 - 0.6).
    assert found.allowed == (None, pytest.approx(2.5))
    # Of goodput: alone 1; with the reference 0.5, so that 0.4 is allowed.
    found = judged("harm", [0.45] * 3, [0.5] * 3, better="more")
    assert (found.verdict, found.allowed) == (OK, (pytest.approx(0.4), None))


def test_what_the_reference_does_not_keep_either_is_as_standard_controls() -> None:
    limit = value(high=10, beside=True)
    found = judged(limit, [12.0, 12.1, 12.2], [12.0, 12.2, 12.1])
    assert (found.verdict, found.reason) == (AS_STANDARD, "cubic is outside the limit too")
    assert judged(limit, [12.0, 12.1, 12.2], [9.0] * 3).verdict == CONCERN
    # Distances of 2, 2.1, 2.2 minus 1 in each pair: 1 to 1.2, mean 1.1, surely above 0.
    assert judged(limit, [12.0, 12.1, 12.2], [11.0] * 3).verdict == CONCERN
    # 10 plus and minus 2.48: perhaps outside, which is judged like what is.
    assert judged(limit, [9, 10, 11], [8.0] * 3).verdict == UNDECIDED
    assert judged(limit, [9, 10, 11], [12.0] * 3).verdict == AS_STANDARD
    # A control is like itself, also where its interval lies on both sides.
    wide = [8.0, 10.0, 12.5]
    assert judged(limit, wide, wide).verdict == AS_STANDARD


def test_as_far_outside_as_a_reference_is_as_it() -> None:
    limit = value(high=10, beside=True)
    own = [12.0, 12.1, 12.2]
    # Nearer to the limit than the reference; equally far; and 0.1 farther in the mean, of which two of three seeds
    # say the opposite: (1.2 - 0.2 - 0.7) / 3, with an interval on both sides of 0.
    for other in ([13.0, 13.1, 13.2], own, [10.8, 12.3, 12.9]):
        assert judged(limit, own, other).verdict == AS_STANDARD
    # The second reference is as far outside as the control, though the first is not.
    found = judged(limit, own, [11.0] * 3, own)
    assert (found.verdict, found.decides.reference) == (AS_STANDARD, "sack")
    # Below a lower limit: 3, 3, 3 against 1, 1, 1.
    assert judged(value(low=10, beside=True), [7.0] * 3, [9.0] * 3).verdict == CONCERN
    assert judged(value(low=10, beside=True), [9.0] * 3, [7.0] * 3).verdict == AS_STANDARD
    # Outside on the other side is outside too: 1 below 3, and 1 above 7, of limits that are 3 and 7.
    between = value(low=3, high=7, beside=True)
    assert judged(between, [2.0] * 3, [8.0] * 3).verdict == AS_STANDARD
    assert judged(between, [1.0] * 3, [8.0] * 3).verdict == CONCERN
    # 55.8 s against 54.9 s, of 20 s allowed: outside by 35.8 s and by 34.9 s; a tenth farther is 38.39 s.
    late = value(high=20, beside=True)
    assert judged(late, [55.8] * 3, [54.9] * 3).verdict == AS_STANDARD
    assert judged(late, [58.3] * 3, [54.9] * 3).verdict == AS_STANDARD
    assert judged(late, [58.5] * 3, [54.9] * 3).verdict == CONCERN


def test_the_mildest_word_beside_any_reference_prevails() -> None:
    limit = {"measure": "ratio", "high": 1.05}
    own, cubic, sack = [2.0, 2.1, 2.2], [1.0, 1.0, 1.0], [2.0, 2.1, 2.2]
    assert judged(limit, own, cubic).verdict == CONCERN
    found = judged(limit, own, cubic, sack)
    assert (found.verdict, found.decides.reference) == (OK, "sack")
    assert {one.reference: one.word for one in found.beside} == {"cubic": CONCERN, "sack": OK}
    # A concern beside one and undecided beside another is undecided.
    assert judged(limit, own, cubic, [1.9, 2.1, 2.0]).verdict == UNDECIDED
    # Worse than both.
    assert judged(limit, own, cubic, [1.5, 1.6, 1.7]).verdict == CONCERN


def test_the_sentence_names_the_setting_that_is_farthest_outside_and_the_other_verdicts() -> None:
    document = {
        "family": "N-03",
        "title": "t",
        "summary": "s",
        "axes": [{"name": "flows", "path": "f", "values": [1, 2, 3, 4, 5], "quick": [1, 2, 3, 4, 5]}],
        "metrics": [{"id": "m", "label": "Loss", "unit": "%", "expr": "fairness", "better": "less"}],
        "criteria": [{"metric": "m", "limit": {"measure": "value", "high": 5, "beside": True}}],
        "scenario": {},
    }
    about = ScenarioFile.model_validate(document)
    loaded = files.Loaded("small", about, files.extracted("", {}, "small"), "")
    samples = Measured(list(about.settings(quick=True)), range(3))
    for index, values in enumerate(([6.0] * 3, [9.0] * 3, [1.0] * 3, [1.0, 5.0, 12.0], [5.5] * 3)):
        samples.values[TESTED, index, "m"] = np.array(values)
        samples.values["cubic", index, "m"] = np.full(3, 5.5 if index == 4 else 1.0)
    found = result.ScenarioResult(loaded, samples, judge.findings(loaded, samples, ["cubic"]))
    assert result.sentence([found]) == (
        "Loss: 9.00 % (cubic 1.00 %, at most 5.00 % allowed for any control) in 2 of 5 settings, worst with flows 2. "
        "Undecided: Loss in 1 setting. Outside the limit, like standard controls: Loss in 1 setting."
    )


def test_what_was_measured_is_said_with_what_is_allowed() -> None:
    words = compared("Delay", "ms", "ratio", 20.0, ("cubic", 10.0), (None, 12.0))
    assert words == "Delay: 20.0 ms (cubic 10.0 ms, at most 12.0 ms allowed)"
    words = compared("Share", "", "rate", 0.3, ("sack", 0.0), (None, 0.05))
    assert words == "Share: outside the limit in 30 % of runs (sack 0 %, at most 5.0 % allowed)"
    text = "A: 1 in 1 of 2 settings; B: 2 in 1 of 2 settings. Undecided: c in 1 setting."
    assert in_lines(text) == [
        "A: 1 in 1 of 2 settings;",
        "B: 2 in 1 of 2 settings.",
        "Undecided: c in 1 setting.",
    ]


def test_the_worst_verdict_prevails() -> None:
    assert worst([AS_STANDARD, OK]) == AS_STANDARD
    assert worst([OK, UNDECIDED]) == UNDECIDED
    assert worst([UNDECIDED, CONCERN]) == CONCERN
    assert worst([]) == NOT_EVALUATED
