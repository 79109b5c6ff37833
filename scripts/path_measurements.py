"""What `ackclock path` has measured beside the simulation of the same file: `scripts/measure-path` records it, and
`scripts/document-registry` makes the table of docs/on-the-wire.md from the record.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "docs" / "examples" / "path.toml"
RECORD = ROOT / "docs" / "on-the-wire.json"


@dataclass(frozen=True)
class Case:
    """A path, and flows of the kernel over it."""

    name: str
    control: str
    """The kernel's name; the control of that name is simulated under the profile ``linux``."""
    simulated: str
    overrides: dict[str, Any]
    flows: int = 1

    @property
    def settings(self) -> list[str]:
        """Returns the overrides as the command line takes them."""
        return [f"--set={path}={value}" for path, value in self.overrides.items()]


BOTTLENECK = "dumbbell.bottleneck"
QUEUE = f"{BOTTLENECK}.queue"
FAST = {f"{BOTTLENECK}.rate": "100 Mbit/s", "dumbbell.rtt": "20 ms"}
LONG = {f"{BOTTLENECK}.rate": "100 Mbit/s", "dumbbell.rtt": "100 ms", f"{QUEUE}.limit": "0.5 bdp"}
DEEP = {f"{QUEUE}.limit": "4 bdp"}
CASES = [
    Case("10 Mbit/s, 40 ms, 1 BDP", "cubic", "cubic", {}),
    Case("10 Mbit/s, 40 ms, 1 BDP", "reno", "newreno", {}),
    Case("10 Mbit/s, 40 ms, 2 BDP", "bbr", "bbrv1", {f"{QUEUE}.limit": "2 bdp"}),
    Case("10 Mbit/s, 40 ms, 2 BDP, two flows", "cubic", "cubic", {f"{QUEUE}.limit": "2 bdp"}, flows=2),
    Case("10 Mbit/s, 40 ms, CoDel", "cubic", "cubic", {f"{QUEUE}.name": "codel", **DEEP}),
    Case("10 Mbit/s, 40 ms, PIE", "cubic", "cubic", {f"{QUEUE}.name": "pie", **DEEP}),
    Case("100 Mbit/s, 20 ms, 1 BDP", "cubic", "cubic", FAST),
    Case("100 Mbit/s, 100 ms, 0.5 BDP", "cubic", "cubic", LONG),
]
METRICS = {
    "utilisation": ("utilisation", 1, ".3f"),
    "wait_p50_s": ("wait p50 (ms)", 1e3, ".2f"),
    "wait_p95_s": ("wait p95 (ms)", 1e3, ".2f"),
    "dropped_packets": ("drops", 1, ".0f"),
}
"""The fields of the bottleneck's result, with heading, factor and format."""


def table() -> str:
    """Returns the table of what was recorded: the least and the greatest of the runs, real / simulated."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    heads = [
        "path",
        "kernel",
        *(head for head, _, _ in METRICS.values()),
        "late p99, most (ms)",
        "invalid runs",
    ]
    lines = ["| " + " | ".join(heads) + " |", "| --- | --- |" + " --- |" * (len(heads) - 2)]
    for case in record["cases"]:
        cells = [case["name"], f"`{case['control']}`"]
        for field, (_, factor, form) in METRICS.items():
            both = [
                _range([run[field] * factor for run in case[kind]], form) for kind in ("real", "simulated")
            ]
            cells.append(" / ".join(both))
        late = [
            _range([run[field] * 1e3 for run in case["real"]], ".2f")
            for field in ("late_p99_s", "late_max_s")
        ]
        cells += [", ".join(late), str(case["invalid"])]
        lines.append("| " + " | ".join(cells) + " |")
    loads = [load for case in record["cases"] for load in case["load"]]
    about = (
        f"{record['runs']} valid runs each; real / simulated, from the least to the greatest. "
        f"Linux {record['kernel']}, {record['cores']} cores, load average {_range(loads, '.0f')} from other work."
    )
    return "\n".join([*lines, "", about])


def _range(values: Sequence[float], form: str) -> str:
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least}–{most}"
