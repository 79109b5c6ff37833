"""A base's scenario with a study's values laid over it: as data, and as text that keeps the lines of both files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from ackclock import _toml as toml
from ackclock.study.scenario_text import Place, ScenarioText, key_text, means, value_text, written

Path = tuple[str, ...]
"""The keys from the top of the scenario; an element of an array of tables appears by its name."""


def merged(base: Mapping[str, Any], own: Mapping[str, Any], place: str = "scenario") -> dict[str, Any]:
    """Returns ``base`` with the values of ``own`` in their places.

    Tables are merged key by key, except that a table with another ``name`` (another control, queue...) is different
    and replaces the base's. Arrays of tables with names (flows, links) are merged by name: a new name adds a
    table. Everything else is replaced. ValueError for a table without a name if the base's have names.
    """
    result = dict(base)
    for key, value in own.items():
        before, where = result.get(key), f"{place}.{key}"
        if isinstance(value, dict) and isinstance(before, dict) and _same_kind(before, value):
            result[key] = merged(before, value, where)
        elif before is not None and _are_named(before) and _are_tables(value):
            result[key] = _merged_by_name(before, value, where)
        else:
            result[key] = value
    return result


def merged_text(base: ScenarioText, own: ScenarioText, scenario: Mapping[str, Any]) -> ScenarioText:
    """Returns ``scenario``, which is ``own`` merged into ``base``, as text: the base's lines with the study's in
    their places.

    Comments stay. If the two files divide the scenario into tables differently, the text is generated.
    """
    blocks = list(_blocks(base))
    for block in _blocks(own):
        same = next((known for known in blocks if known.path == block.path), None)
        if same is None:
            blocks.insert(_after(blocks, block.path), block)
        else:
            for statement in block.statements:
                same.put(statement, _at(scenario, (*block.path, statement.key)))
    lines = list(_without_gaps(line for block in blocks for line in block.lines()))
    text = "".join(f"{line}\n" for line, _ in lines)
    if not means(text, scenario):
        return written(scenario, own.file)
    return ScenarioText(text, own.file, [place for _, place in lines])


Line = tuple[str, Place | None]


@dataclass
class _Statement:
    """A line (or lines) of the form ``key = value``."""

    key: str
    value: Any
    above: list[Line]
    """The comments and empty lines before the statement."""
    lines: list[Line]


@dataclass
class _Block:
    """A table of the file: its header and its statements."""

    path: Path
    header: list[Line]
    statements: list[_Statement] = field(default_factory=list)
    rest: list[Line] = field(default_factory=list)
    """The comments and empty lines at the end of the table."""

    def put(self, statement: _Statement, value: Any) -> None:
        """Puts ``statement`` in its place; ``value`` is the result of merging it with the base's."""
        lines = statement.lines
        if value != statement.value:
            first = lines[0][1]
            place = None if first is None else Place(first.file, first.line, exact=False)
            lines = [(f"{key_text(statement.key)} = {value_text(value)}", place)]
        above = [line for line in statement.above if line[0].strip()]
        index = next((n for n, known in enumerate(self.statements) if known.key == statement.key), None)
        if index is None:
            self.statements.append(_Statement(statement.key, value, above, lines))
        else:
            above = above or self.statements[index].above
            self.statements[index] = _Statement(statement.key, value, above, lines)

    def lines(self) -> Iterator[Line]:
        """Returns the lines as they are in the file."""
        yield from self.header
        for statement in self.statements:
            yield from (*statement.above, *statement.lines)
        yield from self.rest


def _blocks(scenario: ScenarioText) -> Iterator[_Block]:
    """Yields the tables of ``scenario``, the top one first."""
    raw = scenario.text.splitlines()
    lines: list[Line] = list(zip_longest(raw, scenario.places[: len(raw)]))
    block, above = _Block((), []), list[Line]()
    names: dict[Path, str] = {}
    number = 0
    while number < len(lines):
        end = number + 1
        header = re.match(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$", raw[number])
        if header:
            yield block
            path = _resolved(tuple(part.strip(" \"'") for part in header[2].split(".")), names)
            if header[1] == "[[":
                names[path] = _name_below(raw[end:])
                path = (*path, names[path])
            block, above = _Block(path, [*above, lines[number]]), []
        elif found := re.match(r"\s*([\w-]+|\"[^\"]*\")\s*=", raw[number]):
            end, value = _value(raw, number, found[1].strip('"'))
            block.statements.append(_Statement(found[1].strip('"'), value, above, lines[number:end]))
            above = []
        else:
            above.append(lines[number])
        number = end
    block.rest = above
    yield block


def _value(lines: Sequence[str], first: int, key: str) -> tuple[int, Any]:
    """Returns the line after the statement that begins at ``first``, and its value, which may span several lines."""
    for end in range(first + 1, len(lines) + 1):
        try:
            return end, toml.loads("\n".join(lines[first:end]))[key]
        except toml.TOMLDecodeError:
            continue
    return first + 1, None


def _without_gaps(lines: Iterable[Line]) -> Iterator[Line]:
    """Returns ``lines`` with runs of empty lines reduced to one, and none at the top."""
    empty = True
    for line in lines:
        if line[0].strip() or not empty:
            yield line
        empty = not line[0].strip()


def _resolved(path: Path, names: Mapping[Path, str]) -> Path:
    """Returns ``flows.transport`` as ``flows.tcp.transport``: a table below an array belongs to its last element."""
    result: Path = ()
    for index, part in enumerate(path):
        result = (*result, part)
        if result in names and index + 1 < len(path):
            result = (*result, names[result])
    return result


def _name_below(lines: Sequence[str]) -> str:
    """Returns the ``name`` in the table whose header is above ``lines``."""
    for line in lines:
        if re.match(r"\s*\[", line):
            break
        if found := re.match(r"\s*name\s*=\s*[\"']([^\"']*)[\"']", line):
            return found[1]
    return ""


def _after(blocks: Sequence[_Block], path: Path) -> int:
    """Returns the place of a new block: after its nearest relatives, else at the end."""
    for length in range(len(path) - 1, 0, -1):
        related = [n for n, block in enumerate(blocks) if block.path[:length] == path[:length]]
        if related:
            return related[-1] + 1
    return len(blocks)


def _at(scenario: Any, path: Path) -> Any:
    """Returns the value at ``path``."""
    for part in path:
        if isinstance(scenario, list):
            scenario = next((item for item in scenario if item.get("name") == part), {})
        else:
            scenario = scenario.get(part, {})
    return scenario


def _same_kind(base: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    return "name" not in own or own["name"] == base.get("name")


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _are_named(value: Any) -> bool:
    return _are_tables(value) and all(isinstance(item.get("name"), str) for item in value)


def _merged_by_name(
    base: Sequence[Mapping[str, Any]], own: Sequence[Mapping[str, Any]], place: str
) -> list[dict[str, Any]]:
    result = {item["name"]: dict(item) for item in base}
    for item in own:
        name = item.get("name")
        if not isinstance(name, str):
            raise ValueError(
                f"{place}: give each table a name: a new name, or the name of the base's table that it changes"
            )
        result[name] = merged(result[name], item, f'{place} "{name}"') if name in result else dict(item)
    return list(result.values())
