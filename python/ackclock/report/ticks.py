"""The ticks of logarithmic axes, for every drawing library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

FEW = 8
"""The largest number of values of a sweep that are all ticks."""
_APART = 0.11
"""The least distance between two ticks, as a share of the axis."""


def logarithmic(values: Sequence[float], *, exact: bool) -> list[float]:
    """Returns the ticks of a logarithmic axis that shows these values, all above 0.

    With ``exact`` they are the values themselves, if these are few and not too close to each other: those of a sweep.
    Otherwise they are powers of ten, with 2 and 5 between them if the values cover few.
    """
    known = sorted({value for value in values if value > 0})
    if not known:
        return []
    low, high = known[0], known[-1]
    span = math.log10(high / low)
    near = any(math.log10(b / a) < _APART * span for a, b in pairwise(known))
    if exact and len(known) <= FEW and not near:
        return known
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if span < 2 else (1,)
    every = max(1, (last - first) // FEW) if len(steps) == 1 else 1
    return [step * 10.0**power for power in range(first, last + 1, every) for step in steps]


def text(value: float) -> str:
    """Returns a tick as text: ``0.25``, ``1000``, ``1e6``."""
    return (
        f"{value:.0f}"
        if 1 <= value < 1e5 and value == int(value)
        else f"{value:g}".replace("e-0", "e-").replace("e+0", "e")
    )
