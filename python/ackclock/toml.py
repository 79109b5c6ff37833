"""TOML 1.0, from the standard library where it has it, and what no file needs refused before it costs anything."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    from tomllib import TOMLDecodeError
    from tomllib import loads as _loads
else:
    from tomli import TOMLDecodeError
    from tomli import loads as _loads

__all__ = ["TOMLDecodeError", "loads"]

MOST_PARTS = 100
"""Of a dotted key: reading one takes as long as the square of its parts."""


def loads(text: str) -> dict[str, Any]:
    """The document in ``text``. TOMLDecodeError where it is none, and where it is nested very deeply."""
    for number, line in enumerate(text.splitlines(), start=1):
        # Where there are so many dots before a value, and none of them stands in quotes, a key has as many parts.
        key = line.partition("=")[0]
        if key.count(".") >= MOST_PARTS and not any(mark in key for mark in "#\"'"):
            raise TOMLDecodeError(f"a key of more than {MOST_PARTS} parts (at line {number}, column 1)")
    try:
        document: dict[str, Any] = _loads(text)
    except RecursionError:
        raise TOMLDecodeError("lists or tables nested very deeply") from None
    return document
