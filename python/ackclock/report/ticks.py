"""The ticks of logarithmic axes, for every drawing library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

FEW = 8
"""The largest number of swept values that all get a tick."""
LEAST = 3
"""The smallest number of ticks within the range of the values. Fewer ticks do not show that the axis is logarithmic."""
_APART = 0.11
"""The smallest distance between two ticks, as a share of the length of the axis."""


def logarithmic(values: Sequence[float], *, exact: bool) -> list[float]:
    """Returns the ticks of a logarithmic axis that shows these values, all above 0.

    With ``exact`` they are the values themselves, if these are few and not too close to each other: those of a sweep.
    Otherwise they are powers of ten, with 2 and 5 between them if the values cover few. If fewer than ``LEAST`` of
    these lie among the values, they are round numbers of which more do.
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
    usual = [step * 10.0**power for power in range(first, last + 1, every) for step in steps]
    if low == high or sum(low <= one <= high for one in usual) >= LEAST:
        return usual
    return _narrow(low, high)


def _narrow(low: float, high: float) -> list[float]:
    """Returns the multiples of the coarsest round step of which ``LEAST`` lie from ``low`` to ``high``."""
    power = math.floor(math.log10(high - low))
    steps = (step * 10.0**at for at in range(power, power - 3, -1) for step in (5, 2, 1))
    for step in steps:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 >= LEAST:
            return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
    raise AssertionError(f"no tick step fits an axis from {low} to {high}")


def text(value: float) -> str:
    """Returns a tick as text: ``0.25``, ``1000``, ``1e6``."""
    return (
        f"{value:.0f}"
        if 1 <= value < 1e5 and value == int(value)
        else f"{value:g}".replace("e-0", "e-").replace("e+0", "e")
    )
