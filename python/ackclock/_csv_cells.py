"""Cells of CSV that no spreadsheet takes for a formula."""

from __future__ import annotations

import polars as pl
from polars import selectors as cs

FORMULA = r"^[=+\-@\t\r]"
"""Matches cells that a spreadsheet would run as a formula: https://owasp.org/www-community/attacks/CSV_Injection."""
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
QUOTE = "'"
"""The prefix that makes a spreadsheet treat a cell as text."""


def inert(table: pl.DataFrame) -> pl.DataFrame:
    """Returns the table with a quote before each text, and each name of a column, that a spreadsheet would take for a
    formula: users choose the names of flows, links and scenarios. Numbers stay as they are, also those in texts.

    >>> inert(pl.DataFrame({"name": ["=1+1", "-2", "tcp"]}))["name"].to_list()
    ["'=1+1", '-2', 'tcp']
    """
    quoted = table.with_columns(
        pl.when(pl.col(name).str.contains(FORMULA) & ~pl.col(name).str.contains(NUMBER))
        .then(QUOTE + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name in table.select(cs.string()).columns
    )
    names = pl.DataFrame({"name": quoted.columns})
    risky = names.filter(pl.col("name").str.contains(FORMULA))["name"]
    return quoted.rename({name: QUOTE + name for name in risky})
