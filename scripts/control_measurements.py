"""What controls of this laboratory did on sockets of the kernel, beside simulations of the same file:
`scripts/measure controls` records it, and `scripts/document-registry` makes the tables of docs/on-the-wire.md.
"""

from __future__ import annotations

import json
from typing import Any

from path_measurements import METRICS, QUEUE, Case, markdown, span

from ackclock._archive import folder

RECORD = folder("wire") / "controls.json"


DEEP = {f"{QUEUE}.limit": "2 bdp"}
CASES = [
    *[Case("10 Mbit/s, 40 ms, 1 BDP", control, {}) for control in ("newreno", "sack", "cubic")],
    *[Case("10 Mbit/s, 40 ms, 2 BDP", control, DEEP) for control in ("vegas", "rbcc", "bbrv3")],
]


def generated(what: str) -> str:
    """Returns the table of the bottleneck, or that of the decisions."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return decisions(record) if what == "decisions" else agreement(record)


def agreement(record: dict[str, Any]) -> str:
    """Returns the table of the bottleneck: the least and the greatest, real / simulated."""
    rows = []
    for case in record["cases"]:
        cells = [
            " / ".join(
                span([run[field] * factor for run in case[kind]], form) for kind in ("real", "simulated")
            )
            for field, (_, factor, form) in METRICS.items()
        ]
        rows.append([case["name"], f"`{case['control']}`", *cells])
    return markdown(["path", "control", *(head for head, _, _ in METRICS.values())], rows)


def decisions(record: dict[str, Any]) -> str:
    """Returns the table of how decisions reached the kernel."""
    rows = []
    for case in record["cases"]:
        runs = case["real"]
        total = [run["in_time"] + run["late"] + run["reno"] for run in runs]
        shares = [
            [100 * run[field] / all for run, all in zip(runs, total, strict=True)]
            for field in ("in_time", "late", "reno")
        ]
        rows.append(
            [
                f"`{case['control']}`",
                span(total, ".0f"),
                *(span(share, ".1f") for share in shares),
                span([run["p50_us"] for run in runs], ".0f"),
                span([run["p99_us"] for run in runs], ".0f"),
            ]
        )
    heads = ["control", "decisions", "in time (%)", "late (%)", "by Reno (%)", "p50 (us)", "p99 (us)"]
    loads = [load for case in record["cases"] for load in case["load"]]
    invalid = sum(case["invalid"] for case in record["cases"])
    about = (
        f"{record['runs']} valid runs each, and {invalid} invalid ones; from the least to the greatest. "
        f"Linux {record['kernel']}, {record['cores']} cores, load average {span(loads, '.0f')} from other work."
    )
    return f"{markdown(heads, rows)}\n\n{about}"
