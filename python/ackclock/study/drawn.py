"""Checks that the runs of a study have the series that its figures over time show."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence

from ackclock._names import nearest
from ackclock.study.model import Figure


def undrawable(figures: Sequence[Figure], known: Sequence[str]) -> Iterator[str]:
    """Yields a message for each series of the figures that a run does not have."""
    paths = [(figure, path) for figure in figures for path in figure.series_paths]
    for figure, path in paths:
        if path not in known and not fnmatch.filter(known, path):
            yield f'figure "{figure.id}": series: found "{path}", {_instead(path, known)}'


def _instead(path: str, known: Sequence[str]) -> str:
    """Returns what is wrong with a path: its flow or link, or its quantity."""
    kind, owner, quantity = path.split(".")
    owners = {name.split(".")[1] for name in known if name.startswith(f"{kind}.")}
    meant = fnmatch.filter(owners, owner)
    if not meant:
        return f'but no {kind[:-1]} "{owner}" has series{nearest(owner, sorted(owners))}'
    published = [name.split(".") for name in known]
    quantities = sorted({what for of, who, what in published if of == kind and who in meant})
    return f'but "{owner}" publishes no "{quantity}"{nearest(quantity, quantities)}'
