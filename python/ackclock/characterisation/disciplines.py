"""The disciplines under test, and the queues at which a study sets them.

A base file lists the disciplines once (``[[disciplines]]``). A study says in ``[disciplines]`` which links they go to,
and in which variants; each discipline in each variant is a case of the study, named ``codel`` or ``codel+heavy``. The
first discipline, drop-tail, is the baseline of the others (RFC 7928 section 1.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from ackclock._numbers import number_of
from ackclock.characterisation.parameters import numbers, scaled
from ackclock.experiment.model import Table

BASELINE = "droptail"
OF_VARIANT = "+"
"""The separator between the discipline and the variant in the name of a case."""
WITH_SCHEDULER = "(with scheduler)"
"""The suffix of the label of a discipline that schedules several queues."""


class Discipline(Table):
    """A discipline under test."""

    name: str = Field(description="name of the queue discipline, as in `ackclock list queues`")
    label: str
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="parameters that differ from the defaults"
    )
    delay: dict[str, str] = Field(
        default_factory=dict,
        description="parameters that depend on the target delay, each as a multiple of it: "
        '"1 ms" stands for the target delay, "0.5 packets" for half the number of packets that the link can send '
        "during the target delay",
    )
    ecn: bool = Field(default=False, description="whether the discipline can mark packets")
    scheduler: bool = Field(
        default=False, description="whether the discipline schedules several queues (RFC 7928 section 4.6)"
    )

    @property
    def title(self) -> str:
        """Returns its label, with a remark if it has a scheduler."""
        return f"{self.label} {WITH_SCHEDULER}" if self.scheduler else self.label


class Variant(Table):
    """The same disciplines in another setting of the scenario."""

    name: str
    label: str
    overrides: dict[str, Any] = Field(default_factory=dict)
    at: list[str] | None = Field(
        default=None, description="dotted paths of the queues; default: `at` of [disciplines]"
    )
    limit: str | list[str] | None = Field(
        default=None,
        description="buffer size of every queue, or a list with one size for each queue; default: `limit` of "
        "[disciplines]",
    )
    ecn: bool = Field(
        default=False,
        description="whether the queues mark packets; if so, disciplines that cannot mark are left out, except "
        "drop-tail",
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="parameters of the discipline that the variant changes"
    )
    delays_ms: list[float] = Field(
        default_factory=list,
        description="target delays in milliseconds: one for each queue, or one for all; disciplines without a "
        "target delay are left out, except drop-tail",
    )
    beside: dict[str, list[str]] = Field(
        default_factory=dict,
        description="disciplines of queues outside `at`: a table from the dotted path of a queue to a list of "
        "disciplines, of which the queue uses the first that is not under test. The queue uses drop-tail if the list "
        "has no such discipline, or if drop-tail is under test",
    )


class Placement(Table):
    """The queues of a scenario at which the disciplines are set."""

    at: list[str] = Field(min_length=1, description="dotted paths of the queues")
    limit: str | list[str] = Field(
        description="buffer size of every queue, or a list with one size for each queue"
    )
    packets_per_s: float = Field(
        default=833.3,
        description="rate of the link in packets per second, which converts a target delay into packets",
    )
    only: list[str] | None = Field(default=None, description="names of the disciplines to test; default: all")
    only_ecn: bool = Field(default=False, description="whether only disciplines that can mark are tested")
    variants: list[Variant] = Field(default_factory=list)
    factors: list[float] = Field(
        default_factory=list,
        description="list of factors: each numeric parameter is multiplied by each factor, and each product in the "
        "valid range of the parameter gives a variant",
    )


def cases(placement: Placement, disciplines: Sequence[Discipline]) -> list[dict[str, Any]]:
    """Returns the cases of a study, as its file could have them. ValueError for an unknown discipline."""
    names = [discipline.name for discipline in disciplines]
    unknown = [name for name in placement.only or () if name not in names]
    if unknown:
        raise ValueError(
            f'disciplines.only: there is no discipline "{unknown[0]}", expected one of {", ".join(names)}'
        )
    chosen = [
        discipline
        for discipline in disciplines
        if (placement.only is None or discipline.name in placement.only)
        and (discipline.ecn or not placement.only_ecn)
    ]
    variants: list[Variant | None] = [*placement.variants] or [None]
    found = [
        _case(placement, discipline, variant, disciplines)
        for discipline in chosen
        for variant in [*variants, *varied(discipline.name, discipline.parameters, placement.factors)]
        if variant is None or _takes_part(discipline, variant)
    ]
    # Drop-tail has no target delay: variants that differ only in that are one case.
    seen = [case["overrides"] for case in found]
    return [case for k, case in enumerate(found) if case["overrides"] not in seen[:k]]


def discipline_of(case: str) -> str:
    """Returns the discipline of the case called ``case``."""
    return case.partition(OF_VARIANT)[0]


def variant_of(case: str) -> str:
    """Returns the variant of the case called ``case``; empty without one."""
    return case.partition(OF_VARIANT)[2]


def varied(name: str, own: Mapping[str, Any], factors: Sequence[float]) -> list[Variant]:
    """Returns variants that change one parameter each, without values that the discipline would refuse."""
    return [
        Variant(
            name=f"{parameter}-x{factor:g}",
            label=f"{parameter} times {factor:g}",
            parameters={parameter: value},
        )
        for parameter, default in (numbers(name).items() if factors else ())
        for factor in factors
        for value in [scaled(name, own, parameter, own.get(parameter, default), factor)]
        if value is not None
    ]


def _takes_part(discipline: Discipline, variant: Variant) -> bool:
    """Returns whether a discipline takes part in a variant about marks or a target delay; the baseline always does."""
    return discipline.name == BASELINE or (
        (discipline.ecn or not variant.ecn) and bool(discipline.delay or not variant.delays_ms)
    )


def _case(
    placement: Placement, discipline: Discipline, variant: Variant | None, disciplines: Sequence[Discipline]
) -> dict[str, Any]:
    at = placement.at if variant is None or variant.at is None else variant.at
    limit = placement.limit if variant is None or variant.limit is None else variant.limit
    limits = [limit] * len(at) if isinstance(limit, str) else limit
    if len(limits) < len(at):
        raise ValueError(
            f"disciplines: found {number_of(len(limits), 'limit')} for {number_of(len(at), 'queue')}, "
            "expected one limit for each queue"
        )
    overrides: dict[str, Any] = {}
    for k, (path, size) in enumerate(zip(at, limits, strict=False)):
        queue = {"name": discipline.name, "limit": size, **discipline.parameters}
        if variant is not None and variant.delays_ms and discipline.delay:
            queue |= _wanted(
                discipline, variant.delays_ms[min(k, len(variant.delays_ms) - 1)], placement.packets_per_s
            )
        if variant is not None and variant.ecn and discipline.ecn:
            queue["ecn"] = True
        if variant is not None:
            queue |= variant.parameters
        overrides[path] = queue
    if variant is None:
        return {"name": discipline.name, "label": discipline.title, "overrides": overrides}
    for path, names in variant.beside.items():
        other = (
            discipline.name
            if discipline.name == BASELINE
            else next((name for name in names if name != discipline.name), BASELINE)
        )
        parameters = next((one.parameters for one in disciplines if one.name == other), {})
        overrides[path] = {"name": other, "limit": limits[min(len(at), len(limits) - 1)], **parameters}
    return {
        "name": f"{discipline.name}{OF_VARIANT}{variant.name}",
        "label": f"{discipline.title}, {variant.label}",
        "overrides": {**overrides, **variant.overrides},
    }


def _wanted(discipline: Discipline, delay_ms: float, packets_per_s: float) -> Mapping[str, str]:
    """Returns the parameters of ``discipline`` for a target delay of ``delay_ms``."""
    found = {}
    for parameter, share in discipline.delay.items():
        factor, unit = share.split()
        number = float(factor) * delay_ms * (packets_per_s / 1e3 if unit == "packets" else 1.0)
        found[parameter] = f"{number:.6g} {unit}"
    return found
