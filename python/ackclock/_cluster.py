"""Runs on the workers of a Dask cluster: the same jobs, the same core, the same bytes.

A task is a handful of runs. If a worker dies, Dask gives its unfinished tasks to another; results that
came back are stored already. A worker returns the text of the results and the bytes of the series, so
nothing is rounded in transfer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import _typed_core as core
from ackclock._jobs import Batch, Local, Pool, begin
from ackclock._libraries import missing
from ackclock._store import Job, core_fingerprint
from ackclock.errors import AckclockError, InputError, RunError

if TYPE_CHECKING:
    from ackclock.series import Series

MOST = 25
"""The largest number of runs in a task: few enough that little work is lost when a worker dies, many enough that
transfers cost little.
"""

Answer = tuple[int, str, bytes | None, AckclockError | None]
"""The index of a job in its task, its result as JSON text, its series (None if it has none), and the error if it failed
(None otherwise).
"""


def connect(address: str) -> Any:
    """Returns a client of the scheduler at ``address``. InputError if Dask is missing or ``address`` is not an
    address, AckclockError if no scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError:
        raise missing("--dask needs", "distributed") from None
    try:
        get_address_host_port(address)
    except ValueError as error:
        raise InputError(
            f'--dask: found "{address}", expected an address such as "tcp://host:8786": {error}'
        ) from None
    try:
        return Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise AckclockError(f"--dask: no Dask scheduler answers at {address}: {error}") from None


def pool(client: Any, threads: int = 0) -> Pool:
    """Returns the workers of a Dask client; without one, this machine."""
    return Local(threads) if client is None else Workers(client)


@contextmanager
def workers_at(address: str | None, threads: int = 0) -> Iterator[Pool]:
    """Connects to the Dask scheduler at ``address`` for as long as its workers are needed; without an address, this
    machine. The errors are those of ``connect``.
    """
    if address is None:
        yield Local(threads)
        return
    client = connect(address)
    try:
        yield Workers(client)
    finally:
        client.close()


class Workers:
    """The workers of a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.cores = max(1, sum(client.nthreads().values()))
        self.ahead = self.cores * MOST

    def begin(self, jobs: Sequence[Job]) -> Batch:
        """Starts the jobs in this order. InputError for jobs with stacks of libraries, which are files here."""
        if any(job.named_stacks for job in jobs):
            raise InputError(
                "stacks in shared libraries run only on this machine, not on a Dask cluster: leave out --dask"
            )
        return _Tasks(self._client, jobs, min(MOST, -(-len(jobs) // (4 * self.cores))))


class _Tasks:
    """Jobs that the workers make."""

    def __init__(self, client: Any, jobs: Sequence[Job], size: int) -> None:
        self._client = client
        parts = [range(first, min(first + size, len(jobs))) for first in range(0, len(jobs), size)]
        self._parts = {
            client.submit(
                make,
                [jobs[index] for index in part],
                core_fingerprint(),
                # Equal calls are made again: results of an earlier sweep are not looked up.
                pure=False,
            ): part
            for part in parts
        }

    def __iter__(self) -> Iterator[tuple[int, core.Made | AckclockError]]:
        """Yields the finished jobs with their index, in the order of finishing."""
        from distributed import as_completed

        for future in as_completed(list(self._parts), loop=self._client.loop):
            part = self._parts[future]
            failure = future.exception()
            if isinstance(failure, AckclockError):
                raise failure
            if failure is not None:
                yield from (
                    (index, RunError(f"the Dask worker of this run failed: {failure}")) for index in part
                )
            else:
                for position, text, series, error in future.result():
                    yield part[position], error or _Returned(text, data=series)
            # The cluster need not keep a result that has arrived.
            future.release()

    def cancel(self) -> None:
        """Starts no further jobs."""
        for future in self._parts:
            future.cancel()


@dataclass(frozen=True)
class _Returned(core.Made):
    """The result of a run on a worker."""

    data: bytes | None = None
    """The serialised series of the run, or None if it has none."""

    def series(self) -> Series | None:
        """Returns the series, if there are any."""
        if self.data is None:
            return None
        from ackclock.series import Series

        return Series.from_bytes(self.data)


def make(jobs: Sequence[Job], fingerprint: str) -> list[Answer]:
    """Makes these jobs on a worker. AckclockError if its core differs."""
    if core_fingerprint() != fingerprint:
        raise AckclockError(
            f"a Dask worker has the simulator core {core_fingerprint()}, this machine has {fingerprint}: results "
            "may differ. Install the same build of ackclock on both machines"
        )
    answers: list[Answer] = []
    # One thread: the worker has as many tasks at a time as it has threads.
    for index, made in begin(jobs, 1):
        if isinstance(made, AckclockError):
            answers.append((index, "", None, made))
        else:
            series = made.series()
            answers.append((index, made.text, None if series is None else series.to_bytes(), None))
    return answers
