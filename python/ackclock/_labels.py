"""Labels of swept values: a table such as ``{name = "fq-codel", limit = "0.5 bdp"}`` is named by what differs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def labels(values: Sequence[Any]) -> list[str]:
    """Returns a label for each value of an axis.

    Text and numbers are their own labels. Tables are labelled by the values of the keys in which they differ, the
    ``name`` first, and by the keys too where the values alone would be the same.

    >>> labels([{"name": "fq-codel", "limit": "0.5 bdp"}, {"name": "fq-codel", "limit": "1 bdp"}])
    ['0.5 bdp', '1 bdp']
    >>> labels([{"name": "fq-codel", "limit": "0.5 bdp"}, "droptail", {"name": "fq-codel", "limit": "1 bdp"}])
    ['fq-codel, 0.5 bdp', 'droptail', 'fq-codel, 1 bdp']
    """
    if not any(isinstance(value, Mapping) for value in values):
        return [_text(value) for value in values]
    rows = [_flat(value) for value in values]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    keys.sort(key=lambda key: key != "name")
    differing = [key for key in keys if len({_text(row.get(key)) for row in rows}) > 1] or keys
    # A table with none of these keys is told from the others by its name: {name = "cubic"} from one with another beta.
    nameless = any(not any(key in row for key in differing) for row in rows)
    if nameless and all("name" in row for row in rows):
        differing = ["name", *differing]
    for with_keys in (nameless, True):
        found = [
            ", ".join(
                f"{key} {_text(row[key])}" if with_keys and key != "name" else _text(row[key])
                for key in differing
                if key in row
            )
            for row in rows
        ]
        if all(found) and len(set(found)) == len({_text(value) for value in values}):
            return found
    return [_text(value) for value in values]


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Returns the values of a table by dotted keys. A word stands for a table with only that name."""
    if not isinstance(value, Mapping):
        return {"name": value}
    found: dict[str, Any] = {}
    for key, inner in value.items():
        path = f"{prefix}{key}"
        if isinstance(inner, Mapping):
            found |= _flat(inner, f"{path}.")
        else:
            found[path] = inner
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
