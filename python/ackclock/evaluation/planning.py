"""Which runs of a scenario go on after a look: those that may make a verdict worse.

An evaluation is judged at 3 seeds, at 5 and at 10. A look before the last decides only what is sure at the error of
``experiment.looks``; the last one judges everything at 95 %. A run goes on where a condition that is not settled needs
it, and where its word may become worse than what its settings have for sure: a condition that is surely a concern in
one setting is not followed in the others, which stay undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ackclock.evaluation.judge import Judged
from ackclock.evaluation.words import CONCERN, INFO, OK, WORST_FIRST, worst

Seat = tuple[str, int]
"""A contender in a setting, by its index."""


def going_on(found: Sequence[Judged]) -> set[Seat]:
    """Returns the runs of a scenario that more seeds are wanted of."""
    conditions: dict[int, list[Judged]] = {}
    for one in found:
        conditions.setdefault(id(one.condition), []).append(one)
    surely = worst(
        one.verdict
        for one in found
        if not one.open_to and not one.condition.info and one.condition.cells == 1
    )
    return {seat for own in conditions.values() for one in _followed(own, surely) for seat in one.needs}


def _followed(own: Sequence[Judged], surely: str) -> Iterator[Judged]:
    """Yields the findings of a condition that are followed; ``surely`` is the word that the scenario has for sure."""
    settled = [one.verdict for one in own if not one.open_to]
    held = sum(word in (OK, INFO) for word in settled)
    # As in ``judge.enough``: a condition that holds in enough settings forgives the others.
    needed = math.floor(own[0].condition.cells * len(own) + 0.5)
    if own[0].condition.cells < 1:
        if held >= needed:
            return
        if len(settled) - held <= len(own) - needed:
            settled = [word for word in settled if word in (OK, INFO)]
    known = worst(settled)
    for one in own:
        if not one.open_to or WORST_FIRST.index(one.open_to) >= WORST_FIRST.index(known):
            continue
        # What can be no concern matters only where there is none.
        if one.open_to == CONCERN or surely != CONCERN:
            yield one
