"""What `ackclock wire` has measured beside the simulation of the same file: `scripts/measure-wire` records it, and
`scripts/document-registry` makes the tables of docs/flows-on-the-wire.md from the record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from path_measurements import DEEP, QUEUE, late_cells, markdown, span

from ackclock.wire_agreement import FLOW_METRICS, LINK_METRICS, Metric

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "docs" / "examples" / "wire.toml"
RECORD = ROOT / "docs" / "flows-on-the-wire.json"

CONTROLS = (
    *(("linux", f"linux:{name}") for name in ("cubic", "reno", "bbr")),
    *(("noq", f"noq:{name}") for name in ("newreno", "cubic", "bbr3")),
    *(("noq", name) for name in ("rbcc", "newreno", "cubic", "vegas", "bbrv3")),
)
"""The transport and the control of each row: the kernel's own, those of noq, and ours under noq."""


def _droptail(rtt: str, limit: str) -> dict[str, Any]:
    return {"dumbbell.rtt": rtt, f"{QUEUE}.limit": limit}


PATHS: Mapping[str, Mapping[str, Any]] = {
    "20 ms, 0.5 BDP": _droptail("20 ms", "0.5 bdp"),
    "100 ms, 2 BDP": _droptail("100 ms", "2 bdp"),
    "40 ms, PIE": {f"{QUEUE}.name": "pie", **DEEP},
    "40 ms, CoDel": {f"{QUEUE}.name": "codel", **DEEP},
    "40 ms, DualPI2": {f"{QUEUE}.name": "dualpi2", **DEEP},
    "20 ms, 2 BDP": _droptail("20 ms", "2 bdp"),
    "100 ms, 0.5 BDP": _droptail("100 ms", "0.5 bdp"),
}
"""The paths of 10 Mbit/s, as overrides of the scenario."""


@dataclass(frozen=True)
class Case:
    """A flow over a path."""

    path: str
    transport: str
    control: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Returns what identifies the case in the record."""
        return self.path, self.transport, self.control

    @property
    def overrides(self) -> dict[str, Any]:
        """Returns what the case changes of the scenario."""
        return {**PATHS[self.path], "flows.0.transport": self.transport, "flows.0.control": self.control}


CASES = [Case(path, *control) for path in PATHS for control in CONTROLS]

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
    """Returns what is recorded of a run."""
    [flow] = document["flows"]
    [link] = [link for link in document["links"] if link["name"] == "bottleneck"]
    own = {metric.field: flow[metric.field] for metric in FLOW_METRICS}
    return {**own, **{metric.field: link[metric.field] for metric in LINK_METRICS}}


def generated(path: str) -> str:
    """Returns the table of a path: real / simulated, from the least to the greatest, and what does not agree."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    cases = [case for case in record["cases"] if case["path"] == path]
    if not cases:
        return "Not measured yet."
    columns = [column for column in COLUMNS if any(_knows(case, column[0]) for case in cases)]
    heads = [
        "control",
        *(head for _, head, _, _ in columns),
        "beyond the bounds",
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
                ", ".join(beyond) or "nothing",
                *late_cells(case),
            ]
        )
    loads = [load for case in cases for load in case["load"]]
    about = (
        f"{record['runs']} valid runs each; real / simulated. Linux {record['kernel']}, {record['cores']} cores, "
        f"load average {span(loads, '.0f')} from other work and {record['parallel']} runs at a time."
    )
    found = {(case["transport"], case["control"]) for case in cases}
    missing = [_name(*control) for control in CONTROLS if control not in found]
    if missing:
        about += f" Without three valid runs: {', '.join(missing)}."
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
