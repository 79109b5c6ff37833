"""From measured samples to a verdict.

A verdict is a finding about the thesis, not a test of the program:

* **reproduced**: with ``paper`` and ``tolerance``, the mean lies within the tolerance and the direction, where one is
  given, holds; with ``expect``, the whole 95 % interval satisfies it (and the direction holds); with ``direction``
  alone, the paired difference of each comparison has the right sign over its whole 95 % interval.
* **direction only**: who wins is right but by how much is not: the direction holds on average, or the mean (not the
  whole interval) satisfies ``expect``.
* **not reproduced**: neither.
"""

from __future__ import annotations

from ackclock.statistics import Summary, summarise
from ackclock.study.claim_words import ClaimWords, Holds, holds, samples_of
from ackclock.study.language import Array, Expression, ExpressionError
from ackclock.study.model import Claim, Verdict
from ackclock.study.result import ClaimResult

_VERDICTS: dict[Holds, Verdict] = {
    Holds.SURELY: "reproduced",
    Holds.ON_AVERAGE: "direction only",
    Holds.NO: "not reproduced",
}


def judge(claim: Claim, words: ClaimWords, replications: int, finding: str | None = None) -> ClaimResult:
    """The verdict on one claim. ExpressionError, naming the key, when an expression cannot be computed."""
    try:
        samples = samples_of(Expression(claim.measured), words, replications)
    except ExpressionError as error:
        raise ExpressionError(f"measured: {error}") from None
    try:
        direction = None if claim.direction is None else Expression(claim.direction).truth(words)
    except ExpressionError as error:
        raise ExpressionError(f"direction: {error}") from None
    summary = summarise(samples)
    verdict, detail = _decide(claim, samples, summary, direction)
    missing = replications - summary.count
    if 0 < missing < replications:
        detail += f"; {missing} of {replications} replications have no sample"
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        paper=claim.paper,
        measured=summary.mean,
        interval=summary.interval,
        verdict=verdict,
        detail=detail,
        unit=claim.unit,
        expression=claim.measured,
        finding=finding,
        tolerance=claim.allowed_error(),
        accepted=claim.accepted(),
    )


def _decide(claim: Claim, samples: Array, summary: Summary, direction: Holds | None) -> tuple[Verdict, str]:
    if summary.mean is None:
        return "not reproduced", "no replication has a sample"
    if claim.tolerance is not None:
        return _against_paper(claim, summary.mean, summary, direction)
    if claim.expect is not None:
        return _against_expectation(claim, samples, summary, direction)
    surely = direction if direction is not None else Holds.NO
    return _VERDICTS[surely], f"{claim.direction}: {_said(surely)}"


def _against_paper(
    claim: Claim, mean: float, summary: Summary, direction: Holds | None
) -> tuple[Verdict, str]:
    allowed, paper = claim.allowed_error(), claim.paper
    if allowed is None or paper is None:
        raise AssertionError("the model requires paper with tolerance")
    # Decimal fractions are not exact in binary: 0.3 - 0.2 would lie outside a tolerance of 0.1.
    rounding = 1e-12 * max(abs(mean), abs(paper), allowed)
    near = abs(mean - paper) <= allowed + rounding
    off = (
        f"{_number(mean)} is {_number(abs(mean - paper))} from {_number(paper)}, tolerance {_number(allowed)}"
    )
    if summary.interval is not None and near:
        low, high = summary.interval
        if low < paper - allowed - rounding or high > paper + allowed + rounding:
            off += " (the interval reaches beyond it)"
    if direction is not None:
        off += f"; {claim.direction}: {_said(direction)}"
    if near and direction is not Holds.NO:
        return "reproduced", off
    # A direction that does not hold is the worse miss: a value may be near the paper's by chance.
    return ("direction only" if direction else "not reproduced"), off


def _against_expectation(
    claim: Claim, samples: Array, summary: Summary, direction: Holds | None
) -> tuple[Verdict, str]:
    surely = min(holds(comparison, samples - bound) for comparison, bound in claim.conditions())
    detail = f"expected {claim.expect}: {_said(surely)}"
    if summary.interval is None and surely:
        detail += " (one replication has no interval)"
    if direction is not None:
        detail += f"; {claim.direction}: {_said(direction)}"
        if direction is Holds.NO:
            return "not reproduced", detail
        return _VERDICTS[max(surely, Holds.ON_AVERAGE)], detail
    return _VERDICTS[surely], detail


def _said(surely: Holds) -> str:
    return {
        Holds.SURELY: "holds over the whole 95 % interval",
        Holds.ON_AVERAGE: "holds on average, not over the whole 95 % interval",
        Holds.NO: "does not hold",
    }[surely]


def _number(value: float) -> str:
    return f"{value:.4g}"
