"""Reads the scenario argument of a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.errors import InputError, ScenarioError

if TYPE_CHECKING:
    from ackclock.scenario import Scenario


def read_scenario(file: Path, overrides: Mapping[str, Any]) -> Scenario:
    """Returns the scenario in the file or in standard input. InputError says what is wrong with it, or that it is a
    study.
    """
    from ackclock._files import STANDARD_INPUT, read_text
    from ackclock.scenario import Scenario

    text = read_text(file)
    try:
        return Scenario.from_text(
            text, overrides, file="standard input" if file == STANDARD_INPUT else str(file)
        )
    except ScenarioError:
        _refuse_study(file, text)
        raise


def _refuse_study(file: Path, text: str) -> None:
    """Raises InputError when the file is a study, whose keys mean nothing in a scenario."""
    from ackclock.study.kind import looks_like_study

    if looks_like_study(text):
        raise InputError(f"{file}: is a study, not a scenario; `ackclock reproduce {file}` runs it") from None
