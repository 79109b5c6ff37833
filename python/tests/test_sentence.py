"""The sentence that answers whether a study comes out as printed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ackclock.experiment.model import Criterion, Finding, Result
from ackclock.study.model import Metric, Verdict
from ackclock.study.result import CaseResult, ClaimResult, MetricValue, StudyResult
from ackclock.study.sentence import sentence

from .report.synthetic import table_study


def claim(verdict: Verdict, *, order: Result | None = None, **more: Any) -> ClaimResult:
    findings = () if order is None else (Finding(Criterion("t", order="a < b"), order),)
    one = ClaimResult("1", "t", None, 1.0, (0.9, 1.1), verdict, "", findings=findings)
    return replace(one, **more)


def study(*claims: ClaimResult, ours: bool = False, **numbers: list[tuple[float, float]]) -> StudyResult:
    """A study with these claims, and for each metric the printed and the measured numbers of its cases."""
    claims = tuple(replace(one, ours=ours or one.ours) for one in claims)
    base = table_study()
    most = max(map(len, numbers.values()), default=0)
    cases = [
        CaseResult(
            f"case-{k}",
            f"case-{k}",
            "",
            None,
            {},
            (1,),
            {
                id: MetricValue(pairs[k][1], None, None, (), pairs[k][0])
                for id, pairs in numbers.items()
                if k < len(pairs)
            },
        )
        for k in range(most)
    ]
    metrics = tuple(Metric(id=id, label=id.capitalize(), expr="1") for id in numbers)
    return replace(base, claims=claims, cases=tuple(cases), metrics=metrics)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        # 0.92 of 1 is 8 % off, 102 of 100 are 2 %.
        (
            study(latency=[(1.0, 0.92), (2.0, 2.0)]),
            "Latency is within 8 % of the printed numbers that are compared.",
        ),
        (
            study(claim("not a test", paper=2.0), claim("not a test"), latency=[(1.0, 0.92)]),
            (
                "Latency is within 8 % of the printed number that is compared; "
                "1 other printed number is not judged (the claims give the reasons)."
            ),
        ),
        (
            study(latency=[(1.0, 0.92)], loss=[(100, 102)]),
            "Loss is within 2 % and latency within 8 % of the printed numbers that are compared.",
        ),
        (study(latency=[(1.0, 3.2)]), "Latency is up to 3.2 times the printed number that is compared."),
        # Beside a printed 0 there is no share.
        (
            study(loss=[(0.0, 0.1), (1.0, 1.0), (1.0, 1.2)]),
            "The measured mean is within 10 % of the printed one for 1 of 3 printed numbers, and within 25 % for 2.",
        ),
        (
            study(
                claim("as printed", order=Result.MET),
                claim("not as printed", order=Result.NOT_MET),
                claim("undecided", order=Result.MET),
                claim("cannot tell", order=Result.MET),
            ),
            (
                "The order of the compared values is as printed in 1 of 2 comparisons; 1 claim is not as printed; "
                "1 claim is undecided."
            ),
        ),
        (
            study(claim("as printed"), claim("as printed")),
            "Both claims without a printed number hold.",
        ),
        (
            study(claim("not as printed")),
            "The claim without a printed number does not hold; 1 claim is not as printed.",
        ),
        (
            study(
                claim("not as printed"),
                claim("not as printed"),
                claim("not as printed", order=Result.NOT_MET),
            ),
            (
                "The order of the compared values is not as printed; none of 2 other claims without a printed number "
                "holds; 3 claims are not as printed."
            ),
        ),
        (study(claim("undecided", order=Result.UNDECIDED)), "1 claim is undecided."),
        (
            study(loss=[(-0.1, 0.63), (1.0, 1.0)]),
            "The measured mean is within 10 % of the printed one for 1 of 2 printed numbers, and within 25 % for 1.",
        ),
        # A printed number without an order is no claim about an order.
        (
            study(claim("as printed", paper=2.0, measured=2.1, tolerance=0.2)),
            "The measured mean is within 10 % of the printed number.",
        ),
        (
            study(claim("yes"), claim("no"), claim("no"), ours=True),
            "Of 3 questions, 1 is answered yes and 2 are answered no.",
        ),
        (study(claim("yes"), claim("yes"), ours=True), "Both questions are answered yes."),
        (
            study(claim("as printed"), replace(claim("no"), ours=True)),
            "The claim without a printed number holds; the question is answered no.",
        ),
        (
            study(claim("yes"), claim("cannot tell"), claim("not a test"), ours=True),
            "Of 2 questions, 1 is answered yes and 1 is inconclusive; 1 more is not tested.",
        ),
        (
            study(claim("as printed", setup="rates"), claim("not a test")),
            "The claim without a printed number holds; the set-up is partly unknown.",
        ),
        # Beside the numbers of metrics, those that claims alone have.
        (
            study(
                claim(
                    "undecided", paper=2.0, measured=2.1, tolerance=0.2, expression="latency('case-0') * 5"
                ),
                latency=[(1.0, 0.92)],
            ),
            (
                "Latency is within 8 % of the printed number that is compared; the measured mean is within 10 % of the "
                "other printed number; 1 claim is undecided."
            ),
        ),
        (study(), "The study tests no claim and compares no measured number with a printed one."),
    ],
)
def test_it_answers(made: StudyResult, expected: str) -> None:
    assert sentence(made) == expected
