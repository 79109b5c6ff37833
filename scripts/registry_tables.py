"""Tables of what the program declares: entries of the registry, keys of the scenario language, fields of results."""

from __future__ import annotations

import importlib
import re
import typing
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ackclock import _typed_core as core
from ackclock import schemas
from ackclock._keys import without, written
from ackclock.schemas import series as series_meanings
from ackclock.schemas.run import Result, RunDocument

PLURALS = {
    "controls": "control",
    "discriminators": "discriminator",
    "actions": "action",
    "slow-starts": "slow-start",
    "resumes": "resume",
    "ecn-responses": "ecn-response",
    "growth-limits": "growth-limit",
    "backoffs": "backoff",
    "selectors": "selector",
    "queues": "queue",
    "losses": "loss",
    "media": "medium",
    "propagations": "propagation",
    "mobilities": "mobility",
    "routings": "routing",
    "agents": "agent",
    "applications": "application",
}


def kind(plural: str) -> str:
    """Every entry of a kind: its line, its source, its parameters."""
    parts = []
    for entry in entries(PLURALS[plural]):
        parts += [
            f"### `{entry['name']}`",
            "",
            f"{sentence(entry['summary'])} Source: {sentence(entry['source'])}",
            "",
        ]
        if entry["parameters"]:
            parts += [*parameters(entry["parameters"]), ""]
        else:
            parts += ["No parameters.", ""]
    return "\n".join(parts).rstrip()


SECTIONS = {
    "scenario": "the-file",
    "precision": "precision",
    "observe": "observation",
    "warmup": "when-measuring-begins",
    "dumbbell": "dumbbell",
    "parallel": "parallel",
    "parking_lot": "parking-lot",
    "named_link": "individual-links",
    "link": "keys-of-a-link",
    "link_of_rtt": "keys-of-a-link",
    "difference": "keys-of-a-link",
    "direction": "keys-of-a-link",
    "outage": "outages",
    "duplicate": "copies-and-rules-for-the-ecn-field",
    "jitter": "distributions-of-jitter",
    "detour": "detours",
    "reorder": "packets-that-skip-the-delay",
    "changing_rate": "values-that-change-over-time",
    "changing_loss": "values-that-change-over-time",
    "changing_delay": "values-that-change-over-time",
    "changing_reader": "slow-readers",
    "medium_of_links": "media",
    "places": "media",
    "agent_at_node": "agents-at-nodes",
    "flows": "flows",
    "start": "flows",
    "sweep": "sweeps",
    "samples": "sweeps",
    "sweep_range": "sweeps",
    "files": "files",
    "file": "files",
    "control": "controls",
    "discriminator": "discriminators",
    "action": "actions",
    "slow-start": "slow-starts",
    "resume": "resuming",
    "ecn-response": "responses-to-marks",
    "growth-limit": "limits-of-growth",
    "backoff": "back-off-rules",
    "selector": "path-selectors",
    "queue": "queues",
    "loss": "losses",
    "medium": "ways-to-share-a-medium",
    "propagation": "propagation",
    "mobility": "mobility",
    "routing": "routing",
    "agent": "agents",
    "transport": "transports",
    "application": "applications",
}
"""Where docs/scenario-language.md describes what a table holds, or what is registered of a kind."""


def keys_of(name: str) -> str:
    """The keys of a table: what they mean, what may be written, and what holds without them."""
    tables = {one["name"]: one for one in core.tables()}
    found = tables[name]
    link = [] if name == "link" else tables["link"]["keys"]
    # A key that every link has is described once, whether or not a link needs it here.
    described = {key["name"]: key["meaning"] for key in link}
    own = [key for key in found["keys"] if described.get(key["name"]) != key["meaning"]]
    rows = [[f"`{key['name']}`", key["meaning"], written(key, linked), without(key, found)] for key in own]
    if len(own) < len(found["keys"]):
        names = ", ".join(f"`{key['name']}`" for key in found["keys"] if key not in own)
        rows.append([names, f"[Keys of a link](#{SECTIONS['link']})", "", ""])
    if found["others"]:
        rows.append(["any other key", found["meaning"], "; ".join(found["others"]), ""])
    return "\n".join(table(["key", "meaning", "written as", "default"], rows))


def linked(words: str, of: str) -> str:
    """Words with a link to the section about a table or kind."""
    return f"[{words}](#{SECTIONS[of]})"


