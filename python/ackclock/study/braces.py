"""Replaces braces in the tables of a study, such as ``{n}``, ``{policer.label}`` or ``{... for all n}``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ackclock._names import nearest
from ackclock.study.axes import Axes, GridError, text_of

_FOR_ALL = re.compile(r"(?P<what>.*\S)\s+for\s+all\s+(?P<names>[\w\s,-]+)", re.DOTALL)
_COMPARISON = re.compile(r"[<>]")


class Filling:
    """A table while its braces are replaced by their values.

    If numbers may be computed (``computed``), as in ``{= loss('{scheme}-5') }``, their braces stay, and only braces
    inside them are replaced.
    """

    def __init__(
        self, table: Mapping[str, Any], meanings: Mapping[str, Any], axes: Axes, *, computed: bool = False
    ) -> None:
        self._table, self._meanings, self._axes, self._computed = table, meanings, axes, computed
        self.used: set[str] = set()
        """The names found in braces."""
        self.named: set[str] = set()
        """The axes over which ``for all`` in a text iterates."""

    def filled(self) -> dict[str, Any]:
        """Returns the table with its braces replaced. GridError for unknown names in braces."""
        return {key: self._value(value, ()) for key, value in self._table.items()}

    def _value(self, value: Any, within: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            return self._text(value, within)
        if isinstance(value, list):
            return [one for item in value for one in self._elements(item, within)]
        if isinstance(value, dict):
            return {
                text_of(self._text(key, within)): self._value(item, within) for key, item in value.items()
            }
        return value

    def _elements(self, item: Any, within: tuple[str, ...]) -> list[Any]:
        """Returns the elements that one element of a list stands for: several if it is only a ``for all``."""
        parts = list(_parts(item)) if isinstance(item, str) else []
        found = _FOR_ALL.fullmatch(parts[0][1]) if len(parts) == 1 and parts[0][0] else None
        return [self._value(item, within)] if found is None else self._for_all(found, within)

    def _text(self, text: str, within: tuple[str, ...]) -> Any:
        """Returns ``text`` with its braces replaced; if the braces are the whole text, the value itself, such as a
        number.
        """
        if "{" not in text and "}" not in text:
            return text
        parts = list(_parts(text))
        values = [self._meaning(part, within) if braces else part for braces, part in parts]
        if len(parts) == 1:
            (value,) = values
            return value["id"] if isinstance(value, dict) and "id" in value else value
        for (_, part), value in zip(parts, values, strict=True):
            if isinstance(value, list) or (isinstance(value, dict) and "id" not in value):
                raise GridError(f"{{{part}}} is {value!r}, expected a number or a string")
        return "".join(text_of(value) for value in values)

    def _meaning(self, name: str, within: tuple[str, ...]) -> Any:
        """Returns the value of ``name``: a column of the row or an axis, a key of either's table, or a key of this
        table.
        """
        if name.startswith("="):
            if not self._computed:
                raise GridError(f"{{{name}}}: an expression is allowed only in the text of a finding")
            return f"{{{text_of(self._text(name, within))}}}"
        if found := _FOR_ALL.fullmatch(name):
            texts = self._for_all(found, within)
            return (" and " if _COMPARISON.search(found["what"]) else ", ").join(texts)
        if name in within:
            raise GridError(f"{{{name}}} refers to itself")
        root, *rest = name.split(".", 1)
        known = {**self._table, **self._meanings}
        if root not in known:
            raise GridError(f"{{{root}}} is not an axis, column or key of this table{nearest(root, known)}")
        self.used.add(root)
        value = known[root]
        for key in rest:
            if not isinstance(value, dict):
                raise GridError(f"{{{name}}}: {root} is {value!r}, expected a table with the key {key}")
            if key not in value:
                raise GridError(f"{{{name}}}: there is no key {key}{nearest(key, value)}")
            value = value[key]
        if isinstance(value, dict) and "id" in value:
            return value
        return self._value(value, (*within, name))

    def _for_all(self, found: re.Match[str], within: tuple[str, ...]) -> list[str]:
        """Returns the text at each point of the axes; within a text, comparisons are joined by ``and``, others by
        commas.
        """
        names = [name.strip() for name in found["names"].split(",")]
        for name in names:
            if name not in self._axes:
                raise GridError(f'for all: there is no axis "{name}"{nearest(name, self._axes)}')
        self.named |= set(names)
        texts = []
        for values in product(*(self._axes[name] for name in names)):
            at = dict(zip(names, values, strict=True))
            inner = Filling(self._table, {**self._meanings, **at}, self._axes, computed=self._computed)
            texts.append(text_of(inner._text(found["what"], within)))
            self.used |= inner.used
            self.named |= inner.named
        return texts


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yields the pieces of ``text``, each with whether it was in braces."""
    depth = start = 0
    for at, letter in enumerate(text):
        if letter not in "{}":
            continue
        if depth == 0 and letter == "{" and at > start:
            yield False, text[start:at]
        depth += 1 if letter == "{" else -1
        if depth < 0:
            raise GridError(f'"}}" without "{{" in "{text}"')
        if (depth, letter) == (1, "{"):
            start = at + 1
        elif depth == 0:
            yield True, text[start:at]
            start = at + 1
    if depth:
        raise GridError(f'"{{" without "}}" in "{text}"')
    if start < len(text):
        yield False, text[start:]
