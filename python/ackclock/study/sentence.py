"""The sentence that answers whether a study comes out as printed, and the distances of its printed numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ackclock._numbers import significant
from ackclock.experiment.model import Result
from ackclock.study.interpretations import HOLDS
from ackclock.study.result import ClaimResult, StudyResult

NEAR, WIDE = 0.10, 0.25
"""The distances from a printed number within which numbers are counted."""
METRICS = 6
"""The largest number of metrics of which a sentence names each."""


@dataclass(frozen=True)
class Printed:
    """A number that the publication prints, beside the measured one."""

    what: str
    """The metric, or the claim."""
    where: str
    """The case, or the claim's id."""
    printed: float
    measured: float

    @property
    def distance(self) -> float:
        """Returns the relative distance; 0 for equal numbers, infinite beside a printed 0."""
        if self.measured == self.printed:
            return 0.0
        return abs(self.measured / self.printed - 1) if self.printed else math.inf


def printed_numbers(result: StudyResult) -> list[Printed]:
    """Returns every printed number with a measured one: those of the metrics by case, and of claims that compute."""
    numbers = [
        Printed(metric.label, case.name, value.paper, value.mean)
        for metric in result.metrics
        for case in result.cases
        for value in [case.values.get(metric.id)]
        if value is not None and value.paper is not None and value.mean is not None
    ]
    known = {(one.printed, one.measured) for one in numbers}
    return numbers + [
        Printed(claim.text, claim.id, claim.paper, claim.measured)
        for claim in result.claims
        if claim.tested
        and claim.paper is not None
        and claim.tolerance is not None
        and claim.measured is not None
        and (claim.paper, claim.measured) not in known
    ]


def sentence(result: StudyResult) -> str:
    """Returns the answer in a sentence: "Average latency is within 8 % of the printed numbers; who is better is as
    printed in all 4 claims about it".
    """
    parts = [*_distances(result), *_orders(result), *_open(result.claims)]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else "Nothing here is tested, and no number is printed."


def _distances(result: StudyResult) -> list[str]:
    """Returns how far measured numbers are from printed ones, metric by metric if there are few."""
    labels = {metric.label for metric in result.metrics}
    every = printed_numbers(result)
    numbers = [one for one in every if one.what in labels] or every
    groups: dict[str, list[Printed]] = {}
    for one in numbers:
        groups.setdefault(one.what if one.what in labels else "", []).append(one)
    if not numbers:
        return []
    if "" in groups or len(groups) > METRICS or any(math.isinf(one.distance) for one in numbers):
        near, wide = (sum(one.distance <= limit for one in numbers) for limit in (NEAR, WIDE))
        count = len(numbers)
        if count == 1:
            where = "10 %" if near else "25 %" if wide else ""
            return [f"the printed number is {'within ' + where if where else 'not within 25 %'}"]
        return [
            f"of {count} printed numbers {near} {'is' if near == 1 else 'are'} within 10 % and {wide} within 25 %"
        ]
    far = sorted((max(one.distance for one in own), what) for what, own in groups.items())
    within = [
        f"{_lower(what)} {'is ' if number == 0 else ''}within {_percent(distance)} %"
        for number, (distance, what) in enumerate(far)
        if distance <= 1
    ]
    printed = f"the printed number{'s' if len(numbers) > 1 else ''}"
    parts = [f"{_listed(within)} of {printed}"] if within else []
    for distance, what in far:
        if distance > 1:
            parts.append(f"{_lower(what)} is up to {significant(1 + distance, 2)} times {printed}")
    return parts


def _percent(distance: float) -> str:
    """Returns a distance in percent, rounded up: 7.93 % is within 8 %."""
    percent = 100 * distance - 1e-9
    return f"{math.ceil(percent)}" if percent >= 1 else f"{math.ceil(10 * percent) / 10:g}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _lower(label: str) -> str:
    """Returns a label as it stands within a sentence: abbreviations and symbols keep their capitals."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def _orders(result: StudyResult) -> list[str]:
    """Returns in how many tested claims the order is as printed: those that name one, and those without a number."""
    ours = result.source.asked_by == "us"
    tested = [
        claim
        for claim in result.claims
        if claim.tested and (ours or claim.paper is None or claim.order is not None)
    ]
    if not tested:
        return []
    held = sum(claim.verdict in HOLDS or (not ours and claim.order is Result.MET) for claim in tested)
    what = "question" if ours else "claim"
    about = "" if ours else " about it"
    if held == len(tested):
        count = {1: f"the {what}", 2: f"both {what}s"}.get(held, f"all {held} {what}s")
    elif held == 0:
        count = f"none of {len(tested)} {what}s" if len(tested) > 1 else ""
    else:
        count = f"{held} of {len(tested)} {what}s"
    if not count:
        return ["the answer is not yes" if ours else "who is better is not as printed"]
    return [f"the answer is yes to {count}" if ours else f"who is better is as printed in {count}{about}"]


def _open(claims: Iterable[ClaimResult]) -> list[str]:
    """Returns what is open: the number of undecided claims, and of claims whose set-up is partly lost."""
    tested = [claim for claim in claims if claim.tested]
    parts = []
    if undecided := sum(claim.verdict == "undecided" for claim in tested):
        parts.append(f"{undecided} claim{'s are' if undecided > 1 else ' is'} undecided")
    lost = sum(bool(claim.setup) for claim in tested)
    if lost and lost == len(tested):
        parts.append("the set-up is partly lost")
    elif lost:
        parts.append(f"the set-up of {lost} claim{'s' if lost > 1 else ''} is partly lost")
    return parts
