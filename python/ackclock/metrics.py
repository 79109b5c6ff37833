"""Metrics that are derived from a run's records or series.

The simulator defines the values of single records (goodput, RTT percentiles, drops...); this module has the metrics
that combine several values. All take and return plain numbers or one-dimensional float arrays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def jain_index(shares: Vector) -> float:
    """Returns Jain's fairness index (sum x)^2 / (n * sum x^2): 1 for equal shares, 1/n when one has everything.

    R. Jain, D. Chiu, W. Hawe, DEC TR-301 (1984), equation 1. ``nan`` entries are left out; nan when nothing is left or
    all are zero.
    """
    shares = shares[np.isfinite(shares)]
    squares = float(np.sum(shares**2))
    return float(np.sum(shares)) ** 2 / (shares.size * squares) if squares > 0 else float("nan")


def coefficient_of_variation(values: Vector) -> float:
    """Returns the population standard deviation over the mean, without unit; the smoothness measure of RFC 5166
    section 2.5.

    ``nan`` entries are left out; nan for an empty vector or a mean of zero.
    """
    values = values[np.isfinite(values)]
    mean = float(np.mean(values)) if values.size else 0.0
    return float(np.std(values)) / mean if mean != 0 else float("nan")


def correlation(first: Vector, second: Vector) -> float:
    """Returns Pearson's correlation coefficient of two vectors of one length.

    Pairs in which either is ``nan`` are left out; nan for fewer than two pairs or a vector that does not vary.
    """
    both = np.isfinite(first) & np.isfinite(second)
    if np.count_nonzero(both) < 2:
        return float("nan")
    a, b = first[both] - np.mean(first[both]), second[both] - np.mean(second[both])
    scale = float(np.sqrt(np.sum(a**2) * np.sum(b**2)))
    return float(np.sum(a * b)) / scale if scale > 0 else float("nan")


def time_of_max(time_s: Vector, values: Vector) -> float:
    """Returns the first time at which ``values`` is largest; nan when it holds no number."""
    if not np.any(np.isfinite(values)):
        return float("nan")
    return float(time_s[np.nanargmax(values)])


def time_of_reaching(time_s: Vector, values: Vector, level: float) -> float:
    """Returns the first time at which ``values`` is ``level`` or more; nan when it never is."""
    reached = np.flatnonzero(values >= level)
    return float(time_s[reached[0]]) if reached.size else float("nan")


def hurst(counts: Vector) -> float:
    """Returns the Hurst parameter of counts in consecutive bins, by aggregated variances.

    Alnuem 2009, appendix C: with m = 2, 4, 8... up to half the number of bins, the variance of the means of m bins each
    falls as m^(2H - 2); H comes from the least-squares slope of its logarithm over that of m. 0.5 without memory, above
    it with long-range dependence. nan if fewer than two of those variances are positive.
    """
    sizes = 2 ** np.arange(1, max(2, int(np.log2(max(counts.size, 2)))))
    blocks = [
        counts[: counts.size // m * m].reshape(-1, m).mean(axis=1) for m in sizes if counts.size // m >= 2
    ]
    spread = np.array([float(np.var(means, ddof=1)) for means in blocks])
    positive = spread > 0
    if np.count_nonzero(positive) < 2:
        return float("nan")
    slope = np.polyfit(np.log10(sizes[: spread.size][positive]), np.log10(spread[positive]), 1)[0]
    return float(slope) / 2 + 1


def stretches(time_s: Vector, values: Vector, start_s: float, width_s: float) -> tuple[Vector, Vector]:
    """Returns the starts and the means of the stretches of ``width_s`` from ``start_s`` on that ``time_s`` covers in
    full.

    A stretch includes its start and not its end; ``nan`` values are left out.
    """
    if not width_s > 0:
        raise ValueError(f"found width_s = {width_s:g}, expected a time above 0 s")
    # Times such as 0.3 are not exact: a sample on a border must not fall into the stretch before it.
    index = np.floor((time_s - start_s) / width_s + 1e-9).astype(int)
    step = float(np.max(np.diff(time_s), initial=0.0))
    last = int(np.floor((time_s[-1] + step - start_s) / width_s + 1e-9)) if time_s.size else 0
    starts: Vector = start_s + width_s * np.arange(last, dtype=np.float64)
    means: Vector = np.full(last, np.nan, dtype=np.float64)
    for k in range(last):
        inside = values[(index == k) & np.isfinite(values)]
        means[k] = np.mean(inside) if inside.size else np.nan
    return starts, means


def growth(time_s: Vector, counts: Vector, start_s: float, width_s: float) -> Vector:
    """Returns the growth of a count in the stretches of ``width_s`` from ``start_s`` on that ``time_s`` covers in full.

    The count at a border is that of the last sample at or before it, so ``width_s`` should be a multiple of the
    sampling interval.
    """
    if not width_s > 0:
        raise ValueError(f"found width_s = {width_s:g}, expected a time above 0 s")
    if not time_s.size:
        return np.empty(0)
    # Times such as 0.3 are not exact: a sample on a border must not fall behind it.
    tolerance = 1e-9 * width_s
    whole = max(0, int(np.floor((time_s[-1] - start_s + tolerance) / width_s)))
    borders = start_s + width_s * np.arange(whole + 1)
    places = np.searchsorted(time_s, borders + tolerance, side="right") - 1
    return np.diff(counts[np.maximum(places, 0)])


def convergence_time(
    time_s: Vector,
    first: Vector,
    second: Vector,
    start_s: float,
    region_s: tuple[float, float],
    lower: float = 0.45,
    upper: float = 0.55,
) -> float:
    """Returns the 45-55 % convergence time of a second flow that joins a first, in seconds after ``start_s``.

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
