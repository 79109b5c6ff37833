"""Run documents with synthetic numbers, on which expressions are tried before there is a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel

from ackclock.schemas.run import FlowRecord, GroupRecord, LinkRecord
from ackclock.series import TIME, Series, Vector


def run_of_any_names() -> dict[str, Any]:
    """Returns a run in which every flow, link, group and series exists, and which ends after any time that an
    expression names.
    """
    two = [_AnyName("any"), _AnyName("any")]
    names = Names(flows=[(name, name) for name in two], groups=two, links=two, series=(), duration_s=100.0)
    return {**_run(names, _AnySeries()), "measured_s": (10.0, math.inf)}


@dataclass(frozen=True)
class Names:
    """The names of the flows, with their groups, of the links and of the series of a run, and its duration."""

    flows: Sequence[tuple[str, str]]
    groups: Sequence[str]
    links: Sequence[str]
    series: Sequence[str]
    duration_s: float

    @classmethod
    def of(cls, outline: Mapping[str, Any]) -> Names:
        """Returns the names of a run, as ``core.outlines`` gives them."""
        flows = tuple((name, group["group"]) for group in outline["flows"] for name in group["names"])
        groups = tuple(group["group"] for group in outline["flows"])
        return cls(flows, groups, tuple(outline["links"]), tuple(outline["series"]), outline["duration_s"])


def run_of(names: Names) -> dict[str, Any]:
    """Returns a run with the flows, links and series of these names."""
    return _run(names, _OneSample(names))


def _run(names: Names, series: Series) -> dict[str, Any]:
    flow, link, group = _row(FlowRecord), _row(LinkRecord), _row(GroupRecord)
    return {
        "flows": [{**flow, "name": name, "group": group} for name, group in names.flows],
        "links": [{**link, "name": name} for name in names.links],
        "groups": [{**group, "name": name} for name in names.groups],
        "fairness": 1.0,
        "duration_s": names.duration_s,
        "measured_s": (0.1 * names.duration_s, names.duration_s),
        "series": series,
    }


def _row(record: type[BaseModel]) -> dict[str, Any]:
    return {
        field.alias or name: _AnyName("any") if field.annotation is str else 1.0
        for name, field in record.model_fields.items()
    }


class _OneSample(Series):
    """All series of the names. Parts of a series have the one sample or none, so that any computation with two of
    them works.
    """

    def __init__(self, names: Names) -> None:
        super().__init__(pl.DataFrame({TIME: np.array([names.duration_s / 2])}))
        self._names = names.series

    def paths(self) -> Sequence[str]:
        return self._names

    def values(self, kind: str, owner: str, quantity: str) -> Vector:  # noqa: ARG002  (what a run's series are asked with)
        return np.ones(1)


class _AnyName(str):
    """Equal to every name, and begins as every name does."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __hash__(self) -> int:
        return 0


class _AnyNames(list[str]):
    def __contains__(self, key: object) -> bool:
        return True


class _AnySeries(Series):
    """Series with a sample per second, so that parts of different length have different numbers of samples."""

    def __init__(self) -> None:
        super().__init__(pl.DataFrame({"time_s": np.arange(1.0, 100.0)}))

    def owners(self, kind: str) -> Sequence[str]:  # noqa: ARG002  (what a run's series are asked with)
        return _AnyNames()

    def quantities(self, kind: str, owner: str) -> Sequence[str]:  # noqa: ARG002  (what a run's series are asked with)
        return _AnyNames()

    def values(self, kind: str, owner: str, quantity: str) -> Vector:  # noqa: ARG002  (what a run's series are asked with)
        return np.linspace(1, 2, self.time_s.size)
