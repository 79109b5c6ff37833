"""Finding and reading the scenarios of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import pydantic

from ackclock import _toml as toml
from ackclock._files import read_text
from ackclock._names import alike, nearest
from ackclock.errors import InputError
from ackclock.evaluation.language import ScenarioFile
from ackclock.evaluation.rfc import FAMILIES, Family
from ackclock.evaluation.sets import ROWS, SETS, of_scenario
from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.run_words import needs_series
from ackclock.study.mistakes import rendered
from ackclock.study.placed import not_toml, placed
from ackclock.study.scenario_text import ScenarioText, extracted


@dataclass(frozen=True)
class Loaded:
    """A scenario of the evaluation that was read and checked."""

    name: str
    """``N-03`` or ``N-01-loss`` for a scenario of the package, ``mine`` for ``mine.toml``, otherwise the path."""
    about: ScenarioFile
    scenario: ScenarioText
    """The scenario as the text of a stand-alone scenario file."""
    text: str = field(repr=False)
    """The text of the scenario file."""

    @cached_property
    def needs_series(self) -> bool:
        """Returns whether a metric needs the values over time."""
        return any(needs_series(Expression(metric.expr)) for metric in self.about.metrics)

    @property
    def family(self) -> Family:
        """Returns the criterion of the RFC, or the set, that it belongs to."""
        return next(row for row in ROWS if row.id == self.about.family)


def folder(of: str = "scenarios") -> Path:
    """Returns the folder of the scenarios for the RFC inside the installed package, or ``sets``, that of the sets."""
    return Path(str(resources.files("ackclock"))) / "evaluation" / of


def names() -> list[str]:
    """Returns the names of the scenarios for the RFC, in its order."""
    return _in_order(path.stem for path in folder().glob("*.toml"))


def names_of_sets() -> list[str]:
    """Returns the names of the scenarios of all sets, in the order of the sets."""
    return _in_order(path.stem for path in folder("sets").glob("*.toml"))


def _in_order(found: Iterable[str]) -> list[str]:
    return sorted(found, key=lambda name: (ROWS.index(of_scenario(name)), name))


def of_set(name: str) -> list[str]:
    """Returns the names of the scenarios of the set called ``name``. InputError if there is no such set."""
    known = [one.id for one in SETS]
    if name not in known:
        close = alike(name, known)
        near = f'; did you mean "{close}"?' if close else ""
        raise InputError(f'there is no set of scenarios "{name}"{near}\nThe sets are {", ".join(known)}')
    return [one for one in names_of_sets() if of_scenario(one).id == name]


def find(selectors: list[str]) -> list[str]:
    """Returns the scenarios that ``selectors`` name: one (N-01-outage), all of a criterion (N-01), a section of the RFC
    (5.1.1), all of a set (flent), or the path of a file. Without any, all of the RFC. InputError when a selector names
    nothing.

    N-15 is a criterion with two scenarios, of which one has its name; flent-rrul is one scenario of a set.
    """
    known = [*names(), *names_of_sets()]
    found: dict[str, None] = {}
    for selector in selectors:
        sections = [family.id for family in FAMILIES if family.section == selector]
        family = sections[0] if sections else selector
        members = [name for name in known if name == family or name.startswith(f"{family}-")]
        if selector in names_of_sets():
            members = [selector]
        if selector.endswith(".toml"):
            found[selector] = None
        elif members:
            found.update(dict.fromkeys(members))
        else:
            other = next((one for one in FAMILIES if one.id == family), None)
            if other is not None:
                why = (
                    other.not_evaluated
                    or "the scenarios of section 5 all have drop-tail queues and cover this criterion."
                )
                raise InputError(f"{selector}: there is no scenario for {other.title.lower()}: {why}")
            raise InputError(
                f'there is no scenario "{selector}"{nearest(selector, known)}\n'
                "`ackclock evaluate list` shows them all; a section of RFC 9743 or the path of a TOML file works too"
            )
    return list(found) if selectors else names()


def metrics_known(others: Iterable[Loaded]) -> list[str]:
    """Returns the metrics of the scenarios of the package and of ``others``, such as ``N-03.loss``."""
    packaged = [load(name) for name in [*names(), *names_of_sets()]]
    return [f"{one.name}.{metric.id}" for one in [*packaged, *others] for metric in one.about.metrics]


def load(name: str) -> Loaded:
    """Returns the scenario called ``name``, or that in the file. InputError lists what is wrong with it."""
    return parse(read_text(Path(name)), name) if name.endswith(".toml") else _packaged(name)


@cache
def _packaged(name: str) -> Loaded:
    of = "sets" if of_scenario(name) in SETS else "scenarios"
    return parse(read_text(folder(of) / f"{name}.toml"), f"{name}.toml")


def parse(text: str, file: str) -> Loaded:
    """Returns the scenario in ``text``; messages call it ``file``. InputError lists what is wrong with it."""
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise not_toml(text, file, error) from None
    try:
        about = ScenarioFile.model_validate(document)
    except pydantic.ValidationError as error:
        raise InputError(placed(rendered(error, ScenarioFile, document, file), text, file)) from None
    if about.family not in [row.id for row in ROWS]:
        near = nearest(about.family, [row.id for row in ROWS])
        raise InputError(placed(f'{file}: family: there is no criterion "{about.family}"{near}', text, file))
    for metric in about.metrics:
        try:
            Expression(metric.expr)
        except ExpressionError as error:
            raise InputError(f'{file}: metric "{metric.id}": {error}') from None
    scenario = extracted(text, document["scenario"], file)
    return Loaded(re.sub(r"\.toml$", "", file) if "/" not in file else file, about, scenario, text)
