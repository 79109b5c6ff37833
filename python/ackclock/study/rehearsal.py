"""A rehearsal of a study: every expression computed once on made-up numbers, so that slips show before any run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel

from ackclock.schemas.run import FlowRecord, GroupRecord, LinkRecord
from ackclock.series import Series, Vector
from ackclock.study.claim_words import ClaimWords
from ackclock.study.language import Expression, ExpressionError
from ackclock.study.model import Assumption, Study
from ackclock.study.run_words import measure
from ackclock.study.verdict import judge

REPLICATIONS = 2


def rehearse(study: Study) -> list[str]:
    """The problems, each a message that begins with its place in the file.

    Names of flows and links are taken on trust here: only the core knows them.
    """
    problems = _unmeasurable([(f'metric "{metric.id}": expr', metric.expr) for metric in study.metrics])
    problems += rehearse_assumptions(study.assumptions)
    words = ClaimWords(_made_up_samples(study), study.runs())
    for claim in study.claims:
        try:
            judge(claim, words, REPLICATIONS)
        except ExpressionError as error:
            problems.append(f'claim "{claim.id}": {error}')
    return problems


def rehearse_assumptions(assumptions: Iterable[Assumption]) -> list[str]:
    """The same of the metrics that alternatives define."""
    return _unmeasurable(
        (f'assumption "{assumption.what}", alternative "{alternative.label}", metric "{id}"', expr)
        for assumption in assumptions
        for alternative in assumption.alternatives
        for id, expr in alternative.metrics.items()
    )


def _unmeasurable(expressions: Iterable[tuple[str, str]]) -> list[str]:
    problems = []
    for place, text in expressions:
        try:
            measure(Expression(text), _AnyResult())
        except ExpressionError as error:
            problems.append(f"{place}: {error}")
    return problems


def _made_up_samples(study: Study) -> dict[str, dict[str, Any]]:
    # Every vector differs from the others, so that no difference is zero and no comparison a tie.
    numbers = np.random.default_rng(1)
    return {
        metric.id: {run.name: numbers.uniform(1, 2, REPLICATIONS) for run in study.runs()}
        for metric in study.metrics
    }


class _AnyResult(dict[str, Any]):
    """A run document in which every flow, link, group and series exists."""

    def __init__(self) -> None:
        super().__init__(
            flows=_AnyRows(FlowRecord),
            links=_AnyRows(LinkRecord),
            groups=_AnyRows(GroupRecord),
            fairness=1.0,
            duration_s=100.0,
            measured_s=(10.0, 100.0),
            series=_AnySeries(),
        )


class _AnyName(str):
    """Equal to every name."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __hash__(self) -> int:
        return 0


class _AnyRows(list[Mapping[str, Any]]):
    def __init__(self, record: type[BaseModel]) -> None:
        row = {
            field.alias or name: _AnyName("any") if field.annotation is str else 1.0
            for name, field in record.model_fields.items()
        }
        super().__init__([row, dict(row)])


class _AnyNames(list[str]):
    def __contains__(self, key: object) -> bool:
        return True


class _AnySeries(Series):
    """A sample a second, so that parts of a series that differ in length do so here."""

    def __init__(self) -> None:
        super().__init__(pl.DataFrame({"time_s": np.arange(1.0, 100.0)}))

    def owners(self, kind: str) -> Sequence[str]:  # noqa: ARG002  (what a run's series are asked with)
        return _AnyNames()

    def quantities(self, kind: str, owner: str) -> Sequence[str]:  # noqa: ARG002  (what a run's series are asked with)
        return _AnyNames()

    def values(self, kind: str, owner: str, quantity: str) -> Vector:  # noqa: ARG002  (what a run's series are asked with)
        return np.linspace(1, 2, self.time_s.size)
