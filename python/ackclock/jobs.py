"""Running many jobs on all cores, taking from the store what is there and storing each run as it finishes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ackclock import core
from ackclock.errors import Interrupted
from ackclock.store import Job, Store

Progress = Callable[[int, int, float], None]
"""Called with (runs done, runs in all, share of the work done) from the thread that started them.

The share, 0 to 1, is of the work that is not on disk already, long runs counting more than short ones.
"""

BATCH = 1000
"""Jobs whose scenarios are in memory at a time."""


@dataclass
class Made:
    """Where the results of some jobs came from."""

    stored: set[int] = field(default_factory=set)
    """The jobs that were found on disk."""
    cpu_time_s: dict[int, float] = field(default_factory=dict)
    """About what each of the other jobs took of a core."""


def run_jobs(
    jobs: Sequence[Job],
    on_result: Callable[[int, Mapping[str, Any]], None],
    *,
    store: Store,
    threads: int = 0,
    progress: Progress | None = None,
    costs: Sequence[float] | None = None,
) -> Made:
    """Call ``on_result(index, result)`` for every job, in the order of finishing.

    With ``costs``, how long each job is expected to take in any unit, the longest start first, so that all cores are
    busy to the end. ScenarioError or RunError for a job that fails, Interrupted on Ctrl-C; what had finished by then is
    stored.
    """
    cost: Sequence[float] = [1.0] * len(jobs) if costs is None else costs
    made, missing = Made(), list[int]()
    total, done = len(jobs), 0
    spent, needed = 0.0, 0.0

    def finish(index: int, result: Mapping[str, Any]) -> None:
        nonlocal done
        on_result(index, result)
        done += 1
        if progress is not None:
            progress(done, total, 1.0 if done == total else spent / needed if needed else 0.0)

    try:
        for index, job in enumerate(jobs):
            stored = store.load(job)
            if stored is None:
                missing.append(index)
            else:
                made.stored.add(index)
                finish(index, stored)
        # The sort keeps jobs of equal cost in their order.
        missing.sort(key=lambda index: -cost[index])
        needed = sum(cost[index] for index in missing)
        clock = _Clock(missing, threads or _cores())
        with closing(_results(jobs, missing, threads)) as results:
            for index, finished in results:
                clock.finished(index)
                result = finished.result()
                store.save(jobs[index], finished.text, result["series"])
                spent += cost[index]
                finish(index, result)
                # Series are large: nothing of this run stays while the next one is awaited.
                del finished, result
    except KeyboardInterrupt:
        raise Interrupted(done, total, store.runs_dir) from None
    made.cpu_time_s = clock.cpu_time_s
    return made


def _results(
    jobs: Sequence[Job], order: Sequence[int], threads: int
) -> Generator[tuple[int, core.Made], None, None]:
    """The jobs' results as they finish, started in this order.

    A batch starts while the last runs of the one before it are in progress, so that no core waits for them.
    """
    parts = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
    begun: list[core.Batch] = []

    def begin(part: Sequence[int]) -> None:
        begun.append(core.Batch([jobs[index].for_core() for index in part], threads))

    try:
        for number, part in enumerate(parts):
            if len(begun) == number:
                begin(part)
            for count, (position, made) in enumerate(begun[number], 1):
                if len(part) - count < _cores() and len(begun) == number + 1 < len(parts):
                    begin(parts[number + 1])
                yield part[position], made
                del made
    finally:
        for batch in begun:
            batch.cancel()


class _Clock:
    """Shares the processor time of the simulating threads out between the jobs.

    What was spent between two finished jobs belongs in equal parts to those that were in progress: as many as there are
    threads, the earliest of the order that have not finished. The sum is measured, its parts are about right.
    """

    def __init__(self, order: Sequence[int], threads: int) -> None:
        self.cpu_time_s = dict.fromkeys(order, 0.0)
        self._to_come = iter(order)
        self._in_progress = {index for index, _ in zip(self._to_come, range(threads), strict=False)}
        self._read = self._now()

    def finished(self, index: int) -> None:
        """The job ``index`` has finished."""
        now = self._now()
        sharing = self._in_progress | {index}
        for job in sharing:
            self.cpu_time_s[job] += (now - self._read) / len(sharing)
        self._read = now
        self._in_progress.discard(index)
        following = next(self._to_come, None)
        if following is not None:
            self._in_progress.add(following)

    @staticmethod
    def _now() -> float:
        """Processor time of all threads but this one, which only takes the results in."""
        return time.process_time() - time.thread_time()


def _cores() -> int:
    """How many runs the core makes at a time when it is not told."""
    return os.cpu_count() or 1
