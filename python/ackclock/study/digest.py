"""Digests of a run's result, which show whether a core still computes the values of a record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any

PHYSICS = 1
"""The version of the simulated behaviour: raised only when an existing field of a result changes its value, not for a
rebuild or a new field.
"""
DIGITS = 10
"""The number of hexadecimal digits of a digest."""


def fields_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of a result by field; a field of flows or links has a list of values, in their order."""
    found: dict[str, Any] = {"fairness": result["fairness"], "duration_s": result["duration_s"]}
    for kind in ("flows", "links"):
        fields = dict.fromkeys(field for row in result[kind] for field in row)
        found |= {f"{kind}.{field}": [row.get(field) for row in result[kind]] for field in fields}
    return found


def digest(result: Mapping[str, Any], fields: Collection[str] | None = None) -> str:
    """Returns the digest of a result over those of its fields that are among ``fields``, by default over all.

    A field that was added after a record was made is not among the fields of the record, and changes no digest.
    """
    values = fields_of(result)
    kept = {field: values[field] for field in values if fields is None or field in fields}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()[:DIGITS]
