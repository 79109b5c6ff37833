"""The records of a JSON log with their places: text sequences (RFC 7464), a record in each line, or one document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ackclock.errors import InputError

SEPARATOR = b"\x1e"
PARTIAL = "to compare a truncated log up to this point, use --partial"


def records(path: Path, partial: bool) -> Iterator[tuple[str, Any]]:
    """Returns each record with its place for messages, ``FILE:LINE``.

    InputError for what is not JSON. With ``partial`` the records end before the first that is broken.
    """
    with path.open("rb") as file:
        for line, last, text in _texts(file):
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except ValueError as error:
                if partial and line > 1:
                    return
                raise InputError(_message(path, line, error, text if last and line > 1 else b"")) from None
            yield f"{path}:{line}", record


def document(path: Path) -> Any:
    """Returns the one JSON document of a file. InputError for what is not JSON."""
    data = path.read_bytes()
    try:
        return json.loads(data)
    except ValueError as error:
        raise InputError(_message(path, 1, error, data)) from None


def _texts(file: BinaryIO) -> Iterator[tuple[int, bool, bytes]]:
    """Returns each record's first line, whether it is the last, and its text.

    A record ends with its line, or, if it began with a separator, before the next one that does.
    """
    begun, text, separated = 1, b"", False
    for number, line in enumerate(file, start=1):
        starts = line.startswith(SEPARATOR)
        if number > 1 and (starts or not separated):
            yield begun, False, text
            text = b""
        if not text:
            begun = number
        separated = separated or starts
        text += line.lstrip(SEPARATOR)
    yield begun, True, text


def _message(path: Path, line: int, error: ValueError, last: bytes) -> str:
    """Returns what is wrong with a record that begins in a line; ``last`` is its text if it is the last one."""
    hint = f"; {PARTIAL}" if line > 1 else ""  # without a complete record before it, nothing can be compared
    if last and not last.rstrip().endswith(b"}"):
        end = line + last.rstrip().count(b"\n")
        return f"{path}:{end}: the file ends in the middle of a record, expected complete JSON{hint}"
    if isinstance(error, json.JSONDecodeError):
        at = f"{path}:{line + error.lineno - 1}:{error.colno}"
        return f"{at}: is not JSON ({error.msg}), expected a JSON record{hint}"
    return f"{path}:{line}: is not UTF-8 text, expected a JSON record"
