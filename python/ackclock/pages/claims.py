"""What pages ask of a record: how a claim came out, under which readings otherwise, and what is written about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock._numbers import mean_and_spread, plain
from ackclock.pages.markdown import escaped, number_of
from ackclock.pages.records import Claim, Reading, Record, words_of
from ackclock.study.findings import with_numbers
from ackclock.study.load import LoadedStudy
from ackclock.study.tally import Kind

NOT_A_TEST = "not a test"
"""The verdict of claims that are shown and not counted."""


@dataclass(frozen=True)
class Value:
    """A metric in one run of a study: its mean and half its 95 % interval."""

    mean: float
    half: float


def readings(claim: Claim) -> list[str]:
    """The readings under which the test comes out otherwise, by name; empty where the record has only their number."""
    return [_named(one) for one in claim.readings]


def other_readings(claim: Claim) -> int:
    """How many readings there are under which the test comes out otherwise."""
    return len(claim.readings) or claim.unnamed_readings


def tested(counts: Mapping[Any, int]) -> int:
    """How many of these verdicts are on tests."""
    return sum(count for verdict, count in counts.items() if verdict != NOT_A_TEST)


def values(one: Record) -> dict[tuple[str, str], Value]:
    """Every metric in every run, by the names of both; nothing of a record of an earlier form."""
    return {
        (metric, run): Value(mean, half or 0.0)
        for run, of_run in one.values.items()
        for metric, (mean, half, *_) in of_run.items()
        if mean is not None
    }


def findings(one: Record, claim: Claim, study: LoadedStudy) -> list[str]:
    """What is written about the claim under its verdict or under the outcome of its test, with computed numbers."""
    came_out = [claim.verdict, *([claim.outcome] if claim.outcome else [])]
    return [
        finding.text
        for finding in with_numbers(study.study.findings, words_of(one, study))
        if finding.claim == claim.id and finding.explains(*came_out)
    ]


def not_judged(claim: Claim, study: LoadedStudy) -> str:
    """Why the claim is shown and not judged; empty for one that is."""
    test = next((known for known in study.study.claims if known.id == claim.id), None)
    return test.not_judged() if test is not None and claim.verdict == NOT_A_TEST else ""


def _named(one: Reading) -> str:
    """What is taken for what is left open, how the test comes out then, and whether the publication is against it."""
    against = ", which the thesis speaks against" if one.against else ""
    return f"{one.reading} ({one.verdict}{against})"


GOOD = ("reproduced", "yes")


def published(claim: Claim) -> str:
    """The published value with its unit; empty where the claim has none."""
    return "" if claim.published is None else f"{plain(claim.published)}{unit(claim)}"


def measured(claim: Claim) -> str:
    """The measured mean with half its interval and its unit."""
    text = mean_and_spread(claim.measured, claim.interval)
    return text if claim.measured is None else text + unit(claim)


def unit(claim: Claim) -> str:
    """The unit as it follows a number."""
    return f" {claim.unit}" if claim.unit else ""


def verdict(claim: Claim) -> str:
    """The verdict, and how many replications an undecided one would take."""
    needed = claim.replications_needed
    return claim.verdict + (f" (about {needed} replications would tell)" if needed is not None else "")


def emphasised(claim: Claim, words: str) -> str:
    """``words`` in bold for a claim that did not come out."""
    return words if claim.verdict in GOOD else f"**{words}**"


def others(one: Record, claim: Claim, thing: str = "reading") -> str:
    """In how many other readings the verdict is another; empty where in none."""
    count = other_readings(claim)
    return f"another in {count} of {number_of(one.readings, thing)}" if count else ""


def where(study: LoadedStudy) -> str:
    """The item of the thesis, and the section that discusses it, unless the item is a section itself."""
    source = study.study.source
    if not source.section or source.item.startswith("Section"):
        return escaped(source.item)
    named = source.section.startswith(("Chapter", "appendix"))
    return escaped(f"{source.item}, {'' if named else 'section '}{source.section}")


def kind_of(claim: Claim, study: LoadedStudy) -> Kind:
    """Whose sentence the claim is, and whether a system of the thesis is in it."""
    if study.study.source.asked_by == "us":
        return "ours"
    return "baselines" if claim.baselines else "systems"


def by_thesis(studies: Sequence[LoadedStudy]) -> dict[str, list[LoadedStudy]]:
    """The studies of each thesis, by its key."""
    found: dict[str, list[LoadedStudy]] = {}
    for study in studies:
        found.setdefault(study.thesis.key, []).append(study)
    return found
