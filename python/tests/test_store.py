"""The store: whole or absent, resumable, keyed by everything that determines a result."""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import os
import random
import struct
import threading
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import SCENARIO

from ackclock import _jobs as jobs
from ackclock import _store as store
from ackclock import _typed_core as core
from ackclock._files import replacing
from ackclock._jobs import run_jobs
from ackclock._store import Job, Store
from ackclock.errors import Interrupted
from ackclock.series import Series, as_document

JOB = Job("a = 1", "f", {}, seed=1)
RESULT = {"seed": 1, "series": None}
WITH_SERIES = Job("a = 1", "f", {}, 1, series=True)
DOCUMENT = {
    "time_s": [0.1, 0.2],
    "flows": {"tcp": {"rtt_s": [None, 1 / 3]}},
    "links": {"bottleneck": {"queue_packets": [0.0, 5.0]}},
}
SERIES = Series.from_document(DOCUMENT)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    runs = Store(tmp_path)
    assert runs.load(JOB) is None
    runs.save(JOB, json.dumps(RESULT))
    assert runs.load(JOB) == RESULT
    assert Store(tmp_path).load(JOB) == RESULT


def test_numbers_come_back_to_the_last_bit() -> None:
    # Any 64 bits are a float; of 20,000 about ten are no finite number (2,048 exponents, one of which says so).
    draw = random.Random("bits")  # noqa: S311  (no secret)
    floats = [struct.unpack("<d", draw.randbytes(8))[0] for _ in range(20_000)]
    numbers = [*filter(math.isfinite, floats), 5e-324, 2.2250738585072011e-308, -0.0, 2**53 - 1, 2**64 + 1]
    found = core.parsed_result(json.dumps({"numbers": numbers}))["numbers"]
    assert list(map(repr, found)) == list(map(repr, numbers))
    with pytest.raises(ValueError, match="expected a JSON object"):
        core.parsed_result("[1]")


@pytest.mark.parametrize(
    "other",
    [
        Job("a = 2", "f", {}, seed=1),
        Job("a = 1", "f", {"a": 1}, seed=1),
        Job("a = 1", "f", {}, seed=2),
        Job("a = 1", "f", {}, seed=1, series=True),
    ],
)
def test_what_determines_the_result_is_in_the_key(other: Job, tmp_path: Path) -> None:
    Store(tmp_path).save(JOB, json.dumps(RESULT))
    assert Store(tmp_path).load(other) is None


@pytest.mark.parametrize(
    "same",
    [
        Job("a=1 # comment", "f", {}, seed=1),
        Job("\n\na = 1", "other file", {}, seed=1),
    ],
)
def test_what_does_not_is_not(same: Job, tmp_path: Path) -> None:
    Store(tmp_path).save(JOB, json.dumps(RESULT))
    assert Store(tmp_path).load(same) == RESULT


def test_another_core_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path).save(JOB, json.dumps(RESULT))
    monkeypatch.setattr(store, "core_fingerprint", lambda: "another")
    assert Store(tmp_path).load(JOB) is None


def test_text_that_is_no_toml_has_a_key_too() -> None:
    assert Job("a = = 1", "f", {}, 1).key() != Job("a = = 2", "f", {}, 1).key()


def test_series_are_kept_to_the_bit(tmp_path: Path) -> None:
    Store(tmp_path).save(WITH_SERIES, json.dumps(RESULT), SERIES)
    found = Store(tmp_path).load(WITH_SERIES)
    assert found is not None
    assert found["seed"] == 1
    assert found["series"].frame.equals(SERIES.frame)
    assert found["series"].document() == DOCUMENT


def test_a_run_with_series_serves_one_without(tmp_path: Path) -> None:
    Store(tmp_path).save(WITH_SERIES, json.dumps(RESULT), SERIES)
    assert Store(tmp_path).load(JOB) == RESULT


def test_a_run_without_series_does_not_serve_one_with(tmp_path: Path) -> None:
    Store(tmp_path).save(WITH_SERIES, json.dumps(RESULT))
    assert Store(tmp_path).load(WITH_SERIES) is None


def test_what_another_version_wrote_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setattr(store, "FORMAT", store.FORMAT + 1)
        Store(tmp_path).save(JOB, json.dumps({"seed": "written otherwise"}))
    assert Store(tmp_path).load(JOB) is None
    (path,) = files(tmp_path)
    # The first form was JSON alone, compressed by gzip.
    for old in (path, path.with_name(path.name.replace(".run.zip", ".json.gz"))):
        old.write_bytes(gzip.compress(b'{"seed": "written otherwise"}'))
        assert Store(tmp_path).load(JOB) is None
    Store(tmp_path).save(JOB, json.dumps(RESULT))
    assert Store(tmp_path).load(JOB) == RESULT


@pytest.mark.parametrize("keep", [0, 1, 10, 0.5, -1])
def test_a_truncated_file_counts_as_absent(keep: float, tmp_path: Path) -> None:
    Store(tmp_path).save(JOB, json.dumps(RESULT))
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep) if 0 < keep < 1 else int(keep)])
    assert Store(tmp_path).load(JOB) is None
    Store(tmp_path).save(JOB, json.dumps(RESULT))
    assert Store(tmp_path).load(JOB) == RESULT


