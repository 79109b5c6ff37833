"""A study as its template needs it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ackclock import _numbers as numbers
from ackclock._own_controls import option_words as own_words
from ackclock.experiment.model import sweep_text
from ackclock.report import claims, figures, outcome, results_table
from ackclock.report.agreement import Agreement, agreement
from ackclock.report.cases import families
from ackclock.report.claims import AssumptionView, ClaimView
from ackclock.report.figures import FigureView
from ackclock.report.results_table import Card, ResultsTable
from ackclock.study.model import Finding, Verdict
from ackclock.study.result import ClaimResult, StudyResult
from ackclock.study.sentence import sentence

HIGHLIGHTS = 3
"""The largest number of highlighted claims at the top of a study's page."""


@dataclass(frozen=True)
class CaseSettings:
    """The scenario values that a case of the study file sets, as paths and JSON."""

    label: str
    name: str
    values: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class HighlightView:
    """A highlight at the top of a page, with the link to its claim."""

    claim: ClaimResult
    numbers: str
    href: str
    item: str = ""
    """The item of the publication, such as a table, which the highlight names on a page of several studies. Such a page
    also shows the reason for the verdict. Empty on the page of a single study, where the claim shows the reason."""


@dataclass(frozen=True)
class StudyView:
    """Everything that the page shows about a study."""

    result: StudyResult
    anchor: str
    """The HTML id of the study, which is the prefix of the ids of its parts."""
    command: str
    file: str
    parts: Sequence[str]
    """The sections of the study, in reading order."""
    sentence: str
    """A sentence that says whether the results are as printed."""
    agreement: Agreement | None
    """The figure of measured against printed numbers; None without printed numbers."""
    outcome: Sequence[str]
    """The result in sentences."""
    questions: Mapping[Verdict, str]
    """The question for each of the answers yes and no, as text. A phrase stands for several questions with the same
    answer.
    """
    highlights: Sequence[HighlightView]
    claims: Sequence[ClaimView]
    findings: Sequence[Finding]
    """The findings that the page does not show with a claim."""
    table: ResultsTable
    cards: Sequence[Card]
    figures: Sequence[FigureView]
    assumptions: Sequence[AssumptionView]
    seeds: Sequence[tuple[str, str]]
    """The name and the seeds of each case; a single entry with an empty name if all cases have the same seeds."""
    settings: Sequence[CaseSettings]


def view(result: StudyResult, anchor: str, command: str) -> StudyView:
    """Returns the view of one result."""
    claim_views = claims.views(result, anchor)
    return StudyView(
        result=result,
        anchor=anchor,
        command=command,
        file=_file(result),
        parts=_parts(result),
        sentence=sentence(result),
        agreement=agreement([result], lambda one: claims.fragment(result, one.claim, anchor)),
        # The sentence of a study of new questions counts their answers already.
        outcome=[] if result.source.asked_by == "us" else outcome.sentences([result]),
        questions=outcome.questions([result]),
        highlights=[
            HighlightView(one.claim, one.numbers, f"#{claims.anchor_of(anchor, one.number)}")
            for one in outcome.highlights([result], HIGHLIGHTS)
        ],
        claims=claim_views,
        findings=claims.other_findings(result),
        table=results_table.table(result),
        cards=results_table.cards(result),
        figures=_figures(result, anchor),
        assumptions=claims.assumptions(result, claim_views),
        seeds=_seeds(result),
        settings=_settings(result),
    )


def _figures(result: StudyResult, anchor: str) -> list[FigureView]:
    """Returns the figures in file order. Those in which nothing varies come last, folded if there are others."""
    views = [
        figures.view(result, figure, f"{anchor}-figure-{number}")
        for number, figure in enumerate(result.figures, start=1)
    ]
    varying = [view for view in views if not view.level]
    return [*varying, *(replace(view, folded=bool(varying)) for view in views if view.level)]


def own_command(result: StudyResult) -> str:
    """Returns the command for one study of a report of many."""
    words = ["ackclock", "reproduce", result.name, *(["--quick"] if result.quick else []), *own_words()]
    return shlex.join(words)


def new_anchor(name: str, taken: set[str], kind: str = "study-") -> str:
    """Returns an HTML id for the study called ``name`` that is not among those ``taken``, and adds it to them."""
    stem = kind + (re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-") or "unnamed")
    anchor, number = stem, 2
    while anchor in taken:
        anchor, number = f"{stem}-{number}", number + 1
    taken.add(anchor)
    return anchor


def _file(result: StudyResult) -> str:
    """Returns the study file's path without the folders that differ between machines."""
    parts = Path(result.file).parts
    if "studies" in parts:
        return "/".join(parts[len(parts) - 1 - parts[::-1].index("studies") :])
    return parts[-1] if parts else result.name


def _parts(result: StudyResult) -> list[str]:
    """Returns the sections, beginning with the published form: the figure for a sweep, otherwise the table."""
    order = ["figures", "claims", "results"] if result.swept else ["results", "claims", "figures"]
    has = {"results": True, "claims": bool(result.claims), "figures": bool(result.figures)}
    return [part for part in order if has[part]]


def _seeds(result: StudyResult) -> list[tuple[str, str]]:
    distinct = {case.seeds for case in result.cases}
    if len(distinct) == 1:
        return [("", numbers.ranges(distinct.pop()))]
    return [(case.name, numbers.ranges(case.seeds)) for case in result.cases]


def _settings(result: StudyResult) -> list[CaseSettings]:
    """Returns a row per case with the values of its own sweep, and one for the study's sweep in all other cases."""
    sweep = result.sweep
    rows = []
    for name, runs in families(result.cases).items():
        own = runs[0].own_sweep
        among = own or sweep
        values = [
            (path, json.dumps(value, ensure_ascii=False))
            for path, value in runs[0].overrides.items()
            if among is None or runs[0].sweep_value is None or path != among.path
        ]
        if own is not None:
            values.append((own.path, ", ".join(map(sweep_text, own.values))))
        rows.append(CaseSettings(runs[0].label or name, name, values))
    if sweep is not None:
        rows.append(
            CaseSettings(sweep.axis, "sweep", [(sweep.path, ", ".join(map(sweep_text, sweep.values)))])
        )
    return rows
