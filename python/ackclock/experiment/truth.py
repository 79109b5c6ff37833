"""The truth of a statement over the replications: it surely holds, surely fails, or is undecided.

A :class:`Truth` is three-valued and joined by ``&``, ``|`` and ``~``. It carries two one-sided p-values, one for
holding and one for failing, by the method of the 95 % interval: a single comparison is decided if the whole
interval lies on one side.

Joined comparisons are corrected for their number. "All of n" holds surely if each of them does, without a correction
(the intersection-union test: R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics
24, 1982). It surely fails if Holm's first step finds one that fails: if n times the least p-value is small enough
(S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
Without the factor, one of 20 true parts is refuted by chance in 1 - 0.975^20 = 40 % of studies. "Any of n" is the
reverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ackclock.experiment.expression import Array
from ackclock.experiment.model import Result
from ackclock.statistics import LEVEL, Summary, summarise, t_quantile

NEGLIGIBLE = 1e-3
"""The largest relative difference that is negligible: at most one unit in the third significant digit.

Neither a table of three digits nor a printed curve can show a smaller one: 0.08 percentage points are negligible for a
utilisation near 100 %. For a small quantity, a small difference counts: 0.01 percentage points are not negligible for a
loss of 1 %, because they are a hundredth of it.
"""
ERROR = (1 - LEVEL) / 2
"""The largest one-sided p-value at which a result is decided: the probability beyond one end of the 95 % interval."""


@dataclass(frozen=True)
class Evidence:
    """The evidence for one answer: its p-value, and how many replications would reduce it to a given error.

    ``parts`` are the parts of an "any of"; they stay separate until they are counted, so that nested ones count
    together.
    """

    p: float
    needed: Callable[[float], float]
    """Returns about how many replications would reduce the p-value to a given error; infinite if the mean contradicts
    the answer. Not called if ``p`` is at most that error.
    """
    parts: tuple[Evidence, ...] = ()
    tests: bool = True
    """Whether the result depends on chance. False for a comparison of constants: corrections for several tests do not
    count it as a test.
    """

    def replications(self, error: float) -> float:
        """Returns about how many replications suffice for ``error``; 0 if there are enough."""
        return 0.0 if self.p <= error else self.needed(error)


def every(evidence: Iterable[Evidence]) -> Evidence:
    """Returns the evidence that all parts hold: each at the full error."""
    parts = list(evidence)
    return Evidence(
        max(part.p for part in parts),
        lambda error: max(part.replications(error) for part in parts),
        tests=any(part.tests for part in parts),
    )


def some(evidence: Iterable[Evidence]) -> Evidence:
    """Returns the evidence that one part holds: Holm's first step, where each part gets an equal part of the error."""
    parts = tuple(part for one in evidence for part in (one.parts or (one,)))
    count = max(sum(part.tests for part in parts), 1)
    return Evidence(
        min(*(part.p * (count if part.tests else 1) for part in parts), 1.0),
        lambda error: min(part.replications(error / count) for part in parts),
        parts,
        tests=any(part.tests for part in parts),
    )


@dataclass(frozen=True)
class Truth:
    """Evidence for and against a statement; ``holds`` says which of them suffices.

    ``share`` is the size of the difference relative to the larger side of the comparison, None if one side has no size
    of its own. For several comparisons it is the greatest.
    """

    holding: Evidence
    failing: Evidence
    share: float | None = None
    error: float = ERROR

    @property
    def result(self) -> Result:
        """Returns the answer that ``error`` allows."""
        if self.holding.p <= self.error:
            return Result.MET
        return Result.NOT_MET if self.failing.p <= self.error else Result.UNDECIDED

    @property
    def replications(self) -> float:
        """Returns about how many replications would decide; infinite if no number would."""
        return min(one.replications(self.error) for one in (self.holding, self.failing))

    def __and__(self, other: Truth) -> Truth:
        return all_of([self, other])

    def __or__(self, other: Truth) -> Truth:
        return ~all_of([~self, ~other])

    def __invert__(self) -> Truth:
        return replace(self, holding=self.failing, failing=self.holding)

    @property
    def comparisons(self) -> int:
        """Returns the number of joined comparisons, for which one answer is corrected."""
        return max(sum(part.tests for part in one.parts) for one in (self.holding, self.failing)) or 1


