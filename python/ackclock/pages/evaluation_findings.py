"""The findings of a recorded evaluation as tables: how they lie over the grid of paths, and the worst of each kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ackclock._numbers import number_of
from ackclock.evaluation.language import LEAST_BUFFER, buffer_order
from ackclock.evaluation.spelling import words_of_record
from ackclock.evaluation.words import NO_LIMIT
from ackclock.pages.markdown import table

MOST_ROWS = 10
"""The page shows all findings of a criterion if they are at most this many."""
WORST = 3
"""The number of findings that the page shows for each condition if the criterion has more than ``MOST_ROWS``."""
CELL = re.compile(r"rate (?P<rate>.+?), round trip (?P<rtt>.+?), buffer (?P<buffer>[^,]+)")
"""Matches the beginning of the name of a setting on the grid of paths."""


class Found(NamedTuple):
    """A finding, and the scenario that it is of, as a record has them."""

    scenario: Mapping[str, Any]
    finding: Mapping[str, Any]

    @property
    def condition(self) -> tuple[str, str]:
        """Returns what is judged, and in which scenario."""
        return self.scenario["name"], self.finding["text"]


def of(criterion: Mapping[str, Any], verdict: str) -> Iterator[str]:
    """Yields the findings of a criterion with this verdict; numbers without a limit only if it has no other."""
    numbers = criterion["verdict"] == NO_LIMIT
    found = [
        Found(scenario, one)
        for scenario in criterion["scenarios"]
        for one in scenario["findings"]
        if one["verdict"] == verdict and (verdict != NO_LIMIT or numbers)
    ]
    if not found:
        return
    yield ""
    yield f"### {criterion['section']} {criterion['title']}"
    shown = found
    if len(found) > MOST_ROWS:
        shown = worst(found)
        for condition in dict.fromkeys(one.condition for one in found):
            of_one = [one for one in found if one.condition == condition]
            if len(of_one) > WORST:
                yield from over_the_grid(of_one, verdict)
    yield ""
    heads = ["where", "measured", "why"]
    yield from table(heads, [_row(one) for one in shown])
    if len(found) > len(shown):
        yield ""
        yield (
            f"For each condition, the table shows at most {WORST} findings, those farthest from the limit of the "
            f"condition. The record of this evaluation contains {number_of(len(found) - len(shown), 'more finding')}."
        )


def worst(found: Sequence[Found]) -> list[Found]:
    """Returns the findings of each condition that are farthest from its limit, those without a number first."""
    conditions: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        conditions.setdefault(one.condition, []).append(one)
    return [one for of_one in conditions.values() for one in sorted(of_one, key=_nearness)[:WORST]]


def _nearness(one: Found) -> float:
    """Returns how near a finding is to its limit; the least of all without a number."""
    of = one.finding["finding"]
    if of["estimate"] is None:
        return -float("inf")
    sign = 1 if of["high"] is None else -1
    return sign * float(of["estimate"])


def over_the_grid(found: Sequence[Found], verdict: str) -> Iterator[str]:
    """Yields in how many of its settings a condition has these findings, all with this verdict, by rate and round trip;
    nothing where a scenario is not on the grid of paths.
    """
    scenario, finding = found[0]
    cells = [CELL.match(one["name"]) for one in scenario["settings"]]
    if not all(cells):
        return
    there = [one for of in found if (one := CELL.match(of.finding["setting"])) is not None]

    def counted(*axes: str) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
        """Returns how many settings there are, and how many of them have the finding, at each point of the axes."""
        every, having = (
            Counter(one.group(*axes, 0)[:-1] for one in which if one) for which in (cells, there)
        )
        return every, having

    settings, counts = counted("rate", "rtt")
    of_buffer, with_buffer = counted("buffer")
    rates, rtts = (list(dict.fromkeys(cell[k] for cell in settings)) for k in range(2))
    yield ""
    sizes = sorted((one for (one,) in of_buffer), key=buffer_order)
    buffers = ", ".join(f"{with_buffer[one,]} of {of_buffer[one,]} settings with {one}" for one in sizes)
    yield (
        f"{finding['text']} (`{scenario['name']}`): the number of settings with the verdict **{verdict}**, by link "
        "rate and RTT. Paths with a small bandwidth-delay product have fewer buffer sizes, because every buffer holds "
        f"at least {LEAST_BUFFER} packets. By buffer size: {buffers}."
    )
    yield ""
    rows = [[rate, *(f"{counts[rate, rtt]} of {settings[rate, rtt]}" for rtt in rtts)] for rate in rates]
    yield from table(["rate", *rtts], rows)


def _row(found: Found) -> list[str]:
    scenario, one = found
    where = ", ".join(text for text in (f"`{scenario['name']}`", one["setting"]) if text)
    return [where, words_of_record(scenario, one), one["reason"]]
