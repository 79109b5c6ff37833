"""The vocabulary of a claim's expression: the metrics of all cases, as vectors over the replications.

    loss('rbcc-5'), loss('rbcc[5]')
        the metric `loss` of a case: one number per replication
    loss('rbcc[*]'), loss('rbcc[2..5]'), loss('rbcc[..5]'), loss('rbcc[5..]')
        the metric at all values of the sweep, or at some: one column per value
    axis('rbcc[*]')
        the values of the sweep themselves
    max, min, mean, sum, std, median
        of one argument, along the sweep; `min` and `max` of several, element by element
    first_above(x, y, level)
        the first x at which y exceeds the level; no sample if y never does
    trend(x, y)
        Spearman's rank correlation: 1 if y always rises with x
    slope(x, y)
        the least-squares slope
    at_equal(x, y, at)
        the y at x = `at` of the curve through the points `x`, `y` of a sweep: `at_equal(delay('red[*]'),
        loss('red[*]'), 20)`. The mean if the curve passes `at` more than once, no sample if it does not reach `at`
    gap_at_equal(x, y, x2, y2)
        how far the first curve lies above the points of the second at equal x, as the mean over the points within
        the range of the first
    share_matched(x, y, x1, y1, ...)
        the share of the first curve's points for which one of the other curves passes a point with neither a
        higher x nor a higher y; negate a quantity that should be high
    harm_to_more(solo, beside), harm_to_less(solo, beside)
        the harm to a flow from its values alone (`solo`) and with competing flows (`beside`): (solo - beside) / solo
        for a quantity of which more is better, (beside - solo) / beside for one of which less is better, such as delay
    cross_fitted_min(x, ...), cross_fitted_max(x, ...)
        the best of several settings, each an argument or one of a sweep's values: each half of the replications
        is judged with the setting that was best over the other half. A plain `min` would be biased low by chance
    abs, sqrt, log, log10, exp, + - * / **
        as usual

Element k of every vector comes from seed k, so differences and ratios are paired (common random numbers). A value with
one column per sweep value has to be reduced before it is judged.

A comparison can have such a value: loss('rbcc[*]') < loss('reno[*]') means "at each value". Its columns are comparisons
joined by ``and``, and corrected for their number like others. One number per replication, or a constant, is compared
with each column: loss('rbcc[*]') < loss('vegas'). Two parts of sweeps need the same number of values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ackclock._names import nearest
from ackclock.experiment.choice_words import CHOICES
from ackclock.experiment.curve_words import CURVES
from ackclock.experiment.expression import Array, Expression, ExpressionError, Join, Value, aligned
from ackclock.experiment.model import Setting, sweep_text
from ackclock.experiment.rfc5166 import harm_to_less, harm_to_more
from ackclock.experiment.run_words import ELEMENTWISE
from ackclock.experiment.truth import Truth, compared, size_of

_SELECTION = re.compile(r"(?P<case>[^\[\]]+)\[(?P<what>\*|(?P<low>[^\[\]]*)\.\.(?P<high>[^\[\]]*))\]\Z")


class SampleWords:
    """The vocabulary of claims: ``samples[metric][run name]`` is a vector over the replications."""

    def __init__(self, samples: Mapping[str, Mapping[str, Array]], runs: Sequence[Setting]) -> None:
        self._samples, self._runs = samples, runs
        self.values: Mapping[str, Value] = {}
        self.functions: Mapping[str, Callable[..., Value]] = {
            **ELEMENTWISE,
            **REDUCTIONS,
            **CURVES,
            **CHOICES,
            "first_above": first_above,
            "trend": trend,
            "slope": slope,
            "harm_to_more": harm_to_more,
            "harm_to_less": harm_to_less,
            "axis": self._axis,
            **{metric: self._metric(metric) for metric in samples},
        }

    def compare(self, comparison: str, left: Array, right: Array, join: Join) -> Truth:
        """Returns how surely ``left comparison right`` holds, by the paired differences; ``join`` joins the sweep's
        values.
        """
        left, right = aligned(left, right)
        columns = [side.shape[1] for side in (left, right) if side.ndim == 2 and side.shape[1] > 1]
        if len(set(columns)) > 1:
            raise ValueError(
                "found {} and {} values of a sweep on the two sides of the comparison, expected equal numbers".format(
                    *columns
                )
            )
        difference = np.asarray(left - right)
        # Beside a constant, such as a loss of less than 5 %, a small difference is no sign of a small effect.
        sized = left.ndim > 0 and right.ndim > 0
        if difference.ndim < 2:
            return compared(comparison, difference, size_of(left, right) if sized else None)
        left, right = np.broadcast_to(left, difference.shape), np.broadcast_to(right, difference.shape)
        truths = [
            compared(comparison, difference[:, k], size_of(left[:, k], right[:, k]) if sized else None)
            for k in range(difference.shape[1])
        ]
        return reduce(join, truths)

    def named(self, *expressions: Expression) -> list[Setting]:
        """Returns the settings that the expressions name, each once."""
        selectors = sorted(set().union(*(expression.texts() for expression in expressions)))
        found = {setting.name: setting for text in selectors for setting in self._select(text)[0]}
        return list(found.values())

    def _metric(self, metric: str) -> Callable[..., Value]:
        def function(selector: str) -> Array:
            runs, several = self._select(selector)
            known = self._samples[metric]
            if without := [run.name for run in runs if run.name not in known]:
                raise LookupError(
                    f'the metric is not measured in case "{without[0]}", which its `cases` leave out'
                )
            columns = [known[run.name] for run in runs]
            return np.stack(columns, axis=-1) if several else columns[0]

        function.__doc__ = f"{metric}('<case>')"
        return function

    def _axis(self, selector: str) -> Array:
        """axis('<case>[*]')"""
        runs, several = self._select(selector)
        if not several:
            raise LookupError(
                f"axis() needs the swept values of a case, such as axis('{runs[0].curve}[*]'); found a single value"
            )
        return np.array([[_axis_value(run.value) for run in runs]], dtype=np.float64)

    def _select(self, selector: str) -> tuple[list[Setting], bool]:
        """Returns the runs that ``selector`` names, and whether it names a part of the sweep rather than one run."""
        if not isinstance(selector, str):
            raise LookupError("expected the name of a case in quotes, e.g. loss('rbcc-5')")
        found = _SELECTION.match(selector)
        if found is None:
            return [self._run(selector)], False
        swept = [run for run in self._runs if run.curve == found["case"] and run.value is not None]
        if not swept:
            known = [run.curve for run in self._runs if run.value is not None]
            raise LookupError(
                f'no case that has a sweep is called "{found["case"]}"{nearest(found["case"], known)}'
            )
        low, high = _bound(found["low"], -np.inf), _bound(found["high"], np.inf)
        inside = (
            [run for run in swept if low <= _axis_value(run.value) <= high] if found["what"] != "*" else swept
        )
        if not inside:
            raise LookupError(f'no value of the sweep lies in "{selector}"')
        return inside, True

    def _run(self, name: str) -> Setting:
        wanted = _normal(name)
        for run in self._runs:
            if run.name in (name, wanted):
                return run
        raise LookupError(f'there is no case "{name}"{nearest(name, [run.name for run in self._runs])}')


def samples_of(expression: Expression, words: SampleWords, replications: int) -> Array:
    """Returns the claim's measured value, a vector of length ``replications``."""
    value = expression.evaluate(words)
    if value.ndim > 1 and len(value) == replications:
        several = f"found {value.shape[-1]} values per replication, expected one: use max, min, mean, first_above..."
        raise ExpressionError(f"{several}\n    {expression.text}")
    if value.shape not in ((), (replications,)):
        raise ExpressionError(
            f"found {value.size} values, expected one per replication\n    {expression.text}"
        )
    return np.broadcast_to(value, (replications,)).astype(np.float64)


