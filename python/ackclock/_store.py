"""Finished runs on disk, so that a killed sweep resumes and a second run costs nothing.

A run is one ZIP file with its result in JSON and its series in the Arrow IPC format. It is written under another name
and then renamed, so it is complete or absent. Its name is a hash of everything that determines the result, so
nothing ever needs to be invalidated, and deleting the folder is always safe. The checksums of the ZIP format detect a
damaged file, which counts as absent; so does a file of another ``FORMAT``.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _toml as toml
from ackclock._files import unfinished_name
from ackclock._overrides import to_json
from ackclock._stacks import CPU_S, Stack, now_offered
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.series import Series

PLACE = "ACKCLOCK_RESULTS"
"""The environment variable that names the folder for results."""
FORMAT = 2
"""The version of the file format of stored runs. The files of version 1 were gzip-compressed JSON."""
_RESULT, _SERIES = "result.json", "series.arrow"


@dataclass(frozen=True)
class Job:
    """One run: a scenario with overrides, a seed, and whether its time series are wanted."""

    text: str
    file: str
    overrides: Mapping[str, Any]
    seed: int
    series: bool = False
    controls: Mapping[str, Any] = field(default_factory=dict)
    """Controls written in Python, by name."""
    queues: Mapping[str, Any] = field(default_factory=dict)
    """Queue disciplines written in Python, by name."""
    stacks: Sequence[Stack] = field(default_factory=now_offered)
    """The stacks from shared libraries that the scenario can name as transports."""

    @cached_property
    def named_stacks(self) -> Sequence[Stack]:
        """Returns the stacks in libraries that it names."""
        if not self.stacks:
            return ()
        text = canonical(self.text) + to_json(self.overrides)
        return [stack for stack in self.stacks if stack.is_named(text)]

    @property
    def cpu_s(self) -> float:
        """Returns the CPU time that a run with stacks of libraries may take."""
        return max((stack.cpu_s for stack in self.named_stacks), default=CPU_S)

    @property
    def has_python(self) -> bool:
        """Returns whether Python classes take part: such a result is not stored, because the classes may call any
        other code.
        """
        return bool(self.controls or self.queues)

    def for_core(self) -> tuple[str, str, str, int, bool]:
        """Returns the job in the form of ``_core.Batch``."""
        return (self.text, self.file, to_json(self.overrides), self.seed, self.series)

    def key(self, *, series: bool | None = None) -> str:
        """Returns the key of the result: two jobs with equal keys give the same bytes."""
        parts = [
            canonical(self.text),
            to_json(self.overrides),
            str(self.seed),
            str(self.series if series is None else series),
            core_fingerprint(),
            *(stack.key for stack in self.named_stacks),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def results_folder(out: Path | None) -> Path:
    """Returns the folder for results of every command: ``out`` if it is given, else the folder that the environment
    variable ``ACKCLOCK_RESULTS`` names, else ``ackclock-results`` in the home folder. It never depends on the current
    directory.
    """
    if out is not None:
        return out
    named = os.environ.get(PLACE)
    try:
        return Path(named).expanduser() if named else Path.home() / "ackclock-results"
    except RuntimeError:  # an account without a home
        raise InputError(f"found no home folder for results: use --out DIR or set {PLACE}") from None


class Store:
    """The runs below ``<out>/runs``. ``Store(None)`` keeps nothing."""

    def __init__(self, out: Path | None) -> None:
        self.runs_dir = None if out is None else out / "runs"

    def load(self, job: Job) -> dict[str, Any] | None:
        """Returns the stored result of ``job``, or None. A run stored with series also serves a job without."""
        if self.runs_dir is None or job.has_python:
            return None
        for series in (job.series,) if job.series else (False, True):
            result = _read(self._path(job.key(series=series)), series=job.series)
            if result is not None:
                return result
        return None

    def save(self, job: Job, result_json: str, series: Series | None = None) -> None:
        """Stores the result of ``job`` and its series. OSError if it cannot be written."""
        if self.runs_dir is None or job.has_python:
            return
        path = self._path(job.key())
        # Two writers of the same run never share it; the rename of either leaves a complete file.
        unfinished = unfinished_name(path)
        packed = _packed(result_json, series)
        try:
            try:
                unfinished.write_bytes(packed)
            except FileNotFoundError:  # the first run of its folder: there are 256, and many more runs
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished.write_bytes(packed)
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        if self.runs_dir is None:
            raise AssertionError(
                "found a store without a folder (runs_dir is None), expected a folder for the file of a run"
            )
        return self.runs_dir / key[:2] / f"{key[2:32]}.run.zip"


@lru_cache(maxsize=1024)
def canonical(text: str) -> str:
    """Returns ``text`` in a canonical form, without comments, spaces and the order of keys."""
    try:
        return json.dumps(toml.loads(text), sort_keys=True, default=str)
    except toml.TOMLDecodeError:
        return text


@lru_cache(maxsize=1)
def core_fingerprint() -> str:
    """Returns version and hash of the compiled core, because a new build may give other results."""
    from ackclock import _core

    digest = hashlib.sha256()
    path = getattr(_core, "__file__", None)
    if path is not None:
        digest.update(Path(path).read_bytes())
    return f"{_core.__version__}+{digest.hexdigest()[:16]}"


def _packed(result_json: str, series: Series | None) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.comment = _comment()
        archive.writestr(zipfile.ZipInfo(_RESULT), result_json, zipfile.ZIP_DEFLATED, compresslevel=1)
        if series is not None:
            # The columns are compressed already.
            archive.writestr(zipfile.ZipInfo(_SERIES), series.to_bytes())
    return file.getvalue()


def _read(path: Path, *, series: bool) -> dict[str, Any] | None:
    """Returns the result in a file, with its series if they are wanted; None if there is no valid file."""
    from ackclock._typed_core import parsed_result

    if not path.exists():  # a run is looked up twice, and a new sweep has none
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.comment != _comment():
                return None
            document = parsed_result(archive.read(_RESULT))
            columns = archive.read(_SERIES) if series else None
    # KeyError: there are no series. RuntimeError: a damaged header names another compression or a password.
    except (OSError, EOFError, ValueError, KeyError, RuntimeError, zlib.error, zipfile.BadZipFile):
        return None
    if columns is not None:
        from ackclock.series import Series

        document["series"] = Series.from_bytes(columns)
    return document


def _comment() -> bytes:
    return f"ackclock run, format {FORMAT}".encode()
