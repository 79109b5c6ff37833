"""Reads the scenario argument of a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock.errors import InputError, ScenarioError

if TYPE_CHECKING:
    from ackclock.scenario import Scenario


SEAT = "tested"
"""The group of flows that a control given on the command line takes, as in the files of searches and evaluations."""


def read_scenario(file: Path, overrides: Mapping[str, Any], control: str | None = None) -> Scenario:
    """Returns the scenario in the file or in standard input, with a control, which may be a file in Python, in the
    flows called "tested". InputError says what is wrong with it, or that it is a study.
    """
    from ackclock._files import STANDARD_INPUT, read_text
    from ackclock.scenario import Scenario

    text = read_text(file)
    name = "standard input" if file == STANDARD_INPUT else str(file)
    try:
        if control is None:
            return Scenario.from_text(text, overrides, file=name)
        from ackclock.evaluation.contenders import contender

        tested = contender(control)
        flows = {flow.get("name") for flow in _document(text).get("flows", ())}
        if SEAT not in flows:
            raise InputError(
                f'{name}: --control sets the control of the flows called "{SEAT}", and there are none'
            )
        own = {**tested.overrides([SEAT]), **overrides}
        return Scenario.from_text(text, own, file=name, controls=tested.classes)
    except ScenarioError:
        _refuse_study(file, text)
        raise


def _document(text: str) -> Mapping[str, Any]:
    """Returns the document in ``text``; an empty one where it is no TOML, which the core says better."""
    from ackclock import _toml as toml

    try:
        return toml.loads(text)
    except toml.TOMLDecodeError:
        return {"flows": [{"name": SEAT}]}


def _refuse_study(file: Path, text: str) -> None:
    """Raises InputError when the file is a study, whose keys mean nothing in a scenario."""
    from ackclock.study.kind import looks_like_study

    if looks_like_study(text):
        raise InputError(f"{file}: is a study, not a scenario; `ackclock reproduce {file}` runs it") from None
