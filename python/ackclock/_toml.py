"""A TOML 1.0 parser: the standard library's where available. Refuses pathological documents before parsing them."""

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
"""The largest allowed number of parts of a dotted key. The parsing time grows with the square of this number."""

_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*')
_OTHER = re.compile(r"[^\w.\- \t]")


def loads(text: str) -> dict[str, Any]:
    """Returns the document in ``text``. TOMLDecodeError if it is not TOML, or is nested very deeply."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") >= MOST_PARTS:
            # Quoted text and comments may contain dots; the rest consists of keys and numbers.
            words = _OTHER.split(_QUOTED.sub("x", line))
            if any(word.count(".") >= MOST_PARTS for word in words):
                raise TOMLDecodeError(
                    f"a dotted key with more than {MOST_PARTS} parts (at line {number}, column 1)"
                )
    try:
        document: dict[str, Any] = _loads(text)
    except RecursionError:
        raise TOMLDecodeError("lists or tables nested too deeply") from None
    return document
