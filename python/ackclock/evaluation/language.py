"""The files of scenarios of an evaluation: a scenario, its settings, what is measured, and the criteria."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from pydantic import Field, model_validator
from typing_extensions import Self

from ackclock._names import nearest
from ackclock._overrides import merge
from ackclock.evaluation.limits import Limit, Measure, known
from ackclock.experiment.comparison import measured
from ackclock.experiment.model import Criterion, Metric, Setting, Table

TESTED, SOLO = "tested", "solo"
"""The names of two contenders in the samples: the control under test, and the scenario without this control."""
BEFORE = " before"
"""A limit of the measure `change` compares with an undisturbed setting. There, this suffix is added to the name of the
control.
"""
PACKET = 1500
"""The size of a packet on the wire, in bytes."""
LEAST_BUFFER = 10
"""The smallest buffer of the grid, in packets."""
WINDOW = 10_000
"""The default receive window of the transports, in packets. Settings of the grid that need a larger window set it."""
OF_WINDOW = "window"
"""The override key for the receive window of all flows whose transport has this parameter."""

MARKS = "marks"
"""The override key that enables ECN for the flows of the control under test."""


class Point(Table):
    """A value of an axis: the name that the reader sees, and the values of the scenario that it sets."""

    name: str
    set: dict[str, Any] = Field(default_factory=dict)
    quick: bool = Field(default=False, description="whether a quick evaluation includes the point")
    marks: bool = Field(
        default=False,
        description="whether this point of the axis turns ECN on for the control under test; an evaluation over a "
        "transport without ECN leaves the point out",
    )


class Axis(Table):
    """A quantity that the settings of a scenario vary, as a list of ``points`` or of ``values`` for one ``path``."""

    name: str
    path: str = Field(default="", description="dotted path of the scenario key that the values set")
    values: list[Any] = Field(default_factory=list)
    quick: list[Any] = Field(default_factory=list, description="values that a quick evaluation includes")
    points: list[Point] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if bool(self.points) == bool(self.values):
            found = "both" if self.points else "neither"
            raise ValueError(f"expected either `points`, or `path` and `values`, found {found}")
        if self.values and not self.path:
            raise ValueError("`values` need a `path`")
        if unknown := [value for value in self.quick if value not in self.values]:
            raise ValueError(f"quick: {unknown[0]!r} is not one of `values`")
        return self

    def all_points(self) -> list[Point]:
        """Returns the points of the axis."""
        return self.points or [
            Point(name=str(value), set={self.path: value}, quick=value in self.quick) for value in self.values
        ]


class Grid(Table):
    """The paths of the common grid: rates, round trips and buffers, as axes of a dumbbell with drop-tail queues.

    A buffer holds at least 10 packets of 1500 bytes; links of hosts have ten times the rate.
    """

    rates_mbps: list[float] = Field(default_factory=lambda: [1.0, 10, 50, 200, 1000])
    rtts_ms: list[float] = Field(default_factory=lambda: [5.0, 20, 50, 100, 200])
    buffers_bdp: list[float] = Field(default_factory=lambda: [0.25, 0.5, 1, 2, 8])
    quick_rates_mbps: list[float] = Field(default_factory=lambda: [10.0, 100])
    quick_rtts_ms: list[float] = Field(default_factory=lambda: [20.0, 100])
    quick_buffers_bdp: list[float] = Field(default_factory=lambda: [0.5, 1, 4])

    def cells(self, *, quick: bool) -> Iterator[Setting]:
        """Returns the settings of the grid, the buffer varying fastest. Of buffers that are alike, because they hold
        the least number of packets, there is one.
        """
        lists = (
            (self.quick_rates_mbps, self.quick_rtts_ms, self.quick_buffers_bdp)
            if quick
            else (self.rates_mbps, self.rtts_ms, self.buffers_bdp)
        )
        known = set()
        for rate, rtt, buffer in product(*lists):
            product_packets = rate * rtt * 1e3 / 8 / PACKET
            wanted = math.ceil(buffer * product_packets)
            packets = max(LEAST_BUFFER, wanted)
            if (rate, rtt, packets) in known:
                continue
            known.add((rate, rtt, packets))
            size = f"{packets} packets" if packets >= 2 * wanted else f"{buffer:g} BDP"
            overrides = {
                "dumbbell.bottleneck.rate": f"{rate:g} Mbit/s",
                "dumbbell.access.rate": f"{10 * rate:g} Mbit/s",
                "dumbbell.rtt": f"{rtt:g} ms",
                "dumbbell.bottleneck.queue.limit": f"{packets} packets",
            }
            # A tenth more than what fits into the path and its buffer, so that the receiver limits nothing.
            window = math.ceil(1.1 * (product_packets + packets))
            if window > WINDOW:
                overrides[OF_WINDOW] = f"{window} packets"
            yield setting_at(
                {"rate": f"{rate:g} Mbit/s", "round trip": f"{rtt:g} ms", "buffer": size}, overrides
            )


def setting_at(at: Mapping[str, str], overrides: Mapping[str, Any]) -> Setting:
    """Returns the setting at a point of each axis, named by them; its name is empty without axes."""
    return Setting(", ".join(f"{axis} {point}" for axis, point in at.items()), overrides, at=at)


def buffer_order(size: str) -> tuple[bool, float]:
    """Returns the key by which the buffers of the grid are sorted: that in packets before those in products of rate and
    round trip (BDP).
    """
    number, unit = size.split()
    return unit == "BDP", float(number)


class Demand(Table):
    """A limit on a metric, as a file states it."""

    metric: str
    limit: str | Limit = Field(description="name of a bundled limit, or a table that defines a limit")
    against: dict[str, str] = Field(
        default_factory=dict,
        description='for measure = "change": undisturbed setting to compare with, as names of axes, each with the name '
        "of one of its points",
    )
    only: dict[str, list[str]] = Field(
        default_factory=dict,
        description="settings to which the limit applies, as names of axes, each with the names of some of its points; "
        "default: every setting",
    )
    equal: str = Field(
        default="",
        description='for measure = "harm": metric that computes what the other flows would get if all flows had equal '
        "shares. It is computed once with the tested control and once with the reference. The condition is also met if "
        "the other flows, in competition with the tested control, get at least 90 % of the larger of the two values",
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if isinstance(self.limit, str) and self.limit not in known():
            raise ValueError(f'limit: there is no limit "{self.limit}"{nearest(self.limit, list(known()))}')
        measure = self.limits.measure
        if (measure == "change") != bool(self.against):
            raise ValueError('a limit with measure = "change" needs `against`, which no other measure allows')
        if self.equal and measure != "harm":
            raise ValueError('`equal` is only for a limit with measure = "harm"')
        return self

    @property
    def limits(self) -> Limit:
        """Returns the limit itself."""
        return known()[self.limit] if isinstance(self.limit, str) else self.limit

    @property
    def name(self) -> str:
        """Returns the name of the limit; empty for one of the file's own."""
        return self.limit if isinstance(self.limit, str) else ""


