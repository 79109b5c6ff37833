"""Pydantic models of the JSON documents that ``--json`` prints or the laboratory saves, and their JSON Schemas."""

from __future__ import annotations

import json
from typing import Any

KINDS = (
    "scenario",
    "study",
    "run",
    "reproduce",
    "evaluate",
    "search",
    "list",
    "compare-trace",
    "check-stack",
    "packetdrill",
    "answer",
)


def schema(of: str) -> dict[str, Any]:
    """Returns the JSON Schema (draft 2020-12) of a document: one of ``KINDS``. KeyError for another name."""
    if of == "scenario":
        from ackclock import _core

        return dict(json.loads(_core.schema()))
    from pydantic import TypeAdapter

    from ackclock.lessons.answers import Answer
    from ackclock.schemas.check_stack import CheckStackDocument
    from ackclock.schemas.compare_trace import CompareTraceDocument
    from ackclock.schemas.evaluate import EvaluateDocument
    from ackclock.schemas.packetdrill import PacketdrillDocument
    from ackclock.schemas.registry import Entry
    from ackclock.schemas.reproduce import ReproduceDocument
    from ackclock.schemas.run import RunDocument
    from ackclock.schemas.search import SearchDocument
    from ackclock.study.model import Study

    documents: dict[str, Any] = {
        "study": Study,
        "run": RunDocument,
        "reproduce": ReproduceDocument,
        "evaluate": EvaluateDocument,
        "search": SearchDocument,
        "list": list[Entry],
        "compare-trace": CompareTraceDocument,
        "check-stack": CheckStackDocument,
        "packetdrill": PacketdrillDocument,
        "answer": Answer,
    }
    # The schema of a file that is read describes what may be in it; the others describe what is written.
    mode: Any = "validation" if of in ("study", "answer") else "serialization"
    body = TypeAdapter(documents[of]).json_schema(mode=mode)
    if of == "study":
        from ackclock.schemas.templates import with_templates
        from ackclock.study.grid import KINDS

        several = {name: model.__name__ for name, model in KINDS.items()}
        body = with_templates(body, {**several, "interpretations": "Interpretation", "variants": "Variant"})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"ackclock {of}", **body}
