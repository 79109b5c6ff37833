"""From measured samples to a verdict.

A verdict is a finding about the thesis, not a test of the program, and it rests on the 95 % interval of what was
measured:

* **reproduced**: the whole interval lies inside the accepted range, and the direction, if one is given, holds
  over the whole interval of the paired difference.
* **not reproduced**: the whole interval lies outside, or the direction surely fails. Of a direction with several
  comparisons, one has to fail clearly enough for their number.
* **direction only**: the interval is not inside, but the direction surely holds: who wins is right, by how much is not.
* **undecided**: the interval contains an end, so that more replications are needed; one replication decides nothing.
* **not discriminating**: the test cannot tell the claim from its denial: the effect is at most a thousandth of what is
  compared, or every rival of the thesis's system passes the test as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TypeVar

from ackclock.experiment.expression import Expression, ExpressionError, parsed
from ackclock.experiment.model import Result
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.experiment.truth import ERROR, NEGLIGIBLE, Truth, within
from ackclock.statistics import Summary, summarise
from ackclock.study.claim import Claim
from ackclock.study.effect import every_rival_passes, measured_share
from ackclock.study.model import Verdict
from ackclock.study.result import ClaimResult

_T = TypeVar("_T")

_ALONE: dict[Result, Verdict] = {
    Result.MET: "reproduced",
    Result.UNDECIDED: "undecided",
    Result.NOT_MET: "not reproduced",
}


def judge(
    claim: Claim,
    words: SampleWords,
    replications: int,
    rivals: Sequence[str] = (),
    error: float = ERROR,
) -> ClaimResult:
    """Returns the verdict on one claim. ExpressionError, naming the key, when an expression cannot be computed.

    ``rivals`` are the cases without a system of the thesis: if they pass a test about such a system, it does not
    discriminate. ``error`` is the largest one-sided p-value that decides.
    """
    test = _Test(claim, words, replications, rivals, error)
    verdict, detail = test.verdict()
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        paper=claim.paper,
        measured=test.summary.mean,
        interval=test.summary.interval,
        verdict=verdict,
        detail=detail,
        unit=claim.unit,
        expression=claim.measured,
        tolerance=claim.allowed_error(),
        accepted=claim.accepted(),
        alternative=claim.alternative,
        written=claim.written,
        replications_needed=test.needed() if verdict == "undecided" else None,
        samples=tuple(map(float, test.samples)),
    )


class _Test:
    """A claim's computed expressions, and the verdict that follows from them."""

    def __init__(
        self, claim: Claim, words: SampleWords, replications: int, rivals: Sequence[str], error: float
    ) -> None:
        self._claim, self._words, self._replications, self._rivals = claim, words, replications, rivals
        self._error = error
        self._measured = parsed(claim.measured)
        self._direction = None if claim.direction is None else parsed(claim.direction)
        self.samples = self._computed("measured", lambda: samples_of(self._measured, words, replications))
        self.summary = summarise(self.samples)
        self._amount = self._amount_of(self.summary)
        self._way = self._computed("direction", lambda: self._truth(self._direction))

    def verdict(self) -> tuple[Verdict, str]:
        """Returns the verdict, and its reason in one line."""
        if self.summary.mean is None:
            return "not reproduced", "no replication has a sample"
        verdict = _joined(self._amount, self._way)
        detail = "; ".join(part for part in (self._amount_said(), self._way_said()) if part)
        reason = self._why_not_discriminating(verdict)
        if reason:
            return "not discriminating", f"{detail}; {reason}"
        if verdict == "undecided":
            detail += f"; {_deciding(self.needed(), self.summary)}"
        if self._error < ERROR:
            detail += f"; judged at {_level(self._error)}, because a first look left it undecided"
        missing = self._replications - self.summary.count
        if 0 < missing < self._replications:
            detail += f"; {missing} of {self._replications} replications have no sample"
        return verdict, detail

    def needed(self) -> int | None:
        """Returns about how many replications would decide the claim; None if unknown."""
        undecided = [
            truth.replications
            for truth in (self._amount, self._way)
            if truth is not None and truth.result is Result.UNDECIDED
        ]
        most = max(undecided, default=math.inf)
        return int(most) if most < 1e6 else None

    def _amount_of(self, summary: Summary) -> Truth | None:
        claim = self._claim
        accepted = claim.accepted()
        if claim.tolerance is not None and accepted is not None:
            low, high = accepted
            truth = within(summary, -math.inf if low is None else low, math.inf if high is None else high)
            return replace(truth, error=self._error)
        conditions = claim.conditions()
        if not conditions:
            return None
        # Takes the tightest end on either side; of two equal ends, the one that is not itself accepted.
        low, above = max(
            ((bound, sign == ">") for sign, bound in conditions if sign.startswith(">")),
            default=(-math.inf, False),
        )
        high, not_below = min(
            ((bound, sign == "<=") for sign, bound in conditions if sign.startswith("<")),
            default=(math.inf, True),
        )
        return replace(within(summary, low, high, closed=(not above, not_below)), error=self._error)

    def _truth(self, direction: Expression | None) -> Truth | None:
        if direction is None:
            return None
        truth = direction.truth(self._words)
        assert isinstance(truth, Truth)  # noqa: S101  (what SampleWords.compare returns)
        return replace(truth, error=self._error)

    def _computed(self, key: str, compute: Callable[[], _T]) -> _T:
        try:
            return compute()
        except ExpressionError as error:
            raise ExpressionError(f"{key}: {error}") from None

    def _why_not_discriminating(self, verdict: Verdict) -> str:
        way = None if self._way is None else self._way.share
        shares = [share for share in (self._share(), way) if share is not None]
        if shares and max(shares) <= NEGLIGIBLE and self._claim.tolerance is None:
            largest = max(shares)
            effect = "nothing" if largest == 0 else f"{100 * largest:.2g} % of what is compared or less"
            return f"the effect is {effect}: nothing here tells the claim from its denial"
        if verdict == "reproduced" and self._every_rival_passes():
            return "every rival passes as well"
        return ""

    def _share(self) -> float | None:
        # The difference of a claim with a direction alone is what its direction compares.
        if self._claim.expect is None:
            return None
        return measured_share(self._measured, self._words, self.summary, self._claim.conditions())

    def _every_rival_passes(self) -> bool:
        def passes(rewritten: Callable[[str], str]) -> Result:
            samples = samples_of(parsed(rewritten(self._measured.text)), self._words, self._replications)
            direction = None if self._direction is None else parsed(rewritten(self._direction.text))
            truths = (self._amount_of(summarise(samples)), self._truth(direction))
            return reduce(and_, (truth for truth in truths if truth is not None)).result

        expressions = [self._measured] + ([] if self._direction is None else [self._direction])
        return every_rival_passes(expressions, self._rivals, passes)

    def _amount_said(self) -> str:
        claim, mean = self._claim, self.summary.mean
        allowed, paper = claim.allowed_error(), claim.paper
        if mean is None or self._amount is None:
            return ""
        if allowed is None or paper is None:
            return f"expected {claim.expect}: {_said(self._amount, self.summary)}"
        where = {
            Result.MET: "the whole interval within it",
            Result.UNDECIDED: "the interval across its end" if self.summary.interval else "no interval",
            Result.NOT_MET: "the whole interval outside",
        }[self._amount.result]
        off = f"{_number(mean)} is {_number(abs(mean - paper))} from {_number(paper)}"
        return f"{off}, tolerance {_number(allowed)}, {where}"

    def _way_said(self) -> str:
        return "" if self._way is None else f"{self._claim.direction}: {_said(self._way, self.summary)}"


