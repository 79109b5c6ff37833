"""The stub of the compiled core says what the compiled core has."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_stub_agrees_with_the_module() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "ackclock._core", "--ignore-missing-stub", "--concise"]
    root = Path(__file__).parents[2]
    outcome = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
