"""Bases: files that several studies share, with a scenario, its source, and assumptions to choose from.

A base is no study. Its name ends in ``.base.toml``; a study names it by ``base = "wired.base.toml"``.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import pydantic
from pydantic import Field

from ackclock import _toml as toml
from ackclock._files import is_there, read_text
from ackclock._migration import refuse_earlier
from ackclock._names import nearest
from ackclock.characterisation.disciplines import Discipline, Placement, cases
from ackclock.errors import InputError
from ackclock.experiment.model import Table
from ackclock.study.grid import expanded
from ackclock.study.kind import ENDING
from ackclock.study.merge import merged
from ackclock.study.mistakes import rendered
from ackclock.study.model import (
    Assumption,
    Case,
    Change,
    Interpretation,
    Metric,
    Precision,
    Publication,
    Quick,
    Study,
    repeated,
)
from ackclock.study.placed import not_toml, placed
from ackclock.study.scenario_text import ScenarioText, extracted


class BaseSource(Table):
    """The parts of the source that all studies of a base share."""

    thesis: str | None = None
    publication: Publication | None = None
    section: str | None = None
    asked_by: Literal["thesis", "us"] | None = None
    setup_unknown: str | None = None
    repeats: str | None = None


class BaseAssumption(Assumption):
    """An assumption that studies select by its id."""

    id: str


class Base(Table):
    """A base file."""

    source: BaseSource = Field(default_factory=BaseSource)
    replications: int | None = Field(default=None, ge=1, le=10_000)
    precision: Precision | None = None
    quick: Quick | None = None
    scenario: dict[str, Any] = Field(default_factory=dict)
    assumptions: list[BaseAssumption] = Field(default_factory=list)
    disciplines: list[Discipline] = Field(
        default_factory=list, description="queue disciplines that the studies of the base compare"
    )
    metrics: list[Metric] = Field(default_factory=list, description="metrics from which studies choose by id")
    cases: list[Case] = Field(default_factory=list, description="cases from which studies choose by name")
    axes: dict[str, list[Any]] = Field(
        default_factory=dict, description="values over which `for_all` iterates, by the name of the axis"
    )


@dataclass(frozen=True)
class LoadedBase:
    """A base file that was read and checked."""

    file: str
    base: Base
    document: Mapping[str, Any]
    text: str

    def under(self, document: Mapping[str, Any], file: str) -> dict[str, Any]:
        """Returns the study ``document`` completed from the base. InputError if the two do not fit."""
        result = {**document}
        for key in ("replications", "precision", "quick"):
            if key in self.document:
                result.setdefault(key, self.document[key])
        if isinstance(document.get("source", {}), dict):
            result["source"] = {**self.document.get("source", {}), **document.get("source", {})}
        if isinstance(document.get("scenario", {}), dict):
            try:
                result["scenario"] = merged(self.base.scenario, document.get("scenario", {}))
            except ValueError as error:
                raise InputError(f"{file}: {error}") from None
        if isinstance(document.get("assumptions"), list):
            result["assumptions"] = [self._completed(own) for own in document["assumptions"]]
        for key, name in (("cases", "name"), ("metrics", "id")):
            if isinstance(document.get(key), list):
                result[key] = [self._completed_by(name, own, key) for own in document[key]]
        if isinstance(document.get("measure"), list):
            result["metrics"] = [*self._measured(document["measure"], file), *result.get("metrics", [])]
        if "disciplines" in document:
            result["cases"] = [*self._placed(document["disciplines"], file), *result.get("cases", [])]
        return result

    def _measured(self, names: list[Any], file: str) -> list[dict[str, Any]]:
        """Returns the base's metrics that the study names."""
        known = {metric["id"]: metric for metric in self.document.get("metrics", [])}
        for name in names:
            if name not in known:
                raise InputError(
                    f'{file}: measure: {self.file} has no metric "{name}"{nearest(str(name), known)}'
                )
        return [known[name] for name in names]

    def _completed_by(self, name: str, own: Any, key: str) -> Any:
        """Returns a case or metric of the study, completed with the keys of the base's one of the same name."""
        named = own.get(name) if isinstance(own, dict) else None
        known = next((item for item in self.document.get(key, []) if item.get(name) == named), None)
        return own if known is None else own.completed(known)

    def _placed(self, disciplines: Any, file: str) -> list[dict[str, Any]]:
        """Returns the cases made from the base's disciplines; none if the table is wrong, which the study's check
        reports.
        """
        try:
            return cases(Placement.model_validate(disciplines), self.base.disciplines)
        except pydantic.ValidationError:
            return []
        except ValueError as error:
            raise InputError(f"{file}: {error}") from None

    def _completed(self, own: Any) -> Any:
        """Returns an assumption of the study, completed with the keys of the base's one with the same id."""
        id = own.get("id") if isinstance(own, dict) else None
        known = next((item for item in self.base.assumptions if item.id == id), None)
        if known is None:
            return own
        return own.completed({"what": known.what, "taken": known.taken, "why": known.why})

    def scenario_text(self, file: str) -> ScenarioText:
        """Returns the base's scenario, for use in the study ``file``."""
        text = extracted(self.text, self.base.scenario, self.file)
        return ScenarioText(text.text, file, text.places)


