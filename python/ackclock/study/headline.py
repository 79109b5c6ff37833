"""The title and source of a study of the package, read without checking the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock.study.document import studies_dir
from ackclock.study.load import guidelines, shown, study_names, theses


@dataclass(frozen=True)
class Headline:
    """The first lines of a study. ``source`` has author, year, item and section."""

    name: str
    title: str
    summary: str
    source: str
    file: str
    """The path of the study file."""


def headlines() -> list[Headline]:
    """Returns the headlines of all studies in the package, in the order of ``study_names``."""
    return [_headline(name) for name in study_names()]


def _headline(name: str) -> Headline:
    path = studies_dir() / f"{name}.toml"
    document = _document(path)
    shared = _document(path.parent / document["base"]) if "base" in document else {}
    source = {**shared.get("source", {}), **document.get("source", {})}
    thesis = {**theses(), **guidelines()}[source["thesis"]]
    section = f", section {source['section']}" if source.get("section") else ""
    place = f"{thesis.cited}, {source['item']}{section}"
    return Headline(name, document["title"], document["summary"], place, shown(path))


@cache
def _document(path: Path) -> Mapping[str, Any]:
    document: Mapping[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    return document
