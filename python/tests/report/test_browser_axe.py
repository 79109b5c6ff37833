"""Every kind of page as axe-core sees it: no serious violation, in either theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe import violations

from .browser import DESKTOP, PHONE, Page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("theme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_axe_finds_no_serious_violation(
    page: Page, kinds: dict[str, Path], theme: str, size: tuple[int, int]
) -> None:
    found = {}
    for kind, path in kinds.items():
        page.open(path, size, theme)
        page.draw_all()
        if worse := violations(page.driver):
            found[kind] = worse
    assert found == {}