def first_above(x: Array, y: Array, level: Array) -> Array:
    """first_above(x, y, level), e.g. first_above(axis('rbcc[*]'), loss('rbcc[*]'), 0.1)"""
    x, y = _along_sweep(x, y)
    above = y > level
    return np.where(above.any(axis=-1), x[0, np.argmax(above, axis=-1)], np.nan)


def trend(x: Array, y: Array) -> Array:
    """trend(x, y), e.g. trend(axis('rbcc[*]'), rtt('rbcc[*]'))"""
    x, y = _along_sweep(x, y)
    return slope(*(np.apply_along_axis(_ranks, -1, values) for values in (x, y)), correlation=True)


def slope(x: Array, y: Array, *, correlation: bool = False) -> Array:
    """slope(x, y), e.g. slope(axis('rbcc[*]'), rtt('rbcc[*]'))"""
    x, y = _along_sweep(x, y)
    dx = x - x.mean()
    dy = y - y.mean(axis=-1, keepdims=True)
    covariance = (dx * dy).sum(axis=-1)
    if correlation:
        return np.asarray(covariance / np.sqrt((dx**2).sum() * (dy**2).sum(axis=-1)))
    return np.asarray(covariance / (dx**2).sum())


def _reduction(
    name: str, reduced: Callable[..., Any], pairwise: Callable[[Any, Any], Any] | None
) -> Callable[..., Value]:
    def function(first: Array, *more: Array) -> Value:
        if not more:
            if first.ndim < 2:
                raise ValueError(
                    f"{name}() with one argument: found no sweep, expected the values of a sweep, such as "
                    f"{name}(loss('rbcc[*]')); for the mean over the replications, omit {name}(): this mean is always "
                    "computed from the whole expression"
                )
            return reduced(first, axis=-1)
        if pairwise is None:
            raise ValueError(
                f"{name}(): found {1 + len(more)} arguments, expected one: the values of a sweep"
            )
        return reduce(pairwise, more, first)

    function.__doc__ = f"{name}(x) along a sweep" + (f", or {name}(a, b, ...)" if pairwise else "")
    return function


