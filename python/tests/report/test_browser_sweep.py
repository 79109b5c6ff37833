"""The page of a sweep in a real browser: every figure is whole, wide and narrow, and the page is short."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from conftest import SCENARIO, replaced

from ackclock import Scenario
from ackclock.report.scenario_page import Origin, write_scenario_report

from .browser import DESKTOP, PHONE, Page
from .test_printed_sweep import CONTROL, DELAY, LIMIT, QUEUE, RATE

pytestmark = pytest.mark.browser

TWO = (
    replaced(SCENARIO, ('duration = "5 s"', 'duration = "0.5 s"'))
    + '\n[[flows]]\nname = "other"\ncontrol = "cubic"\n'
)
TEXTS = """
const plot = arguments[0].querySelector('.plot').getBoundingClientRect();
return [...arguments[0].querySelectorAll('.plot svg text')]
  .filter((text) => text.textContent.trim() && getComputedStyle(text).visibility !== 'hidden')
  .map(function (text) {
    const box = text.getBoundingClientRect();
    const turned = /rotate\\((?!0|-90|90)/.test(text.getAttribute('transform') || '');
    const sides = [box.left - plot.left, box.top - plot.top, box.right - plot.left, box.bottom - plot.top];
    return [text.textContent, ...sides, turned];
  })
  .filter((text) => text[3] > text[1]);
"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["wide", "narrow"])
@pytest.mark.parametrize(
    "paths",
    [LIMIT + CONTROL, LIMIT + DELAY, QUEUE + CONTROL, LIMIT + CONTROL + RATE],
    ids=["numbers and words", "numbers", "words", "three"],
)
def test_no_text_of_a_figure_is_cut_or_covered(
    page: Page, tmp_path: Path, paths: str, size: tuple[int, int]
) -> None:
    text = f"{TWO}\n[sweep]\n{paths}"
    runs = Scenario.from_text(text).run_many(replications=2)
    path = write_scenario_report(runs, tmp_path / "own.html", Origin("ackclock run own.toml", text, {}))
    page.open(path, size)
    assert page.run("return document.documentElement.scrollHeight") < 10_000
    assert page.run("return document.documentElement.scrollWidth") <= size[0]
    for fold in page.find("#scenario > section:first-of-type details > summary"):
        fold.click()
    figures = page.draw_all()
    assert len(figures) == 5
    for figure in figures:
        width, height = (
            page.box(figure.find_element("css selector", ".plot"))[key] for key in ("width", "height")
        )
        texts = page.run(TEXTS, figure)
        assert texts
        for word, left, top, right, bottom, _ in texts:
            assert left >= -1, word
            assert top >= -1, word
            assert right <= width + 1, word
            assert bottom <= height + 1, word
        for one, other in combinations([text for text in texts if not text[5]], 2):
            across = min(one[3], other[3]) - max(one[1], other[1])
            down = min(one[4], other[4]) - max(one[2], other[2])
            assert across < 2 or down < 2, f"{one[0]!r} and {other[0]!r}"
    assert page.errors() == []


def test_a_link_to_a_folded_point_unfolds_it(page: Page, tmp_path: Path) -> None:
    text = f"{TWO}\n[sweep]\n{LIMIT}"
    runs = Scenario.from_text(text).run_many(replications=2)
    path = write_scenario_report(runs, tmp_path / "own.html", Origin("ackclock run own.toml", text, {}))
    page.open(path)
    assert not page.run("return document.getElementById('point-2').open")
    page.find("#every ~ details a[href='#point-2']")[0].click()
    page.wait("the point is unfolded", lambda: page.run("return document.getElementById('point-2').open"))
    assert not page.run("return document.getElementById('point-1').open")
