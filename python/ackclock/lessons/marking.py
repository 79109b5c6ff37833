"""Marks the answers to a lesson in a folder: compares them with the outcome of the lesson's checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ackclock._files import is_there
from ackclock.errors import InputError
from ackclock.experiment.expression import Array, parsed
from ackclock.experiment.judge import judge
from ackclock.experiment.model import Finding, Result, Setting
from ackclock.experiment.run_words import RunWords, measure
from ackclock.experiment.sample_words import SampleWords
from ackclock.lessons import Check, Lesson
from ackclock.lessons.answers import Answer, AnswerError, Repeated, read_answer, repeated
from ackclock.lessons.outcome import Outcome, play

OWN = "own"
"""The label of a run whose scenario has the values of no variant of the lesson."""
UNCHANGED = "as saved"
NOT_RUN = "not run"
"""The result of a statement if the student has not run every variant that its checks compare, with equal other changes.
"""
WORDS = {
    Result.MET: "holds",
    Result.NOT_MET: "does not hold",
    Result.UNDECIDED: "undecided",
    Result.NOT_JUDGED: "undecided",
}


@dataclass(frozen=True)
class MarkedRun:
    """A run of a student."""

    label: str
    """The label of the variant that was run, or ``OWN``."""
    seeds: int
    measures: Mapping[str, float]
    """The mean of each measure over the seeds; nan if it cannot be computed."""
    changed: Sequence[str] = ()
    """The student's changes to the variant, or to the lesson's scenario if the label is ``OWN``."""


@dataclass(frozen=True)
class Marked:
    """The file with a student's answer."""

    file: str
    """The path of the file, relative to the folder."""
    state: str
    """``UNCHANGED``, or the error in the file, in which case ``runs`` and ``statements`` are empty."""
    student: str = ""
    answer: str = ""
    runs: Sequence[MarkedRun] = ()
    statements: Sequence[str] = ()
    """The result of each statement of the lesson in the student's runs, such as ``holds`` or ``not run``."""


@dataclass(frozen=True)
class Marks:
    """The answers to a lesson."""

    lesson: Lesson
    statements: Sequence[str]
    """The result of each statement of the lesson over the seeds of the lesson's own runs, such as ``holds``."""
    evidence: Sequence[str]
    """The conditions of the checks of each statement, joined by ``and``."""
    answers: Sequence[Marked] = field(default_factory=list)
    others: int = 0
    """The number of files in the folder and its subfolders whose names do not end in ``.json``."""

    @property
    def common_changes(self) -> list[str]:
        """Returns the changes that all of several runs of all students have: the lesson was probably changed after the
        students had it.
        """
        runs = [run for one in self.answers for run in one.runs]
        if len(runs) < 2:
            return []
        return [change for change in runs[0].changed if all(change in run.changed for run in runs)]


def mark(lesson: Lesson, folder: Path) -> Marks:
    """Returns the answers in a folder and its subfolders, in the order of their paths. InputError if ``folder`` is not
    a folder.

    A JSON file that is not an answer, or was edited, is listed with its error in ``state``.
    """
    if not is_there(folder, Path.is_dir):
        raise InputError(f"{folder}: is not a folder, expected the folder with the students' answers")
    outcome = play(lesson)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return Marks(
        lesson,
        [_joined([outcome.finding(check) for check in checks]) for checks in _by_statement(lesson)],
        [" and ".join(check.holds for check in checks) for checks in _by_statement(lesson)],
        [_marked(lesson, outcome, file, folder) for file in files if file.suffix.lower() == ".json"],
        sum(file.suffix.lower() != ".json" for file in files),
    )


