"""A report in a window of a real browser, for the tests beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from chromium import eventually, forget
from selenium import webdriver
from selenium.webdriver.remote.webelement import WebElement

PHONE = (390, 844)
DESKTOP = (1280, 900)
BACK = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}
"""Of each theme."""
LIMITS = '"dumbbell.bottleneck.queue.limit" = ["10 packets", "40 packets", "80 packets"]'
RATES = '"dumbbell.bottleneck.rate" = ["5 Mbit/s", "10 Mbit/s"]'


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
        forget(self.driver)
        self.driver.get(path.as_uri())

    def command(self, name: str, arguments: dict[str, Any]) -> Any:
        return self.driver.execute_cdp_cmd(name, arguments)

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What the log has gained since it was last read."""
        # Selenium gives this method no types.
        return list(self.driver.get_log(kind))  # type: ignore[no-untyped-call]

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements("css selector", selector)

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        return eventually(self.driver, what, condition, lambda: f"the page is {self.driver.title!r}")

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
        """Draw every figure that is not folded."""
        figures = [
            figure
            for figure in self.find("figure.figure")
            if figure.find_elements("css selector", ".plot") and figure.is_displayed()
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


def background(page: Page) -> str:
    found: str = page.run("return getComputedStyle(document.body).backgroundColor")
    return found
