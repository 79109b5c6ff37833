"""The ``[characterisation]`` table of a study file: the section of RFC 7928 and the conditions to judge."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator
from typing_extensions import Self

from ackclock.experiment.comparison import Comparison, measured
from ackclock.experiment.model import Criterion, Table

Kind = Literal["benefit", "safety", "info"]
By = Literal["interval", "mean", "some", "every"]
Requirement = Literal["must", "should", "recommended", "may", "can"]
Kept = Literal["wait", "variation", "goodput"]
"""The quantities whose distributions can be drawn; see distributions.py."""


class Condition(Table):
    """A condition on a discipline: metrics, and the range in which each has to lie.

    ``ratio`` and ``difference`` compare with drop-tail (or with the variant ``against``) seed by seed, a ratio by the
    mean of its logarithm; ``allowance`` is the metric minus ``factor`` times drop-tail's, or minus ``least`` where that
    is more; ``value`` is the metric itself. ``by`` says what has to lie in the range: the whole 95 % ``interval`` of
    the mean, the ``mean``, ``some`` part of the interval, or the value of ``every`` replication. A value whose
    interval lies within ``info_low`` and ``info_high`` is no concern.
    """

    rule: str = Field(description="name of a built-in rule, or a new name if the limits are given here")
    name: str = Field(
        default="", description="title of the condition in tables; default: the name of the rule"
    )
    text: str = ""
    kind: Kind = "safety"
    measure: Comparison = "value"
    metrics: list[str] = Field(
        default_factory=list,
        description="ids of metrics of the study; the condition has to hold for each of them",
    )
    by: By = "interval"
    low: float | None = None
    high: float | None = None
    strict: bool = Field(default=False, description="whether a value equal to a limit violates the condition")
    info_low: float | None = None
    info_high: float | None = None
    factor: float = Field(
        default=1.0,
        description="with measure = allowance: the allowance, which is subtracted from the metric, is this factor "
        "times the value of the metric with drop-tail (or with the variant in `against`)",
    )
    least: float = Field(
        default=0.0,
        description="with measure = allowance: lower bound of the allowance (see `factor`), in the metric's unit",
    )
    against: str = Field(
        default="",
        description="name of the variant of the same discipline with which the tested variant is compared; a * in "
        "this name is replaced by the part of the tested variant's name after the first hyphen. Default: the "
        "comparison is with drop-tail, in its variant of the same name or else in its variant `default`",
    )
    only: list[str] | None = Field(
        default=None,
        description="disciplines, variants or sweep values, by name or pattern, to which the condition "
        "applies; default: all",
    )
    floor: float = Field(
        default=0.0, description="with measure = ratio: lower values of the metric count as this value"
    )
    unit: str = ""
    scale: float = Field(default=1.0, description="factor by which numbers are multiplied for display")

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        """Accepts ``"latency"`` for ``{ rule = "latency" }``, and takes missing keys from a known rule."""
        from ackclock.characterisation.criteria import RULES

        own = {"rule": given} if isinstance(given, str) else given
        if not isinstance(own, dict):
            return own
        return {**RULES.get(str(own.get("rule")), {}), **own}

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        from ackclock.characterisation.criteria import RULES

        if not self.metrics:
            known = ", ".join(RULES)
            raise ValueError(
                f'rule "{self.rule}": found no metrics, expected a list of metrics, or one of the built-in rules '
                f"{known}"
            )
        if self.low is None and self.high is None and self.kind != "info":
            raise ValueError("found no limit, expected low, high or both")
        return self

    @property
    def title(self) -> str:
        """Returns the heading of its column."""
        return self.name or self.rule.capitalize().replace("-", " ")

    @property
    def has_second(self) -> bool:
        """Returns whether it has a second limit."""
        return (self.info_low, self.info_high) != (None, None)

    def criterion(self, metric: str, own: str, other: str, *, second: bool = False) -> Criterion:
        """Returns what is expected of a metric of the case ``own``, compared with ``other``. With ``second`` the limits
        are the second ones, each the first where there is no second one.
        """
        expression = measured(
            self.measure,
            f"{metric}({own!r})",
            f"{metric}({other!r})",
            floor=self.floor,
            factor=self.factor,
            least=self.least,
        )
        low = self.info_low if second and self.info_low is not None else self.low
        high = self.info_high if second and self.info_high is not None else self.high
        return Criterion(
            self.text, expression, low, high, self.strict, self.strict, logarithmic=self.measure == "ratio"
        )


Words = Annotated[str, StringConstraints(pattern=r"\S\s+\S")]
"""A text of at least two words. This refuses a string in place of a list, which would be split into its letters."""


class Characterisation(Table):
    """The scenario of RFC 7928 that a study runs."""

    section: str = Field(description='section of RFC 7928, e.g. "8.2.2"')
    short: str = Field(description="heading of the study in the summary table, in two or three words")
    requirement: Requirement = Field(
        description="requirement level of this test (must, should, ...): the word in RFC 7928 section 13, or in the "
        "section of the RFC that describes the test"
    )
    demand: str = Field(description="what the section requires, paraphrased")
    criteria: list[Condition] = Field(default_factory=list)
    lacks: list[Words] = Field(
        default_factory=list,
        description="parts of the section that the study omits or tests less strictly",
    )
    planes: list[tuple[str, str]] = Field(
        default_factory=lambda: [("delay", "goodput")],
        description="pairs of metrics to plot against each other, such as delay and goodput, delay first (section 2.7)",
    )
    distributions: list[Kept] = Field(
        default_factory=list, description="quantities whose distributions are drawn (section 2.7)"
    )
    elasticities: list[str] = Field(
        default_factory=list,
        description="metrics whose elasticity with respect to each parameter is reported (section 8.3)",
    )
    cycle: str = Field(
        default="",
        description="with `elasticities`: id of the metric, a percentage, that shows whether the queue oscillates",
    )
    curves: bool = Field(
        default=False,
        description="whether figures join the variants of each discipline by a curve, and the report compares the "
        "disciplines at equal delay",
    )
    counts: bool = Field(
        default=True, description="whether the section gets a verdict; if not, it reports numbers only"
    )
