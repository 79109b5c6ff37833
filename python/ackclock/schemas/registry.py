"""The document of ``ackclock list --json``: an array of entries."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Parameter(BaseModel):
    """A parameter of an entry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    summary: str
    unit: str | None = Field(default=None, description="its unit: time, packets, number, word...")
    default: Any = Field(default=None, description="as in a scenario file; null if it may be absent")
    range: str | None = Field(default=None, description="in words, e.g. above 0 and at most 1")
    minimum: float | None = Field(
        default=None, description="in seconds, bit/s, bytes or packets, or as it is written"
    )
    above_minimum: bool = Field(default=False, description="whether the minimum itself is excluded")
    maximum: float | None = Field(default=None, description="in the unit of minimum")
    choices: list[str] | None = Field(default=None, description="the allowed words")
    source: str | None = None


class Entry(BaseModel):
    """An entry: anything that a scenario or the command line can name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: str = Field(
        description="control, discriminator, action, slow-start, resume, ecn-response, growth-limit, backoff, "
        "selector, queue, loss, application, transport or study"
    )
    summary: str
    parameters: list[Parameter]
    source: str
    file: str | None = Field(default=None, description="for a study, the path of its file")
