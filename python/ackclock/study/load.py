"""Finds and reads study files.

Everything that can be wrong with a study without running it is detected here: TOML, types, names, and the expressions,
which are computed once with synthetic numbers so that a wrong name or shape shows before the first simulation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pydantic

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._files import is_there, read_text
from ackclock._named_files import KEYS, with_files
from ackclock._names import nearest
from ackclock._own_controls import now_offered
from ackclock.errors import InputError
from ackclock.study.base import LoadedBase, chosen
from ackclock.study.document import read_document, studies_dir
from ackclock.study.kind import ENDING
from ackclock.study.merge import merged_text
from ackclock.study.mistakes import located, rendered
from ackclock.study.model import Source, Study
from ackclock.study.others import lost_with, wrong_references
from ackclock.study.placed import not_toml, placed
from ackclock.study.result import Thesis
from ackclock.study.scenario_text import ScenarioText, extracted


@dataclass(frozen=True)
class LoadedStudy:
    """A study file that was read and checked."""

    name: str
    """The name of the study: ``rbcc/table-4.1`` for a study of the package, otherwise the path as the user wrote it."""
    file: str
    study: Study
    thesis: Thesis
    scenario: ScenarioText
    """The scenario of the study as a separate scenario file."""
    text: str = field(repr=False)
    """The text of the study file."""


def study_names() -> list[str]:
    """Returns the names of all studies in the package, thesis by thesis, figures in the order of their numbers."""
    root = studies_dir()
    files = [path for path in root.glob("*/*.toml") if not path.name.endswith(ENDING)]
    names = [path.relative_to(root).as_posix().removesuffix(".toml") for path in files]
    return sorted(names, key=_natural)


def find_studies(selectors: Iterable[str]) -> list[str]:
    """Returns the studies that ``selectors`` name: a study, a thesis (all of its studies), or the path of a study file.

    The studies are in the order given, each once. InputError when a selector names nothing.
    """
    known = study_names()
    found: dict[str, None] = {}
    for selector in selectors:
        name = selector.strip("/")
        if name in known:
            found[name] = None
        elif members := [study for study in known if study.startswith(name + "/")]:
            found.update(dict.fromkeys(members))
        elif selector.endswith(".toml"):
            found[selector] = None
        else:
            groups = dict.fromkeys(study.split("/")[0] for study in known)
            # A name without a folder means the study of that name in any folder.
            bare = [study for study in known if study.split("/")[1] == name]
            raise InputError(
                f'there is no study or thesis "{selector}"{nearest(name, bare or [*known, *groups])}'
                "\n`ackclock list studies` shows them all; the path of a study file (*.toml) works too"
            )
    return list(found)


def load_study(name: str) -> LoadedStudy:
    """Returns the study called ``name``, or the study file at that path. InputError lists everything that is wrong
    with it.
    """
    if not name.endswith(".toml"):
        return _packaged(name, shown(studies_dir() / f"{name}.toml"))
    path = Path(name)
    if not is_there(path, Path.exists) and name.removesuffix(".toml") in study_names():
        raise InputError(f"{path}: No such file; the study is called {name.removesuffix('.toml')}")
    if name.endswith(ENDING):
        raise InputError(
            f"{shown(path)}: not a study but a base, a file whose keys several studies inherit; "
            f"`ackclock check {shown(path)}` checks it"
        )
    return parse_study(read_text(path), name=name, file=shown(path))


@cache
def _packaged(name: str, file: str) -> LoadedStudy:
    """Returns a study of the package. Cached, because its file does not change while the package is in use."""
    return parse_study(read_text(studies_dir() / f"{name}.toml"), name=name, file=file)


def parse_study(text: str, name: str, file: str) -> LoadedStudy:
    """Returns the study in ``text``; error messages call it ``file``. Raises InputError as ``load_study`` does."""
    try:
        return _parsed(text, name, file)
    except toml.TOMLDecodeError as error:
        raise not_toml(text, file, error) from None
    except InputError as error:
        raise InputError(placed(str(error), text, file)) from None


def _parsed(text: str, name: str, file: str) -> LoadedStudy:
    document = read_document(text, file)
    own, base = document.own, document.base
    try:
        study = Study.model_validate(document.whole)
    except pydantic.ValidationError as error:
        raise InputError(rendered(error, Study, document.whole, file)) from None
    thesis = _published(study.source, file)
    study = study.model_copy(update={"assumptions": chosen(study, own, base, file)})
    if problems := [*wrong_references(study)]:
        raise InputError("\n".join(located(problem, own, file) for problem in problems))
    source = study.source.model_copy(update={"setup_unknown": lost_with(study)})
    study = study.model_copy(update={"source": source})
    _check_expressions(study, own, file)
    scenario = _scenario(text, own, base, study, file)
    if any(key in text or (base is not None and key in base.text) for key in KEYS):
        study, scenario = _with_files(study, scenario)
    return LoadedStudy(name, file, study, thesis, scenario, text)


def _published(source: Source, file: str) -> Thesis:
    """Returns the publication that a study comes from."""
    if source.publication is None and source.thesis is None:
        return Thesis("own-questions", "Own questions", "Own questions", "", None, "")
    if source.publication is None:
        known = {**theses(), **guidelines()}
        if source.thesis not in known:
            near = nearest(str(source.thesis), theses())
            raise InputError(
                f'{file}: source.thesis: there is no thesis "{source.thesis}"{near}{"" if near.endswith("?") else "."} '
                "Describe any other publication in `publication`, with author, title and year"
            )
        return known[source.thesis]
    publication = source.publication
    systems = {entry["name"] for entry in core.registry()} | now_offered().keys()
    for system in publication.systems:
        if system not in systems:
            raise InputError(
                f'{file}: source.publication.systems: no system is registered as "{system}"{nearest(system, systems)}'
            )
    return Thesis(
        key="-".join(re.findall(r"\w+", f"{publication.author} {publication.year}".lower())),
        author=publication.author,
        title=publication.title,
        where=publication.where,
        year=publication.year,
        degree="",
        systems=tuple(publication.systems),
    )


@lru_cache(maxsize=1)
def theses() -> Mapping[str, Thesis]:
    """Returns the theses that studies come from, by key."""
    return _documents("theses.toml")


@lru_cache(maxsize=1)
def guidelines() -> Mapping[str, Thesis]:
    """Returns the guidelines that studies come from, by key."""
    return _documents("guidelines.toml")


def _documents(file: str) -> dict[str, Thesis]:
    document = toml.loads((studies_dir() / file).read_text(encoding="utf-8"))
    return {
        key: Thesis(key=key, **{**entry, "systems": tuple(entry.get("systems", ()))})
        for key, entry in document.items()
    }


def _scenario(
    text: str, own: Mapping[str, Any], base: LoadedBase | None, study: Study, file: str
) -> ScenarioText:
    """Returns the scenario of the study in ``text``, with the lines of the files that it comes from."""
    if base is None:
        return extracted(text, study.scenario, file)
    if not own.get("scenario"):
        return base.scenario_text(file)
    return merged_text(base.scenario_text(file), extracted(text, own["scenario"], file), study.scenario)


def _with_files(study: Study, scenario: ScenarioText) -> tuple[Study, ScenarioText]:
    """Returns both with the contents of the files that the study names, which are part of what it simulates."""
    text = with_files(scenario.text, scenario.file, study.model_dump(mode="json"))
    if text == scenario.text:
        return study, scenario
    files = toml.loads(text)["files"]
    study = study.model_copy(update={"scenario": {**study.scenario, "files": files}})
    return study, replace(scenario, text=text)


def _check_expressions(study: Study, document: Mapping[str, Any], file: str) -> None:
    """Computes every expression with synthetic numbers. InputError lists all expressions that fail."""
    from ackclock.study.dry_run import dry_run

    problems = dry_run(study)
    if problems:
        raise InputError("\n".join(located(problem, document, file) for problem in problems))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Returns a sort key that puts figure-4.4 before figure-4.13."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def shown(path: Path) -> str:
    """Returns the path, relative to the working directory if it is below that."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)
