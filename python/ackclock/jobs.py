"""Running many jobs on all cores, taking from the store what is there and storing each run as it finishes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ackclock import core
from ackclock.errors import Interrupted
from ackclock.store import Job, Store

Progress = Callable[[int, int], None]
"""Called with (runs done, runs in all), from the thread that started them."""


def run_jobs(
    jobs: Sequence[Job],
    on_result: Callable[[int, Mapping[str, Any]], None],
    *,
    store: Store,
    threads: int = 0,
    progress: Progress | None = None,
) -> int:
    """Call ``on_result(index, result)`` for every job, in the order of finishing; returns how many came from the store.

    ScenarioError or RunError for a job that fails, Interrupted on Ctrl-C; what had finished by then is stored.
    """
    total, done = len(jobs), 0
    missing: list[int] = []
    batch: core.Batch | None = None

    def finish(index: int, result: Mapping[str, Any]) -> None:
        nonlocal done
        on_result(index, result)
        done += 1
        if progress is not None:
            progress(done, total)

    try:
        for index, job in enumerate(jobs):
            stored = store.load(job)
            if stored is None:
                missing.append(index)
            else:
                finish(index, stored)
        reused = done
        if missing:
            batch = core.Batch([jobs[index].for_core() for index in missing], threads)
            for position, text in batch:
                index = missing[position]
                store.save(jobs[index], text)
                finish(index, json.loads(text))
    except KeyboardInterrupt:
        raise Interrupted(done, total, store.runs_dir) from None
    finally:
        if batch is not None:
            batch.cancel()
    return reused
