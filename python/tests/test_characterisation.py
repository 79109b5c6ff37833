"""The characterisation by RFC 7928: disciplines as cases, criteria, verdicts, and the table of section 13."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from ackclock import _typed_core as core
from ackclock.characterisation.criteria import RULES
from ackclock.characterisation.disciplines import Discipline, Placement, cases, discipline_of, variant_of
from ackclock.characterisation.ellipse import fitted
from ackclock.characterisation.judge import rows
from ackclock.characterisation.language import Characterisation, Condition
from ackclock.characterisation.parameters import numbers, scaled
from ackclock.characterisation.summary import TABLE, overall
from ackclock.characterisation.words import INFO
from ackclock.evaluation.words import CONCERN, OK, UNDECIDED
from ackclock.study.base import load_base
from ackclock.study.load import load_study, studies_dir, study_names
from ackclock.study.model import Metric
from ackclock.study.result import CaseResult, MetricValue, Source, StudyResult, Thesis

RED = Discipline(
    name="red",
    label="RED",
    delay={"min_threshold": "0.5 packets", "max_threshold": "1.5 packets"},
    ecn=True,
)
CODEL = Discipline(name="codel", label="CoDel", delay={"target": "1 ms"}, ecn=True)
DROPTAIL = Discipline(name="droptail", label="Drop-tail")
BLUE = Discipline(name="blue", label="BLUE", parameters={"increment": 0.01})
DISCIPLINES = (DROPTAIL, RED, CODEL, BLUE)


def placed(**keys: Any) -> dict[str, dict[str, Any]]:
    """The cases of a placement by their names, as what they set."""
    placement = Placement.model_validate({"at": ["a.queue"], "limit": "83 packets", **keys})
    return {case["name"]: case["overrides"] for case in cases(placement, DISCIPLINES)}


def test_every_discipline_is_a_case() -> None:
    assert placed() == {
        "droptail": {"a.queue": {"name": "droptail", "limit": "83 packets"}},
        "red": {"a.queue": {"name": "red", "limit": "83 packets"}},
        "codel": {"a.queue": {"name": "codel", "limit": "83 packets"}},
        "blue": {"a.queue": {"name": "blue", "limit": "83 packets", "increment": 0.01}},
    }
    assert list(placed(only=["droptail", "codel"])) == ["droptail", "codel"]
    assert list(placed(only_ecn=True)) == ["red", "codel"]
    with pytest.raises(ValueError, match='there is no discipline "coddle"'):
        placed(only=["coddle"])


def test_variants_change_buffers_links_and_marks() -> None:
    found = placed(
        at=["a.queue", "b.queue"],
        limit=["83 packets", "8 packets"],
        variants=[
            {"name": "both", "label": "both"},
            {"name": "marks", "label": "marks", "at": ["b.queue"], "ecn": True, "overrides": {"x": 1}},
        ],
    )
    assert found["red+both"]["b.queue"] == {"name": "red", "limit": "8 packets"}
    assert found["red+marks"] == {"b.queue": {"name": "red", "limit": "83 packets", "ecn": True}, "x": 1}
    # BLUE is said not to mark here; drop-tail is there for comparison.
    assert "blue+marks" not in found
    assert found["droptail+marks"]["b.queue"] == {"name": "droptail", "limit": "83 packets"}
    assert (discipline_of("red+marks"), variant_of("red+marks"), variant_of("red")) == ("red", "marks", "")


def test_a_wanted_delay_becomes_a_time_or_a_length() -> None:
    found = placed(
        packets_per_s=833.3,
        variants=[{"name": "knob", "label": "", "delays_ms": [12, 24]}],
        at=["a.queue", "b.queue"],
    )
    assert found["codel+knob"]["a.queue"]["target"] == "12 ms"
    assert found["codel+knob"]["b.queue"]["target"] == "24 ms"
    # 12 ms of 833.3 packets a second are 10 packets: thresholds at half and at one and a half of that.
    assert found["red+knob"]["a.queue"]["min_threshold"] == "4.9998 packets"
    assert found["red+knob"]["a.queue"]["max_threshold"] == "14.9994 packets"
    assert "blue+knob" not in found
    # Drop-tail is the same whatever is wanted.
    several = [{"name": f"{ms}-ms", "label": "", "delays_ms": [ms]} for ms in (5, 10)]
    assert list(placed(variants=several, only=["droptail", "codel"])) == [
        "droptail+5-ms",
        "codel+5-ms",
        "codel+10-ms",
    ]


def test_another_discipline_may_stand_beside() -> None:
    beside = {"b.queue": ["codel", "red"]}
    found = placed(
        limit=["83 packets", "208 packets"], variants=[{"name": "v", "label": "", "beside": beside}]
    )
    assert found["red+v"]["b.queue"] == {"name": "codel", "limit": "208 packets"}
    assert found["codel+v"]["b.queue"] == {"name": "red", "limit": "208 packets"}
    assert found["droptail+v"]["b.queue"] == {"name": "droptail", "limit": "208 packets"}


def test_parameters_are_varied_as_far_as_the_discipline_takes_them() -> None:
    found = placed(only=["red"], variants=[{"name": "default", "label": ""}], factors=[0.5, 4])
    assert found["red+weight-x0.5"]["a.queue"]["weight"] == 0.001
    assert found["red+max_threshold-x4"]["a.queue"]["max_threshold"] == "60 packets"
    # Four times the lower threshold would be above the upper one.
    assert "red+min_threshold-x4" not in found
    assert scaled("codel", {}, "target", "5 ms", 2) == "10 ms"
    assert scaled("fq-codel", {}, "queues", "1024", 0.25) == 256
    assert "limit" not in numbers("codel")


METRICS = [Metric(id=id, label=id, expr="1") for id in ("delay_p50", "delay_p95", "goodput", "loss", "x")]
THESIS = Thesis("aqm", "A", "T", "IETF", 2016, "RFC 7928")


def study(criteria: Sequence[Any], cases: Mapping[str, Mapping[str, Sequence[float]]]) -> StudyResult:
    """A result with these samples by case and metric; a case may end in [value]."""
    made = []
    for name, values in cases.items():
        case, _, value = name.rstrip("]").partition("[")
        made.append(
            CaseResult(
                name=name,
                case=case,
                label=case,
                sweep_value=value or None,
                overrides={},
                seeds=(1, 2, 3),
                values={id: MetricValue(None, None, None, tuple(samples)) for id, samples in values.items()},
            )
        )
    about = Characterisation.model_validate(
        {"section": "0", "short": "s", "requirement": "must", "demand": "d", "criteria": criteria}
    )
    return StudyResult(
        name="aqm/x", title="x", summary="", source=Source(THESIS, "RFC", "0"), file="", quick=False,
        replications=3, scenario_text="", metrics=tuple(METRICS), cases=tuple(made), sweep=None, claims=(),
        figures=(), assumptions=(), findings=(), characterisation=about,
    )  # fmt: skip


def verdict(criteria: Sequence[Any], cases: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """The verdict on the discipline ``red``."""
    return next(row.verdict for row in rows(study(criteria, cases)) if row.discipline == "red")


def outcome(criterion: Any, own: Sequence[float], other: Sequence[float]) -> tuple[str, float | None]:
    """How a criterion about ``x`` comes out."""
    found = rows(study([criterion], {"droptail": {"x": other}, "red": {"x": own}}))
    (finding,) = found[1].findings
    return finding.verdict, finding.finding.estimate


def test_ratios_are_paired_and_geometric() -> None:
    # Ratios 1/2, 1/2 and 1/4: the mean of the logarithms is ln(1/2) - ln(2)/3.
    found = rows(study(["latency"], {
        "droptail": {"delay_p50": [10, 20, 40], "delay_p95": [1, 1, 1]},
        "red": {"delay_p50": [5, 10, 10], "delay_p95": [0.5, 0.5, 0.5]},
    }))  # fmt: skip
    median, tail = found[1].findings
    assert median.finding.estimate == pytest.approx(0.5 * 2 ** (-1 / 3))
    # Deviations of the logarithms are ln 2 times 1/3, 1/3, -2/3: a variance of (ln 2)^2 / 3 and, with the t of two
    # degrees of freedom, 4.3027, half an interval of 4.3027 * ln 2 / 3.
    assert median.finding.interval is not None
    assert median.finding.interval[1] == pytest.approx(
        0.5 * 2 ** (-1 / 3) * math.exp(4.302653 * math.log(2) / 3), rel=1e-6
    )
    assert median.verdict == UNDECIDED, "the interval reaches beyond 1"
    assert (tail.finding.estimate, tail.finding.interval, tail.verdict) == (0.5, (0.5, 0.5), OK)


def test_ranges_of_each_kind() -> None:
    ratio = {"rule": "r", "measure": "ratio", "metrics": ["x"], "low": 0.95}
    assert outcome(ratio, [0.95, 0.95], [1, 1]) == (OK, pytest.approx(0.95))
    assert outcome({**ratio, "strict": True}, [0.5, 0.5], [1, 1])[0] == CONCERN
    assert outcome({**ratio, "info_low": 0.75}, [0.8, 0.8], [1, 1])[0] == INFO
    assert outcome({**ratio, "info_low": 0.75}, [0.7, 0.7], [1, 1])[0] == CONCERN
    difference = {"rule": "d", "measure": "difference", "metrics": ["x"], "high": 2}
    assert outcome(difference, [3, 5], [1, 3]) == (OK, 2)
    value = {"rule": "v", "metrics": ["x"], "low": 1}
    # Mean 1.5, interval 1.5 ± 12.7 * 0.5: only the mean, and some of the interval, are in the range.
    assert outcome(value, [1, 2], [0, 0])[0] == UNDECIDED
    assert outcome(value, [0.5, 0.6], [0, 0])[0] == UNDECIDED
    assert outcome(value, [0.5, 0.51], [0, 0])[0] == CONCERN
    # With one sample there is no interval.
    assert outcome(value, [0], [0])[0] == UNDECIDED
    assert outcome({**value, "by": "mean"}, [1, 2], [0, 0])[0] == OK
    assert outcome({**value, "by": "some"}, [-1, 2], [0, 0])[0] == OK
    assert outcome({**value, "by": "some"}, [-1, -1], [0, 0])[0] == CONCERN
    assert outcome({**value, "by": "every"}, [1, 2], [0, 0])[0] == OK
    assert outcome({**value, "by": "every"}, [0.9, 2], [0, 0])[0] == CONCERN
    assert outcome(value, [math.nan, math.nan], [0, 0]) == (INFO, None)
    # What lies below the floor is no queue: 0.01 over 0.05 counts as 0.1 over 0.1.
    assert outcome({**ratio, "floor": 0.1}, [0.01, 0.01], [0.05, 0.05])[1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        (2.0, 1.0, "OK"),
        (2.1, 1.0, "CONCERN"),
        (0.9, 0.1, "OK"),
        (1.1, 0.1, "CONCERN"),
        (1.0, 0.0, "OK"),
    ],
)
def test_loss_may_be_twice_drop_tails_or_one_per_cent(own: float, other: float, expected: str) -> None:
    found = rows(study(["loss"], {"droptail": {"loss": [other] * 3}, "red": {"loss": [own] * 3}}))
    assert found[1].findings[0].verdict == expected


GOOD = {"delay_p50": [1, 1.1, 0.9], "delay_p95": [2, 2, 2], "goodput": [9, 9, 9], "loss": [1, 1, 1]}
BASE = {"delay_p50": [10, 11, 9], "delay_p95": [20, 20, 20], "goodput": [9, 9, 9], "loss": [1, 1, 1]}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, OK),
        ({"delay_p95": [20, 20, 20]}, INFO),
        ({"goodput": [8, 8, 8]}, CONCERN),
        ({"goodput": [8, 8, 8], "delay_p95": [20, 20, 20]}, CONCERN),
        ({"loss": [2.5, 2.5, 2.5]}, CONCERN),
        ({"goodput": [9, 8.4, 8.6]}, UNDECIDED),
        ({"delay_p95": [20, 10, 15]}, UNDECIDED),
        ({"goodput": [9, 8.4, 8.6], "loss": [2.5, 2.5, 2.5]}, CONCERN),
    ],
)
def test_verdicts(changes: dict[str, list[float]], expected: str) -> None:
    criteria = ["latency", "goodput", "loss"]
    assert verdict(criteria, {"droptail": BASE, "red": {**GOOD, **changes}}) == expected


def test_near_a_limit_is_a_caution_and_numbers_are_information() -> None:
    near = [{"rule": "goodput", "info_low": 0.75}]
    assert verdict(near, {"droptail": BASE, "red": {**GOOD, "goodput": [8, 8, 8]}}) == INFO
    assert verdict([], {"droptail": BASE, "red": GOOD}) == INFO
    # Nothing to compare with: no verdict.
    assert verdict(["goodput"], {"red": GOOD}) == INFO


def test_the_worst_setting_decides() -> None:
    slow = {**GOOD, "goodput": [5, 5, 5]}
    cases = {"droptail[1]": BASE, "droptail[2]": BASE, "red[1]": GOOD, "red[2]": slow}
    assert verdict(["goodput"], cases) == CONCERN
    assert verdict([{"rule": "goodput", "only": ["1"]}], cases) == OK
    # Each variant is held against drop-tail in the same one.
    cases = {"droptail+a": BASE, "droptail+b": {**BASE, "goodput": [5, 5, 5]}, "red+a": GOOD, "red+b": slow}
    assert verdict(["goodput"], cases) == OK
    assert verdict(["goodput"], {**cases, "droptail+b": BASE}) == CONCERN


def test_a_variant_may_be_held_against_another_of_the_same_discipline() -> None:
    criterion = {"rule": "goodput", "against": "drop-*"}
    cases = {
        "red+drop-20": {**GOOD, "goodput": [4, 4, 4]},
        "red+ecn-20": {**GOOD, "goodput": [4, 4, 4]},
        "red+drop-100": GOOD,
        "red+ecn-100": GOOD,
    }
    assert verdict([criterion], cases) == OK
    assert verdict([criterion], {**cases, "red+ecn-100": {**GOOD, "goodput": [4, 4, 4]}}) == CONCERN


def test_a_varied_parameter_is_held_against_the_defaults_of_drop_tail() -> None:
    cases = {"droptail+default": BASE, "red+default": GOOD, "red+weight-x2": {**GOOD, "goodput": [5, 5, 5]}}
    assert verdict(["goodput"], cases) == CONCERN
    assert verdict([{"rule": "goodput", "only": ["default", "*-x4"]}], cases) == OK


def test_a_criterion_says_something() -> None:
    assert Condition.model_validate("latency").metrics == RULES["latency"]["metrics"]
    with pytest.raises(
        ValidationError, match='rule "latencey": found no metrics, expected a list of metrics'
    ):
        Condition.model_validate("latencey")
    with pytest.raises(ValidationError, match="found no limit, expected low, high or both"):
        Condition.model_validate({"rule": "own", "metrics": ["x"]})


def test_the_ellipse_is_the_maximum_likelihood_fit() -> None:
    # The corners of a square of side 2 and its centre: variance 4/5 of each, divided by n and not by n - 1.
    found = fitted(np.array([0.0, 0, 2, 2, 1]), np.array([0.0, 2, 0, 2, 1]))
    assert found is not None
    assert (found.mean, found.median) == ((1, 1), (1, 1))
    assert found.covariance == pytest.approx((0.8, 0, 0.8))
    assert np.hypot(*(np.array(found.contour) - 1).T) == pytest.approx(math.sqrt(0.8))


def test_the_contour_of_dependent_points_is_tilted() -> None:
    x, y = np.array([0.0, 1, 2, 3, 4]), np.array([0.0, 1, 3, 2, 4])
    found = fitted(x, y)
    assert found is not None
    (xx, xy, yy), (mx, my) = found.covariance, found.mean
    inverse = np.linalg.inv(np.array([[xx, xy], [xy, yy]]))
    for point in found.contour:
        away = np.array(point) - (mx, my)
        assert away @ inverse @ away == pytest.approx(1)


@pytest.mark.parametrize(("x", "y"), [([1.0] * 6, [2.0] * 6), ([1.0, 2, 3, 4], [1.0, 3, 2, 4])])
def test_without_spread_or_with_few_points_there_is_no_contour(x: list[float], y: list[float]) -> None:
    found = fitted(np.array(x), np.array(y))
    assert found is not None
    assert found.contour == ()
    assert fitted(np.array([math.nan]), np.array([1.0])) is None


def test_a_discipline_comes_to_what_it_is_in_the_scenarios_that_must_be_considered() -> None:
    must = [run for line in TABLE if line.must for run in line.runs]
    assert len(must) == 13
    verdicts = {run: {"red": OK if k < 8 else INFO} for k, run in enumerate(must)}
    verdicts |= {must[0]: {"red": CONCERN}, must[12]: {"red": UNDECIDED}, "4.3": {"red": CONCERN}}
    found = overall("red", verdicts)
    assert found.counts == {OK: 7, CONCERN: 1, UNDECIDED: 1, INFO: 4}
    assert (found.concerns, found.missing) == ((must[0],), ())
    assert overall("red", dict(list(verdicts.items())[1:])).missing == (must[0],)


SCENARIOS = [name for name in study_names() if name.startswith("aqm/")]


def test_the_scenarios_are_those_of_the_table() -> None:
    sections = []
    for name in SCENARIOS:
        about = load_study(name).study.characterisation
        assert about is not None
        assert name == f"aqm/rfc7928-{about.section}"
        sections.append(about.section)
    assert {run for line in TABLE for run in line.runs} <= set(sections)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_compares_with_drop_tail(name: str) -> None:
    study = load_study(name).study
    names = [case.name for case in study.cases]
    if study.disciplines is not None and not study.disciplines.only_ecn:
        assert discipline_of(names[0]) == "droptail"
    if study.characterisation is not None:
        # Where a criterion compares with drop-tail, its variants are there to be compared with.
        variants = {variant_of(case) for case in names if discipline_of(case) == "droptail"}
        for criterion in study.characterisation.criteria:
            if criterion.measure in ("ratio", "difference", "allowance") and not criterion.against:
                others = {variant_of(case) for case in names} - variants
                assert all(other.rpartition("-x")[1] for other in others), others


NOT_COMPARED = {
    "token-bucket",
    "scepter",
    "shaper",
    "srtcm",
    "trtcm",
    "fair-policer",
    "bc-pqp",
    "phantom-queue",
    "prio",
}
"""They police or shape a rate, or serve classes, which an operator has to choose; else they are drop-tail."""


def test_every_discipline_is_characterised() -> None:
    disciplines = load_base(
        "r10.base.toml", str(studies_dir() / "aqm" / "rfc7928-8.2.2.toml")
    ).base.disciplines
    queues = {entry["name"] for entry in core.registry() if entry["kind"] == "queue"}
    assert {one.name for one in disciplines} == queues - NOT_COMPARED
    for tested in disciplines:
        entry = next(one for one in core.registry() if one["kind"] == "queue" and one["name"] == tested.name)
        known = {parameter["name"] for parameter in entry["parameters"]}
        assert tested.ecn == ("ecn" in known)
        assert {*tested.parameters, *tested.delay} <= known


def test_a_result_says_what_it_was_judged_by() -> None:
    result = study(["goodput"], {"droptail": BASE, "red": GOOD})
    with pytest.raises(ValueError, match="expected a study that runs a scenario of RFC 7928"):
        rows(dataclasses.replace(result, characterisation=None))


def test_what_a_scenario_lacks_is_a_list_of_texts() -> None:
    given = {"section": "9.1", "short": "Mix", "requirement": "may", "demand": "A mix."}
    assert Characterisation(**given, lacks=["One direction only."]).lacks == ["One direction only."]
    for wrong in ("One direction only.", list("One direction only.")):
        with pytest.raises(ValidationError, match="lacks"):
            Characterisation(**given, lacks=wrong)
