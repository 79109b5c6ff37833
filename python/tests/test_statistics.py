"""Numbers worked by hand or from printed t tables."""

import math

import numpy as np
import pytest

from ackclock.statistics import log_ratios, paired_difference, relative_precision, summarise, t_quantile


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


def hall(samples: np.ndarray) -> tuple[float, float]:
    """Hall's transformed interval (1992): g(T) = T + c (T^2 / 3 + 1 / 6) + c^2 T^3 / 27 with c = skewness / sqrt(n)."""
    n, mean = samples.size, samples.mean()
    skewness = ((samples - mean) ** 3).mean() / samples.std() ** 3
    error, bend = samples.std(ddof=1) / math.sqrt(n), skewness / math.sqrt(n)

    def inverse(t: float) -> float:
        return float(3 / bend * (np.cbrt(1 + bend * (t - bend / 6)) - 1))

    t = t_quantile(n - 1)
    return mean - error * inverse(t), mean - error * inverse(-t)


def test_hall_is_student_at_zero_skewness() -> None:
    samples = np.array([1.0, 2.0, 3.0 + 1e-6])
    interval = summarise(samples).interval
    assert interval is not None
    assert hall(samples) == pytest.approx(interval, abs=1e-4)


@pytest.mark.parametrize(
    ("n", "student", "transformed"), [(5, 88.5, 92.4), (10, 90.2, 94.2), (20, 91.9, 94.5)]
)
def test_what_is_known_of_coverage_under_skewness(n: int, student: float, transformed: float) -> None:
    # The numbers in the description of summarise, from 20,000 experiments each. Four standard deviations of 2000
    # experiments are at most 2.9 points.
    experiments = np.random.default_rng(3).exponential(size=(2000, n))
    for expected, interval in ((student, lambda x: summarise(x).interval), (transformed, hall)):
        covered = sum(low <= 1 <= high for low, high in map(interval, experiments))
        assert covered / 20 == pytest.approx(expected, abs=2.9)


@pytest.mark.parametrize(("n", "wider"), [(5, 1.20), (10, 1.04), (20, 1.01)])
def test_the_transformed_interval_is_wider_for_symmetric_samples(n: int, wider: float) -> None:
    experiments = np.random.default_rng(4).normal(size=(2000, n))
    transformed = np.median([high - low for low, high in map(hall, experiments)])
    usual = np.median([2 * (summarise(samples).half_width or 0) for samples in experiments])
    assert transformed / usual == pytest.approx(wider, abs=0.04)


def test_two_runs_are_more_than_two_errors_apart_more_often_than_the_normal_law_says() -> None:
    # The difference of two means of n normal samples over its estimated error has Student's law with 2 (n - 1) degrees:
    # P(|t(8)| > 2) = 8.05 %, P(|t(18)| > 2) = 6.08 %, P(|t(38)| > 2) = 5.27 %; of the normal law it is 4.55 %.
    numbers = np.random.default_rng(5)
    for n, expected in ((5, 0.0805), (10, 0.0608), (20, 0.0527)):
        first, second = numbers.normal(size=(2, 20000, n))
        error = np.sqrt((first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1)) / n)
        apart = np.abs(first.mean(axis=1) - second.mean(axis=1)) > 2 * error
        assert apart.mean() == pytest.approx(expected, abs=4 * math.sqrt(expected / 20000))


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


def test_logarithms_of_ratios_are_nan_where_there_is_none() -> None:
    found = log_ratios(np.array([math.e, 1, 0, 1, -1]), np.array([1, 1, 1, 0, 1]))
    assert found == pytest.approx([1, 0, math.nan, math.nan, math.nan], nan_ok=True)
