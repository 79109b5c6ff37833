"""The definitions of results: users read each one alone, in a tooltip, in a JSON Schema or in a row of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ackclock import _typed_core as core
from ackclock import schemas
from ackclock.pages import ROOT
from ackclock.report.scenario_tables import FLOWS as FLOW_COLUMNS
from ackclock.report.scenario_tables import _columns
from ackclock.schemas import run, series

MAX_WORDS = 60
NEEDS_ANOTHER = (
    "the same",
    "theirs",
    "of these",
    "of those",
    "of them",
    "those of them",
    "such a link",
    "how long that",
    "how often that",
    "that rate",
    "that number",
    "the next two",
    "the next four",
    "this and the next",
    "the first of",
    "the second of",
    "the above",
    "as above",
    "as below",
    "see above",
    "likewise",
    "respectively",
    "the former",
    "the latter",
)
"""Phrases that refer to another definition."""
BEGINS_WITH = re.compile(
    r"(and|or|those|this|these|it|its|they|their|how|what|when|where|why|whether|of|at|over|by|such|for|to|from)\b"
)
"""Beginnings that are no noun phrase."""
RECORDS: Mapping[str, Sequence[Mapping[str, Any]]] = core.fields()
STATISTICS = re.compile(r"_(mean|std|min|p50|p95|p99|quantiles)_(?:s|bps|packets)$")
BEGINNINGS = {
    "mean": r"mean\b",
    "std": r"standard deviation\b",
    "min": r"least\b",
    "p50": r"median\b",
    "p95": r"95th percentile\b",
    "p99": r"99th percentile\b",
    "quantiles": r"quantiles\b",
}
"""How the definition of a statistic begins, by the part of the field's name."""


def definitions() -> Iterator[tuple[str, str, str]]:
    """Yields the record, the field and the definition as plain text, of each field and each series."""
    for record, fields in RECORDS.items():
        yield from ((record, field["name"], run.plain(field["meaning"])) for field in fields)
    for record, texts in (("series of flows", series.FLOWS), ("series of links", series.LINKS)):
        yield from ((record, name, run.plain(text)) for name, text in texts.items())


def documents() -> Iterator[tuple[str, str, str]]:
    """Yields the record, the field and its description, of each published document that is no file of a user's."""
    for kind in schemas.KINDS:
        if kind in ("scenario", "study"):
            continue
        schema = schemas.schema(kind)
        records = {**schema.get("$defs", {}), kind: schema}
        for record, described in records.items():
            for name, field in described.get("properties", {}).items():
                yield f"{kind}: {record}", name, field.get("description", "")


def test_each_field_of_a_document_stands_alone() -> None:
    found = []
    for record, name, text in documents():
        phrases = [phrase for phrase in NEEDS_ANOTHER if re.search(rf"\b{phrase}\b", text.lower())]
        begins = text.startswith("whether ") or (
            re.match(r"[a-z0-9`]|CPU|SHA|IPv|RFC", text) and not BEGINS_WITH.match(text)
        )
        if phrases or not begins or text.endswith(".") or len(text.split()) > MAX_WORDS:
            found.append((record, name, text, phrases))
    assert not found


def test_each_field_of_a_document_has_a_description_of_its_own() -> None:
    first: dict[tuple[str, str], str] = {}
    equal = []
    for record, name, text in documents():
        if first.setdefault((record, text), name) != name:
            equal.append((record, first[record, text], name))
    assert not equal


def test_no_definition_needs_another() -> None:
    found = [
        (record, name, phrase)
        for record, name, text in definitions()
        for phrase in NEEDS_ANOTHER
        if re.search(rf"\b{phrase}\b", text.lower())
    ]
    assert not found


def test_a_definition_begins_with_a_noun_phrase_in_lower_case() -> None:
    # A name in code may be a noun too: `count` of CoDel.
    found = [
        (record, name, text)
        for record, name, text in definitions()
        if not re.match(r"[a-z0-9`]", text) or BEGINS_WITH.match(text)
    ]
    assert not found


def test_a_definition_is_short_and_has_no_full_stop_at_its_end() -> None:
    found = [
        (record, name, len(text.split()))
        for record, name, text in definitions()
        if len(text.split()) > MAX_WORDS or text.endswith(".") or not text
    ]
    assert not found


def test_each_field_of_a_record_has_a_definition_of_its_own() -> None:
    first: dict[tuple[str, str], str] = {}
    equal = []
    for record, name, text in definitions():
        if first.setdefault((record, text), name) != name:
            equal.append((record, first[record, text], name))
    assert not equal


def test_the_definition_of_a_statistic_says_which_it_is() -> None:
    named = [
        (record, field["name"], found[1], run.plain(field["meaning"]))
        for record, fields in RECORDS.items()
        for field in fields
        if (found := STATISTICS.search(field["name"]))
    ]
    assert {statistic for _, _, statistic, _ in named} == set(BEGINNINGS)
    assert not [entry for entry in named if not re.match(BEGINNINGS[entry[2]], entry[3])]


def test_a_null_is_explained() -> None:
    # What only some runs have is absent from the others: its definition says from which ("only with", or a link).
    # Completion times and delays are null without a sample, as docs/results.md says of all numbers.
    for record, fields in RECORDS.items():
        for field in fields:
            text = run.plain(field["meaning"])
            if field["nullable"] and not field["optional"] and not STATISTICS.search(field["name"]):
                assert re.search(r"\b[Nn]ull\b", text), (record, field["name"])


def test_a_series_has_an_entry_of_its_own() -> None:
    names = [*series.FLOWS, *series.LINKS]
    assert not [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)]


def test_every_series_that_is_published_has_a_definition() -> None:
    published = {
        name
        for source in (ROOT / "crates").glob("*/src/**/*.rs")
        for name in re.findall(
            r'series\("([a-z0-9_]+)"|"((?:cwnd|rto)_path_\d_[a-z]+)"', source.read_text(encoding="utf-8")
        )
        if source.name != "tests.rs"
    }
    known = {*series.FLOWS, *series.LINKS}
    assert len(published) > 80
    assert not {first or second for first, second in published} - known


def test_a_tooltip_has_no_links_of_markdown() -> None:
    columns = list(_columns("flow", FLOW_COLUMNS))
    assert all(column.meaning for column in columns)
    assert not [column.meaning for column in columns if "](" in column.meaning]
