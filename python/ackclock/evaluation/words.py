"""The words of an evaluation: what a reader sees in place of findings, and how several words become one."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.experiment.model import Finding, Result

OK, CONCERN, UNDECIDED, INFO = "OK", "CONCERN", "undecided", "INFO"
"""A concern needs an explanation. INFO are numbers without a limit, and a result that is qualified: not met by too
little to be a concern, or as a standard control does not meet it, or more harm than the reference's where the others
keep an equal share.
"""
EXEMPT, NOT_EVALUATED = "EXEMPT", "not evaluated"
"""What a criterion of the RFC is without a finding: the author declares that the control is not for it, or the demand
is not on this kind of control; or nothing was run.
"""
WORDS = {
    Result.MET: OK,
    Result.NOT_MET: CONCERN,
    Result.UNDECIDED: UNDECIDED,
    Result.NOT_JUDGED: INFO,
}
IN_ORDER = (OK, CONCERN, UNDECIDED, INFO, EXEMPT, NOT_EVALUATED)
"""The order in which they are counted."""
WORST_FIRST = (CONCERN, UNDECIDED, INFO, OK, EXEMPT, NOT_EVALUATED)
"""The order in which words prevail."""


def word(finding: Finding) -> str:
    """Returns the word for a finding."""
    return INFO if finding.qualified else WORDS[finding.result]


def worst(words: Iterable[str]) -> str:
    """Returns the word that prevails; ``NOT_EVALUATED`` without any."""
    return min(words, key=WORST_FIRST.index, default=NOT_EVALUATED)
