"""A browser without a window and without a network, for the tests of pages."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def program(*names: str) -> str:
    """The first of the programs that is installed; a missing browser is a failure, as these tests say nothing then."""
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.fail(
        f"{names[0]} is not installed (on Debian: apt-get install chromium chromium-driver)", pytrace=False
    )


@contextmanager
def offline_chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """Chromium with an empty profile. It logs the console and what is asked of the network, which fails."""
    options = Options()
    options.binary_location = program("chromium", "chromium-browser", "google-chrome")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=Service(program("chromedriver", "chromium.chromedriver"))
    )
    try:
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd(
            "Network.emulateNetworkConditions",
            {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
        )
        yield driver
    finally:
        driver.quit()


def forget(driver: webdriver.Chrome) -> None:
    """Forgets what pages have stored, such as the theme that a test chose."""
    # All files have one origin.
    driver.execute_cdp_cmd(
        "Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "local_storage"}
    )


def eventually(
    driver: webdriver.Chrome, what: str, condition: Callable[[], Any], status: Callable[[], str]
) -> Any:
    """What the condition gives once it is true; a failure that says what the page shows after 20 s without."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    pytest.fail(f"not within 20 s: {what}; {status()}; the console says {driver.get_log('browser')}")
