"""The index of a folder of studies: of one thesis, or over several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ackclock.report import claims, outcome, page, study_page
from ackclock.report.agreement import agreement
from ackclock.report.study_view import HighlightView
from ackclock.report.systems import systems_of
from ackclock.study.model import Verdict
from ackclock.study.result import ORDER, ClaimResult, StudyResult, Thesis
from ackclock.study.tally import Tally, by_thesis, verdicts_of

HIGHLIGHTS = 5
"""The largest number of highlighted claims at the top of an index page."""


@dataclass(frozen=True)
class ClaimLine:
    """A claim under its study."""

    claim: ClaimResult
    href: str


@dataclass(frozen=True)
class StudyLine:
    """A study with its page."""

    result: StudyResult
    href: str
    systems: Sequence[str]
    claims: Sequence[ClaimLine]

    @property
    def text(self) -> str:
        """Returns the text by which it is found, in addition to the texts of its claims."""
        result = self.result
        return " ".join([result.name, result.title, str(result.source), *self.systems]).lower()


@dataclass(frozen=True)
class ThesisLines:
    """A thesis with its studies and their verdicts counted."""

    thesis: Thesis
    href: str
    """The address of the thesis's index page; empty on that page itself."""
    studies: Sequence[StudyLine]
    verdicts: Mapping[Verdict, int]


@dataclass(frozen=True)
class Miss:
    """A claim that is not as printed, with its numbers."""

    study: StudyLine
    view: claims.ClaimView
    href: str


def render_index(
    results: Sequence[StudyResult],
    command: str,
    *,
    pages: Mapping[str, str],
    indexes: Mapping[str, str],
    up: Sequence[study_page.Link] = (),
) -> str:
    """Returns the index as HTML text.

    ``pages`` has the file of each study by its name, ``indexes`` that of each thesis by its key.
    """
    theses = _theses(results, pages, indexes)
    by_name = {result.name: result for result in results}
    one = theses[0].thesis if len(theses) == 1 else None
    return page.rendered(
        "index.html.j2",
        title=one.cited if one else "Reproduction report",
        figures=False,
        scripts=(*page.SCRIPTS, "search.js"),
        quick_notice=outcome.quick_notice(results),
        command=command,
        agreement=agreement(
            results,
            lambda one: pages[one.study] + claims.fragment(by_name[one.study], one.claim, study_page.ANCHOR),
        ),
        outcome=outcome.sentences(results),
        subject=outcome.subject(results),
        questions=outcome.questions(results),
        highlights=_highlights(results, pages),
        one=one,
        up=up,
        theses=theses,
        studies=[line for thesis in theses for line in thesis.studies],
        verdicts=verdicts_of(results),
        tallies=_tallies(results, indexes),
        systems=sorted({system for thesis in theses for line in thesis.studies for system in line.systems}),
        shown=[verdict for verdict in ORDER if verdict in verdicts_of(results)],
        misses=_misses(theses) if one else [],
    )


def _highlights(results: Sequence[StudyResult], pages: Mapping[str, str]) -> list[HighlightView]:
    """Returns the highlights of all studies, each with a link to its claim on the study's page."""
    return [
        HighlightView(
            one.claim,
            one.numbers,
            f"{pages[one.result.name]}#{claims.anchor_of(study_page.ANCHOR, one.number)}",
            one.result.source.item,
        )
        for one in outcome.highlights(results, HIGHLIGHTS)
    ]


def _theses(
    results: Sequence[StudyResult], pages: Mapping[str, str], indexes: Mapping[str, str]
) -> list[ThesisLines]:
    groups: dict[str, list[StudyResult]] = {}
    for result in results:
        groups.setdefault(result.source.thesis.key, []).append(result)
    return [
        ThesisLines(
            group[0].source.thesis,
            indexes.get(key, ""),
            [_line(result, pages[result.name]) for result in group],
            verdicts_of(group),
        )
        for key, group in groups.items()
    ]


def _line(result: StudyResult, href: str) -> StudyLine:
    lines = [
        ClaimLine(claim, f"{href}#{claims.anchor_of(study_page.ANCHOR, number)}")
        for number, claim in enumerate(result.claims, start=1)
    ]
    return StudyLine(result, href, systems_of(result), lines)


def _tallies(results: Sequence[StudyResult], indexes: Mapping[str, str]) -> list[tuple[Tally, str]]:
    """Returns the verdicts of each thesis and kind of claim, with the thesis's index."""
    return [(tally, indexes.get(tally.thesis.key, "")) for tally in by_thesis(results)]


def _misses(theses: Sequence[ThesisLines]) -> list[Miss]:
    return [
        Miss(line, view, f"{line.href}#{view.anchor}")
        for thesis in theses
        for line in thesis.studies
        for view in claims.views(line.result, study_page.ANCHOR)
        if view.claim.verdict in ("not as printed", "no")
    ]
