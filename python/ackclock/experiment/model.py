"""The five types of an experiment (setting, metric, samples, criterion, finding), and the base of tables of files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

if TYPE_CHECKING:
    from ackclock.experiment.expression import Array
    from ackclock.experiment.truth import Truth

Better = Literal["more", "less", "neither"]
"""Whether a larger or a smaller value of a quantity is better."""


class Table(BaseModel):
    """A table of a file: unknown keys are refused, values never change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(Enum):
    """The result of a criterion. Every product has a table from findings to its own words; none has further results."""

    MET = "met"
    """The whole confidence interval meets the criterion."""
    NOT_MET = "not met"
    """The whole confidence interval violates the criterion."""
    UNDECIDED = "undecided"
    """The confidence interval includes a limit, or too few samples give no interval: more seeds may decide."""
    NOT_JUDGED = "not judged"
    """The criterion has no limit, or the samples cannot decide it."""


@dataclass(frozen=True)
class Setting:
    """A point of a grid: a scenario with overrides.

    ``name`` is ``rbcc-5``, or ``rbcc[5]`` for the point of a sweep, with ``rbcc`` as its ``case`` and 5 as its
    ``value``.
    """

    name: str
    overrides: Mapping[str, Any] = field(default_factory=dict)
    case: str = ""
    value: int | float | str | None = None
    at: Mapping[str, str] = field(default_factory=dict)
    """The name of the point on each axis of the grid, by the name of the axis; empty outside a grid."""

    @property
    def curve(self) -> str:
        """Returns the name that all points of its sweep share; its own name outside a sweep."""
        return self.case or self.name


class Metric(Table):
    """One number per run, as an expression over the run's result."""

    id: str
    label: str
    unit: str = ""
    expr: str
    better: Better = Field(
        default="neither",
        description="whether a larger or a smaller value is better; required in evaluations",
    )

    @field_validator("id")
    @classmethod
    def _identifier(cls, value: str) -> str:
        if not re.fullmatch("[a-z][a-z0-9_]*", value):
            raise ValueError(
                "a metric id is used as a function name: use only lower-case letters, digits and _"
            )
        return value

    @property
    def axis_title(self) -> str:
        """Returns the label with its unit."""
        return self.label + (f" ({self.unit})" if self.unit else "")


Samples = Mapping[str, Mapping[str, "Array"]]
"""The samples by metric id and setting name: an array with one value per seed, nan for a run without a value."""


@dataclass(frozen=True)
class Criterion:
    """What is expected: that a quantity lies in a range, or that an order holds.

    ``measured`` is an expression over the samples with one value per seed; its mean must lie between ``low`` and
    ``high``. ``order`` is a comparison over the samples, or several joined by ``and``, ``or`` and ``not``.
    """

    text: str
    measured: str = ""
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    """Whether ``low`` itself is outside the range."""
    high_open: bool = False
    order: str = ""
    logarithmic: bool = False
    """Whether the geometric mean is judged, as it should be for a ratio."""
    reason: str = ""
    """The reason for the width of the range."""

    def accepts(self, value: float) -> bool:
        """Returns whether ``value`` lies in the range; False for nan."""
        low, high = self.range
        above = value > low if self.low_open else value >= low
        return above and (value < high if self.high_open else value <= high)

    @property
    def range(self) -> tuple[float, float]:
        """Returns the limits, infinite where there is none."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high


@dataclass(frozen=True)
class Finding:
    """The result of a criterion over samples.

    ``estimate`` is the mean of what was measured, None without a sample; ``interval`` its confidence interval at the
    error at which it was judged, None with fewer than two samples.
    """

    criterion: Criterion
    result: Result
    estimate: float | None = None
    interval: tuple[float, float] | None = None
    seeds: int = 0
    """The number of seeds with a sample."""
    missing: int = 0
    """The number of seeds without a sample."""
    needed: int | None = None
    """The estimated number of seeds that would decide an undecided criterion; None if decided or unknown."""
    reason: str = ""
    """An explanation of the result that the numbers do not give; empty if there is none."""
    qualified: bool = False
    """Whether ``reason`` weakens the result, for example because a wider range is met."""
    truth: Truth | None = field(default=None, compare=False, repr=False)
    """The evidence for and against the criterion; None if nothing was judged."""
    values: Sequence[float] = ()
    """The measured quantity, one value per seed."""

    @property
    def met(self) -> bool:
        """Returns whether the criterion is surely met."""
        return self.result is Result.MET


def sweep_text(value: int | float | str) -> str:
    """Returns a sweep value as written in the brackets of a setting's name: 2.0 is ``2``, "10 ms" is ``10 ms``."""
    return value if isinstance(value, str) else f"{value:.12g}"
