"""The limits of an evaluation: what counts as a concern, why, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from ackclock import _toml as toml
from ackclock.experiment.model import Table

Measure = Literal["value", "rate", "ratio", "difference", "harm", "change"]
OF_ONE_CONTROL = ("value", "rate", "change")
"""The measures that do not compare with another control."""


class Limit(Table):
    """What counts as a concern: a measure of a metric outside a range.

    ``value`` is the metric itself; ``rate`` the share of runs in which it is outside ``low`` and ``high``; ``ratio``
    and ``difference`` compare with a reference in the control's place, seed by seed, a ratio by the mean of its
    logarithm; ``harm`` is the harm to another flow beyond that of the reference in the control's place; ``change`` is
    the ratio to the same control in another setting.
    """

    measure: Measure
    low: float | None = None
    high: float | None = None
    unit: str = Field(
        default="", description='unit of `low` and `high`; for measure = "ratio", unit of `floor`'
    )
    floor: float = Field(
        default=0.0,
        ge=0,
        description='for measure = "ratio": a value below `floor` is replaced by `floor` before the division',
    )
    runs: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description='for measure = "rate": largest allowed fraction (less than 1) of runs in which the metric is '
        "outside the range",
    )
    beside: bool = Field(
        default=False,
        description="whether a control outside the limit gets the verdict `as standard controls` if a reference is "
        "also outside it and the control's distance from the limit is not significantly more than 1.1 times the "
        "reference's",
    )
    reason: str = Field(default="", description="reason for the value of the limit")
    source: str = Field(
        default="", description="document on which the limit is based; empty if ackclock chose the limit"
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.low is None and self.high is None:
            raise ValueError("expected `low`, `high` or both, found neither")
        if self.beside and self.measure not in OF_ONE_CONTROL:
            raise ValueError(
                f"`beside` needs one of the measures {', '.join(OF_ONE_CONTROL)}; {self.measure} already compares "
                "with a reference"
            )
        if self.runs and self.measure != "rate":
            raise ValueError('`runs` is only for measure = "rate"')
        if self.floor and self.measure != "ratio":
            raise ValueError('`floor` is only for measure = "ratio"')
        return self

    @property
    def compares(self) -> bool:
        """Returns whether every value is one beside a reference's."""
        return self.beside or self.measure not in OF_ONE_CONTROL

    @property
    def text(self) -> str:
        """Returns the limit as the end of a sentence that begins with the metric."""
        if self.measure == "harm":
            return f"at most {self.high:g} more harm than the reference"
        ends = [
            f"{word} {end:g}"
            for word, end in (("at least", self.low), ("at most", self.high))
            if end is not None
        ]
        said = " and ".join(ends)
        if self.measure == "ratio":
            floor = f"{self.floor:g} {self.unit}".rstrip()
            least = f" (values below {floor} count as {floor})" if self.floor else ""
            return f"{said} times the reference's{least}"
        if self.measure == "change":
            return f"{said} times the value in the undisturbed setting{self._or_beside}"
        unit = f" {self.unit}" if self.unit else ""
        if self.measure == "difference":
            return f"{said}{unit} more than the reference's"
        if self.measure == "rate":
            return f"{said}{unit} in all but {100 * self.runs:g} % of the runs{self._or_beside}"
        return f"{said}{unit}{self._or_beside}"

    @property
    def _or_beside(self) -> str:
        return ", or similar to the reference" if self.beside else ""


@cache
def known() -> Mapping[str, Limit]:
    """Returns the limits of the package by their names."""
    text = (resources.files("ackclock") / "evaluation" / "limits.toml").read_text(encoding="utf-8")
    return {name: Limit.model_validate(table) for name, table in toml.loads(text).items()}
