"""Exports a run to the formats of other tools."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _typed_core as core
from ackclock._names import alike
from ackclock._stacks import is_of_stack
from ackclock.errors import InputError, RunError

if TYPE_CHECKING:
    import polars as pl

    from ackclock.scenario import Scenario

FORMATS = {
    "pcapng": "packets for Wireshark, captured at the senders (pcapng=senders, the default), at the receivers "
    "(pcapng=receivers), before a link's queue (pcapng=before:LINK) or after it (pcapng=LINK)",
    "qlog": "what each TCP or QUIC sender sends, receives and decides; qlog=FLOW for a single flow",
    "events": "every event that a congestion control received, with its reaction, as Parquet; events=csv for CSV",
    "flent": "time series of all flows, for flent",
    "mahimahi": "trace for mahimahi: mahimahi=LINK for the rate of a link, mahimahi=FLOW for the delivery rate of a "
    "flow",
}
"""The formats, each with its contents and the values that may follow its name."""
FOLDER = "exports"
"""The folder for exports, inside the folder for results. Each export replaces the contents of this folder."""
MAX_QLOGS = 500
"""The largest number of qlog files of an export; all are open at the same time."""

FLAGS = ("round_start", "recovering", "cwnd_limited", "app_limited")
COUNTS = ("path", "packet", "acked_to_packet", "sent_to_packet", "marked_packets")


@dataclass(frozen=True)
class Export:
    """A file that was written."""

    path: Path
    records: int
    unit: str
    """The plural noun for the records, such as "packets"."""
    is_repeatable: bool = True
    """Whether runs with the same seed are equal. Otherwise the file comes from a different run than the results."""

    def __str__(self) -> str:
        differs = (
            ""
            if self.is_repeatable
            else ", from a different run than the results, because runs of this scenario differ even with the same seed"
        )
        return f"{self.path}: {self.records:,} {self.unit}{differs}"


@dataclass(frozen=True)
class Wish:
    """A format, and the value that follows it."""

    format: str
    where: str = ""

    @classmethod
    def parse(cls, text: str) -> Wish:
        """Parses ``FORMAT`` or ``FORMAT=WHERE``. InputError for an unknown format."""
        name, _, where = text.partition("=")
        if name not in FORMATS:
            raise InputError(f'--export: found "{name}", {_expected(name, list(FORMATS))}')
        return cls(name, where)


def export(
    scenario: Scenario, folder: Path, wishes: Iterable[str], *, seed: int, payloads: bool = False
) -> list[Export]:
    """Simulates once and writes the files below ``folder``/exports, replacing its contents.

    InputError for an impossible export, RunError when a file cannot be written, and when code in Python makes another
    run each time: the files would show another run than its results.
    """
    plan = planned(scenario, wishes)
    with _fresh(folder / FOLDER) as unfinished:
        return [
            Export(folder / FOLDER / made.path.name, made.records, made.unit, plan.is_repeatable)
            for made in plan.write(unfinished, seed, payloads=payloads)
        ]


def planned(scenario: Scenario, wishes: Iterable[str]) -> _Plan:
    """Returns the files to write. InputError for an impossible export."""
    scenario.need_no_stack("an export")
    plan = _Plan(scenario)
    for wish in map(Wish.parse, wishes):
        plan.add(wish)
    return plan


def events(scenario: Scenario, seed: int) -> pl.DataFrame:
    """Returns the event log of a run: see ``Scenario.events``."""
    source = scenario.text, scenario.file, scenario.overrides
    _, _, log = core.export(*source, seed, {"events": True}, scenario.classes)
    return _typed(log)


class _Plan:
    """The files to write of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        description = scenario.describe()
        self.links: list[str] = list(description["links"])
        self.flows: list[str] = [name for group in description["flows"] for name in group["names"]]
        self.over_udp = {
            name for group in description["flows"] if group["transport"] == "udp" for name in group["names"]
        }
        self.is_repeatable = all(group["repeatable"] for group in description["flows"])
        self.wanted: dict[str, list[Any]] = {"captures": [], "qlogs": [], "deliveries": [], "rates": []}
        self.units: dict[str, str] = {}
        self.events: set[str] = set()
        self.flent = False

    def add(self, wish: Wish) -> None:
        """Adds a file, or several."""
        getattr(self, f"_add_{wish.format}")(wish.where)

    def write(self, folder: Path, seed: int, *, payloads: bool) -> Iterator[Export]:
        """Writes all files. RunError, at the end, if they do not show the run that the scenario makes."""
        scenario = self.scenario
        results: list[Mapping[str, Any]] = []
        if any(self.wanted.values()) or self.events:
            wishes: dict[str, Any] = {
                kind: [[*entry[:-1], str(folder / entry[-1])] for entry in entries]
                for kind, entries in self.wanted.items()
            }
            wishes |= {"payloads": payloads, "events": bool(self.events)}
            try:
                source = scenario.text, scenario.file, scenario.overrides
                result, files, log = core.export(*source, seed, wishes, scenario.classes)
                results.append(result)
            except OSError as error:
                raise RunError(f"{FOLDER}/{Path(error.filename or '').name}: {_cause(error)}") from None
            made = {Path(path).name: records for path, records in files}
            if self.wanted["qlogs"] and not any(self.units[name] == "events" for name in made):
                raise InputError(
                    "--export qlog: found no flow that is a single TCP or QUIC connection over ackclock's own "
                    "transports, expected at least one; flows of real stacks have no qlog"
                )
            for name, records in made.items():
                if records == 0 and self.units[name] == "opportunities":
                    raise InputError(
                        f"--export mahimahi: {name} would be empty: found a link or flow with no delivery "
                        "opportunity (1504 bytes) in the whole run, expected at least one"
                    )
                yield Export(folder / name, records, self.units[name])
            if self.events:
                table = _typed(log)
                if table.is_empty() and all(map(is_of_stack, result["flows"])):
                    raise InputError(
                        "--export events: found only flows of real stacks, which have no event log; expected a flow "
                        "over ackclock's own transports"
                    )
                for ending in sorted(self.events):
                    path = folder / f"events.{ending}"
                    _write(table, path)
                    yield Export(path, len(table), "events")
        if self.flent:
            from ackclock import _flent as flent

            path = folder / f"{_plain(scenario.describe()['name'])}.flent.gz"
            sampled = scenario.with_overrides({"observe.interval": flent.STEP, "observe.flows": True})
            run = sampled.run(seed, series=True)
            results.append(run.result)
            samples = flent.write(run, path, self.over_udp)
            yield Export(path, samples, "samples")
        if scenario.classes:
            _check_repeatable(scenario, seed, results)

    def _add_pcapng(self, where: str) -> None:
        where = where or "senders"
        if where in ("senders", "receivers"):
            self._add("captures", [where, 0], f"{where}.pcapng", "packets")
            return
        side, _, link = where.rpartition(":") if where.startswith(("before:", "after:")) else ("", "", where)
        index = self._index("pcapng", link, self.links, ("senders", "receivers"))
        side = side or "after"
        self._add("captures", [side, index], f"{side}-{_plain(link)}.pcapng", "packets")

    def _add_qlog(self, where: str) -> None:
        rows = [self._index("qlog", where, self.flows)] if where else range(len(self.flows))
        if len(rows) > MAX_QLOGS:
            raise InputError(
                f"--export qlog: {len(rows)} flows, expected at most {MAX_QLOGS}; --export qlog=FLOW chooses one flow"
            )
        for row in rows:
            self._add("qlogs", [row], f"{_plain(self.flows[row])}.sqlog", "events")

    def _add_events(self, where: str) -> None:
        ending = where or "parquet"
        if ending not in ("parquet", "csv"):
            raise InputError(f'--export events: found "{where}", {_expected(where, ["parquet", "csv"])}')
        self.events.add(ending)

    def _add_flent(self, where: str) -> None:
        if where:
            raise InputError(f'--export flent: found "={where}", expected --export flent without a value')
        self.flent = True

    def _add_mahimahi(self, where: str) -> None:
        if where in self.flows:
            row = self.flows.index(where)
            self._add("deliveries", [row], f"{_plain(where)}-delivered.mahimahi", "opportunities")
            return
        if not where:
            raise InputError(
                "--export mahimahi: found no name, expected --export mahimahi=LINK or mahimahi=FLOW"
            )
        index = self._index("mahimahi", where, self.links, self.flows)
        self._add("rates", [index], f"{_plain(where)}.mahimahi", "opportunities")

    def _add(self, kind: str, entry: list[Any], name: str, unit: str) -> None:
        """Adds a file of this name, unless it is planned already."""
        stem, dot, ending = name.partition(".")
        number = 2
        while name in self.units:
            if [*entry, name] in self.wanted[kind]:
                return
            name, number = f"{stem}-{number}{dot}{ending}", number + 1
        self.units[name] = unit
        self.wanted[kind].append([*entry, name])

    def _index(self, format: str, name: str, names: Sequence[str], others: Sequence[str] = ()) -> int:
        if name not in names:
            raise InputError(f'--export {format}: found "{name}", {_expected(name, [*others, *names])}')
        return names.index(name)


