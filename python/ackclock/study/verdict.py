"""From samples to the result of a claim, in the words that a reader sees.

A claim has a size (its measured value lies in a range), an order (one side is above another), or both. Each is a
criterion of ``ackclock.experiment``, and the result is a table from their findings:

============================  ===================================================================================
as printed                    whatever is claimed is met: the whole interval lies inside, the order surely holds
right order, other size       the order is met, the size is not
not as printed                the size is not met, or the order surely fails
undecided                     an interval contains a limit: more seeds would decide; one seed decides nothing
cannot tell                   the test cannot tell the claim from its denial: the effect is at most a thousandth of
                              what is compared, or every rival of the publication's system passes the test as well
============================  ===================================================================================

A result is a finding about the publication, not a test of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ackclock._numbers import significant
from ackclock.experiment.expression import parsed
from ackclock.experiment.judge import judge as found
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
ANSWERS: Mapping[Verdict, Verdict] = {
    "as printed": "yes",
    "right order, other size": "no",
    "not as printed": "no",
}
"""The answers to questions of our own."""
_SAID: Mapping[Result, str] = {
    Result.MET: "the whole interval inside",
    Result.UNDECIDED: "the interval across a limit",
    Result.NOT_MET: "the whole interval outside",
}
_ORDERANSWERS: Mapping[Verdict, Verdict] = {
    "as printed": "yes",
    "right order, other size": "no",
    "not as printed": "no",
}
"""The answers to questions of our own."""
_ORDER_SAID: Mapping[Result, str] = {
    Result.MET: "surely so",
    Result.UNDECIDED: "not decided",
    Result.NOT_MET: "surely not so",
}


def judge(
    claim: Claim, words: SampleWords, seeds: int, rivals: Sequence[str] = (), error: float = ERROR
) -> ClaimResult:
    """Returns the result of one claim. ExpressionError, naming the key, when an expression cannot be computed.

    ``rivals`` are the cases without a system of the publication: if they pass a test about such a system, it cannot
    tell. ``error`` is the largest one-sided p-value that decides.
    """
    size, order = _findings(claim, words, seeds, error, lambda text: text)
    shown = summarise(size.values)
    verdict, reason = _joined(size, order), ""
    if shown.mean is None:
        verdict, reason = "not as printed", "no seed has a sample"
    elif reason := _why_it_cannot_tell(claim, words, seeds, rivals, size, order, verdict):
        verdict = "cannot tell"
    needed = [one.needed for one in (size, order) if one is not None and one.result is Result.UNDECIDED]
    known = [one for one in needed if one is not None]
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        paper=claim.paper,
        measured=shown.mean,
        interval=shown.interval,
        verdict=verdict,
        detail=reason
        if shown.mean is None
        else "; ".join([*_said(claim, shown, size, order), *([reason] if reason else [])]),
        unit=claim.unit,
        expression=claim.measured,
        tolerance=claim.allowed_error(),
        accepted=claim.accepted(),
        alternative=claim.alternative,
        written=claim.written,
        replications_needed=max(known)
        if verdict == "undecided" and len(known) == len(needed) and known
        else None,
        samples=size.values,
        findings=tuple(
            one for one in (size, order) if one is not None and one.result is not Result.NOT_JUDGED
        ),
        error=error,
    )


def in_words(verdict: Verdict, claim: Claim, study: Study) -> Verdict:
    """Returns the word for a claim's result: the answer to a question of our own, or that it is not a test."""
    if claim.not_judged():
        return "not a test"
    if study.source.asked_by == "us":
        return ANSWERS.get(verdict, verdict)
    return verdict


def set_up(claim: Claim, study: Study) -> str:
    """Returns the part of the set-up that is lost for a claim; empty if what it depends on is printed."""
    return claim.setup_unknown or ("" if claim.holds_whatever else study.source.setup_unknown)


def _findings(
    claim: Claim, words: SampleWords, seeds: int, error: float, rewritten: Callable[[str], str]
) -> tuple[Finding, Finding | None]:
    size = found(claim.size(rewritten), words, seeds, error)
    order = claim.order(rewritten)
    return size, None if order is None else found(order, words, seeds, error)


def _joined(size: Finding, order: Finding | None) -> Verdict:
    if order is None:
        return WORDS[size.result]
    if size.result is Result.NOT_JUDGED or order.result is Result.NOT_MET:
        # A value that comes near may do so by chance where the order is wrong.
        return WORDS[order.result]
    if Result.UNDECIDED in (size.result, order.result):
        return "undecided"
    return "as printed" if size.met else "right order, other size"


def _why_it_cannot_tell(
    claim: Claim,
    words: SampleWords,
    seeds: int,
    rivals: Sequence[str],
    size: Finding,
    order: Finding | None,
    verdict: Verdict,
) -> str:
    """Returns why the test cannot tell the claim from its denial; empty if it can."""
    summary = summarise(size.values, 1 - 2 * (size.truth.error if size.truth else ERROR))
    shares = [None if order is None or order.truth is None else order.truth.share]
    if claim.expect is not None:
        # The difference of a claim with an order alone is what its order compares.
        shares.append(measured_share(parsed(claim.measured), words, summary, claim.conditions()))
    known = [share for share in shares if share is not None]
    if known and max(known) <= NEGLIGIBLE and claim.tolerance is None:
        effect = "nothing" if max(known) == 0 else f"{100 * max(known):.2g} % of what is compared or less"
        return f"the effect is {effect}: nothing here tells the claim from its denial"
    if verdict == "as printed" and _every_rival_passes(claim, words, seeds, rivals, size, order):
        return "every rival passes as well"
    return ""


def _every_rival_passes(
    claim: Claim,
    words: SampleWords,
    seeds: int,
    rivals: Sequence[str],
    size: Finding,
    order: Finding | None,
) -> bool:
    error = next(
        (one.truth.error for one in (size, order) if one is not None and one.truth is not None), ERROR
    )

    def passes(rewritten: Callable[[str], str]) -> bool:
        return _joined(*_findings(claim, words, seeds, error, rewritten)) == "as printed"

    texts = [claim.measured, *([] if claim.direction is None else [claim.direction])]
    return every_rival_passes([parsed(text) for text in texts], rivals, passes)


def _said(claim: Claim, shown: Summary, size: Finding, order: Finding | None) -> list[str]:
    """Returns what was found about the size and the order, in words."""
    said = []
    if shown.mean is not None and size.result is not Result.NOT_JUDGED:
        if claim.tolerance is not None and claim.paper is not None:
            end = f"tolerance {significant(claim.allowed_error() or 0.0)}"
            said.append(f"{distance(shown.mean, claim.paper)} the printed {significant(claim.paper)}, {end}")
        else:
            said.append(f"expected {claim.expect}")
        said[-1] += f": {_SAID[size.result] if size.interval else 'one seed has no interval'}"
    if order is not None:
        said.append(f"{claim.direction}: {_ORDER_SAID.get(order.result, 'not judged')}{_corrected(order)}")
    undecided = [one for one in (size, order) if one is not None and one.result is Result.UNDECIDED]
    if undecided and shown.mean is not None:
        needed = [one.needed for one in undecided]
        known = [one for one in needed if one is not None]
        more = (
            f"about {max(known)} seeds would decide it"
            if len(known) == len(needed)
            else "how many is unknown"
        )
        said.append(f"{more} ({size.seeds} were run)")
    if 0 < size.missing < size.seeds + size.missing:
        said.append(f"{size.missing} of {size.seeds + size.missing} seeds have no sample")
    return said


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
