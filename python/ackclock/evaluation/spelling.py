"""What is judged, and why, in the words of the page of an evaluation and of the pages of records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ackclock._numbers import with_ends
from ackclock.evaluation.words import CONCERN, INFO, UNDECIDED

if TYPE_CHECKING:
    from ackclock.study.result import Interval

BEGINNINGS = {
    CONCERN: "Not so",
    UNDECIDED: "Undecided",
    INFO: "Not met, or not surely, but no concern",
}
"""How a sentence begins that names the conditions with a verdict."""
QUANTITIES = {
    "value": ": {}",
    "ratio": ": {} times {reference}'s",
    "difference": ": {} more than {reference}'s",
    "harm": ", harm beyond that of {reference}: {}",
    "allowance": ", above what is allowed: {}",
    "change": ": {} times that in the setting to compare with",
}
"""What the number of each measure says, behind the name of the metric."""


def extent(*, quick: bool, most_packets: int | None) -> str:
    """Returns which settings an evaluation has."""
    limit = "" if most_packets is None else f", up to {most_packets:,} packets a run"
    return f"{'quick' if quick else 'full'}{limit}"


def left_out(settings: int, most_packets: int | None) -> str:
    """Returns that settings are left out, and why."""
    those = "1 setting is" if settings == 1 else f"{settings:,} settings are"
    return f"{those} left out, whose {more_than(most_packets)}"


def more_than(most_packets: int | None) -> str:
    """Returns why settings are left out, behind "whose" or "its"."""
    return f"links could carry more than {most_packets:,} packets in a run"


def judged(
    label: str,
    measure: str,
    unit: str,
    mean: float | None,
    interval: Interval | None,
    reference: str,
    *,
    any_run: bool = False,
    floor: float = 0.0,
) -> str:
    """Returns the name of the metric and the quantity with its interval; the name alone without one. ``any_run`` says
    that it is that of the worst run. In a ratio, values below ``floor`` count as ``floor``.
    """
    if mean is None:
        return label
    own_unit = unit if measure in ("value", "difference", "allowance") else ""
    if own_unit == "%" and measure != "value":
        own_unit = "points"
    number = with_ends(mean, interval, own_unit)
    whose = " in the worst run" if any_run else ""
    least = f", each counted as at least {floor:g} {unit}".rstrip() if floor and measure == "ratio" else ""
    return label + whose + QUANTITIES[measure].format(number, reference=reference) + least


def in_lines(sentence: str) -> list[str]:
    """Returns the sentence that explains a verdict as lines, each with a condition."""
    return re.split(rf"(?<=;) |(?<=\.) (?=(?:{BEGINNINGS[UNDECIDED]}|{BEGINNINGS[INFO]}): )", sentence)
