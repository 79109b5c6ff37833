"""Computed numbers in texts: ``{= loss('rbcc[5]') / loss('reno[5]') | .1f}``.

The expression uses the vocabulary of claims (``sample_words``) over the means of the metrics. The format of the number
may follow after ``|``: ``.1f`` gives the number of decimals, ``.3g`` that of significant digits, and a comma before
either separates thousands. Without it a number has three significant digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from ackclock._numbers import significant
from ackclock.experiment.choice_words import CHOICES
from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.study.model import SweptCase

Means = Mapping[str, Mapping[str, float | None]]
"""The means of each metric over the replications, by the name of the run; None if a run has no sample."""

NOT_RECORDED = "(not recorded)"
"""The text in place of a number in documents if the record lacks the means from which the number is computed."""
NO_NUMBER = "(no number)"
"""The text in place of a number that cannot be computed, such as a ratio to a missing mean."""

_COMPUTED = re.compile(r"\{=([^{}]*)\}")
_FORM = re.compile(r",?\.\d{1,2}[fg]")


class Number:
    """A computed number. ExpressionError if ``text`` is no expression, or its format is wrong."""

    def __init__(self, text: str) -> None:
        what, bar, form = text.partition("|")
        self._form = form.strip()
        if bar and not _FORM.fullmatch(self._form):
            raise ExpressionError(
                f'found "{self._form}" after |, expected a number format such as .1f, ,.0f or .3g'
            )
        if not what.strip():
            raise ExpressionError("found no expression, expected one such as loss('rbcc[5]')")
        self._expression = Expression(what)
        if chosen := sorted(self._expression.called & set(CHOICES)):
            raise ExpressionError(
                f"{chosen[0]}() needs the values of the replications, but an expression in braces has only their means"
            )

    def written(self, words: SampleWords) -> str:
        """Returns the number over ``words_of_means``, formatted. ExpressionError if it names an unknown metric or
        run.
        """
        (value,) = samples_of(self._expression, words, 1)
        if not math.isfinite(value):
            return NO_NUMBER
        if not self._form:
            return significant(value, 3)
        text = f"{value:{self._form}}"
        # Uses the minus sign of all other numbers, and none before a number that is written as zero.
        return text.replace("-", "\u2212" if re.search("[1-9]", text) else "")


def filled(text: str, words: SampleWords | None) -> str:
    """Returns ``text`` with its numbers filled in; ``NOT_RECORDED`` for each if there are no ``words``."""
    return _COMPUTED.sub(
        lambda found: NOT_RECORDED if words is None else Number(found[1]).written(words), text
    )


def typed(text: str) -> str:
    """Returns ``text`` without its computed numbers."""
    return _COMPUTED.sub("", text)


def words_of_means(means: Means, runs: Sequence[SweptCase]) -> SampleWords:
    """Returns the vocabulary of ``Number``."""
    return SampleWords(
        {
            metric: {name: np.array([math.nan if mean is None else mean]) for name, mean in of_runs.items()}
            for metric, of_runs in means.items()
        },
        [run.setting for run in runs],
    )
