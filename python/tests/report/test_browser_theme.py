"""The page in a real browser, light and dark, on paper and without script."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.remote.webelement import WebElement

from .browser import BACK, Page, background

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_the_systems_until_one_is_chosen(page: Page, report: Path, theme: str) -> None:
    page.open(report, theme=theme)
    other = "dark" if theme == "light" else "light"
    figure = page.find("figure.figure")[0]
    page.draw(figure)
    (button,) = page.find("#theme")
    assert (background(page), button.text) == (BACK[theme], f"{other.capitalize()} colours")
    assert paper(page, figure) == BACK[theme]
    button.click()
    assert (background(page), button.text) == (BACK[other], f"{theme.capitalize()} colours")
    page.wait("the figure follows", lambda: paper(page, figure) == BACK[other])
    page.driver.refresh()
    assert background(page) == BACK[other], "the choice is remembered"


def paper(page: Page, figure: WebElement) -> str:
    """The background that Plotly painted."""
    found: str = page.run(
        "return getComputedStyle(arguments[0].querySelector('.main-svg')).backgroundColor", figure
    )
    return found


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
