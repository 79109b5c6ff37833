"""Compares the values of a quantity in two logs, place by place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ackclock.traces.log import QUANTITIES, Steps, Unit
from ackclock.traces.outcome import ROUNDING, STRETCHES, Difference, covers


def _apart(value: float, held: Sequence[float]) -> tuple[float, float]:
    """Returns the difference of a value from the nearest of those held, as a share of the larger, and that value.

    What lies between two of them is not equal to either: a window between those before and after a loss is another one.
    """
    nearest = min(held, key=lambda one: abs(one - value))
    largest = max(abs(value), abs(nearest))
    return (abs(value - nearest) / largest if largest else 0.0), nearest


@dataclass(frozen=True)
class Apart:
    """The difference at a place at which a course changes."""

    at: float
    since_s: float
    share: float
    ours: float
    theirs: float


def places(mine: Steps, other: Steps, ends: tuple[float, float], slack: float) -> list[Apart]:
    """Returns the difference at each place at which a course changes, in their order, as far as both logs go.

    What a course does between the samples of the other one is not compared.
    """
    slack += ROUNDING
    found = []
    for steps, counterpart, swapped in ((mine, other, False), (other, mine, True)):
        if counterpart.sampled and not steps.sampled:
            continue
        end, other_end = ends[::-1] if swapped else ends
        for at, value, since_s in steps:
            held = counterpart.held(at - slack, at + slack)
            if not held or not covers(other_end, end, at, slack):
                continue
            share, nearest = _apart(value, held)
            ours, theirs = (nearest, value) if swapped else (value, nearest)
            found.append(Apart(at, since_s, share, ours, theirs))
    return sorted(found, key=lambda one: (one.at, one.since_s))


def difference(
    name: str, found: Sequence[Apart], span: float, share: float
) -> tuple[Difference, Apart | None]:
    """Returns how far apart the courses are, and the first place beyond the tolerance."""
    stretches: list[float | None] = [None] * STRETCHES
    for place in found:
        stretch = min(STRETCHES - 1, max(0, int(STRETCHES * place.at / span))) if span > 0 else 0
        stretches[stretch] = max(place.share, stretches[stretch] or 0.0)
    # Equal values may differ in their last bit after a division.
    first = next((place for place in found if place.share > share + ROUNDING), None)
    largest = max(found, key=lambda place: place.share)
    beyond = None if first is None else first.at
    at, ours, theirs = largest.at, largest.ours, largest.theirs
    return Difference(name, largest.share, at, ours, theirs, beyond, stretches), first


def reading(name: str, value: float | None, unit: Unit) -> str:
    """Returns a value in words, with its unit."""
    quantity = QUANTITIES[name]
    if value is None:
        return "no value yet"
    return f"{value * quantity.factor:.6g} {quantity.unit or unit}"
