"""The page of one study."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ackclock.report import alive, outcome, page, study_view
from ackclock.study.result import StudyResult

ANCHOR = "study"
"""The prefix of the HTML ids of the page's parts."""


@dataclass(frozen=True)
class Link:
    """Another page of the folder."""

    href: str
    label: str
    title: str = ""


@dataclass(frozen=True)
class Place:
    """The place of a page in a folder of pages."""

    up: tuple[Link, ...]
    """The indexes that contain the page, the broadest first."""
    before: Link | None = None
    after: Link | None = None


def write_page(result: StudyResult, path: Path, command: str) -> Path:
    """Writes the page of one study to ``path``, one file that needs no other and no network, and returns the path.

    ``command`` is the command line that makes this page again; the page shows it. The same result and command give the
    same bytes.
    """
    return page.written(render_page(result, command), path)


def render_page(result: StudyResult, command: str, place: Place | None = None) -> str:
    """Returns the page as HTML text; with a ``place``, as a page of a folder, which has the library beside it."""
    study = study_view.view(result, ANCHOR, command)
    return page.rendered(
        "study_page.html.j2",
        title=result.title,
        figures=any(not figure.empty for figure in study.figures) or bool(study.cards),
        library_beside=place is not None,
        alive=alive.of_study(result),
        quick_notice=outcome.quick_notice([result]),
        study=study,
        place=place,
    )
