"""The page of an evaluation: the criteria of RFC 9743 in its order, each with a verdict, a figure and its numbers."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock._numbers import evenly, ranges, significant
from ackclock.evaluation.contenders import RECOVERY
from ackclock.evaluation.judge import Judged
from ackclock.evaluation.language import TESTED, buffer_order
from ackclock.evaluation.limits import known
from ackclock.evaluation.result import Evaluation, FamilyResult, ScenarioResult, words_of
from ackclock.evaluation.rfc import PROCESS, TITLE, Family
from ackclock.evaluation.spelling import in_lines, more_than
from ackclock.evaluation.words import AS_STANDARD, CONCERN, NO_LIMIT, NOT_EVALUATED, OK
from ackclock.experiment.model import Metric, Setting
from ackclock.report import page, strips
from ackclock.report.strips import Strip
from ackclock.statistics import Summary, summarise

STYLES = {
    OK: "ok",
    CONCERN: "concern",
    NOT_EVALUATED: "not-evaluated",
    AS_STANDARD: "as-standard",
    NO_LIMIT: "info",
}
MOST_ROWS = 16
"""The largest number of settings drawn as rows. If there are more settings, this number of evenly spaced settings is
drawn.
"""


@dataclass(frozen=True)
class Bar:
    """A control in a row of a figure: its mean with the interval, and the mean of the reference."""

    control: str
    strip: Strip
    words: str


@dataclass(frozen=True)
class Row:
    """A setting in a figure, with a bar for each evaluated control."""

    setting: str
    bars: Sequence[Bar]


@dataclass(frozen=True)
class Cell:
    """A cell of a heat map."""

    text: str
    share: float
    """The depth of the colour of the cell, in per cent."""
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

    control: str
    finding: Judged
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
class Judgement:
    """The verdict on a control by a criterion."""

    control: str
    result: FamilyResult
    word: str


@dataclass(frozen=True)
class FamilyView:
    """A criterion of the RFC."""

    family: Family
    judgements: Sequence[Judgement]
    scenarios: Sequence[ScenarioView]
    lacks: Sequence[str]


def write_evaluation(
    evaluation: Evaluation, path: Path, command: str, beside: Evaluation | None = None
) -> Path:
    """Writes the page to ``path``, one file that needs no network, and returns the path. ``beside`` is the evaluation
    of another control in the same scenarios, shown next to the first.
    """
    return page.written(render(evaluation, command, beside), path)


def render(evaluation: Evaluation, command: str, beside: Evaluation | None = None) -> str:
    """Returns the page as HTML text."""
    evaluations = [evaluation] if beside is None else [evaluation, beside]
    controls = " and ".join(one.control for one in evaluations)
    return page.rendered(
        "evaluation.html.j2",
        title=f"{controls} by RFC 9743",
        figures=False,
        styles=("report.css", "characterisation.css", "evaluation.css"),
        command=command,
        controls=controls,
        evaluation=evaluation,
        evaluations=evaluations,
        views=[_family(one.family, evaluations, command) for one in evaluation.asked],
        document=TITLE,
        in_lines=in_lines,
        seeds=ranges(list(evaluation.seeds)),
        counted=[
            (one.control, [(verdict, word(verdict), n) for verdict, n in one.counted.items() if n])
            for one in evaluations
        ],
        process=[(item, evaluation.answers.process.get(item.id, "")) for item in PROCESS],
        versions=evaluation.versions,
        limits=known(),
        recoveries={
            name: recovery
            for one in evaluations
            for name, recovery in one.recoveries.items()
            if recovery != RECOVERY
        },
        quick_notice=" ".join(_notices(evaluation)),
    )


def _notices(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.quick:
        yield "This is a quick evaluation: it has fewer paths, shorter runs and fewer seeds than with --full."
    if evaluation.most_packets is not None:
        yield f"Settings whose {more_than(evaluation.most_packets)} are left out."


def _family(family: Family, evaluations: Sequence[Evaluation], command: str) -> FamilyView:
    judgements = [
        Judgement(one.control, one.family(family.id), word(one.family(family.id).verdict))
        for one in evaluations
    ]
    # A scenario may have been left out for one control only.
    results: dict[str, list[tuple[str, ScenarioResult]]] = {}
    for one in judgements:
        for result in one.result.scenarios:
            results.setdefault(result.loaded.name, []).append((one.control, result))
    reference = evaluations[0].references[0]
    return FamilyView(
        family,
        judgements,
        [_scenario(of_scenario, reference, command) for of_scenario in results.values()],
        list(dict.fromkeys(text for one in judgements for text in one.result.lacks)),
    )


def word(verdict: str) -> str:
    """Returns the name of the verdict's style and symbol."""
    return STYLES.get(verdict, verdict.lower())


def _scenario(results: Sequence[tuple[str, ScenarioResult]], reference: str, command: str) -> ScenarioView:
    _, first = results[0]
    words = shlex.split(command)
    for option in ("--only", "--set"):
        while option in words:
            del words[words.index(option) : words.index(option) + 2]
    own = shlex.join([*words, "--only", first.loaded.name])
    # Findings of the same condition in the same setting stand together.
    places = [(one.condition.text, one.setting.name) for one in first.findings]
    lines = [_line(control, finding) for control, result in results for finding in result.findings]
    lines.sort(key=lambda line: _place((line.finding.condition.text, line.finding.setting.name), places))
    return ScenarioView(first, _figure(results, reference), lines, own)


