"""The page: the studies' results put into the templates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ackclock import numbers
from ackclock.files import replacing
from ackclock.report import study_view
from ackclock.report.claims import ClaimView
from ackclock.report.library import packed_plotly
from ackclock.report.study_view import StudyView
from ackclock.study.model import Verdict
from ackclock.study.result import StudyResult, Thesis
from ackclock.study.tally import Tally, by_thesis, verdicts_of

_ASSETS = Path(__file__).with_name("assets")
DOZENS = 24
"""With more studies than this the page is for looking things up: theses are folded in the sidebar, and the browser lays
out a study only when it comes near."""
_FIGURES = ("plotly", "text", "trade-off", "sweep", "traces", "layout", "export", "draw")


@dataclass(frozen=True)
class ThesisView:
    """A thesis with its studies and their verdicts added up."""

    thesis: Thesis
    anchor: str
    studies: Sequence[StudyView]
    verdicts: Mapping[Verdict, int]


@dataclass(frozen=True)
class Misses:
    """The claims of a thesis that were not reproduced, each with its study."""

    thesis: Thesis
    claims: Sequence[tuple[StudyView, ClaimView]]


def write_report(results: Sequence[StudyResult], path: Path, command: str) -> Path:
    """Write the report of all ``results`` to ``path``, one file that needs no network, and return the path.

    ``command`` is the command line that makes this report again; the page shows it. The same results and command give
    the same bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = render_report(results, command)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path


def render_report(results: Sequence[StudyResult], command: str) -> str:
    """The report as HTML text."""
    anchors: set[str] = set()
    studies = [
        study_view.view(
            result,
            study_view.new_anchor(result.name, anchors),
            command if len(results) == 1 else study_view.own_command(result),
        )
        for result in results
    ]
    theses = _theses(studies, anchors)
    return rendered(
        "page.html.j2",
        title=results[0].title if len(results) == 1 else "Reproduction report",
        figures=any(not figure.empty for study in studies for figure in study.figures),
        command=command,
        studies=studies,
        theses=theses,
        verdicts=verdicts_of(results),
        tallies=_tallies(results, theses),
        misses=_misses(studies) if len(studies) > 1 else [],
        dozens=len(studies) > DOZENS,
    )


def rendered(
    template: str, *, title: str, figures: bool, styles: Sequence[str] = ("report.css",), **values: Any
) -> str:
    """A page made by ``template``: what ``layout.html.j2`` needs, and the page's own ``values``.

    The library that draws is inside only where there are ``figures``.
    """
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            css=Markup("").join(asset(style) for style in styles),
            theme_js=asset("theme.js"),
            page_js=asset("page.js"),
            figures_js=figures_script() if figures else "",
            plotly=packed_plotly() if figures else "",
            **values,
        )
    )


def _theses(studies: Sequence[StudyView], anchors: set[str]) -> list[ThesisView]:
    return [
        ThesisView(
            thesis=group[0].result.source.thesis,
            anchor=study_view.new_anchor(key, anchors, kind="thesis"),
            studies=group,
            verdicts=verdicts_of(study.result for study in group),
        )
        for key, group in _grouped(studies).items()
    ]


def _tallies(results: Sequence[StudyResult], theses: Sequence[ThesisView]) -> list[tuple[Tally, str]]:
    """The verdicts of each thesis and kind of claim, with the thesis's place on the page."""
    anchors = {view.thesis.key: view.anchor for view in theses}
    return [(tally, anchors[tally.thesis.key]) for tally in by_thesis(results)]


def _misses(studies: Sequence[StudyView]) -> list[Misses]:
    found = []
    for group in _grouped(studies).values():
        claims = [
            (study, view)
            for study in group
            for view in study.claims
            if view.claim.verdict in ("not reproduced", "no")
        ]
        if claims:
            found.append(Misses(group[0].result.source.thesis, claims))
    return found


def _grouped(studies: Sequence[StudyView]) -> dict[str, list[StudyView]]:
    """The studies by the keys of their theses."""
    groups: dict[str, list[StudyView]] = {}
    for study in studies:
        groups.setdefault(study.result.source.thesis.key, []).append(study)
    return groups


def environment() -> jinja2.Environment:
    """The templates, with what they call."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("ackclock.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["duration"] = numbers.duration
    made.filters["json"] = script_json
    made.filters["slug"] = lambda verdict: verdict.replace(" ", "-")
    return made


def script_json(data: Any) -> Markup:
    """JSON inside a script element: nothing in it may look like a tag to the HTML parser."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 (escaped just above)


def figures_script() -> Markup:
    """The parts of the script for figures in one scope of their own."""
    parts = Markup("\n").join(asset(f"figures/{name}.js") for name in _FIGURES)
    return Markup('(function () {\n"use strict";\n') + parts + Markup("})();")


def asset(name: str) -> Markup:
    """A style sheet or script of the package, which stands in the page as it is."""
    return Markup((_ASSETS / name).read_text(encoding="utf-8"))  # noqa: S704 (a file of ours)
