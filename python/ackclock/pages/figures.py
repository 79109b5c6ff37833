"""The figures of the theses' pages, drawn as SVG from the records: printed numbers against measured ones, for which no
entry is needed, and those of docs/reproduction/figures.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ackclock import _toml as toml
from ackclock.pages import DOCS
from ackclock.pages.markdown import escaped
from ackclock.pages.results import anchor, found, of_theses, of_thesis, recorded
from ackclock.report import svg_chart
from ackclock.report.agreement import Link, agreement
from ackclock.report.svg_chart import Axis, Line, Point
from ackclock.study.load import LoadedStudy, load_study, theses
from ackclock.study.model import Metric, SweptCase
from ackclock.study.printed_numbers import Printed

SPECIFICATIONS = DOCS / "reproduction" / "figures.toml"
IMAGES = DOCS / "images" / "reproduction"

Values = Mapping[tuple[str, str], Point]
"""The measured means with their intervals, by metric and case; ``x`` of the points is not set."""


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
    """Returns the figures of all theses."""
    return [Figure(**one) for one in toml.loads(path.read_text(encoding="utf-8")).get("figures", [])]


def generated(key: str) -> str:
    """Returns the figures of a thesis as Markdown. One whose study is not recorded is named, without a picture."""
    parts = []
    for one in figures():
        if one.thesis == key and drawing(one) is None:
            parts.append(
                f"*The figure of `{one.study}` is missing: no results of the study's present version are recorded.*"
            )
        elif one.thesis == key:
            parts.append(f"![{escaped(one.alt)}](../images/reproduction/{one.name}.svg)")
            parts.append(f"*{escaped(one.caption)}*")
    return "\n" + "\n\n".join(parts) + "\n" if parts else ""


def numbers(key: str = "") -> str:
    """Returns the figure of the printed numbers of a thesis, or of all without a key, as Markdown; empty if it cannot
    be drawn.
    """
    drawn = agreement([one.result for one in found(_studies(key))])
    folder = "../images/reproduction" if key else "images/reproduction"
    return f"![{escaped(drawn.words)}]({folder}/{numbers_file(key)})" if drawn else ""


def numbers_file(key: str = "") -> str:
    """Returns the name of the file of that figure."""
    return f"{key or 'all'}-numbers.svg"


def number_drawings(link: Link | None = None) -> Iterator[tuple[Path, str]]:
    """Yields the figures of printed numbers, of all theses and of each: the file and its text."""
    for key in ("", *theses()):
        if drawn := agreement([one.result for one in found(_studies(key))], link):
            yield IMAGES / numbers_file(key), drawn.file()


def on_the_site(one: Printed) -> str:
    """Returns the address of a number's claim on the site, or of its study without one, as seen from the figures."""
    thesis, _, stem = one.study.partition("/")
    if not one.claim:
        return f"../../reproduction/{one.study}.html"
    return f"../../reproduction/{thesis}-claims.html#{anchor(stem, one.claim)}"


def _studies(key: str) -> Sequence[LoadedStudy]:
    return of_thesis(key) if key else of_theses()


def drawings() -> Iterator[tuple[Path, str]]:
    """Yields every figure that the records allow: its file and its text."""
    yield from number_drawings()
    for one in figures():
        if (text := drawing(one)) is not None:
            yield IMAGES / f"{one.name}.svg", text


def drawing(figure: Figure, means: Callable[[str], Values] | None = None) -> str | None:
    """Returns the figure as SVG, from the means of a study by its name. None if the study is not recorded."""
    values = (means or _means)(figure.study)
    makers = {"sweep": _sweep, "cases": _cases, "trade-off": _trade_off}
    return makers[figure.kind](figure, load_study(figure.study), values) if values else None


def _means(study: str) -> Values:
    """Returns the mean and interval of every metric by case; empty if the study is not recorded."""
    one = recorded(study)
    return {
        (metric, case.name): Point(0.0, value.mean, *(value.interval or (value.mean, value.mean)))
        for case in (one.result.cases if one is not None else ())
        for metric, value in case.values.items()
        if value.mean is not None
    }


def _sweep(figure: Figure, study: LoadedStudy, values: Values) -> str:
    """A line for each case and metric over the values of the sweep."""
    groups = _groups(figure, study)
    sweep = next(iter(groups.values()))[0].sweep
    if sweep is None:
        raise ValueError(
            f'figure {figure.name}: the study {figure.study} has no sweep, which kind = "sweep" requires'
        )
    words = [str(value) for value in sweep.values if isinstance(value, str)]
    lines = []
    for metric in (study.study.metric(name) for name in figure.metrics):
        for runs in groups.values():
            places = {run.name: _place(run, words) for run in runs}
            label = _label(figure, runs[0], metric)
            lines.append(_line(label, metric, places, values))
    first = study.study.metric(figure.metrics[0])
    across = Axis(figure.x_label or sweep.axis, figure.x_log, words)
    up = Axis(figure.y_label or first.axis_title, figure.y_log)
    return svg_chart.chart(figure.alt, across, up, [line for line in lines if line.points], figure.level)


def _place(run: SweptCase, words: Sequence[str]) -> float:
    return float(words.index(str(run.value))) if words else float(run.value or 0)


def _line(label: str, metric: Metric, places: Mapping[str, float], values: Values) -> Line:
    points = [
        _at(place, values[metric.id, case]) for case, place in places.items() if (metric.id, case) in values
    ]
    published = [(place, metric.paper[case]) for case, place in places.items() if case in metric.paper]
    return Line(label, points, published)


def _at(x: float, point: Point) -> Point:
    return Point(x, point.y, point.low, point.high)


def _cases(figure: Figure, study: LoadedStudy, values: Values) -> str:
    """A row for each case."""
    (name,) = figure.metrics
    metric = study.study.metric(name)
    lines = []
    for run in _chosen(figure, study):
        line = _line(_label(figure, run, metric), metric, {run.name: 0.0}, values)
        if line.points:
            lines.append(line)
    return svg_chart.rows(figure.alt, Axis(figure.x_label or metric.axis_title, figure.x_log), lines)


def _trade_off(figure: Figure, study: LoadedStudy, values: Values) -> str:
    """One metric over another; a line joins the points of a case in the order of its sweep."""
    (name,) = figure.metrics
    up, across = study.study.metric(name), study.study.metric(figure.x)
    lines = []
    for runs in _groups(figure, study).values():
        places = {run.name: values[across.id, run.name].y for run in runs if (across.id, run.name) in values}
        line = _line(_label(figure, runs[0], up), up, places, values)
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
