"""What was measured, and what is left out, in the words of the page of an evaluation and of the pages of records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ackclock._numbers import significant
from ackclock.evaluation.limits import Measure
from ackclock.evaluation.words import AS_STANDARD, UNDECIDED

BEGINNINGS = {
    UNDECIDED: "Undecided",
    AS_STANDARD: "Outside the limit, like standard controls",
}
"""The beginning of the sentence that lists the conditions with a verdict, by verdict."""


def extent(*, quick: bool, most_packets: int | None) -> str:
    """Returns which settings an evaluation has."""
    limit = "" if most_packets is None else f", up to {most_packets:,} packets a run"
    return f"{'quick' if quick else 'full'}{limit}"


def left_out(settings: int, most_packets: int | None) -> str:
    """Returns that settings are left out, and why."""
    those, whose = ("1 setting is", "its") if settings == 1 else (f"{settings:,} settings are", "their")
    return f"{those} left out, because {whose} {more_than(most_packets)}"


def more_than(most_packets: int | None) -> str:
    """Returns why settings are left out, behind "whose" or "its"."""
    return f"links could carry more than {most_packets:,} packets in a run"


def compared(
    metric: str,
    unit: str,
    measure: Measure,
    tested: float | None,
    reference: tuple[str, float | None],
    allowed: tuple[float | None, float | None],
) -> str:
    """Returns what was measured, beside the reference and what is allowed: ``Loss: 6.7 % (cubic 2.2 %, at most 4.3 %
    allowed)``.
    """
    name, other = reference
    if measure == "rate":
        most = "" if not allowed[1] else f", at most {_number(allowed[1], unit, measure)} allowed"
        shares = [_number(value, unit, measure) for value in (tested, other)]
        return f"{metric}: outside the limit in {shares[0]} of runs ({name} {shares[1]}{most})"
    ends = [
        f"{word} {_number(end, unit, measure)}"
        for word, end in zip(("at least", "at most"), allowed, strict=True)
        if end is not None
    ]
    # Two conditions on one metric differ in whether the limit depends on the reference.
    whose = " for any control" if measure == "value" else ""
    said = f", {' and '.join(ends)} allowed{whose}" if ends else ""
    return f"{metric}: {_number(tested, unit, measure)} ({name} {_number(other, unit, measure)}{said})"


def words_of_record(scenario: Mapping[str, Any], finding: Mapping[str, Any]) -> str:
    """Returns what was measured of a finding of a recorded scenario, beside the reference and what is allowed."""
    metric = next(one for one in scenario["metrics"] if one["id"] == finding["metric"])
    reference = finding["reference"]
    low, high = finding["allowed"]
    return compared(
        metric["label"],
        metric["unit"],
        finding["measure"],
        finding["tested"],
        (reference, finding["references"][reference]),
        (low, high),
    )


def _number(value: float | None, unit: str, measure: Measure) -> str:
    if value is None:
        return "no value"
    if measure == "rate":
        return f"{significant(100 * value, 2)} %"
    return f"{significant(value, 3)} {unit}".rstrip()


def in_lines(sentence: str) -> list[str]:
    """Returns the sentence that explains a verdict as lines, each with a condition."""
    return re.split(rf"(?<=;) |(?<=\.) (?=(?:{'|'.join(BEGINNINGS.values())}): )", sentence)
