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
        default=None, description="kind of value, such as time, rate, size, packets, number, word or file"
    )
    default: Any = Field(
        default=None,
        description="default value, as written in a scenario file; null if the parameter has no default",
    )
    range: str | None = Field(
        default=None,
        description='accepted values in words, e.g. "above 0 and at most 1"; empty without a limit',
    )
    minimum: float | None = Field(
        default=None,
        description="lower limit, in seconds, bit/s, bytes or packets for a time, rate, size or number of packets; "
        "null without a limit",
    )
    above_minimum: bool = Field(default=False, description="whether the value `minimum` itself is excluded")
    maximum: float | None = Field(
        default=None, description="upper limit, in the unit of `minimum`; null without a limit"
    )
    choices: list[str] | None = Field(
        default=None, description="accepted words; null if the value is not one of several words"
    )
    source: str | None = Field(
        default=None,
        description='document and section that define the parameter; "none" for a parameter defined by ackclock',
    )


class Entry(BaseModel):
    """An entry: anything that a scenario or the command line can name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="name by which scenario files and the command line refer to the entry")
    kind: str = Field(
        description="kind of the entry: control, discriminator, action, slow-start, resume, ecn-response, "
        "growth-limit, backoff, selector, queue, loss, medium, propagation, mobility, routing, agent, "
        "application, transport or study"
    )
    summary: str = Field(description="meaning of the entry in one line")
    parameters: list[Parameter] = Field(description="one record for each parameter of the entry")
    source: str = Field(
        description='document and section that define the entry, such as an RFC or thesis; "none" if no document does'
    )
    remark: str | None = Field(
        default=None,
        description="difference from other entries, such as the default loss recovery, that affects comparisons of "
        "results; null if there is none",
    )
    file: str | None = Field(default=None, description="path of the file of a study; null for other kinds")