def _joined(amount: Truth | None, way: Truth | None) -> Verdict:
    if amount is None or way is None:
        alone = amount or way
        return "undecided" if alone is None else _ALONE[alone.result]
    if way.result is Result.NOT_MET:
        # Even if the value comes near: it may be near by chance.
        return "not reproduced"
    if Result.UNDECIDED in (amount.result, way.result):
        return "undecided"
    return "reproduced" if amount.result is Result.MET else "direction only"


def _said(truth: Truth, summary: Summary) -> str:
    if truth.result is Result.UNDECIDED and summary.interval is None:
        return "one replication has no interval"
    level = _level(truth.error)
    if truth.comparisons > 1 and truth.result is not Result.MET:
        said = "do not decide it" if truth.result is Result.UNDECIDED else "refute it"
        return f"the {level} intervals, corrected for {truth.comparisons} comparisons, {said}"
    return {
        Result.MET: f"holds over the whole {level} interval",
        Result.UNDECIDED: f"the {level} interval does not decide it",
        Result.NOT_MET: f"does not hold anywhere in the {level} interval",
    }[truth.result]


def _level(error: float) -> str:
    """Returns the level of the interval that has ``error`` beyond either end: ``95 %``."""
    return f"{100 * (1 - 2 * error):g} %"


def _deciding(needed: int | None, summary: Summary) -> str:
    if needed is None:
        return "the number of replications that would decide it is unknown"
    return f"about {needed} replications would decide it ({summary.count} were run)"


def _number(value: float) -> str:
    return f"{value:.4g}"
