"""The laboratory's page in a real browser without a network, as tests drive it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chromium import eventually
from selenium import webdriver
from selenium.webdriver.remote.webelement import WebElement

PHONE, DESKTOP = (390, 844), (1440, 900)

MOST_BYTES = 1_150_000
"""The size of the page is below this: it has 1.10 MB, most of it the module of the simulator, compressed."""
DUEL = """\
# who gets how much?
name = "Duel"
duration = "20 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "100 packets" } } # the link
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
control = "cubic"

[[flows]]
control = "newreno"
start = "1 s"
"""
LONG = DUEL.replace("20 s", "1000 s").replace("10 Mbit/s", "30 Mbit/s")
"""It runs for more than a moment, but not so long that the page asks first, as it does about ``HUGE``."""
HUGE = DUEL.replace('"10 Mbit/s"', '"10 Gbit/s"').replace('"100 Mbit/s"', '"100 Gbit/s"')


class Lab:
    """The page in a window."""

    def __init__(self, driver: webdriver.Chrome, page: Path) -> None:
        self.driver = driver
        self.page = page

    def open(self, size: tuple[int, int] = DESKTOP, theme: str = "light", link: str | None = None) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get("about:blank")
        self.driver.get(link or self.page.as_uri())
        self.finished()

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements("css selector", selector)

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        return eventually(self.driver, what, condition, self.status)

    def status(self) -> str:
        return str(
            self.run(
                "return `${document.body.dataset.status}: ${document.getElementById('status').textContent}`"
            )
        )

    def reach(self, status: str) -> None:
        self.wait(status, lambda: self.run("return document.body.dataset.status") == status)

    def finished(self) -> None:
        """The run of what the page holds now is over."""
        done = (
            "const { state, board } = globalThis.ackclock ?? {};"
            "return document.body.dataset.status === 'finished' && board?.a?.result && state.shown === state.text"
        )
        self.wait("the run is over", lambda: self.run(done))

    def write(self, text: str) -> None:
        """Replace the text, as a user who pastes one."""
        script = (
            "const [area, text] = arguments; area.value = text;"
            "area.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        self.run(script, self.find("#text"), text)

    def text(self) -> str:
        return str(self.find("#text").get_property("value"))

    def curve(self) -> str:
        return str(self.find("#figure").get_attribute("innerHTML"))

    def result(self) -> Any:
        return json.loads(self.run("return JSON.stringify(globalThis.ackclock.board.a.result)"))

    def slider(self, path: str) -> WebElement:
        return self.find(f'input[type="range"][data-path="{path}"]')

    def click(self, selector: str) -> None:
        """Click what may have to be scrolled to, behind the bar at the top."""
        self.run("arguments[0].scrollIntoView({ block: 'center' })", self.find(selector))
        self.find(selector).click()

    def choose(self, element: str) -> None:
        """Choose what is drawn in the picture."""
        selector = f'[data-id="{element}"]'
        self.find(selector)
        # Found again in the page: the picture may be drawn anew in between.
        self.run(
            "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true }))",
            selector,
        )
