"""The sentence that answers whether a study comes out as printed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ackclock._names import listed
from ackclock._numbers import significant
from ackclock.experiment.model import Result
from ackclock.study.interpretations import FAILS, HOLDS
from ackclock.study.model import Verdict
from ackclock.study.printed_numbers import Printed, printed_numbers, within
from ackclock.study.result import ClaimResult, StudyResult, counted

METRICS = 6
"""The largest number of metrics that a sentence names one by one."""
_ANSWERS: Mapping[Verdict, str] = {
    "yes": "answered yes",
    "no": "answered no",
    "undecided": "undecided",
    "cannot tell": "inconclusive",
}
"""The words for the answer to a question, by the verdict of its claim."""


def sentence(result: StudyResult) -> str:
    """Returns the answer in a sentence: "Average latency is within 8 % of the printed numbers; the order of the
    compared values is as printed in all 4 comparisons".
    """
    ours = [claim for claim in result.claims if claim.ours]
    claims = [claim for claim in result.claims if not claim.ours]
    parts = [*_distances(result), *_orders(claims), *_answers(ours), *_open(result)]
    text = "; ".join(parts)
    if not text:
        return "The study tests no claim and compares no measured number with a printed one."
    return f"{text[:1].upper()}{text[1:]}."


def _distances(result: StudyResult) -> list[str]:
    """Returns how far measured numbers are from printed ones, metric by metric if there are few."""
    every = printed_numbers(result)
    groups: dict[str, list[Printed]] = {}
    for one in every:
        if one.where:
            groups.setdefault(one.what, []).append(one)
    if len(groups) > METRICS or any(math.isinf(one.distance) for one in every if one.where):
        return _counted(every, "printed")
    others = [one for one in every if not one.where]
    return [*_by_metric(groups), *_counted(others, "other printed" if groups else "printed")]


def _counted(numbers: Sequence[Printed], kind: str) -> list[str]:
    """Returns how many numbers are within 10 % and within 25 %."""
    if not numbers:
        return []
    near, wide = within(numbers)
    if len(numbers) == 1:
        how = "within 10 %" if near else f"{'' if wide else 'not '}within 25 %"
        return [f"the measured mean is {how} of the {kind} number"]
    near_of = f"{near} of {len(numbers)} {kind} numbers"
    return [f"the measured mean is within 10 % of the printed one for {near_of}, and within 25 % for {wide}"]


def _by_metric(groups: Mapping[str, Sequence[Printed]]) -> list[str]:
    """Returns the largest distance of each metric."""
    far = sorted((max(one.distance for one in own), what) for what, own in groups.items())
    within = [
        f"{_lower(what)} {'is ' if number == 0 else ''}within {_percent(distance)} %"
        for number, (distance, what) in enumerate(far)
        if distance <= 1
    ]
    many = sum(map(len, groups.values())) > 1
    printed = f"the printed number{'s' if many else ''} that {'are' if many else 'is'} compared"
    parts = [f"{listed(within)} of {printed}"] if within else []
    for distance, what in far:
        if distance > 1:
            parts.append(f"{_lower(what)} is up to {significant(1 + distance, 2)} times {printed}")
    return parts


def _percent(distance: float) -> str:
    """Returns a distance in percent, rounded up: 7.93 % is within 8 %."""
    percent = 100 * distance - 1e-9
    return f"{math.ceil(percent)}" if percent >= 1 else f"{math.ceil(10 * percent) / 10:g}"


def _lower(label: str) -> str:
    """Returns a label for use within a sentence: abbreviations and symbols keep their capitals."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def _answers(claims: Sequence[ClaimResult]) -> list[str]:
    """Returns how many questions have each answer: "of 5 questions, 3 are answered yes, 1 is answered no and 1 is
    undecided".
    """
    counts = counted(claim.verdict for claim in claims if claim.tested)
    found = [(counts[verdict], answer) for verdict, answer in _ANSWERS.items() if verdict in counts]
    total = sum(count for count, _ in found)
    parts = []
    if len(found) == 1:
        every = {1: "the question is", 2: "both questions are"}.get(total, f"all {total} questions are")
        parts.append(f"{every} {found[0][1]}")
    elif found:
        each = listed([f"{count} {'is' if count == 1 else 'are'} {answer}" for count, answer in found])
        parts.append(f"of {total} questions, {each}")
    if untested := len(claims) - total:
        of = "more" if found else "question" if untested == 1 else "questions"
        parts.append(f"{untested} {of} {'is' if untested == 1 else 'are'} not tested")
    return parts


def _orders(claims: Sequence[ClaimResult]) -> list[str]:
    """Returns in how many of the decided claims the order is as printed, and how many other claims without a printed
    number hold.
    """
    decided = [claim for claim in claims if claim.verdict in (*HOLDS, *FAILS)]
    orders = [claim for claim in decided if claim.order is not None]
    others = [claim for claim in decided if claim.order is None and claim.paper is None]
    parts = []
    if orders:
        held = sum(claim.order is Result.MET for claim in orders)
        text = "the order of the compared values is"
        if len(orders) > 1:
            parts.append(f"{text} as printed in {_count(held, len(orders), 'comparison')}")
        else:
            parts.append(f"{text} {'' if held else 'not '}as printed")
    if others:
        held = sum(claim.verdict in HOLDS for claim in others)
        rest = "other " if orders else ""
        if held or len(others) > 1:
            holding = "hold" if held > 1 else "holds"
            parts.append(f"{_count(held, len(others), f'{rest}claim')} without a printed number {holding}")
        else:
            parts.append(f"the {rest}claim without a printed number does not hold")
    return parts


def _count(held: int, total: int, what: str) -> str:
    """Returns "the claim", "both claims", "all 4 claims", "2 of 4 claims" or "none of 4 claims"."""
    if held == total:
        return {1: f"the {what}", 2: f"both {what}s"}.get(total, f"all {total} {what}s")
    plural = "s" if total > 1 else ""
    return f"{held or 'none'} of {total} {what}{plural}"


def _open(result: StudyResult) -> list[str]:
    """Returns what was missed and what is open: how many claims are not as printed, how many printed numbers are not
    judged, how many claims are undecided, and of how many the set-up is partly unknown.
    """
    claims = result.claims
    tested = [claim for claim in claims if claim.tested]
    parts = []
    if missed := sum(claim.verdict == "not as printed" for claim in tested):
        parts.append(f"{missed} claim{'s are' if missed > 1 else ' is'} not as printed")
    if unjudged := sum(claim.paper is not None and not claim.tested and not claim.ours for claim in claims):
        other = "other " if printed_numbers(result) else ""
        parts.append(
            f"{unjudged} {other}printed number{'s are' if unjudged > 1 else ' is'} not judged (the claims give the "
            "reasons)"
        )
    if undecided := sum(claim.verdict == "undecided" for claim in tested if not claim.ours):
        parts.append(f"{undecided} claim{'s are' if undecided > 1 else ' is'} undecided")
    lost = sum(bool(claim.setup) for claim in tested)
    if lost and lost == len(tested):
        parts.append("the set-up is partly unknown")
    elif lost:
        parts.append(f"the set-up of {lost} claim{'s' if lost > 1 else ''} is partly unknown")
    return parts
