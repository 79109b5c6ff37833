"""From samples to a finding: the one place where a criterion is judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ackclock.experiment.expression import Array, ExpressionError, parsed
from ackclock.experiment.model import Criterion, Finding, Result
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.experiment.truth import ERROR, Truth, within
from ackclock.statistics import summarise

_T = TypeVar("_T")
MOST_NEEDED = 1e6
"""The number of needed seeds is reported as unknown if its estimate is at least this large."""


def judge(criterion: Criterion, words: SampleWords, seeds: int, error: float = ERROR) -> Finding:
    """Returns the finding over the first ``seeds`` samples in ``words``.

    ``error`` is the largest one-sided p-value that decides. ExpressionError, naming the key, when an expression cannot
    be computed.
    """
    values = None
    if criterion.measured:
        values = _naming("measured", lambda: samples_of(parsed(criterion.measured), words, seeds))
    if not criterion.order:
        return judge_values(criterion, [] if values is None else values, error)
    truth: Truth = _naming("order", lambda: parsed(criterion.order).truth(words))
    truth = replace(truth, error=error)
    shown = judge_values(criterion, [] if values is None else values, error)
    return replace(shown, result=truth.result, needed=_needed(truth), truth=truth)


def judge_values(criterion: Criterion, values: Sequence[float] | Array, error: float = ERROR) -> Finding:
    """Returns the finding over the values of what is measured, one for each seed.

    Of a logarithmic criterion, ``values`` and its limits are those of the quantity itself; values without a logarithm
    count as missing.
    """
    measured = np.asarray(values, dtype=np.float64)
    low, high = criterion.range
    if criterion.logarithmic:
        with np.errstate(all="ignore"):
            measured = np.log(measured)
        low, high = _log(low), _log(high)
    summary = summarise(measured, 1 - 2 * error)
    truth = None
    if (criterion.low, criterion.high) != (None, None) and summary.mean is not None:
        truth = replace(
            within(summary, low, high, closed=(not criterion.low_open, not criterion.high_open)), error=error
        )
    back = math.exp if criterion.logarithmic else float
    return Finding(
        criterion,
        Result.NOT_JUDGED if truth is None else truth.result,
        None if summary.mean is None else back(summary.mean),
        None if summary.interval is None else (back(summary.interval[0]), back(summary.interval[1])),
        seeds=summary.count,
        missing=measured.size - summary.count,
        needed=None if truth is None else _needed(truth),
        truth=truth,
        values=tuple(map(float, values)),
    )


def _needed(truth: Truth) -> int | None:
    if truth.result is not Result.UNDECIDED:
        return None
    needed = truth.replications
    return int(needed) if needed < MOST_NEEDED else None


def _log(limit: float) -> float:
    return math.log(limit) if limit > 0 else -math.inf


def _naming(key: str, compute: Callable[[], _T]) -> _T:
    try:
        return compute()
    except ExpressionError as error:
        raise ExpressionError(f"{key}: {error}") from None
