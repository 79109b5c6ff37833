"""The evaluation after RFC 9743: its scenarios, its verdicts, its record, and the command."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

import ackclock
from ackclock.errors import InputError
from ackclock.evaluation import arms, compare, files, judge, rfc, run
from ackclock.evaluation.language import Criterion, Grid, Quick, ScenarioFile
from ackclock.evaluation.result import read_answers
from ackclock.evaluation.verdict import Verdict, worst
from ackclock.report.evaluation import write_evaluation
from ackclock.schemas.evaluate import EvaluateDocument

SMALL = """
family = "N-02"
title = "Small"
summary = "A small scenario."

[[axes]]
name = "buffer"
path = "dumbbell.bottleneck.queue.limit"
values = ["10 packets", "40 packets"]
quick = ["10 packets"]

[[metrics]]
id = "delay"
label = "Queueing delay"
unit = "ms"
expr = '1000 * link("bottleneck").wait_p95_s'
better = "less"

[[criteria]]
metric = "delay"
measure = "ratio"
high = 1.05
text = "The delay is at most 1.05 times the reference's"

[scenario]
duration = "6 s"
warmup = "1 s"

[scenario.dumbbell]
rtt = "40 ms"
bottleneck = { rate = "5 Mbit/s", delay = "1 ms", queue = { name = "droptail", limit = "10 packets" } }
access = { rate = "50 Mbit/s" }

