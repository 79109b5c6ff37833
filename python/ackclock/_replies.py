"""Replies of processes that make runs, and waiting for the forks that make them."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
from io import BufferedReader
from typing import IO


def write_reply(replies: IO[bytes], text: str, series: bytes | None, why: str) -> None:
    """Writes a result with its series, or ``why`` there is none."""
    size = None if series is None else len(series)
    replies.write(json.dumps({"text": text, "series": size, "why": why}).encode() + b"\n" + (series or b""))
    replies.flush()


def read_reply(replies: IO[bytes]) -> tuple[str, bytes | None, str]:
    """Returns the result, its series, and why there is no result; empty if there is one.

    EOFError if the process has ended, ValueError or KeyError if what it wrote is no reply.
    """
    line = replies.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    head = json.loads(line)
    if head["series"] is None:
        return head["text"], None, head["why"]
    series = replies.read(head["series"])
    if len(series) < head["series"]:
        raise EOFError
    return head["text"], series, head["why"]


def waited(child: int, ended: int, tasks: BufferedReader) -> tuple[bool, int, resource.struct_rusage]:
    """Waits for the process of a run, and kills it if there are no more tasks before it ends. Returns whether it ended
    by itself, its status as ``os.wait`` gives it, and what it used.
    """
    goes_on = False
    try:
        ready = select.select([tasks.fileno(), ended], [], [])[0]
        # The next task may come between the reply and the end of the process.
        goes_on = ended in ready or bool(tasks.peek(1))
    finally:
        if not goes_on:
            os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    return goes_on, status, used
