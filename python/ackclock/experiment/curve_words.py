"""Functions of claims about curves of one metric over another, such as loss over delay.

A curve is the line through the points of a sweep in the order of its values; its two metrics are arrays of
(replications, points). A line may turn back, so a curve can pass the same x more than once.

    at_equal(x, y, at)                      y where the curve passes x = at; the mean if it passes more than once,
                                            no sample if it does not reach so far
    gap_at_equal(x, y, other_x, other_y)    how far the curve lies above the other one's points, at equal x; the mean
                                            over those that it reaches, no sample if it reaches none
    share_matched(x, y, x1, y1, ...)        the share of the points (x, y) for which one of the other curves passes a
                                            point with neither a higher x nor a higher y: less is better, so negate a
                                            metric that should be high
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ackclock.experiment.expression import Array, Value


def at_equal(x: Array, y: Array, at: Array) -> Array:
    """at_equal(x, y, at), e.g. at_equal(delay('red[*]'), loss('red[*]'), 20)"""
    x, y = _curve(x, y)
    wanted = np.broadcast_to(np.asarray(at, dtype=np.float64), x.shape[:1])
    return np.array([_mean(_passes(*line)) for line in zip(x, y, wanted, strict=True)])


def gap_at_equal(x: Array, y: Array, other_x: Array, other_y: Array) -> Array:
    """gap_at_equal(x, y, x2, y2), e.g. gap_at_equal(delay('a[*]'), loss('a[*]'), delay('b[*]'), loss('b[*]'))"""
    x, y = _curve(x, y)
    other_x, other_y = _curve(other_x, other_y)
    return np.array(
        [
            _mean([_mean(_passes(line_x, line_y, at)) - level for at, level in zip(*points, strict=True)])
            for line_x, line_y, *points in zip(x, y, other_x, other_y, strict=True)
        ]
    )


def share_matched(x: Array, y: Array, *curves: Array) -> Array:
    """share_matched(x, y, x1, y1, ...), e.g. share_matched(delay('a[*]'), loss('a[*]'), delay('b[*]'), loss('b[*]'))"""
    x, y = _curve(x, y)
    if not curves or len(curves) % 2:
        raise ValueError("expected the x and y of a curve, then the x and y of one or more other curves")
    others = [_curve(*curves[k : k + 2]) for k in range(0, len(curves), 2)]
    return np.array(
        [
            np.mean(
                [
                    any(_reaches(ox[k], oy[k], px, py) for ox, oy in others)
                    for px, py in zip(x[k], y[k], strict=True)
                ]
            )
            for k in range(len(x))
        ]
    )


CURVES: Mapping[str, Callable[..., Value]] = {
    "at_equal": at_equal,
    "gap_at_equal": gap_at_equal,
    "share_matched": share_matched,
}


def _curve(x: Array, y: Array) -> tuple[Array, Array]:
    if x.ndim != 2 or x.shape != y.shape:
        raise ValueError(
            "expected two metrics over the same part of a sweep, such as delay('red[*]'), loss('red[*]')"
        )
    return x, y


def _passes(x: Array, y: Array, at: float) -> list[float]:
    """Returns the values of y at which the line through the points passes ``at``."""
    found = [float(level) for place, level in zip(x, y, strict=True) if place == at]
    found += [
        float(y[k] + (y[k + 1] - y[k]) * (at - x[k]) / (x[k + 1] - x[k]))
        for k in range(len(x) - 1)
        if min(x[k], x[k + 1]) < at < max(x[k], x[k + 1])
    ]
    return found


def _reaches(x: Array, y: Array, most_x: float, most_y: float) -> bool:
    """Returns whether the line has a point with x and y at most these: a corner, or the place where it passes
    ``most_x``.
    """
    return bool(((x <= most_x) & (y <= most_y)).any()) or any(
        level <= most_y for level in _passes(x, y, most_x)
    )


def _mean(values: list[float]) -> float:
    """Returns the mean of the values that have a sample."""
    present = [value for value in values if np.isfinite(value)]
    return float(np.mean(present)) if present else np.nan
