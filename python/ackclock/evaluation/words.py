"""The words of an evaluation: what a reader sees in place of findings, and how several words become one."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.experiment.model import Result

OK, CONCERN, UNDECIDED = "OK", "CONCERN", "undecided"
"""Verdicts on a limit. The author has to explain a concern."""
AS_STANDARD, NO_LIMIT = "as standard controls", "no limit"
"""Outside a limit, but not significantly farther than a standard control; and numbers without a limit."""
EXEMPT, NOT_EVALUATED = "EXEMPT", "not evaluated"
"""Verdicts without a finding. ``EXEMPT``: the author declares that the control is not meant for the criterion, or the
criterion does not apply to this kind of control. ``NOT_EVALUATED``: no scenario was run.
"""
WORDS = {
    Result.MET: OK,
    Result.NOT_MET: CONCERN,
    Result.UNDECIDED: UNDECIDED,
    Result.NOT_JUDGED: NO_LIMIT,
}
IN_ORDER = (OK, CONCERN, UNDECIDED, AS_STANDARD, NO_LIMIT, EXEMPT, NOT_EVALUATED)
"""The order in which the counts of the verdicts are shown."""
WORST_FIRST = (CONCERN, UNDECIDED, AS_STANDARD, NO_LIMIT, OK, EXEMPT, NOT_EVALUATED)
"""The precedence of verdicts that are combined over conditions, settings or scenarios."""
MILDEST_FIRST = (OK, AS_STANDARD, NO_LIMIT, UNDECIDED, CONCERN)
"""The precedence of verdicts on one condition, each against another reference."""


def worst(words: Iterable[str]) -> str:
    """Returns the word that prevails; ``NOT_EVALUATED`` without any."""
    return min(words, key=WORST_FIRST.index, default=NOT_EVALUATED)
