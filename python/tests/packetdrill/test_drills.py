"""Our own drills: each passes, and each fails when the detail that it names is broken."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ackclock.packetdrill import Choices, Verdict, drill

DRILLS = Path(__file__).parent / "drills"
FAILS_WITH = re.compile(r"^// fails with: (.*)$", re.MULTILINE)
NAMES = sorted(str(path.relative_to(DRILLS).with_suffix("")) for path in DRILLS.rglob("*.pkt"))


def path_of(name: str) -> Path:
    return DRILLS / f"{name}.pkt"


@pytest.mark.parametrize("name", NAMES)
def test_a_drill_passes(name: str) -> None:
    outcome = drill(path_of(name))
    assert outcome.verdict is Verdict.PASSED, f"{outcome.file}:{outcome.line}: {outcome.reason}"


@pytest.mark.parametrize("name", NAMES)
def test_a_drill_fails_with_what_it_names(name: str) -> None:
    broken = FAILS_WITH.findall(path_of(name).read_text())
    assert broken, f"{name} names nothing with which it fails"
    for arguments in broken:
        outcome = drill(path_of(name), Choices.of(shlex.split(arguments), name))
        assert outcome.verdict is Verdict.DIFFERENCE, f"{name} passes with {arguments}"


def test_the_drills_are_found() -> None:
    assert len(NAMES) >= 40


def test_the_script_of_the_documentation_passes() -> None:
    examples = Path(__file__).parents[3] / "docs" / "examples"
    assert drill(examples / "fast-retransmit.pkt").verdict is Verdict.PASSED
