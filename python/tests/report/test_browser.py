"""The page in a real browser: drawn, usable, complete without a network."""

from __future__ import annotations

import base64
import io
import itertools
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from chromium import offline_chromium
from selenium import webdriver
from selenium.webdriver.remote.webelement import WebElement
from test_characterisation_page import SCENARIO, short_study

import ackclock
from ackclock import Scenario
from ackclock.numbers import mean_and_spread
from ackclock.report import write_page, write_report
from ackclock.report.characterisation import write_characterisation
from ackclock.report.rows import csv
from ackclock.report.scenario_page import Origin, write_scenario_report
from ackclock.study.load import parse_study
from ackclock.study.result import CaseResult
from ackclock.study.run import run_study

from .synthetic import DUEL, many_studies, table_study, trade_off_study

pytestmark = pytest.mark.browser

PHONE = (390, 844)
DESKTOP = (1280, 900)


class Page:
    """One report in one browser window."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, path: Path, size: tuple[int, int] = DESKTOP, theme: str = "light") -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE},
        )
        self.command(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        )
        self.driver.get(path.as_uri())
        self.run(
            "try { localStorage.clear() } catch (error) { /* not allowed for files: nothing to clear */ }"
        )
        self.driver.get(path.as_uri())

    def command(self, name: str, arguments: dict[str, Any]) -> Any:
        return self.driver.execute_cdp_cmd(name, arguments)

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What the log has gained since it was last read."""
        return list(self.driver.get_log(kind))  # type: ignore[no-untyped-call]

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements("css selector", selector)

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        pytest.fail(f"not within 20 s: {what}; the console says {self.log('browser')}")

    def draw(self, figure: WebElement) -> None:
        """Bring a figure into view and wait until it has curves."""
        self.run("arguments[0].scrollIntoView({block: 'center'})", figure)
        self.wait(
            "a figure is drawn",
            lambda: self.run(
                "return arguments[0].querySelectorAll('.scatterlayer .trace, .heatmaplayer image').length",
                figure,
            ),
        )

    def draw_all(self) -> list[WebElement]:
        figures = [
            figure for figure in self.find("figure.figure") if figure.find_elements("css selector", ".plot")
        ]
        for figure in figures:
            self.draw(figure)
        return figures

    def box(self, element: WebElement) -> dict[str, float]:
        found: dict[str, float] = self.run("return arguments[0].getBoundingClientRect().toJSON()", element)
        return found

    def errors(self) -> list[str]:
        """What the console holds that is worse than information."""
        return [line["message"] for line in self.log("browser") if line["level"] in ("SEVERE", "WARNING")]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with offline_chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield Page(driver)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of its own: four figures that can be drawn."""
    path = tmp_path_factory.mktemp("report") / "table.html"
    return write_page(table_study(), path, "ackclock reproduce synthetic")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pages with their indexes."""
    return write_report(many_studies(), tmp_path_factory.mktemp("folder"), "ackclock reproduce --all").parent


@pytest.fixture(scope="module")
def swept(folder: Path) -> Path:
    """A page of the folder, with two figures over a sweep."""
    return folder / "synthetic-figure-2.html"


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


