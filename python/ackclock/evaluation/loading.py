"""Loads a file with a control in a process of its own: ``python -m ackclock.evaluation.loading FILE CLASS``.

Code that ends its process (``os._exit``, a crash of a library in C) as it is imported would end the command too,
without a word and possibly with the exit code of success.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from ackclock.errors import InputError
from ackclock.evaluation.contenders import loaded

_RETURNED = b"returned"
"""What the process writes when the file has given control back, whether it was loaded or raised an exception."""


def check(file: Path, name: str) -> None:
    """Raises InputError if the process that loads ``file`` ends in it."""
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
    if not made.stdout.endswith(_RETURNED):
        how = f"exit code {made.returncode}" if made.returncode >= 0 else f"signal {-made.returncode}"
        raise InputError(f"{file}: the process that loads it ended in it, with {how}")


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
