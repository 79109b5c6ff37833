"""Reads the text of a script from left to right, and skips comments."""

from __future__ import annotations

import re
from bisect import bisect_right

from ackclock.packetdrill.language import ScriptError

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SHOWN = 40
"""The largest number of characters of a script that a message quotes."""


class Scanner:
    """A place in the text of a file."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file, self.place = text, file, 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, place: int | None = None) -> int:
        """Returns the number of the line at ``place``, by default the present one."""
        return bisect_right(self._lines, self.place if place is None else place)

    def skip(self) -> None:
        """Goes on to the next character that is neither space nor comment."""
        match = _SPACE.match(self.text, self.place)
        self.place = match.end() if match else self.place
        if self.text.startswith("/*", self.place):
            raise self.error('found a comment that never ends, expected "*/"')

    def at_end(self) -> bool:
        """Returns whether nothing but comments follows."""
        self.skip()
        return self.place >= len(self.text)

    def peek(self, length: int = 1) -> str:
        """Returns the next characters."""
        self.skip()
        return self.text[self.place : self.place + length]

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Takes what matches ``pattern`` next. Returns None, and stays where it is, if it does not match."""
        before = self.place
        self.skip()
        match = pattern.match(self.text, self.place)
        self.place = before if match is None else match.end()
        return match

    def expect(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        """Takes what matches ``pattern`` next. ScriptError says what was expected if it does not match."""
        match = self.take(pattern)
        if match is None:
            self.skip()
            raise self.error(f"found {self.shown()}, expected {expected}")
        return match

    def until(self, end: str, what: str) -> str:
        """Takes the text up to ``end``, which is taken too. ScriptError if it never comes."""
        start, begins = self.place, self.line()
        found = self.text.find(end, start)
        if found < 0:
            raise ScriptError(self.file, begins, f'found {what} that never ends, expected "{end}"')
        self.place = found + len(end)
        return self.text[start:found]

    def shown(self) -> str:
        """Returns what comes next as a message shows it."""
        rest = self.text[self.place :].split("\n", 1)[0].strip()
        if not rest:
            return "the end of the file"
        return f'"{rest[:_SHOWN]}{"..." if len(rest) > _SHOWN else ""}"'

    def error(self, message: str) -> ScriptError:
        """Returns an error at the present place."""
        return ScriptError(self.file, self.line(), message)
