"""The classroom: scenarios for learning, each with a question, what to change and what to look for.

A lesson is two files side by side: ``NAME.toml`` is a scenario, ``NAME.lesson.toml`` describes the
lesson. Its statements about what to look for are checked: ``outcome`` runs the variants. ``files`` reads lessons of
users, ``answers`` and ``marking`` read the answers of students.
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
from ackclock.study.kind import LESSON

LESSONS = Path(__file__).parent


class Variant(Table):
    """The changes to the scenario that one button of the page makes."""

    label: str
    set: dict[str, Any]
    """The values that the variant sets in the scenario, by dotted path, as in ``--set``."""


class Check(Table):
    """A check of a statement, in the expression language of study claims."""

    look: int = Field(ge=1)
    """The number of the statement in ``look``, counted from 1."""
    holds: str
    """A comparison over measures of variants: ``goodput('Reno') > 2 * goodput('CUBIC')``."""

    def criterion(self, look: Sequence[str]) -> Criterion:
        """Returns the check as a criterion, with the text of its statement from ``look``."""
        return Criterion(look[self.look - 1], order=self.holds)


class Words(Table):
    """The contents of a ``.lesson.toml``."""

    order: int = 0
    """The number by which the lessons of the package are sorted."""
    title: str
    question: str
    learn: str
    """The end of a sentence that begins with "You will learn"."""
    change: list[str] = Field(min_length=1)
    look: list[str] = Field(min_length=1)
    figure: str = "flows.*.cwnd_packets"
    """The series that a notebook draws: a pattern of paths, which can match several flows or links."""
    variants: list[Variant] = Field(min_length=2, alias="try")
    measures: list[Metric] = Field(min_length=1, alias="measure")
    checks: list[Check] = Field(min_length=1, alias="check")

    @model_validator(mode="after")
    def _nothing_unchecked(self) -> Self:
        count = len(self.look)
        problems = [
            f"check[{number}].look: found {check.look}, expected the number of a statement in the lesson's list "
            f"`look`, from 1 to {count}"
            for number, check in enumerate(self.checks, start=1)
            if check.look > count
        ]
        checked = {check.look for check in self.checks}
        problems += [
            f"look[{number}]: has no check, expected a [[check]] with look = {number}"
            for number in range(1, count + 1)
            if number not in checked
        ]
        if problems:
            raise ValueError("\n".join(problems))
        return self


class Lesson(Words):
    """A lesson with its scenario."""

    name: str
    scenario: str
    """The scenario's text, including the contents of the files that it names."""

    @property
    def written(self) -> str:
        """Returns the scenario's text as it is in its file, without the contents of other files."""
        return as_written(self.scenario)

    @model_validator(mode="after")
    def _whole_variants(self) -> Self:
        """Adds the scenario's own value to each variant for every path that only other variants set, because a button
        must undo the changes of the previous one.
        """
        paths = list(dict.fromkeys(path for variant in self.variants for path in variant.set))
        for number, variant in enumerate(self.variants, start=1):
            for path in variant.set:
                if around := next((one for one in paths if path.startswith(f"{one}.")), None):
                    raise ValueError(
                        f'try[{number}] ("{variant.label}").set: "{path}" lies within "{around}", which a variant '
                        "also sets: set only one of the two"
                    )
        document = toml.loads(self.scenario)
        for number, variant in enumerate(self.variants, start=1):
            for path in variant.set:
                try:
                    _value(document, path)
                except LookupError as error:
                    raise ValueError(f'try[{number}] ("{variant.label}").set: {error}') from None
        for variant in self.variants:
            for path in paths:
                if path not in variant.set:
                    variant.set[path] = _value(document, path)
        return self

    def changed(self, variant: Variant) -> dict[str, Any]:
        """Returns the values of a variant that differ from those in the scenario, by dotted path."""
        document = toml.loads(self.scenario)
        return {path: value for path, value in variant.set.items() if value != _value(document, path)}

    def variant_within(self, scenario: str) -> Variant | None:
        """Returns the variant whose values a scenario's text has, whatever else was changed in it, or None."""
        document = _untitled(scenario)
        for variant in self.variants:
            try:
                values = {path: _value(document, path) for path in variant.set}
            except LookupError:
                continue
            if values == variant.set:
                return variant
        return None

    def differences(self, scenario: str, variant: Variant | None = None) -> list[str]:
        """Returns the changes from the lesson's scenario, or from one of its variants, to another text, such as
        ``flows.near.control = cubic``.
        """
        own = _untitled(self.scenario)
        for path, value in () if variant is None else variant.set.items():
            around, key = _place(own, path)
            around[key] = value
        mine, other = _leaves(own), _leaves(_untitled(scenario))
        changed = [f"{path} = {value}" for path, value in other.items() if mine.get(path) != value]
        return [*changed, *(f"without {path}" for path in mine if path not in other)]


def _untitled(scenario: str) -> dict[str, Any]:
    """Returns a scenario's document without its title, which changes no result, and with its seed, which is 1 where the
    text has none.
    """
    document = {"seed": 1, **toml.loads(scenario)}
    document.pop("name", None)
    return document


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Returns every value of a document that is neither a table nor a list of tables, by its dotted path."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        items = {str(one.get("name", place)): one for place, one in enumerate(value)}.items()
    else:
        return {path: value}
    return {
        inner: leaf
        for key, one in items
        for inner, leaf in _leaves(one, f"{path}.{key}" if path else key).items()
    }


def _value(document: dict[str, Any], path: str) -> Any:
    """Returns the value at a dotted path; LookupError if there is none."""
    around, key = _place(document, path)
    return around[key]


def _place(document: dict[str, Any], path: str) -> tuple[Any, Any]:
    """Returns the table or list around the value at a dotted path, and the value's key or index in it.

    In a list, tables are found by their name. LookupError with the nearest key if there is no such value.
    """
    around: Any = None
    key: Any = None
    value: Any = document
    for step in path.split("."):
        keys: dict[str, Any] = {}
        if isinstance(value, dict):
            keys = {name: name for name in value}
        elif isinstance(value, list):
            keys = {
                str(one.get("name", place) if isinstance(one, dict) else place): place
                for place, one in enumerate(value)
            }
        if step not in keys:
            near = nearest(step, keys) or "; write the value into the scenario, even if it is the default"
            raise LookupError(f'found "{path}", expected the path of a value that is in the scenario{near}')
        around, key = value, keys[step]
        value = around[key]
    return around, key


def names() -> list[str]:
    """Returns the names of the lessons, in alphabetical order; reads no file."""
    return sorted(file.name.removesuffix(LESSON) for file in LESSONS.glob(f"*{LESSON}"))


def lessons() -> list[Lesson]:
    """Returns all lessons of the package, sorted by their ``order``."""
    return sorted(map(_read, names()), key=lambda lesson: (lesson.order, lesson.name))


def lesson(name: str) -> Lesson:
    """Returns the lesson of that name; InputError with the nearest correct name if there is none."""
    known = names()
    if name not in known:
        raise InputError(
            f'there is no lesson "{name}"{nearest(name, known)}\n`ackclock examples` lists all lessons'
        )
    return _read(name)


def _read(name: str) -> Lesson:
    words = toml.loads(read_text(LESSONS / f"{name}{LESSON}"))
    file = LESSONS / f"{name}.toml"
    return Lesson.model_validate({**words, "name": name, "scenario": with_files(read_text(file), str(file))})
