"""The page of an evaluation: the criteria of RFC 9743 in its order, each with a verdict, a figure and its numbers."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock.evaluation.judge import TESTED, Finding
from ackclock.evaluation.language import Setting
from ackclock.evaluation.result import Evaluation, FamilyResult, ScenarioResult
from ackclock.evaluation.rfc import PROCESS, TITLE
from ackclock.evaluation.verdict import Verdict
from ackclock.numbers import evenly, ranges, significant, with_ends
from ackclock.report import page, strips
from ackclock.report.strips import Strip
from ackclock.statistics import summarise

WORDS = {Verdict.OK: "ok", Verdict.CONCERN: "concern", Verdict.NOT_EVALUATED: "not-evaluated"}
MOST_ROWS = 16
"""The largest number of settings drawn as rows; of more, those at even distances are drawn."""


@dataclass(frozen=True)
class Row:
    """A setting in a figure: the mean of the control under test with its interval, and that of the reference."""

    setting: str
    strip: Strip
    words: str


@dataclass(frozen=True)
class Cell:
    """A cell of a heat map."""

    text: str
    share: float
    """The depth of its colour in per cent."""
    words: str


@dataclass(frozen=True)
class Heat:
    """A heat map over the grid of paths: rows of rate and round trip, columns of buffers."""

    title: str
    buffers: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell | None]]]


@dataclass(frozen=True)
class Figure:
    """The figure of a scenario."""

    title: str
    rows: Sequence[Row]
    ticks: Sequence[tuple[float, str]]
    heats: Sequence[Heat]
    more: int
    """The number of settings that are not drawn."""


@dataclass(frozen=True)
class Line:
    """A finding in the table of numbers."""

    finding: Finding
    judged: str
    tested: str
    references: Sequence[str]
    word: str


@dataclass(frozen=True)
class ScenarioView:
    """A scenario of a criterion."""

    result: ScenarioResult
    figure: Figure
    lines: Sequence[Line]
    command: str


@dataclass(frozen=True)
class FamilyView:
    """A criterion of the RFC."""

    result: FamilyResult
    word: str
    scenarios: Sequence[ScenarioView]


def write_evaluation(evaluation: Evaluation, path: Path, command: str) -> Path:
    """Writes the page to ``path``, one file that needs no network, and returns the path."""
    return page.written(render(evaluation, command), path)


def render(evaluation: Evaluation, command: str) -> str:
    """Returns the page as HTML text."""
    views = [
        FamilyView(
            one, word(one.verdict), [_scenario(result, evaluation, command) for result in one.scenarios]
        )
        for one in evaluation.asked
    ]
    return page.rendered(
        "evaluation.html.j2",
        title=f"{evaluation.control} after RFC 9743",
        figures=False,
        styles=("report.css", "characterisation.css", "evaluation.css"),
        command=command,
        evaluation=evaluation,
        views=views,
        document=TITLE,
        seeds=ranges(list(evaluation.seeds)),
        counted=[
            (verdict.value, word(verdict), count) for verdict, count in evaluation.counted.items() if count
        ],
        process=[(item, evaluation.answers.process.get(item.id, "")) for item in PROCESS],
        versions=evaluation.versions,
        quick_notice="A quick evaluation: fewer paths, shorter runs and fewer seeds than with --full."
        if evaluation.quick
        else "",
    )


def word(verdict: Verdict) -> str:
    """Returns the name of the verdict's style and symbol."""
    return WORDS.get(verdict, verdict.value.lower())


def _scenario(result: ScenarioResult, evaluation: Evaluation, command: str) -> ScenarioView:
    words = shlex.split(command)
    while "--only" in words:
        del words[words.index("--only") : words.index("--only") + 2]
    own = shlex.join([*words, "--only", result.loaded.name])
    lines = [_line(finding) for finding in result.findings]
    return ScenarioView(result, _figure(result, evaluation.references[0]), lines, own)


def _line(finding: Finding) -> Line:
    unit = finding.metric.unit
    tested, *references = (
        f"{significant(value, 3)} {unit if value is not None else ''}".rstrip()
        for value in (finding.tested, *finding.references.values())
    )
    return Line(finding, with_ends(finding.mean, finding.interval), tested, references, word(finding.verdict))


def _figure(result: ScenarioResult, reference: str) -> Figure:
    about, samples = result.loaded.about, result.samples
    metric = about.metric(about.figure or about.criteria[0].metric)
    own = [summarise(samples.of(TESTED, index, metric.id)) for index in range(len(samples.settings))]
    other = [summarise(samples.of(reference, index, metric.id)) for index in range(len(samples.settings))]
    title = f"{metric.label}{f' ({metric.unit})' if metric.unit else ''}"
    if about.grid is not None:
        heats = _heats(title, zip(samples.settings, (one.mean for one in own), strict=True))
        for criterion in about.criteria:
            if criterion.measure == "harm":
                found = [one for one in result.findings if one.criterion is criterion]
                name = f"Harm beyond that of {reference}: {about.metric(criterion.metric).label.lower()}"
                heats += _heats(name, ((one.setting, one.mean) for one in found))
        return Figure(title, [], [], heats, 0)
    chosen = evenly(len(own), MOST_ROWS)
    values = [
        value
        for k in chosen
        for value in (own[k].mean, *(own[k].interval or ()), other[k].mean)
        if value is not None and math.isfinite(value)
    ]
    on = strips.scale([*values, *strips.zero(values)])
    if on is None:
        return Figure(title, [], [], [], 0)
    rows = [
        Row(
            samples.settings[k].name or "all runs",
            strips.strip(on, own[k].mean, own[k].interval, other[k].mean),
            f"{significant(own[k].mean, 3)}, {reference} {significant(other[k].mean, 3)}",
        )
        for k in chosen
    ]
    return Figure(title, rows, on.ticks, [], len(own) - len(chosen))


def _heats(title: str, values: Iterable[tuple[Setting, float | None]]) -> list[Heat]:
    """Returns a heat map of numbers over the grid for each point of the other axes; 1 is darkest."""
    of_grid = ("rate", "round trip", "buffer")
    heats: dict[str, dict[str, dict[str, Cell]]] = {}
    buffers: dict[str, None] = {}
    for setting, value in values:
        rest = ", ".join(f"{axis} {point}" for axis, point in setting.at.items() if axis not in of_grid)
        row, buffer = f"{setting.at['rate']}, {setting.at['round trip']}", setting.at["buffer"]
        depth = 0.0 if value is None else 100 * min(max(value, 0.0), 1.0)
        cell = Cell(significant(value, 2), round(depth), f"{setting.name}: {significant(value, 3)}")
        heats.setdefault(rest, {}).setdefault(row, {})[buffer] = cell
        buffers[buffer] = None
    return [
        Heat(
            f"{title}, {rest}" if rest else title,
            list(buffers),
            [(row, [cells.get(buffer) for buffer in buffers]) for row, cells in rows.items()],
        )
        for rest, rows in heats.items()
    ]
