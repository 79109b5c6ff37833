"""The document of ``ackclock list --json``: an array of entries."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Parameter(BaseModel):
    """A parameter of an entry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="as in a scenario file")
    summary: str = Field(description="one line")
    unit: str | None = Field(default=None, description="its unit: time, packets, number, word...")
    default: Any = Field(default=None, description="as in a scenario file; null if it may be absent")
    range: str | None = Field(default=None, description="in words, e.g. above 0 and at most 1")
    minimum: float | None = Field(
        default=None, description="in seconds, bit/s, bytes or packets, or as it is written"
    )
    above_minimum: bool = Field(default=False, description="whether the minimum itself is excluded")
    maximum: float | None = Field(default=None, description="in the unit of minimum")
    choices: list[str] | None = Field(default=None, description="the allowed words")
    source: str | None = Field(default=None, description="document and section")


class Entry(BaseModel):
    """An entry: anything that a scenario or the command line can name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="as in a scenario file, or the study's name")
    kind: str = Field(
        description="control, discriminator, action, slow-start, resume, ecn-response, growth-limit, backoff, "
        "selector, queue, loss, application, transport or study"
    )
    summary: str = Field(description="one line")
    parameters: list[Parameter] = Field(description="a record for each")
    source: str = Field(description="thesis and chapter, or RFC and section")
    remark: str | None = Field(
        default=None, description="what a comparison with others has to mind; null if nothing"
    )
    file: str | None = Field(default=None, description="for a study, the path of its file")
