"""What stands in braces within a table that stands for several, such as ``{n}`` or ``{policer.label}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ackclock.names import nearest
from ackclock.study.axes import GridError, text_of

_BRACES = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}]*)\}|[{}]")


class Filling:
    """One of the tables that a template stands for, while its braces are replaced by what they mean."""

    def __init__(self, table: Mapping[str, Any], meanings: Mapping[str, Any]) -> None:
        self._table, self._meanings = table, meanings
        self.used: set[str] = set()
        """The names that stood in braces."""

    def filled(self) -> dict[str, Any]:
        """The table. GridError for braces that mean nothing."""
        return {key: self._value(value, ()) for key, value in self._table.items()}

    def _value(self, value: Any, within: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            return self._text(value, within)
        if isinstance(value, list):
            return [self._value(item, within) for item in value]
        if isinstance(value, dict):
            return {
                text_of(self._text(key, within)): self._value(item, within) for key, item in value.items()
            }
        return value

    def _text(self, text: str, within: tuple[str, ...]) -> Any:
        """``text`` with its braces replaced; braces that are all of it give the value itself, such as a number."""
        whole = _BRACES.fullmatch(text)
        if whole and whole["name"] is not None:
            value = self._meaning(whole["name"], within)
            return value["id"] if isinstance(value, dict) and "id" in value else value
        return _BRACES.sub(lambda found: self._replaced(found, within), text)

    def _replaced(self, found: re.Match[str], within: tuple[str, ...]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        if found["name"] is None:
            raise GridError(f'a single "{found[0]}" in "{found.string}"; write {found[0] * 2} for a brace')
        value = self._meaning(found["name"], within)
        if isinstance(value, list) or (isinstance(value, dict) and "id" not in value):
            raise GridError(f"{found[0]} is {value!r}, which cannot stand within a text")
        return text_of(value)

    def _meaning(self, name: str, within: tuple[str, ...]) -> Any:
        """What ``name`` means here: a column of the row or an axis, a key of either's table, a key of this table."""
        if name in within:
            raise GridError(f"{{{name}}} is told by itself")
        root, *rest = name.split(".", 1)
        known = {**self._table, **self._meanings}
        if root not in known:
            raise GridError(f"nothing here is called {{{root}}}{nearest(root, known)}")
        self.used.add(root)
        value = known[root]
        for key in rest:
            if not isinstance(value, dict):
                raise GridError(f"{{{name}}}: {root} is {value!r}, which has no keys")
            if key not in value:
                raise GridError(f"{{{name}}}: there is no {key}{nearest(key, value)}")
            value = value[key]
        if isinstance(value, dict) and "id" in value:
            return value
        return self._value(value, (*within, name))