@dataclass(frozen=True)
class Condition:
    """A metric with its limit, or without any: numbers that are shown and not judged."""

    metric: Metric
    demand: Demand | None = None

    @property
    def limit(self) -> Limit | None:
        """Returns the limit; None for numbers without one."""
        return None if self.demand is None else self.demand.limits

    @property
    def measure(self) -> Measure:
        """Returns what is measured."""
        return "value" if self.limit is None else self.limit.measure

    @property
    def text(self) -> str:
        """Returns the condition in words: ``Loss: at most 5 %``."""
        return self.metric.label if self.limit is None else f"{self.metric.label}: {self.limit.text}"

    def concerns(self, setting: Setting) -> bool:
        """Returns whether the condition is on this setting."""
        only = {} if self.demand is None else self.demand.only
        return all(setting.at.get(axis) in points for axis, points in only.items())

    def criterion(self, control: str, reference: str) -> Criterion:
        """Returns what is expected of ``control`` in a setting where ``reference`` took its seat.

        The samples of a setting have the controls as names, ``tested`` and ``solo`` among them.
        """
        metric, limit = self.metric, self.limit
        own, other, solo = (f"{metric.id}({name!r})" for name in (control, reference, SOLO))
        if limit is None:
            return Criterion(self.text, own)
        if limit.measure == "harm":
            harm = f"harm_to_{metric.better}"
            expression = f"{harm}({solo}, {own}) - {harm}({solo}, {other})"
        elif limit.measure == "change":
            expression = f"{own} / {metric.id}({control + BEFORE!r})"
        else:
            measure = "value" if limit.measure == "rate" else limit.measure
            expression = measured(measure, own, other, floor=limit.floor)
        return Criterion(self.text, expression, limit.low, limit.high, logarithmic=limit.measure == "ratio")


class Quick(Table):
    """How a quick evaluation differs: values that it sets after those of the axes."""

    set: dict[str, Any] = Field(default_factory=dict)


class Solo(Table):
    """The same scenario without the control under test, from which harm is computed."""

    set: dict[str, Any]


