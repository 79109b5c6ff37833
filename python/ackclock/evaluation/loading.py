"""Code of users that may end its process: a file with a control, loaded and run in processes of its own.

``python -m ackclock.evaluation.loading FILE CLASS`` loads one. ``os._exit``, or a crash of a library in C, would end
the command too, without a word and possibly with the exit code of success.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from multiprocessing import Pipe
from pathlib import Path
from typing import TypeVar

from ackclock._files import is_there
from ackclock.errors import InputError, RunError
from ackclock.evaluation.contenders import loaded

_RETURNED = b"returned"
"""The bytes that the process writes once the file has been loaded or has raised an exception."""

T = TypeVar("T")


def check(file: Path, name: str) -> None:
    """Raises InputError if the process that loads ``file`` ends in it."""
    if is_there(file) and (how := _ended(file.resolve(), name, file.stat().st_mtime_ns)):
        raise InputError(f"{file}: loading the file ended the process ({how})")


@lru_cache
def _ended(file: Path, name: str, changed_ns: int) -> str:  # noqa: ARG001  (a file that has changed is loaded again)
    """Returns how the process that loads ``file`` ended in it; empty if it did not."""
    # The parent of this package, wherever it is, so that the process finds the same one.
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    made = subprocess.run(  # noqa: S603  (this interpreter, and the file that the user named)
        [sys.executable, "-m", "ackclock.evaluation.loading", str(file), name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        check=False,
    )
    return "" if made.stdout.endswith(_RETURNED) else _how(made.returncode)


def apart(what: str, work: Callable[[], T]) -> T:
    """Returns what ``work`` returns in a fork of this process, with a limit of memory.

    RunError, in which ``what`` names the work, if it ends that process. What ``work`` raises is raised here, and what
    it prints goes to standard error, not among the results of the command.
    """
    from ackclock.evaluation.worker import limit_memory

    here, there = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            sys.stdout = sys.stderr
            limit_memory()
            try:
                made: tuple[T | None, Exception | None] = work(), None
            except Exception as error:
                made = None, error
            there.send(made)
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    there.close()
    value: T
    failure: Exception | None
    try:
        with here:
            value, failure = here.recv()
    except (EOFError, OSError):  # the process ended before, or while, it wrote
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        raise RunError(f"{what}: the process of the run ended unexpectedly ({_how(code)})") from None
    os.waitpid(child, 0)
    if failure is not None:
        raise failure
    return value


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


if __name__ == "__main__":
    # What the file prints must not get among the answer.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(BaseException):  # the command loads the file itself and tells of any exception
        loaded(Path(sys.argv[1]), sys.argv[2])
    answer.write(_RETURNED)
    answer.flush()
    # A thread or an exit handler of the file does not hold the command up.
    os._exit(0)
