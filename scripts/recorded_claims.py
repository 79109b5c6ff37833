"""What pages ask of a record: how a claim came out, under which readings otherwise, and what is written about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reproduction_records import Claim, Reading, Record, words_of

from ackclock.study.findings import with_numbers
from ackclock.study.load import LoadedStudy

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
