"""The page of the characterisation: verdicts of every discipline in every scenario, with criteria and numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ackclock._numbers import evenly, significant, with_ends
from ackclock.characterisation.disciplines import BASELINE, WITH_SCHEDULER, discipline_of
from ackclock.characterisation.elasticity import sensitivities
from ackclock.characterisation.judge import REFERENCE, Judged, Row, rows, setting_of
from ackclock.characterisation.language import Characterisation, Condition
from ackclock.characterisation.summary import COUNTED, Overall, lines, overall
from ackclock.characterisation.words import WORST_FIRST
from ackclock.evaluation.words import CONCERN
from ackclock.experiment.curve_words import at_equal
from ackclock.report import distribution, outcome, page, plane, study_view, style
from ackclock.report.evaluation import word
from ackclock.report.plane import Plane
from ackclock.report.study_view import StudyView
from ackclock.statistics import summarise
from ackclock.study.result import CaseResult, StudyResult

AT_DELAY_MS = (5.0, 10.0, 20.0)
LIMIT_CYCLE = 50.0
"""The share, in per cent, of the variance of the queue length at a single frequency above which the oscillation of the
queue counts as a limit cycle. The value is ackclock's choice.
"""
MOST_PLANES = 6
"""The largest number of settings drawn. If there are more settings, this number of evenly spaced settings is drawn."""


@dataclass(frozen=True)
class Cell:
    """A cell of the matrix: a discipline in a scenario."""

    verdict: str | None
    href: str
    words: str


@dataclass(frozen=True)
class Worst:
    """A condition on a discipline: the worst of its metrics and settings, and a list of all."""

    verdict: str
    text: str
    setting: str
    all: Sequence[tuple[str, str, str]]
    """For each finding, the metric and the setting, the numbers, and the reason for the verdict."""


@dataclass(frozen=True)
class RowView:
    """A discipline in the table of a scenario."""

    row: Row
    anchor: str
    cells: Sequence[Worst | None]


@dataclass(frozen=True)
class EqualDelay:
    """Goodput of each discipline at equal delay."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class SensitivityTable:
    """How much each parameter changes delay and goodput."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[str], str, bool]]
    """Each row: discipline, parameter, elasticities, strongest cycle, and whether the cycle is a limit cycle."""


@dataclass(frozen=True)
class ScenarioView:
    """A scenario with its study."""

    study: StudyView
    about: Characterisation
    rows: Sequence[RowView]
    planes: Sequence[Plane]
    more_planes: int
    distributions: Sequence[Plane]
    equal_delay: EqualDelay | None
    sensitivity: SensitivityTable | None

    @property
    def legend(self) -> Sequence[tuple[str, style.Style]]:
        """Returns the disciplines that are drawn in any of the planes."""
        drawn = [*self.planes, *self.distributions]
        found = {mark.label: mark.look for one in drawn for mark in one.marks}
        return sorted(found.items(), key=lambda item: self._order.index(item[0]))

    @property
    def _order(self) -> list[str]:
        return [view.row.label for view in self.rows]


@dataclass(frozen=True)
class DisciplineView:
    """A discipline as it was run: a line of the legend and of the list of parameters."""

    name: str
    label: str
    look: style.Style
    note: str
    overall: Overall
    parameters: Sequence[Mapping[str, Any]]
    """The registry's entry for each parameter of the discipline. Its key ``used`` holds the values in the runs."""
    summary: str
    source: str


def write_characterisation(results: Sequence[StudyResult], path: Path, command: str) -> Path:
    """Writes the page of these studies to ``path``, one file that needs no network, and returns the path."""
    return page.written(render(results, command), path)


def render(results: Sequence[StudyResult], command: str) -> str:
    """Returns the page as HTML text."""
    anchors: set[str] = set()
    # Not all disciplines take part in every scenario: the order is that of the scenarios with the most.
    each = [list(dict.fromkeys(discipline_of(case.case) for case in result.cases)) for result in results]
    disciplines = list(dict.fromkeys(name for names in sorted(each, key=len, reverse=True) for name in names))
    numbers = {name: index for index, name in enumerate(disciplines)}
    scenarios = [_scenario(result, anchors, numbers) for result in results]
    found = {scenario.about.section: scenario for scenario in scenarios}
    verdicts = {
        scenario.about.section: {view.row.discipline: view.row.verdict for view in scenario.rows}
        for scenario in scenarios
    }
    return page.rendered(
        "characterisation.html.j2",
        title="Characterisation of queue disciplines",
        figures=any(
            scenario.study.figures or scenario.planes or scenario.distributions for scenario in scenarios
        ),
        styles=("report.css", "characterisation.css"),
        command=command,
        scenarios=scenarios,
        disciplines=[_discipline(name, numbers[name], results, verdicts) for name in disciplines],
        matrix=[[_cell(scenario, name) for scenario in scenarios] for name in disciplines],
        lines=lines(list(found)),
        found=found,
        counted=_counted(scenarios),
        broken=_broken(scenarios),
        quick_notice=outcome.quick_notice(results),
        versions=results[0].versions,
        cpu_time_s=_added([result.cpu_time_s for result in results]),
        runs=sum(result.runs for result in results),
        replications=sorted({result.replications for result in results}),
        with_scheduler=WITH_SCHEDULER,
        words=COUNTED,
        word=word,
        REFERENCE=REFERENCE,
        BASELINE=BASELINE,
    )


