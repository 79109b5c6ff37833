"""The classroom: scenarios to begin with, each with a question, what to change and what to look for.

A lesson is two files side by side: ``NAME.toml`` is a scenario like any other, ``NAME.lesson.toml`` says what it is
for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ackclock import toml
from ackclock.files import read_text
from ackclock.named_files import with_files

LESSONS = Path(__file__).parent
_ENDING = ".lesson.toml"


class Variant(BaseModel):
    """A change to make at once: in the page a button."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: str
    set: dict[str, Any]
    """Values by dotted path, as ``--set`` has them."""


class Words(BaseModel):
    """What a ``.lesson.toml`` has in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    order: int
    title: str
    question: str
    change: list[str] = Field(min_length=1)
    look: list[str] = Field(min_length=1)
    variants: list[Variant] = Field(default=[], alias="try")


class Lesson(Words):
    """A lesson with its scenario."""

    name: str
    scenario: str
    """The text, with the files that it names in it."""


def lessons() -> list[Lesson]:
    """All lessons, in their order."""
    found = [_read(file) for file in LESSONS.glob(f"*{_ENDING}")]
    return sorted(found, key=lambda lesson: (lesson.order, lesson.name))


def _read(file: Path) -> Lesson:
    name = file.name.removesuffix(_ENDING)
    scenario = file.with_name(f"{name}.toml")
    text = with_files(read_text(scenario), str(scenario))
    return Lesson.model_validate({**toml.loads(read_text(file)), "name": name, "scenario": text})