class ScenarioFile(Table):
    """A file of the evaluation."""

    family: str = Field(
        pattern=r"^(N-\d\d|[a-z-]+)$",
        description="criterion of RFC 9743, e.g. N-03, or scenario set, e.g. flent, to which the scenario belongs",
    )
    title: str
    summary: str = Field(description="topology, flows and events, in sentences")
    source: str = Field(
        default="",
        description="for a scenario of a set: source of the parameters, and deviations from the source",
    )
    tested: list[str] = Field(
        default_factory=lambda: ["tested"], description="groups of flows that run the control under test"
    )
    lacks: list[str] = Field(
        default_factory=list,
        description="weaknesses of the scenario as a test of the RFC's section: parts that it omits or tests less "
        "strictly, and limits that are easy to meet",
    )
    partial: str = Field(
        default="",
        description="reason why the RFC's section is not satisfied even if all conditions are met, worded to follow "
        "`but` in the report. With this key, the verdict of the criterion is `no limit` where it would otherwise be OK",
    )
    marks: bool = Field(
        default=False,
        description="whether every setting turns ECN on for the control under test; otherwise, only the points of axes "
        "with `marks = true` do",
    )
    details: dict[str, Any] = Field(
        default_factory=dict,
        description="values for parameters of the tested flows' transport, which apply if the transport has these "
        "parameters and they are not set elsewhere",
    )
    figure: str = Field(default="", description="id of the metric in the figure; default: the first metric")
    grid: Grid | None = Field(
        default=None,
        description="grid of link rates, RTTs and buffer sizes at which to run; `grid = {}` is the default grid",
    )
    axes: list[Axis] = Field(default_factory=list)
    metrics: list[Metric] = Field(min_length=1)
    criteria: list[Demand] = Field(default_factory=list)
    quick: Quick = Field(default_factory=Quick)
    solo: Solo | None = None
    scenario: dict[str, Any]

    @model_validator(mode="after")
    def _says_what_is_better(self) -> Self:
        """Refuses a metric without ``better``, on which harm and comparisons of records depend."""
        for metric in self.metrics:
            if "better" not in metric.model_fields_set:
                raise ValueError(f'metric "{metric.id}": `better` is missing, expected more, less or neither')
        return self

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        metrics = {metric.id for metric in self.metrics}
        axes: dict[str, set[str]] = {}
        for setting in self.settings(quick=False):
            for of, point in setting.at.items():
                axes.setdefault(of, set()).add(point)
        for number, criterion in enumerate(self.criteria, start=1):
            for unknown in {criterion.metric, criterion.equal or criterion.metric} - metrics:
                raise ValueError(f'criteria[{number}]: there is no metric "{unknown}"')
            better = self.metric(criterion.metric).better
            if criterion.equal and better != "more":
                raise ValueError(f'criteria[{number}]: `equal` needs a metric with better = "more"')
            if criterion.limits.measure == "harm" and (self.solo is None or better == "neither"):
                raise ValueError(
                    f'criteria[{number}]: a harm limit needs [solo], and a metric with better = "more" or "less"'
                )
            places = [*criterion.against.items()]
            places += [(of, point) for of, points in criterion.only.items() for point in points]
            for of, point in places:
                if point not in axes.get(of, ()):
                    raise ValueError(
                        f'criteria[{number}]: the scenario has no axis "{of}" with a point "{point}"'
                    )
        if self.figure and self.figure not in metrics:
            raise ValueError(f'figure: there is no metric "{self.figure}"')
        for axis in self.axes:
            if not any(point.quick for point in axis.all_points()):
                raise ValueError(
                    f'axis "{axis.name}": expected at least one point for quick evaluations, found none: set `quick`'
                )
        return self

    def metric(self, id: str) -> Metric:
        """Returns the metric called ``id``."""
        return next(metric for metric in self.metrics if metric.id == id)

    @cached_property
    def conditions(self) -> list[Condition]:
        """Returns the conditions: the criteria, then each metric that none of them is on."""
        limited = {one.metric for one in self.criteria}
        numbers = [Condition(metric) for metric in self.metrics if metric.id not in limited]
        return [*(Condition(self.metric(one.metric), one) for one in self.criteria), *numbers]

    def settings(self, *, quick: bool) -> Iterator[Setting]:
        """Returns the settings: the product of the grid and the axes, the last varying fastest."""
        own_of_quick = self.quick.set if quick else {}
        cells = [setting_at({}, {})] if self.grid is None else list(self.grid.cells(quick=quick))
        points = [[point for point in axis.all_points() if point.quick or not quick] for axis in self.axes]
        for cell in cells:
            for chosen in product(*points):
                own = {axis.name: point.name for axis, point in zip(self.axes, chosen, strict=True)}
                sets = [point.set for point in chosen]
                overrides = merge(cell.overrides, *sets, own_of_quick)
                if self.marks or any(point.marks for point in chosen):
                    overrides[MARKS] = True
                yield setting_at({**cell.at, **own}, overrides)
