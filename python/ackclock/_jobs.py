"""Runs many jobs on all cores, takes stored results from the store, and stores each run as it finishes."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from ackclock import _typed_core as core
from ackclock._arguments import whole
from ackclock._store import Job, Store
from ackclock.errors import AckclockError, InputError, Interrupted

Progress = Callable[[int, int, float], None]
"""Called with (runs done, total runs, share of the work done) from the thread that started the runs.

The share, from 0 to 1, leaves out runs whose results are on disk; long runs count more than short ones.
"""

MOST_THREADS = 10_000
BATCH = 1000
"""The largest number of jobs in each batch except the first."""
FIRST = 100
"""The number of jobs of the first batch: small, so that the cores have work while the next batch is prepared."""


class Batch(Protocol):
    """Jobs that a pool makes."""

    def __iter__(self) -> Iterator[tuple[int, core.Made | AckclockError]]:
        """Yields the finished jobs with their index, in the order of finishing."""

    def cancel(self) -> None:
        """Starts no further jobs."""


class Pool(Protocol):
    """A pool that makes jobs."""

    cores: int
    """The number of jobs that the pool runs at the same time."""
    ahead: int
    """The next batch begins when fewer unfinished jobs than this are left, so that no core waits."""

    def begin(self, jobs: Sequence[Job]) -> Batch:
        """Starts the jobs in this order."""


class Local:
    """All cores of this machine, or as many as ``threads`` says."""

    def __init__(self, threads: int = 0) -> None:
        threads = whole("threads (0 for one per core)", threads, 0, MOST_THREADS)
        self.cores = self.ahead = threads or os.cpu_count() or 1
        self._threads = threads

    def begin(self, jobs: Sequence[Job]) -> Batch:
        """Starts the jobs in this order. Jobs with Python classes are made on this thread, those with stacks of
        libraries in processes.
        """
        return begin(jobs, self._threads)


def begin(jobs: Sequence[Job], threads: int) -> Batch:
    """Starts jobs on threads; jobs with Python classes run one after another on this thread, those with stacks of
    libraries in processes. InputError for both at once.
    """
    has_python, has_stacks = any(job.has_python for job in jobs), any(job.named_stacks for job in jobs)
    if has_python and has_stacks:
        raise InputError(
            "found both Python classes (controls or queues) and a stack in a shared library, expected only one of them"
        )
    if has_stacks:
        from ackclock.evaluation.processes import StackProcesses

        return StackProcesses(threads).begin(jobs)
    if has_python:
        return OneByOne(jobs)
    return core.Batch([job.for_core() for job in jobs], threads)


class OneByOne:
    """Jobs with Python classes, on one core, because the interpreter runs one thread at a time."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._cancelled = False

    def __iter__(self) -> Iterator[tuple[int, core.Made | AckclockError]]:
        """Makes the jobs."""
        from ackclock.custom import python_classes

        for index, job in enumerate(self._jobs):
            if self._cancelled:
                return
            try:
                classes = python_classes(job.controls, job.queues)
                yield index, core.make(job.text, job.file, job.overrides, job.seed, job.series, classes)
            except AckclockError as error:
                yield index, error

    def cancel(self) -> None:
        """Starts no further jobs."""
        self._cancelled = True


@dataclass
class Made:
    """The origin of the results of some jobs."""

    stored: set[int] = field(default_factory=set)
    """The indices of the jobs whose results were found on disk."""
    cpu_time_s: dict[int, float] = field(default_factory=dict)
    """The approximate CPU time in seconds of each job that was run, by index."""


