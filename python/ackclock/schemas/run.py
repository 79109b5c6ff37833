"""The document of ``ackclock run --json``.

The core declares the fields of a result. Counts and means are over the measured part of the run, from the end of the
warm-up to the end of the run. A value is null if there was no sample. Names end in their unit: ``_s`` seconds, ``_bps``
bits per second, ``_packets`` packets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from ackclock import _typed_core as core
from ackclock.schemas import series as meanings


class Document(BaseModel):
    """A published document. A key that is not described here is an error in the program that wrote it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def filled(cls, source: object, /, **others: Any) -> dict[str, Any]:
        """Returns the record as a dictionary: the values in ``others``, else attributes of ``source``."""
        return {
            field: others[field] if field in others else getattr(source, field) for field in cls.model_fields
        }


_TYPES: Mapping[str, Any] = {
    "number": float,
    "share": Annotated[float, Field(ge=0, le=1)],
    "integer": int,
    "text": str,
    "numbers": list[float],
    "pair": tuple[float, float],
}
"""The type of a field, by the name of its kind in the core."""
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class Series(Document):
    """Time series, all sampled at the times in ``time_s``."""

    time_s: list[float] = Field(
        description="times of the samples of all series, in seconds since the start of the run"
    )
    flows: dict[str, dict[str, list[float | None]]] = Field(
        description="series by flow and quantity, each a list of values",
        json_schema_extra={"quantities": dict(meanings.FLOWS)},
    )
    links: dict[str, dict[str, list[float | None]]] = Field(
        description="series by link and quantity, each a list of values",
        json_schema_extra={"quantities": dict(meanings.LINKS)},
    )


def _record(title: str, about: str, declared: Sequence[Mapping[str, Any]], **records: Any) -> Any:
    """Returns the model of a record that the core declares; ``records`` are the models of the records in its lists."""
    fields: dict[str, Any] = {}
    for field in declared:
        kind: Any = field["kind"]
        holds: Any = Series if kind == "series" else _TYPES.get(str(kind))
        if holds is None:
            holds = GenericAlias(list, (records[kind["records"]],))
        annotation = holds | None if field["nullable"] or field["optional"] else holds
        default = None if field["optional"] or kind == "series" else ...
        unit = {"unit": field["unit"]} if field["unit"] else None
        fields[field["name"]] = (
            annotation,
            Field(default, description=plain(field["meaning"]), json_schema_extra=unit),
        )
    return create_model(title, __base__=Document, __doc__=about, __module__=__name__, **fields)


def plain(meaning: str) -> str:
    """Returns a definition with each Markdown link replaced by its text."""
    return _LINK.sub(r"\1", meaning.strip())


if TYPE_CHECKING:

    class FlowRecord(Document):
        """One flow."""

    class LinkRecord(Document):
        """One link, in one direction."""

    class GroupRecord(Document):
        """All flows of one [[flows]] table."""

    class TransferRecord(Document):
        """One connection of a flow with transfers or web sessions."""

    class SizeClassRecord(Document):
        """The connections of one flow in one class of transfer sizes."""

    class Result(Document):
        """The result of one run."""

else:
    _declared = core.fields()
    FlowRecord = _record("FlowRecord", "One flow.", _declared["flow"])
    LinkRecord = _record("LinkRecord", "One link, in one direction.", _declared["link"])
    GroupRecord = _record("GroupRecord", "All flows of one [[flows]] table.", _declared["group"])
    TransferRecord = _record(
        "TransferRecord", "One connection of a flow with transfers or web sessions.", _declared["transfer"]
    )
    SizeClassRecord = _record(
        "SizeClassRecord",
        "The connections of one flow in one class of transfer sizes.",
        _declared["size_class"],
    )
    Result = _record(
        "Result",
        "The result of one run.",
        _declared["run"],
        flow=FlowRecord,
        link=LinkRecord,
        group=GroupRecord,
        transfer=TransferRecord,
        size_class=SizeClassRecord,
    )


class Statistic(Document):
    """Statistics of a quantity over the replications."""

    mean: float | None = Field(description="mean over the runs that have a value; null if none has one")
    std: float | None = Field(
        description="standard deviation (n - 1) over the runs that have a value; null with fewer than two"
    )
    interval: tuple[float, float] | None = Field(
        description="95 % confidence interval of the mean (Student's t); null with fewer than two values"
    )
    samples: int = Field(description="number of runs that have a value")


class Point(Document):
    """All replications at one point of the scenario's sweep."""

    overrides: dict[str, Any] = Field(
        description="values that the sweep sets, by dotted paths; empty without a sweep"
    )
    runs: list[Result] = Field(
        description="results of the runs at this point of the sweep, in the order of their seeds"
    )
    summary: dict[str, Statistic] = Field(
        description="statistics over the runs, by quantity: fairness, groups.<group>.<quantity> (mean over the flows "
        "of the group), links.<link>.<quantity> and, with `observe.transfers`, "
        "size_classes.<group>.<class>.<quantity>, where a class is up_to_100kB, 100kB_to_10MB or above_10MB"
    )


class RunDocument(Result):
    """The document that ``run --json`` prints: the result of the first run; with several runs, all results."""

    points: list[Point] | None = Field(
        default=None,
        description="one record for each point of the sweep, with the results of its runs; null for a single "
        "run",
    )
