"""What of docs/speed.toml and reference/instructions.json pages show: tables, and the bars of README.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock.report import svg_chart

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "speed.toml"
INSTRUCTIONS = ROOT / "reference" / "instructions.json"
PICTURE = ROOT / "docs" / "images" / "speed.svg"
SIMULATORS = {"ackclock": "ackclock", "ns2": "ns-2 2.35", "ns3": "ns-3 3.37"}
"""Those with a bar, by their keys."""
PACKETS_OF = {
    "W1": "TCP, W1",
    "W2": "TCP, W2",
    "W3": "TCP, W3",
    "W2-BBRv3": "TCP under `bbrv3`, W2",
    "S1": "SCTP, W1",
}
"""What is counted, by the names of the workloads."""


def workloads() -> list[dict[str, Any]]:
    """What was measured."""
    return list(toml.loads(DATA.read_text(encoding="utf-8"))["workloads"])


def generated(what: str) -> str:
    """The table of the measurements, or that of the ``instructions``."""
    return (instructions() if what == "instructions" else table()).rstrip("\n")


def instructions() -> str:
    """The instructions that a packet takes."""
    counts = json.loads(INSTRUCTIONS.read_text(encoding="utf-8"))["instructions_per_packet"]
    cells = [f"{counts[name]:,}" for name in PACKETS_OF]
    return rows_of([list(PACKETS_OF.values()), ["---:"] * len(cells), cells])


def table() -> str:
    """The table of the measurements."""
    heads = [
        "",
        "ackclock",
        "ackclock, called from Python",
        "ns-2 2.35",
        "ns-3 3.37",
        "times as fast as ns-2",
    ]
    rows = [
        [f"{one['name']}: {one['what']}"]
        + [
            f"{one[key]:.2g} million" if key in one else "left out: takes hours"
            for key in ("ackclock", "python", "ns2", "ns3")
        ]
        + [f"{one['ackclock'] / one['ns2']:.2g}"]
        for one in workloads()
    ]
    return rows_of([heads, ["---"] * len(heads), *rows])


def rows_of(lines: Sequence[Sequence[str]]) -> str:
    """Lines of a Markdown table."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def picture() -> str:
    """A bar for each simulator on each workload that it ran."""
    groups = [
        (
            f"{one['name']}: {one['what']}",
            [(SIMULATORS[key], float(one[key])) for key in SIMULATORS if key in one],
        )
        for one in workloads()
    ]
    return svg_chart.bars(
        "Data packets per second of CPU time, in millions", groups, list(SIMULATORS.values())
    )
