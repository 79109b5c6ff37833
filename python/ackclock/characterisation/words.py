"""The verdicts of a characterisation, and the verdict on several findings together."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.evaluation.words import CONCERN, NOT_EVALUATED, OK, UNDECIDED
from ackclock.experiment.model import Finding, Result

INFO = "INFO"
"""The verdict if there is no limit, if a limit is missed by too little to be a concern, or if a discipline is no better
than drop-tail.
"""
WORST_FIRST = (CONCERN, UNDECIDED, INFO, OK)
"""The verdicts from worst to best; the worst one prevails."""
BEGINNINGS = {
    CONCERN: "Not met",
    UNDECIDED: "Undecided",
    INFO: "Undecided or not met, but no concern",
}
"""The beginnings of sentences that list the conditions with a verdict."""
_WORDS = {
    Result.MET: OK,
    Result.NOT_MET: CONCERN,
    Result.UNDECIDED: UNDECIDED,
    Result.NOT_JUDGED: INFO,
}


def word(finding: Finding) -> str:
    """Returns the verdict of a finding."""
    return INFO if finding.qualified else _WORDS[finding.result]


def worst(words: Iterable[str]) -> str:
    """Returns the worst of the verdicts; ``NOT_EVALUATED`` without any."""
    return min(words, key=WORST_FIRST.index, default=NOT_EVALUATED)
