"""Prints the characterisation for ``ackclock reproduce``: a verdict on each discipline in each scenario."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ackclock.characterisation.judge import rows
from ackclock.cli.evaluate_text import STYLES
from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console
from ackclock.study.result import StudyResult


def show(results: Sequence[StudyResult]) -> None:
    """Prints the verdicts: a row for each scenario, a column for each discipline."""
    out = console()
    found = [{row.discipline: row for row in rows(result)} for result in results]
    disciplines = list(
        dict.fromkeys(name for scenario in sorted(found, key=len, reverse=True) for name in scenario)
    )
    scenarios = [
        Text(f"{result.characterisation.section} {result.characterisation.short}")
        for result in results
        if result.characterisation is not None
    ]
    columns = []
    for name in disciplines:
        label = next(scenario[name].label for scenario in found if name in scenario)
        cells = [
            Text(row.verdict, style=STYLES.get(row.verdict, "dim")) if row else Text("·", style="dim")
            for row in (scenario.get(name) for scenario in found)
        ]
        columns.append(Column(label, cells))
    out.print(Text("Characterisation by RFC 7928", style="bold"))
    if any(result.quick for result in results):
        out.print(
            Text(
                "quick runs, shorter and with fewer seeds: the verdicts of full runs can differ",
                style="yellow",
            )
        )
    out.print()
    for table in fitting(Column("scenario", scenarios), columns, out.width):
        out.print(table)
        out.print()
    out.print(
        Text(
            "RFC 7928 sets no thresholds: verdicts follow ackclock's own criteria, which the HTML page lists",
            style="dim",
        )
    )