[[scenario.flows]]
name = "tested"
control = "cubic"
start = { uniform = ["0 ms", "100 ms"] }
"""


def judged(
    criterion: dict[str, Any],
    own: list[float],
    other: list[float] | None = None,
    third: list[float] | None = None,
    family: str = "N-07",
) -> judge.Finding:
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
    samples = judge.Samples(list(about.settings(quick=True)), range(len(own)))
    samples.values[judge.TESTED, 0, "m"] = np.array(own)
    samples.values["cubic", 0, "m"] = np.array(other or own)
    samples.values[judge.SOLO, 0, "m"] = np.ones(len(own))
    if third is not None:
        samples.values["sack", 0, "m"] = np.array(third)
    (found,) = judge.findings(loaded, samples, ["cubic", "sack"])
    return found


# Verdicts


def test_a_verdict_needs_the_whole_interval() -> None:
    limit = {"high": 10}
    assert judged(limit, [8, 8.1, 8.2]).verdict is Verdict.OK
    assert judged(limit, [12, 12.1, 12.2]).verdict is Verdict.CONCERN
    # The mean is inside, and so would a guess be; the interval is not.
    assert judged(limit, [2, 9, 16]).verdict is Verdict.UNDECIDED
    assert judged(limit, [math.nan] * 3).verdict is Verdict.INFO


def test_between_the_limits_is_info() -> None:
    limits = {"high": 0.1, "info_high": 0.25}
    assert judged(limits, [0.18, 0.19, 0.2]).verdict is Verdict.INFO
    assert judged(limits, [0.3, 0.31, 0.32]).verdict is Verdict.CONCERN
    undecided = judged(limits, [0.05, 0.1, 0.15])
    assert (undecided.verdict, undecided.reason) == (Verdict.UNDECIDED, "")
    # Standard deviation 0.012, over the root of 3, times t(2) = 4.30: 0.24 plus and minus 0.030.
    beyond = judged(limits, [0.228, 0.24, 0.252])
    assert (beyond.verdict, beyond.reason) == (Verdict.UNDECIDED, "surely above 0.1, perhaps above 0.25")
    below = judged({"low": 0.5, "info_low": 0.3}, [0.288, 0.3, 0.312])
    assert below.reason == "surely below 0.5, perhaps below 0.3"


def test_ratios_differences_and_allowances_are_taken_seed_by_seed() -> None:
    noise = np.array([1.0, 2, 4])
    ratio = judged({"measure": "ratio", "high": 1.5}, list(noise * 1.2), list(noise))
    assert ratio.verdict is Verdict.OK
    assert ratio.mean == pytest.approx(1.2)
    difference = judged({"measure": "difference", "high": 0}, list(noise + 1), list(noise))
    assert (difference.verdict, difference.mean) == (Verdict.CONCERN, 1)
    # 2.5 is more than twice 1.2, and less than the least allowance of 3.
    allowance = {"measure": "allowance", "factor": 2, "least": 3, "high": 0}
    assert judged(allowance, [2.5] * 3, [1.2] * 3).verdict is Verdict.OK
    assert judged({**allowance, "least": 1}, [2.5] * 3, [1.2] * 3).verdict is Verdict.CONCERN


def test_harm_is_compared_with_that_of_the_reference() -> None:
    # Alone 1; with the control 4 (harm 3/4), with the reference 2 (harm 1/2).
    found = judged({"measure": "harm", "high": 0.1, "info_high": 0.25}, [4.0] * 3, [2.0] * 3)
    assert found.mean == pytest.approx(0.25)
    assert found.verdict is Verdict.INFO


def test_a_value_that_only_the_reference_has_is_a_concern() -> None:
    found = judged({"measure": "ratio", "high": 2}, [1.0, math.nan, 1.0], [1.0] * 3)
    assert found.verdict is Verdict.CONCERN
    assert "no value in 1 of 3 runs" in found.reason


def test_a_value_that_neither_has_is_not_met() -> None:
    found = judged({"measure": "value", "high": 2}, [1.0, math.nan, 1.0], [1.0, math.nan, 1.0])
    assert (found.verdict, found.reason) == (Verdict.INFO, "no value in 1 of 3 runs, nor with the reference")
    # What only the reference lacks is no fault of the control.
    assert judged({"measure": "ratio", "high": 2}, [1.0] * 3, [1.0, math.nan, 1.0]).verdict is Verdict.OK


def test_a_failed_run_is_a_concern_though_the_criterion_holds_in_enough_settings() -> None:
    criterion = Criterion(metric="m", text="so", high=10, cells=0.5)
    good = judged({"high": 10}, [8.0] * 3)
    bad = replace(good, verdict=Verdict.CONCERN)
    verdicts = [one.verdict for one in judge._enough(criterion, [good, bad, replace(bad, failed=True)])]
    assert verdicts == [Verdict.OK, Verdict.CONCERN, Verdict.CONCERN]
    verdicts = [one.verdict for one in judge._enough(criterion, [good, good, bad, replace(bad, failed=True)])]
    assert verdicts == [Verdict.OK, Verdict.OK, Verdict.INFO, Verdict.CONCERN]


def test_what_the_reference_does_not_meet_either_is_excused() -> None:
    limit = {"high": 10, "excused": True}
    assert judged(limit, [12.0, 12.1, 12.2], [12.0, 12.2, 12.1]).verdict is Verdict.INFO
    assert judged(limit, [12.0, 12.1, 12.2], [9.0] * 3).verdict is Verdict.CONCERN
    # Distances of 2, 2.1, 2.2 minus 1 in each pair: 1 to 1.2, mean 1.1, surely above 0.
    farther = judged(limit, [12.0, 12.1, 12.2], [11.0] * 3)
    assert (farther.verdict, farther.reason) == (
        Verdict.CONCERN,
        "farther outside than cubic, not within the limit either",
    )


def test_an_excuse_reaches_as_far_as_the_reference_is_outside() -> None:
    limit = {"high": 10, "excused": True}
    own = [12.0, 12.1, 12.2]
    # Nearer to the limit than the reference; equally far; and 0.1 farther in the mean, of which two of three seeds
    # say the opposite: (1.2 - 0.2 - 0.7) / 3, with an interval on both sides of 0.
    for other in ([13.0, 13.1, 13.2], own, [10.8, 12.3, 12.9]):
        found = judged(limit, own, other)
        assert (found.verdict, found.reason) == (Verdict.INFO, "cubic does not meet the limit either")
    # The second reference is as far outside as the control, though the first is not.
    assert judged(limit, own, [11.0] * 3, own).reason == "sack does not meet the limit either"
    # Below a lower limit: 3, 3, 3 against 1, 1, 1.
    assert judged({"low": 10, "excused": True}, [7.0] * 3, [9.0] * 3).verdict is Verdict.CONCERN
    assert judged({"low": 10, "excused": True}, [9.0] * 3, [7.0] * 3).verdict is Verdict.INFO
    # Outside on the other side is outside too: 1 below 3, and 1 above 7, of limits that are 3 and 7.
    between = {"low": 3, "high": 7, "excused": True}
    assert judged(between, [2.0] * 3, [8.0] * 3).verdict is Verdict.INFO
    assert judged(between, [1.0] * 3, [8.0] * 3).verdict is Verdict.CONCERN


def test_what_is_met_against_another_standard_control_is_no_concern() -> None:
    limit = {"measure": "ratio", "high": 1.05}
    own, cubic, sack = [2.0, 2.1, 2.2], [1.0, 1.0, 1.0], [2.0, 2.1, 2.2]
    assert judged(limit, own, cubic).verdict is Verdict.CONCERN
    found = judged(limit, own, cubic, sack)
    assert (found.verdict, found.reason) == (Verdict.INFO, "it is met against sack")
    assert found.mean == pytest.approx(2.098, abs=0.001)  # still compared with the first
    # Undecided against the first, met against another.
    assert judged(limit, [1.0, 1.05, 1.1], cubic).verdict is Verdict.UNDECIDED
    assert judged(limit, [1.0, 1.05, 1.1], cubic, [1.0, 1.05, 1.1]).verdict is Verdict.INFO
    # Worse than both.
    assert judged(limit, own, cubic, [1.5, 1.6, 1.7]).verdict is Verdict.CONCERN


def test_any_standard_control_will_do_only_beside_others_and_alone_on_a_wired_path() -> None:
    limit = {"measure": "ratio", "high": 1.05}
    own, cubic, sack = [2.0, 2.1, 2.2], [1.0, 1.0, 1.0], [2.0, 2.1, 2.2]
    found = {one.section: judged(limit, own, cubic, sack, one.id).verdict for one in rfc.FAMILIES}
    info = [section for section, verdict in found.items() if verdict is Verdict.INFO]
    assert info == ["5.2", "5.2.1", "5.2.2", "5.2.3", "6.3"]
    assert {verdict for section, verdict in found.items() if section not in info} == {Verdict.CONCERN}


def test_the_worst_verdict_prevails() -> None:
    assert worst([Verdict.INFO, Verdict.OK]) is Verdict.INFO
    assert worst([Verdict.OK, Verdict.UNDECIDED]) is Verdict.UNDECIDED
    assert worst([Verdict.UNDECIDED, Verdict.CONCERN]) is Verdict.CONCERN
    assert worst([]) is Verdict.NOT_EVALUATED


# Scenarios


def test_the_criteria_have_the_order_of_the_rfc() -> None:
    sections = [tuple(map(int, family.section.split("."))) for family in rfc.FAMILIES]
    assert sections == sorted(sections)
    assert len({family.id for family in rfc.FAMILIES}) == 25


def test_every_criterion_has_scenarios_or_a_reason() -> None:
    have = {files.load(name).about.family for name in files.names()}
    for family in rfc.FAMILIES:
        assert (family.id in have) != bool(family.not_evaluated or family.id == "N-10"), family.id


@pytest.mark.parametrize("name", files.names())
def test_a_scenario_of_the_package_is_right_in_full(name: str) -> None:
    loaded = files.load(name)
    plan = run.Plan(
        arms.arm("bbrv3", {"transport": {"name": "rfc", "ecn": True}}),
        [arms.arm("cubic")],
        [loaded],
        quick=False,
        seeds=1,
    )
    assert len(plan.runs) >= len(list(loaded.about.settings(quick=False)))


def test_the_quick_settings_are_among_the_full_ones() -> None:
    for name in files.names():
        about = files.load(name).about
        full = {setting.name for setting in about.settings(quick=False)}
        # The grid's quick buffers are others than the full ones.
        if about.grid is None:
            assert {setting.name for setting in about.settings(quick=True)} <= full, name


@pytest.mark.parametrize("name", ["N-05", "N-09-long", "N-09-short"])
def test_short_flows_offer_the_load_that_is_said(name: str) -> None:
    about = files.load(name).about
    lines = about.scenario["files"]["sizes.txt"]["text"].split("\n")
    steps = [tuple(map(float, line.split())) for line in lines if line]
    # Sizes are spread evenly between two lines.
    mean = sum((b[1] - a[1]) * (a[0] + b[0]) / 2 for a, b in pairwise(steps))
    assert mean == pytest.approx(81, abs=0.5)
    for point in about.axes[0].all_points():
        every_ms = float(point.set["flows.short.application.every"].removesuffix(" ms"))
        assert 8 * mean / every_ms / 50 == pytest.approx(float(point.name), rel=0.02)


def test_the_grid_has_125_paths_whose_buffers_hold_ten_packets() -> None:
    cells = list(Grid().cells(quick=False))
    assert len(cells) == 125
    assert len(list(Grid().cells(quick=True))) == 12
    limits = {cell.name: cell.overrides["dumbbell.bottleneck.queue.limit"] for cell in cells}
    assert limits["rate 1 Mbit/s, round trip 5 ms, buffer 8 BDP"] == "10 packets"
    # 50 Mbit/s times 50 ms are 312500 bytes.
    assert limits["rate 50 Mbit/s, round trip 50 ms, buffer 1 BDP"] == "209 packets"


@pytest.mark.parametrize(
    ("find", "replace", "message"),
    [
        ('better = "less"', "", 'metrics[1] ("delay").better: "better" is missing'),
        ('metric = "delay"', 'metric = "dealy"', 'criteria[1]: there is no metric "dealy"'),
        ("high = 1.05\n", "", "no condition: give low or high"),
        ('quick = ["10 packets"]\n', "", "a quick evaluation has none of its points"),
        ('family = "N-02"', 'family = "N-77"', 'there is no criterion "N-77"'),
        ("wait_p95_s'", "wait_p95_s +'", 'metric "delay"'),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(
    tmp_path: Path, find: str, replace: str, message: str
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace(find, replace))
    with pytest.raises(InputError) as caught:
        files.load(str(file))
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_a_control_in_python_is_found_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import ackclock\n")
    with pytest.raises(InputError, match=r"expected one class of ackclock.Control, found none"):
        arms.arm(str(file))
    file.write_text("import ackclock\nraise ValueError('no')\n")
    with pytest.raises(InputError, match="ValueError: no"):
        arms.arm(str(file))
    offenders = Path(__file__).with_name("offenders.py")
    with pytest.raises(InputError, match='there is no control "Rebo"; did you mean "Reno"'):
        arms.arm(f"{offenders}:Rebo")
    assert arms.arm(f"{offenders}:Reno").name == "Reno"
    with pytest.raises(InputError, match='there is no control "cubik"; did you mean "cubic"'):
        arms.arm("cubik")


# Records


def record(values: list[float], verdict: str = "OK", better: str = "less") -> dict[str, Any]:
    finding = {"metric": "m", "text": "so", "setting": "", "verdict": verdict, "reason": ""}
    setting = {"name": "", "tested": {"m": values}}
    scenario = {
        "name": "N-03",
        "metrics": [{"id": "m", "better": better}],
        "settings": [setting],
        "findings": [finding],
    }
    return {"seeds": list(range(len(values))), "quick": True, "criteria": [{"scenarios": [scenario]}]}


def test_an_equal_record_is_no_worse() -> None:
    one = record([1.0, 2.0, 3.0, 4.0])
    assert compare.worse(one, one, compare.Thresholds()) == []


def test_what_is_worse_beyond_noise_is_told() -> None:
    before = record([1.0, 1.1, 1.2, 1.3])
    limits = compare.Thresholds()
    (told,) = compare.worse(record([2.0, 2.1, 2.21, 2.3]), before, limits)
    assert told == "N-03.m: 1.15 before, 2.152 now"
    # Better, noise, and a change within the tolerance.
    assert compare.worse(record([0.5, 0.6, 0.71, 0.8]), before, limits) == []
    assert compare.worse(record([0.5, 2.9, 0.3, 2.5]), before, limits) == []
    assert compare.worse(record([1.01, 1.11, 1.2101, 1.31]), before, limits) == []
    # More is better: the same fall is worse.
    fallen = compare.worse(record([0.5, 0.6, 0.71, 0.8], better="more"), record([1.0, 1.1, 1.2, 1.3]), limits)
    assert len(fallen) == 1
    assert compare.worse(record([2.0, 2.1, 2.21, 2.3]), before, compare.Thresholds(ignore=("N-03.*",))) == []
    assert (
        compare.worse(record([2.0, 2.1, 2.21, 2.3]), before, compare.Thresholds(metrics={"N-03.m": 1.0}))
        == []
    )


def test_a_criterion_that_is_no_longer_met_is_told() -> None:
    same = [1.0, 1.0, 1.0]
    assert compare.worse(record(same, "CONCERN"), record(same), compare.Thresholds()) == [
        "N-03: no longer so: so"
    ]
    assert compare.worse(record(same, "undecided"), record(same), compare.Thresholds()) == []


def test_many_comparisons_do_not_make_a_false_alarm() -> None:
    random = np.random.default_rng(1)
    alarms = 0
    for _ in range(20):
        changes = []
        for k in range(100):
            a, b = random.normal(10, 1, 5), random.normal(10, 1, 5)
            difference = compare.paired_difference(a, b)
            changes.append(compare.Change(f"m{k}", "", b.mean(), a.mean(), difference.p_above(0), 0.0))
        alarms += bool(compare.significant(changes))
    assert alarms <= 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metrics = 5", "metrics: found 5, expected a table"),
        ('ignore = "N-24"', "ignore: found 'N-24', expected a list"),
        ("tolerance = nan", "tolerance: found nan, expected a relative change"),
        ('[metrics]\n"N-03.loss" = -1', "N-03.loss: found -1, expected a relative change"),
        ("tolerence = 1", 'unknown key "tolerence"; did you mean "tolerance"'),
    ],
)
def test_wrong_thresholds_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "limits.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        compare.read_thresholds(tmp_path / "limits.toml")
    assert message in str(caught.value)


def test_a_record_that_lacks_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text('{"kind": "ackclock evaluate"}')
    with pytest.raises(InputError, match="Record it anew"):
        compare.read_record(tmp_path / "record.json")


def test_records_of_other_seeds_are_refused() -> None:
    with pytest.raises(InputError, match="record it anew"):
        compare.worse(record([1.0, 2.0]), record([1.0, 2.0, 3.0]), compare.Thresholds())


# The command


def test_the_list_names_every_criterion_and_scenario(ackclock: Command) -> None:
    out = ackclock("evaluate", "list").out
    for family in rfc.FAMILIES:
        assert f"{family.section:<7}{family.title}" in out
    for name in files.names():
        assert name in out


def test_a_scenario_is_shown_with_its_conditions_and_settings(ackclock: Command) -> None:
    out = ackclock("evaluate", "list", "N-03").out
    assert "condition  The loss is at most 5 %" in out
    assert "quick      flows 2, buffer 0.5 bdp" in out
    assert "in full    flows 50, buffer 2 bdp" in out


def test_a_file_of_ones_own_is_evaluated_and_recorded(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    done = ackclock("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    EvaluateDocument.model_validate(document)
    assert document["control"] == "sack"
    (family,) = [one for one in document["criteria"] if one["scenarios"]]
    assert (family["id"], family["section"]) == ("N-02", "5.1.2")
    (setting,) = family["scenarios"][0]["settings"]
    assert len(setting["tested"]["delay"]) == 2

    (tmp_path / "record.json").write_text(done.out)
    again = ackclock("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--compare", "record.json")
    assert again.code == 0
    assert "no worse than the record" in again.out

    # A control that fills the queue more is worse in that, whatever the criterion says of it.
    setting["tested"]["delay"] = [1.0, 1.001]
    (tmp_path / "record.json").write_text(json.dumps(document))
    worse = ackclock("evaluate", "sack", "--only", "small.toml", "--seeds", "2", "--compare", "record.json")
    assert worse.code == 1
    assert "small.delay (buffer 10 packets): 1" in worse.out
    (tmp_path / "limits.toml").write_text('ignore = ["small"]\n')
    ignored = ackclock(
        "evaluate",
        "sack",
        "--only",
        "small.toml",
        "--seeds",
        "2",
        "--compare",
        "record.json",
        "--thresholds",
        "limits.toml",
    )
    assert ignored.code == 0


def test_two_controls_stand_side_by_side(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    asked = ("evaluate", "bbrv1", "--beside", "sack", "--only", "small.toml", "--seeds", "2")
    done = ackclock(*asked, "--html")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "bbrv1 and sack after RFC 9743, quick, seeds 1 to 2"
    assert lines[3].split() == ["section", "the", "RFC", "says", "bbrv1", "sack", "criterion"]
    alone = {}
    for name in ("bbrv1", "sack"):
        alone[name] = json.loads(
            ackclock("evaluate", name, "--only", "small.toml", "--seeds", "2", "--json").out
        )
    stem = Path("ackclock-results/evaluate-bbrv1-beside-sack")
    document = json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
    EvaluateDocument.model_validate(document)
    # Each has the verdicts, the findings and the samples that it has alone.
    for name, one in (("bbrv1", document), ("sack", document["beside"])):
        assert (one["control"], one["criteria"]) == (name, alone[name]["criteria"])
    page = stem.with_suffix(".html").read_text(encoding="utf-8")
    assert "bbrv1 and sack: are they safe to deploy?" in page
    # The setting and the scale have one place each; the setting has a bar for each control, on one scale.
    assert page.count('class="setting"') == 2
    for name in ("bbrv1", "sack"):
        (setting,) = alone[name]["criteria"][1]["scenarios"][0]["settings"]
        mean = sum(setting["tested"]["delay"]) / 2
        assert f"buffer 10 packets: {name} {mean:.3g}, cubic" in page
    assert "ackclock evaluate bbrv1 --beside sack --quick --only small.toml --seeds 2" in page


def test_finished_runs_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = files.parse(SMALL, "small")
    plan = run.Plan(arms.arm("sack"), [arms.arm("cubic")], [loaded], quick=True, seeds=2)
    store = run.Store(tmp_path)
    first = run.evaluate(plan, store=store)

    def refuse(*_: object) -> None:
        raise AssertionError("a run was made again")

    monkeypatch.setattr("ackclock.core.Batch", refuse)
    assert run.evaluate(plan, store=store).family("N-02").sentence == first.family("N-02").sentence


def test_a_setting_is_copied_as_a_scenario_that_runs_alike(ackclock: Command, tmp_path: Path) -> None:
    done = ackclock("evaluate", "copy", "N-17/flows 5, loss 0.05", "slow.toml", "--control", "bbrv1")
    assert done.code == 0, done.err
    copied = _scenario(tmp_path / "slow.toml").run(seed=1, series=False)
    loaded = files.load("N-17")
    plan = run.Plan(arms.arm("bbrv1"), [arms.arm("cubic")], [loaded], quick=True, seeds=1)
    (wanted,) = [one for one in plan.runs if ("tested", 3) in [(use.arm, use.setting) for use in one.uses]]
    direct = ackclock_run(wanted)
    assert [flow["sent_packets"] for flow in copied.result["flows"]] == direct
    assert ackclock("evaluate", "copy", "N-17", "slow.toml").code == 2  # exists already
    assert ackclock("evaluate", "copy", "N-17", "own.toml").code == 0
    assert (tmp_path / "own.toml").read_text() == loaded.text


def _scenario(path: Path) -> ackclock.Scenario:
    return ackclock.Scenario.from_file(path)


def ackclock_run(planned: run.Planned) -> list[int]:
    job = planned.job
    made = run.core.make(job.text, job.file, job.overrides, job.seed, job.series)
    return [flow["sent_packets"] for flow in made.result()["flows"]]


def test_the_cost_is_said_beforehand(ackclock: Command) -> None:
    out = ackclock("evaluate", "cubic", "--only", "N-15", "--plan").out
    # CUBIC is both the control under test and the reference; Reno stands beside it.
    assert out.startswith("10 runs, about ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cubik"], 'did you mean "cubic"'),
        (["cubic", "--only", "N-23"], "there is no scenario of multipath transport"),
        (["cubic", "--only", "N-04-late"], 'did you mean "N-04-latecomer"'),
        (["cubic", "sack"], "expected only options"),
        (["cubic", "--against", str(Path(__file__).with_name("offenders.py")) + ":Reno"], "of the registry"),
        (["copy", "N-03"], "copy needs a name and a file"),
        (["copy", "N-04", "x.toml"], "are 3 scenarios; name one of them"),
        (["copy", "N-17/flows 9", "x.toml"], "there is no setting"),
        (["cubic", "--beside", "cubic"], "which is the first control too"),
        (["cubic", "--beside", "cubik"], 'did you mean "cubic"'),
        (["cubic", "--thresholds", "x.toml"], "--thresholds needs --compare"),
        (["cubic", "--transport", "{ name ="], "not a table in TOML"),
        (["cubic", "--compare", "nothing.json"], "No such file"),
    ],
)
def test_wrong_arguments_are_refused(ackclock: Command, arguments: list[str], message: str) -> None:
    done = ackclock("evaluate", *arguments)
    assert done.code == 2
    assert message in done.err


def test_the_control_of_the_page_is_evaluated(ackclock: Command) -> None:
    file = Path(__file__).resolve().parents[2] / "docs" / "examples" / "aimd.py"
    done = ackclock("evaluate", file, "--only", "N-17", "--seeds", "2", "--html")
    assert done.code == 0, done.err
    assert done.out.startswith("Aimd after RFC 9743, quick, seeds 1 to 2")
    page = Path("ackclock-results/evaluate-aimd.html").read_text(encoding="utf-8")
    assert "Internet of Things and constrained nodes" in page
    assert "ackclock evaluate" in page
    assert page.count('class="setting"') == 5  # four settings and the scale


def test_the_report_has_heat_maps_of_share_and_harm(tmp_path: Path) -> None:
    loaded = files.load("N-07-grid")
    small = loaded.about.model_copy(
        update={
            "grid": Grid(quick_rates_mbps=[2], quick_rtts_ms=[20], quick_buffers_bdp=[1, 4]),
            "quick": Quick(set={"duration": "10 s", "warmup": "2 s"}),
        }
    )
    narrow = replace(loaded, about=small)
    plan = run.Plan(arms.arm("bbrv1"), [arms.arm("cubic"), arms.arm("sack")], [narrow], quick=True, seeds=2)
    found = run.evaluate(plan)
    command = "ackclock evaluate bbrv1 --only N-07-grid"
    page = write_evaluation(found, tmp_path / "page.html", command).read_text()
    # Share, harm to goodput and harm to delay, against each of the two others.
    assert page.count('<table class="heat">') == 6
    assert "Harm beyond that of cubic: goodput of the others, other sack" in page
    assert page.count("--depth:") == 12
    assert '<th scope="col">sack</th>' in page
    # Beside another control, each has its own.
    both = write_evaluation(
        found, tmp_path / "both.html", command, replace(found, control="other")
    ).read_text()
    assert both.count('<table class="heat">') == 12
    assert "other, Harm beyond that of cubic: goodput of the others, other sack" in both


def test_answers_exempt_special_cases_only(tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(
        '[exempt]\nN-24 = "It is not for data centers."\n[process]\nPR-1 = "Two implementations."\n'
    )
    answers = read_answers(file)
    loaded = [files.parse(SMALL, "small")]
    plan = run.Plan(arms.arm("sack"), [arms.arm("cubic")], loaded, quick=True, seeds=2)
    found = run.evaluate(plan, answers=answers)
    assert found.family("N-24").verdict is Verdict.EXEMPT
    # Drop-tail queues are judged by all criteria of section 5, of which one was run.
    assert found.family("N-10").verdict is Verdict.NOT_EVALUATED
    assert "5.1.1, 5.1.3" in found.family("N-10").sentence
    assert [one.family.id for one in found.asked] == ["N-02"]
    file.write_text('exempt = "N-24"\n')
    with pytest.raises(InputError, match="exempt: found 'N-24', expected a table"):
        read_answers(file)
    file.write_text('[exempt]\nN-03 = "We lose much."\n')
    with pytest.raises(InputError, match=r"section 5.1.3 is not one of the special cases"):
        read_answers(file)


def test_marks_are_needed_for_tunnels() -> None:
    plain = run.Plan(arms.arm("cubic"), [arms.arm("cubic")], [files.load("N-11")], quick=True, seeds=2)
    assert plain.runs == []
    assert run.evaluate(plain).family("N-11").verdict is Verdict.EXEMPT
    marked = {"transport": {"name": "rfc", "ecn": True}}
    assert run.Plan(
        arms.arm("cubic", marked), [arms.arm("cubic", marked)], [files.load("N-11")], quick=True, seeds=2
    ).runs


def test_a_transport_leaves_what_the_scenario_says_of_it() -> None:
    marked = {"transport": {"name": "linux", "ecn": True}}
    plan = run.Plan(
        arms.arm("cubic", marked), [arms.arm("cubic", marked)], [files.load("N-25")], quick=True, seeds=1
    )
    small = next(one for one in plan.runs if one.uses[0].setting == 1)
    transport = {key: value for key, value in small.job.overrides.items() if ".transport." in key}
    assert transport == {
        "flows.tested.transport.packet": "460 B",
        "flows.tested.transport.name": "linux",
        "flows.tested.transport.ecn": True,
    }


def test_a_scenario_that_cannot_have_a_transport_is_left_out() -> None:
    quic = {"transport": {"name": "quic"}}
    chosen = [files.load("N-24"), files.parse(SMALL, "small")]
    plan = run.Plan(arms.arm("cubic", quic), [arms.arm("cubic", quic)], chosen, quick=True, seeds=2)
    assert list(plan.refused) == ["N-24"]
    found = run.evaluate(plan)
    assert found.family("N-02").verdict is Verdict.OK
    assert found.family("N-24").verdict is Verdict.NOT_EVALUATED
    assert "found the key `min_rto`" in found.family("N-24").sentence


def test_a_control_that_counts_marks_is_told_how_to_get_them(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    told = ackclock("evaluate", "dctcp", "--only", "small.toml", "--seeds", "2").err
    assert """`--transport '{ name = "rfc", ecn = true }'` lets them""" in told
    marked = ("--transport", '{ name = "rfc", ecn = true }')
    assert ackclock("evaluate", "dctcp", "--only", "small.toml", "--seeds", "2", *marked).err == ""


def test_a_criterion_says_something() -> None:
    with pytest.raises(ValueError, match="no condition"):
        Criterion(metric="m", text="so")
    with pytest.raises(ValueError, match="belong together"):
        Criterion(metric="m", text="so", low=1, measure="change")