def _check_repeatable(scenario: Scenario, seed: int, results: Iterable[Mapping[str, Any]]) -> None:
    """Raises RunError if the runs of a scenario with code in Python, which should be equal, have other results than
    the run without exports.
    """
    plain = core.run(scenario.text, scenario.file, scenario.overrides, seed, False, scenario.classes)
    if any({**result, "series": None} != {**plain, "series": None} for result in results):
        names = ", ".join([*scenario.controls, *scenario.queues])
        raise RunError(
            f"{scenario.file}: two runs with seed {seed} differ, so the exported files would not match the results; "
            f"expected deterministic Python code ({names}): take random numbers only from the argument `random` of the "
            "event methods, and keep no state in a class or a module"
        )


def _expected(found: str, names: Sequence[str]) -> str:
    """Returns what was expected: all of a few names, or the nearest of many."""
    close = alike(found, names)
    hint = "" if close is None else f'; did you mean "{close}"?'
    few = 8
    listed = f"{', '.join(names[:few])}{' and others' if len(names) > few else ''}"
    return f"expected {'one of ' if len(names) > 1 else ''}{listed}{hint}"


@contextmanager
def _fresh(folder: Path) -> Iterator[Path]:
    """Yields a folder to fill, which replaces ``folder`` on success. RunError when it cannot be made."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(f"--out: {folder.parent}: {_cause(error)}, expected a folder to write to") from None
    try:
        yield unfinished
        unfinished.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    except OSError as error:
        raise RunError(f"{folder}: {_cause(error)}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _cause(error: OSError) -> str:
    # The core's text also contains the number: "No space left on device (os error 28)".
    return str(error.strerror or error).partition(" (os error")[0]


def _plain(name: str) -> str:
    """Returns a valid name of a file."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "unnamed"


def _write(table: pl.DataFrame, path: Path) -> None:
    # Polars reports a full disk in its own words.
    import polars as pl

    from ackclock._csv_cells import inert

    write = inert(table).write_csv if path.suffix == ".csv" else table.write_parquet
    try:
        write(path)
    except (OSError, pl.exceptions.ComputeError) as error:
        cause = _cause(error) if isinstance(error, OSError) else str(error)
        raise RunError(f"{FOLDER}/{path.name}: {cause}") from None


def _typed(log: Any) -> pl.DataFrame:
    """Returns the event log with integer and boolean columns."""
    import polars as pl

    table = pl.DataFrame(log)
    return table.with_columns(
        pl.col("flow", "event").cast(pl.String),
        pl.col(*COUNTS).cast(pl.Int64),
        pl.col(*FLAGS).cast(pl.Boolean),
    )