def _place(one: tuple[str, str], places: Sequence[tuple[str, str]]) -> int:
    return places.index(one) if one in places else len(places)


def _line(control: str, finding: Judged) -> Line:
    unit = finding.metric.unit
    tested, *references = (
        f"{significant(value, 3)} {unit if value is not None else ''}".rstrip()
        for value in finding.means.values()
    )
    return Line(control, finding, words_of(finding), tested, references, word(finding.verdict))


def _figure(results: Sequence[tuple[str, ScenarioResult]], reference: str) -> Figure:
    _, first = results[0]
    about, settings = first.loaded.about, first.samples.settings
    metric = about.metric(about.figure or about.metrics[0].id)
    title = f"{metric.label}{f' ({metric.unit})' if metric.unit else ''}"
    if about.grid is not None:
        whose = {control: f"{control}, " if len(results) > 1 else "" for control, _ in results}
        heats = [
            heat
            for control, result in results
            for heat in _heats_of(result, metric, title, whose[control], reference)
        ]
        return Figure(title, [], [], heats, 0)

    def summary(result: ScenarioResult, who: str, index: int) -> Summary:
        return summarise(result.samples.of(who, index, metric.id))

    other = [summary(first, reference, index) for index in range(len(settings))]
    own = {
        control: [summary(result, TESTED, index) for index in range(len(settings))]
        for control, result in results
    }
    limits = {
        control: [_allowed(result, metric, setting) for setting in settings] for control, result in results
    }
    chosen = evenly(len(settings), MOST_ROWS)
    values = [
        value
        for k in chosen
        for value in (
            *(end for one in own.values() for end in (one[k].mean, *(one[k].interval or ()))),
            *(end for one in limits.values() for end in one[k] or ()),
            other[k].mean,
        )
        if value is not None and math.isfinite(value)
    ]
    on = strips.scale([*values, *strips.zero(values)])
    if on is None:
        return Figure(title, [], [], [], 0)
    rows = [
        Row(
            settings[k].name or "all runs",
            [
                Bar(
                    control,
                    strips.strip(on, one[k].mean, one[k].interval, other[k].mean, limits[control][k]),
                    f"{control} {significant(one[k].mean, 3)}, {reference} {significant(other[k].mean, 3)}",
                )
                for control, one in own.items()
            ],
        )
        for k in chosen
    ]
    return Figure(title, rows, on.ticks, [], len(settings) - len(chosen))


def _allowed(
    result: ScenarioResult, metric: Metric, setting: Setting
) -> tuple[float | None, float | None] | None:
    """Returns the ends between which all conditions on a metric allow its mean in a setting; None without any."""
    ends = [
        one.allowed
        for one in result.findings
        if one.metric is metric and one.setting is setting and one.condition.measure != "rate"
    ]
    lows, highs = [low for low, _ in ends if low is not None], [high for _, high in ends if high is not None]
    if not lows and not highs:
        return None
    return max(lows, default=None), min(highs, default=None)


def _heats_of(result: ScenarioResult, metric: Metric, title: str, whose: str, reference: str) -> list[Heat]:
    """Returns the heat maps of a control over the grid: the metric, and its harm beyond the reference's."""
    about, samples = result.loaded.about, result.samples
    means = [summarise(samples.of(TESTED, k, metric.id)).mean for k in range(len(samples.settings))]
    heats = _heats(f"{whose}{title}", zip(samples.settings, means, strict=True))
    for condition in about.conditions:
        if condition.measure == "harm":
            found = [one for one in result.findings if one.condition is condition]
            name = f"{whose}Harm beyond that of {reference}: {condition.metric.label.lower()}"
            heats += _heats(name, ((one.setting, one.finding.estimate) for one in found))
    return heats


def _heats(title: str, values: Iterable[tuple[Setting, float | None]]) -> list[Heat]:
    """Returns a heat map of numbers over the grid for each point of the other axes; 1 is darkest."""
    of_grid = ("rate", "round trip", "buffer")
    heats: dict[str, dict[str, dict[str, Cell]]] = {}
    buffers: set[str] = set()
    for setting, value in values:
        rest = ", ".join(f"{axis} {point}" for axis, point in setting.at.items() if axis not in of_grid)
        row, buffer = f"{setting.at['rate']}, {setting.at['round trip']}", setting.at["buffer"]
        depth = 0.0 if value is None else 100 * min(max(value, 0.0), 1.0)
        cell = Cell(significant(value, 2), round(depth), f"{setting.name}: {significant(value, 3)}")
        heats.setdefault(rest, {}).setdefault(row, {})[buffer] = cell
        buffers.add(buffer)
    columns = sorted(buffers, key=buffer_order)
    return [
        Heat(
            f"{title}, {rest}" if rest else title,
            columns,
            [(row, [cells.get(buffer) for buffer in columns]) for row, cells in rows.items()],
        )
        for rest, rows in heats.items()
    ]
