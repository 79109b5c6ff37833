"""How an evaluation judges samples."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ackclock.evaluation import files, judge, result, rfc
from ackclock.evaluation.language import SOLO, TESTED, Condition, ScenarioFile
from ackclock.evaluation.spelling import in_lines
from ackclock.evaluation.spelling import judged as judged_words
from ackclock.evaluation.words import CONCERN, INFO, NOT_EVALUATED, OK, UNDECIDED, worst


def judged(
    criterion: dict[str, Any],
    own: list[float],
    other: list[float] | None = None,
    third: list[float] | None = None,
    family: str = "N-07",
) -> judge.Judged:
    """The finding of one criterion over these samples of a metric of which less is better."""
    document = {
        "family": family,
        "title": "t",
        "summary": "s",
        "metrics": [{"id": "m", "label": "m", "expr": "fairness", "better": "less"}],
        "criteria": [{"metric": "m", "text": "so", **criterion}],
        "solo": {"set": {}},
        "scenario": {},
    }
    about = ScenarioFile.model_validate(document)
    loaded = files.Loaded("small", about, files.extracted("", {}, "small"), "")
    samples = judge.Measured(list(about.settings(quick=True)), range(len(own)))
    samples.values[TESTED, 0, "m"] = np.array(own)
    samples.values["cubic", 0, "m"] = np.array(other or own)
    samples.values[SOLO, 0, "m"] = np.ones(len(own))
    if third is not None:
        samples.values["sack", 0, "m"] = np.array(third)
    (found,) = judge.findings(loaded, samples, ["cubic", "sack"])
    return found


def test_a_verdict_needs_the_whole_interval() -> None:
    limit = {"high": 10}
    assert judged(limit, [8, 8.1, 8.2]).verdict == OK
    assert judged(limit, [12, 12.1, 12.2]).verdict == CONCERN
    # The mean is inside, and so would a guess be; the interval is not.
    assert judged(limit, [2, 9, 16]).verdict == UNDECIDED
    assert judged(limit, [math.nan] * 3).verdict == INFO


def test_a_failed_run_in_the_setting_to_compare_with_is_a_concern() -> None:
    loaded = files.load("N-13-jitter")
    samples = judge.Measured(list(loaded.about.settings(quick=True)), range(3))
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
    assert result.sentence([whole]) == "Not so: 3 of 9 runs failed: it ended its process."


def test_what_equals_the_reference_is_within_an_allowance_of_it() -> None:
    limit = {"measure": "allowance", "factor": 2, "least": 1, "high": 0}
    # The mean of -1, -1 and -400 is -134, and the interval of so few has 0 in it.
    assert judged(limit, [1.0, 1.0, 400.0]).verdict == OK
    assert judged(limit, [1.0, 1.0, 401.0], [1.0, 1.0, 400.0]).verdict == UNDECIDED
    # So is the other reference, compared with itself: 400 is 398 more than the first one allows.
    reno = judged(limit, [1.0, 1.0, 400.0], [1.0, 1.0, 1.0], [1.0, 1.0, 400.0])
    assert (reno.verdict, reno.reason) == (INFO, "it is met against sack")
    # Half of itself is no allowance, and without values there is nothing to judge.
    assert judged({**limit, "factor": 0.5}, [9.0, 9.1, 9.2]).verdict == CONCERN
    assert judged(limit, [math.nan] * 3).verdict == INFO


def of_harm(change: dict[str, Any]) -> ScenarioFile:
    """A scenario whose condition is on the harm to what others have left, which an equal share excuses."""
    metrics = [("left", "more"), ("equal", "neither"), ("delay", "less")]
    criterion = {"metric": "left", "text": "so", "measure": "harm", "high": 0.1, "fair": "equal", **change}
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
    ("left", "equal", "verdict"),
    [
        # An equal share is 5, of which nine tenths are 4.5; beside the reference the others have all of 10.
        ([4.6, 4.6, 4.6], 5, INFO),
        ([4.4, 4.4, 4.4], 5, CONCERN),
        # The path carries 20 with the control, because the others cannot fill it: an equal share is 10.
        ([4.6, 4.6, 4.6], 10, CONCERN),
        # It carries 2 with the control: what matters is an equal share of the 10 with the reference.
        ([1, 1, 1], 1, CONCERN),
        # 5 in the mean, and not surely 4.5: 5 plus and minus 2.5.
        ([4, 5, 6], 5, CONCERN),
        # The harm is 0.25 plus and minus 0.25, so that it is undecided: perhaps not above 0.1.
        ([6.5, 7.5, 8.5], 5, INFO),
        ([6.5, 7.5, 8.5], 9, UNDECIDED),
    ],
)
def test_an_equal_share_is_no_harm(left: list[float], equal: float, verdict: str) -> None:
    about = of_harm({})
    samples = judge.Measured(list(about.settings(quick=True)), range(3))
    samples.values[TESTED, 0, "left"] = np.array(left)
    samples.values[TESTED, 0, "equal"] = np.full(3, equal)
    samples.values["cubic", 0, "left"] = samples.values[SOLO, 0, "left"] = np.full(3, 10.0)
    samples.values["cubic", 0, "equal"] = np.full(3, 5.0)
    loaded = files.Loaded("small", about, files.extracted("", {}, "small"), "")
    (found,) = judge.findings(loaded, samples, ["cubic"])
    assert found.verdict == verdict
    assert (found.reason == "the others keep an equal share") == (verdict == INFO)
    # Without it, none of them is excused.
    unfair = about.model_copy(update={"criteria": [about.criteria[0].model_copy(update={"fair": ""})]})
    (found,) = judge.findings(replace(loaded, about=unfair), samples, ["cubic"])
    assert found.verdict in (CONCERN, UNDECIDED)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": "ratio"}, '`fair` is for measure = "harm"'),
        ({"fair": "equel"}, 'there is no metric "equel"'),
        ({"metric": "delay"}, "`fair` needs a metric of which more is better"),
    ],
)
def test_an_equal_share_is_of_a_harm_to_what_should_be_more(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        of_harm(change)


def test_between_the_limits_is_info() -> None:
    limits = {"high": 0.1, "info_high": 0.25}
    within = judged(limits, [0.18, 0.19, 0.2])
    assert within.verdict == INFO
    assert within.reason == "above 0.1, but not above 0.25"
    surely = judged(limits, [0.3, 0.31, 0.32])
    assert (surely.verdict, surely.reason) == (CONCERN, "")
    # Standard deviation 0.05, over the root of 3, times t(2) = 4.30: 0.1 plus and minus 0.124.
    perhaps = judged(limits, [0.05, 0.1, 0.15])
    assert (perhaps.verdict, perhaps.reason) == (INFO, "perhaps above 0.1, but not above 0.25")
    # 0.2 plus and minus 0.25 may be inside, and may be a concern.
    assert judged(limits, [0.1, 0.2, 0.3]).verdict == UNDECIDED


def test_a_second_limit_forgives_only_what_is_surely_within_it() -> None:
    limits = {"high": 0.1, "info_high": 0.25}
    # Standard deviation 0.012, over the root of 3, times t(2) = 4.30: 0.24 plus and minus 0.030.
    beyond = judged(limits, [0.228, 0.24, 0.252])
    assert (beyond.verdict, beyond.reason) == (CONCERN, "above 0.1, perhaps above 0.25")
    below = judged({"low": 0.5, "info_low": 0.3}, [0.288, 0.3, 0.312])
    assert (below.verdict, below.reason) == (CONCERN, "below 0.5, perhaps below 0.3")
    # A ratio is judged by its logarithm.
    ratio = {"measure": "ratio", "high": 2, "info_high": 3}
    above = judged(ratio, [2.9, 3.0, 3.1], [1.0] * 3)
    assert (above.verdict, above.reason) == (CONCERN, "above 2, perhaps above 3")


def test_without_a_second_limit_at_the_end_nothing_is_a_concern() -> None:
    yields = {"low": 0.5, "info_low": -math.inf}
    assert judged(yields, [0.6, 0.61, 0.62]).verdict == OK
    found = judged(yields, [0.0, 0.01, 0.02])
    assert (found.verdict, found.reason) == (INFO, "below 0.5")
    assert judged({"high": 1, "info_high": math.inf}, [3.0, 3.1, 3.2]).reason == "above 1"


def test_what_happens_in_one_run_is_judged_as_if_it_happened_in_all() -> None:
    # The mean of 0.562 is far inside, and so is its interval, plus and minus 0.383.
    starves = [0.01, 0.7, 0.7, 0.7, 0.7]
    limit = {"low": 0.05, "excused": True}
    assert judged(limit, starves, [0.6] * 5).verdict == OK
    found = judged({**limit, "any_run": True}, starves, [0.6] * 5)
    assert (found.verdict, found.finding.estimate, found.finding.interval) == (CONCERN, 0.01, (0.01, 0.01))
    # The worst run is shown of every control, and how many are like it.
    assert (found.means[TESTED], found.means["cubic"], found.reason) == (0.01, 0.6, "in 1 of 5 runs")
    # A reference is excused by itself, also where its interval lies on both sides: only there.
    wide = [0.02, 0.05, 0.09]
    assert judged(limit, wide, [0.03, 0.05, 0.09]).verdict == UNDECIDED
    itself = judged(limit, wide, wide)
    assert (itself.verdict, itself.reason) == (INFO, "cubic is not surely within it either")
    # A reference that starves another in one run excuses it.
    assert judged({**limit, "any_run": True}, starves, [0.6, 0.01, 0.6, 0.6, 0.6]).verdict == INFO


def test_the_means_of_a_ratio_are_those_whose_ratio_is_judged() -> None:
    found = judged({"measure": "ratio", "high": 10}, [1.0, 4.0, 16.0], [1.0, 1.0, 8.0])
    assert found.finding.estimate == pytest.approx(2)
    assert found.means[TESTED] == pytest.approx(4)
    assert found.means["cubic"] == pytest.approx(2)


def test_a_control_that_delivers_nothing_is_a_concern_and_no_gap_in_the_samples() -> None:
    enough = {"measure": "ratio", "low": 0.8}
    nothing = judged(enough, [0.0] * 3, [9.0, 9.1, 9.2])
    assert (nothing.verdict, nothing.finding.estimate) == (CONCERN, None)
    assert nothing.reason == "0 in 3 of 3 runs, where the reference has more"
    # A number without a limit is never a concern, but it says so, where none is not the best of all.
    nothing = judged({"info": True}, [math.nan] * 3, [9.0, 9.1, 9.2])
    assert (nothing.verdict, nothing.reason) == (
        INFO,
        "no value in 3 of 3 runs, where the reference has one",
    )
    # Nor does one run of three disappear, and Reno, which delivers something, does not excuse it.
    one = judged(enough, [0.0, 9.1, 9.2], [9.0, 9.1, 9.2], [1.0, 1.0, 1.0])
    assert (one.verdict, one.reason) == (CONCERN, "0 in 1 of 3 runs, where the reference has more")
    assert one.lacking
    # Where the reference delivers nothing either there is nothing to compare.
    both = judged(enough, [0.0] * 3, [0.0] * 3)
    assert (both.verdict, both.reason) == (INFO, "0 in 3 of 3 runs, as with the reference")
    alone = judged(enough, [9.0, 9.1, 9.2], [0.0] * 3)
    assert alone.verdict == INFO
    assert alone.reason == "nothing to compare: a value is missing, or 0"
    # Of a metric that should be small 0 is good, and counts as the floor.
    assert judged({"measure": "ratio", "high": 1.1, "floor": 1}, [0.0] * 3, [5.0, 5.1, 5.2]).verdict == OK


def test_enough_settings_do_not_hide_one_without_anything() -> None:
    condition = Condition.model_validate(
        {"metric": "m", "text": "so", "measure": "ratio", "low": 0.8, "cells": 0.5}
    )
    one = judged({"measure": "ratio", "low": 0.8}, [0.0] * 3, [9.0, 9.1, 9.2])
    held = judged({"measure": "ratio", "low": 0.8}, [9.0, 9.1, 9.2], [9.0, 9.1, 9.2])
    missed = judged({"measure": "ratio", "low": 0.8}, [5.0, 5.1, 5.2], [9.0, 9.1, 9.2])
    found = judge.enough(condition, [one, held, missed, held])
    assert [of.verdict for of in found] == [CONCERN, OK, INFO, OK]


def test_closed_connections_are_told_with_their_reason() -> None:
    loaded = files.load("N-12")
    settings = list(loaded.about.settings(quick=True))
    samples = judge.Measured(settings, range(2))
    samples.closed |= {
        ("cubic", 0, 0): "too many gaps",
        ("cubic", 1, 1): "too many gaps",
        (TESTED, 0, 0): "idle",
    }
    assert result.ScenarioResult(loaded, samples, []).closed == [
        f"N-12: with cubic, the stack closed a connection in 2 of {2 * len(settings)} runs: too many gaps.",
        f"N-12: with the control, the stack closed a connection in 1 of {2 * len(settings)} runs: idle.",
    ]


def test_ratios_differences_and_allowances_are_taken_seed_by_seed() -> None:
    noise = np.array([1.0, 2, 4])
    ratio = judged({"measure": "ratio", "high": 1.5}, list(noise * 1.2), list(noise))
    assert ratio.verdict == OK
    assert ratio.finding.estimate == pytest.approx(1.2)
    difference = judged({"measure": "difference", "high": 0}, list(noise + 1), list(noise))
    assert (difference.verdict, difference.finding.estimate) == (CONCERN, 1)
    # 2.5 is more than twice 1.2, and less than the least allowance of 3.
    allowance = {"measure": "allowance", "factor": 2, "least": 3, "high": 0}
    assert judged(allowance, [2.5] * 3, [1.2] * 3).verdict == OK
    assert judged({**allowance, "least": 1}, [2.5] * 3, [1.2] * 3).verdict == CONCERN


def test_harm_is_compared_with_that_of_the_reference() -> None:
    # Alone 1; with the control 4 (harm 3/4), with the reference 2 (harm 1/2).
    found = judged({"measure": "harm", "high": 0.1, "info_high": 0.25}, [4.0] * 3, [2.0] * 3)
    assert found.finding.estimate == pytest.approx(0.25)
    assert found.verdict == INFO


def test_a_value_that_only_the_reference_has_is_a_concern() -> None:
    found = judged({"measure": "ratio", "high": 2}, [1.0, math.nan, 1.0], [1.0] * 3)
    assert found.verdict == CONCERN
    assert "no value in 1 of 3 runs" in found.reason


def test_a_value_that_neither_has_is_not_met() -> None:
    found = judged({"measure": "value", "high": 2}, [1.0, math.nan, 1.0], [1.0, math.nan, 1.0])
    assert (found.verdict, found.reason) == (INFO, "no value in 1 of 3 runs, as with the reference")
    # What only the reference lacks is no fault of the control.
    assert judged({"measure": "ratio", "high": 2}, [1.0] * 3, [1.0, math.nan, 1.0]).verdict == OK


def test_a_failed_run_is_a_concern_though_the_criterion_holds_in_enough_settings() -> None:
    condition = Condition(metric="m", text="so", high=10, cells=0.7)
    good = judged({"high": 10}, [8.0] * 3)
    bad = judged({"high": 10}, [12.0] * 3)
    verdicts = [one.verdict for one in judge.enough(condition, [good, bad, replace(bad, failed=True)])]
    assert verdicts == [OK, CONCERN, CONCERN]
    verdicts = [one.verdict for one in judge.enough(condition, [good] * 3 + [bad, replace(bad, failed=True)])]
    # 70 % of five are 3.5, so four have to hold.
    assert verdicts == [OK] * 3 + [CONCERN] * 2
    verdicts = [one.verdict for one in judge.enough(condition, [good] * 4 + [bad, replace(bad, failed=True)])]
    assert verdicts == [OK] * 4 + [INFO, CONCERN]
    # 95 % are 11.4 of 12, 118.75 of 125 and 0.95 of one.
    almost = condition.model_copy(update={"cells": 0.95})
    for needed, settings in (11, 12), (119, 125), (1, 1):
        enough = [good] * needed + [bad] * (settings - needed)
        assert judge.enough(almost, enough)[-1].verdict != CONCERN
        too_few = [good] * (needed - 1) + [bad] * (settings - needed + 1)
        assert judge.enough(almost, too_few)[-1].verdict == CONCERN


def test_what_the_reference_does_not_meet_either_is_excused() -> None:
    limit = {"high": 10, "excused": True}
    assert judged(limit, [12.0, 12.1, 12.2], [12.0, 12.2, 12.1]).verdict == INFO
    assert judged(limit, [12.0, 12.1, 12.2], [9.0] * 3).verdict == CONCERN
    # Distances of 2, 2.1, 2.2 minus 1 in each pair: 1 to 1.2, mean 1.1, surely above 0.
    farther = judged(limit, [12.0, 12.1, 12.2], [11.0] * 3)
    assert (farther.verdict, farther.reason) == (
        CONCERN,
        "farther outside than cubic, not within the limit either",
    )


def test_what_may_be_outside_a_limit_is_excused_like_what_is() -> None:
    limit = {"high": 10, "excused": True}
    # 10 plus and minus 2.48.
    assert judged(limit, [9, 10, 11], [8.0] * 3).verdict == UNDECIDED
    assert judged(limit, [9, 10, 11], [12.0] * 3).reason == "cubic does not meet the limit either"


def test_an_excuse_reaches_as_far_as_the_reference_is_outside() -> None:
    limit = {"high": 10, "excused": True}
    own = [12.0, 12.1, 12.2]
    # Nearer to the limit than the reference; equally far; and 0.1 farther in the mean, of which two of three seeds
    # say the opposite: (1.2 - 0.2 - 0.7) / 3, with an interval on both sides of 0.
    for other in ([13.0, 13.1, 13.2], own, [10.8, 12.3, 12.9]):
        found = judged(limit, own, other)
        assert (found.verdict, found.reason) == (INFO, "cubic does not meet the limit either")
    # The second reference is as far outside as the control, though the first is not.
    assert judged(limit, own, [11.0] * 3, own).reason == "sack does not meet the limit either"
    # Below a lower limit: 3, 3, 3 against 1, 1, 1.
    assert judged({"low": 10, "excused": True}, [7.0] * 3, [9.0] * 3).verdict == CONCERN
    assert judged({"low": 10, "excused": True}, [9.0] * 3, [7.0] * 3).verdict == INFO
    # Outside on the other side is outside too: 1 below 3, and 1 above 7, of limits that are 3 and 7.
    between = {"low": 3, "high": 7, "excused": True}
    assert judged(between, [2.0] * 3, [8.0] * 3).verdict == INFO
    assert judged(between, [1.0] * 3, [8.0] * 3).verdict == CONCERN


def test_as_far_outside_as_a_reference_but_for_a_little_is_excused() -> None:
    # 55.8 s against 54.9 s, of 20 s allowed: outside by 35.8 s and by 34.9 s, in runs without any randomness.
    limit = {"high": 20, "excused": True}
    assert judged(limit, [55.8] * 3, [54.9] * 3).verdict == INFO
    # A tenth farther outside is 38.39 s.
    assert judged(limit, [58.3] * 3, [54.9] * 3).verdict == INFO
    assert judged(limit, [58.5] * 3, [54.9] * 3).verdict == CONCERN


def test_what_is_met_against_another_standard_control_is_no_concern() -> None:
    limit = {"measure": "ratio", "high": 1.05}
    own, cubic, sack = [2.0, 2.1, 2.2], [1.0, 1.0, 1.0], [2.0, 2.1, 2.2]
    assert judged(limit, own, cubic).verdict == CONCERN
    found = judged(limit, own, cubic, sack)
    assert (found.verdict, found.reason) == (INFO, "it is met against sack")
    assert found.finding.estimate == pytest.approx(2.098, abs=0.001)  # still compared with the first
    # Undecided against the first, met against another.
    assert judged(limit, [1.0, 1.05, 1.1], cubic).verdict == UNDECIDED
    assert judged(limit, [1.0, 1.05, 1.1], cubic, [1.0, 1.05, 1.1]).verdict == INFO
    # Worse than both.
    assert judged(limit, own, cubic, [1.5, 1.6, 1.7]).verdict == CONCERN


def test_any_standard_control_will_do_in_every_section() -> None:
    limit = {"measure": "ratio", "high": 1.05}
    own, cubic, sack = [2.0, 2.1, 2.2], [1.0, 1.0, 1.0], [2.0, 2.1, 2.2]
    found = {one.section: judged(limit, own, cubic, sack, one.id).verdict for one in rfc.FAMILIES}
    assert set(found.values()) == {INFO}


def test_the_sentence_names_the_setting_that_is_farthest_outside_and_the_other_verdicts() -> None:
    document = {
        "family": "N-03",
        "title": "t",
        "summary": "s",
        "axes": [{"name": "flows", "path": "f", "values": [1, 2, 3, 4, 5], "quick": [1, 2, 3, 4, 5]}],
        "metrics": [{"id": "m", "label": "m", "expr": "fairness", "better": "less"}],
        "criteria": [{"metric": "m", "text": "so", "high": 5, "info_high": 5.8}],
        "scenario": {},
    }
    about = ScenarioFile.model_validate(document)
    loaded = files.Loaded("small", about, files.extracted("", {}, "small"), "")
    samples = judge.Measured(list(about.settings(quick=True)), range(3))
    for index, values in enumerate(([6.0] * 3, [9.0] * 3, [1.0] * 3, [1.0, 5.0, 12.0], [5.5] * 3)):
        samples.values[TESTED, index, "m"] = np.array(values)
    found = result.ScenarioResult(loaded, samples, judge.findings(loaded, samples, ["cubic"]))
    assert result.sentence([found]) == (
        "Not so: so: 2 of 5 settings, as with flows 2. Undecided: so: 1 of 5 settings. "
        "Not met, or not surely, but no concern: so: 1 of 5 settings."
    )


def test_what_is_judged_says_what_counts() -> None:
    words = judged_words("Delay", "ratio", "ms", 2.0, (1.5, 2.5), "cubic", floor=1.0)
    assert words == "Delay: 2.00 (1.50 to 2.50) times cubic's, each counted as at least 1 ms"
    words = judged_words("Share", "value", "", 0.02, None, "cubic", any_run=True)
    assert words == "Share in the worst run: 0.0200"
    text = "Not so: a: 1 of 2 settings; b: 1 of 2 settings. Undecided: c: 1 of 1 setting."
    assert in_lines(text) == [
        "Not so: a: 1 of 2 settings;",
        "b: 1 of 2 settings.",
        "Undecided: c: 1 of 1 setting.",
    ]


def test_the_worst_verdict_prevails() -> None:
    assert worst([INFO, OK]) == INFO
    assert worst([OK, UNDECIDED]) == UNDECIDED
    assert worst([UNDECIDED, CONCERN]) == CONCERN
    assert worst([]) == NOT_EVALUATED
