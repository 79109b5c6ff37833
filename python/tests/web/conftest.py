"""A page with the engine in it, in a real browser without a network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import forget, offline_chromium
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.support.ui import WebDriverWait

from ackclock.report.page import script_json
from ackclock.web.bundle import bundle
from ackclock.web.module import MODULE, packed_module
from ackclock.web.page import Opening, content_policy, write_lab

from .lab_page import DUEL, Lab

Ask = Callable[..., Any]

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Test</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="{policy}"></head><body>
<script type="application/json" id="given">{given}</script>
<script type="text/plain" id="module">{module}</script>
<script>{script}</script></body></html>
"""


@pytest.fixture(scope="session")
def module() -> Path:
    """The module, where it was built: where Rust has not the target, `make wasm` says so and all else is tested."""
    if not MODULE.exists():
        pytest.skip(
            "there is no python/ackclock/web/ackclock.wasm: `make wasm` builds it, or says what is missing"
        )
    return MODULE


@pytest.fixture(scope="module")
def ask(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Run the body of an async function on the page, with `lab` and `given`; what it returns, comes back."""
    assert module.exists()
    folder = tmp_path_factory.mktemp("engine")
    script = bundle(Path(__file__).with_name("engine_page.js"))
    page = folder / "page.html"
    text = _PAGE.format(
        policy=content_policy(script), given=script_json({}), module=packed_module(), script=script
    )
    page.write_text(text, encoding="utf-8", newline="\n")
    with offline_chromium(folder / "profile") as driver:
        driver.set_script_timeout(60)
        driver.get(page.as_uri())
        begun = "return globalThis.failed || (globalThis.lab ? 'ready' : '')"
        try:
            outcome = WebDriverWait(driver, 30, 0.02).until(lambda _: driver.execute_script(begun))
        except TimeoutException:
            pytest.fail(f"the engine does not start; the console says {driver.get_log('browser')}")
        assert outcome == "ready", outcome

        def ask(body: str, given: Any = None) -> Any:
            answer = driver.execute_async_script(
                "const [given, done] = arguments; (async () => {"
                + body
                + "})().then(value => done(JSON.stringify({ value: value ?? null })), "
                "error => done(JSON.stringify({ failed: String(error.stack || error) })));",
                given,
            )
            told = json.loads(answer)
            assert "failed" not in told, told["failed"]
            return told["value"]

        yield ask
        worse = [line for line in driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        assert worse == []


@pytest.fixture(scope="session")
def lab_file(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laboratory's page, which opens with ``DUEL``."""
    assert module.exists()
    return write_lab(tmp_path_factory.mktemp("lab") / "lab.html", Opening(scenario=DUEL))


@pytest.fixture(scope="session")
def browser(module: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser, which the tests of all modules use in turn: ``window`` is what a test may have of it."""
    assert module.exists()
    with offline_chromium(tmp_path_factory.mktemp("browser") / "profile") as driver:
        driver.set_script_timeout(30)
        yield driver


@pytest.fixture
def window(browser: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    """A browser that has forgotten everything. Nothing may be wrong on the console, or be asked of a network."""
    forget(browser)
    for log in ("browser", "performance"):
        browser.get_log(log)
    yield browser
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


@pytest.fixture
def lab(window: webdriver.Chrome, lab_file: Path) -> Lab:
    """The laboratory's page, just opened."""
    lab = Lab(window, lab_file)
    lab.open()
    return lab
