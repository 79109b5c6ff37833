"""The document of ``ackclock list --json``: an array of entries."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Parameter(BaseModel):
    """A parameter of an entry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="name of the parameter in a scenario file")
    summary: str = Field(description="meaning of the parameter in one line")
    unit: str | None = Field(
        default=None, description="unit of the parameter: time, packets, number, word...; null without one"
    )
    default: Any = Field(
        default=None,
        description="default value, as a scenario file would write it; null if the parameter may be absent",
    )
    range: str | None = Field(
        default=None, description="accepted values in words, e.g. above 0 and at most 1; null without a limit"
    )
    minimum: float | None = Field(
        default=None,
        description="smallest value, in seconds, bit/s, bytes or packets, or in the parameter's own unit; "
        "null without one",
    )
    above_minimum: bool = Field(default=False, description="whether the minimum itself is excluded")
    maximum: float | None = Field(
        default=None, description="largest value, in the unit of `minimum`; null without one"
    )
    choices: list[str] | None = Field(
        default=None, description="accepted words; null if the parameter is not one of several words"
    )
    source: str | None = Field(
        default=None,
        description="document and section that define the parameter; null for one of ackclock's own",
    )


class Entry(BaseModel):
    """An entry: anything that a scenario or the command line can name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="name of the entry in a scenario file or on the command line")
    kind: str = Field(
        description="kind of the entry: control, discriminator, action, slow-start, resume, ecn-response, "
        "growth-limit, backoff, selector, queue, loss, medium, propagation, mobility, routing, agent, "
        "application, transport or study"
    )
    summary: str = Field(description="meaning of the entry in one line")
    parameters: list[Parameter] = Field(description="one record for each parameter of the entry")
    source: str = Field(description="document that defines the entry: thesis and chapter, or RFC and section")
    remark: str | None = Field(
        default=None, description="caution for comparisons with other entries; null without one"
    )
    file: str | None = Field(default=None, description="file of a study; null for every other kind")
