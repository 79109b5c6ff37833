"""Finished runs on disk, so that a killed sweep resumes and a second run costs nothing.

A run is one gzip file, written under another name and then renamed: it is there whole or not at all. Its name is a hash
of everything that determines the result, so nothing ever needs to be invalidated, and deleting the folder is always
safe. gzip's own checksum tells a damaged file, which counts as absent.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ackclock import toml
from ackclock.overrides import to_json

DEFAULT_DIR = Path("ackclock-results")


@dataclass(frozen=True)
class Job:
    """One run: a scenario with overrides, a seed, and whether its time series are wanted."""

    text: str
    file: str
    overrides: Mapping[str, Any]
    seed: int
    series: bool = False

    def for_core(self) -> tuple[str, str, str, int, bool]:
        """The job as ``_core.Batch`` takes it."""
        return (self.text, self.file, to_json(self.overrides), self.seed, self.series)

    def key(self, *, series: bool | None = None) -> str:
        """What identifies the result: two jobs with one key give the same bytes."""
        parts = [
            canonical(self.text),
            to_json(self.overrides),
            str(self.seed),
            str(self.series if series is None else series),
            core_fingerprint(),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class Store:
    """The runs below ``<out>/runs``. ``Store(None)`` keeps nothing."""

    def __init__(self, out: Path | None) -> None:
        self.runs_dir = None if out is None else out / "runs"

    def load(self, job: Job) -> dict[str, Any] | None:
        """The stored result of ``job``, or None. A run stored with series serves a job that wants none."""
        if self.runs_dir is None:
            return None
        for series in (job.series,) if job.series else (False, True):
            result = _read(self._path(job.key(series=series)))
            if result is not None:
                return result
        return None

    def save(self, job: Job, result_json: str) -> None:
        """Store the result of ``job``. OSError when the disk does not take it."""
        if self.runs_dir is None:
            return
        path = self._path(job.key())
        path.parent.mkdir(parents=True, exist_ok=True)
        # The process number keeps two programs that write the same run apart; either one's rename leaves it whole.
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            with unfinished.open("wb") as file:
                file.write(gzip.compress(result_json.encode(), compresslevel=3, mtime=0))
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        if self.runs_dir is None:
            raise AssertionError("a store without a folder has no paths")
        return self.runs_dir / key[:2] / f"{key[2:32]}.json.gz"


@lru_cache(maxsize=1024)
def canonical(text: str) -> str:
    """``text`` without what does not change its meaning: comments, spaces and the order of keys."""
    try:
        return json.dumps(toml.loads(text), sort_keys=True, default=str)
    except toml.TOMLDecodeError:
        return text


@lru_cache(maxsize=1)
def core_fingerprint() -> str:
    """Version and hash of the compiled core: a core that was built anew may give other results."""
    from ackclock import _core

    digest = hashlib.sha256()
    path = getattr(_core, "__file__", None)
    if path is not None:
        digest.update(Path(path).read_bytes())
    return f"{_core.__version__}+{digest.hexdigest()[:16]}"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        document = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, ValueError, zlib.error):
        return None
    return document if isinstance(document, dict) else None
