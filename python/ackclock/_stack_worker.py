"""The process in which stacks of libraries run: ``python -m ackclock._stack_worker``.

As ``ackclock.evaluation.worker``: each line of the standard input is a job in JSON, ``Job.for_worker``, and each run is
made in a fork of this process, which loads its libraries. When a library ends that fork, or takes too much of time or
memory, the reply says what happened, in which function of which library, and at which time of the simulation.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from ackclock import _core
from ackclock import _typed_core as core
from ackclock._replies import waited, write_reply

MEMORY_BYTES = 2 * 2**30
"""The limit, in bytes, on the memory that a run allocates beyond what its process had at the start."""
PAGE_BYTES = 4096
REPLIED_AT = PAGE_BYTES - 1
"""The offset, in the page of ``page()``, of the byte that is set once the run has sent its reply."""
LONGEST_LINE = 300
"""A reply quotes at most this many characters of the last line that the library printed."""


def page() -> int:
    """Returns a file in memory in which a process notes its calls of libraries."""
    file = os.memfd_create("ackclock-calls")
    os.truncate(file, PAGE_BYTES)
    return file


def confine(noted: int, cpu_s: float) -> None:
    """Makes this process one that libraries may end: it notes their calls, and has limits of memory and CPU time."""
    data = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    _limit(resource.RLIMIT_DATA, data + MEMORY_BYTES)
    _limit(resource.RLIMIT_CORE, 0)
    seconds = max(1, round(cpu_s))
    # A library that ignores SIGXCPU is ended by SIGKILL two seconds later.
    _limit(resource.RLIMIT_CPU, seconds, seconds + 2)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    # What Python was doing when a library crashes tells nothing of the library.
    faulthandler.disable()
    _core.watch_libraries(noted)


def _limit(what: int, soft: int, hard: int | None = None) -> None:
    most = resource.getrlimit(what)[1]
    wanted = (soft, soft if hard is None else hard)
    if most != resource.RLIM_INFINITY:
        wanted = (min(wanted[0], most), min(wanted[1], most))
    resource.setrlimit(what, wanted)


def how(status: int, used: resource.struct_rusage, cpu_s: float) -> str:
    """Returns how a process ended in a library, as a clause about the library."""
    code = os.waitstatus_to_exitcode(status)
    spent = used.ru_utime + used.ru_stime
    if code in (-signal.SIGXCPU, -signal.SIGKILL) and spent >= max(1, round(cpu_s)) - 0.5:
        return f"took more than {cpu_s:g} s of CPU time"
    said = f"ended its process with exit code {code}" if code >= 0 else f"crashed with {_signal(-code)}"
    taken = 1024 * used.ru_maxrss
    if taken > 0.8 * MEMORY_BYTES:
        said += f" after it used {taken / 2**30:.1f} GiB of memory (limit: {MEMORY_BYTES / 2**30:g} GiB)"
    return said


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a signal for real time
        return f"signal {number}"


def serve(tasks: BufferedReader, replies: IO[bytes]) -> None:
    """Makes jobs until there are no more. The end of ``tasks`` ends a run too."""
    import polars  # noqa: F401  (once here, and not in each fork)

    for line in tasks:
        task = json.loads(line)
        noted, printed = page(), os.memfd_create("ackclock-printed")
        ended, open_until_then = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(printed, 1)
                os.dup2(printed, 2)
                confine(noted, task["cpu_s"])
                _reply(task, replies)
                os.pwrite(noted, b"1", REPLIED_AT)
                status = 0
            finally:
                os._exit(status)
        os.close(open_until_then)
        goes_on, status, used = waited(child, ended, tasks)
        if not goes_on:
            return
        # A library may end its process with the status of success.
        if os.pread(noted, 1, REPLIED_AT) != b"1":
            write_reply(replies, "", None, _why(task, noted, printed, how(status, used, task["cpu_s"])))
        for file in (ended, noted, printed):
            os.close(file)


def _why(task: Mapping[str, Any], noted: int, printed: int, what: str) -> str:
    """Returns why a run has ended its process."""
    call, now_ns, name = _core.last_library_call(os.pread(noted, PAGE_BYTES, 0))
    _, file, _, seed, _ = task["job"]
    size = os.fstat(printed).st_size
    lines = os.pread(printed, size, 0).decode(errors="replace").split("\n") if size else []
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    last = f"; its last line of output: {last[:LONGEST_LINE]}" if last else ""
    place = next((path for path, _, told, _ in task["stacks"] if told[0] == name), "")
    if call and place:
        return f"{file}, seed {seed}: {name} {what} in {call} at {now_ns / 1e9:.9f} s of simulated time ({place}){last}"
    known = ", ".join(told[0] for _, _, told, _ in task["stacks"])
    return f"{file}, seed {seed}: outside the calls that ackclock made, a library ({known}) {what}{last}"


def _reply(task: Mapping[str, Any], replies: IO[bytes]) -> None:
    """Makes a job and writes the reply."""
    text, file, overrides, seed, wanted = task["job"]
    try:
        libraries = []
        for path, options, told, changed_ns in task["stacks"]:
            if Path(path).stat().st_mtime_ns != changed_ns:
                raise OSError(
                    f"{path}: the library has changed since the command began: run the command again"
                )
            libraries.append(_core.StackLibrary(path, [tuple(option) for option in options], tuple(told)))
        made = core.make(text, file, json.loads(overrides), seed, wanted, libraries)
        columns = made.series()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of the core is no Exception
        said = str(error) or type(error).__name__
        where = f"{file}, seed {seed}: "
        write_reply(replies, "", None, said if f"seed {seed}:" in said else where + said)
    else:
        write_reply(replies, made.text, None if columns is None else columns.to_bytes(), "")


if __name__ == "__main__":
    # What a library prints must not get between the replies.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with open(0, "rb") as tasks:
        serve(tasks, out)
