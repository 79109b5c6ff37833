"""What pydantic found wrong with a file, in words: the file, the place in it, what was found, what was expected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pydantic

from ackclock.names import nearest


def rendered(
    error: pydantic.ValidationError, model: type[pydantic.BaseModel], document: Mapping[str, Any], file: str
) -> str:
    """One line per problem that ``model`` has with ``document``, which was read from ``file``."""
    lines = []
    for problem in error.errors(include_url=False):
        place = _place(problem["loc"], document)
        prefix = f"{file}: {place}: " if place else f"{file}: "
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
    return f"found {_short(found)}, expected {expected}"


def _known_keys(location: tuple[int | str, ...], model: Any) -> str:
    """The nearest key that the table at ``location`` may have."""
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        annotation = model.model_fields[part].annotation
        arguments = [annotation, *getattr(annotation, "__args__", ())]
        model = next(a for a in arguments if isinstance(a, type) and issubclass(a, pydantic.BaseModel))
    return nearest(str(location[-1]), model.model_fields)


def _place(location: tuple[int | str, ...], document: Mapping[str, Any]) -> str:
    """``claims[2] ("5a").tolerance``: the path, with the id or name of each element for those who do not count."""
    text, node = "", document
    for part in location:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += f".{part}" if text else str(part)
        try:
            node = node[part]  # type: ignore[index]  # a list is indexed by the integer parts
        except (KeyError, IndexError, TypeError):
            node = {}
        if isinstance(part, int) and isinstance(node, dict):
            name = node.get("id") or node.get("name") or node.get("what") or node.get("label")
            text += f' ("{name}")' if name else ""
    return text


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
