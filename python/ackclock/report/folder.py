"""A folder of pages: one for each study, an index for each thesis, and one over all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from ackclock.report import alive, page, study_view
from ackclock.report.figures import study_stem
from ackclock.report.index_page import render_index
from ackclock.report.library import LIBRARY, plotly_beside
from ackclock.report.study_page import Link, Place, render_page
from ackclock.study.result import StudyResult
from ackclock.web.module import MODULE

INDEX = "index.html"


def write_report(results: Sequence[StudyResult], folder: Path, command: str) -> Path:
    """Writes the pages of ``results`` into ``folder`` and returns the path of their index.

    The pages need no network: the drawing library and the simulator lie beside them. ``command`` is the command
    line that makes them again. Pages of an earlier report are removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.html"), folder / LIBRARY, folder / alive.BESIDE):
        old.unlink(missing_ok=True)
    taken = {"index"}
    theses = {result.source.thesis.key: result.source.thesis for result in results}
    indexes = {key: f"{_new(key, taken)}.html" for key in theses} if len(theses) > 1 else {}
    pages = {result.name: f"{_new(result.name, taken)}.html" for result in results}

    def to(other: StudyResult | None) -> Link | None:
        return None if other is None else Link(pages[other.name], other.source.item, other.title)

    everything = Link(INDEX, "All studies")
    page.written(plotly_beside(), folder / LIBRARY)
    if MODULE.exists():
        page.written(alive.module_beside(), folder / alive.BESIDE)
    for key, href in indexes.items():
        group = [result for result in results if result.source.thesis.key == key]
        text = render_index(group, command, pages=pages, indexes={}, up=[everything])
        page.written(text, folder / href)
    for before, result, after in _between(results):
        thesis = result.source.thesis
        up = [everything]
        if indexes:
            up.append(Link(indexes[thesis.key], thesis.cited))
        text = render_page(result, study_view.own_command(result), Place(tuple(up), to(before), to(after)))
        page.written(text, folder / pages[result.name])
    return page.written(render_index(results, command, pages=pages, indexes=indexes), folder / INDEX)


def _between(
    results: Sequence[StudyResult],
) -> Iterable[tuple[StudyResult | None, StudyResult, StudyResult | None]]:
    """Returns each page with the one before and the one after it."""
    padded = [None, *results, None]
    for (before, result), (_, after) in pairwise(pairwise(padded)):
        if result is not None:
            yield before, result, after


def _new(name: str, taken: set[str]) -> str:
    """Returns a new name of a file, without its ending, that is not among those ``taken``."""
    return study_view.new_anchor(study_stem(name), taken, kind="")
