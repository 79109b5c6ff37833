"""Overrides: dotted paths into a scenario and the values to put there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ackclock import _toml as toml
from ackclock.errors import InputError


def merge(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the layers merged into one; later layers win.

    Setting a whole table also takes back what an earlier layer set inside it, so the outcome does not depend on the
    order in which the core applies the paths:

    >>> merge({"flows.tcp.control.beta": 0.7}, {"flows.tcp.control": "reno"})
    {'flows.tcp.control': 'reno'}

    Setting a key of every item also sets it inside a table that an earlier layer gave one item:

    >>> sorted(merge({"flows.tcp.control": "reno"}, {"flows.*.control.beta": 0.7}))
    ['flows.*.control.beta', 'flows.tcp.control', 'flows.tcp.control.beta']
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        for path, value in layer.items():
            merged = {old: kept for old, kept in merged.items() if not covers(path, old)}
            # The core applies paths in alphabetical order, in which `*` is before every name.
            inside = [_within(old, path) for old in merged if _leads_to(old, path)]
            merged.update(dict.fromkeys([path, *inside], value))
    return merged


def covers(path: str, other: str) -> bool:
    """Returns whether setting ``path`` replaces what ``other`` set: it leads to the same key or to a table around it,
    where ``*`` stands for every item of a list.

    >>> covers("flows.*.control", "flows.tcp.control.beta"), covers("flows.tcp.control", "flows.*.control")
    (True, False)
    """
    steps, others = path.split("."), other.split(".")
    return len(steps) <= len(others) and all(
        step in ("*", its) for step, its in zip(steps, others, strict=False)
    )


def _leads_to(table: str, path: str) -> bool:
    """Returns whether ``path``, which has a ``*``, sets a key inside the ``table`` of one item."""
    steps, others = table.split("."), path.split(".")
    return (
        len(steps) < len(others)
        and any(step != other for step, other in zip(steps, others, strict=False))
        and all(other in ("*", step) for step, other in zip(steps, others, strict=False))
    )


def _within(table: str, path: str) -> str:
    """Returns the path below ``table`` that ends as ``path`` does."""
    return ".".join([table, *path.split(".")[table.count(".") + 1 :]])


def assignment(text: str) -> tuple[str, Any]:
    """Parses ``PATH=VALUE`` of the command line. The value is parsed as TOML, or else taken as text.

    >>> assignment("flows.tcp.count=4")
    ('flows.tcp.count', 4)
    >>> assignment("dumbbell.bottleneck.rate = 20 Mbit/s")
    ('dumbbell.bottleneck.rate', '20 Mbit/s')

    InputError without a path or an equals sign.
    """
    path, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not path:
        raise InputError(
            f'--set: found "{text}", expected PATH=VALUE such as "dumbbell.bottleneck.rate=20 Mbit/s"'
        )
    if "\n" in value:
        return path, value
    try:
        return path, toml.loads(f"value = {value}")["value"]
    except toml.TOMLDecodeError:
        return path, value


def to_json(overrides: Mapping[str, Any]) -> str:
    """Returns the overrides in the core's form, keys in order. InputError for values that JSON cannot hold: a date,
    nan, inf.
    """
    try:
        return json.dumps(overrides, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"an override has a value that a scenario cannot contain, such as a date, nan or inf: {error}"
        ) from None
