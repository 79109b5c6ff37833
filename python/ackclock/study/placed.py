"""Finds line and column for messages about a study file, from the table and the key that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock.errors import InputError, ScenarioError

Path = list[str | int]

_NAMED = re.compile(r'(metric|claim|case|figure|assumption|assumptions|interpretation) "([^"]*)"')
_INDEXED = re.compile(r"([a-z_]+)?\[(\d+)\](?: \([^)]*\))?")
_WORD = re.compile(r"[\w-]+")
_NAMES = ("id", "name", "what", "label")


def placed(message: str, text: str, file: str) -> str:
    """Returns ``message`` with ``FILE:LINE:COLUMN`` in place of ``FILE`` or ``FILE:LINE``; ``text`` is the file's
    content.
    """
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError:
        return message
    start = re.compile(
        rf"^{re.escape(file)}(?::(\d+)(?!:\d))?(?: \(override\))?: (?!\d+:)(.*(?:\n  in .*)?)", re.MULTILINE
    )

    def with_place(found: re.Match[str]) -> str:
        line, what = found[1], found[2]
        if line is not None and what.startswith("`"):
            return found[0]  # the core's message, about a scenario that is partly in another file
        place = _place(what, document, text, file, None if line is None else int(line))
        return found[0] if place is None else f"{file}:{place[0]}:{place[1]}: {what}"

    return start.sub(with_place, message)


def not_toml(text: str, file: str, error: toml.TOMLDecodeError) -> InputError:
    """Returns the error for a study file that is not TOML, with line and column if the core also refuses it."""
    try:
        core.locate(text, file, [])
    except ScenarioError as located:
        return located
    return InputError(f"{file}: not valid TOML: {error}")


def _place(
    what: str, document: Mapping[str, Any], text: str, file: str, line: int | None
) -> tuple[int, int] | None:
    override = re.match(r"`([^`]+)`: ", what)
    path = _of_override(override[1], what, document) if override else _of_words(what, document)
    item = next((path[: end + 1] for end in reversed(range(len(path))) if isinstance(path[end], int)), None)
    if line is not None and (item is None or core.locate(text, file, item)[1][0] != line):
        # The message is about a row, which stands for a table.
        source = text.splitlines()[line - 1]
        return line, len(source) - len(source.lstrip()) + 1
    if not path:
        # A missing key is reported at the beginning of its table.
        return core.locate(text, file, [])[1] if re.match(r'(\w+): "\1" is missing', what) else None
    steps, key, value = core.locate(text, file, path)
    about_key = "unknown key" in what or steps < len(path) or (override and "found the key" in what)
    if about_key or (_leaf(what, _at(document, path[:-1])) == path[-1] and isinstance(path[-1], str)):
        return key
    return value


def _of_words(what: str, document: Mapping[str, Any]) -> Path:
    """Returns the path that a message begins with, as in ``claims[1] ("1"): tolerance: `` or ``metrics.goodput.paper:
    ``; on to the text that the message quotes, if it is there.
    """
    if twice := re.match(r'assumption "([^"]*)" is named twice', what):
        return ["assume", len(document["assume"]) - 1 - document["assume"][::-1].index(twice[1])]
    path, position = Path(), 0
    node: Any = document
    while True:
        found, steps = _step(what, position, node)
        if found is None:
            return _on_to_leaf(path, node, what)
        below = _at(node, steps) if steps else None
        if not steps or below is None:
            unknown = isinstance(node, dict) and what[found.end() :].startswith(": unknown key")
            return [*path, found[0]] if unknown else _on_to_leaf(path, node, what)
        path, node, position = [*path, *steps], below, found.end()
        separator = re.compile(r"\.|, |: ").match(what, position)
        if separator is None:
            return _on_to_leaf(path, node, what)
        position = separator.end()


def _step(what: str, position: int, node: Any) -> tuple[re.Match[str] | None, Path | None]:
    """Returns the next part of a path, and the steps below ``node`` that it stands for."""
    if found := _NAMED.match(what, position):
        return found, _called(node, found[1].removesuffix("s") + "s", found[2], last="twice" in what)
    if found := _INDEXED.match(what, position):
        return found, [*([found[1]] if found[1] else []), int(found[2]) - 1]
    if found := _WORD.match(what, position):
        return found, _called_in(node, found[0]) if isinstance(node, list) else [found[0]]
    return None, None


def _on_to_leaf(path: Path, node: Any, what: str) -> Path:
    leaf = _leaf(what, node) if path else None
    return path if leaf is None else [*path, leaf]


def _leaf(what: str, node: Any) -> str | int | None:
    """Returns the key of a table, or the index of an item of a list, that a message quotes."""
    quoted = re.findall(r'"([^"]*)"', what)
    if isinstance(node, dict):
        return next((word for word in quoted if word in node), None)
    if isinstance(node, list):
        return next((node.index(word) for word in quoted if word in node), None)
    return None


def _called(node: Any, key: str, name: str, *, last: bool = False) -> Path | None:
    """Returns the item of a list with this name; the second of two if the message is about a duplicate."""
    items = node.get(key) if isinstance(node, dict) else None
    found = _called_in(items, name, last=last) if isinstance(items, list) else None
    return None if found is None else [key, *found]


def _called_in(items: Sequence[Any], name: str, *, last: bool = False) -> Path | None:
    places = [
        index
        for index, item in enumerate(items)
        if isinstance(item, dict) and name in [item.get(key) for key in _NAMES]
    ]
    return [places[-1 if last else 0]] if places else None


def _of_override(wrong: str, what: str, document: Mapping[str, Any]) -> Path:
    """Returns where the study sets the value that the core refused at the dotted path ``wrong``, preferably in the
    case named.
    """
    steps = wrong.split(".")
    named = re.search(r'\n  in case "([^"\[]*)', what)
    case = _called(document, "cases", named[1]) if named else None
    for root in ([case] if case else []) + [[]]:
        for path in _settings(_at(document, root), root, steps):
            return path
    return []


def _settings(node: Any, path: Path, steps: Sequence[str]) -> Iterator[Path]:
    """Yields the paths of all settings below ``node`` for ``steps`` or for a table around it."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        here = [*path, key]
        if isinstance(key, str) and (path and path[-1] in ("overrides", "quick")):
            parts = key.split(".")
            agree = len(parts) <= len(steps) and all(
                part == step or step.isdigit() for part, step in zip(parts, steps, strict=False)
            )
            if agree:
                rest = steps[len(parts) :]
                inner = [
                    rest[:end] for end in reversed(range(len(rest) + 1)) if _at(value, rest[:end]) is not None
                ]
                yield [*here, *(inner[0] if inner else [])]
        elif key == "sweep" and isinstance(value, dict) and isinstance(value.get("path"), str):
            parts = value["path"].split(".")
            if all(part == step or step.isdigit() for part, step in zip(parts, steps, strict=False)):
                yield [*here, "values"]
        yield from _settings(value, here, steps)


def _at(node: Any, path: Sequence[str | int]) -> Any:
    """Returns the value at a path; None if there is none."""
    for step in path:
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
    return node
