"""The classroom: scenarios for learning, each with a question, what to change and what to look for.

A lesson is two files side by side: ``NAME.toml`` is a scenario, ``NAME.lesson.toml`` describes the
lesson. Its statements about what to look for are checked: ``outcome`` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator
from typing_extensions import Self

from ackclock import _toml as toml
from ackclock._files import read_text
from ackclock._named_files import as_written, with_files
from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.experiment.model import Criterion, Metric, Table

LESSONS = Path(__file__).parent
_ENDING = ".lesson.toml"


class Variant(Table):
    """A set of changes that are made at once: a button of the page."""

    label: str
    set: dict[str, Any]
    """The values by dotted path, as in ``--set``."""


class Check(Table):
    """A test of a statement, in the language of a study's claims."""

    look: int = Field(ge=1)
    """The number of the statement, from 1."""
    holds: str
    """A comparison over measures of variants: ``goodput('Reno') > 2 * goodput('CUBIC')``."""

    def criterion(self, look: Sequence[str]) -> Criterion:
        """Returns what the statement expects, one of ``look``."""
        return Criterion(look[self.look - 1], order=self.holds)


class Words(Table):
    """The contents of a ``.lesson.toml``."""

    order: int
    title: str
    question: str
    learn: str
    """What the reader will know, as the end of a sentence that begins with "You will learn"."""
    change: list[str] = Field(min_length=1)
    look: list[str] = Field(min_length=1)
    figure: str = "flows.*.cwnd_packets"
    """The series that a notebook draws, of every flow or link whose name matches."""
    variants: list[Variant] = Field(min_length=2, alias="try")
    measures: list[Metric] = Field(min_length=1, alias="measure")
    checks: list[Check] = Field(min_length=1, alias="check")

    @model_validator(mode="after")
    def _nothing_unchecked(self) -> Self:
        checked = {check.look for check in self.checks}
        stated = set(range(1, len(self.look) + 1))
        if checked != stated:
            odd = ", ".join(map(str, sorted(checked ^ stated)))
            raise ValueError(
                f"each statement of look has a check, and each check a statement: missing for {odd}"
            )
        return self


class Lesson(Words):
    """A lesson with its scenario."""

    name: str
    scenario: str
    """The scenario's text, including the files that it names."""

    @property
    def written(self) -> str:
        """Returns the scenario's text as it is in its file."""
        return as_written(self.scenario)

    @model_validator(mode="after")
    def _whole_variants(self) -> Self:
        """Completes each variant with the values that any other sets, taken from the file, because a button must
        undo the changes of the previous one.
        """
        paths = list(dict.fromkeys(path for variant in self.variants for path in variant.set))
        inside = [(a, b) for a in paths for b in paths if b.startswith(f"{a}.")]
        if inside:
            raise ValueError(
                f"{self.name}: one variant sets {inside[0][0]}, another {inside[0][1]} inside it"
            )
        document = toml.loads(self.scenario)
        for variant in self.variants:
            for path in paths:
                if path not in variant.set:
                    variant.set[path] = _value(document, path)
        return self

    def changed(self, variant: Variant) -> dict[str, Any]:
        """Returns the values of a variant that differ from the scenario's."""
        document = toml.loads(self.scenario)
        return {path: value for path, value in variant.set.items() if value != _value(document, path)}


def _value(document: dict[str, Any], path: str) -> Any:
    """Returns the value at a dotted path; ValueError if there is none. In a list, tables are found by their name."""
    value: Any = document
    for step in path.split("."):
        if isinstance(value, list):
            value = {table.get("name", str(place)): table for place, table in enumerate(value)}
        if not isinstance(value, dict) or step not in value:
            raise ValueError(
                f"a variant sets {path}, which the scenario does not have: write its default there"
            )
        value = value[step]
    return value


def names() -> list[str]:
    """Returns the names of the lessons, in alphabetical order; reads no file."""
    return sorted(file.name.removesuffix(_ENDING) for file in LESSONS.glob(f"*{_ENDING}"))


def lessons() -> list[Lesson]:
    """Returns all lessons, in their order."""
    return sorted(map(_read, names()), key=lambda lesson: (lesson.order, lesson.name))


def lesson(name: str) -> Lesson:
    """Returns the lesson of that name; InputError with the nearest correct name if there is none."""
    known = names()
    if name not in known:
        raise InputError(
            f'there is no lesson "{name}"{nearest(name, known)}\n`ackclock examples` shows all of them'
        )
    return _read(name)


def _read(name: str) -> Lesson:
    words = toml.loads(read_text(LESSONS / f"{name}{_ENDING}"))
    file = LESSONS / f"{name}.toml"
    return Lesson.model_validate({**words, "name": name, "scenario": with_files(read_text(file), str(file))})
