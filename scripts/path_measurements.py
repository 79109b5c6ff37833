"""What `ackclock path` has measured beside the simulation of the same file: `scripts/measure path` records it, and
`scripts/document-registry` makes the table of docs/wire-measurements.md from the record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ackclock._archive import folder

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "docs" / "examples" / "path.toml"
RECORD = folder("wire") / "path.json"


@dataclass(frozen=True)
class Case:
    """A path, and flows of the kernel over it."""

    name: str
    control: str
    """The kernel's name; what stands for it in a simulation is called ``linux:`` and this."""
    overrides: dict[str, Any]
    flows: int = 1
    contract: float | None = None
    """The rate of a policer as a share of that of the link."""
    seconds: int = 40
    """How long it lasts."""

    @property
    def key(self) -> tuple[str, str, int]:
        """Returns what identifies the case in the record."""
        return self.name, self.control, self.seconds

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
    Case("10 Mbit/s, 40 ms, 1 BDP", "cubic", {}),
    Case("10 Mbit/s, 40 ms, 1 BDP", "reno", {}),
    Case("10 Mbit/s, 40 ms, 2 BDP", "bbr", {f"{QUEUE}.limit": "2 bdp"}),
    Case("10 Mbit/s, 40 ms, 2 BDP, two flows", "cubic", {f"{QUEUE}.limit": "2 bdp"}, flows=2),
    Case("10 Mbit/s, 40 ms, CoDel", "cubic", {f"{QUEUE}.name": "codel", **DEEP}),
    Case("10 Mbit/s, 40 ms, PIE", "cubic", {f"{QUEUE}.name": "pie", **DEEP}),
    Case("100 Mbit/s, 20 ms, 1 BDP", "cubic", FAST),
    Case("100 Mbit/s, 100 ms, 0.5 BDP", "cubic", LONG),
]
POLICED = {f"{BOTTLENECK}.rate": "100 Mbit/s", "dumbbell.rtt": "100 ms", f"{QUEUE}.limit": "1000 packets"}
BUCKET = {f"{QUEUE}.name": "token-bucket", f"{QUEUE}.rate": "20 Mbit/s", f"{QUEUE}.burst": "250 kB"}
SCEPTER = {**BUCKET, f"{QUEUE}.name": "scepter"}
PID = {**SCEPTER, f"{QUEUE}.law": "pid-squared", f"{QUEUE}.round_trip": "100 ms"}
CASES += [
    Case(name, "reno", {**POLICED, **policer}, flows=20, contract=0.2)
    for name, policer in [
        ("Token bucket", BUCKET),
        ("Scepter-I", SCEPTER),
        ("Scepter with `pid-squared`", PID),
    ]
]
FIRST = {"warmup": "0 s", "duration": "10 s"}
CASES += [
    replace(case, overrides={**case.overrides, **FIRST}, seconds=10)
    for case in CASES
    if case.contract is None
]
METRICS = {
    "utilisation": ("utilisation", 1, ".3f"),
    "wait_p50_s": ("wait p50 (ms)", 1e3, ".2f"),
    "wait_p95_s": ("wait p95 (ms)", 1e3, ".2f"),
    "dropped_packets": ("drops", 1, ".0f"),
}
"""The fields of the bottleneck's result, with heading, factor and format."""


def of_bottleneck(links: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Returns what is recorded of a run."""
    [link] = [link for link in links if link["name"] == "bottleneck"]
    share = link["dropped_packets"] / max(link["arrived_packets"], 1)
    return {**{field: link[field] for field in METRICS}, "dropped_share": share}


def generated(what: str) -> str:
    """Returns the table of the policers, or of the runs that last this many seconds."""
    return policers() if what == "policers" else table(int(what))


def table(seconds: int) -> str:
    """Returns the table of the runs that last this long: the least and the greatest, real / simulated."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    late = "late p99, most (ms)"
    heads = ["path", "kernel", *(head for head, _, _ in METRICS.values()), late, "invalid runs"]
    rows = []
    for case in _cases(record, seconds, policed=False):
        cells = [case["name"], f"`{case['control']}`"]
        for field, (_, factor, form) in METRICS.items():
            cells.append(_both(case, field, factor, form))
        rows.append([*cells, *late_cells(case)])
    loads = [load for case in record["cases"] for load in case["load"]]
    about = (
        f"{record['runs']} valid runs each; real / simulated, from the least to the greatest. "
        f"Linux {record['kernel']}, {record['cores']} cores, load average {span(loads, '.0f')} from other work."
    )
    return f"{markdown(heads, rows)}\n\n{about}"


def policers() -> str:
    """Returns the table of the policers: the share of the contract that passes, and the share of packets dropped."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    contracts = {case.name: case.contract for case in CASES}
    heads = ["policer", "passes (% of the contract)", "drops (%)", "late p99, most (ms)", "invalid runs"]
    rows = []
    for case in _cases(record, 40, policed=True):
        contract = contracts[case["name"]] or 1.0
        passed = _both(case, "utilisation", 100 / contract, ".1f")
        dropped = _both(case, "dropped_share", 100, ".2f")
        rows.append([case["name"], passed, dropped, *late_cells(case)])
    return markdown(heads, rows)


def _cases(record: dict[str, Any], seconds: int, *, policed: bool) -> list[dict[str, Any]]:
    wanted = {case.name for case in CASES if (case.contract is not None) == policed}
    return [case for case in record["cases"] if case["seconds"] == seconds and case["name"] in wanted]


def _both(case: dict[str, Any], field: str, factor: float, form: str) -> str:
    """Returns a field times a factor in the real and in the simulated runs."""
    return " / ".join(
        span([run[field] * factor for run in case[kind]], form) for kind in ("real", "simulated")
    )


def late_cells(case: Mapping[str, Any]) -> list[str]:
    """Returns the cells about the lateness of a case, and its invalid runs."""
    late = [span([run[field] * 1e3 for run in case["real"]], ".2f") for field in ("late_p99_s", "late_max_s")]
    return [", ".join(late), str(case["invalid"])]


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def span(values: Sequence[float], form: str) -> str:
    """Returns the least and the greatest of some values, once if they look equal."""
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least}–{most}"
