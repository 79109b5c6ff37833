"""``ackclock reproduce``."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ackclock.cli.terminal import console, print_json, progress_bar

if TYPE_CHECKING:
    from ackclock.study.load import LoadedStudy
    from ackclock.study.model import Verdict
    from ackclock.study.result import ClaimResult, MetricValue, StudyResult

STYLES: dict[Verdict, str] = {"reproduced": "green", "direction only": "yellow", "not reproduced": "red"}


def reproduce(
    selectors: Sequence[str], *, quick: bool, as_json: bool, out: Path, sensitivity: bool, threads: int
) -> None:
    """Run the studies that ``selectors`` name (all without any), print their verdicts, write the report."""
    from ackclock.report import write_report
    from ackclock.store import Store
    from ackclock.study.load import find_studies, load_study, study_names
    from ackclock.study.run import run_study

    names = find_studies(selectors) if selectors else study_names()
    # All files are read before the first run: a slip in the last study should not show after an hour.
    studies = [load_study(name) for name in names]
    results = []
    for number, study in enumerate(studies, 1):
        what = study.name if len(studies) == 1 else f"{study.name} ({number} of {len(studies)})"
        with progress_bar(what) as progress:
            result = run_study(
                study,
                quick=quick,
                sensitivity=sensitivity,
                store=Store(out),
                threads=threads,
                progress=progress,
            )
        results.append(result)
        if not as_json:
            show(result)
    stem = _stem(studies[0]) if len(studies) == 1 else "report"
    command = _command(selectors, quick=quick, sensitivity=sensitivity)
    report = write_report(results, out / f"{stem}.html", command)
    document = as_document(results, report)
    path = out / f"{stem}.json"
    path.write_text(
        json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
    )
    if as_json:
        print_json(document)
        return
    if len(results) > 1:
        show_totals(results)
    console().print(Text.assemble("report  ", (str(report), "bold")))
    console().print(Text.assemble("data    ", str(path)))


def _stem(study: LoadedStudy) -> str:
    """``rbcc-table-4.1`` for a study of the package, ``own`` for the file /some/where/own.toml."""
    if study.name.endswith(".toml"):
        return Path(study.name).name.removesuffix(".toml")
    return study.name.replace("/", "-")


def show(result: StudyResult) -> None:
    """Print a study: the thesis's values beside ours, and the verdicts."""
    out = console()
    out.print(Text(result.title, style="bold"))
    reused = f", {result.reused_runs} of them from disk" if result.reused_runs else ""
    out.print(
        Text(
            f"{result.name}: {result.source}; {result.replications} replications, {result.runs} runs{reused}, "
            f"{result.wall_time_s:.1f} s",
            style="dim",
        )
    )
    out.print()
    out.print(_values(result))
    out.print(
        Text("mean ± half the 95 % interval over replications; below it the thesis's value", style="dim")
    )
    out.print()
    if result.claims:
        out.print(_claims(result.claims))
        out.print(_tally(result))
    _show_sensitivity(result)
    out.print()