def run_jobs(
    jobs: Sequence[Job],
    on_result: Callable[[int, Mapping[str, Any]], None],
    *,
    store: Store,
    threads: int = 0,
    progress: Progress | None = None,
    costs: Sequence[float] | None = None,
    longest_first: bool = True,
    on_failure: Callable[[int, AckclockError], None] | None = None,
    pool: Pool | None = None,
) -> Made:
    """Calls ``on_result(index, result)`` for every job, in the order of finishing.

    ``costs`` are the expected durations of the jobs, in any unit. With them the longest start first, so that all
    cores are busy to the end; ``longest_first = False`` keeps their order. Results on disk are looked up batch by
    batch, so that the first run starts at once. ``on_failure(index, error)`` is called for a job that fails, and the
    others continue; without it, the first failure raises ScenarioError or RunError. Interrupted on Ctrl-C; jobs
    finished by then are stored.
    """
    cost: Sequence[float] = [1.0] * len(jobs) if costs is None else costs
    order: Sequence[int] = range(len(jobs))
    if longest_first and costs is not None:
        # The sort keeps jobs of equal cost in their order.
        order = sorted(order, key=lambda index: -cost[index])
    made, clock, pool = Made(), _Clock(), pool or Local(threads)
    total, done = len(jobs), 0
    # Stored results are no work.
    spent, needed = 0.0, float(sum(cost))

    def tell() -> None:
        if progress is not None:
            progress(done, total, 1.0 if done == total else spent / needed if needed else 0.0)

    def missing() -> Iterator[int]:
        nonlocal needed, done
        for index in order:
            stored = store.load(jobs[index])
            if stored is None:
                yield index
                continue
            made.stored.add(index)
            needed -= cost[index]
            done += 1
            on_result(index, stored)
            tell()
            del stored

    try:
        with closing(_results(jobs, missing(), pool, clock)) as results:
            for index, finished in results:
                clock.finished(index)
                spent += cost[index]
                if isinstance(finished, AckclockError):
                    if on_failure is None:
                        raise finished
                    done += 1
                    on_failure(index, finished)
                else:
                    result = finished.result()
                    store.save(jobs[index], finished.text, result["series"])
                    # Counted at once, because an interruption reports how many are stored.
                    done += 1
                    on_result(index, result)
                    del result
                tell()
                # Series are large: this run is released while the next one is awaited.
                del finished
    except KeyboardInterrupt:
        raise Interrupted(done, total, store.runs_dir) from None
    made.cpu_time_s = clock.cpu_time_s
    return made


def _results(
    jobs: Sequence[Job], missing: Iterable[int], pool: Pool, clock: _Clock
) -> Generator[tuple[int, core.Made | AckclockError], None, None]:
    """Yields the results of the ``missing`` jobs as they finish, started in this order.

    A batch is looked up while most of the previous one is unfinished, and starts while its last jobs are in
    progress, so that no core waits for them.
    """
    to_come = iter(missing)
    begun: deque[tuple[Sequence[int], Batch]] = deque()

    def look_up(most: int) -> Sequence[int]:
        return list(islice(to_come, most))

    def begin(part: Sequence[int]) -> None:
        if part:
            clock.begun(part, pool.cores)
            begun.append((part, pool.begin([jobs[index] for index in part])))

    try:
        begin(look_up(FIRST))
        while begun:
            part, batch = begun[0]
            following: Sequence[int] | None = None
            for count, (position, made) in enumerate(batch, 1):
                yield part[position], made
                del made
                if following is None and len(part) - count <= max(pool.ahead, FIRST // 2):
                    following = look_up(BATCH)
                if len(begun) == 1 and following and len(part) - count < pool.ahead:
                    begin(following)
            if following is None:
                following = look_up(BATCH)
            if len(begun) == 1:
                begin(following)
            begun.popleft()
    finally:
        for _, batch in begun:
            batch.cancel()


class _Clock:
    """Distributes the processor time of the simulating threads over the jobs.

    The time between two finished jobs is divided equally among the jobs in progress: as many as there are
    threads, the earliest of the order that have not finished. The sum is measured, its parts are approximate.
    """

    def __init__(self) -> None:
        self.cpu_time_s: dict[int, float] = {}
        self._to_come: deque[int] = deque()
        self._in_progress: set[int] = set()
        self._threads = 1
        self._read = self._now()

    def begun(self, part: Sequence[int], threads: int) -> None:
        """Called when these jobs have been started on this number of threads."""
        self.cpu_time_s |= dict.fromkeys(part, 0.0)
        self._to_come.extend(part)
        self._threads = threads
        self._fill()

    def finished(self, index: int) -> None:
        """Called when the job ``index`` has finished."""
        now = self._now()
        sharing = self._in_progress | {index}
        for job in sharing:
            self.cpu_time_s[job] += (now - self._read) / len(sharing)
        self._read = now
        self._in_progress.discard(index)
        if index in self._to_come:
            self._to_come.remove(index)
        self._fill()

    def _fill(self) -> None:
        while self._to_come and len(self._in_progress) < self._threads:
            self._in_progress.add(self._to_come.popleft())

    @staticmethod
    def _now() -> float:
        """Returns the processor time of all threads except this one, which only receives results."""
        return time.process_time() - time.thread_time()
