"""A qlog file, in any of its serialisations: its trace, and its events under one name for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock._names import alike
from ackclock.errors import InputError
from ackclock.traces.records import document, records
from ackclock.traces.spellings import NAME_KEYS, SINCE_LAST, TIME_KEYS, Stack, stack

MILLISECOND_S = 1e-3
MOST_NAMED = 8
"""The largest number of traces that an error message names."""


@dataclass(frozen=True)
class Entry:
    """An event of the file, before it is interpreted."""

    where: str
    """The place of the event in the file, for error messages: ``FILE:LINE`` or ``FILE: events[INDEX]``."""
    time_s: float
    name: str
    """The name of the event without its category, in lower case."""
    data: Mapping[str, Any]
    group: str | None
    """The event's ``group_id``, which tells the connections of a file apart; None without one."""
    category: str = ""
    """The category of the event in lower case; empty without one."""
    path: str | None = None
    """The event's ``path_id`` on a multipath connection; None without one."""


@dataclass(frozen=True)
class QlogFile:
    """A file that was opened."""

    path: Path
    header: Mapping[str, Any]
    trace: Mapping[str, Any]
    records: Iterator[tuple[str, Any]]
    chosen: bool = False
    """True if the user selected the trace by its name or number."""

    @classmethod
    def open(cls, path: Path, flow: str | None, partial: bool) -> QlogFile:
        """Opens a file, with the trace called ``flow`` if there are several. InputError if it is no qlog."""
        header, sequence = _opened(path, partial)
        if sequence is not None:
            trace = json_object(path, "trace", header.get("trace"))
            return cls(path, header, trace, sequence, flow in _titles(path, trace))
        trace, chosen = _trace(path, header, flow)
        events = json_array(path, "events", trace["events"])
        contained = ((f"{path}: events[{number}]", event) for number, event in enumerate(events))
        return cls(path, header, trace, contained, chosen)

    @property
    def version(self) -> str:
        """Returns the version of qlog, in words."""
        return f"qlog {self.header.get('qlog_version') or self.header.get('file_schema', '')}"

    @property
    def titles(self) -> list[str]:
        """Returns the names that the trace may be called by."""
        return _titles(self.path, self.trace)

    @property
    def stack(self) -> Stack:
        """Returns the stack that wrote the log, as far as its titles tell."""
        return stack(str(self.header.get("title", "")), *self.titles)

    @property
    def unit_s(self) -> float:
        """Returns the unit of times in seconds. InputError for an unknown one."""
        configuration = json_object(self.path, "configuration", self.trace.get("configuration"))
        word = configuration.get("time_units", "ms")
        if word not in ("ms", "us"):
            raise InputError(f'{self.path}: time_units: found "{word}", expected "ms" or "us"')
        return MILLISECOND_S if word == "ms" else 1e-6

    def entries(self) -> Iterator[Entry]:
        """Returns the events in their order, without connections being told apart."""
        unit_s = self.unit_s
        names = json_array(self.path, "event_fields", self.trace.get("event_fields"))
        fields = [str(name).lower() for name in names]
        common = json_object(self.path, "common_fields", self.trace.get("common_fields"))
        since_last = common.get("time_format") in SINCE_LAST
        time = 0.0
        for where, record in self.records:
            if record in ([], {}):  # picoquic's converter ends a list with an empty event
                continue
            table = _table(where, record, fields)
            key = next((key for key in TIME_KEYS if key in table), "time")
            own = number(where, key, table.get(key))
            time = own + (time if since_last or TIME_KEYS[key] else 0.0)
            name = str(next((table[key] for key in NAME_KEYS if key in table), ""))
            category, _, short = name.lower().rpartition(":")
            data, group, path = table.get("data"), table.get("group_id"), table.get("path_id")
            yield Entry(
                where,
                time * unit_s,
                short,
                data if isinstance(data, dict) else {},
                None if group is None else str(group),
                category or str(table.get("category", "")).lower(),
                None if path is None else str(path),
            )


def number(where: str, key: str, value: Any) -> float:
    """Returns a number, which the first drafts wrote as text. InputError if it is none, or negative."""
    try:
        found = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError):
        found = None
    if found is None or not 0 <= found < float("inf"):
        raise InputError(f"{where}: {key}: found {value!r}, expected a number of at least 0")
    return found


