"""Which runs of a scenario go on after a look: those that may make a verdict worse.

An evaluation is judged at 3 seeds, at 5 and at 10. A look before the last decides only what is sure at the error of
``experiment.looks``; the last one judges everything at 95 %. A run goes on where a condition that is not settled needs
it. A condition that is surely a concern in one setting is not followed in the others, which stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.evaluation.judge import Judged
from ackclock.evaluation.words import CONCERN

Seat = tuple[str, int]
"""A contender and the index of a setting."""


def going_on(found: Sequence[Judged]) -> set[Seat]:
    """Returns the runs of a scenario that more seeds are wanted of."""
    concerns = {id(one.condition) for one in found if one.verdict == CONCERN and not one.open}
    return {seat for one in found if id(one.condition) not in concerns for seat in one.needs}
