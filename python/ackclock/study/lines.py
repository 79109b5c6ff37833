"""Finds the lines of the tables of a study file, for messages: TOML's parser does not report them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"\s*\[\[\s*([\w.-]+)\s*\]\]")
_ANY_HEADER = re.compile(r"\s*\[\[?\s*[\w\"']")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*')
_QUOTES = ('"""', "'''")


class Lines:
    """The lines of one file. Tables in an unusual form (an inline array) have no line of their own."""

    def __init__(self, text: str) -> None:
        self._lines = _without_texts(text.splitlines())
        self._headers = [
            (number, found[1]) for number, line in enumerate(self._lines) if (found := _HEADER.match(line))
        ]

    def of(self, place: tuple[str | int, ...]) -> int | None:
        """Returns the line of the header of the table at ``place``, given as ``("assumptions", 2, "interpretations",
        0)``.
        """
        first, last = 0, len(self._lines)
        name, found = "", None
        for part in place:
            if isinstance(part, str):
                name = f"{name}.{part}" if name else part
                continue
            numbers = [
                number for number, header in self._headers if header == name and first <= number < last
            ]
            if part >= len(numbers):
                return None
            found = first = numbers[part]
            last = numbers[part + 1] if part + 1 < len(numbers) else last
        return None if found is None else found + 1

    def rows(self, place: tuple[str | int, ...], count: int) -> Sequence[int | None]:
        """Returns the lines of the ``count`` rows of the table at ``place``; if they cannot be found, the table's
        line for each.
        """
        header = self.of(place)
        if header is None:
            return [None] * count
        rows, inside, depth = list[int | None](), False, 0
        for number in range(header, len(self._lines)):
            line = self._lines[number]
            if _ANY_HEADER.match(line):
                break
            if found := re.match(r"\s*rows\s*=\s*\[", line):
                inside, line = True, line[found.end() :]
            if inside:
                for letter in _TEXT.sub("", line):
                    if letter == "{" and depth == 0:
                        rows.append(number + 1)
                    depth += (letter == "{") - (letter == "}")
        return rows if len(rows) == count else [header] * count


def _without_texts(lines: Sequence[str]) -> list[str]:
    """Returns ``lines`` with the continuation lines of multi-line texts emptied."""
    result, end = list[str](), ""
    for line in lines:
        if end:
            result.append("")
            end = "" if end in line else end
            continue
        result.append(line)
        opened = [quotes for quotes in _QUOTES if line.count(quotes) % 2]
        end = opened[0] if opened else ""
    return result