def json_type(value: Any) -> str:
    """Returns the type of a JSON value with its article, as in RFC 8259."""
    kinds = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return kinds.get(type(value), "null")


def json_object(where: str | Path, key: str, value: Any) -> dict[str, Any]:
    """Returns the object that a key holds, empty if the key is missing. InputError for another value."""
    if value is not None and not isinstance(value, dict):
        raise InputError(f"{where}: {key}: found {json_type(value)}, expected an object")
    return value or {}


def json_array(where: str | Path, key: str, value: Any) -> list[Any]:
    """Returns the array that a key holds, empty if the key is missing. InputError for another value."""
    if value is not None and not isinstance(value, list):
        raise InputError(f"{where}: {key}: found {json_type(value)}, expected an array")
    return value or []


def _table(where: str, record: Any, fields: list[str]) -> dict[str, Any]:
    """Returns an event as a table; the first drafts wrote an array, with its names in the header."""
    if isinstance(record, list):
        if not fields:
            raise InputError(f'{where}: found an array in a trace without "event_fields", expected an object')
        record = dict(zip(fields, record, strict=False))
    if not isinstance(record, dict):
        raise InputError(f"{where}: found {json_type(record)}, expected an event as an object or an array")
    return record


def _opened(path: Path, partial: bool) -> tuple[dict[str, Any], Iterator[tuple[str, Any]] | None]:
    """Returns the header of a file and its records; no records if they are in the header."""
    sequence = records(path, partial)
    try:
        where, header = next(sequence)
    except StopIteration:
        raise InputError(f"{path}: is empty, expected a qlog or an event log") from None
    except InputError:
        # A document over many lines: its first line alone is no JSON.
        where, header, sequence = f"{path}:1", document(path), iter(())
    if not isinstance(header, dict) or not {"qlog_version", "file_schema", "qlog_format"} & set(header):
        keys = ", ".join(header)[:60] if isinstance(header, dict) else ""
        found = f"an object with {keys}" if keys else f"{header!r:.60}"
        raise InputError(
            f'{where}: found {found}, expected the header of a qlog with "qlog_version" or "file_schema"'
        )
    return header, None if "traces" in header else sequence


def _trace(path: Path, header: Mapping[str, Any], flow: str | None) -> tuple[dict[str, Any], bool]:
    """Returns the trace called ``flow``, or the only one, and whether its name or its number chose it."""
    found = json_array(path, "traces", header["traces"])
    traces = [trace for trace in found if isinstance(trace, dict) and "events" in trace]
    if not traces:
        raise InputError(f'{path}: no trace has "events", expected at least one trace with "events"')
    called = [trace for trace in traces if flow in _titles(path, trace)]
    if len(called) == 1:
        return called[0], True
    if len(traces) == 1:
        return traces[0], False
    numbers = [str(number) for number, _ in enumerate(traces, start=1)]
    if not called and flow in numbers:
        return traces[numbers.index(flow)], True
    titles = Counter(title for trace in traces for title in set(_titles(path, trace)))
    names = [
        # The end, the last of the titles, is what a reader chooses by.
        next((title for title in _titles(path, trace)[::-1] if titles[title] == 1), number)
        for number, trace in zip(numbers, traces, strict=True)
    ]
    expected = " or ".join(f"{path}#{name}" for name in names[:MOST_NAMED])
    close = alike(flow or "", names)
    hint = "" if close is None or close == flow else f'; did you mean "{close}"?'
    raise InputError(f"{path}: has {len(traces)} traces, expected {expected}{hint}")


def _titles(path: Path, trace: Mapping[str, Any]) -> list[str]:
    """Returns the names that a trace may be called by; the last one is the end that wrote it, client or server."""
    common, vantage = (json_object(path, key, trace.get(key)) for key in ("common_fields", "vantage_point"))
    names = (
        trace.get("title"),
        common.get("group_id"),
        common.get("ODCID"),
        vantage.get("name"),
        vantage.get("type"),
    )
    return [str(name) for name in names if name]
