"""Reference traces of congestion control, with which other implementations can compare their logs.

A trace is defined by a scenario, ``NAME.toml``, and an entry in ``traces.toml``. ``make`` writes it as a folder with
the scenario, the qlog and the event log of its one flow, and a figure.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ackclock import _toml as toml
from ackclock._files import read_text, replacing
from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.scenario import Scenario

FOLDER = Path(__file__).parent
FLOW = "sender"
"""The name of the only flow of every scenario."""
SCENARIO, QLOG, EVENTS, FIGURE = "scenario.toml", "sender.sqlog", "events.csv", "figure.svg"
"""The names of the files in a trace's folder."""
MISSING = ("A.6", "A.22")
"""The test cases of BBR's draft that no scenario can express: the application slows down in a given BBR state."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive; it is fixed so that equal contents give an identical archive."""


class Trace(BaseModel):
    """A reference trace."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    document: str
    section: str
    shows: str
    states: list[str] = Field(min_length=1)
    """The first congestion states of the log in order: BBR's states, or those of a window-based control."""

    @property
    def scenario(self) -> Scenario:
        """Returns the scenario."""
        return Scenario.from_text(self.text, file=f"{self.name}.toml")

    @property
    def text(self) -> str:
        """Returns the scenario's text."""
        return read_text(FOLDER / f"{self.name}.toml")

    @property
    def source(self) -> str:
        """Returns the document and the section as text, such as ``RFC 9438 4.6``; without a section, the document."""
        return self.document if self.section == "none" else f"{self.document} {self.section}"


def traces(names: Iterable[str] = ()) -> list[Trace]:
    """Returns the named traces, by default all, in the order of ``traces.toml``. InputError for an unknown name."""
    found = [Trace.model_validate(entry) for entry in toml.loads(read_text(FOLDER / "traces.toml"))["traces"]]
    known = [trace.name for trace in found]
    wanted = list(names)
    for name in wanted:
        if name not in known:
            raise InputError(f'there is no reference trace "{name}"{nearest(name, known)}')
    return [trace for trace in found if not wanted or trace.name in wanted]


def archive_name(version: str) -> str:
    """Returns the name of the folder and, with ``.zip``, of the archive of a version."""
    return f"ackclock-reference-traces-{version}"


def make(trace: Trace, folder: Path) -> list[str]:
    """Writes the files of a trace into ``folder`` and returns its congestion states as text, each with its start time.

    InputError without Matplotlib, RunError if the files cannot be written.
    """
    import polars as pl

    from ackclock._csv_cells import inert
    from ackclock.traces.event_log import NEEDED
    from ackclock.traces.figure import single
    from ackclock.traces.read import read

    folder.mkdir(parents=True, exist_ok=True)
    scenario = trace.scenario
    scenario.export(folder, f"qlog={FLOW}", "events=csv")
    for name in (QLOG, EVENTS):
        (folder / "exports" / name).replace(folder / name)
    (folder / "exports").rmdir()
    (folder / SCENARIO).write_text(trace.text, encoding="utf-8", newline="\n")
    table = pl.read_csv(folder / EVENTS, infer_schema_length=None)
    # What remains are the columns of every log, and those of this control.
    kept = [name for name in table.columns if name in NEEDED or table[name].null_count() < len(table)]
    inert(table.select(kept)).write_csv(folder / EVENTS)
    single(read(str(folder / QLOG))).save(folder / FIGURE)
    log = read(str(folder / EVENTS))
    return [f"{event.words} {event.place.time_s:.4f} s" for event in log.of_kind("state")]


def write_archive(folder: Path) -> Path:
    """Writes the folder as a zip archive next to it and returns that path. Equal folders give equal archives."""
    path = folder.with_name(f"{folder.name}.zip")
    with replacing(path) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = zipfile.ZipInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), compresslevel=9)
    return path


def readme(made: Iterable[tuple[Trace, list[str]]], version: str) -> str:
    """Returns the README of the archive."""
    return "\n".join(_readme(list(made), version))


def _readme(made: list[tuple[Trace, list[str]]], version: str) -> Iterator[str]:
    yield f"# Reference traces of ackclock {version}\n"
    yield "Each trace shows how a sender that follows an RFC or draft behaves on a path on which every event is known."
    yield f"Its folder contains `{SCENARIO}` (the path and the sender), `{QLOG}` (qlog 0.3), `{EVENTS}` (every event of"
    yield f"the congestion control, with its internal values) and `{FIGURE}`.\n"
    yield "To compare a trace with a log that your stack wrote over the same path:\n"
    yield f'    ackclock compare-trace bbr-plateau/{QLOG} yours.sqlog --tolerance 5% --slack "10 ms"\n'
    yield "`ackclock reference-traces` regenerates the traces; the same version writes identical files.\n"
    yield "BBRv3 follows the main branch of draft-ietf-ccwg-bbr of August 2026. A.1 to A.22 are the draft's test cases,"
    yield f"of which {' and '.join(MISSING)} cannot be expressed as scenarios.\n"
    yield "| trace | document and section | what it shows |"
    yield "| --- | --- | --- |"
    for trace, _ in made:
        yield f"| [{trace.name}]({trace.name}/{FIGURE}) | {trace.source} | {trace.shows} |"
    yield "\n## States\n"
    yield "The congestion states of each trace, each with the time at which the sender enters it.\n"
    for trace, states in made:
        yield f"* {trace.name}: {', '.join(states) or 'one state'}"
    yield ""
