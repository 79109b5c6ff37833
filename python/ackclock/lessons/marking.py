"""The answers to a lesson in a folder, beside what the lesson's checks say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
"""What a run that is no variant is called."""
UNCHANGED = "as saved"
NOT_RUN = "not run"
"""What is said of a statement if the student has not run a variant that its check compares."""
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
    """The variant that it is, or ``OWN``."""
    seeds: int
    measures: Mapping[str, float]
    """The mean of each measure over the seeds; nan without a sample."""
    changed: Sequence[str] = ()
    """The values of the scenario that the student changed, of a run that is no variant."""


@dataclass(frozen=True)
class Marked:
    """A file of a student."""

    file: str
    """Its path in the folder."""
    state: str
    """``UNCHANGED``, or what is wrong with the file: then nothing of it is taken for granted."""
    student: str = ""
    answer: str = ""
    runs: Sequence[MarkedRun] = ()
    statements: Sequence[str] = ()
    """For each statement of the lesson whether it holds in the student's runs."""


@dataclass(frozen=True)
class Marks:
    """The answers to a lesson."""

    lesson: Lesson
    statements: Sequence[str]
    """For each statement of the lesson whether it holds over the seeds of the lesson's runs."""
    evidence: Sequence[str]
    """For each statement the conditions that its checks state."""
    answers: Sequence[Marked] = field(default_factory=list)
    others: int = 0
    """The number of files in the folder that are no JSON."""

    @property
    def common_changes(self) -> list[str]:
        """Returns the changes to the lesson's scenario that all runs of all students have, if none of several runs is a
        variant: the lesson was probably changed after the students had it.
        """
        runs = [run for one in self.answers for run in one.runs]
        if len(runs) < 2 or any(run.label != OWN for run in runs):
            return []
        return [change for change in runs[0].changed if all(change in run.changed for run in runs)]


def mark(lesson: Lesson, folder: Path) -> Marks:
    """Returns the answers in a folder and the folders in it, in the order of their paths. InputError if it is no
    folder.

    A file that is no answer, or was edited, is one of the answers and says so.
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
            raise AnswerError(f'answers the lesson "{answer.lesson[:40]}", expected "{lesson.name}"')
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
    """Returns whether a statement holds, all of whose checks have to."""
    results = [finding.result for finding in findings]
    if all(result is Result.MET for result in results):
        return WORDS[Result.MET]
    return WORDS[Result.NOT_MET if Result.NOT_MET in results else Result.UNDECIDED]


class _Runs:
    """The runs of one student, by variant."""

    def __init__(self, lesson: Lesson, runs: Sequence[Repeated]) -> None:
        self._lesson = lesson
        self._found = [(self._label(run), run, self._samples(run)) for run in runs]

    def _label(self, run: Repeated) -> str:
        variant = self._lesson.variant_of(run.scenario)
        return OWN if variant is None else variant.label

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
            MarkedRun(
                label,
                len(run.results),
                {id: float(np.mean(values)) for id, values in samples.items()},
                self._lesson.differences(run.scenario) if label == OWN else (),
            )
            for label, run, samples in self._found
        ]

    def statement(self, checks: Sequence[Check], outcome: Outcome) -> str:
        """Returns whether a statement holds in these runs. One seed has no interval: its numbers are taken as they
        are.
        """
        by_label = {label: samples for label, _, samples in self._found if label != OWN}
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