def _scenario(result: StudyResult, anchors: set[str], numbers: Mapping[str, int]) -> ScenarioView:
    about = result.characterisation
    if about is None:
        raise ValueError(f"{result.name} is not a scenario of RFC 7928: the study has no [characterisation]")
    anchor = study_view.new_anchor(result.name, anchors)
    study = study_view.view(result, anchor, study_view.own_command(result))
    views = [
        RowView(
            row,
            f"{anchor}-{row.discipline}",
            [_worst(condition, row.findings, result) for condition in about.criteria],
        )
        for row in rows(result)
    ]
    planes = _planes(result, about, numbers)
    shown = [planes[k] for k in evenly(len(planes), MOST_PLANES)]
    equal = _equal_delay(result) if about.curves else None
    return ScenarioView(
        study,
        about,
        views,
        shown,
        len(planes) - len(shown),
        _distributions(result, about, numbers),
        equal,
        _sensitivity(result, about) if about.elasticities else None,
    )


def planes_of(result: StudyResult) -> list[Plane]:
    """Returns all planes and distributions of a scenario, its disciplines numbered in their order."""
    about = result.characterisation
    if about is None:
        raise ValueError(f"{result.name} is not a scenario of RFC 7928: the study has no [characterisation]")
    names = list(dict.fromkeys(discipline_of(case.case) for case in result.cases))
    numbers = {name: index for index, name in enumerate(names)}
    return [*_planes(result, about, numbers), *_distributions(result, about, numbers)]


def _distributions(result: StudyResult, about: Characterisation, numbers: Mapping[str, int]) -> list[Plane]:
    """Returns the distributions in the first and the last setting."""
    settings = list(dict.fromkeys(setting_of(case) for case in result.cases))
    found = []
    for setting in dict.fromkeys([settings[0], settings[-1]]):
        cases = [case for case in result.cases if setting_of(case) == setting]
        labelled = [
            (numbers[discipline_of(case.case)], case.label.partition(", ")[0], case) for case in cases
        ]
        title = _setting_words(result, cases[0], setting, variant=True)
        drawn = [distribution.drawn(title, labelled, kind) for kind in about.distributions]
        found += [one for one in drawn if one is not None]
    return found


def _sensitivity(result: StudyResult, about: Characterisation) -> SensitivityTable:
    """Returns each parameter's elasticities and the strongest cycle at any setting of it."""
    table = []
    for one in sensitivities(result, about.elasticities, about.cycle):
        cells = []
        for elasticity in one.elasticities:
            mean, half = elasticity.summary.mean, elasticity.summary.half_width
            text = "–" if mean is None else f"{mean:.2f}".replace("-", "−")
            cells.append(text if mean is None or half is None else f"{text} ± {half:.2f}")
        cycle = "–" if one.cycle is None else f"{one.cycle[0]:.0f} % ({one.cycle[1]})"
        limit = one.cycle is not None and one.cycle[0] > LIMIT_CYCLE
        table.append((one.label, one.parameter, cells, cycle, limit))
    axis = result.sweep.axis.lower() if result.sweep else ""
    values = list(dict.fromkeys(str(case.sweep_value) for case in result.cases))
    heads = [f"{result.metric(id).label}, {axis} {value}" for id in about.elasticities for value in values]
    return SensitivityTable(heads, table)


def _equal_delay(result: StudyResult) -> EqualDelay:
    """Returns the goodput at 5, 10 and 20 ms of median queueing delay, interpolated between the variants."""
    values = list(dict.fromkeys(case.sweep_value for case in result.cases))
    names = list(dict.fromkeys(discipline_of(case.case) for case in result.cases))
    table = []
    for name in names:
        cells = []
        for value in values:
            cases = [
                case
                for case in result.cases
                if discipline_of(case.case) == name and case.sweep_value == value
            ]
            delay, goodput = (
                np.array([case.values[metric].samples for case in cases]).T
                for metric in ("delay_p50", "goodput")
            )
            cells += [
                significant(summarise(at_equal(delay, goodput, np.array(at))).mean, 3) for at in AT_DELAY_MS
            ]
        table.append((next(case.label.partition(", ")[0] for case in cases), cells))
    axis = result.sweep.axis.lower() if result.sweep else ""
    heads = [f"{at:g} ms, {axis} {value}" for value in values for at in AT_DELAY_MS]
    return EqualDelay(heads, table)


