"""The document of a study file: its tables written out, and completed from its base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock._archive import folder
from ackclock._migration import refuse_earlier
from ackclock.errors import InputError
from ackclock.study.base import LoadedBase, load_base
from ackclock.study.grid import expanded


def studies_dir() -> Path:
    """Returns the folder of the studies inside the installed package."""
    return folder("studies")


@dataclass(frozen=True)
class Document:
    """A study file before its values are checked."""

    own: Mapping[str, Any]
    """The file's own tables, with ``for_all`` and ``rows`` expanded."""
    base: LoadedBase | None
    whole: Mapping[str, Any]
    """The file's tables completed from the base."""


def read_document(text: str, file: str) -> Document:
    """Returns the document in ``text``. InputError for wrong grids or a wrong base, TOMLDecodeError if it is not
    TOML.
    """
    own = toml.loads(text)
    if "duration" in own and "source" not in own:
        raise InputError(f"{file}: is a scenario, not a study; `ackclock run {file}` runs it")
    refuse_earlier(own, "study", file)
    base = load_base(own["base"], file) if "base" in own else None
    own = expanded(own, text, file, None if base is None else base.base.axes)
    return Document(own, base, own if base is None else base.under(own, file))