REDUCTIONS: Mapping[str, Callable[..., Value]] = {
    "sum": _reduction("sum", np.sum, None),
    "mean": _reduction("mean", np.mean, None),
    "median": _reduction("median", np.median, None),
    "std": _reduction("std", lambda x, axis: np.std(x, axis=axis, ddof=1), None),
    "min": _reduction("min", np.min, np.minimum),
    "max": _reduction("max", np.max, np.maximum),
}


def _along_sweep(x: Array, y: Array) -> tuple[Array, Array]:
    """Returns ``x`` as (1, points) and ``y`` as (replications, points)."""
    if x.ndim != 2 or len(x) != 1 or y.ndim != 2 or x.size != y.shape[1]:
        raise ValueError(
            "expected `axis` and a metric, both for the same values of a sweep, such as axis('rbcc[*]') and "
            "loss('rbcc[*]')"
        )
    if x.size < 2:
        raise ValueError("expected a sweep with two or more values")
    return x, y


def _ranks(values: Array) -> Array:
    """Returns ranks from 0; ties share their mean rank."""
    below = (values[:, None] > values[None, :]).sum(axis=1)
    equal = (values[:, None] == values[None, :]).sum(axis=1)
    return np.where(np.isnan(values), np.nan, below + (equal - 1) / 2)


def _axis_value(value: int | float | str | None) -> float:
    """Returns the number of a sweep value: 5 for 5 and for "5 ms"."""
    try:
        return float(str(value).split()[0])
    except (ValueError, IndexError):
        raise ValueError(f'expected a sweep value that begins with a number, found "{value}"') from None


def _bound(text: str | None, default: float) -> float:
    if text is None or not text.strip():
        return default
    return _axis_value(text.strip())


def _normal(name: str) -> str:
    """Returns the name in its usual form: ``rbcc[2]`` for ``rbcc[2.0]``."""
    found = re.fullmatch(r"([^\[\]]+)\[([^\[\]]+)\]", name)
    if found is None:
        return name
    try:
        return f"{found[1]}[{sweep_text(float(found[2]))}]"
    except ValueError:
        return name
