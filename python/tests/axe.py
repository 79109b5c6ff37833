"""What axe-core finds on a page: https://github.com/dequelabs/axe-core, as the package axe-core-python brings it."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path

import pytest
from selenium import webdriver

SERIOUS = ("serious", "critical")
RUN = """
const done = arguments[arguments.length - 1];
// Of what passes, which is most of a page, nothing is told.
axe.run(document, { resultTypes: ["violations"] }).then(
  ({ violations }) => done(JSON.stringify(violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html]))),
  (error) => done(JSON.stringify([["failed", "critical", String(error)]])),
);
"""


def violations(driver: webdriver.Chrome) -> list[list[str]]:
    """The serious violations on the page as it is: the rule, its impact, and the first element that violates it."""
    driver.execute_script(script())  # type: ignore[no-untyped-call]  # Selenium gives it no types
    driver.set_script_timeout(60)
    found = json.loads(driver.execute_async_script(RUN))  # type: ignore[no-untyped-call]  # Selenium gives it no types
    return [one for one in found if one[1] in SERIOUS]


@cache
def script() -> str:
    """The text of axe-core."""
    spec = importlib.util.find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-core-python is not installed: requirements-dev.txt pins it")
    return Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8")
