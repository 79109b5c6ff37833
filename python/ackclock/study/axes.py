"""The axes of a study: what varies in its cases and claims, and over which values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ackclock._names import nearest
from ackclock.experiment.model import sweep_text

Axes = Mapping[str, Sequence[Any]]
"""The values of each axis by its name: numbers, strings, or tables with an ``id``."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")


class GridError(ValueError):
    """A mistake in axes, or in a table that stands for several tables."""


def checked(axes: Any) -> Axes:
    """Returns ``axes``, the table of a file. GridError if it is no table of lists of values."""
    if not isinstance(axes, dict):
        raise GridError(f"axes: found {axes!r}, expected a table with a list of values for each axis")
    for name, values in axes.items():
        place = f"axes.{name}"
        if not _NAME.match(name):
            raise GridError(
                f'{place}: found the axis name "{name}", expected a letter followed by letters, digits, _ or -'
            )
        if not isinstance(values, list) or not values:
            raise GridError(f"{place}: found {values!r}, expected a list of at least one value")
        for number, value in enumerate(values, 1):
            if isinstance(value, list) or (isinstance(value, dict) and "id" not in value):
                raise GridError(
                    f"{place}[{number}]: found {value!r}, expected a number, a string, or a table with an id"
                )
        ids = [text_of(value) for value in values]
        if twice := [id for id in ids if ids.count(id) > 1]:
            raise GridError(f'{place}: the value "{twice[0]}" is listed twice')
    return axes


def under(own: Axes, base: Axes) -> Axes:
    """Returns a study's axes with those of its base. If both have an axis, the study's values apply, in its order; a
    value that is the id of a table of the base is that table.
    """
    result = dict(base)
    for name, values in own.items():
        tables = {text_of(value): value for value in base.get(name, ()) if isinstance(value, dict)}
        result[name] = [
            value if isinstance(value, dict) else tables.get(text_of(value), value) for value in values
        ]
    return result


def text_of(value: Any) -> str:
    """Returns a value as it is written within a text: 2.0 is ``2``, a table is its id."""
    if isinstance(value, dict) and "id" in value:
        return text_of(value["id"])
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return sweep_text(value)
    return str(value)


def value_at(axes: Axes, name: str, id: Any) -> Any:
    """Returns the value with this ``id`` of the axis ``name``. GridError if there is none."""
    known = {text_of(value): value for value in axes[name]}
    if text_of(id) not in known:
        raise GridError(f'axes.{name} has no value "{text_of(id)}"{nearest(text_of(id), known)}')
    return known[text_of(id)]
