"""The findings of a recorded evaluation as tables: how they lie over the grid of paths, and the worst of each kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ackclock._numbers import significant
from ackclock.evaluation import files
from ackclock.evaluation.language import LEAST_BUFFER, Condition, buffer_order
from ackclock.evaluation.spelling import judged
from ackclock.evaluation.words import INFO
from ackclock.pages.markdown import table

MOST_ROWS = 10
"""The largest number of findings of a criterion that are all shown."""
WORST = 3
"""How many findings of a condition are shown where a criterion has more."""
CELL = re.compile(r"rate (?P<rate>.+?), round trip (?P<rtt>.+?), buffer (?P<buffer>[^,]+)")
"""The name of a setting on the grid of paths begins like this."""


class Found(NamedTuple):
    """A finding, and the scenario that it is of, as a record has them."""

    scenario: Mapping[str, Any]
    finding: Mapping[str, Any]

    @property
    def condition(self) -> tuple[str, str]:
        """Returns what is judged, and in which scenario."""
        return self.scenario["name"], self.finding["text"]


def of(criterion: Mapping[str, Any], verdict: str, record: Mapping[str, Any]) -> Iterator[str]:
    """Yields the findings of a criterion with this verdict; numbers without a limit only if it has no other."""
    numbers = criterion["sentence"].startswith("Numbers without a limit")
    found = [
        Found(scenario, one)
        for scenario in criterion["scenarios"]
        for one in scenario["findings"]
        if one["verdict"] == verdict and (verdict != INFO or one["reason"] or numbers)
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
    heads = [
        "condition",
        "where",
        "judged, with its interval",
        record["control"],
        *record["references"],
        "why",
    ]
    if record["control"] in record["references"]:
        heads[3] = "tested"
    yield from table(heads, [_row(one, record) for one in shown])
    if len(found) > len(shown):
        yield ""
        yield f"These are the farthest from the limit of each condition; the record has {len(found) - len(shown)} more."


def worst(found: Sequence[Found]) -> list[Found]:
    """Returns the findings of each condition that are farthest from its limit, those without a number first."""
    conditions: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        conditions.setdefault(one.condition, []).append(one)
    shown = []
    for (scenario, text), of_one in conditions.items():
        sign = -1 if criterion_of(scenario, text).high is not None else 1

        def nearness(one: Found, sign: int = sign) -> float:
            mean = one.finding["mean"]
            return -float("inf") if mean is None else sign * float(mean)

        shown += sorted(of_one, key=nearness)[:WORST]
    return shown


def criterion_of(scenario: str, text: str) -> Condition:
    """Returns the criterion of a condition."""
    return next(one for one in files.load(scenario).about.criteria if one.text == text)


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
    buffers = ", ".join(f"{with_buffer[one,]} of {of_buffer[one,]} with {one}" for one in sizes)
    yield (
        f"{finding['text']} (`{scenario['name']}`): how many of the settings with each rate and round trip are "
        f"**{verdict}**. The shortest paths have fewer buffers, as one holds at least {LEAST_BUFFER} packets. "
        f"By buffer: {buffers}."
    )
    yield ""
    rows = [[rate, *(f"{counts[rate, rtt]} of {settings[rate, rtt]}" for rtt in rtts)] for rate in rates]
    yield from table(["rate", *rtts], rows)


def _row(found: Found, record: Mapping[str, Any]) -> list[str]:
    scenario, one = found
    metric = next(metric for metric in scenario["metrics"] if metric["id"] == one["metric"])
    unit = metric["unit"]
    setting = next(of for of in scenario["settings"] if of["name"] == one["setting"])
    means = [one["tested"], *one["references"].values()]
    samples = [setting["tested"], *setting["references"].values()]
    cells = [mean(one_mean, unit, of[one["metric"]]) for one_mean, of in zip(means, samples, strict=True)]
    criterion = criterion_of(*found.condition)
    words = judged(
        metric["label"],
        one["measure"],
        unit,
        one["mean"],
        one["interval"],
        record["references"][0],
        any_run=criterion.any_run,
        floor=criterion.floor,
    )
    where = ", ".join(text for text in (f"`{scenario['name']}`", one["setting"]) if text)
    return [one["text"], where, words, *cells, one["reason"]]


def mean(value: float | None, unit: str, samples: Sequence[float | None]) -> str:
    """Returns the mean of the runs that have a value, and how many these are if some have none."""
    present = sum(one is not None for one in samples)
    if value is None or not present:
        return "no value"
    runs = "" if present == len(samples) else f" in {present} of {len(samples)} runs"
    return f"{significant(value, 3)} {unit}".rstrip() + runs
