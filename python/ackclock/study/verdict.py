"""From samples to the result of a claim, in the words that a reader sees.

A claim has a size (its measured value lies in a range), an order (one side is above another), or both. Each is a
criterion of ``ackclock.experiment``, and the result is a table from their findings:

============================  ===================================================================================
as printed                    all that is claimed is met: the interval is within the limits, the order significant
right order, other size       the order is met, the size is not
not as printed                the size is not met, or the order is significantly wrong
undecided                     an interval contains a limit: more seeds would decide; one seed decides nothing
cannot tell                   the test cannot distinguish the claim from its opposite: the effect is at most a
                              thousandth of the compared values, or every baseline passes the test too
============================  ===================================================================================

A result is a finding about the publication, not a test of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ackclock._numbers import interval_text, significant
from ackclock.experiment.expression import parsed
from ackclock.experiment.judge import judge as examined
from ackclock.experiment.model import Finding, Result
from ackclock.experiment.sample_words import SampleWords
from ackclock.experiment.truth import ERROR, NEGLIGIBLE
from ackclock.statistics import Summary, summarise
from ackclock.study.claim import Claim
from ackclock.study.effect import every_rival_passes, measured_share
from ackclock.study.model import Study, Verdict
from ackclock.study.result import ClaimResult

WORDS: Mapping[Result, Verdict] = {
    Result.MET: "as printed",
    Result.NOT_MET: "not as printed",
    Result.UNDECIDED: "undecided",
    Result.NOT_JUDGED: "undecided",
}
FEW_EQUAL = 10
"""If fewer seeds than this number all gave the same value, the reason for a verdict says so: the confidence interval of
width 0 may be due to chance.
"""
ANSWERS: Mapping[Verdict, Verdict] = {
    "as printed": "yes",
    "right order, other size": "no",
    "not as printed": "no",
}
"""The answer to a question of the study's author, by the verdict that a claim of the publication would get."""
_SAID: Mapping[Result, str] = {
    Result.MET: "the whole confidence interval is within the limits",
    Result.UNDECIDED: "the confidence interval contains a limit",
    Result.NOT_MET: "the whole confidence interval is outside the limits",
}
_ORDER_SAID: Mapping[Result, str] = {
    Result.MET: "holds significantly",
    Result.UNDECIDED: "not significant either way",
    Result.NOT_MET: "fails significantly",
}


def judge(
    claim: Claim,
    words: SampleWords,
    seeds: int,
    rivals: Sequence[str] = (),
    error: float = ERROR,
    *,
    ours: bool = False,
) -> ClaimResult:
    """Returns the result of one claim. ExpressionError, naming the key, when an expression cannot be computed.

    ``rivals`` are the cases without a system of the publication: a test about such a system that they all pass cannot
    tell. ``error`` is the largest one-sided p-value that decides. The number of a question of the study's author
    (``ours``) is predicted, not printed.
    """
    test = _Test(claim, words, seeds, error)
    found = test.findings()
    shown = summarise(found[0].values)
    verdict, details = _joined(found), _said(claim, shown, found, "predicted" if ours else "printed")
    if shown.mean is None:
        verdict, details = "not as printed", ["the measured value is undefined for all seeds"]
    elif reason := test.why_it_cannot_tell(found, verdict, rivals):
        verdict, details = "cannot tell", [*details, reason]
    seeds_made = len(found[0].values)
    if shown.mean is not None and 1 < seeds_made < FEW_EQUAL and len(set(found[0].values)) == 1:
        details = [*details, f"all {seeds_made} seeds gave the same value"]
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        paper=claim.paper,
        measured=shown.mean,
        interval=shown.interval,
        verdict=verdict,
        detail="; ".join(details),
        unit=claim.unit,
        expression=claim.measured,
        tolerance=claim.allowed_error(),
        accepted=claim.accepted(),
        alternative=claim.alternative,
        written=claim.written,
        replications_needed=_needed(found) if verdict == "undecided" else None,
        samples=found[0].values,
        findings=tuple(one for one in found if one.result is not Result.NOT_JUDGED),
        error=error,
        ours=ours,
    )


def in_words(verdict: Verdict, claim: Claim, study: Study) -> Verdict:
    """Returns the word for a claim's result: the answer to a question of our own, or that it is not a test."""
    if claim.not_judged():
        return "not a test"
    if asked_by_us(claim, study):
        return ANSWERS.get(verdict, verdict)
    return verdict


def asked_by_us(claim: Claim, study: Study) -> bool:
    """Returns whether a claim is a question of our own, which the publication does not ask."""
    return (claim.asked_by or study.source.asked_by) == "us"


def set_up(claim: Claim, study: Study) -> str:
    """Returns the part of the set-up that a claim depends on and the publication leaves out; empty if there is none."""
    return claim.setup_unknown or ("" if claim.holds_whatever else study.source.setup_unknown)


