"""Every kind of page in Firefox, where it is installed: axe-core finds no serious violation, and no error is logged."""

from __future__ import annotations

from pathlib import Path

import pytest
from firefox import offline_firefox

from .browser import DESKTOP

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_axe_finds_no_serious_violation(kinds: dict[str, Path], tmp_path: Path) -> None:
    found = {}
    with offline_firefox(tmp_path / "profile") as firefox:
        for kind, path in kinds.items():
            firefox.open(path, DESKTOP)
            if worse := firefox.violations():
                found[kind] = worse
        assert firefox.errors == []
    assert found == {}
