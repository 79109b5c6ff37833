"""Reads lessons from files of users, in the format of the package's lessons, and reports every mistake."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._files import is_there, read_text
from ackclock._names import nearest
from ackclock.errors import InputError, ScenarioError
from ackclock.experiment.expression import ExpressionError, parsed
from ackclock.experiment.model import Setting
from ackclock.experiment.sample_words import SampleWords
from ackclock.lessons import Lesson, Words
from ackclock.scenario import Scenario
from ackclock.study.dry_run import unmeasurable
from ackclock.study.kind import LESSON
from ackclock.study.mistakes import rendered
from ackclock.study.placed import not_toml, placed
from ackclock.study.synthetic import Names, run_of

MOST_PACKETS = 3_000_000
"""The largest number of packets that a page simulates without confirmation, as in the page's ``runner.js``."""


def read_lesson(file: Path, scenario: Path | None = None) -> Lesson:
    """Returns the lesson in a file; its scenario is by default the file beside it, without ``.lesson`` in its name.

    Nothing is simulated: paths, values and expressions are tried on the scenario. InputError lists every mistake, with
    file, line and column.
    """
    name = file.name.removesuffix(LESSON).removesuffix(".toml")
    text = read_text(file, "a lesson file", f"*{LESSON}")
    if scenario is None:
        scenario = file.with_name(f"{name}.toml")
        if scenario == file or not is_there(scenario):
            raise InputError(
                f"{file}: its scenario {scenario} does not exist; create it, or give the path of another scenario: "
                f"`ackclock lab SCENARIO --lesson {file}`"
                if scenario != file
                else f"{file}: expected a lesson file, whose name ends in {LESSON}"
            )
    try:
        return _read(text, str(file), name, Scenario.from_file(scenario))
    except toml.TOMLDecodeError as error:
        raise not_toml(text, str(file), error) from None
    except ScenarioError:
        raise
    except InputError as error:
        raise InputError(placed(str(error), text, str(file))) from None


def _read(text: str, file: str, name: str, scenario: Scenario) -> Lesson:
    document = toml.loads(text)
    if "duration" in document:
        raise InputError(f"{file}: is a scenario, expected a lesson file")
    try:
        words = Words.model_validate(document)
    except pydantic.ValidationError as error:
        raise InputError(rendered(error, Words, document, file)) from None
    if problems := [*_doubled(words)]:
        raise InputError("\n".join(f"{file}: {problem}" for problem in problems))
    try:
        # The document again: completing the variants must not change what messages quote.
        lesson = Lesson.model_validate({**toml.loads(text), "name": name, "scenario": scenario.text})
    except pydantic.ValidationError as error:
        raise InputError(rendered(error, Lesson, document, file)) from None
    if problems := [*_wrong_values(lesson, scenario)] or [*_wrong_expressions(lesson, scenario)]:
        raise InputError("\n".join(f"{file}: {problem}" for problem in problems))
    return lesson


def _doubled(words: Words) -> list[str]:
    """Returns a message for each repeated label of a variant and each repeated id of a measure."""
    lists = {"try": [one.label for one in words.variants], "measure": [one.id for one in words.measures]}
    return [
        f'{key}[{place + 1}] ("{name}"): the name "{name}" is used twice, expected unique names'
        for key, names in lists.items()
        for place, name in enumerate(names)
        if name in names[:place]
    ]


def _wrong_values(lesson: Lesson, scenario: Scenario) -> list[str]:
    """Returns a message for each variant that the simulator refuses, or that sends too many packets for a page."""
    problems = []
    for number, variant in enumerate(lesson.variants, start=1):
        place = f'try[{number}] ("{variant.label}")'
        try:
            described = scenario.with_overrides(variant.set).describe()
        except ScenarioError as error:
            problems += [f"{place}.set: {one}" for one in _messages(error, variant.set)]
            continue
        if (packets := described["expected_packets"]) > MOST_PACKETS:
            problems.append(
                f"{place}: the variant sends about {packets:.2g} packets, expected at most {MOST_PACKETS:.0g}; above "
                "this number, the page asks for confirmation before a run"
            )
    return problems


def _messages(error: ScenarioError, values: dict[str, Any]) -> list[str]:
    """Returns the core's messages with the paths of a variant, by which ``placed`` finds their lines."""
    messages = []
    for one in error.diagnostics:
        steps = str(one["path"]).split(".")
        # The core names a group by its index.
        path = next((path for path in values if _agree(path.split("."), steps)), "")
        message = str(one["message"]).partition(": ")[2]
        messages.append(f'"{path}": {message}' if path else str(one["message"]))
    return messages


def _agree(path: list[str], steps: list[str]) -> bool:
    return len(path) <= len(steps) and all(
        mine == other or other.isdigit() for mine, other in zip(path, steps, strict=False)
    )


def _wrong_expressions(lesson: Lesson, scenario: Scenario) -> list[str]:
    """Returns a message for each measure and check that cannot be computed, found with synthetic numbers."""
    runs = [(variant.set, True) for variant in lesson.variants]
    outlines = [
        one for one in core.outlines(scenario.text, scenario.file, runs) if not isinstance(one, ScenarioError)
    ]
    measures = [
        (f'measure[{number}] ("{one.id}").expr', one.expr)
        for number, one in enumerate(lesson.measures, start=1)
    ]
    problems = [
        problem for outline in outlines for problem in unmeasurable(measures, run_of(Names.of(outline)))
    ]
    series = list(dict.fromkeys(path for outline in outlines for path in outline["series"]))
    if not any(fnmatch.fnmatchcase(path, lesson.figure) for path in series):
        near = nearest(lesson.figure, series)
        problems.append(
            f'figure: found "{lesson.figure}", expected a pattern that matches a series of the scenario{near}'
        )
    numbers = np.random.default_rng(1)
    synthetic = {
        one.id: {variant.label: numbers.uniform(1, 2, 2) for variant in lesson.variants}
        for one in lesson.measures
    }
    words = SampleWords(synthetic, [Setting(variant.label) for variant in lesson.variants])
    for number, check in enumerate(lesson.checks, start=1):
        try:
            parsed(check.holds).truth(words)
        except ExpressionError as error:
            problems.append(f"check[{number}].holds: {error}")
    return list(dict.fromkeys(problems))