def load_base(name: Any, study_file: str) -> LoadedBase:
    """Returns the base that ``study_file`` names. InputError says what is wrong with it, and in which file."""
    if not isinstance(name, str) or not re.fullmatch(r"[^/\\]+" + re.escape(ENDING), name):
        raise InputError(
            f"{study_file}: base: found {name!r}, expected the name of a file in the same folder that ends in {ENDING}"
        )
    path = Path(study_file).parent / name
    if not is_there(path):
        there = [other.name for other in path.parent.glob("*" + ENDING)]
        raise InputError(f'{study_file}: base: there is no file "{path}"{nearest(name, there)}')
    return parse_base(read_text(path), path.as_posix())


@lru_cache(maxsize=32)
def parse_base(text: str, file: str) -> LoadedBase:
    """Returns the base in ``text``; error messages call it ``file``. Cached, because many studies share one base and
    none changes it.
    """
    try:
        return _parsed(text, file)
    except toml.TOMLDecodeError as error:
        raise not_toml(text, file, error) from None
    except InputError as error:
        raise InputError(placed(str(error), text, file)) from None


def _parsed(text: str, file: str) -> LoadedBase:
    document = toml.loads(text)
    refuse_earlier(document, "base", file)
    document = expanded(document, text, file)
    try:
        base = Base.model_validate(document)
    except pydantic.ValidationError as error:
        raise InputError(rendered(error, Base, document, file)) from None
    from ackclock.study.dry_run import (
        dry_run_assumptions,
    )  # the numerical libraries take half a second to load

    problems = [
        *repeated("assumption", [assumption.id for assumption in base.assumptions]),
        *repeated("case", [case.name for case in base.cases]),
        *repeated("metric", [metric.id for metric in base.metrics]),
        *dry_run_assumptions(base.assumptions),
    ]
    if problems:
        raise InputError("\n".join(f"{file}: {problem}" for problem in problems))
    return LoadedBase(file, base, document, text)


def chosen(study: Study, document: Mapping[str, Any], base: LoadedBase | None, file: str) -> list[Assumption]:
    """Returns the study's assumptions in the order of the report: its own that ``assume`` does not name, then those
    it names.

    InputError for an unknown name, and for an assumption of the base that applies to nothing in this study.
    """
    shared = {} if base is None else {item.id: item for item in base.base.assumptions}
    own, problems = [], list[str]()
    for item, raw in zip(study.assumptions, document.get("assumptions", []), strict=True):
        taken_over = item.id in shared and "interpretations" not in raw
        if taken_over and base is not None:
            interpretations = _fitting(study, shared[item.id], base.file, problems)
            own.append(item.model_copy(update={"interpretations": interpretations}))
        else:
            own.append(item)
    by_id = {item.id: item for item in own if item.id}
    named: list[Assumption] = []
    for id in study.assume:
        if id in by_id:
            named.append(by_id[id])
        elif id in shared and base is not None:
            interpretations = _fitting(study, shared[id], base.file, problems)
            named.append(shared[id].model_copy(update={"interpretations": interpretations}))
        else:
            where = "" if base is None else f" in this file or in {base.file}"
            problems.append(f'assume: there is no assumption "{id}"{where}{nearest(id, [*by_id, *shared])}')
    if problems:
        raise InputError("\n".join(f"{file}: {problem}" for problem in problems))
    return [*(item for item in own if item.id not in study.assume), *named]


def _fitting(study: Study, assumption: Assumption, file: str, problems: list[str]) -> list[Interpretation]:
    """Returns the assumption's interpretations without the cases and metrics that this study does not have."""
    runs = study.runs()
    names = [*(run.name for run in runs), *(run.case.name for run in runs)]
    metrics = [metric.id for metric in study.metrics]
    interpretations = []
    for interpretation in assumption.interpretations:
        changes = [
            change for change in (_on(names, change) for change in interpretation.all_changes()) if change
        ]
        replaced = {id: expr for id, expr in interpretation.metrics.items() if id in metrics}
        if not changes and not replaced:
            problems.append(
                f'assume: "{assumption.id}" of {file}: the interpretation "{interpretation.label}" '
                "affects no case and no metric of this study"
            )
            continue
        interpretations.append(
            interpretation.model_copy(
                update={"overrides": {}, "cases": None, "metrics": replaced, "changes": changes}
            )
        )
    return interpretations


def _on(names: Sequence[str], change: Change) -> Change | None:
    """Returns ``change`` with those of its patterns that name a case; None when none is left."""
    if change.cases is None:
        return change
    patterns = [pattern for pattern in change.cases if pattern in names or fnmatch.filter(names, pattern)]
    return change.model_copy(update={"cases": patterns}) if patterns else None
