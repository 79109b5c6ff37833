"""Reading the user's files."""

from __future__ import annotations

import difflib
from pathlib import Path

from ackclock.errors import InputError

MAX_BYTES = 10_000_000
"""No scenario or study comes near this; a file that does was named by mistake."""


def read_text(path: Path) -> str:
    """The text of a file. InputError when it is missing, unreadable, too large, or not UTF-8."""
    try:
        if not path.exists():
            raise InputError(f"{path}: No such file{_near(path)}")
        if path.is_dir():
            raise InputError(f"{path}: is a folder, expected a TOML file{_in(path)}")
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: {path.stat().st_size} bytes; the limit is {MAX_BYTES}")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text: byte {error.start} cannot be decoded") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _near(path: Path) -> str:
    """The file beside ``path`` whose name is like it."""
    files = {other.stem: other for other in sorted(path.parent.glob("*.toml"))}
    close = difflib.get_close_matches(path.stem, files, n=1)
    return f'; did you mean "{files[close[0]]}"?' if close else ""


def _in(folder: Path) -> str:
    """The first TOML files in ``folder``."""
    names = sorted(str(path) for path in folder.glob("*.toml"))[:3]
    return f" such as {', '.join(names)}" if names else ""