def _planes(result: StudyResult, about: Characterisation, numbers: Mapping[str, int]) -> list[Plane]:
    settings: dict[str, list[CaseResult]] = {}
    for case in result.cases:
        together = "" if case.sweep_value is None else str(case.sweep_value)
        settings.setdefault(together if about.curves else setting_of(case), []).append(case)
    found = []
    for x, y in about.planes:
        for setting, cases in settings.items():
            labelled = [
                (numbers[discipline_of(case.case)], case.label.partition(", ")[0], case) for case in cases
            ]
            title = _setting_words(result, cases[0], setting, variant=not about.curves)
            if len(about.planes) > 1:
                title = f"{result.metric(y).label}{': ' if title else ''}{title}"
            one = plane.plane(title, labelled, result.metric(x), result.metric(y))
            if one is not None:
                found.append(one)
    return found


def _setting_words(result: StudyResult, case: CaseResult, setting: str, *, variant: bool) -> str:
    """Returns a setting in words: the label of the variant, and the value of the sweep."""
    of_variant = case.label.partition(", ")[2] if variant else ""
    axis = result.axis(case)
    value = "" if case.sweep_value is None else f"{axis.partition(' (')[0]} {case.sweep_value}"
    return ", ".join(part for part in (of_variant, value) if part) or setting


def _worst(condition: Condition, findings: Sequence[Judged], result: StudyResult) -> Worst | None:
    own = [one for one in findings if one.condition is condition]
    if not own:
        return None
    worst = min(own, key=lambda one: (WORST_FIRST.index(one.verdict), -_beyond_limits(one)))
    several = len({one.setting for one in own}) > 1
    return Worst(
        verdict=worst.verdict,
        text=numbers_of(worst),
        setting=worst.setting if several else "",
        all=[
            (
                ", ".join(part for part in (result.metric(one.metric).label, one.setting) if part),
                numbers_of(one),
                one.finding.reason,
            )
            for one in own
        ],
    )


def _beyond_limits(one: Judged) -> float:
    """Returns how far a finding is beyond its limits, to choose the worst: negative inside, -inf without a mean."""
    if one.finding.estimate is None:
        return -math.inf
    low, high = one.finding.criterion.range
    return max(low - one.finding.estimate, one.finding.estimate - high)


def numbers_of(one: Judged) -> str:
    """Returns the mean and its interval as text."""
    finding, scale = one.finding, one.condition.scale
    if finding.estimate is None:
        return "–"
    interval = (
        None if finding.interval is None else (finding.interval[0] * scale, finding.interval[1] * scale)
    )
    text = with_ends(finding.estimate * scale, interval, one.condition.unit)
    return f"{text} above the limit" if one.condition.measure == "allowance" else text


def _cell(scenario: ScenarioView, discipline: str) -> Cell:
    for view in scenario.rows:
        if view.row.discipline == discipline:
            reasons = "; ".join(
                dict.fromkeys(
                    f"{one.condition.text or one.condition.rule}: not met" for one in view.row.reasons()
                )
            )
            title = f"{scenario.about.section} {scenario.study.result.title}"
            words = f"{view.row.label}, {title}: {view.row.verdict}"
            # Without criteria there is no row to link to.
            anchor = view.anchor if scenario.about.criteria else scenario.study.anchor
            return Cell(view.row.verdict, f"#{anchor}", f"{words}. {reasons}".rstrip(". ") + ".")
    return Cell(None, "", f"{scenario.about.section}: not run")


def _counted(scenarios: Sequence[ScenarioView]) -> dict[str, int]:
    """Returns the number of cells of the matrix with each word."""
    counts = Counter(view.row.verdict for scenario in scenarios for view in scenario.rows)
    return {one: counts[one] for one in COUNTED}


def _broken(scenarios: Sequence[ScenarioView]) -> list[tuple[str, int]]:
    """Returns the conditions that made cells a concern, with the number of cells, the most frequent first."""
    counts = Counter(
        title
        for scenario in scenarios
        for view in scenario.rows
        if view.row.verdict == CONCERN
        for title in {one.condition.title.partition(",")[0] for one in view.row.reasons()}
    )
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _discipline(
    name: str, index: int, results: Sequence[StudyResult], verdicts: Mapping[str, Mapping[str, str]]
) -> DisciplineView:
    from ackclock import _typed_core as core

    entry = next(entry for entry in core.registry() if entry["kind"] == "queue" and entry["name"] == name)
    cases = [case for result in results for case in result.cases if discipline_of(case.case) == name]
    used: dict[str, set[str]] = {}
    for case in cases:
        for value in case.overrides.values():
            if isinstance(value, dict) and value.get("name") == name:
                for parameter, setting in value.items():
                    used.setdefault(parameter, set()).add(str(setting))
    return DisciplineView(
        name=name,
        label=cases[0].label.partition(", ")[0],
        look=style.style(index),
        note="",
        overall=overall(name, verdicts),
        parameters=[
            {**parameter, "used": sorted(used.get(parameter["name"], set()))}
            for parameter in entry["parameters"]
        ],
        summary=entry["summary"],
        source=entry["source"],
    )


def _added(times: Sequence[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return sum(known) if len(known) == len(times) else None
