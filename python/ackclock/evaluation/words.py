"""The words of an evaluation: what a reader sees in place of findings, and how several words become one."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.experiment.model import Result

OK, CONCERN, UNDECIDED = "OK", "CONCERN", "undecided"
"""A concern needs an explanation."""
AS_STANDARD, NO_LIMIT = "as standard controls", "no limit"
"""Outside a limit like a standard control, and not surely farther; and numbers that nothing is asked of."""
EXEMPT, NOT_EVALUATED = "EXEMPT", "not evaluated"
"""What a criterion of the RFC is without a finding: the author declares that the control is not for it, or the demand
is not on this kind of control; or nothing was run.
"""
WORDS = {
    Result.MET: OK,
    Result.NOT_MET: CONCERN,
    Result.UNDECIDED: UNDECIDED,
    Result.NOT_JUDGED: NO_LIMIT,
}
IN_ORDER = (OK, CONCERN, UNDECIDED, AS_STANDARD, NO_LIMIT, EXEMPT, NOT_EVALUATED)
"""The order in which they are counted."""
WORST_FIRST = (CONCERN, UNDECIDED, AS_STANDARD, NO_LIMIT, OK, EXEMPT, NOT_EVALUATED)
"""The order in which words prevail."""
MILDEST_FIRST = (OK, AS_STANDARD, NO_LIMIT, UNDECIDED, CONCERN)
"""The order in which words about one condition, each beside another reference, prevail."""


def worst(words: Iterable[str]) -> str:
    """Returns the word that prevails; ``NOT_EVALUATED`` without any."""
    return min(words, key=WORST_FIRST.index, default=NOT_EVALUATED)
