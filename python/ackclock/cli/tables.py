"""Tables of numbers that fit the terminal: a table that is too wide becomes several, and no number is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

GAP = 2
SHORT_HEADING = 16
"""The largest length of a heading, in characters, that stays on one line."""


@dataclass(frozen=True)
class Column:
    """A heading, which may be wrapped, and cells, which may not; each may have several lines."""

    heading: str
    cells: Sequence[Text]
    whole: bool = False
    """Whether the heading is never wrapped."""

    @property
    def width(self) -> int:
        """Returns the width that its widest cell and its heading need; a long heading may be broken between words."""
        if self.whole:
            words = [len(self.heading)]
        elif "\n" in self.heading:
            words = [len(line) for line in self.heading.split("\n")]
        else:
            words = [*map(len, self.heading.split()), min(len(self.heading), SHORT_HEADING)]
        lines = [line.cell_len for cell in self.cells for line in cell.split("\n")]
        return max([1, *words, *lines])


def fitting(label: Column, columns: Sequence[Column], width: int) -> Iterator[Table]:
    """Yields tables of ``columns``, each beginning with the ``label`` of the rows, none wider than ``width`` if
    possible.
    """
    labels = label.width if label.whole else min(label.width, max(12, width // 3))
    group: list[Column] = []
    for column in columns:
        if group and labels + GAP + sum(c.width + GAP for c in (*group, column)) > width:
            yield _table(label, labels, group)
            group = []
        group.append(column)
    if group:
        yield _table(label, labels, group)


def _table(label: Column, label_width: int, columns: Sequence[Column]) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), header_style="dim", pad_edge=False)
    table.add_column(Text(label.heading), width=label_width, vertical="top", header_style="dim")
    for column in columns:
        table.add_column(Text(column.heading), width=column.width, justify="right")
    for row, name in enumerate(label.cells):
        table.add_row(name, *(column.cells[row] for column in columns))
    return table
