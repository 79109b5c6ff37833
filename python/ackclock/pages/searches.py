"""The tables and the picture of docs/search.md, from what `scripts/record-searches` recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ackclock._archive import folder
from ackclock._numbers import significant
from ackclock._search.entry import command
from ackclock.pages import DOCS, ROOT
from ackclock.pages.markdown import table
from ackclock.report import svg_chart

RECORD = folder("searches") / "found.json"
FOLDER = ROOT / "scenarios" / "found"
PICTURE = DOCS / "images" / "c4-beside-cubic.svg"
PAIR: Mapping[str, object] = {"flows.tested.count": 1, "dumbbell.rtt": "80 ms", "warmup": "0 s"}
"""The overrides that turn the scenario in which C4 starves CUBIC into a longer version of C4's test `vs_cubic_lg`."""
BIN_S = 2.5
RUNS, SEED = 80, 1
MARKS = '{ name = "rfc", ecn = true }'
"""The transport of controls that respond to ECN marks."""


@dataclass(frozen=True)
class Wanted:
    """A search: a control, what to look for, where, and over which transport."""

    control: str
    objective: str
    space: str
    transport: str | None = None

    @property
    def name(self) -> str:
        """Returns the name of the scenario that the search writes."""
        return f"{self.control}-{self.objective}-{self.space}"

    @property
    def command(self) -> str:
        """Returns the command that repeats the search."""
        return command(self.control, self.objective, self.space, None, self.transport, runs=RUNS, seed=SEED)


SEARCHES = (
    Wanted("bbrv3", "harm", "mixes"),
    Wanted("bbrv3", "starvation", "mixes"),
    Wanted("bbrv3", "self-starvation", "jitters"),
    Wanted("bbrv3", "utilisation", "paths"),
    Wanted("c4", "starvation", "mixes"),
    Wanted("c4", "self-starvation", "jitters"),
    Wanted("c4", "utilisation", "paths"),
    Wanted("copa", "starvation", "mixes"),
    Wanted("copa", "self-starvation", "jitters"),
    Wanted("copa", "utilisation", "paths"),
    Wanted("prague", "starvation", "dualq", MARKS),
    Wanted("prague", "utilisation", "dualq", MARKS),
)


def generated(control: str) -> str:
    """Returns the table of what was found in a control."""
    found = [
        one for one in json.loads(RECORD.read_text(encoding="utf-8"))["found"] if one["control"] == control
    ]
    head = ["searched for", "worst", "new seeds", "CUBIC", "unchanged", "with"]
    return "\n".join(table(head, [_row(one) for one in found]))


def picture() -> str:
    """Returns the chart of the goodput of a flow of C4 and of one of CUBIC over time."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))["pair"]
    lines = [
        svg_chart.Line(
            label,
            [svg_chart.Point(BIN_S * (index + 0.5), *values) for index, values in enumerate(record[label])],
        )
        for label in ("C4", "CUBIC")
    ]
    y = svg_chart.Axis("goodput in Mbit/s, mean of 10 seeds with its 95 % confidence interval")
    title = "Goodput of a C4 flow and of a CUBIC flow that competes with it"
    return svg_chart.chart(title, svg_chart.Axis("time in s"), y, lines)


def _row(one: Mapping[str, Any]) -> list[str]:
    file = f"../scenarios/found/{one['name']}.toml"
    short = {
        path.removeprefix("dumbbell.").removeprefix("bottleneck."): value
        for path, value in one["values"].items()
    }
    values = (
        ", ".join(f"`{path}` {value}" for path, value in short.items())
        or "the scenario of the search space, unchanged"
    )
    numbers = [one["badness"], one["new_seeds"], one["cubic"], one["harmless"]]
    return [
        f"[{one['objective']}, {one['space']}]({file})",
        *(significant(value, 2) for value in numbers),
        values,
    ]