Found = Sequence[Finding]
"""The finding on the size that a claim states, which is not judged if the claim states no size. A finding on the order
follows if the claim states an order.
"""


@dataclass(frozen=True)
class _Test:
    """A claim and the samples over which it is judged."""

    claim: Claim
    words: SampleWords
    seeds: int
    error: float

    def findings(self, rewritten: Callable[[str], str] = str) -> Found:
        """Returns the findings, with the claim's expressions ``rewritten``."""
        order = self.claim.order(rewritten)
        criteria = [self.claim.size(rewritten), *([] if order is None else [order])]
        return [examined(one, self.words, self.seeds, self.error) for one in criteria]

    def why_it_cannot_tell(self, found: Found, verdict: Verdict, rivals: Sequence[str]) -> str:
        """Returns why the test cannot distinguish the claim from its opposite; empty if it can."""
        claim = self.claim
        shares = [one.truth.share for one in found[1:] if one.truth is not None]
        if claim.expect is not None:
            # The difference of a claim with an order alone is what its order compares.
            summary = summarise(found[0].values, 1 - 2 * self.error)
            shares.append(measured_share(parsed(claim.measured), self.words, summary, claim.conditions()))
        known = [share for share in shares if share is not None]
        if known and max(known) <= NEGLIGIBLE and claim.tolerance is None:
            effect = "0" if max(known) == 0 else f"at most {100 * max(known):.2g} % of the compared values"
            return f"the effect is {effect}: too small to distinguish the claim from its opposite"
        if verdict == "as printed" and every_rival_passes(map(parsed, claim.texts), rivals, self._passes):
            return "every baseline passes the test too"
        return ""

    def _passes(self, rewritten: Callable[[str], str]) -> bool:
        return _joined(self.findings(rewritten)) == "as printed"


def _joined(found: Found) -> Verdict:
    size, *orders = (one.result for one in found)
    if not orders:
        return WORDS[size]
    (order,) = orders
    if size is Result.NOT_JUDGED or order is Result.NOT_MET:
        # A value that comes near may do so by chance where the order is wrong.
        return WORDS[order]
    if Result.UNDECIDED in (size, order):
        return "undecided"
    return "as printed" if size is Result.MET else "right order, other size"


def _needed(found: Found) -> int | None:
    """Returns about how many seeds would decide everything that is undecided; None if unknown."""
    needed = [one.needed for one in found if one.result is Result.UNDECIDED]
    known = [count for count in needed if count is not None]
    return max(known) if known and len(known) == len(needed) else None


def _said(claim: Claim, shown: Summary, found: Found, number: str) -> list[str]:
    """Returns the findings on the size and the order, in words; ``number`` says whose number the claim has."""
    size, said = found[0], []
    if shown.mean is not None and size.result is not Result.NOT_JUDGED:
        if claim.tolerance is not None and claim.paper is not None:
            end = f"tolerance {significant(claim.allowed_error() or 0.0)}"
            said.append(f"{distance(shown.mean, claim.paper)} the {number} {significant(claim.paper)}, {end}")
        else:
            said.append(f"expected {claim.expect}")
        said[-1] += (
            f": {_size_said(size, shown) if size.interval else 'a single value has no confidence interval'}"
        )
    said += [f"{claim.direction}: {_ORDER_SAID[one.result]}{_corrected(one)}" for one in found[1:]]
    if any(one.result is Result.UNDECIDED for one in found):
        needed = _needed(found)
        more = (
            "the number of seeds that would decide the claim is unknown"
            if needed is None
            else f"about {needed} seeds would decide the claim"
        )
        said.append(f"{more} (seeds with a value: {size.seeds})")
    if 0 < size.missing < size.seeds + size.missing:
        said.append(
            f"the measured value is undefined for {size.missing} of {size.seeds + size.missing} seeds"
        )
    return said


def _size_said(size: Finding, shown: Summary) -> str:
    """Returns the result on the size; for an undecided one also the interval that was judged, if it is wider than the
    one shown.
    """
    if size.result is not Result.UNDECIDED or size.interval == shown.interval:
        return _SAID[size.result]
    judged = interval_text(size.estimate, size.interval)
    return f"the confidence interval used for verdicts (wider than the 95 % interval), {judged}, contains a limit"


def _corrected(order: Finding) -> str:
    count = 1 if order.truth is None else order.truth.comparisons
    return f" (corrected for {count} comparisons)" if count > 1 and not order.met else ""


def distance(measured: float, printed: float) -> str:
    """Returns how far a measured value is from a printed one: ``17 % above``, ``0.3 above`` for a printed 0."""
    if measured == printed:
        return "equal to"
    side = "above" if measured > printed else "below"
    if printed == 0:
        return f"{significant(abs(measured))} {side}"
    return f"{significant(100 * abs(measured / printed - 1), 2)} % {side}"
