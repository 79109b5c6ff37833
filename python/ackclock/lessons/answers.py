"""Reads the file in which a student answers a lesson, as the laboratory page saves it, and checks it for edits.

The file has the student's text, the scenario when the answer was saved, and each variant that was run with its results.
Marking repeats the runs: the simulator returns equal numbers on all machines, so edited results are found. The texts
have a checksum, which detects an edit but is not a signature: a student who can program can forge it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import pydantic
from pydantic import Field

from ackclock import _typed_core as core
from ackclock._files import read_text
from ackclock.errors import AckclockError, InputError, ScenarioError
from ackclock.experiment.model import Table
from ackclock.study.mistakes import rendered

FORMAT = "ackclock answer 1"
"""The name and version of the file format, as the page's ``answers.js`` writes them."""
MOST_PACKETS = 10_000_000
"""The largest number of packets that the repeated runs of one answer may send: a few seconds of computing time.

A limit is needed because students can edit the file.
"""


class Ran(Table):
    """A scenario that a student ran."""

    scenario: str = Field(description="text of the scenario file that the student ran")
    results: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=10,
        description="one result for each seed, without time series; `ackclock schema --of run` lists the fields of a "
        "result",
    )


class Answer(Table):
    """The contents of an answer file."""

    format: Literal["ackclock answer 1"] = Field(description="name and version of the file format")
    version: str = Field(description="version of the simulator in the page")
    lesson: str = Field(description="name of the lesson")
    student: str = Field(description="name that the student entered")
    answer: str = Field(description='text that the student wrote in the field "What do you find, and why?"')
    scenario: str = Field(
        description="text of the scenario file when the answer was saved; the student may have edited the text after "
        "the last run"
    )
    runs: list[Ran] = Field(
        max_length=50,
        description="runs, oldest first: for each variant of the lesson, the last run of the unchanged variant and the "
        "last run with further changes by the student; and the last run whose scenario has the values of no variant",
    )
    checksum: str = Field(
        description="64-bit FNV-1a hash of the file's texts (not its results), in hexadecimal digits; detects edits, "
        "but is not a signature"
    )

    def texts(self) -> str:
        """Returns all texts of the file as one JSON array, whose checksum the file has. ``answers.js`` of the page
        builds this array with JSON.stringify.
        """
        parts = [self.format, self.version, self.lesson, self.student, self.answer, self.scenario]
        parts += [one.scenario for one in self.runs]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


class AnswerError(InputError):
    """A file that is no answer to the lesson, or that was changed after the page saved it."""


@dataclass(frozen=True)
class Repeated:
    """A run of a student, repeated."""

    scenario: str
    results: Sequence[Mapping[str, Any]]
    """The results of the repeated runs with their time series, one for each seed."""


def read_answer(file: Path) -> Answer:
    """Returns the answer in a file. AnswerError says in one line what is wrong, without the file's name."""
    try:
        document = json.loads(read_text(file, "an answer", "*.json"))
    except json.JSONDecodeError as error:
        raise AnswerError(
            f"line {error.lineno}, column {error.colno}: {error.msg}, expected the JSON that the page saves"
        ) from None
    except RecursionError:
        raise AnswerError(
            "found lists or tables nested too deeply, expected the JSON that the page saves"
        ) from None
    except InputError as error:
        raise AnswerError(str(error).removeprefix(f"{file}:").strip()) from None
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        what = "no format" if found is None else f"the format {json.dumps(found)[:40]}"
        raise AnswerError(
            f'found {what}, expected "{FORMAT}", the format in which the laboratory page saves answers'
        )
    try:
        return Answer.model_validate(document)
    except pydantic.ValidationError as error:
        first = rendered(error, Answer, document, "").split("\n")[0]
        raise AnswerError(f"edited: {first.removeprefix(': ')}") from None


def repeated(answer: Answer) -> list[Repeated]:
    """Returns the repeated runs of an answer.

    AnswerError if a text was changed after the page saved it, or if a repeated run has other results than the file.
    """
    if answer.checksum != checksum(answer.texts()):
        raise AnswerError("edited: a text in the file was changed after the page saved it")
    described = [_described(number, ran) for number, ran in enumerate(answer.runs, start=1)]
    packets = sum(
        one["expected_packets"] * len(ran.results) for one, ran in zip(described, answer.runs, strict=True)
    )
    if packets > MOST_PACKETS:
        raise AnswerError(
            f"runs not repeated: they send about {packets:.2g} packets in total, expected at most {MOST_PACKETS:.0g}"
        )
    return [_repeated(number, ran) for number, ran in enumerate(answer.runs, start=1)]


def checksum(text: str) -> str:
    """Returns the 64-bit FNV-1a hash of a text's UTF-8 bytes, in hexadecimal digits."""
    value = 0xCBF29CE484222325
    for byte in text.encode(errors="replace"):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def _described(number: int, ran: Ran) -> Mapping[str, Any]:
    try:
        # Files that the text names are not read: a text has the files that the page had.
        return core.describe(ran.scenario, f"run {number}", {})
    except ScenarioError as error:
        raise AnswerError(f"edited: {str(error).splitlines()[0]}") from None


def _repeated(number: int, ran: Ran) -> Repeated:
    results = []
    for told in ran.results:
        seed = told.get("seed")
        if not isinstance(seed, int) or not 0 <= seed < 2**53:
            raise AnswerError(
                f"edited: run {number}: found the seed {json.dumps(seed)[:40]}, expected a whole number from 0 to "
                "2^53 - 1"
            )
        try:
            result = _result(ran.scenario, seed)
        except AckclockError as error:
            raise AnswerError(f"run {number} cannot be repeated: {error}") from None
        if {key: value for key, value in result.items() if key != "series"} != told:
            if told.get("version") != result["version"]:
                raise AnswerError(
                    f"runs not repeated: the answer was saved with ackclock {str(told.get('version'))[:20]}, "
                    f"whose results differ from those of ackclock {result['version']}"
                )
            raise AnswerError(
                f"edited: run {number} with seed {seed} has results that differ from those of the repeated run"
            )
        results.append(result)
    return Repeated(ran.scenario, results)


@lru_cache(maxsize=500)
def _result(scenario: str, seed: int) -> Mapping[str, Any]:
    """Returns the result of a run. Cached, because all students run the same variants."""
    return core.run(scenario, "the scenario", {}, seed, True)
