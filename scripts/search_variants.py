"""Variants of what searches found, which tell whose doing a find is: `scripts/record-searches --variants` runs them,
and `scripts/document-registry` makes their tables on docs/search.md from the record.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock import Scenario
from ackclock._archive import folder
from ackclock._files import replacing
from ackclock.pages.searches import FOLDER

RECORD = folder("searches") / "variants.json"
SEEDS = range(1, 6)
Overrides = Mapping[str, Any]
Result = Mapping[str, Any]


def _group(result: Result, name: str) -> float:
    return math.fsum(flow["goodput_bps"] for flow in result["flows"] if flow["group"] == name)


def _share(result: Result) -> float:
    """Returns the share of the tested flows in the goodput of all."""
    tested, other = _group(result, "tested"), _group(result, "other")
    return tested / (tested + other)


def _other_mbps(result: Result) -> float:
    return _group(result, "other") / 1e6


def _equal_mbps(result: Result) -> float:
    return math.fsum(flow["goodput_bps"] for flow in result["flows"]) / len(result["flows"]) / 1e6


def _idle(result: Result) -> float:
    return 1.0 - float(result["links"][0]["utilisation"])


Metric = Callable[[Result], float]


@dataclass(frozen=True)
class Table:
    """A table of variants of a scenario that a search found: a run for each cell and seed."""

    file: str
    first_head: str
    columns: tuple[tuple[str, Metric], ...]
    """The head of each column, and what it has of its runs."""
    rows: tuple[tuple[str, tuple[Overrides, ...]], ...]
    """The label of each row, and what the runs of each column change."""


def _in_seat(control: str) -> Overrides:
    return {"flows.tested.control": control}


def _paced(group: str) -> Overrides:
    return {f"flows.{group}.transport": {"name": "rfc", "pacing": True}}


def _hold(milliseconds: int) -> Overrides:
    return {"dumbbell.bottleneck.reverse.hold": f"{milliseconds} ms"}


def _beside(count: int) -> tuple[str, tuple[Overrides, ...]]:
    several = {"flows.tested.count": count}
    return str(count), ({**C4, **several}, {**CUBIC, **several}, {**CUBIC, **several})


def _buffers(control: str, label: str, rate_mbps: int) -> tuple[str, tuple[Overrides, ...]]:
    """Returns the row of a control at a rate. A megabit per second makes 125 bytes in a millisecond."""
    at_rate = {**_in_seat(control), "dumbbell.bottleneck.rate": f"{rate_mbps} Mbit/s"}
    limits = [f"{125 * rate_mbps * each} B" for each in BUFFERS_MS]
    cells = tuple({**at_rate, "dumbbell.bottleneck.queue.limit": limit} for limit in limits)
    return f"{label}, {rate_mbps} Mbit/s", cells


def _bunches(label: str, *changes: Overrides) -> tuple[str, tuple[Overrides, ...]]:
    return label, ({path: value for change in changes for path, value in change.items()},)


C4, CUBIC = _in_seat("c4"), _in_seat("cubic")
QUIC = {"flows.tested.transport": "quic", "flows.other.transport": "quic"}
NOQ = {**_in_seat("noq:bbr3"), "flows.tested.transport": "noq"}
BUFFERS_MS = (1, 2, 3, 4, 5)
TABLES: Mapping[str, Table] = {
    "c4-beside": Table(
        "c4-starvation-mixes",
        "flows of the control",
        (
            ("CUBIC beside C4 (Mbit/s)", _other_mbps),
            ("CUBIC beside CUBIC", _other_mbps),
            ("equal share", _equal_mbps),
        ),
        tuple(map(_beside, (1, 2, 6))),
    ),
    "c4-buffers": Table(
        "c4-utilisation-paths",
        "buffer",
        tuple((f"{each} ms", _idle) for each in BUFFERS_MS),
        (
            _buffers("c4", "C4", 20),
            _buffers("c4", "C4", 50),
            _buffers("bbrv3", "BBRv3", 50),
            _buffers("cubic", "CUBIC", 50),
        ),
    ),
    "bbrv3-bunches": Table(
        "bbrv3-harm-mixes",
        "control",
        (("share of one flow among seven (0.14 is equal)", _share),),
        (
            _bunches("BBRv3, bunches every 20 ms"),
            _bunches("BBRv3, every 10 ms", _hold(10)),
            _bunches("BBRv3, every 5 ms", _hold(5)),
            _bunches("BBRv3, no bunches", _hold(0)),
            _bunches("BBRv3, every 20 ms, CUBIC paced", _paced("other")),
            _bunches("BBRv3, every 20 ms, all over QUIC, which paces", QUIC),
            _bunches("BBRv3, every 20 ms, `fq-codel`", {"dumbbell.bottleneck.queue": {"name": "fq-codel"}}),
            _bunches("noq's own BBRv3, every 20 ms", NOQ),
            _bunches("noq's own BBRv3, no bunches", NOQ, _hold(0)),
            _bunches("C4, every 20 ms", C4),
            _bunches("BBRv1, every 20 ms", _in_seat("bbrv1")),
            _bunches("CUBIC, every 20 ms", CUBIC),
            _bunches("**CUBIC, paced, every 20 ms**", CUBIC, _paced("tested")),
        ),
    ),
}
"""The tables by their names."""


def measured(name: str) -> list[list[list[float]]]:
    """Returns the values of a table: by row, column and seed."""
    table = TABLES[name]

    def cell(overrides: Overrides, metric: Metric) -> list[float]:
        scenario = Scenario.from_file(FOLDER / f"{table.file}.toml", overrides)
        return [metric(scenario.run(seed, series=False).result) for seed in SEEDS]

    metrics = [metric for _, metric in table.columns]
    return [list(map(cell, cells, metrics)) for _, cells in table.rows]


def record() -> None:
    """Runs every table and writes the record."""
    found = {name: measured(name) for name in TABLES}
    with replacing(RECORD) as unfinished:
        unfinished.write_text(f"{json.dumps(found, indent=1)}\n", encoding="utf-8")


def generated(name: str) -> str:
    """Returns a table: the least and the greatest value of the seeds, or one number if they round to the same."""
    table, rows = TABLES[name], json.loads(RECORD.read_text(encoding="utf-8"))[name]
    head = [table.first_head, *(column for column, _ in table.columns)]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for (label, _), cells in zip(table.rows, rows, strict=True):
        lines.append(f"| {' | '.join([label, *map(_span, cells)])} |")
    return "\n".join(lines)


def _span(values: Sequence[float]) -> str:
    places = 2 if max(values) < 1 else 1
    least, most = (f"{value:.{places}f}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"
