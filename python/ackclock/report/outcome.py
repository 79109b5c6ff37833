"""Summaries of the results of studies: sentences and highlights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ackclock._names import listed
from ackclock._numbers import mean_and_spread, plain
from ackclock.study.model import Verdict
from ackclock.study.result import ClaimResult, StudyResult, counted
from ackclock.study.tally import Kind, kind_of

MISSES: tuple[Verdict, ...] = ("not as printed", "right order, other size")
"""The verdicts whose claims are highlighted, in this order."""
NOT_A_TEST = "not a test"
"""The verdict of claims that are shown and not counted."""
_ABOUT: Mapping[Kind, str] = {
    "systems": "claim{s} about the proposed systems",
    "baselines": "claim{s} about baselines alone",
    "ours": "new question{s}",
}
_FIRST: Mapping[Kind, Verdict] = {"systems": "as printed", "baselines": "as printed", "ours": "yes"}


@dataclass(frozen=True)
class Highlight:
    """A claim of the publication that is not as printed, with the known reasons."""

    result: StudyResult
    claim: ClaimResult
    number: int
    """The number of the claim in its study, from 1."""

    @property
    def numbers(self) -> str:
        """Returns the measured and the published value as text."""
        unit = f" {self.claim.unit}" if self.claim.unit else ""
        said = f"measured {mean_and_spread(self.claim.measured, self.claim.interval)}{unit}"
        return (
            said
            if self.claim.paper is None
            else f"{said}, {self.claim.number_word} {plain(self.claim.paper)}{unit}"
        )


def sentences(results: Sequence[StudyResult]) -> list[str]:
    """Returns a sentence for each kind of claim, those with a printed set-up before those with a partly unknown one."""
    found: dict[tuple[Kind, bool], list[Verdict]] = {
        (kind, lost): [] for kind in _ABOUT for lost in (False, True)
    }
    for result in results:
        for claim in result.claims:
            found[kind_of(claim), bool(claim.setup)].append(claim.verdict)
    return [
        _where_lost(_sentence(kind, verdicts)) if lost else _sentence(kind, verdicts)
        for (kind, lost), verdicts in found.items()
        if verdicts
    ]


def subject(results: Sequence[StudyResult]) -> str:
    """Returns what the studies are about: the number of published experiments and that of studies of new questions."""
    ours = sum(result.source.asked_by == "us" for result in results)
    published = len(results) - ours
    parts = [
        f"{published} published experiment{'s' if published != 1 else ''}" if published or not ours else "",
        f"{ours} stud{'ies' if ours != 1 else 'y'} of new questions" if ours else "",
    ]
    return f"{' and '.join(part for part in parts if part)}."


def questions(results: Sequence[StudyResult]) -> dict[Verdict, str]:
    """Returns what was answered with yes and with no: the claim if there is one, else the number of questions."""
    answered: dict[Verdict, list[str]] = {}
    for result in results:
        for claim in result.claims:
            if claim.verdict in ("yes", "no"):
                answered.setdefault(claim.verdict, []).append(claim.text)
    return {
        verdict: texts[0] if len(texts) == 1 else "to new questions" for verdict, texts in answered.items()
    }


def highlights(results: Sequence[StudyResult], most: int) -> list[Highlight]:
    """Returns at most this many highlights: claims farthest from the accepted range first, and proposed systems
    before baselines.

    With several studies, each has at most one.
    """
    found = [
        Highlight(result, claim, number)
        for result in results
        for number, claim in enumerate(result.claims, start=1)
        if claim.verdict in MISSES and kind_of(claim) != "ours"
    ]
    found.sort(key=_rank)
    if len(results) > 1:
        first = {one.result.name: one for one in reversed(found)}
        found = [one for one in found if first[one.result.name] is one]
    return found[:most]


def quick_notice(results: Sequence[StudyResult]) -> str:
    """Returns the notice on every page of a report with quick runs; empty for full runs."""
    quick = [result for result in results if result.quick]
    if not quick:
        return ""
    some = "" if len(quick) == len(results) else f" ({len(quick)} of {len(results)} studies)"
    return (
        f"Quick run{some}: fewer seeds than in a full run, and possibly shorter simulations. Results can differ from "
        "those of a full run by more than the intervals show."
    )


def gap(claim: ClaimResult) -> float:
    """Returns how far the mean is from the accepted range, from 0 to 1 and without a unit: |m - e| / (|m| + |e|).

    0 inside the range, and for a claim with only a direction, which has no such range.
    """
    if claim.accepted is None or claim.measured is None:
        return 0.0
    low, high = claim.accepted
    outside = [
        end
        for end, out in (
            (low, low is not None and claim.measured < low),
            (high, high is not None and claim.measured > high),
        )
        if out and end is not None
    ]
    if not outside:
        return 0.0
    return abs(claim.measured - outside[0]) / (abs(claim.measured) + abs(outside[0]))


def _rank(one: Highlight) -> tuple[bool, int, float]:
    return one.claim.baselines, MISSES.index(one.claim.verdict), -gap(one.claim)


def _sentence(kind: Kind, verdicts: Sequence[Verdict]) -> str:
    """Returns a sentence such as "Of 5 claims about the proposed systems, 3 are as printed; 1 not as printed and
    1 undecided.".
    """
    counts = {
        verdict: count for verdict, count in counted(verdicts).items() if count and verdict != NOT_A_TEST
    }
    asked, came_out = sum(counts.values()), counts.pop(_FIRST[kind], 0)
    about = _ABOUT[kind].format(s="" if (asked or len(verdicts)) == 1 else "s")
    said = f"{'is' if came_out <= 1 else 'are'} {'answered yes' if kind == 'ours' else 'as printed'}"
    untested = len(verdicts) - asked
    aside = f" {untested} more {'is' if untested == 1 else 'are'} shown and not tested." if untested else ""
    if not asked:
        return f"{untested} {about} {'is' if untested == 1 else 'are'} shown and not tested."
    if not counts:
        every = {1: "The one", 2: "Both"}.get(asked, f"All {asked}")
        return f"{every} {about} {said}.{aside}"
    others = listed([_number(count, verdict) for verdict, count in counts.items()])
    return f"Of {asked} {about}, {came_out or 'none'} {said}; {others}.{aside}"


def _where_lost(sentence: str) -> str:
    return f"Where the set-up is partly unknown, {sentence[0].lower()}{sentence[1:]}"


def _number(count: int, verdict: Verdict) -> str:
    return f"{count} {'answered no' if verdict == 'no' else verdict}"
