"""Pools of processes for jobs with a control in Python or stacks of libraries: each run has a process of its own, and a
limit of time.
"""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import _typed_core as core
from ackclock._jobs import Batch
from ackclock._replies import read_reply
from ackclock._stacks import WAITS
from ackclock._store import Job
from ackclock.errors import AckclockError, RunError
from ackclock.series import Series

LIMIT_S = 300.0
"""The default time limit of a run, in seconds."""
MOST_LATE = 10
"""If this number of runs exceed the time limit before any run finishes in time, the remaining runs are skipped."""
PATIENCE_S = 10.0
"""A process that has not exited this long after its input was closed, in seconds, is killed."""


class Processes:
    """Processes that make jobs with the control called ``name`` of ``file``, each run within ``limit_s`` seconds."""

    def __init__(self, file: Path, name: str, threads: int = 0, limit_s: float = LIMIT_S) -> None:
        self.cores = self.ahead = threads or os.cpu_count() or 1
        self._maker = _Maker("ackclock.evaluation.worker", (str(file), name), "the control", limit_s)

    def begin(self, jobs: Sequence[Job]) -> Batch:
        """Starts the jobs in this order."""
        return _Batch(jobs, self._maker, self.cores)


class StackProcesses:
    """Processes that make jobs with stacks of libraries, each run within the CPU time that these may take."""

    def __init__(self, threads: int = 0) -> None:
        self.cores = self.ahead = threads or os.cpu_count() or 1
        self._maker = _Maker("ackclock._stack_worker", (), "a library", None)

    def begin(self, jobs: Sequence[Job]) -> Batch:
        """Starts the jobs in this order."""
        return _Batch(jobs, self._maker, self.cores)


@dataclass(frozen=True)
class _Maker:
    """How processes make jobs."""

    module: str
    arguments: Sequence[str]
    what: str
    """What messages call the code that can end the process: the control, or a library."""
    _limit_s: float | None
    """The time limit of a run, in seconds; None if it follows from the CPU time limit of the job."""

    @property
    def command(self) -> list[str]:
        """Returns the command of a process."""
        return [sys.executable, "-m", self.module, *self.arguments]

    def limit_s(self, job: Job) -> float:
        """Returns the longest time that a run may take."""
        # A library that waits takes no CPU time, and is ended all the same.
        return self._limit_s or WAITS * job.cpu_s

    def task(self, job: Job) -> bytes:
        """Returns a job as the process reads it."""
        task: Any = job.for_core()
        if self._limit_s is None:
            libraries = [stack.for_worker() for stack in job.named_stacks]
            task = {"job": task, "stacks": libraries, "cpu_s": job.cpu_s}
        return json.dumps(task).encode() + b"\n"


class _Batch:
    """Jobs in progress: a thread for each process."""

    def __init__(self, jobs: Sequence[Job], maker: _Maker, count: int) -> None:
        self._jobs, self._maker = jobs, maker
        self._next = iter(range(len(jobs)))
        self._lock = threading.Lock()
        self._cancelled = False
        self._late, self._in_time = 0, False
        self._done: queue.Queue[tuple[int, core.Made | AckclockError]] = queue.Queue()
        self._processes: set[_Process] = set()
        for _ in range(min(count, len(jobs))):
            threading.Thread(target=self._work, daemon=True).start()

    def __iter__(self) -> Iterator[tuple[int, core.Made | AckclockError]]:
        """Yields the finished jobs with their index, in the order of finishing."""
        for _ in self._jobs:
            yield self._done.get()

    def cancel(self) -> None:
        """Starts no further jobs, and ends the processes."""
        with self._lock:
            self._cancelled = True
            for process in self._processes:
                process.kill()

    def _started(self) -> _Process | None:
        """Returns a new process; None if the batch was cancelled, which must leave no process behind."""
        with self._lock:
            if self._cancelled:
                return None
            process = _Process(self._maker)
            self._processes.add(process)
            return process

    def _work(self) -> None:
        process: _Process | None = None
        try:
            while not self._cancelled:
                with self._lock:
                    index = next(self._next, None)
                if index is None:
                    return
                if process is None:
                    process = self._started()
                if process is None:
                    return
                if self._late >= MOST_LATE and not self._in_time:
                    limit_s = self._maker.limit_s(self._jobs[index])
                    why = f"not run, because none of the first {MOST_LATE} runs finished within {limit_s:g} s"
                    self._done.put((index, RunError(why)))
                    continue
                made = process.make(self._jobs[index])
                with self._lock:
                    self._late += process.was_late
                    self._in_time |= not process.was_late
                if process.ended:
                    with self._lock:
                        self._processes.discard(process)
                    process = None
                self._done.put((index, made))
        finally:
            if process is not None:
                with self._lock:
                    self._processes.discard(process)
                process.close()


class _Process:
    """A process that forks for each run."""

    def __init__(self, maker: _Maker) -> None:
        self._maker = maker
        # The parent of this package, wherever it lies, so that the process finds the same one.
        path = os.pathsep.join([str(Path(core.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(  # noqa: S603  (this interpreter, and the file that the user named)
            maker.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        )
        self.ended = False
        self.was_late = False
        """Whether the last run exceeded the time limit."""

    def make(self, job: Job) -> core.Made | AckclockError:
        """Makes a job. RunError, returned, if the run fails, takes longer than the limit, or ends the process."""
        tasks, replies, limit_s = self._process.stdin, self._process.stdout, self._maker.limit_s(job)
        if tasks is None or replies is None:
            raise AssertionError("both ends are pipes")
        try:
            tasks.write(self._maker.task(job))
            tasks.flush()
            self.was_late = not select.select([replies], [], [], limit_s)[0]
            if self.was_late:
                self.close()
                return RunError(f"the run did not finish within {limit_s:g} s")
            text, series, why = read_reply(replies)
        except (EOFError, OSError):
            self.close()
            return RunError(f"{self._maker.what} ended the process of the run")
        except (KeyError, TypeError, ValueError):
            self.close()
            return RunError(f"{self._maker.what} wrote to the pipe that carries the results of the run")
        return RunError(why) if why else _Returned(text, data=series)

    def kill(self) -> None:
        """Ends the process with its run, by the end of its input; the thread that waits for it notices."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def close(self) -> None:
        """Ends the process, and closes what leads to it."""
        self.ended = True
        self.kill()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@dataclass(frozen=True)
class _Returned(core.Made):
    """The result of a run in another process."""

    data: bytes | None = None
    """The serialised series of the run; None without series."""

    def series(self) -> Series | None:
        """Returns the series, if there are any."""
        return None if self.data is None else Series.from_bytes(self.data)
