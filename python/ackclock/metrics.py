"""Metrics that are derived from a run's records or series.

What a single record already holds (goodput, RTT percentiles, drops...) is defined by the simulator; here are the ones
that combine several values. All take and return plain numbers or one-dimensional float arrays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def jain_index(shares: Vector) -> float:
    """Jain's fairness index (sum x)^2 / (n * sum x^2): 1 for equal shares, 1/n when one has everything.

    R. Jain, D. Chiu, W. Hawe, DEC TR-301 (1984), equation 1. ``nan`` entries are left out; nan when nothing is left or
    nobody has anything.
    """
    shares = shares[np.isfinite(shares)]
    squares = float(np.sum(shares**2))
    return float(np.sum(shares)) ** 2 / (shares.size * squares) if squares > 0 else float("nan")


def coefficient_of_variation(values: Vector) -> float:
    """Population standard deviation over mean, without unit; the smoothness measure of RFC 5166 section 2.5.

    ``nan`` entries are left out; nan for an empty vector or a mean of zero.
    """
    values = values[np.isfinite(values)]
    mean = float(np.mean(values)) if values.size else 0.0
    return float(np.std(values)) / mean if mean != 0 else float("nan")


def convergence_time(
    time_s: Vector,
    first: Vector,
    second: Vector,
    start_s: float,
    region_s: tuple[float, float],
    lower: float = 0.45,
    upper: float = 0.55,
) -> float:
    """The 45-55 % convergence time of a second flow that joins a first, in seconds after ``start_s``.

    S. Jain, LTCP-RC (Texas A&M University, 2005), chapter IV section E: let M be the maximum of the first flow's cwnd
    in the ``region_s`` = (from, to) where it is alone. The time counts from the start of the second flow until both
    the first has come down to ``upper`` * M and the second has reached ``lower`` * M, each at its first crossing. nan
    when either never happens, or when the region holds no sample.

    ``time_s``, ``first`` and ``second`` are series of one length.
    """
    alone = (time_s >= region_s[0]) & (time_s <= region_s[1]) & np.isfinite(first)
    if not np.any(alone):
        return float("nan")
    peak = float(np.max(first[alone]))
    joined = time_s >= start_s
    came_down = time_s[joined & (first <= upper * peak)]
    went_up = time_s[joined & (second >= lower * peak)]
    if came_down.size == 0 or went_up.size == 0:
        return float("nan")
    return float(max(came_down[0], went_up[0])) - start_s
