"""Run documents of made-up numbers, on which expressions are tried before there is a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel

from ackclock.schemas.run import FlowRecord, GroupRecord, LinkRecord
from ackclock.series import Series, Vector


def run_of_any_names() -> dict[str, Any]:
    """A run in which every flow, link, group and series exists."""
    two = [_AnyName("any"), _AnyName("any")]
    return _run(Names(flows=[(name, name) for name in two], groups=two, links=two, series=()), _AnySeries())


@dataclass(frozen=True)
class Names:
    """What the flows, with their groups, the links and the series of a run are called."""

    flows: Sequence[tuple[str, str]]
    groups: Sequence[str]
    links: Sequence[str]
    series: Sequence[str]

    @classmethod
    def of(cls, described: Mapping[str, Any], series: Iterable[str]) -> Names:
        """Those that ``core.describe`` says a run of a scenario has, with those of ``core.series_names``."""
        flows = tuple((name, group["group"]) for group in described["flows"] for name in group["names"])
        groups = tuple(group["group"] for group in described["flows"])
        return cls(flows, groups, tuple(described["links"]), tuple(series))


def run_of(names: Names) -> dict[str, Any]:
    """A run in which there is what is named."""
    return _run(names, _MadeUpSeries(names.series))


def _run(names: Names, series: Series) -> dict[str, Any]:
    flow, link, group = _row(FlowRecord), _row(LinkRecord), _row(GroupRecord)
    return {
        "flows": [{**flow, "name": name, "group": group} for name, group in names.flows],
        "links": [{**link, "name": name} for name in names.links],
        "groups": [{**group, "name": name} for name in names.groups],
        "fairness": 1.0,
        "duration_s": 100.0,
        "measured_s": (10.0, 100.0),
        "series": series,
    }


def _row(record: type[BaseModel]) -> dict[str, Any]:
    return {
        field.alias or name: _AnyName("any") if field.annotation is str else 1.0
        for name, field in record.model_fields.items()
    }


class _MadeUpSeries(Series):
    """A sample a second, so that parts of a series that differ in length do so here."""

    def __init__(self, names: Sequence[str]) -> None:
        times = np.arange(1.0, 100.0)
        super().__init__(
            pl.DataFrame({"time_s": times, **dict.fromkeys(names, np.linspace(1, 2, times.size))})
        )


class _AnyName(str):
    """Equal to every name."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __hash__(self) -> int:
        return 0


class _AnyNames(list[str]):
    def __contains__(self, key: object) -> bool:
        return True


class _AnySeries(_MadeUpSeries):
    def __init__(self) -> None:
        super().__init__(())

    def owners(self, kind: str) -> Sequence[str]:  # noqa: ARG002  (what a run's series are asked with)
        return _AnyNames()

    def quantities(self, kind: str, owner: str) -> Sequence[str]:  # noqa: ARG002  (what a run's series are asked with)
        return _AnyNames()

    def values(self, kind: str, owner: str, quantity: str) -> Vector:  # noqa: ARG002  (what a run's series are asked with)
        return np.linspace(1, 2, self.time_s.size)
