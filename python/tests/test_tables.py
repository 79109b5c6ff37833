"""Tables that fit the terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from ackclock.cli.tables import Column, fitting

LABELS = Column("case", [Text("NewReno, a queue of 15 packets"), Text("SACK")])
COLUMNS = [
    Column("Correlation with the round trip", [Text("0.30 ± 0.02"), Text("0.44 ± 0.02\n0.5")]),
    Column("goodput\nMbit/s", [Text("0.375 ± 0.004"), Text("1")]),
    Column("Loss [%]", [Text("0 ± 0"), Text("1.2345 ± 0.0012")]),
]


def printed(width: int) -> tuple[list[str], int]:
    text = io.StringIO()
    out = Console(file=text, width=width)
    tables = list(fitting(LABELS, COLUMNS, width))
    for table in tables:
        out.print(table)
    return text.getvalue().splitlines(), len(tables)


@pytest.mark.parametrize(("width", "expected"), [(120, 1), (60, 2), (40, 3)])
def test_wide_tables_become_several(width: int, expected: int) -> None:
    lines, tables = printed(width)
    assert tables == expected
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for number in ("0.30 ± 0.02", "0.44 ± 0.02", "0.375 ± 0.004", "1.2345 ± 0.0012"):
        assert number in text
    assert text.count("SACK") == expected


def test_a_table_wider_than_the_terminal_is_still_made() -> None:
    assert printed(10)[1] == 3


def test_nothing_makes_no_table() -> None:
    assert list(fitting(LABELS, [], 80)) == []
