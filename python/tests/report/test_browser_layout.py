"""The page in a real browser: drawn without a network, and nothing covered, cut or moved."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from .browser import DESKTOP, PHONE, Page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        # Four panels, two, three.
        ("table.html", [4, 2, 3]),
        # Three curves with a band each, a level with a band and the thesis's points.
        ("synthetic-figure-2.html", [9, 6]),
    ],
)
def test_every_figure_is_drawn_without_a_network_or_an_error(
    page: Page, report: Path, folder: Path, file: str, expected: list[int]
) -> None:
    page.log("performance")
    page.open(report if file == report.name else folder / file)
    counts = [len(figure.find_elements("css selector", ".scatterlayer .trace")) for figure in page.draw_all()]
    assert counts == expected
    assert page.errors() == []
    requests = [
        line["message"]
        for line in page.log("performance")
        if '"Network.requestWillBeSent"' in line["message"]
    ]
    assert requests
    assert not [text for text in requests if '"url":"http' in text]


def test_figures_wait_until_they_are_near(page: Page, report: Path) -> None:
    page.open(report)
    page.wait("the first figure is far below", lambda: page.find("figure.figure"))
    assert not page.find("figure.figure:last-of-type .scatterlayer")
    assert page.run("return document.documentElement.scrollTop") == 0


def test_drawing_moves_nothing(page: Page, report: Path) -> None:
    page.open(report)
    before = page.run("return document.documentElement.scrollHeight")
    page.draw_all()
    assert page.run("return document.documentElement.scrollHeight") == before


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("file", ["table.html", "synthetic-figure-2.html"])
def test_nothing_covers_the_data(
    page: Page, report: Path, folder: Path, file: str, size: tuple[int, int]
) -> None:
    page.open(report if file == report.name else folder / file, size)
    for figure in page.draw_all():
        plot = page.box(figure.find_element("css selector", ".plot"))
        keys = page.box(figure.find_element("css selector", ".keys"))
        assert keys["bottom"] <= plot["top"], "the legend is above the plot"
        assert not figure.find_elements("css selector", ".plot .legend"), "no second legend inside it"
        axes = [page.box(area) for area in figure.find_elements("css selector", ".plot .nsewdrag")]
        texts = [
            page.box(text)
            for text in figure.find_elements(
                "css selector", ".plot .annotation, .plot .infolayer [class$=title]"
            )
        ]
        assert axes
        assert texts
        for text, area in itertools.product(texts, axes):
            assert not overlap(text, area), "titles stay outside the axes"
        for text in texts:
            assert text["left"] >= plot["left"] - 1
            assert text["right"] <= plot["right"] + 1
            assert text["bottom"] <= plot["bottom"] + 1


@pytest.mark.parametrize("size", [DESKTOP, PHONE, (800, 900)])
def test_the_parts_of_a_claim_keep_apart(page: Page, report: Path, size: tuple[int, int]) -> None:
    page.open(report, size)
    for claim in page.find(".claim"):
        parts = claim.find_elements("css selector", ".id, .badge, .text, .why, .numbers dd, .where .strip")
        for one, other in itertools.combinations([page.box(part) for part in parts], 2):
            assert not overlap(one, other)


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
    return across > 1 and down > 1


CUT = r"""
const cut = [];
for (const one of document.querySelectorAll("details")) one.open = true;
const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
// Not the 2 of "ns-2".
const number = /(?<![\w.-])\u2212?[0-9][0-9.]*(?![\w-])/g;
while (walk.nextNode()) {
  const text = walk.currentNode;
  const cell = text.parentElement.closest("td, th, dd");
  if (!cell || text.parentElement.closest("pre, code, script, .unseen, svg")) continue;
  const region = cell.closest(".scroll");
  const edge = region ? region.getBoundingClientRect() : document.documentElement.getBoundingClientRect();
  for (const found of text.data.matchAll(number)) {
    const range = document.createRange();
    range.setStart(text, found.index);
    range.setEnd(text, found.index + found[0].length);
    const boxes = Array.from(range.getClientRects()).filter((box) => box.width > 0);
    if (!boxes.length) continue;
    const split = new Set(boxes.map((box) => Math.round(box.top))).size > 1;
    const outside = boxes.some((box) => box.right > edge.right + 1 || box.left < edge.left - 1);
    if (split || outside) cut.push([found[0], cell.textContent.trim().slice(0, 60)]);
  }
}
return cut;
"""
"""Opens what is folded, and finds each number in a table that is broken into two lines or stands beyond an edge."""


@pytest.mark.parametrize("width", [320, 390, 768, 1200, 1440])
def test_nothing_is_cut_and_nothing_scrolls_sideways(page: Page, kinds: dict[str, Path], width: int) -> None:
    for kind, path in kinds.items():
        page.open(path, (width, 844))
        page.run("for (const one of document.querySelectorAll('details')) one.open = true")
        page.draw_all()
        page.wait(f"no number of the {kind} is cut at {width} px: {page.run(CUT)}", lambda: not page.run(CUT))
        assert page.run("return document.documentElement.scrollWidth") <= width, kind
    assert page.errors() == []


def test_figures_follow_the_width_of_the_window(page: Page, report: Path) -> None:
    page.open(report)
    figure = page.find("figure.figure")[0]
    page.draw(figure)
    page.command(
        "Emulation.setDeviceMetricsOverride",
        {"width": 700, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    plot = figure.find_element("css selector", ".plot")
    page.wait(
        "the figure has the new width",
        lambda: (
            abs(page.box(plot)["width"] - page.box(plot.find_element("css selector", ".main-svg"))["width"])
            < 1
        ),
    )
    assert page.box(plot)["width"] < 700


def test_no_verdict_covers_its_claim(page: Page, report: Path) -> None:
    page.open(report)
    # The longest verdict there is, in the place of each.
    page.run(
        "for (const one of document.querySelectorAll('.claim .badge'))"
        "  one.lastElementChild.textContent = 'right order, other size'"
    )
    for claim in page.find(".claim"):
        badge = page.box(claim.find_element("css selector", ".badge"))
        assert badge["right"] <= page.box(claim.find_element("css selector", ".said"))["left"]
