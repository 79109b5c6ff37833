"""The numbers that publications print: each counts once, beside the measured one."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

from ackclock.study.load import load_study, study_names, theses
from ackclock.study.printed_numbers import Printed, not_judged, of_studies, printed_numbers, within
from ackclock.study.result import ClaimResult

from .test_sentence import claim, study

RTT = [(1.0, 0.92), (2.0, 2.3)]
"""The printed and the measured round trips of two cases."""


def test_of(expression: str, paper: float, measured: float, **more: object) -> ClaimResult:
    return claim("as printed", expression=expression, paper=paper, measured=measured, tolerance=0.1, **more)


test_of.__test__ = False  # type: ignore[attr-defined]


def pairs(*claims: ClaimResult) -> list[tuple[float, float]]:
    return [(one.printed, one.measured) for one in printed_numbers(study(*claims, rtt=RTT))]


def test_a_number_of_a_metric_and_of_a_claim_counts_once() -> None:
    # The claim was decided by some of the seeds.
    assert pairs(test_of("rtt('case-0')", 1.0, 0.93)) == [(1.0, 0.93), *RTT[1:]]


@pytest.mark.parametrize(
    ("expression", "paper", "counts"),
    [
        # 2 over 1 is 2, and 1.99 would be printed as 2.0.
        ("rtt('case-1') / rtt('case-0')", 2.0, False),
        ("rtt('case-1') / rtt('case-0')", 1.99, False),
        ("rtt('case-1') - rtt('case-0')", 1.0, False),
        # The text has another number than the table.
        ("rtt('case-1') / rtt('case-0')", 2.5, True),
        # Nothing says what it follows from.
        ("rtt('case-7')", 2.0, True),
        ("cross_fitted_max(rtt('case-0'), rtt('case-1'))", 2.0, True),
        ("not an expression", 2.0, True),
        ("", 2.0, True),
    ],
)
def test_a_number_of_a_claim_counts_unless_it_follows_from_others(
    expression: str, paper: float, counts: bool
) -> None:
    assert pairs(test_of(expression, paper, 2.4)) == [*RTT, *([(paper, 2.4)] if counts else [])]


def test_what_is_not_a_test_is_left_out() -> None:
    untested = replace(test_of("rtt('case-0')", 1.0, 0.92), verdict="not a test")
    assert pairs(untested) == RTT[1:]
    assert not_judged([study(untested, rtt=RTT)]) == 1
    # Another claim tests the same number.
    assert pairs(untested, test_of("rtt('case-0')", 1.0, 0.92, id="2")) == RTT
    # A sentence about it that is not a test is no reason to leave it out.
    assert pairs(replace(untested, paper=None, expression="rtt('case-0') / rtt('case-1')")) == RTT
    assert not_judged([study(test_of("rtt('case-0')", 1.0, 0.92), rtt=RTT)]) == 0


def test_a_number_has_the_claim_and_the_set_up_of_its_test() -> None:
    tests = test_of("rtt('case-0')", 1.0, 0.92, id="2", setup="the start times")
    order = claim("as printed", id="3", expression="rtt('case-0') - rtt('case-1')")
    made = study(order, tests, rtt=[*RTT, (3.0, 3.0)])
    made = replace(made, source=replace(made.source, setup_unknown="the rates"))
    assert [(one.claim, one.setup) for one in printed_numbers(made)] == [
        ("2", "the start times"),
        # No claim tests it, and the claim that uses it says nothing of its set-up.
        ("3", "the rates"),
        ("", "the rates"),
    ]
    printed = replace(made, claims=(order, replace(tests, setup="")))
    assert [one.setup for one in printed_numbers(printed)] == ["", "the rates", "the rates"]


def test_numbers_of_another_study_count_there() -> None:
    table = replace(study(rtt=RTT), name="a/table")
    figure = study(test_of("rtt('case-7')", 2.0, 5.0), rtt=[*RTT, (3.0, 3.0)])
    figure = replace(figure, name="a/figure", source=replace(figure.source, numbers_of="a/table"))
    # The table lacks the 3, and the 2 of the claim is another number than that of a round trip.
    assert [(one.study, one.printed) for one in of_studies([figure, table])] == [
        ("a/figure", 3.0),
        ("a/figure", 2.0),
        ("a/table", 1.0),
        ("a/table", 2.0),
    ]
    # Without that study they are shown here.
    assert [one.printed for one in of_studies([figure])] == [1.0, 2.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("printed", "measured", "distance", "words"),
    [
        (2.0, 2.3, 0.15, "printed 2 s, measured 2.300 s, 15 % above"),
        (-2.0, -1.0, 0.5, "printed −2 s, measured −1.000 s, 50 % above"),
        (0.0, 0.0, 0.0, "printed 0 s, measured 0 s, equal"),
        (0.0, 0.1, math.inf, "printed 0 s, measured 0.1000 s, 0.1000 above"),
        (-0.1, 0.1, math.inf, "printed −0.1 s, measured 0.1000 s, 200 % above"),
    ],
)
def test_a_number_says_how_far_it_is(printed: float, measured: float, distance: float, words: str) -> None:
    one = Printed("a/b", "RTT", "Reno", "rtt", printed, measured, "s", "1c", "the rates")
    assert one.distance == pytest.approx(distance)
    assert str(one) == f"a/b, claim 1c: RTT, Reno: {words}; the set-up is partly unknown"


def test_numbers_are_counted_by_their_distance() -> None:
    numbers = [Printed("s", "", "", "", 100, measured) for measured in (100, 109, 75, 125.1, 0)]
    assert within(numbers) == (2, 3)


def test_numbers_of_three_digits_count_in_one_study_of_a_thesis() -> None:
    """Such numbers are hardly ever equal by chance: a study that has those of another one says so (``numbers_of``)."""
    studies = [one for one in map(load_study, study_names()) if one.thesis.key in theses()]
    shown = {
        (one.name, metric.id, number)
        for one in studies
        for metric in one.study.metrics
        for number in metric.paper.values()
    }
    others = {one.name: one.study.source.numbers_of for one in studies}
    counted = Counter(
        (name.partition("/")[0], metric, number)
        for name, metric, number in shown
        if len(f"{number:.12g}".replace(".", "").strip("-0")) >= 3
        and (others[name], metric, number) not in shown
    )
    assert counted
    assert not [number for number, count in counted.items() if count > 1]
    # None is said to count in a study that says the same of this one.
    for name in others:
        seen = [name]
        while there := others[seen[-1]]:
            assert there not in seen
            seen.append(there)
