"""TOML 1.0, from the standard library where it has it, and what no file needs refused before it costs anything."""

from __future__ import annotations

import re
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

_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*')
_OTHER = re.compile(r"[^\w.\- \t]")


def loads(text: str) -> dict[str, Any]:
    """The document in ``text``. TOMLDecodeError where it is none, and where it is nested very deeply."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") >= MOST_PARTS:
            # What stands in quotes and comments has dots of its own; the rest falls into keys and numbers.
            words = _OTHER.split(_QUOTED.sub("x", line))
            if any(word.count(".") >= MOST_PARTS for word in words):
                raise TOMLDecodeError(f"a key of more than {MOST_PARTS} parts (at line {number}, column 1)")
    try:
        document: dict[str, Any] = _loads(text)
    except RecursionError:
        raise TOMLDecodeError("lists or tables nested very deeply") from None
    return document
