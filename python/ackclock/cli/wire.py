"""``ackclock wire``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from ackclock.cli.lateness import show_lateness
from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console, note, print_json, warn
from ackclock.errors import InputError

COLUMNS: Mapping[str, tuple[str, float]] = {
    "goodput_bps": ("goodput (Mbit/s)", 1e-6),
    "rtt_p95_s": ("p95 RTT (ms)", 1e3),
    "one_way_delay_p95_s": ("p95 one-way delay (ms)", 1e3),
    "utilisation": ("utilisation (%)", 1e2),
    "wait_p95_s": ("p95 queue wait (ms)", 1e3),
    "dropped_packets": ("dropped packets", 1),
    "marked_packets": ("marked packets", 1),
}
"""The label of each metric that is compared, and the factor to the label's unit."""


def wire(file: Path, *, settings: Sequence[str], seed: int | None, compare: bool, as_json: bool) -> None:
    """Runs the flows of a scenario on real stacks, and prints the results. RunError when a program or a permission is
    missing, or when the scenario cannot run in real time.
    """
    from ackclock import _typed_core as core
    from ackclock._overrides import assignment
    from ackclock.cli.given import read_scenario

    scenario = read_scenario(file, dict(map(assignment, settings)))
    described = scenario.describe()
    if scenario.sweep.axes:
        raise InputError(
            f"{scenario.file}: has a [sweep], expected a scenario without one: `ackclock wire` makes a single run"
        )
    used = described["seed"] if seed is None else seed
    outcome = core.wire(scenario.text, scenario.file, scenario.overrides, used)
    if compare:
        from ackclock._wire_agreement import compared

        outcome["simulated"] = scenario.run(used, series=False).document
        outcome["comparison"] = compared(outcome, outcome["simulated"])
    if as_json:
        print_json(outcome)
    else:
        _show(outcome)
    for problem in outcome["wire"]["problems"]:
        warn(f"invalid run: {problem}")
    if outcome["wire"]["problems"]:
        raise typer.Exit(1)


def _show(outcome: Mapping[str, Any]) -> None:
    # Threads of the libraries for tables would keep the run from its namespaces, so they are loaded after it.
    from ackclock.cli.limits import closed
    from ackclock.cli.run import show
    from ackclock.run import Run, Runs

    run = Run(outcome)
    show(Runs([run]))
    if "comparison" in outcome:
        _show_comparison(outcome["comparison"])
    for sentence in closed([run]):
        warn(sentence)
    if outcome["wire"]["controls"]:
        from ackclock.cli.control import NOT_REAL_TIME, show_reports

        show_reports(outcome["wire"]["controls"])
        if not all(report["real_time"] for report in outcome["wire"]["controls"]):
            note(NOT_REAL_TIME)
    show_lateness(outcome["wire"])
    note(f"Linux {outcome['wire']['kernel']}")


def _show_comparison(rows: Sequence[Mapping[str, Any]]) -> None:
    from ackclock.cli.run import scaled

    def difference(row: Mapping[str, Any]) -> str:
        return "-" if row["difference"] is None else f"{row['difference']:+.1%}"

    def values(key: str) -> list[Text]:
        return [Text(scaled(row[key], COLUMNS[row["metric"]][1])) for row in rows]

    out = console()
    columns = [
        Column("metric", [Text(COLUMNS[row["metric"]][0]) for row in rows], whole=True),
        Column("on the wire", values("real")),
        Column("simulated", values("simulated")),
        Column("difference", [Text(difference(row)) for row in rows]),
        Column("allowed", [Text(row["bound"]) for row in rows]),
        Column("agrees", [Text("yes" if row["agrees"] else "no") for row in rows]),
    ]
    for table in fitting(Column("flow or link", [Text(row["name"]) for row in rows]), columns, out.width):
        out.print(table)
    out.print()