def show_totals(results: Sequence[StudyResult]) -> None:
    """Print the verdicts counted per study."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("study", no_wrap=True)
    for verdict in STYLES:
        table.add_column(verdict, justify="right")
    for result in results:
        table.add_row(result.name, *(str(count) for count in result.verdicts().values()))
    totals = [sum(result.verdicts()[verdict] for result in results) for verdict in STYLES]
    table.add_row("all", *map(str, totals), style="bold")
    console().print(table)


def _values(result: StudyResult) -> Table:
    from ackclock.report.numbers import mean_and_spread, plain

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("case")
    for metric in result.metrics:
        table.add_column(metric.label + (f" [{metric.unit}]" if metric.unit else ""), justify="right")
    for column in table.columns:
        column.header = Text(str(column.header))  # a unit in brackets is no markup
    for case in result.cases:
        swept = f" [{case.sweep_value}]" if case.sweep_value is not None else ""
        cells = []
        for metric in result.metrics:
            value: MetricValue = case.values[metric.id]
            paper = Text(f"\n{plain(value.paper)}", style="cyan") if value.paper is not None else Text("")
            cells.append(Text.assemble(mean_and_spread(value.mean, value.interval), paper))
        table.add_row(Text(case.label + swept), *cells)
    return table


def _claims(claims: Sequence[ClaimResult]) -> Table:
    from ackclock.report.numbers import mean_and_spread, plain

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("id", no_wrap=True)
    table.add_column("the thesis claims", ratio=1)
    table.add_column("thesis", justify="right", no_wrap=True)
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for claim in claims:
        table.add_row(
            Text(claim.id),
            Text(claim.text),
            Text(plain(claim.paper)),
            f"{mean_and_spread(claim.measured, claim.interval)} {claim.unit}".rstrip(),
            Text(claim.verdict, style=STYLES[claim.verdict]),
        )
    return table


def _tally(result: StudyResult) -> Text:
    counts = [(f"{count} {verdict}", STYLES[verdict]) for verdict, count in result.verdicts().items()]
    return Text("\n") + Text(", ").join(Text(text, style=style) for text, style in counts)


def _show_sensitivity(result: StudyResult) -> None:
    readings = [item for assumption in result.assumptions for item in assumption.sensitivity]
    changing = [item for item in readings if item.changed]
    if not readings:
        return
    out = console()
    out.print(
        f"{len(changing)} of {len(readings)} other readings of what the thesis leaves open change a verdict"
    )
    for item in changing:
        out.print(
            Text(f"  {item.assumption}: {item.alternative}: changes {', '.join(item.changed)}", style="dim")
        )


def as_document(results: Sequence[StudyResult], report: Path | None) -> dict[str, Any]:
    """The document of ``schemas.reproduce.ReproduceDocument``."""
    return {
        "schema_version": 1,
        "studies": [_study(result) for result in results],
        "report": None if report is None else os.fspath(report),
    }


def _study(result: StudyResult) -> dict[str, Any]:
    thesis = result.source.thesis
    return {
        "name": result.name,
        "title": result.title,
        "source": {
            "thesis": thesis.key,
            "author": thesis.author,
            "title": thesis.title,
            "university": thesis.university,
            "year": thesis.year,
            "item": result.source.item,
            "section": result.source.section,
        },
        "replications": result.replications,
        "quick": result.quick,
        "claims": [_claim(claim) for claim in result.claims],
        "verdicts": result.verdicts(),
        "cases": [
            {
                "name": case.name,
                "label": case.label,
                "sweep_value": case.sweep_value,
                "overrides": dict(case.overrides),
                "seeds": list(case.seeds),
                "values": [
                    {
                        "metric": metric.id,
                        "unit": metric.unit,
                        "mean": value.mean,
                        "std": value.std,
                        "interval": value.interval,
                        "samples": [None if math.isnan(sample) else sample for sample in value.samples],
                        "paper": value.paper,
                    }
                    for metric in result.metrics
                    for value in [case.values[metric.id]]
                ],
            }
            for case in result.cases
        ],
        "sensitivity": [
            {
                "assumption": item.assumption,
                "taken": assumption.taken,
                "alternative": item.alternative,
                "changed": list(item.changed),
                "claims": [_claim(claim) for claim in item.claims],
            }
            for assumption in result.assumptions
            for item in assumption.sensitivity
        ],
        "versions": dict(result.versions),
        "runs": result.runs,
        "reused_runs": result.reused_runs,
        "wall_time_s": result.wall_time_s,
    }


def _claim(claim: ClaimResult) -> dict[str, Any]:
    return {
        "id": claim.id,
        "text": claim.text,
        "paper": claim.paper,
        "measured": claim.measured,
        "interval": claim.interval,
        "unit": claim.unit,
        "verdict": claim.verdict,
        "detail": claim.detail,
        "finding": claim.finding,
    }


def _command(selectors: Sequence[str], *, quick: bool, sensitivity: bool) -> str:
    words = ["ackclock", "reproduce", *(selectors or ["--all"])]
    words += ["--quick"] if quick else []
    words += [] if sensitivity else ["--no-sensitivity"]
    return shlex.join(words)
