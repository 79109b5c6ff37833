"""Markdown: tables, and text that it must not take for its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LONGEST = 110
"""The largest number of characters of a claim's text in a table with one line per claim."""


def row(*cells: str | int) -> str:
    """Returns a row of a table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yields the lines of a table, without the columns that are empty in all rows."""
    kept = [k for k in range(len(heads)) if any(one[k] for one in rows)]
    for cells in (heads, ["---"] * len(heads), *rows):
        yield row(*(cells[k] for k in kept))


def escaped(text: str) -> str:
    """Returns ``text`` in one line, without anything that Markdown would take for its own."""
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", " ".join(text.split()))


def short(text: str) -> str:
    """Returns ``text`` in one short line: a long text loses what is in brackets, and then its end."""
    text = " ".join(text.split())
    if len(text) > LONGEST:
        text = re.sub(r" \([^()]*\)", "", text)
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + " …"
    return text
