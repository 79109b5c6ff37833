"""Which dimension of a sweep is where in its figure: along the axis, as rows or columns of panels, or as colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.report.sweep_axes import Swept

FEW = 4
"""By default, colours can show a numeric swept axis only if it has at most this number of values."""


@dataclass(frozen=True)
class Dimension:
    """Something in which the curves of a figure differ: a swept axis, the metric, or the group."""

    key: str
    """The column of the swept axis, or ``metric``, ``group`` or ``class``."""
    names: frozenset[str]
    """The names that a caller can use for the dimension."""
    values: tuple[Any, ...]
    label: Callable[[Any], str]
    axis: Swept | None = None


Choice = dict[str, Any]
"""One value for each of several dimensions, by the key of the dimension."""


@dataclass(frozen=True)
class Layout:
    """The place of each dimension."""

    x: Swept
    rows: tuple[Dimension, ...]
    columns: tuple[Dimension, ...]
    colour: tuple[Dimension, ...]
    up: Swept | None = None
    """The vertical axis of a heat map; None for curves."""


def layout(
    dimensions: Sequence[Dimension],
    *,
    x: str | None,
    rows: str | Sequence[str] | None,
    columns: str | Sequence[str] | None,
    colour: str | Sequence[str] | None,
) -> Layout:
    """Returns the place of each dimension: the one that the caller names, or else the next free one.

    By default the horizontal axis is the numeric axis with the most values. An axis of words becomes colours, or else
    the groups, or else a numeric axis with few values; one with many values becomes a heat map. Metrics become rows,
    everything else columns, and then rows. InputError for an unknown name, for a dimension that is named twice, and
    for one without a place.
    """
    given = placed(dimensions, {"x": x, "rows": rows, "columns": columns, "colour": colour})
    taken = [one for found in given.values() for one in found]
    left = [one for one in dimensions if one not in taken and len(one.values) > 1]
    axes = [one for one in dimensions if one.axis is not None and one not in taken]
    if given["x"]:
        (along,) = given["x"]
    elif axes:
        along = max(reversed(axes), key=lambda one: (_numeric(one), len(one.values)))
    else:
        raise InputError(
            "plot: no swept parameter is left for the horizontal axis (x): name fewer in rows, columns and colour"
        )
    if along.axis is None:
        raise InputError(f'plot: x = "{along.key}" is not a swept parameter')
    left = [one for one in left if one is not along]
    found = {place: list(given[place]) for place in ("rows", "columns", "colour")}
    metric = [one for one in left if one.key == "metric"]
    left = [one for one in left if one not in metric]
    free = [place for place, asked in (("columns", columns), ("rows", rows)) if asked is None]
    for one in metric:
        _require_place(one, free)
        found["rows" if "rows" in free else "columns"].append(one)
    if colour is None:
        chosen = _colour(left)
        if (
            chosen is None
            and not metric
            and len(left) == 1
            and left[0].axis is not None
            and along.axis.numeric
        ):
            return Layout(along.axis, tuple(found["rows"]), tuple(found["columns"]), (), left[0].axis)
        if chosen is not None:
            found["colour"].append(chosen)
            left.remove(chosen)
    for one in left:
        _require_place(one, free)
        found[min(free, key=lambda place: len(found[place]))].append(one)
    return Layout(along.axis, tuple(found["rows"]), tuple(found["columns"]), tuple(found["colour"]))


def placed(
    dimensions: Sequence[Dimension], places: Mapping[str, str | Sequence[str] | None]
) -> dict[str, list[Dimension]]:
    """Returns the dimensions that the caller names for each place. InputError for an unknown name, and for a dimension
    that is named twice.
    """
    given = {place: _named(place, names, dimensions) for place, names in places.items()}
    taken = [one.key for found in given.values() for one in found]
    for key in taken:
        if taken.count(key) > 1:
            raise InputError(
                f'plot: "{key}" is named {taken.count(key)} times in x, rows, columns and colour, expected once'
            )
    return given


def _require_place(one: Dimension, free: Sequence[str]) -> None:
    if not free:
        raise InputError(
            f'plot: "{one.key}" has no place in the figure: name this key in rows, columns or colour'
        )


def _colour(left: Sequence[Dimension]) -> Dimension | None:
    words = [one for one in left if one.axis is not None and not _numeric(one)]
    groups = [one for one in left if one.key == "group"]
    few = [one for one in left if _numeric(one) and len(one.values) <= FEW]
    return next(iter((*words, *groups, *few)), None)


def _numeric(one: Dimension) -> bool:
    return one.axis is not None and one.axis.numeric


def _named(place: str, names: str | Sequence[str] | None, dimensions: Sequence[Dimension]) -> list[Dimension]:
    found = []
    for name in [names] if isinstance(names, str) else names or []:
        known = [one for one in dimensions if name in one.names]
        if not known:
            raise InputError(
                f'plot: {place} = "{name}": the figure has no such dimension'
                f"{nearest(name, [one.key for one in dimensions])}"
            )
        found.append(known[0])
    return found


def choices(dimensions: Sequence[Dimension]) -> list[Choice]:
    """Returns every combination of the dimensions' values; without dimensions, one empty combination."""
    return [
        dict(zip([one.key for one in dimensions], values, strict=True))
        for values in product(*(one.values for one in dimensions))
    ]


def worded(dimensions: Sequence[Dimension], choice: Choice, *, keyed: bool) -> str:
    """Returns the values of a choice in words; with ``keyed`` after the names of the axes: ``count = 2``."""
    found = []
    for one in dimensions:
        label = one.label(choice[one.key])
        found.append(f"{one.axis.words} = {label}" if keyed and one.axis is not None else label)
    return ", ".join(filter(None, found))
