"""What `ackclock wire` has measured beside the simulation of the same file: `scripts/measure wire` records it, and
`scripts/build-docs` makes the tables of docs/wire-measurements.md from the record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from path_measurements import BOTTLENECK, DEEP, QUEUE, late_cells, markdown, span

from ackclock._archive import folder
from ackclock._wire_agreement import FLOW_METRICS, LINK_METRICS, Metric

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "docs" / "examples" / "wire.toml"
RECORD = folder("wire") / "flows.json"

CONTROLS = (
    *(("linux", f"linux:{name}") for name in ("cubic", "reno", "bbr")),
    *(("noq", f"noq:{name}") for name in ("newreno", "cubic", "bbr3")),
    *(("noq", name) for name in ("rbcc", "newreno", "cubic", "vegas", "bbrv3")),
)
"""The transport and the control of each row: the kernel's own, those of noq, and ours under noq."""


def _droptail(rtt: str, limit: str) -> dict[str, Any]:
    return {"dumbbell.rtt": rtt, f"{QUEUE}.limit": limit}


FAST = {f"{BOTTLENECK}.rate": "100 Mbit/s"}
FIRST = {"warmup": "0 s", "duration": "10 s"}
PATHS: Mapping[str, Mapping[str, Any]] = {
    "20 ms, 0.5 BDP": _droptail("20 ms", "0.5 bdp"),
    "100 ms, 2 BDP": _droptail("100 ms", "2 bdp"),
    "40 ms, PIE": {f"{QUEUE}.name": "pie", **DEEP},
    "40 ms, CoDel": {f"{QUEUE}.name": "codel", **DEEP},
    "40 ms, DualPI2": {f"{QUEUE}.name": "dualpi2", **DEEP},
    "20 ms, 2 BDP": _droptail("20 ms", "2 bdp"),
    "100 ms, 0.5 BDP": _droptail("100 ms", "0.5 bdp"),
    "two flows, 20 ms, 2 BDP": {**_droptail("20 ms", "2 bdp"), "flows.0.count": 2},
    "100 Mbit/s, 20 ms, 2 BDP": {**_droptail("20 ms", "2 bdp"), **FAST},
    "100 Mbit/s, 100 ms, 0.5 BDP": {**_droptail("100 ms", "0.5 bdp"), **FAST},
    "two flows, 100 Mbit/s, 100 ms, 0.5 BDP": {**_droptail("100 ms", "0.5 bdp"), **FAST, "flows.0.count": 2},
}
"""The paths as overrides of the scenario, with one flow and 10 Mbit/s if the name does not say otherwise."""
JITTER = {"dumbbell.access.jitter": "200 us"}
"""What a second simulation of a BBR adds: about as late as acknowledgements are on the machine of the record."""
SEVERAL = 2
"""The number of runs at a time over a path of 100 Mbit/s. Over slower paths the caller chooses it."""


@dataclass(frozen=True)
class Case:
    """Flows over a path."""

    path: str
    transport: str
    control: str
    seconds: int = 40
    """How long they last. Of 40 s, the first 10 are not counted."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Returns what identifies the case in the record."""
        return self.path, self.transport, self.control, self.seconds

    @property
    def overrides(self) -> dict[str, Any]:
        """Returns what the case changes of the scenario."""
        flows = {"flows.0.transport": self.transport, "flows.0.control": self.control}
        return {**PATHS[self.path], **flows, **(FIRST if self.seconds == 10 else {})}

    @property
    def has_jitter(self) -> bool:
        """Returns whether a second simulation has acknowledgements that are late."""
        return self.seconds == 40 and "bbr" in self.control

    @property
    def is_fast(self) -> bool:
        """Returns whether the path has 100 Mbit/s."""
        return "100 Mbit/s" in self.path


FIRST_OVER = ("20 ms, 0.5 BDP", "20 ms, 2 BDP", "100 ms, 2 BDP", "40 ms, CoDel", "100 Mbit/s, 20 ms, 2 BDP")
"""The paths whose first ten seconds are a table of their own."""
CASES = [
    *(Case(path, *control) for path in PATHS for control in CONTROLS),
    *(Case(path, *control, 10) for path in FIRST_OVER for control in CONTROLS),
]

GOODPUT, RTT, DELAY = FLOW_METRICS
_, WAIT, DROPS, MARKS = LINK_METRICS
COLUMNS: Sequence[tuple[Metric, str, float, str]] = (
    (GOODPUT, "goodput (Mbit/s)", 1e-6, ".2f"),
    (RTT, "RTT p95 (ms)", 1e3, ".1f"),
    (DELAY, "one-way p95 (ms)", 1e3, ".1f"),
    (WAIT, "wait p95 (ms)", 1e3, ".1f"),
    (DROPS, "drops", 1, ".0f"),
    (MARKS, "marks", 1, ".0f"),
)
"""The metrics of a table, with heading, factor and format."""


def of_run(document: Mapping[str, Any]) -> dict[str, float | None]:
    """Returns what is recorded of a run: what its flows deliver together, and the longest of their delays."""
    flows = document["flows"]
    [link] = [link for link in document["links"] if link["name"] == "bottleneck"]
    own: dict[str, float | None] = {GOODPUT.field: sum(flow[GOODPUT.field] for flow in flows)}
    for metric in (RTT, DELAY):
        values = [flow[metric.field] for flow in flows]
        own[metric.field] = None if None in values else max(values)
    return {**own, **{metric.field: link[metric.field] for metric in LINK_METRICS}}


