"""The process in which controls in Python run: ``python -m ackclock.evaluation.worker FILE CLASS``.

A control that never returns, or that ends its process, costs one run and not the evaluation. The process takes jobs
from its standard input and writes their results to its standard output; both are pickled.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import BinaryIO

from ackclock import core
from ackclock.custom import guests
from ackclock.evaluation.arms import PLUGIN, loaded

Task = tuple[str, str, dict[str, object], int, bool]
"""A job: text, file, overrides, seed, and whether its series are wanted."""
Reply = tuple[str, bytes | None, str]
"""The result, its series, and why there is no result; empty if there is one."""


def serve(file: str, name: str, tasks: BinaryIO, replies: BinaryIO) -> None:
    """Makes jobs until there are no more."""
    classes = guests({PLUGIN: loaded(Path(file), name)}, {})
    while True:
        try:
            # From the process that started this one.
            text, where, overrides, seed, series = pickle.load(tasks)  # noqa: S301
        except EOFError:
            return
        reply: Reply
        try:
            made = core.make(text, where, overrides, seed, series, classes)
            columns = made.series()
            reply = (made.text, None if columns is None else columns.to_bytes(), "")
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the core is no Exception
            reply = ("", None, str(error) or type(error).__name__)
        pickle.dump(reply, replies)
        replies.flush()


if __name__ == "__main__":
    # What the control prints must not get between the replies.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.argv[1], sys.argv[2], sys.stdin.buffer, out)