@pytest.mark.parametrize("bit", [0, 3, 6])
def test_every_flipped_bit_is_harmless(bit: int, tmp_path: Path) -> None:
    """A damaged file is absent; only bits of the headers that carry no data may pass unnoticed."""
    Store(tmp_path).save(WITH_SERIES, json.dumps(RESULT), SERIES)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    absent = 0
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << bit
        path.write_bytes(damaged)
        found = Store(tmp_path).load(WITH_SERIES)
        absent += found is None
        assert found is None or as_document(found) == {"seed": 1, "series": DOCUMENT}, position
    assert absent > len(whole) / 2


@pytest.mark.parametrize("content", ["[1, 2]", "{"])
def test_a_file_that_holds_something_else_counts_as_absent(content: str, tmp_path: Path) -> None:
    Store(tmp_path).save(JOB, content)
    assert Store(tmp_path).load(JOB) is None


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        Store(tmp_path).save(JOB, json.dumps(RESULT))
    assert files(tmp_path) == []


def test_no_folder_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Store(None).save(JOB, json.dumps(RESULT))
    assert Store(None).load(JOB) is None
    assert files(tmp_path) == []


def small_jobs(count: int) -> list[Job]:
    return [Job(SCENARIO, "small.toml", {"duration": "1 s"}, seed) for seed in range(1, count + 1)]


def collect(runs: list[Job], folder: Path) -> tuple[dict[int, Mapping[str, Any]], int]:
    results: dict[int, Mapping[str, Any]] = {}
    made = run_jobs(runs, results.__setitem__, store=Store(folder))
    assert made.stored | made.cpu_time_s.keys() == set(results)
    return results, len(made.stored)


def test_a_second_time_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs_with_series = [dataclasses.replace(job, series=True) for job in small_jobs(3)]
    first, reused = collect(jobs_with_series, tmp_path)
    assert (len(first), reused) == (3, 0)

    def forbidden(*_: object) -> None:
        raise AssertionError("a run was started")

    monkeypatch.setattr(core, "Batch", forbidden)
    second, reused = collect(jobs_with_series, tmp_path)
    assert reused == 3
    assert [as_document(second[k]) for k in range(3)] == [as_document(first[k]) for k in range(3)]


def test_only_what_is_missing_runs(tmp_path: Path) -> None:
    collect(small_jobs(2), tmp_path)
    results, reused = collect(small_jobs(5), tmp_path)
    assert reused == 2
    assert sorted(results) == [0, 1, 2, 3, 4]
    assert [results[k]["seed"] for k in range(5)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("stored", [False, True])
def test_one_run_has_its_series_in_memory_at_a_time(stored: bool, tmp_path: Path) -> None:
    wanted = [dataclasses.replace(job, series=True) for job in small_jobs(4)]
    if stored:
        collect(wanted, tmp_path)
    seen: list[weakref.ref[Series]] = []

    def on_result(index: int, result: Mapping[str, Any]) -> None:
        assert [earlier() for earlier in seen] == [None] * len(seen), index
        seen.append(weakref.ref(result["series"]))

    run_jobs(wanted, on_result, store=Store(tmp_path))
    assert len(seen) == 4


class InterruptedBatch(core.Batch):
    """Ctrl-C arrives after the second result."""

    def __iter__(self) -> Any:
        for number, finished in enumerate(super().__iter__()):
            if number == 2:
                raise KeyboardInterrupt
            yield finished


def test_threads_that_save_the_same_run_do_not_disturb_each_other(tmp_path: Path) -> None:
    # Under one temporary name, the first of two threads renames or removes the file that the second writes: 22 of 1,600
    # saves failed.
    runs, text = Store(tmp_path), json.dumps(RESULT | {"x": "y" * 20_000})
    together = threading.Barrier(4)

    def save_all() -> None:
        for job in saved:
            together.wait()
            runs.save(job, text)

    saved = small_jobs(100)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(save_all) for _ in range(4)]:
            done.result()
    assert len(files(tmp_path)) == len(saved)
    assert all(runs.load(job) is not None for job in saved)


@pytest.mark.parametrize("writes", ["save", "replacing"])
def test_processes_with_one_number_do_not_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: str
) -> None:
    # Two containers that share a volume have processes of the same number.
    monkeypatch.setattr(os, "getpid", lambda: 1)
    names = set()
    replace = Path.replace

    def remembering(path: Path, target: Path) -> Path:
        names.add(path.name)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", remembering)
    for _ in range(2):
        if writes == "save":
            Store(tmp_path).save(JOB, json.dumps(RESULT))
        else:
            with replacing(tmp_path / "file") as path:
                path.write_text("whole")
    assert len(names) == 2


def test_ctrl_c_keeps_what_had_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.core, "Batch", InterruptedBatch)
    with pytest.raises(Interrupted, match=r"after 2 of 6 runs; finished runs are stored in .*runs"):
        collect(small_jobs(6), tmp_path)
    monkeypatch.undo()
    assert len(files(tmp_path)) == 2
    results, reused = collect(small_jobs(6), tmp_path)
    assert (len(results), reused) == (6, 2)


def test_progress_counts_to_the_end(tmp_path: Path) -> None:
    seen: list[tuple[int, int, float]] = []
    run_jobs(
        small_jobs(3),
        lambda *_: None,
        store=Store(None),
        threads=1,
        progress=lambda *step: seen.append(step),
        costs=[1, 5, 2],
    )
    # The longest starts first: 5 of 8, then 7 of 8.
    assert seen == [(1, 3, 5 / 8), (2, 3, 7 / 8), (3, 3, 1.0)]
