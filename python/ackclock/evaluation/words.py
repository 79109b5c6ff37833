"""The words of an evaluation: what a reader sees in place of findings, and how several words become one."""

from __future__ import annotations

from collections.abc import Iterable

from ackclock.experiment.model import Result

OK, CONCERN, UNDECIDED = "OK", "CONCERN", "undecided"
"""Verdicts on a condition with a limit. The author of the control has to explain a concern."""
AS_STANDARD, NO_LIMIT = "as standard controls", "no limit"
"""``AS_STANDARD``: the control is outside a limit, but not significantly farther than a standard control. ``NO_LIMIT``:
no limit applies to the number.
"""
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
"""The precedence of the verdicts on several conditions, settings or scenarios: the first prevails."""
MILDEST_FIRST = (OK, AS_STANDARD, NO_LIMIT, UNDECIDED, CONCERN)
"""The precedence of the verdicts on one condition against several references: the first prevails."""


def worst(words: Iterable[str]) -> str:
    """Returns the word that prevails; ``NOT_EVALUATED`` without any."""
    return min(words, key=WORST_FIRST.index, default=NOT_EVALUATED)
