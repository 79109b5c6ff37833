"""The files of scenarios of an evaluation: a scenario, its settings, what is measured, and the criteria."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from ackclock._overrides import merge
from ackclock.experiment.comparison import measured
from ackclock.experiment.model import Criterion, Metric, Setting, Table

Measure = Literal["value", "ratio", "difference", "harm", "allowance", "change"]
TESTED, SOLO = "tested", "solo"
"""The names under which samples of the control under test, and of the scenario without it, are kept."""
BEFORE = " before"
"""Ends the name of a control whose samples are those in the setting that a change compares with."""
PACKET = 1500
"""The size of a packet on the wire, in bytes."""
LEAST_BUFFER = 10
"""The smallest buffer of the grid, in packets."""
WINDOW = 10_000
"""The receive window of the transports, in packets, that settings have unless they need a larger one."""
OF_WINDOW = "window"
"""The override of a setting that stands for the receive window of all flows whose transport can have one."""


class Point(Table):
    """A value of an axis: the name that the reader sees, and the values of the scenario that it sets."""

    name: str
    set: dict[str, Any] = Field(default_factory=dict)
    quick: bool = Field(default=False, description="whether a quick evaluation has it")


class Axis(Table):
    """A quantity that the settings of a scenario vary, as a list of ``points`` or of ``values`` for one ``path``."""

    name: str
    path: str = Field(default="", description="the dotted path of the scenario that takes the values")
    values: list[Any] = Field(default_factory=list)
    quick: list[Any] = Field(
        default_factory=list, description="those of the values that a quick evaluation has"
    )
    points: list[Point] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if bool(self.points) == bool(self.values):
            raise ValueError("give either `points`, or `path` and `values`")
        if self.values and not self.path:
            raise ValueError("`values` need a `path`")
        if unknown := [value for value in self.quick if value not in self.values]:
            raise ValueError(f"quick: {unknown[0]!r} is not among the values")
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


class Condition(Table):
    """A condition on the control under test: the template of a criterion for each setting.

    ``value`` is the metric itself; ``ratio`` and ``difference`` compare with the reference control in the same seat,
    seed by seed (a ratio by the mean of its logarithm); ``harm`` is the harm to another flow minus the harm that the
    reference does to it in the same seat; ``allowance`` is the metric minus ``factor`` times the reference's, or
    minus ``least`` where that is more; ``change`` is the ratio to the same control in the setting ``against``.
    """

    metric: str
    measure: Measure = "value"
    text: str = Field(description="the condition in a sentence")
    low: float | None = None
    high: float | None = None
    info_low: float | None = Field(
        default=None, description="below low but surely not below this is only INFO; -inf for any value"
    )
    info_high: float | None = Field(
        default=None, description="above high but surely not above this is only INFO; inf for any value"
    )
    factor: float = Field(default=1.0, description="for an allowance")
    least: float = Field(default=0.0, description="for an allowance")
    floor: float = Field(default=0.0, description="for a ratio: lower values count as this value")
    against: dict[str, str] = Field(
        default_factory=dict, description="for a change: axes and the points to compare with"
    )
    only: dict[str, list[str]] = Field(
        default_factory=dict, description="axes and their points; default: every setting"
    )
    excused: bool = Field(
        default=False,
        description="only INFO where a reference does not meet the limit either, and is not surely nearer to it",
    )
    fair: str = Field(
        default="",
        description="for harm: the metric of an equal share of the others; only INFO where they surely keep nine "
        "tenths of it, and of what it is with the reference",
    )
    any_run: bool = Field(
        default=False,
        description="judged by the run in which the value is worst: what happens once can happen; for a value",
    )
    cells: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="the share of the settings in which it has to hold, rounded to whole settings",
    )
    info: bool = Field(default=False, description="numbers without a verdict")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.info and self.low is None and self.high is None:
            raise ValueError("no condition: give low or high, or info = true")
        if (self.measure == "change") != bool(self.against):
            raise ValueError('`against` and measure = "change" belong together')
        if self.fair and self.measure != "harm":
            raise ValueError('`fair` is for measure = "harm"')
        if self.any_run and (self.measure != "value" or (self.low is None) == (self.high is None)):
            raise ValueError('`any_run` is for measure = "value" with either low or high')
        return self

    def criterion(self, metric: Metric, control: str, reference: str, *, second: bool = False) -> Criterion:
        """Returns what is expected of ``control`` in a setting where ``reference`` took its seat.

        The samples of a setting have the controls as names, ``tested`` and ``solo`` among them. With ``second`` the
        limits are the second ones, each the first where there is no second one.
        """
        own, other, solo = (f"{metric.id}({name!r})" for name in (control, reference, SOLO))
        harm = f"harm_to_{metric.better}"
        if self.measure == "harm":
            expression = f"{harm}({solo}, {own}) - {harm}({solo}, {other})"
        elif self.measure == "change":
            expression = f"{own} / {metric.id}({control + BEFORE!r})"
        else:
            expression = measured(
                self.measure, own, other, floor=self.floor, factor=self.factor, least=self.least
            )
        low, high = (None, None) if self.info else (self.low, self.high)
        if second:
            low = low if self.info_low is None else self.info_low
            high = high if self.info_high is None else self.info_high
        return Criterion(self.text, expression, low, high, logarithmic=self.measure == "ratio")

    @property
    def has_second(self) -> bool:
        """Returns whether it has a second limit."""
        return (self.info_low, self.info_high) != (None, None)

    @property
    def never_a_concern(self) -> bool:
        """Returns whether every value is within its second limits."""
        ends = (
            self.low is None or self.info_low == -math.inf,
            self.high is None or self.info_high == math.inf,
        )
        return self.has_second and all(ends)


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
        description="the criterion of the RFC, e.g. N-03, or the set, e.g. flent",
    )
    title: str
    summary: str = Field(description="the set-up in sentences")
    source: str = Field(
        default="", description="where the numbers are from, and what differs; for a scenario of a set"
    )
    tested: list[str] = Field(
        default_factory=lambda: ["tested"], description="the groups of flows that the control under test has"
    )
    lacks: list[str] = Field(
        default_factory=list,
        description="where the scenario is weaker than what the section asks, or a limit is generous",
    )
    partial: str = Field(
        default="",
        description="why it cannot answer the section: what is met is INFO, not OK; half a sentence",
    )
    needs_marks: bool = Field(
        default=False, description="whether it is only for controls whose packets can be marked"
    )
    figure: str = Field(
        default="", description="the metric of the figure; default: that of the first criterion"
    )
    grid: Grid | None = Field(
        default=None, description="runs over the common grid of paths; `grid = {}` is the default one"
    )
    axes: list[Axis] = Field(default_factory=list)
    metrics: list[Metric] = Field(min_length=1)
    criteria: list[Condition] = Field(min_length=1)
    quick: Quick = Field(default_factory=Quick)
    solo: Solo | None = None
    scenario: dict[str, Any]

    @model_validator(mode="after")
    def _says_what_is_better(self) -> Self:
        """Refuses a metric without ``better``, on which harm and comparisons of records depend."""
        for metric in self.metrics:
            if "better" not in metric.model_fields_set:
                raise ValueError(f'metric "{metric.id}": "better" is missing')
        return self

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        metrics = {metric.id for metric in self.metrics}
        axes: dict[str, set[str]] = {}
        for setting in self.settings(quick=False):
            for of, point in setting.at.items():
                axes.setdefault(of, set()).add(point)
        for number, criterion in enumerate(self.criteria, start=1):
            if criterion.excused and criterion.measure not in ("value", "change"):
                raise ValueError(
                    f"criteria[{number}]: only a value or a change can be excused by the reference's own"
                )
            for unknown in {criterion.metric, criterion.fair or criterion.metric} - metrics:
                raise ValueError(f'criteria[{number}]: there is no metric "{unknown}"')
            if criterion.fair and self.metric(criterion.metric).better != "more":
                raise ValueError(f"criteria[{number}]: `fair` needs a metric of which more is better")
            if criterion.measure == "harm" and (
                self.solo is None or self.metric(criterion.metric).better == "neither"
            ):
                raise ValueError(
                    f"criteria[{number}]: harm needs [solo], and a metric of which more or less is better"
                )
            places = [*criterion.against.items()]
            places += [(of, point) for of, points in criterion.only.items() for point in points]
            for of, point in places:
                if point not in axes.get(of, ()):
                    raise ValueError(f'criteria[{number}]: there is no point "{point}" of an axis "{of}"')
        if self.figure and self.figure not in metrics:
            raise ValueError(f'figure: there is no metric "{self.figure}"')
        for axis in self.axes:
            if not any(point.quick for point in axis.all_points()):
                raise ValueError(f'axis "{axis.name}": a quick evaluation has none of its points')
        return self

    def metric(self, id: str) -> Metric:
        """Returns the metric called ``id``."""
        return next(metric for metric in self.metrics if metric.id == id)

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
                yield setting_at({**cell.at, **own}, overrides)
