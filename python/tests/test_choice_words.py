"""The best of several settings: chosen on one half of the replications, judged on the other."""

from __future__ import annotations

import numpy as np
import pytest

from ackclock.experiment.choice_words import cross_fitted_max, cross_fitted_min
from ackclock.statistics import summarise


def test_each_half_is_judged_with_what_the_other_half_chose() -> None:
    # Means of replications 0 and 2: 2 and 3, the first is least, so 1 and 3 take the first's 9 and 7. Means of 1 and 3:
    # 8 and 5, the second is least, so 0 and 2 take the second's 4 and 2.
    first, second = np.array([1.0, 9.0, 3.0, 7.0]), np.array([4.0, 6.0, 2.0, 4.0])
    assert cross_fitted_min(first, second).tolist() == [4, 9, 2, 7]
    assert cross_fitted_max(first, second).tolist() == [1, 6, 3, 4]
    # The same as one sweep of two values.
    assert cross_fitted_min(np.stack([first, second], axis=1)).tolist() == [4, 9, 2, 7]


def test_a_setting_that_is_always_best_is_always_taken() -> None:
    rng = np.random.default_rng(1)
    sweep = rng.normal(10, 0.1, (20, 6))
    best = rng.normal(9, 0.1, 20)
    assert (cross_fitted_min(sweep, best) == best).all()


def studies_that_see_a_win(settings: int) -> float:
    """Where all settings are alike: the share of studies whose interval lies below the truth."""
    rng = np.random.default_rng(2)
    intervals = [
        summarise(cross_fitted_min(rng.normal(1, 0.1, (20, settings)))).interval for _ in range(1500)
    ]
    ends = np.array([interval for interval in intervals if interval is not None])
    return float((ends[:, 1] < 1).mean())


@pytest.mark.parametrize("settings", [2, 6, 54])
def test_pure_noise_shows_no_win(settings: int) -> None:
    # A win by chance is due in 2.5 % of studies; the two halves choosing alike lifts that to 4 to 6. The deviation of
    # 5 % over 1500 studies is 0.6 %.
    assert studies_that_see_a_win(settings) < 0.075


def test_what_it_replaces_sees_a_win_in_pure_noise() -> None:
    # The least of six of each run is below 1 by 1.27 deviations on average: seen by every study.
    rng = np.random.default_rng(2)
    intervals = [summarise(rng.normal(1, 0.1, (20, 6)).min(axis=1)).interval for _ in range(100)]
    assert all(interval is not None and interval[1] < 1 for interval in intervals)


def test_what_lacks_a_sample_where_it_is_chosen_is_not() -> None:
    first, second = np.array([1.0, 9.0, np.nan, 7.0]), np.array([4.0, 6.0, 2.0, 4.0])
    # Replications 1 and 3 can have only the second; 0 and 2 take the second, which is least over 1 and 3.
    assert cross_fitted_min(first, second).tolist() == [4, 6, 2, 4]


def test_one_replication_has_no_other_half() -> None:
    assert np.isnan(cross_fitted_min(np.array([1.0]), np.array([2.0]))).all()


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="two or more settings"):
        cross_fitted_min(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="found a constant"):
        cross_fitted_min(np.array([1.0, 2.0]), np.asarray(3.0))