def parameters(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Parameters as a table."""
    return table(
        ["parameter", "meaning", "kind", "default", "range", "source"],
        [
            [f"`{row['name']}`", row["summary"], row["unit"], default(row), allowed(row), source(row)]
            for row in rows
        ],
    )


def transports(first: str) -> str:
    """Every transport detail, with its value in each profile."""
    profiles = transport_profiles(first)
    rows = []
    for position, detail in enumerate(profiles[0]["parameters"]):
        values = [default(profile["parameters"][position]) for profile in profiles]
        rows.append([f"`{detail['name']}`", detail["summary"], *values, allowed(detail), source(detail)])
    names = [f"`{profile['name']}`" for profile in profiles]
    return "\n".join(table(["detail", "meaning", *names, "range", "source"], rows))


def transport_profiles(first: str) -> list[dict[str, Any]]:
    """The profiles that have the same details as the one named."""
    names = {
        entry["name"]: [detail["name"] for detail in entry["parameters"]] for entry in entries("transport")
    }
    return [entry for entry in entries("transport") if names[entry["name"]] == names[first]]


def profiles(first: str) -> str:
    """The profiles, and the details in which they differ."""
    profiles = transport_profiles(first)
    parts = table(
        ["profile", "what it is", "source"],
        [[f"`{profile['name']}`", profile["summary"], profile["source"]] for profile in profiles],
    )
    rows = []
    for position, detail in enumerate(profiles[0]["parameters"]):
        values = [default(profile["parameters"][position]) for profile in profiles]
        if len(set(values)) > 1:
            rows.append([f"`{detail['name']}`", detail["summary"], *values])
    names = [f"`{profile['name']}`" for profile in profiles]
    return "\n".join([*parts, "", *table(["detail", "meaning", *names], rows)])


def fields(record: str) -> str:
    """The fields of a record of a run's result."""
    rows = [[f"`{field['name']}`", field["meaning"].strip()] for field in core.fields()[record]]
    if record == "run":
        # What is about several runs is no field of one.
        rows += [
            [f"`{name}`", f"{own.description}; see [several runs](#several-runs)"]
            for name, own in RunDocument.model_fields.items()
            if name not in Result.model_fields
        ]
    return "\n".join(table(["field", "definition"], rows))


def series(of: str) -> str:
    """The series of flows or of links."""
    meanings = {"flows": series_meanings.FLOWS, "links": series_meanings.LINKS}[of]
    rows = [[f"`{name}`", text] for name, text in meanings.items()]
    return "\n".join(table([f"of {of}", "value at each time"], rows))


def records(names: str) -> str:
    """The records of a published document, and those that they hold, in the order in which they are first held.

    ``names`` are the module in ``ackclock.schemas``, and the records to begin with.
    """
    module, *first = names.split()
    home = importlib.import_module(f"ackclock.schemas.{module}")
    waiting, parts, done = [getattr(home, name) for name in first], [], set()
    while waiting:
        record = waiting.pop(0)
        if record in done:
            continue
        done.add(record)
        rows = [[f"`{name}`", _defined(field)] for name, field in record.model_fields.items()]
        parts += [
            f"**{(record.__doc__ or '').replace('``', '`')}**",
            "",
            *table(["field", "definition"], rows),
            "",
        ]
        waiting += [held for field in record.model_fields.values() for held in _held(field.annotation)]
    return "\n".join(parts).strip()


def _defined(field: FieldInfo) -> str:
    """The definition of a field, with the words that it may have."""
    allowed = [one for one in typing.get_args(field.annotation) if isinstance(one, str)]
    described = field.description or ""
    return f"{described} ({', '.join(f'`{one}`' for one in allowed)})" if len(allowed) > 1 else described


def _held(annotation: Any) -> list[type[BaseModel]]:
    """The records within the type of a field."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [held for part in typing.get_args(annotation) for held in _held(part)]


def words(module: str) -> str:
    """The vocabulary of expressions, from the docstring of its module: names, and below them what they mean."""
    text = importlib.import_module(f"ackclock.experiment.{module}").__doc__ or ""
    found = re.findall(r"^((?:    \S.*\n)+)((?:        .+\n)+)", text, re.MULTILINE)
    rows = [
        [", ".join(f"`{name}`" for name in _split(" ".join(names.split()))), " ".join(meaning.split())]
        for names, meaning in found
    ]
    return "\n".join(table(["in an expression", "meaning"], rows))


def _split(names: str) -> list[str]:
    """Expressions that are separated by commas; those in brackets separate nothing."""
    parts, depth = [""], 0
    for character in names:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [one.strip() for one in parts]


def schemas_of_documents() -> str:
    """The JSON Schemas, each linked to its file, which is made for the site."""
    documents = {"scenario": "a scenario file", "study": "a study file"}
    rows = [
        [
            documents.get(kind, f"`ackclock {kind} --json`"),
            f"[{kind}.schema.json](schemas/{kind}.schema.json)",
        ]
        for kind in schemas.KINDS
    ]
    return "\n".join(table(["document", "schema"], rows))


def entries(kind: str) -> list[dict[str, Any]]:
    """The registry's entries of one kind."""
    return [entry for entry in core.registry() if entry["kind"] == kind]


def default(parameter: dict[str, Any]) -> str:
    """A default as it would stand in a scenario file; empty where the parameter may be absent."""
    value = parameter["default"]
    if value is None:
        return "none"
    bare = parameter["unit"] in ("number", "true or false")
    return f"`{value}`" if bare else f'`"{value}"`'


def allowed(parameter: dict[str, Any]) -> str:
    """A range in words."""
    if parameter["choices"]:
        return ", ".join(f"`{choice}`" for choice in parameter["choices"])
    return str(parameter["range"] or "")


def source(parameter: dict[str, Any]) -> str:
    """Where a parameter comes from; empty for our own."""
    return "" if parameter["source"] == "none" else str(parameter["source"])


def sentence(text: str) -> str:
    """``text`` with a full stop at its end."""
    return text if text.endswith(".") else f"{text}."


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
