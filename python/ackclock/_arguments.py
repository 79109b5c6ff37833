"""Checks arguments of the package's functions: errors say what was found and what was expected.

A whole number may be NumPy's, and a path may be a text; nothing else is converted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any

from ackclock.errors import InputError


def shown(value: Any) -> str:
    """Returns a value for a message, shortened to its beginning if it is long."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def whole(what: str, value: Any, least: int, most: int) -> int:
    """Returns a whole number from ``least`` to ``most``."""
    if not is_whole(value, least, most):
        raise InputError(f"{what}: found {shown(value)}, expected a whole number from {least} to {most}")
    return int(value)


def is_whole(value: Any, least: int, most: int) -> bool:
    """Returns whether ``value`` is a whole number."""
    return not isinstance(value, bool) and isinstance(value, Integral) and least <= int(value) <= most


def mapping(what: str, value: Any) -> dict[str, Any]:
    """Returns a dictionary with texts as keys; an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{what}: found {shown(value)}, expected a dictionary")
    for key in value:
        if not isinstance(key, str):
            raise InputError(f"{what}: found the key {shown(key)}, expected a string")
    return dict(value)


def text(what: str, value: Any) -> str:
    """Returns a text."""
    if not isinstance(value, str):
        raise InputError(f"{what}: found {shown(value)}, expected a string")
    return value


def path(what: str, value: Any) -> Path:
    """Returns a path."""
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"{what}: found {shown(value)}, expected a path")
    return Path(value)


def iterable(what: str, value: Any) -> Iterable[Any]:
    """Returns an iterable that is not a text."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{what}: found {shown(value)}, expected a list or a range")
    return value


def plain(value: Any) -> Any:
    """Returns ``value`` with numbers of NumPy and of pandas as Python's, and paths as texts, at any depth."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return value
