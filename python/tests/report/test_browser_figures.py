"""Figures in a real browser: what they show when they are pointed at, and how their panels are laid."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.remote.webelement import WebElement

from ackclock import Scenario
from ackclock._numbers import mean_and_spread
from ackclock.report import write_page
from ackclock.report.scenario_page import Origin, write_scenario_report
from ackclock.study.result import CaseResult

from .browser import DESKTOP, LIMITS, PHONE, RATES, Page
from .synthetic import DUEL, trade_off_study

pytestmark = pytest.mark.browser


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


@pytest.mark.parametrize(
    # A curve for each of two groups, and the same in a panel for each of two rates.
    ("sweep", "count"),
    [(LIMITS, 2), (f"{LIMITS}\n{RATES}", 4)],
)
def test_the_report_of_a_sweep(page: Page, tmp_path: Path, sweep: str, count: int) -> None:
    text = f"{DUEL}\n[sweep]\n{sweep}\n"
    runs = Scenario.from_text(text, {"duration": "1 s"}).run_many(replications=2)
    path = tmp_path / "sweep.html"
    page.open(write_scenario_report(runs, path, Origin("ackclock run sweep.toml", text, {})))
    (goodput,) = page.find("#sweep-figure-1")
    traces = ".scatterlayer .trace"
    page.wait("it is drawn", lambda: len(goodput.find_elements("css selector", traces)) == count)
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