@pytest.fixture(scope="module")
def kinds(report: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind."""
    place = tmp_path_factory.mktemp("kinds")
    text = f"{DUEL}\n[sweep]\n{LIMITS}\n{RATES}\n"
    runs = Scenario.from_text(text, {"duration": "1 s"}).run_many(replications=2)
    study = parse_study(short_study(), "aqm/rfc7928-5.1.1", str(SCENARIO))
    return {
        "study alone": report,
        "study": folder / "synthetic-figure-2.html",
        "index": folder / "index.html",
        "index of a thesis": folder / "synthetic.html",
        "scenario": write_scenario_report(
            runs, place / "own.html", Origin("ackclock run own.toml", text, {})
        ),
        "characterisation": write_characterisation([run_study(study, quick=True)], place / "aqm.html", "x"),
    }


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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_the_systems_until_one_is_chosen(page: Page, report: Path, theme: str) -> None:
    page.open(report, theme=theme)
    other = "dark" if theme == "light" else "light"
    figure = page.find("figure.figure")[0]
    page.draw(figure)
    (button,) = page.find("#theme")
    assert (background(page), button.get_attribute("aria-pressed")) == (
        BACK[theme],
        str(theme == "dark").lower(),
    )
    assert paper(page, figure) == BACK[theme]
    button.click()
    assert (background(page), button.get_attribute("aria-pressed")) == (
        BACK[other],
        str(other == "dark").lower(),
    )
    page.wait("the figure follows", lambda: paper(page, figure) == BACK[other])
    page.driver.refresh()
    assert background(page) == BACK[other], "the choice is remembered"


BACK = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}


def background(page: Page) -> str:
    found: str = page.run("return getComputedStyle(document.body).backgroundColor")
    return found


def paper(page: Page, figure: WebElement) -> str:
    """The background that Plotly painted."""
    found: str = page.run(
        "return getComputedStyle(arguments[0].querySelector('.main-svg')).backgroundColor", figure
    )
    return found


def test_the_legend_hides_and_shows_curves(page: Page, swept: Path) -> None:
    page.open(swept)
    figure = page.find("figure.figure")[0]
    page.draw(figure)
    key = figure.find_elements("css selector", ".key")[1]

    def traces() -> int:
        return len(figure.find_elements("css selector", ".scatterlayer .trace"))

    assert traces() == 9
    key.click()
    page.wait("curve, band and points of the thesis are gone", lambda: traces() == 6)
    assert key.get_attribute("aria-pressed") == "false"
    key.click()
    page.wait("they are back", lambda: traces() == 9)


@pytest.mark.parametrize(("size", "theme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_the_report_of_a_scenario(page: Page, tmp_path: Path, size: tuple[int, int], theme: str) -> None:
    runs = Scenario.from_text(DUEL).run_many(series=True)
    path = tmp_path / "duel.html"
    page.open(write_scenario_report(runs, path, Origin("ackclock run duel.toml", DUEL, {})), size, theme)
    figures = page.draw_all()
    assert page.run("return document.documentElement.scrollWidth") <= size[0]
    window = figures[0]
    (button,) = window.find_elements("css selector", "[data-do=overlay]")

    def panels() -> int:
        return len(window.find_elements("css selector", ".plot .cartesianlayer .subplot"))

    assert (button.get_attribute("aria-pressed"), panels()) == ("true", 1), "the flows lie over each other"
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    page.wait("each flow has a panel", lambda: panels() == 2)
    lowest = page.run("return arguments[0].querySelector('.plot').layout.yaxis.range[0]", window)
    assert lowest == 0, "a window is never negative"
    assert page.errors() == []


LIMITS = '"dumbbell.bottleneck.queue.limit" = ["10 packets", "40 packets", "80 packets"]'
RATES = '"dumbbell.bottleneck.rate" = ["5 Mbit/s", "10 Mbit/s"]'


@pytest.mark.parametrize(
    ("sweep", "drawn", "count"),
    [(LIMITS, ".scatterlayer .trace", 2), (f"{LIMITS}\n{RATES}", ".heatmaplayer image", 1)],
)
def test_the_report_of_a_sweep(page: Page, tmp_path: Path, sweep: str, drawn: str, count: int) -> None:
    text = f"{DUEL}\n[sweep]\n{sweep}\n"
    runs = Scenario.from_text(text, {"duration": "1 s"}).run_many(replications=2)
    path = tmp_path / "sweep.html"
    page.open(write_scenario_report(runs, path, Origin("ackclock run sweep.toml", text, {})))
    (goodput,) = page.find("#sweep-1")
    page.wait("it is drawn", lambda: len(goodput.find_elements("css selector", drawn)) == count)
    assert page.errors() == []


@pytest.mark.parametrize(("size", "theme"), [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light")])
def test_a_point_of_a_trade_off_tells_its_parameters(
    page: Page, tmp_path: Path, size: tuple[int, int], theme: str
) -> None:
    study = trade_off_study()
    page.open(write_page(study, tmp_path / "plane.html", "ackclock reproduce synthetic"), size, theme)
    (figure,) = page.draw_all()
    curves = figure.find_elements("css selector", ".scatterlayer .trace")
    assert len(curves) == 4
    assert [len(curve.find_elements("css selector", ".points path")) for curve in curves] == [8, 8, 2, 1]
    for direction in ("xerror", "yerror"):
        assert len(figure.find_elements("css selector", f".errorbar .{direction}")) == 19
    # Beta's fourth point is the run with 20 connections.
    run = study.case("beta[20]")
    mark = page.box(curves[1].find_elements("css selector", ".points path")[3])
    assert hovered(page, figure, mark) == [
        "Beta",
        "Number of connections: 20",
        f"Utilisation of the bottleneck: {written(run, 'utilisation')} %",
        f"Packet loss: {written(run, 'loss')} %",
    ]
    mark = page.box(curves[2].find_elements("css selector", ".points path")[1])
    assert hovered(page, figure, mark)[:2] == ["Gamma", "Buffer (packets): 50"]
    assert page.errors() == []


def written(run: CaseResult, metric: str) -> str:
    value = run.values[metric]
    return mean_and_spread(value.mean, value.interval)


def hovered(page: Page, figure: WebElement, mark: dict[str, float]) -> list[str]:
    """The lines that the figure shows while the pointer is on ``mark``."""
    before = page.run(
        "return [...arguments[0].querySelectorAll('.hovertext')].map(t => t.textContent)[0]", figure
    )
    at = {"x": (mark["left"] + mark["right"]) / 2, "y": (mark["top"] + mark["bottom"]) / 2}
    page.command("Input.dispatchMouseEvent", {"type": "mouseMoved", **at})
    lines = "return [...arguments[0].querySelectorAll('.hovertext tspan.line')].map(line => line.textContent)"
    page.wait(
        "the point says what it is",
        lambda: (found := page.run(lines, figure)) and "".join(found) != before,
    )
    found: list[str] = page.run(lines, figure)
    return found


def test_panels_can_be_laid_over_each_other(page: Page, report: Path) -> None:
    page.open(report)
    figure = page.find("figure.figure")[0]
    page.draw(figure)

    def panels() -> int:
        return len(figure.find_elements("css selector", ".cartesianlayer > .subplot"))

    assert panels() == 4
    button = figure.find_element("css selector", "[data-do=overlay]")
    button.click()
    page.wait("there is one panel", lambda: panels() == 1)
    assert button.get_attribute("aria-pressed") == "true"
    assert len(figure.find_elements("css selector", ".scatterlayer .trace")) == 4


def test_curves_over_each_other_can_have_a_panel_each(page: Page, swept: Path) -> None:
    page.open(swept)
    figure = page.find("figure.figure")[0]
    page.draw(figure)
    button = figure.find_element("css selector", "[data-do=split]")
    button.click()

    def panels() -> int:
        return len(figure.find_elements("css selector", ".cartesianlayer > .subplot"))

    page.wait("each curve has a panel", lambda: panels() == 3)
    titles = [text.text for text in figure.find_elements("css selector", ".annotation-text")]
    assert {"Alpha", "Beta", "Gamma"} <= set(titles)
    # The level is drawn in each of them.
    assert len(figure.find_elements("css selector", ".scatterlayer .trace")) == 3 * 2 + 3 * 2 + 1
    button.click()
    page.wait("they lie over each other again", lambda: panels() == 1)


SAVED = (
    "window.saved = []; HTMLAnchorElement.prototype.click ="
    " function () { window.saved.push([this.download, this.href]); };"
)


@pytest.mark.parametrize(
    ("what", "start"), [("png", "data:image/png"), ("svg", "data:image/svg"), ("csv", "blob:")]
)
@pytest.mark.parametrize(("of", "name"), [("figure", "queue"), (".card", "loss"), (".plane", "")])
def test_figures_can_be_taken_away(
    page: Page, kinds: dict[str, Path], what: str, start: str, of: str, name: str
) -> None:
    page.open(kinds["characterisation" if of == ".plane" else "study alone"])
    page.run(SAVED)
    button = page.find(f"{of} [data-do={what}]")[0]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    ((file, url),) = page.wait("a file is offered", lambda: page.run("return window.saved"))
    stem = f"synthetic-table-1-{name}" if name else "study-aqm-rfc7928-5.1.1-plane-1"
    assert file == f"{stem}.{what}"
    assert url.startswith(start)
    assert page.errors() == []


@pytest.mark.parametrize("number", range(3))
def test_the_page_and_the_library_write_the_same_table(page: Page, report: Path, number: int) -> None:
    """Those of long series the page makes itself."""
    page.open(report)
    figure = [one for one in ackclock.figures(table_study()) if one.chart.kind == "time"][number]
    page.run(
        SAVED
        + "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.csv = text; }); return 'blob:x'; };"
    )
    button = page.find("figure [data-do=csv]")[number]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    text = page.wait("the table is there", lambda: page.run("return window.csv"))
    ours, theirs = (
        pl.read_csv(io.StringIO(one), infer_schema_length=None) for one in (csv(figure.chart), text)
    )
    assert theirs.equals(ours)


@pytest.mark.parametrize("of", ["figure", ".card"])
def test_a_figure_is_printed_alone_on_a_page_of_its_size(page: Page, report: Path, of: str) -> None:
    page.open(report)
    page.run("window.print = () => { window.asked = document.title; }")
    button = page.find(f"{of} [data-do=pdf]")[0]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    title = page.wait("it is printed", lambda: page.run("return window.asked"))
    assert title.startswith("synthetic-table-1-")
    printed = page.command("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    pdf = base64.b64decode(printed["data"])
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
    # 1200 px at 96 px an inch are 900 points.
    (width,) = {float(found) for found in re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ", pdf)}
    assert width == pytest.approx(900, abs=1)
    # Text, in fonts: not a picture of text.
    assert b"/FontFile2" in pdf
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run("return document.documentElement.dataset.printing") is None
    assert page.errors() == []


def test_the_command_can_be_copied(page: Page, report: Path) -> None:
    page.open(report)
    page.command(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    button = page.find("button.copy")[0]
    page.run("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    page.wait("the button says so", lambda: button.text == "Copied")
    copied = page.driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], arguments[0])"
    )
    assert copied == "ackclock reproduce synthetic"
    page.wait("it can be pressed again", lambda: button.text == "Copy")


def test_copying_works_where_the_clipboard_is_not_given(page: Page, report: Path) -> None:
    page.open(report)
    page.run(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.execCommand = () => { window.selected = getSelection().toString()"
        " || document.activeElement.value; return true; };"
    )
    button = page.find("button.copy")[0]
    button.click()
    page.wait("the button says so", lambda: button.text == "Copied")
    assert page.run("return window.selected") == "ackclock reproduce synthetic"


def test_the_index_finds_studies_and_claims(page: Page, folder: Path) -> None:
    page.open(folder / "index.html", (1440, 900))

    def lines() -> int:
        return len(page.find("#index .line:not([hidden])"))

    def claims() -> int:
        return len(page.find("#index .line:not([hidden]) .found[open] li:not([hidden])"))

    (find,), (shown,) = page.find("#find"), page.find("#shown")
    assert lines() == 40
    find.send_keys("nobody figure 7")
    # The study itself is meant: its claims stay folded.
    assert (lines(), claims()) == (1, 0)
    find.clear()
    find.send_keys("71 % below")
    assert (lines(), claims()) == (1, 1)
    assert shown.text == "1 of 40 studies, 1 claim"
    find.clear()
    find.send_keys("no such words")
    assert lines() == 0
    assert page.find("#nothing")[0].is_displayed()
    find.clear()
    find.send_keys(" ")
    page.find("#system option")[-1].click()
    assert page.find("#system option")[-1].text == "gamma"
    assert lines() == 1
    page.find("#system option")[0].click()
    page.find("[data-show='not reproduced']")[0].click()
    wanted = sum(claim.verdict == "not reproduced" for study in many_studies() for claim in study.claims)
    assert claims() == wanted
    page.find("#index .line:not([hidden]) .found li:not([hidden]) a")[0].click()
    page.wait("the claim is there", lambda: page.find(".claim:target"))
    assert page.errors() == []


def test_the_pages_of_a_folder_lead_to_each_other(page: Page, folder: Path) -> None:
    page.open(folder / "index.html")
    page.find("#index .line a")[0].click()
    page.wait("the first study is there", lambda: "table-1" in page.driver.current_url)
    page.find("[rel=next]")[0].click()
    page.wait("the next one is there", lambda: "figure-2" in page.driver.current_url)
    page.find(".crumbs a")[-1].click()
    page.wait("its thesis is there", lambda: page.driver.current_url.endswith("/synthetic.html"))
    assert page.errors() == []


def test_paper_shows_everything(page: Page, report: Path) -> None:
    page.open(report, theme="dark")
    page.wait("the library is there", lambda: page.run("return Boolean(window.Plotly)"))
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert background(page) == BACK["light"]
    assert len(page.find(".plot .main-svg")) >= 3
    assert not page.find("details.fold:not([open])")
    page.run("dispatchEvent(new Event('afterprint'))")
    assert background(page) == BACK["dark"]
    assert page.find("details.fold:not([open])")
    assert page.errors() == []


def test_without_script_the_tables_are_there(page: Page, report: Path) -> None:
    page.command("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.driver.get(report.as_uri())
        assert page.find("noscript .notice")
        assert len(page.find(".claim")) == 5
        assert len(page.find("table.results")) == 1
    finally:
        page.command("Emulation.setScriptExecutionDisabled", {"value": False})