def all_of(truths: Sequence[Truth]) -> Truth:
    """Returns the truth of the statement that all ``truths`` hold."""
    if len(truths) == 1:
        return truths[0]
    shares = [truth.share for truth in truths if truth.share is not None]
    return Truth(
        every(truth.holding for truth in truths),
        some(truth.failing for truth in truths),
        max(shares) if len(shares) == len(truths) else None,
        min(truth.error for truth in truths),
    )


def compared(comparison: str, difference: Array, size: float | None = None) -> Truth:
    """Returns the truth of ``difference comparison 0``, by its mean; ``size`` is the size of the sides."""
    if difference.ndim == 0:  # both sides are constants
        return _certain(_satisfied(comparison, float(difference)), tests=False)
    summary = summarise(difference)
    low, high = (-math.inf, 0.0) if comparison.startswith("<") else (0.0, math.inf)
    truth = within(summary, low, high, closed=comparison.endswith("="))
    return replace(truth, share=share_of(summary, size))


def within(summary: Summary, low: float, high: float, *, closed: bool | tuple[bool, bool] = True) -> Truth:
    """Returns the truth of the mean lying between ``low`` and ``high``, which count as inside if ``closed``: both or
    each.

    A single replication decides nothing; without any the statement fails. A mean cannot lie beyond both
    ends, so two ends are one test.
    """
    if summary.mean is None:
        return _certain(holds=False)
    if summary.interval is None:
        nothing = Evidence(1.0, lambda _: math.inf)
        return Truth(nothing, nothing)
    inside, outside = list[float](), list[float]()
    ends = [(low, 1), (high, -1)]
    for (end, sign), shut in zip(ends, (closed, closed) if isinstance(closed, bool) else closed, strict=True):
        if math.isinf(end):
            continue
        # Decimal fractions are not exact in binary: 0.3 - 0.2 would lie outside a tolerance of 0.1.
        slack = 1e-12 * max(abs(summary.mean), abs(end))
        edge = end - sign * (slack if shut else -slack)
        above, below = summary.p_above(edge), summary.p_below(edge)
        if summary.mean == edge and not summary.std:
            above, below = (0.0, 1.0) if shut == (sign > 0) else (1.0, 0.0)
        inside.append(above if sign > 0 else below)
        outside.append(below if sign > 0 else above)
    near = min((abs(summary.mean - end) for end, _ in ends if math.isfinite(end)), default=math.inf)
    deciding, never = partial(_deciding, summary, near), lambda _: math.inf
    lies_inside = low <= summary.mean <= high
    return Truth(
        Evidence(max(inside, default=0.0), deciding if lies_inside else never),
        Evidence(min(outside, default=1.0), never if lies_inside else deciding),
    )


def share_of(summary: Summary, size: float | None) -> float | None:
    """Returns the size of a difference relative to ``size``; None if either is unknown.

    A difference that surely exists has the size of its mean. One that may be none has the size of the larger end of its
    interval: it is next to nothing only if nothing in the interval is more.
    """
    if summary.mean is None or summary.interval is None or size is None or not math.isfinite(size):
        return None
    low, high = summary.interval
    largest = abs(summary.mean) if low > 0 or high < 0 else max(-low, high)
    return 0.0 if largest == 0 else math.inf if size == 0 else largest / size


def size_of(*sides: Array) -> float | None:
    """Returns the larger of the sides' mean magnitudes."""
    means = [float(np.nanmean(np.abs(side))) for side in sides if np.isfinite(side).any()]
    return max(means, default=None)


def _deciding(summary: Summary, distance: float, error: float) -> float:
    """Returns about how many replications would decide a mean at this ``distance`` from an end, if mean and spread
    stay.
    """
    if distance == 0 or summary.std is None:
        return math.inf
    ratio, level = summary.std / distance, 1 - 2 * error
    count = max(summary.count + 1, 2)
    while count < 1e6 and t_quantile(int(count) - 1, level) * ratio > math.sqrt(count):
        count = max(count + 1, int(count * 1.05))
    return float(count)


def _certain(holds: bool, *, tests: bool = True) -> Truth:
    no, yes = (Evidence(p, lambda _: math.inf, tests=tests) for p in (1.0, 0.0))
    return Truth(yes, no) if holds else Truth(no, yes)


def _satisfied(comparison: str, value: float) -> bool:
    return {"<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0}[comparison]
