"""Means, spreads and Student-t intervals over replications, and paired comparisons on common random numbers.

Vectors are one-dimensional float arrays in seed order. ``nan`` marks a missing sample and is left out; a comparison
leaves out the pairs in which either is missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

# NumPy takes a third of the time in which `ackclock run` starts, and the summary of a single run does without it.
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]

LEVEL = 0.95


@dataclass(frozen=True)
class Summary:
    """``mean`` is None without samples, ``std`` and ``interval`` with fewer than two; ``count`` leaves out nan."""

    mean: float | None
    std: float | None
    interval: tuple[float, float] | None
    count: int

    @property
    def half_width(self) -> float | None:
        """Returns half the width of the interval, in the unit of the samples."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2

    def less(self, amount: float) -> Summary:
        """Returns the summary of the samples minus ``amount``."""
        mean = None if self.mean is None else self.mean - amount
        interval = None if self.interval is None else (self.interval[0] - amount, self.interval[1] - amount)
        return replace(self, mean=mean, interval=interval)

    def p_above(self, bound: float) -> float:
        """Returns the one-sided p-value for a mean above ``bound``: at most 0.025 if the whole 95 % interval lies
        above it.

        It is the probability of samples that support it at least as much if the mean were ``bound``; 1 if there is no
        interval, and 0 or 1 for equal samples.
        """
        if self.mean is None or self.std is None:
            return 1.0
        if self.std == 0:
            return 0.0 if self.mean > bound else 1.0
        from scipy.special import stdtr

        statistic = (self.mean - bound) / (self.std / math.sqrt(self.count))
        return float(stdtr(self.count - 1, -statistic))

    def p_below(self, bound: float) -> float:
        """Returns the one-sided p-value for a mean below ``bound``."""
        if self.mean is None or self.std is None or self.std == 0:
            return 0.0 if self.std == 0 and self.mean is not None and self.mean < bound else 1.0
        return 1 - self.p_above(bound)


def summarise(samples: Sequence[float] | Vector, level: float = LEVEL) -> Summary:
    """Returns mean, sample standard deviation (n - 1) and two-sided Student-t interval of the mean.

    The interval is mean ± t(n - 1) * std / sqrt(n). It is exact for normal samples. For skewed samples it covers
    the mean too seldom: for exponential samples in 88, 90 and 92 % of studies with 5, 10 and 20 replications.

    Three alternatives were tried, with the aim to cover the mean in 94 to 96 % of studies for lognormal, exponential
    and two-valued samples with 5, 10 and 20 replications without being wider for symmetric ones. None achieves this:

    * N. J. Johnson, "Modified t tests and confidence intervals for asymmetrical populations", Journal of the American
      Statistical Association 73, 1978, covers the mean as seldom as Student's;
    * P. Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B 54, 1992, in
      92, 94 and 94 % for exponential samples, and in 88, 90 and 92 % for lognormal ones of unit deviation; it is 20, 4
      and 1 % wider for normal ones;
    * bootstrap-t (P. Hall, "The Bootstrap and Edgeworth Expansion", 1992) is like Hall's, and as wide.

    None helps with a rare value: two-valued samples of which one in ten has the other value are all equal in
    more than half of studies with 5 replications. Resampled from 893 claims of the recorded runs with 28 replications
    or more, Student's covers the mean in 92.2, 93.1 and 93.8 % of studies, Hall's in 93.0, 93.9 and 94.6 %.
    """
    import numpy as np

    values = np.asarray(samples, dtype=np.float64)
    values = values[np.isfinite(values)]
    if values.size == 0:
        return Summary(None, None, None, 0)
    # Equal samples are common (a loss of exactly 0 in all replications), and their rounded mean may differ from
    # them: the sum of ten times 0.1 is not 1.
    if np.all(values == values[0]):
        value = float(values[0])
        certain = values.size > 1
        return Summary(value, 0.0 if certain else None, (value, value) if certain else None, values.size)
    mean = float(np.mean(values))
    std = float(np.std(values, ddof=1))
    half = t_quantile(values.size - 1, level) * std / math.sqrt(values.size)
    return Summary(mean, std, (mean - half, mean + half), values.size)


@lru_cache(maxsize=1024)
def t_quantile(degrees_of_freedom: int, level: float = LEVEL) -> float:
    """Returns the t that a Student variable does not exceed, in absolute value, with probability ``level``."""
    from scipy.special import (
        stdtrit,
    )  # scipy.stats has the same function and takes ten times as long to import

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def rate_interval(count: int, of: int, error: float) -> tuple[float, float]:
    """Returns the interval of a probability from ``count`` successes in ``of`` trials, exact, with ``error`` beyond
    each end (C. J. Clopper, E. S. Pearson, "The Use of Confidence or Fiducial Limits", Biometrika 26, 1934).
    """
    from scipy.special import betaincinv

    low = float(betaincinv(count, of - count + 1, error)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - error)) if count < of else 1.0
    return low, high


def paired_difference(first: Sequence[float] | Vector, second: Sequence[float] | Vector) -> Summary:
    """Returns the summary of ``first - second``, element by element.

    Element k of both ran with the same seed, so variation that both share cancels: the interval is narrower than that
    of two independent means. ValueError when the lengths differ.
    """
    import numpy as np

    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"a paired comparison needs vectors of equal length, found {a.size} and {b.size}")
    return summarise(a - b)


def log_ratios(first: Vector, second: Vector) -> Vector:
    """Returns ln(first / second), element by element; nan where that is not finite."""
    import numpy as np

    with np.errstate(all="ignore"):
        logs = np.log(first / second)
    return np.where(np.isfinite(logs), logs, np.nan)


def relative_precision(samples: Sequence[float] | Vector) -> float | None:
    """Returns half the interval over the absolute mean; None with fewer than two samples or a mean of zero."""
    summary = summarise(samples)
    if summary.half_width is None or not summary.mean:
        return None
    return summary.half_width / abs(summary.mean)
