"""Joined comparisons: each p-value worked by hand, and how often chance refutes what is true."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.model import Result, Setting
from ackclock.experiment.sample_words import SampleWords
from ackclock.experiment.truth import ERROR, Evidence, Truth, all_of, compared, share_of, within
from ackclock.statistics import summarise

NEVER = math.inf


def truth(holding: float, failing: float, *, needs: float = NEVER, would_fail_at: float = NEVER) -> Truth:
    return Truth(Evidence(holding, lambda _: needs), Evidence(failing, lambda _: would_fail_at))


def with_t(t: float, count: int = 10) -> np.ndarray:
    """``count`` samples whose mean is ``t`` standard errors above 0; their standard deviation is 1."""
    samples = np.linspace(-1, 1, count)
    return samples / samples.std(ddof=1) + t / math.sqrt(count)


def test_p_values_and_intervals_are_of_one_method() -> None:
    # t(9) at 97.5 % is 2.2622: the interval just touches 0.
    touching = summarise(with_t(2.2622))
    assert touching.interval is not None
    assert touching.interval[0] == pytest.approx(0, abs=1e-4)
    assert touching.p_above(0) == pytest.approx(0.025, abs=1e-5)
    assert touching.p_below(0) == pytest.approx(0.975, abs=1e-5)
    # t(9) at 99 % is 2.8214.
    assert summarise(with_t(2.8214)).p_above(0) == pytest.approx(0.01, abs=1e-5)


def test_without_an_interval_there_is_no_evidence() -> None:
    assert (summarise([3.0]).p_above(0), summarise([3.0]).p_below(0)) == (1, 1)
    assert (summarise([]).p_above(0), summarise([]).p_below(0)) == (1, 1)
    assert (summarise([3.0, 3.0]).p_above(0), summarise([3.0, 3.0]).p_below(0)) == (0, 1)


def test_all_of_three_hold_at_the_full_error_and_fail_at_a_third_of_it() -> None:
    parts = [truth(0.02, 0.98), truth(0.01, 0.99), truth(0.024, 0.976)]
    assert all_of(parts).holding.p == 0.024
    assert all_of(parts).result is Result.MET
    parts[1] = truth(0.99, 0.01)
    assert all_of(parts).failing.p == pytest.approx(0.03)
    assert all_of(parts).result is Result.UNDECIDED
    parts[1] = truth(0.992, 0.008)
    assert all_of(parts).failing.p == pytest.approx(0.024)
    assert all_of(parts).result is Result.NOT_MET


def test_any_of_three_is_the_reverse() -> None:
    parts = [truth(0.992, 0.008), truth(0.5, 0.5), truth(0.5, 0.5)]
    assert (~parts[0] | ~parts[1] | ~parts[2]).holding.p == pytest.approx(0.024)
    assert (parts[0] | parts[1] | parts[2]).failing.p == 0.5
    assert (~(parts[0] & parts[1] & parts[2])).result is Result.MET


def test_nested_parts_of_one_kind_count_together() -> None:
    one = truth(0.99, 0.01)
    assert ((one & one) & (one & one)).failing.p == pytest.approx(0.04)
    assert (one & (one & (one & one))).failing.p == pytest.approx(0.04)
    # "Any of two" is one part of an "all of", with the larger of its p-values: 2 * 0.01.
    assert ((one | one) & one).failing.p == pytest.approx(0.02)


def test_constants_are_not_counted() -> None:
    certain = compared("<", np.asarray(-1.0))
    assert (truth(0.99, 0.02) & certain & certain).failing.p == 0.02
    assert (truth(0.99, 0.02) & ~certain).result is Result.NOT_MET


def test_replications_needed_are_of_what_decides_first() -> None:
    # All lean to holding: the slowest of them.
    assert (truth(0.1, 0.9, needs=30) & truth(0.2, 0.8, needs=50)).replications == 50
    assert (truth(0.001, 0.999, needs=30) & truth(0.2, 0.8, needs=50)).replications == 50
    # One leans to failing: then "all of" can only fail.
    assert (truth(0.9, 0.1, would_fail_at=40) & truth(0.2, 0.8, needs=50)).replications == 40
    assert (truth(0.9, 0.1, would_fail_at=40) | truth(0.2, 0.8, needs=50)).replications == 50
    assert (truth(0.001, 0.999) & truth(0.001, 0.999)).replications == 0


def test_replications_needed_know_of_the_correction() -> None:
    # Deviation 1, mean -0.5: t(n - 1) at 97.5 % over sqrt(n) is at most 0.5 from n = 18 on. Of two parts each has half
    # the error: at 98.75 % it takes 23 (2.406 / 4.796 = 0.502 with 23, 2.398 / 4.899 = 0.4895 with 24).
    low = with_t(-0.5 * math.sqrt(6), 6)
    high = with_t(20, 6)
    assert compared(">", low).replications == 18
    assert (compared(">", low) & compared(">", high)).replications == 24


def test_two_ends_of_one_quantity_are_one_test() -> None:
    # The mean is 2.4 standard errors above the upper end: p = 0.02 with 9 degrees of freedom (t(9) at 98 % is 2.398).
    beyond = within(summarise(with_t(2.4)), -1, 0)
    assert beyond.failing.p == pytest.approx(0.02, abs=1e-4)
    assert beyond.result is Result.NOT_MET
    assert within(summarise([2.0, 2.0]), 2, 3, closed=(True, False)).result is Result.MET
    assert within(summarise([3.0, 3.0]), 2, 3, closed=(True, False)).result is Result.NOT_MET


PARTS, REPLICATIONS, STUDIES = 20, 10, 2000


def test_chance_seldom_refutes_one_of_twenty_true_parts() -> None:
    # Each part is true only just: a >= b where both have the same mean, which is the worst that can be true.
    numbers = np.random.default_rng(3)
    corrected = uncorrected = 0
    for _ in range(STUDIES):
        parts = [compared(">=", column) for column in numbers.normal(size=(PARTS, REPLICATIONS))]
        corrected += all_of(parts).result is Result.NOT_MET
        uncorrected += any(part.result is Result.NOT_MET for part in parts)
    # 1 - 0.975^20 = 39.7 % without correction; 1 - (1 - 0.025 / 20)^20 = 2.47 % with it. Four standard deviations of
    # 2000 studies are 1.4 points at 2.5 % and 4.4 at 40 %.
    assert corrected / STUDIES == pytest.approx(0.0247, abs=0.014)
    assert uncorrected / STUDIES == pytest.approx(0.397, abs=0.044)


def test_chance_seldom_confirms_one_of_twenty_false_parts() -> None:
    numbers = np.random.default_rng(4)
    found = 0
    for _ in range(STUDIES):
        parts = [compared(">", column) for column in numbers.normal(size=(PARTS, REPLICATIONS))]
        found += (~all_of([~part for part in parts])).result is Result.MET
    assert found / STUDIES == pytest.approx(0.0247, abs=0.014)


RUNS = [
    *(Setting(f"a[{x}]", case="a", value=x) for x in (1, 2, 3)),
    Setting("b"),
]


def words(*columns: np.ndarray) -> SampleWords:
    """The metric ``x`` of a at 1, 2 and 3, and of b."""
    return SampleWords({"x": {run.name: samples for run, samples in zip(RUNS, columns, strict=True)}}, RUNS)


def test_a_comparison_of_sweeps_is_one_at_each_value() -> None:
    of = words(with_t(5), with_t(6), with_t(-2.6), with_t(0))
    one_by_one = Expression("x('a[1]') > 0 and x('a[2]') > 0 and x('a[3]') > 0").truth(of)
    at_each = Expression("x('a[*]') > 0").truth(of)
    assert at_each.failing.p == pytest.approx(one_by_one.failing.p)
    assert at_each.holding.p == pytest.approx(one_by_one.holding.p)
    # t(9) = -2.6 has p = 0.0144: refuted alone, undecided as one of three.
    assert Expression("x('a[3]') > 0").truth(of).result is Result.NOT_MET
    assert at_each.result is Result.UNDECIDED
    assert Expression("x('a[..2]') > 0").truth(of).result is Result.MET


def test_columns_join_the_parts_beside_them() -> None:
    of = words(with_t(5), with_t(6), with_t(-2.6), with_t(0))
    truth = Expression("x('a[*]') > 0 and x('a[1]') > -100").truth(of)
    assert truth.failing.p == pytest.approx(4 * summarise(with_t(-2.6)).p_below(0))
    # "Not at each value" is "not at one of them at least".
    assert Expression("not x('a[*]') > 0").truth(of).holding.p == pytest.approx(
        3 * summarise(with_t(-2.6)).p_below(0)
    )


def test_one_case_is_compared_with_each_value_replication_by_replication() -> None:
    # As many replications as values: rows must not be taken for columns.
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 3.6])
    of = words(a, a, a, b)
    assert Expression("x('a[*]') < x('b')").truth(of).result is Result.MET
    assert Expression("x('b') > x('a[*]')").truth(of).result is Result.MET
    assert Expression("max(x('a[*]') - x('b'))").evaluate(of) == pytest.approx([-0.5, -0.5, -0.6])
    assert Expression("x('a[*]') < axis('a[*]') + 100").truth(of).result is Result.MET


def test_parts_of_sweeps_of_unequal_length_are_refused() -> None:
    of = words(*[with_t(1)] * 4)
    with pytest.raises(ExpressionError, match="3 and 2 values of a sweep"):
        Expression("x('a[*]') > x('a[..2]')").truth(of)


def test_the_error_is_what_lies_beyond_one_end_of_the_interval() -> None:
    assert pytest.approx(0.025) == ERROR


@pytest.mark.parametrize(
    ("samples", "share"),
    [
        ([0.04, 0.05, 0.06], 0.05 / 100),  # surely there: its mean
        ([-0.04, -0.05, -0.06], 0.05 / 100),
        # 0, 0, 3: mean 1, deviation sqrt(3), t(2) = 4.3027: 1 + 4.3027 is the larger end.
        ([0.0, 0.0, 3.0], 5.3027 / 100),
        ([0.0, 0.0, -3.0], 5.3027 / 100),
        ([0.0, 0.0], 0.0),
    ],
)
def test_a_difference_is_as_large_as_it_may_be(samples: list[float], share: float) -> None:
    assert share_of(summarise(samples), 100) == pytest.approx(share, rel=1e-4)
