"""Finding and reading study files.

Everything that can be wrong with a study without running it is found here: TOML, types, names, and the expressions,
which are computed once with made-up numbers so that a wrong name or shape shows before the first simulation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import pydantic

from ackclock import toml
from ackclock.errors import InputError
from ackclock.files import read_text
from ackclock.names import nearest
from ackclock.study.model import Study
from ackclock.study.result import Thesis


@dataclass(frozen=True)
class LoadedStudy:
    """A study file that was read and checked."""

    name: str
    """``rbcc/table-4.1`` for a study of the package, else the path as given."""
    file: str
    study: Study
    thesis: Thesis
    scenario_text: str
    """The scenario as a file of its own. Line numbers are those of the study file."""


def study_names() -> list[str]:
    """The names of all studies in the package, thesis by thesis, figures in the order of their numbers."""
    root = studies_dir()
    names = [path.relative_to(root).as_posix().removesuffix(".toml") for path in root.glob("*/*.toml")]
    return sorted(names, key=_natural)


def studies_dir() -> Path:
    """The folder of the studies inside the installed package."""
    return Path(str(resources.files("ackclock"))) / "studies"


def find_studies(selectors: Iterable[str]) -> list[str]:
    """The studies that ``selectors`` name: a study, a thesis (all of its studies), or the path of a study file.

    In the order given, each once. InputError when a selector names nothing.
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
            raise InputError(
                f'there is no study or thesis "{selector}"{nearest(name, [*known, *groups])}'
                "\n`ackclock list studies` shows them all; the path of a study file (*.toml) works too"
            )
    return list(found)


def load_study(name: str) -> LoadedStudy:
    """The study called ``name``, or the study file at that path. InputError says everything that is wrong with it."""
    path = Path(name) if name.endswith(".toml") else studies_dir() / f"{name}.toml"
    return parse_study(read_text(path), name=name, file=_shown(path))


def parse_study(text: str, name: str, file: str) -> LoadedStudy:
    """The study in ``text``; ``file`` is what error messages call it. InputError as ``load_study``."""
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise InputError(f"{file}: not valid TOML: {error}") from None
    try:
        study = Study.model_validate(document)
    except pydantic.ValidationError as error:
        raise InputError(_rendered(error, document, file)) from None
    thesis = theses().get(study.source.thesis)
    if thesis is None:
        raise InputError(
            f'{file}: source.thesis: there is no thesis "{study.source.thesis}"'
            + nearest(study.source.thesis, theses())
        )
    _check_expressions(study, file)
    return LoadedStudy(name, file, study, thesis, scenario_text(text, document["scenario"]))


def looks_like_study(text: str) -> bool:
    """Whether ``text`` is a study file rather than a scenario file."""
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError:
        return False
    return isinstance(document.get("scenario"), dict) and "source" in document


@lru_cache(maxsize=1)
def theses() -> Mapping[str, Thesis]:
    """The theses that studies come from, by key."""
    document = toml.loads((studies_dir() / "theses.toml").read_text(encoding="utf-8"))
    return {key: Thesis(key=key, **entry) for key, entry in document.items()}


def scenario_text(study_text: str, scenario: Mapping[str, Any]) -> str:
    """The ``scenario`` part of a study file as a scenario file.

    Each line keeps its number, so that the core's messages point into the study file: lines of other tables become
    empty, and ``[scenario.links]`` becomes ``[links]``. A file that does this in an unusual way (an inline table,
    dotted keys) is written anew instead.
    """
    lines, inside = [], False
    for line in study_text.splitlines():
        header = re.match(r"(\s*\[\[?\s*)scenario(?:\s*\.\s*(?=\S)|\s*(?=\]))(.*)", line)
        if header:
            inside = True
            rest = header[2]
            lines.append("" if rest.startswith("]") else header[1] + rest)
        elif re.match(r"\s*\[\[?[A-Za-z\"']", line):
            inside = False
            lines.append("")
        else:
            lines.append(line if inside else "")
    text = "\n".join(lines).rstrip() + "\n"
    try:
        if toml.loads(text) == scenario:
            return text
    except toml.TOMLDecodeError:
        pass
    return "".join(f"{_key(key)} = {_toml(value)}\n" for key, value in scenario.items())


def _check_expressions(study: Study, file: str) -> None:
    """Compute every expression with made-up numbers. InputError lists all that cannot be."""
    from ackclock.study.rehearsal import rehearse

    problems = rehearse(study)
    if problems:
        raise InputError("\n".join(f"{file}: {problem}" for problem in problems))


def _rendered(error: pydantic.ValidationError, document: Mapping[str, Any], file: str) -> str:
    """One line per problem: the file, the place in it, what was found, what was expected."""
    lines = []
    for problem in error.errors(include_url=False):
        place = _place(problem["loc"], document)
        prefix = f"{file}: {place}: " if place else f"{file}: "
        lines += [prefix + message for message in _message(problem).split("\n")]
    return "\n".join(dict.fromkeys(lines))


def _message(problem: Mapping[str, Any]) -> str:
    kind, found = problem["type"], problem["input"]
    if kind == "missing":
        return f'"{problem["loc"][-1]}" is missing'
    if kind == "extra_forbidden":
        return f"unknown key{_known_keys(problem['loc'])}"
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    expected = str(problem["msg"]).removeprefix("Input should be ").removeprefix("a valid ")
    return f"found {_short(found)}, expected {expected}"


def _known_keys(location: tuple[int | str, ...]) -> str:
    """The nearest key that the table at ``location`` may have."""
    model: Any = Study
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        annotation = model.model_fields[part].annotation
        arguments = [annotation, *getattr(annotation, "__args__", ())]
        model = next(a for a in arguments if isinstance(a, type) and issubclass(a, pydantic.BaseModel))
    return nearest(str(location[-1]), model.model_fields)


def _place(location: tuple[int | str, ...], document: Mapping[str, Any]) -> str:
    """``claims[2] ("5a").tolerance``: the path, with the id or name of each element for those who do not count."""
    text, node = "", document
    for part in location:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += f".{part}" if text else str(part)
        try:
            node = node[part]  # type: ignore[index]  # a list is indexed by the integer parts
        except (KeyError, IndexError, TypeError):
            node = {}
        if isinstance(part, int) and isinstance(node, dict):
            name = node.get("id") or node.get("name") or node.get("what") or node.get("label")
            text += f' ("{name}")' if name else ""
    return text


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key that puts figure-4.4 before figure-4.13."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def _shown(path: Path) -> str:
    """The path relative to the working directory where it lies below it."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _toml(value: Any) -> str:
    """A TOML value in inline form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value)
