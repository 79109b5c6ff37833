"""The scenario of a study as a separate scenario file, with the origin of each line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ackclock import _toml as toml


@dataclass(frozen=True)
class Place:
    """A line of a file. ``exact`` if the scenario text has the line unchanged, so that columns agree."""

    file: str
    line: int
    exact: bool = True


@dataclass(frozen=True)
class ScenarioText:
    """A scenario file. ``places[n]`` is the origin of its line n + 1, None for a generated line."""

    text: str
    file: str
    places: Sequence[Place | None] = field(repr=False, default=())

    def located(self, message: str) -> str:
        """Returns the core's message about this text, with places in the original files."""
        return re.sub(
            rf"^{re.escape(self.file)}:(?P<line>\d+):(?P<column>\d+): (?P<what>.*)"
            r"(?:\n +\|\n +\d+ \| (?P<source>.*)\n +\| (?P<caret> *\^))?",
            self._located,
            message,
            flags=re.MULTILINE,
        )

    def _located(self, found: re.Match[str]) -> str:
        place = self.places[int(found["line"]) - 1] if int(found["line"]) <= len(self.places) else None
        if place is None:
            where, line = self.file, ""
        else:
            column = f":{found['column']}" if place.exact else ""
            where, line = f"{place.file}:{place.line}{column}", str(place.line)
        excerpt = ""
        if found["source"] is not None:
            margin = " " * len(line)
            excerpt = f"\n  {margin} |\n  {line} | {found['source']}\n  {margin} | {found['caret']}"
        return f"{where}: {found['what']}{excerpt}"


def extracted(study_text: str, scenario: Mapping[str, Any], file: str) -> ScenarioText:
    """Returns the ``scenario`` part of a study file as a scenario file.

    Each line keeps its number, so that the core's messages point into the study file: lines of other tables become
    empty, and ``[scenario.links]`` becomes ``[links]``. A file that does this in an unusual way (an inline table,
    dotted keys) is generated instead, and has no places.
    """
    lines, inside = [], False
    for line in study_text.splitlines():
        header = re.match(r"(\s*\[\[?\s*)scenario(?:\s*\.\s*(?=\S)|\s*(?=\]))(.*)", line)
        if header:
            inside = True
            rest = header[2]
            lines.append("" if rest.startswith("]") else header[1] + rest)
        elif re.match(r"\s*\[\[?[A-Za-z\"']", line):
            inside = False
            lines.append("")
        else:
            lines.append(line if inside else "")
    text = "\n".join(lines).rstrip() + "\n"
    if means(text, scenario):
        return ScenarioText(text, file, [Place(file, number + 1) for number in range(len(lines))])
    return written(scenario, file)


def written(scenario: Mapping[str, Any], file: str) -> ScenarioText:
    """Returns a scenario file for ``scenario``, a line per key."""
    lines = [f"{key_text(key)} = {value_text(value)}\n" for key, value in scenario.items()]
    return ScenarioText("".join(lines), file, [None] * len(lines))


def means(text: str, scenario: Mapping[str, Any]) -> bool:
    """Returns whether ``text`` is TOML for exactly ``scenario``."""
    try:
        return bool(toml.loads(text) == scenario)
    except toml.TOMLDecodeError:
        return False


def key_text(name: str) -> str:
    """Returns a key in TOML syntax."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def value_text(value: Any) -> str:
    """Returns a TOML value in inline form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key_text(key)} = {value_text(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return str(value)
