"""Puts the text of files that a scenario names, such as the trace of a rate, into the scenario's own text.

So the text of a scenario alone determines what it simulates: if a trace has changed, the store of finished runs does
not reuse results, and the text is complete by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ackclock import toml
from ackclock.files import is_there, read_text

KEYS = ("trace", "sizes")
"""The keys that name a file, in a table or at the end of a dotted path."""
_MARK = "# The contents of the files that are named above.\n"


def with_files(text: str, file: str, *others: Any) -> str:
    """Returns ``text`` with ``[files."NAME"]`` for each existing file that it or one of ``others`` names.

    Names are relative to the folder of ``file``, the scenario's. The core reports a missing file, at the
    place where it is named. InputError for a file that cannot be read. Files already in the text are not read again.
    """
    named, there = (
        _named_by(text) if any(key in text for key in KEYS) else (frozenset[str](), frozenset[str]())
    )
    missing = sorted((named | set(names_in(others))) - there)
    folder = Path(file).parent
    texts = {name: read_text(folder / name) for name in missing if is_there(folder / name)}
    parts = [f"[files.{_basic(name)}]\ntext = {_basic(content)}\n" for name, content in texts.items()]
    return (
        "\n".join([text.rstrip("\n") + "\n", *([_MARK] if _MARK not in text else []), *parts])
        if parts
        else text
    )


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
