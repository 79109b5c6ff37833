"""``ackclock reproduce``."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console, print_json, progress_bar

if TYPE_CHECKING:
    from ackclock.study.load import LoadedStudy
    from ackclock.study.model import Verdict
    from ackclock.study.result import ClaimResult, MetricValue, PrecisionResult, StudyResult

STYLES: dict[Verdict, str] = {"reproduced": "green", "direction only": "yellow", "not reproduced": "red"}

NARROW = 100
"""Columns of a terminal below which a claim's numbers have no room beside it."""


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
    if result.quick:
        out.print(Text("a quick run: verdicts may differ from those of a full one", style="yellow"))
    if result.precision is not None:
        style = "dim" if result.precision.reached else "yellow"
        out.print(Text(str(result.precision), style=style))
    out.print()
    for table in _values(result, out.width):
        out.print(table)
        out.print()
    has_paper = any(value.paper is not None for case in result.cases for value in case.values.values())
    below = "; below it the thesis's value" if has_paper else ""
    out.print(Text(f"mean ± half the 95 % interval over replications{below}", style="dim"))
    out.print()
    if result.claims:
        out.print(_claims(result.claims, out.width))
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


def _values(result: StudyResult, width: int) -> Iterator[Table]:
    """Every metric of every case, with the thesis's value below ours."""
    labels = [
        Text(case.label + (f" [{case.sweep_value}]" if case.sweep_value is not None else ""))
        for case in result.cases
    ]
    columns = [
        Column(
            metric.label + (f" [{metric.unit}]" if metric.unit else ""),
            [_value(case.values[metric.id]) for case in result.cases],
        )
        for metric in result.metrics
    ]
    return fitting(Column("case", labels), columns, width)


def _value(value: MetricValue) -> Text:
    from ackclock.numbers import mean_and_spread, plain

    paper = Text(f"\n{plain(value.paper)}", style="cyan") if value.paper is not None else Text("")
    return Text.assemble(mean_and_spread(value.mean, value.interval), paper)


def _claims(claims: Sequence[ClaimResult], width: int) -> Table:
    """The claims with their verdicts; in a narrow terminal their numbers stand below their sentence."""
    from ackclock.numbers import mean_and_spread, plain

    narrow = width < NARROW
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("the thesis claims", ratio=1)
    if not narrow:
        table.add_column("thesis", justify="right", no_wrap=True)
        table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for claim in claims:
        paper = plain(claim.paper)
        measured = f"{mean_and_spread(claim.measured, claim.interval)} {claim.unit}".rstrip()
        verdict = Text(claim.verdict, style=STYLES[claim.verdict])
        if narrow:
            numbers = ("" if claim.paper is None else f"thesis {paper}, ") + f"measured {measured}"
            table.add_row(Text(claim.id), Text.assemble(claim.text, "\n", (numbers, "cyan")), verdict)
        else:
            table.add_row(Text(claim.id), Text(claim.text), Text(paper), Text(measured), verdict)
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
    out.print()
    out.print(
        f"{len(changing)} of {len(readings)} other readings of what the thesis leaves open change a verdict"
        + (", of these claims:" if changing else "")
    )
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    table.add_column(ratio=3)
    table.add_column(ratio=1, min_width=16)
    for assumption in result.assumptions:
        rows = [item for item in assumption.sensitivity if item.changed]
        if rows:
            table.add_row(Padding(Text(assumption.what), (0, 0, 0, 2)), Text(""))
        for item in rows:
            changed = Text(", ".join(item.changed), style="dim")
            table.add_row(Padding(Text(item.alternative, style="dim"), (0, 0, 0, 4)), changed)
    out.print(table)


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
        "precision": _precision(result.precision),
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


def _precision(precision: PrecisionResult | None) -> dict[str, Any] | None:
    if precision is None:
        return None
    return {
        "wanted": precision.wanted,
        "metrics": list(precision.metrics),
        "reached": precision.reached,
        "widest": precision.widest,
        "where": precision.where,
    }


def _claim(claim: ClaimResult) -> dict[str, Any]:
    return {
        "id": claim.id,
        "text": claim.text,
        "paper": claim.paper,
        "measured": claim.measured,
        "interval": claim.interval,
        "unit": claim.unit,
        "tolerance": claim.tolerance,
        "accepted": claim.accepted,
        "verdict": claim.verdict,
        "detail": claim.detail,
        "finding": claim.finding,
    }


def _command(selectors: Sequence[str], *, quick: bool, sensitivity: bool) -> str:
    words = ["ackclock", "reproduce", *(selectors or ["--all"])]
    words += ["--quick"] if quick else []
    words += [] if sensitivity else ["--no-sensitivity"]
    return shlex.join(words)
