"""The figures of the theses' pages: drawn as SVG from the records, with the published values in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ackclock import _toml as toml
from ackclock.pages import DOCS
from ackclock.pages.claims import GOOD, values
from ackclock.pages.markdown import escaped
from ackclock.pages.records import Claim, Record, all_records
from ackclock.pages.theses import members
from ackclock.report import svg_chart
from ackclock.report.svg_chart import Axis, Line, Point
from ackclock.study.load import LoadedStudy, load_study, theses
from ackclock.study.model import Metric, SweptCase

SPECIFICATIONS = DOCS / "reproduction" / "figures.toml"
IMAGES = DOCS / "images" / "reproduction"

Values = Mapping[tuple[str, str], Point]
"""What was measured, by metric and case; a point's ``x`` is not set."""


@dataclass(frozen=True)
class Figure:
    """An entry of docs/reproduction/figures.toml, which says what its keys are."""

    name: str
    thesis: str
    kind: str
    alt: str
    caption: str
    study: str = ""
    metrics: Sequence[str] = ()
    x: str = ""
    cases: list[str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = False
    level: float | None = None


def figures(path: Path = SPECIFICATIONS) -> list[Figure]:
    """The figures of all theses."""
    found = toml.loads(path.read_text(encoding="utf-8")).get("figures", [])
    return [Figure(**one) for one in found]


def generated(key: str) -> str:
    """The figures of a thesis as Markdown. One whose study's record has no values is named, without a picture."""
    records, parts = all_records(), []
    for one in figures():
        if one.thesis != key:
            continue
        if drawing(one, records) is None:
            parts.append(f"*The figure of `{one.study}` comes with the study's next record.*")
        else:
            parts += [
                f"![{escaped(one.alt)}](../images/reproduction/{one.name}.svg)",
                f"*{escaped(one.caption)}*",
            ]
    return "\n" + "\n\n".join(parts) + "\n" if parts else ""


def drawings() -> Iterator[tuple[Path, str]]:
    """Every figure that the records allow: its file and its text."""
    records = all_records()
    for one in figures():
        text = drawing(one, records)
        if text is not None:
            yield IMAGES / f"{one.name}.svg", text


def drawing(figure: Figure, records: Mapping[str, Record]) -> str | None:
    """The figure as SVG. None where a record, or what it would have to keep, is not there."""
    if figure.kind == "published":
        of_thesis = [records[study.name] for study in members(figure.thesis) if study.name in records]
        return _published(figure, of_thesis)
    record, study = records.get(figure.study), load_study(figure.study)
    if record is None:
        return None
    found = measured(record)
    makers = {"sweep": _sweep, "cases": _cases, "trade-off": _trade_off}
    return makers[figure.kind](figure, study, found) if found else None


def measured(record: Record) -> Values:
    """Every metric's mean and interval by case; nothing in records of the form that kept claims alone."""
    return {
        key: Point(0.0, one.mean, one.mean - one.half, one.mean + one.half)
        for key, one in values(record).items()
    }


def _sweep(figure: Figure, study: LoadedStudy, found: Values) -> str:
    """A line for each case and metric over the values of the sweep."""
    groups = _groups(figure, study)
    sweep = next(iter(groups.values()))[0].sweep
    if sweep is None:
        raise ValueError(f"{figure.name}: {figure.study} has no sweep")
    words = [str(value) for value in sweep.values if isinstance(value, str)]
    lines = []
    for metric in (study.study.metric(name) for name in figure.metrics):
        for runs in groups.values():
            places = {run.name: _place(run, words) for run in runs}
            label = _label(figure, runs[0], metric)
            lines.append(_line(label, metric, places, found))
    first = study.study.metric(figure.metrics[0])
    across = Axis(figure.x_label or sweep.axis, figure.x_log, words)
    up = Axis(figure.y_label or first.axis_title, figure.y_log)
    return svg_chart.chart(figure.alt, across, up, [line for line in lines if line.points], figure.level)


def _place(run: SweptCase, words: Sequence[str]) -> float:
    return float(words.index(str(run.value))) if words else float(run.value or 0)


def _line(label: str, metric: Metric, places: Mapping[str, float], found: Values) -> Line:
    points = [
        _at(place, found[metric.id, case]) for case, place in places.items() if (metric.id, case) in found
    ]
    published = [(place, metric.paper[case]) for case, place in places.items() if case in metric.paper]
    return Line(label, points, published)


def _at(x: float, point: Point) -> Point:
    return Point(x, point.y, point.low, point.high)


def _cases(figure: Figure, study: LoadedStudy, found: Values) -> str:
    """A row for each case."""
    (name,) = figure.metrics
    metric = study.study.metric(name)
    lines = []
    for run in _chosen(figure, study):
        line = _line(_label(figure, run, metric), metric, {run.name: 0.0}, found)
        if line.points:
            lines.append(line)
    return svg_chart.rows(figure.alt, Axis(figure.x_label or metric.axis_title, figure.x_log), lines)


def _trade_off(figure: Figure, study: LoadedStudy, found: Values) -> str:
    """One metric over another; a line joins the points of a case in the order of its sweep."""
    (name,) = figure.metrics
    up, across = study.study.metric(name), study.study.metric(figure.x)
    lines = []
    for runs in _groups(figure, study).values():
        places = {run.name: found[across.id, run.name].y for run in runs if (across.id, run.name) in found}
        line = _line(_label(figure, runs[0], up), up, places, found)
        printed = [run.name for run in runs if run.name in across.paper and run.name in up.paper]
        both = [(across.paper[case], up.paper[case]) for case in printed]
        lines.append(Line(line.label, line.points, both))
    return svg_chart.chart(
        figure.alt,
        Axis(figure.x_label or across.axis_title, figure.x_log),
        Axis(figure.y_label or up.axis_title, figure.y_log),
        [line for line in lines if line.points],
        figure.level,
    )


def _published(figure: Figure, records: Sequence[Record]) -> str | None:
    """Every claim with a published value: what was measured over it, in the order of that ratio."""
    ratios = sorted(
        (
            (_ratio(claim), claim.verdict in GOOD)
            for record in records
            for claim in record.claims
            if _has_ratio(claim)
        ),
        key=lambda pair: pair[0].y,
    )
    if not ratios:
        return None
    lines = []
    for good, label in ((True, "reproduced"), (False, "any other verdict")):
        points = [
            _at(float(place), ratio) for place, (ratio, came_out) in enumerate(ratios, 1) if came_out == good
        ]
        lines.append(Line(label, points, joined=False))
    across = Axis("Claims with a published value, in the order of the ratio")
    up = Axis("Measured over published", log=True)
    return svg_chart.chart(figure.alt, across, up, [line for line in lines if line.points], 1.0)


def _has_ratio(claim: Claim) -> bool:
    """Whether a logarithm can show it."""
    return bool(claim.published and claim.measured and claim.measured / claim.published > 0)


def _ratio(claim: Claim) -> Point:
    published, mean = claim.published or 1.0, claim.measured or 0.0
    ends = sorted(end / published for end in claim.interval or (mean, mean))
    return Point(0.0, mean / published, ends[0], ends[1])


def _groups(figure: Figure, study: LoadedStudy) -> dict[str, list[SweptCase]]:
    """The chosen runs of each case of the study file."""
    found: dict[str, list[SweptCase]] = {}
    for run in _chosen(figure, study):
        found.setdefault(run.case.name, []).append(run)
    return found


def _chosen(figure: Figure, study: LoadedStudy) -> list[SweptCase]:
    return [run for run in study.study.runs() if run.matches(figure.cases)]


def _label(figure: Figure, run: SweptCase, metric: Metric) -> str:
    """The name of a line: that of the case, or of the metric where several are drawn of one case."""
    own = figure.labels.get(f"{metric.id}.{run.case.name}") or figure.labels.get(run.case.name)
    return own or (metric.label if metric.id != figure.metrics[0] else run.case.title)


def complaints() -> Iterator[str]:
    """What is wrong with the figures that are asked for."""
    for one in figures():
        if one.thesis not in theses():
            yield f"{one.name}: there is no thesis {one.thesis}"
        if one.kind not in ("sweep", "cases", "trade-off", "published"):
            yield f"{one.name}: there is no kind {one.kind}"
        if one.kind != "published" and one.study.partition("/")[0] not in (one.thesis, "today"):
            yield f"{one.name}: {one.study} is no study of {one.thesis}"
