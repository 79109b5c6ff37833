"""Reading the user's files."""

from __future__ import annotations

from pathlib import Path

from ackclock.errors import InputError

MAX_BYTES = 10_000_000
"""No scenario or study comes near this; a file that does was named by mistake."""


def read_text(path: Path) -> str:
    """The text of a file. InputError when it is missing, unreadable, too large, or not UTF-8."""
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: {path.stat().st_size} bytes; the limit is {MAX_BYTES}")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text: byte {error.start} cannot be decoded") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
