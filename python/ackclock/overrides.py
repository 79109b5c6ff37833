"""Overrides: dotted paths into a scenario and the values to put there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ackclock.errors import InputError


def merge(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """The layers as one, later ones winning.

    Setting a whole table also takes back what an earlier layer set inside it, so the outcome does not depend on the
    order in which the core applies the paths:

    >>> merge({"flows.tcp.control.beta": 0.7}, {"flows.tcp.control": "reno"})
    {'flows.tcp.control': 'reno'}
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        for path, value in layer.items():
            merged = {
                old: kept for old, kept in merged.items() if old != path and not old.startswith(path + ".")
            }
            merged[path] = value
    return merged


def to_json(overrides: Mapping[str, Any]) -> str:
    """The overrides as the core takes them, keys in order. InputError for what JSON cannot hold: a date, nan, inf."""
    try:
        return json.dumps(overrides, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"an override holds what a scenario cannot: {error}") from None