def _marked(lesson: Lesson, outcome: Outcome, file: Path, folder: Path) -> Marked:
    name = file.relative_to(folder).as_posix()
    answer: Answer | None = None
    try:
        answer = read_answer(file)
        if answer.lesson != lesson.name:
            raise AnswerError(
                f'found an answer to the lesson "{answer.lesson[:40]}", expected "{lesson.name}"'
            )
        runs = repeated(answer)
    except AnswerError as error:
        told = (answer.student, answer.answer) if answer is not None else ("", "")
        return Marked(name, str(error), *told)
    found = _Runs(lesson, runs)
    return Marked(
        name,
        UNCHANGED,
        answer.student,
        answer.answer,
        found.marked(),
        [found.statement(checks, outcome) for checks in _by_statement(lesson)],
    )


def _by_statement(lesson: Lesson) -> list[list[Check]]:
    """Returns the checks of each statement."""
    numbers = range(1, len(lesson.look) + 1)
    return [[check for check in lesson.checks if check.look == number] for number in numbers]


def _joined(findings: Sequence[Finding]) -> str:
    """Returns the result of a statement, which holds if all its checks are met."""
    results = [finding.result for finding in findings]
    if all(result is Result.MET for result in results):
        return WORDS[Result.MET]
    return WORDS[Result.NOT_MET if Result.NOT_MET in results else Result.UNDECIDED]


class _Runs:
    """The runs of one student, by variant and by the student's other changes."""

    def __init__(self, lesson: Lesson, runs: Sequence[Repeated]) -> None:
        self._lesson = lesson
        self._found = [(self._marked(run), self._samples(run)) for run in runs]

    def _marked(self, run: Repeated) -> MarkedRun:
        variant = self._lesson.variant_within(run.scenario)
        changed = self._lesson.differences(run.scenario, variant)
        return MarkedRun(OWN if variant is None else variant.label, len(run.results), {}, changed)

    def _samples(self, run: Repeated) -> Mapping[str, Array]:
        words = [RunWords(result) for result in run.results]
        found = {}
        for one in self._lesson.measures:
            try:
                values = [measure(parsed(one.expr), word) for word in words]
            except InputError:
                # A scenario of the student's own need not have the flows that the lesson measures.
                values = [np.nan] * len(words)
            found[one.id] = np.array(values, dtype=np.float64)
        return found

    def marked(self) -> list[MarkedRun]:
        """Returns the runs with the means of their measures."""
        return [
            replace(run, measures={id: float(np.mean(values)) for id, values in samples.items()})
            for run, samples in self._found
        ]

    def statement(self, checks: Sequence[Check], outcome: Outcome) -> str:
        """Returns whether a statement holds in these runs: in those of the lesson's variants, or else in variants that
        share the student's other changes, which the result then names. One seed has no interval: its numbers are taken
        as they are.
        """
        of_variants = [run for run, _ in self._found if run.label != OWN]
        for changed in sorted({tuple(run.changed) for run in of_variants}, key=len):
            word = self._word(checks, outcome, changed)
            if word != NOT_RUN:
                return f"{word} with {', '.join(changed)}" if changed else word
        return NOT_RUN

    def _word(self, checks: Sequence[Check], outcome: Outcome, changed: Sequence[str]) -> str:
        """Returns the result of a statement in the runs of variants with these other changes."""
        by_label = {
            run.label: samples
            for run, samples in self._found
            if run.label != OWN and list(run.changed) == list(changed)
        }
        every = SampleWords(outcome.samples, [Setting(label) for label in outcome.runs])
        named = {one.name for check in checks for one in every.named(parsed(check.holds))}
        if not named <= set(by_label):
            return NOT_RUN
        seeds = min(values.size for label in named for values in by_label[label].values())
        words = SampleWords(self._by_measure(by_label, seeds), [Setting(label) for label in by_label])
        return _joined([judge(check.criterion(self._lesson.look), words, max(seeds, 2)) for check in checks])

    def _by_measure(
        self, by_label: Mapping[str, Mapping[str, Array]], seeds: int
    ) -> dict[str, dict[str, Any]]:
        # Twice the same sample has an interval without width: what is compared is the one number.
        copies = 2 if seeds == 1 else 1
        return {
            one.id: {label: np.tile(of[one.id][:seeds], copies) for label, of in by_label.items()}
            for one in self._lesson.measures
        }
