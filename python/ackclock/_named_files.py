"""Puts the text of files that a scenario names, such as the trace of a rate, into the scenario's own text.

So the text of a scenario alone determines what it simulates: if a trace has changed, the store of finished runs does
not reuse results, and the text is complete by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock._files import is_there, read_text
from ackclock.errors import InputError

KEYS = ("trace", "sizes")
"""The keys whose value is the name of a file, in a table or at the end of a dotted path."""
_MARK = "# The contents of the files that are named above.\n"


_outside: ContextVar[bool] = ContextVar("files_outside", default=False)


@contextmanager
def files_outside() -> Iterator[None]:
    """A context in which scenarios and studies may name files outside their own folders.

    Elsewhere such names are refused: a scenario from another person could otherwise include any file that you can
    read.

    >>> import ackclock
    >>> with ackclock.files_outside():  # doctest: +SKIP
    ...     scenario = ackclock.Scenario.from_file("mine.toml")
    """
    before = _outside.set(True)
    try:
        yield
    finally:
        _outside.reset(before)


def with_files(text: str, file: str, *others: Any) -> str:
    """Returns ``text`` with ``[files."NAME"]`` for each existing file that it or one of ``others`` names.

    Names are relative to the folder of ``file``, the scenario's. The core reports a missing file, at the
    place where it is named. InputError for a file that cannot be read, and for one outside of that folder, unless
    ``files_outside`` allows it. Files already in the text are not read again.
    """
    named, there = (
        _named_by(text) if any(key in text for key in KEYS) else (frozenset[str](), frozenset[str]())
    )
    missing = sorted((named | set(names_in(others))) - there)
    folder = Path(file).parent
    for name in missing:
        _check_place(folder, name, file)
    texts = {name: read_text(folder / name) for name in missing if is_there(folder / name)}
    parts = [f"[files.{_basic(name)}]\ntext = {_basic(content)}\n" for name, content in texts.items()]
    return (
        "\n".join([text.rstrip("\n") + "\n", *([_MARK] if _MARK not in text else []), *parts])
        if parts
        else text
    )


def _check_place(folder: Path, name: str, file: str) -> None:
    """Raises InputError for a name that leads out of the folder, by ``..``, as a whole path or by a symbolic link."""
    if _outside.get():
        return
    try:
        is_inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return  # No file can have the name, or a link leads back to itself: reading it says so.
    if not is_inside:
        raise InputError(
            f"{file}: the file {json.dumps(name, ensure_ascii=False)} is outside the folder of {file}, and "
            "its content would become part of the scenario. If you trust the scenario, run `ackclock "
            "--files-outside COMMAND ...`, or use `with ackclock.files_outside():` in Python"
        )


def is_python_file(name: str) -> bool:
    """Returns whether ``name`` is ``FILE.py`` or ``FILE.py:CLASS``, a control in Python as ``--control`` names it.

    The text of such a file never becomes part of a scenario, and a scenario alone never runs it: a scenario that you
    were given could otherwise run any program.
    """
    return name.partition(":")[0].endswith(".py")


def python_files_in(value: Any) -> Iterator[str]:
    """Yields the names of controls in Python in tables and lists of a document."""
    if isinstance(value, str) and is_python_file(value):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from python_files_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from python_files_in(item)


def as_written(text: str) -> str:
    """Returns the hand-written part of a scenario's text, without the part added by ``with_files``."""
    return text.split(f"\n{_MARK}", maxsplit=1)[0]


def names_in(value: Any) -> Iterator[str]:
    """Yields the names of files in tables and lists of a document, in overrides too: ``{"rate": {"trace": NAME}}``."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if str(key).split(".")[-1] in KEYS:
                # A sweep has a list of names.
                yield from (
                    name for name in (item if isinstance(item, list) else [item]) if isinstance(name, str)
                )
            if key != "files":
                yield from names_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from names_in(item)


@lru_cache(maxsize=64)
def _named_by(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the files that a scenario names, and those whose text it has; none if it is not TOML, which the core
    reports.
    """
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError:
        return frozenset(), frozenset()
    files = document.get("files")
    return frozenset(names_in(document)), frozenset(files if isinstance(files, Mapping) else ())


def _basic(text: str) -> str:
    """Returns a basic string of TOML, which is a JSON string with one more character escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