def generated(what: str) -> str:
    """Returns the tables of all paths, or of their first ten seconds; of simulations with late acknowledgements; or of
    what the grid lacks.
    """
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    makers: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
        "missing": missing_cases,
        "late acknowledgements": late_acknowledgements,
        "measured": lambda record: of_paths(record, 40),
        "first seconds": lambda record: of_paths(record, 10),
    }
    return makers[what](record)


def of_paths(record: Mapping[str, Any], seconds: int) -> str:
    """Returns the tables of all paths whose cases last this long, each under its heading."""
    paths = dict.fromkeys(case.path for case in CASES if case.seconds == seconds)
    parts = []
    for path in sorted(paths, key=_order):
        heading = f"{path[0].upper()}{path[1:]}" + (", first" if seconds == 10 else "")
        parts += [f"### {heading}", table(record, path, seconds)]
    return "\n" + "\n\n".join(parts) + "\n"


def _order(path: str) -> tuple[bool, list[float | str]]:
    """Returns where a path stands among the others: those of 10 Mbit/s first, then by their numbers."""
    words = path.removeprefix("two flows, ").split()
    return "Mbit/s," in words, [float(word) if word[0].isdigit() else word for word in words]


def missing_cases(record: Mapping[str, Any]) -> str:
    """Returns the cases of the grid that were not run, or not often enough without being late."""
    late = {tuple(key) for key in record.get("late", [])}
    known = {key_of(case) for case in record["cases"]}
    rows = []
    for path, seconds in dict.fromkeys((case.path, case.seconds) for case in CASES):
        missing = [
            case for case in CASES if (case.path, case.seconds) == (path, seconds) and case.key not in known
        ]
        for why, wanted in (("the machine was late", True), ("no time", False)):
            names = [_name(case.transport, case.control) for case in missing if (case.key in late) == wanted]
            if names:
                rows.append([path + (", first ten seconds" if seconds == 10 else ""), ", ".join(names), why])
    return markdown(["path", "controls", "why"], rows) if rows else "Nothing."


def late_acknowledgements(record: Mapping[str, Any]) -> str:
    """Returns the cases beyond the bounds, and a second simulation of each in which acknowledgements are late."""
    columns = [column for column in COLUMNS if column[0] in (GOODPUT, WAIT, DROPS)]
    rows = []
    for case in record["cases"]:
        measured = [metric for metric, *_ in COLUMNS if _knows(case, metric)]
        if "jittered" in case and not all(agrees(case, metric) for metric in measured):
            cells = [
                " / ".join(
                    span([run[metric.field] * factor for run in case[kind]], form)
                    for kind in ("real", "simulated", "jittered")
                )
                for metric, _, factor, form in columns
            ]
            rows.append([case["path"], _name(case["transport"], case["control"]), *cells])
    return markdown(["path", "control", *(head for _, head, _, _ in columns)], rows)


def key_of(case: Mapping[str, Any]) -> tuple[str, str, str, int]:
    """Returns what identifies a case of the record."""
    return case["path"], case["transport"], case["control"], case.get("seconds", 40)


def table(record: Mapping[str, Any], path: str, seconds: int) -> str:
    """Returns a table: real / simulated, from the least to the greatest, and of 40 s what does not agree."""
    cases = [case for case in record["cases"] if key_of(case)[::3] == (path, seconds)]
    if not cases:
        return "Not measured yet."
    columns = [column for column in COLUMNS if any(_knows(case, column[0]) for case in cases)]
    heads = [
        "control",
        *(head for _, head, _, _ in columns),
        *(["beyond the bounds"] if seconds == 40 else []),
        "late p99, most (ms)",
        "invalid",
    ]
    rows = []
    for case in cases:
        cells = [_both(case, metric, factor, form) for metric, _, factor, form in columns]
        beyond = [head.split(" (")[0] for metric, head, _, _ in columns if not agrees(case, metric)]
        rows.append(
            [
                _name(case["transport"], case["control"]),
                *cells,
                *([", ".join(beyond) or "nothing"] if seconds == 40 else []),
                *late_cells(case),
            ]
        )
    loads = [load for case in cases for load in case["load"]]
    about = (
        f"{record['runs']} valid runs each; real / simulated. Linux {record['kernel']}, {record['cores']} cores, "
        f"load average {span(loads, '.0f')} from other work and {record['parallel']} runs at a time."
    )
    return f"{markdown(heads, rows)}\n\n{about}"


def _name(transport: str, control: str) -> str:
    return f"`{control}`" if ":" in control else f"`{control}` ({transport})"


def agrees(case: Mapping[str, Any], metric: Metric) -> bool:
    """Returns whether the means over the runs are within the metric's bound; True if a run does not know it."""
    if not _knows(case, metric):
        return True
    real, simulated = (fmean(run[metric.field] for run in case[kind]) for kind in ("real", "simulated"))
    return metric.agrees(real, simulated)


def _knows(case: Mapping[str, Any], metric: Metric) -> bool:
    values = [run[metric.field] for kind in ("real", "simulated") for run in case[kind]]
    return None not in values and not (metric is MARKS and not any(values))


def _both(case: Mapping[str, Any], metric: Metric, factor: float, form: str) -> str:
    if not _knows(case, metric):
        return "–"
    return " / ".join(
        span([run[metric.field] * factor for run in case[kind]], form) for kind in ("real", "simulated")
    )
