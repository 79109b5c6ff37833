"""What of docs/speed.toml pages show: a table, and the bars of README.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock.report import svg_chart

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "speed.toml"
PICTURE = ROOT / "docs" / "images" / "speed.svg"
SIMULATORS = {"ackclock": "ackclock", "ns2": "ns-2 2.35", "ns3": "ns-3 3.37"}
"""Those with a bar, by their keys."""


def workloads() -> list[dict[str, Any]]:
    """What was measured."""
    return list(toml.loads(DATA.read_text(encoding="utf-8"))["workloads"])


def table() -> str:
    """The table of the measurements."""
    heads = ["", "ackclock", "ackclock, called from Python", "ns-2 2.35", "ns-3 3.37"]
    rows = [
        [f"{one['name']}: {one['what']}"]
        + [
            f"{one[key]:.2g} million" if key in one else "left out: takes hours"
            for key in ("ackclock", "python", "ns2", "ns3")
        ]
        for one in workloads()
    ]
    lines = [heads, ["---"] * len(heads), *rows]
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
