"""Runs on the workers of a Dask cluster: the same jobs, the same core, the same bytes.

A task is a handful of runs. A worker that dies takes its unfinished tasks with it, and Dask gives them to another; what
had come back is stored already. What a worker returns is the text of the results and the bytes of the series, so
nothing is rounded on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock import core
from ackclock.errors import AckclockError, InputError, RunError
from ackclock.jobs import Batch, Local, Pool, begin
from ackclock.series import Series
from ackclock.store import Job, core_fingerprint

MOST = 25
"""Runs of a task: few enough that little is lost with a worker, many enough that handing them over costs little."""

Answer = tuple[int, str, bytes | None, AckclockError | None]
"""Index, result, series, or why there is none."""


def connect(address: str) -> Any:
    """A client of the scheduler at ``address``. InputError when Dask is missing or ``address`` is none, AckclockError
    when nobody answers.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError:
        raise InputError('--dask needs the library: pip install "ackclock[dask]"') from None
    try:
        get_address_host_port(address)
    except ValueError as error:
        raise InputError(
            f'--dask: found "{address}", expected an address such as "tcp://host:8786": {error}'
        ) from None
    try:
        return Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise AckclockError(f"no Dask scheduler at {address}: {error}") from None


def pool(client: Any, threads: int = 0) -> Pool:
    """The workers of a Dask client; without one, this machine."""
    return Local(threads) if client is None else Workers(client)


class Workers:
    """The workers of a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.cores = max(1, sum(client.nthreads().values()))
        self.ahead = self.cores * MOST

    def begin(self, jobs: Sequence[Job]) -> Batch:
        """Start them in this order."""
        return _Tasks(self._client, jobs, min(MOST, -(-len(jobs) // (4 * self.cores))))


class _Tasks:
    """Jobs in the hands of the workers."""

    def __init__(self, client: Any, jobs: Sequence[Job], size: int) -> None:
        self._client = client
        parts = [range(first, min(first + size, len(jobs))) for first in range(0, len(jobs), size)]
        self._parts = {
            client.submit(
                make,
                [jobs[index] for index in part],
                core_fingerprint(),
                # Equal calls are not the same work done already: nothing of an earlier sweep is looked for.
                pure=False,
            ): part
            for part in parts
        }

    def __iter__(self) -> Iterator[tuple[int, core.Made | AckclockError]]:
        """The finished jobs with their index, in the order of finishing."""
        from distributed import as_completed

        for future in as_completed(list(self._parts), loop=self._client.loop):
            part = self._parts[future]
            failure = future.exception()
            if isinstance(failure, AckclockError):
                raise failure
            if failure is not None:
                yield from ((index, RunError(f"its worker failed: {failure}")) for index in part)
            else:
                for position, text, series, error in future.result():
                    yield part[position], error or _Returned(text, data=series)
            # The cluster need not keep what is here.
            future.release()

    def cancel(self) -> None:
        """Begin no more of them."""
        for future in self._parts:
            future.cancel()


@dataclass(frozen=True)
class _Returned(core.Made):
    """What a run on a worker gave."""

    data: bytes | None = None
    """Its series, as the worker has written them."""

    def series(self) -> Series | None:
        """The series, if there are any."""
        return None if self.data is None else Series.from_bytes(self.data)


def make(jobs: Sequence[Job], fingerprint: str) -> list[Answer]:
    """Make these jobs: what a worker does. AckclockError when its core is another."""
    if core_fingerprint() != fingerprint:
        raise AckclockError(
            f"a worker has another core ({core_fingerprint()}) than this ({fingerprint}): results would differ"
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
