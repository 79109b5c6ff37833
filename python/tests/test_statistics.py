"""Numbers worked by hand or from printed t tables."""

import math

import numpy as np
import pytest

from ackclock.statistics import paired_difference, relative_precision, summarise, t_quantile


def test_mean_and_sample_deviation() -> None:
    # 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared distances 9+1+1+1+0+0+4+16 = 32, std = sqrt(32 / 7)
    summary = summarise([2, 4, 4, 4, 5, 5, 7, 9])
    assert summary.mean == 5
    assert summary.std == pytest.approx(math.sqrt(32 / 7))
    assert summary.count == 8


@pytest.mark.parametrize(("freedom", "t"), [(1, 12.706), (4, 2.776), (9, 2.262), (19, 2.093), (120, 1.980)])
def test_t_quantiles_are_those_of_the_tables(freedom: int, t: float) -> None:
    assert t_quantile(freedom) == pytest.approx(t, abs=5e-4)


def test_interval() -> None:
    # 1, 2, 3: mean 2, std 1, t(2) = 4.3027, half = 4.3027 / sqrt(3) = 2.4841
    summary = summarise([1, 2, 3])
    assert summary.interval == pytest.approx((2 - 2.4841, 2 + 2.4841), abs=1e-4)
    assert summary.half_width == pytest.approx(2.4841, abs=1e-4)


def test_interval_covers_the_mean_in_19_of_20_experiments() -> None:
    numbers = np.random.default_rng(7)
    experiments = numbers.normal(3, 2, size=(4000, 5))
    intervals = [summarise(samples).interval for samples in experiments]
    covered = sum(low <= 3 <= high for low, high in intervals if low is not None)
    # Binomial with p = 0.95: four standard deviations are 4 * sqrt(0.95 * 0.05 / 4000) = 0.0138.
    assert covered / 4000 == pytest.approx(0.95, abs=0.0138)


def test_one_sample_has_no_spread_and_none_has_no_mean() -> None:
    one, none = summarise([4.0]), summarise([])
    assert (one.mean, one.std, one.interval, one.count) == (4.0, None, None, 1)
    assert (none.mean, none.std, none.interval, none.count) == (None, None, None, 0)


def test_missing_samples_are_left_out() -> None:
    assert summarise([1, math.nan, 3]) == summarise([1, 3])


def test_equal_samples_have_exactly_their_value() -> None:
    # The rounded mean of ten times 0.1 is 0.09999999999999999.
    summary = summarise([0.1] * 10)
    assert summary.mean == 0.1
    assert summary.interval == (0.1, 0.1)


def test_pairing_removes_shared_noise() -> None:
    noise = np.array([10.0, -20.0, 30.0, 5.0])
    paired = paired_difference(noise + 2, noise + 1)
    assert paired.mean == 1
    assert paired.interval == (1, 1)
    assert (
        summarise(noise + 2).interval[0] < summarise(noise + 1).mean
    )  # unpaired, the difference would drown


def test_pairs_with_a_missing_side_are_left_out() -> None:
    assert paired_difference([5, math.nan, 7], [1, 2, 2]).count == 2


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="found 2 and 3"):
        paired_difference([1, 2], [1, 2, 3])


def test_relative_precision() -> None:
    assert relative_precision([1, 2, 3]) == pytest.approx(2.4841 / 2, abs=1e-4)
    assert relative_precision([5]) is None
    assert relative_precision([-1, 1]) is None
