"""What a study file says about its place in the characterisation: the ``[characterisation]`` table."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator
from typing_extensions import Self

from ackclock.characterisation.words import Table

Kind = Literal["benefit", "safety", "info"]
Measure = Literal["ratio", "difference", "value", "loss"]
By = Literal["interval", "mean", "some", "every"]
Requirement = Literal["must", "should", "recommended", "may", "can"]
Kept = Literal["wait", "variation", "goodput"]
"""What distributions are kept of: see distributions.py."""


class Criterion(Table):
    """What has to hold of a discipline: a measure of it, and the range in which that has to lie.

    ``ratio`` and ``difference`` compare with drop-tail (or with the variant ``against``) seed by seed, a ratio by the
    mean of its logarithm; ``value`` is the metric itself. ``by`` says what of it has to lie in the range: the whole
    95 % ``interval`` of the mean, the ``mean``, ``some`` of the interval (it is not surely outside), or the value of
    ``every`` replication. Outside the range but within ``caution_low`` and ``caution_high`` it is no failure yet.
    """

    rule: str = Field(description="a rule of criteria.py, or a name of its own")
    name: str = Field(default="", description="what to call it, where the rule alone does not tell it apart")
    text: str = ""
    kind: Kind = "safety"
    measure: Measure = "value"
    metrics: list[str] = Field(
        default_factory=list, description="ids of the study's metrics; all have to hold"
    )
    by: By = "interval"
    low: float | None = None
    high: float | None = None
    strict: bool = Field(default=False, description="the limits themselves are outside")
    caution_low: float | None = None
    caution_high: float | None = None
    against: str = Field(
        default="",
        description="a variant of the same discipline to compare with, where * stands for what follows the first "
        "hyphen of the own one; default: drop-tail in the same variant",
    )
    only: list[str] | None = Field(
        default=None, description="disciplines, variants or sweep values, or patterns of them; default: all"
    )
    floor: float = Field(default=0.0, description="of a ratio: what lies below counts as this much")
    unit: str = ""
    scale: float = Field(default=1.0, description="what the numbers are multiplied by when they are shown")

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        """``"latency"`` for ``{ rule = "latency" }``; a rule that is known gives what is not said."""
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
            raise ValueError(f'no metrics: "{self.rule}" is none of the rules {known}')
        if self.low is None and self.high is None and self.kind != "info" and self.measure != "loss":
            raise ValueError("nothing has to hold: give low or high")
        return self

    @property
    def title(self) -> str:
        """What the head of its column says."""
        return self.name or self.rule.capitalize().replace("-", " ")


Words = Annotated[str, StringConstraints(pattern=r"\S\s+\S")]
"""More than one: a text that was taken for the list of its letters has none."""


class Characterisation(Table):
    """The scenario of RFC 7928 that a study runs."""

    section: str = Field(description='of RFC 7928, e.g. "8.2.2"')
    short: str = Field(description="two or three words for the head of a column")
    requirement: Requirement = Field(description="the word of RFC 7928 section 13, or of the section")
    demand: str = Field(description="what the section asks for, in our words")
    criteria: list[Criterion] = Field(default_factory=list)
    lacks: list[Words] = Field(
        default_factory=list, description="what is weaker than the section, or left out"
    )
    planes: list[tuple[str, str]] = Field(
        default_factory=lambda: [("delay", "goodput")],
        description="pairs of metrics to draw against each other, delay first (section 2.7)",
    )
    distributions: list[Kept] = Field(
        default_factory=list, description="what to draw the distributions of (section 2.7)"
    )
    elasticities: list[str] = Field(
        default_factory=list,
        description="metrics of which to say by how much each parameter moves them (section 8.3)",
    )
    cycle: str = Field(
        default="",
        description="with elasticities: the metric that says whether the queue swings in a cycle, in %",
    )
    curves: bool = Field(
        default=False, description="join the variants of each discipline and compare them at equal delay"
    )
    counts: bool = Field(default=True, description="false: the section is about numbers, not a verdict")
