"""The first hour of newcomers: `scripts/first-hour` runs it, and notices what does not come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import script

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def first_hour() -> Any:
    return script("first-hour")


@pytest.mark.nightly
@pytest.mark.parametrize("who", ["student", "engineer", "professor", "author", "reader"])
def test_the_first_hour_of_a_newcomer(who: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "first-hour"), who]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{who}: ")


def test_what_does_not_come_out_is_named(first_hour: Any, tmp_path: Path) -> None:
    step = first_hour.Step
    assert first_hour.problem(step("list controls", ["cubic"]), tmp_path) == ""
    assert "without no such text" in first_hour.problem(step("list controls", ["no such text"]), tmp_path)
    assert "without *.html" in first_hour.problem(step("list controls", files=["*.html"]), tmp_path)
    assert "exit code 0 in place of 1" in first_hour.problem(step("list controls", code=1), tmp_path)
