"""The process in which controls in Python run: ``python -m ackclock.evaluation.worker FILE CLASS``.

A control that never returns, or that ends its process, costs one run and not the evaluation. Each line of the standard
input is a job, ``Job.for_core`` in JSON. The reply on the standard output is a line of JSON, followed by as many bytes
of series as that line says.

Each run is made in a fork of this process, in which the control has been loaded and nothing else has happened: what a
run leaves in a class or a module is gone with it, so that results do not depend on which runs came before. A fork takes
a few milliseconds, a new process some tenths of a second.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from ackclock import _typed_core as core
from ackclock._replies import waited, write_reply
from ackclock.custom import python_classes
from ackclock.evaluation.contenders import PLUGIN, loaded

MEMORY_BYTES = 4 * 2**30
"""The memory, in bytes, that a run may allocate beyond the memory that its process uses once the control is loaded."""


def limit_memory() -> None:
    """Limits the memory of this process, where the system says how much it has: beyond the limit an allocation fails,
    and costs a run and not the machine.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # not Linux
        return
    most = pages * resource.getpagesize() + MEMORY_BYTES
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def serve(file: str, name: str, tasks: BufferedReader, replies: IO[bytes]) -> None:
    """Makes jobs until there are no more, or until a run has ended its process. The end of ``tasks`` ends a run too."""
    classes = python_classes({PLUGIN: loaded(Path(file), name)}, {})
    for line in tasks:
        ended, open_until_then = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                limit_memory()
                _reply(line, classes, replies)
                status = 0
            finally:
                # Neither SystemExit nor a thread of the control leads back into this loop.
                os._exit(status)
        os.close(open_until_then)
        goes_on, status, _ = waited(child, ended, tasks)
        if not goes_on or status != 0:
            return
        os.close(ended)


def _reply(line: bytes, classes: Sequence[Any], replies: IO[bytes]) -> None:
    """Makes the job of a line and writes the reply."""
    text, where, overrides, seed, wanted = json.loads(line)
    try:
        made = core.make(text, where, json.loads(overrides), seed, wanted, classes)
        columns = made.series()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of the core is no Exception
        write_reply(replies, "", None, str(error) or type(error).__name__)
    else:
        write_reply(replies, made.text, None if columns is None else columns.to_bytes(), "")


if __name__ == "__main__":
    # What the control prints must not get between the replies.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with open(0, "rb") as tasks:
        serve(sys.argv[1], sys.argv[2], tasks, out)
