"""Curves of one metric over another: what claims can ask of them."""

from __future__ import annotations

import numpy as np
import pytest

from ackclock.experiment.curve_words import at_equal, gap_at_equal, share_matched

# A line that rises to (4, 8) by y = 2x, then turns back to (2, 10).
X = np.array([[0.0, 4.0, 2.0]])
Y = np.array([[0.0, 8.0, 10.0]])


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (1.0, 2.0),  # once, on the way out
        (3.0, 7.5),  # at 6 on the way out, and at 9 half way back: the mean
        (2.0, 7.0),  # at 4 on the way out, and at the end, 10
        (4.0, 8.0),  # a corner counts once
        (4.5, np.nan),
    ],
)
def test_a_curve_at_a_place(at: float, expected: float) -> None:
    assert at_equal(X, Y, np.asarray(at)) == pytest.approx([expected], nan_ok=True)


def test_each_replication_has_its_own_curve_and_place() -> None:
    x, y = np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [10.0, 20.0]])
    assert at_equal(x, y, np.array([0.5, 0.1])) == pytest.approx([0.5, 11])


def test_a_gap_counts_the_points_that_the_curve_reaches() -> None:
    # At x = 1 the curve is at 2, at x = 4 at 8; x = 9 is beyond it. (2 - 1 + 8 - 5) / 2.
    other_x, other_y = np.array([[1.0, 4.0, 9.0]]), np.array([[1.0, 5.0, 0.0]])
    assert gap_at_equal(X, Y, other_x, other_y) == pytest.approx([2])
    assert np.isnan(gap_at_equal(X, Y, other_x + 10, other_y)).all()


def test_points_are_matched_by_a_place_that_is_no_worse() -> None:
    x, y = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[9.0, 5.0, 4.0, 1.0]])
    # From (1, 8) down to (3, 4): below (1, 9); at x = 2 it is at 6, above 5; at its end equal to (3, 4); (4, 1) is out.
    falling_x, falling_y = np.array([[1.0, 3.0]]), np.array([[8.0, 4.0]])
    assert share_matched(x, y, falling_x, falling_y) == pytest.approx([2 / 4])
    # One point at (2, 2), twice, matches the second and the third: together three of the four.
    point = np.array([[2.0, 2.0]])
    assert share_matched(x, y, point, point) == pytest.approx([2 / 4])
    assert share_matched(x, y, falling_x, falling_y, point, point) == pytest.approx([3 / 4])


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="two metrics over the same part of a sweep"):
        at_equal(X[0], Y[0], np.asarray(1.0))
    with pytest.raises(ValueError, match="the x and y of one or more other curves"):
        share_matched(X, Y, X)
