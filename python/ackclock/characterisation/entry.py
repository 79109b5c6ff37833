"""Evaluates one queue discipline: compares it with drop-tail in the scenarios of RFC 7928."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ackclock._jobs import Progress
from ackclock._names import nearest
from ackclock._store import Store
from ackclock.characterisation.disciplines import BASELINE, discipline_of
from ackclock.characterisation.judge import Row, rows
from ackclock.characterisation.language import Characterisation
from ackclock.errors import InputError
from ackclock.study.load import LoadedStudy, load_study, study_names
from ackclock.study.result import StudyResult
from ackclock.study.run import run_studies

FOLDER = "aqm/"
"""The prefix of the names of the scenarios."""


def scenarios(discipline: str, only: Sequence[str] = ()) -> list[LoadedStudy]:
    """Returns the scenarios in which ``discipline`` takes part, with it and drop-tail alone. ``only`` are sections of
    the RFC, such as 5.2 or 8.2. InputError for an unknown discipline or section.
    """
    every = [load_study(name) for name in study_names() if name.startswith(FOLDER)]
    known = dict.fromkeys(discipline_of(case.name) for loaded in every for case in loaded.study.cases)
    if discipline not in known or discipline == BASELINE:
        others = [name for name in known if name != BASELINE]
        raise InputError(
            f'no scenario compares a queue discipline "{discipline}" with {BASELINE}{nearest(discipline, others)}'
        )
    sections = [about.section for loaded in every if (about := loaded.study.characterisation) is not None]
    for wanted in only:
        if not any(_is_in(section, wanted) for section in sections):
            raise InputError(
                f'there is no scenario for section "{wanted}" of RFC 7928{nearest(wanted, sections)}'
            )
    found = []
    for loaded in every:
        about = loaded.study.characterisation
        cases = [case for case in loaded.study.cases if discipline_of(case.name) in (BASELINE, discipline)]
        takes_part = any(discipline_of(case.name) == discipline for case in cases)
        if about is None or not takes_part:
            continue
        if not only or any(_is_in(about.section, wanted) for wanted in only):
            found.append(replace(loaded, study=loaded.study.model_copy(update={"cases": cases})))
    return found


def _is_in(section: str, wanted: str) -> bool:
    return section == wanted or section.startswith((f"{wanted}.", f"{wanted}-"))


def evaluate_queue(
    discipline: str,
    *,
    only: Sequence[str] = (),
    full: bool = False,
    store: Store | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[StudyResult]:
    """Runs the scenarios with a discipline and drop-tail."""
    return run_studies(
        scenarios(discipline, only), quick=not full, store=store, threads=threads, progress=progress
    )


def judged(results: Sequence[StudyResult], discipline: str) -> list[tuple[Characterisation, str, Row]]:
    """Returns the scenarios with their titles, and the row of the discipline in each."""
    return [
        (result.characterisation, result.title, row)
        for result in results
        if result.characterisation is not None
        for row in rows(result)
        if row.discipline == discipline
    ]
