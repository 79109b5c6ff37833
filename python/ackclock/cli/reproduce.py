"""``ackclock reproduce``."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from ackclock._files import writable
from ackclock._numbers import number_of
from ackclock.cli.terminal import console, print_json, progress_bar, show_files, shown, warn, write_json
from ackclock.errors import InputError, RunError

if TYPE_CHECKING:
    from ackclock.study.load import LoadedStudy
    from ackclock.study.result import StudyResult
    from ackclock.study.run import Work

CHARACTERISATION = "aqm"
"""The stem of the page that characterises queue disciplines by RFC 7928 over several studies."""

REPORT = "report"
"""The name of the folder with the pages of several studies, and the stem of the file with their data."""


def reproduce(
    selectors: Sequence[str],
    *,
    quick: bool,
    as_json: bool,
    out: Path,
    figures: Sequence[str],
    width: str | None,
    sensitivity: bool,
    threads: int,
    fail_on: Sequence[str] = (),
    judge: bool = False,
    record: bool = False,
) -> None:
    """Runs the studies that ``selectors`` name, or all if there are none, prints their results and writes the report.

    ``judge`` runs nothing and uses the samples in the records of the package; ``record`` writes such records. RunError,
    after the report is written, when a claim has a result that ``fail_on`` names.
    """
    began = time.monotonic()
    from ackclock.cli import gate

    words = gate.fail_words(fail_on, gate.claim_words())
    studies = _read(selectors)
    if record:
        _recordable(studies, sensitivity=sensitivity)
    _warn([one for one in studies if one.name.endswith(".toml")])
    from ackclock._store import Store
    from ackclock.cli import characterise_text
    from ackclock.cli.reproduce_json import as_document
    from ackclock.cli.reproduce_text import show_all
    from ackclock.figure import FIGURES, known_formats, known_width, save_all
    from ackclock.figure import figures as figures_of
    from ackclock.report.figures import study_stem
    from ackclock.study.run import run_studies

    formats, width_in, failures = known_formats(figures), known_width(width), list[InputError]()
    if width and not formats:
        raise InputError("--width: needs --figures FORMAT, the figures to write")
    writable(out)
    if judge:
        results = _judged(studies, failures)
    else:
        with progress_bar(studies[0].name if len(studies) == 1 else f"{len(studies)} studies") as progress:
            results = run_studies(
                studies,
                quick=quick,
                sensitivity=sensitivity,
                store=Store(out),
                threads=threads,
                progress=progress,
                on_failure=lambda _, error: failures.append(error),
                on_done=_recorder() if record else None,
            )
    if not results:
        raise failures[0]
    published = [result for result in results if result.characterisation is None]
    characterised = [result for result in results if result.characterisation is not None]
    stem = study_stem(studies[0].name) if len(studies) == 1 else REPORT if published else CHARACTERISATION
    command = _command(selectors, quick=quick, sensitivity=sensitivity)
    pages = _pages(published, characterised, out, stem, command)
    drawn = [figure for result in results for figure in figures_of(result)] if formats else []
    saved = save_all(drawn, out / FIGURES, formats, width_in)
    document, path = as_document(results, pages[0], time.monotonic() - began), out / f"{stem}.json"
    write_json(document, path)
    if as_json:
        print_json(document)
    else:
        if published:
            show_all(published)
        if characterised:
            characterise_text.show(characterised)
        show_files(pages, path)
        if saved:
            console().print(f"figures {shown(out / FIGURES)} ({number_of(len(saved), 'file')})")
    if failures:
        missing = (
            f"{len(failures)} of {number_of(len(studies), 'study')} failed and are missing from the report:"
        )
        raise InputError("\n".join([missing, *map(str, failures)]))
    gate.fail_on(words, results)


def check(selectors: Sequence[str], *, threads: int) -> None:
    """Repeats the first seed of each recorded run of these studies, or of all if there are none, and notes in the
    records whether the results are equal. RunError if a record is out of date.
    """
    from datetime import datetime, timezone

    from ackclock.study.checking import check as compared
    from ackclock.study.checking import stamp
    from ackclock.study.records import read

    recorded = [(record, loaded) for loaded in _read(selectors) if (record := read(loaded.name)) is not None]
    if not recorded:
        raise InputError(
            "--check: found no record of any of these studies; `ackclock reproduce STUDY --record` writes one"
        )
    with progress_bar(f"{len(recorded)} records") as progress:
        outcomes = compared(recorded, threads=threads, progress=progress)
    moved = 0
    for outcome in outcomes:
        good = not outcome.moved and not outcome.changed
        console().print(Text(str(outcome), style="" if good else "red"))
        moved += not good
        if not outcome.changed:
            stamp(outcome, datetime.now(timezone.utc).date().isoformat())
    if moved:
        raise RunError(
            f"out of date: {moved} of {number_of(len(outcomes), 'record')}; `ackclock reproduce STUDY --record` "
            "rewrites the record of a study"
        )


def _judged(studies: Sequence[LoadedStudy], failures: list[InputError]) -> list[StudyResult]:
    """Returns the results computed from the samples in the records. Adds an error to ``failures`` for other studies."""
    from ackclock.study.records import is_short, judged, read

    results = []
    for loaded in studies:
        record = read(loaded.name)
        try:
            if record is None:
                raise InputError(
                    f"{loaded.name}: --judge needs a record of this study, but there is none; "
                    f"`ackclock reproduce {loaded.name}` runs the study"
                )
            results.append(judged(record, loaded))
            if is_short(record, loaded):
                warn(
                    f"{loaded.name}: the record has fewer seeds than a new run gets by today's rule; a new run may "
                    "therefore give a claim another result"
                )
        except InputError as error:
            failures.append(error)
    return results


def _warn(own: Sequence[LoadedStudy]) -> None:
    """Warns about a user's own studies whose cases differ in more than the control. In the package's studies each
    control has the loss recovery that was published with it.
    """
    from ackclock.study.plan import Plan

    for one in own:
        for warning in Plan(one, quick=False, sensitivity=False).warnings():
            warn(f"{one.file}: {warning}")


def _recordable(studies: Sequence[LoadedStudy], *, sensitivity: bool) -> None:
    """Raises InputError for studies that cannot be recorded, before anything is run."""
    if not sensitivity:
        raise InputError("--record needs the runs of the other interpretations: leave out --no-sensitivity")
    for one in studies:
        if one.name.endswith(".toml"):
            raise InputError(
                f"--record: {one.name} is not part of the package, and only studies of the package are recorded"
            )


def _recorder() -> Callable[[Work], None]:
    """Returns a function that writes the record of a study that ran."""
    from ackclock.study.records import origin, record_of, write

    made = origin()
    return lambda work: write(record_of(work, made))


def _read(selectors: Sequence[str]) -> list[LoadedStudy]:
    """Reads all studies before the first run, so that an error in any of them is reported at once."""
    from ackclock.study.load import find_studies, load_study, study_names

    names = find_studies(selectors) if selectors else study_names()
    return [load_study(name) for name in names]


def _pages(
    published: Sequence[StudyResult],
    characterised: Sequence[StudyResult],
    out: Path,
    stem: str,
    command: str,
) -> list[Path]:
    """Writes a page for one study or a folder of pages for several, and the page of characterisations, if any."""
    from ackclock.report import write_page, write_report
    from ackclock.report.characterisation import write_characterisation

    pages = []
    if len(published) == 1:
        pages.append(write_page(published[0], out / f"{stem}.html", command))
    elif published:
        pages.append(write_report(published, out / REPORT, command))
    if characterised:
        name = CHARACTERISATION if published else stem
        pages.append(write_characterisation(characterised, out / f"{name}.html", command))
    return pages


def _command(selectors: Sequence[str], *, quick: bool, sensitivity: bool) -> str:
    from ackclock._own_controls import option_words

    words = ["ackclock", "reproduce", *(selectors or ["--all"])]
    words += option_words()
    words += ["--quick"] if quick else []
    words += [] if sensitivity else ["--no-sensitivity"]
    return shlex.join(words)
