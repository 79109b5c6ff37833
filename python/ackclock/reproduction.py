"""Reproducing published experiments from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ackclock._arguments import mapping, path, text
from ackclock._jobs import Progress
from ackclock._own_controls import offered
from ackclock._store import Store
from ackclock.custom import Control
from ackclock.errors import InputError
from ackclock.study.load import find_studies, load_study, study_names
from ackclock.study.result import StudyResult
from ackclock.study.run import run_study


def studies() -> list[str]:
    """Returns the names of all studies, e.g. ``rbcc/table-4.1``."""
    return study_names()


def reproduce(
    study: str | Path,
    *,
    quick: bool = False,
    sensitivity: bool = True,
    out: str | Path | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    controls: Mapping[str, type[Control]] | None = None,
) -> StudyResult:
    """Runs one study and judges its claims.

    ``study`` is a name such as ``rbcc/table-4.1`` or the path of a study file. With ``out``, finished runs are stored
    in that folder and reused the next time. ``controls`` maps names that a study file uses to subclasses of
    ``ackclock.Control``; runs with them are not stored. InputError when the study is unknown or wrong, RunError when a
    run fails, Interrupted on Ctrl-C. ``ackclock.report.write_page`` makes its HTML page, ``ackclock.figures`` its
    figures.

    >>> import ackclock
    >>> result = ackclock.reproduce("rbcc/figure-4.8", quick=True, sensitivity=False)
    >>> result.name, len(result.claims)
    ('rbcc/figure-4.8', 8)
    """
    names = find_studies([str(study) if isinstance(study, Path) else text("study", study)])
    if len(names) != 1:
        raise InputError(f'"{study}" names {len(names)} studies: {", ".join(names)}; reproduce one at a time')
    with offered(mapping("controls", controls)):
        return run_study(
            load_study(names[0]),
            quick=quick,
            sensitivity=sensitivity,
            store=Store(None if out is None else path("out", out)),
            threads=threads,
            progress=progress,
        )
