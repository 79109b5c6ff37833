"""Numbers of a text that are computed: ``{= loss('rbcc[5]') / loss('reno[5]') | .1f}``.

The expression has the words of claims (``claim_words``) over the means of the metrics. How the number is written may
stand after ``|``: ``.1f`` gives the number of decimals, ``.3g`` that of significant digits, and a comma before either
separates thousands. Without it a number has three significant digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from ackclock.numbers import significant
from ackclock.study.choice_words import CHOICES
from ackclock.study.claim_words import ClaimWords, samples_of
from ackclock.study.language import Expression, ExpressionError
from ackclock.study.model import SweptCase

Means = Mapping[str, Mapping[str, float | None]]
"""The mean of each metric by the names of runs; None where a run has no sample."""

NOT_RECORDED = "(not recorded)"
"""In place of a number in documents, where the record does not have what it is computed of."""
NO_NUMBER = "(no number)"
"""In place of what cannot be computed, such as the ratio to a mean of nothing."""

_COMPUTED = re.compile(r"\{=([^{}]*)\}")
_FORM = re.compile(r",?\.\d{1,2}[fg]")


class Number:
    """A number that is computed. ExpressionError where ``text`` is no expression, or its form is none."""

    def __init__(self, text: str) -> None:
        what, bar, form = text.partition("|")
        self._form = form.strip()
        if bar and not _FORM.fullmatch(self._form):
            raise ExpressionError(
                f'found "{self._form}" after |, expected how to write the number, such as .1f, ,.0f or .3g'
            )
        if not what.strip():
            raise ExpressionError("expected an expression such as loss('rbcc[5]')")
        self._expression = Expression(what)
        if chosen := sorted(self._expression.called & set(CHOICES)):
            raise ExpressionError(f"{chosen[0]} chooses among replications, and a mean has none")

    def written(self, words: ClaimWords) -> str:
        """The number over ``words_of_means``, as the text has it. ExpressionError where it names what is not there."""
        (value,) = samples_of(self._expression, words, 1)
        if not math.isfinite(value):
            return NO_NUMBER
        if not self._form:
            return significant(value, 3)
        text = f"{value:{self._form}}"
        # The minus sign of all other numbers, and none before what is written as zero.
        return text.replace("-", "\u2212" if re.search("[1-9]", text) else "")


def filled(text: str, words: ClaimWords | None) -> str:
    """``text`` with its numbers; ``NOT_RECORDED`` for each without ``words``."""
    return _COMPUTED.sub(
        lambda found: NOT_RECORDED if words is None else Number(found[1]).written(words), text
    )


def typed(text: str) -> str:
    """``text`` without the numbers that are computed."""
    return _COMPUTED.sub("", text)


def words_of_means(means: Means, runs: Sequence[SweptCase]) -> ClaimWords:
    """The vocabulary of ``Number``."""
    return ClaimWords(
        {
            metric: {name: np.array([math.nan if mean is None else mean]) for name, mean in of_runs.items()}
            for metric, of_runs in means.items()
        },
        runs,
    )
