"""The common base of all tables of a study file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of a study file: unknown keys are refused, values never change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)
