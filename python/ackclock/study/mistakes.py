"""Turns pydantic's errors into messages: the file, the place in it, what was found, what was expected."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pydantic

from ackclock._names import nearest
from ackclock.study.grid import Item


def rendered(
    error: pydantic.ValidationError, model: type[pydantic.BaseModel], document: Mapping[str, Any], file: str
) -> str:
    """Returns one line per problem that ``model`` has with ``document``, which was read from ``file``."""
    lines = []
    for problem in error.errors(include_url=False):
        place, line = _place(problem["loc"], document)
        where = file if line is None else f"{file}:{line}"
        prefix = f"{where}: {place}: " if place else f"{where}: "
        lines += [prefix + message for message in _message(problem, model).split("\n")]
    return "\n".join(dict.fromkeys(lines))


def _message(problem: Mapping[str, Any], model: type[pydantic.BaseModel]) -> str:
    kind, found = problem["type"], problem["input"]
    if kind == "missing":
        return f'"{problem["loc"][-1]}" is missing'
    if kind == "extra_forbidden":
        return f"unknown key{_known_keys(problem['loc'], model)}"
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    expected = str(problem["msg"]).removeprefix("Input should be ").removeprefix("a valid ")
    # TOML's words for those of Python and pydantic.
    expected = re.sub(r"dictionary( or instance of \w+)?", "table", expected)
    return f"found {_short(found)}, expected {expected}"


def _known_keys(location: tuple[int | str, ...], model: Any) -> str:
    """Returns the nearest key that the table at ``location`` may have."""
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        annotation = _by_key(model)[part].annotation
        arguments = [annotation, *getattr(annotation, "__args__", ())]
        model = next(a for a in arguments if isinstance(a, type) and issubclass(a, pydantic.BaseModel))
    return nearest(str(location[-1]), _by_key(model))


def _by_key(model: type[pydantic.BaseModel]) -> dict[str, Any]:
    """Returns the fields of a table by the keys that a file has for them."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def located(problem: str, document: Mapping[str, Any], file: str) -> str:
    """Returns ``problem``, which begins with its metric, claim or finding, with the place in the file."""
    if finding := re.match(r"findings\[(\d+)\]", problem):
        item = document["findings"][int(finding[1]) - 1]
        where = file if item.line is None else f"{file}:{item.line}"
        point = f" ({item.point})" if item.point else ""
        return f"{where}: findings[{item.index + 1}]{point}{problem[finding.end() :]}"
    found = re.match(r'(metric|claim) "([^"]*)"', problem)
    for item in document.get(f"{found[1]}s", []) if found else ():
        if isinstance(item, Item) and found and item.get("id") == found[2]:
            where = file if item.line is None else f"{file}:{item.line}"
            point = f" ({item.point})" if item.point else ""
            return f"{where}: {found[0]}{point}{problem[found.end() :]}"
    return f"{file}: {problem}"


def _place(location: tuple[int | str, ...], document: Mapping[str, Any]) -> tuple[str, int | None]:
    """Returns a path such as ``claims[2] ("5a").tolerance``, with the id or name of each element, and
    the line, where it is known.
    """
    text, node, line = "", document, None
    for part in location:
        text += f".{part}" if text and isinstance(part, str) else "" if isinstance(part, int) else part
        try:
            node = node[part]  # type: ignore[index]  # a list is indexed by the integer parts
        except (KeyError, IndexError, TypeError):
            node = {}
        if isinstance(part, int):
            text += f"[{(node.index if isinstance(node, Item) else part) + 1}]"
            names = _names(node) if isinstance(node, dict) else []
            text += f" ({', '.join(names)})" if names else ""
            line = node.line if isinstance(node, Item) else line
    return text, line


def _names(node: Mapping[str, Any]) -> list[str]:
    """Returns what distinguishes an element of an array: its id or name, and the row that it comes from."""
    name = node.get("id") or node.get("name") or node.get("what") or node.get("label")
    point = node.point if isinstance(node, Item) else ""
    return [*([f'"{name}"'] if name else []), *([point] if point else [])]


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
