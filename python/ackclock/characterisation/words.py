"""The words of a characterisation, and how several become one."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.evaluation.words import CONCERN, NOT_EVALUATED, OK, UNDECIDED
from ackclock.experiment.model import Finding, Result

INFO = "INFO"
"""Numbers without a limit; or not met by too little to be a concern; or no better than drop-tail."""
WORST_FIRST = (CONCERN, UNDECIDED, INFO, OK)
"""The order in which words prevail."""
BEGINNINGS = {
    CONCERN: "Not met",
    UNDECIDED: "Undecided",
    INFO: "Not met or undecided, but not a concern",
}
"""How a sentence begins that names the conditions with a verdict."""
_WORDS = {
    Result.MET: OK,
    Result.NOT_MET: CONCERN,
    Result.UNDECIDED: UNDECIDED,
    Result.NOT_JUDGED: INFO,
}


def word(finding: Finding) -> str:
    """Returns the word for a finding."""
    return INFO if finding.qualified else _WORDS[finding.result]


def worst(words: Iterable[str]) -> str:
    """Returns the word that prevails; ``NOT_EVALUATED`` without any."""
    return min(words, key=WORST_FIRST.index, default=NOT_EVALUATED)
