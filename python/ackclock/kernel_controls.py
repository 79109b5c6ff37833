"""Congestion controls of this laboratory for the sockets of this machine (Linux).

The program ``ackclock-structops``, which ``make wire`` builds, talks to the kernel. This module starts it, and ends it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ackclock.errors import RunError

PROGRAM = "ackclock-structops"
"""The name of the program that offers controls to the kernel; the Rust crate ``ackclock-kernel`` uses it too."""


def where() -> Path:
    """Returns the path of the program next to the Python interpreter if it exists, otherwise its name, for the PATH."""
    beside = Path(sys.executable).parent / PROGRAM
    return beside if beside.exists() else Path(PROGRAM)


def program() -> Path:
    """Returns the path of the program, next to the Python interpreter or on the PATH. RunError when it is missing."""
    found = shutil.which(where())
    if found is None:
        raise RunError(
            f"the program {PROGRAM} is missing: `make wire` builds it (on Linux, with clang, libelf and zlib). Without "
            "the program, `ackclock run` can simulate every congestion control, with the transport profile `linux`"
        )
    return Path(found)


class Offered:
    """Controls that the kernel offers to every socket of the machine, within a ``with`` block.

    ``controls`` are names with parameters, such as ``cubic,beta=0.8``. ``record`` is the file to which the events of
    connections and the decisions about them are written. RunError when the program, a privilege or a feature of the
    kernel is missing.
    """

    def __init__(self, controls: Sequence[str], record: Path | None = None) -> None:
        command = [str(program()), *controls, *(["--record", str(record)] if record else [])]
        self._program = subprocess.Popen(  # noqa: S603  (the program above, and the controls that the user named)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._message = ""
        ready = self._read()
        self.names: list[str] = ready["names"]
        """The kernel's names of the controls, as values of the socket option ``TCP_CONGESTION``."""
        self.is_real_time: bool = ready["real_time"]
        """True if the program has real-time priority, without which many decisions are late on a busy machine."""
        self.reports: list[dict[str, Any]] = []
        """A report for each control, with the number and latencies of its decisions; empty until the program ends."""

    def __enter__(self) -> Offered:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.end()
        else:
            self._close()

    def wait(self) -> None:
        """Waits until the program ends, which it does at Ctrl-C. RunError when it fails."""
        self.reports = self._read()["controls"]
        self.end()

    def end(self) -> None:
        """Removes the controls from the kernel; sockets that use them continue with Reno. RunError when the program has
        failed, for example because the disk had no room for the recording.
        """
        message = self._close()
        if self._program.returncode:
            raise RunError(message)

    def _close(self) -> str:
        """Ends the program, and returns the error message for the case that it has failed."""
        if self._program.stdin and not self._program.stdin.closed:
            self._program.stdin.close()
        if self._program.stdout and not self._program.stdout.closed:
            for line in self._program.stdout:
                self.reports = json.loads(line)["controls"]
            self._program.stdout.close()
        if self._program.stderr and not self._program.stderr.closed:
            self._message = self._program.stderr.read().strip().removeprefix("error: ")
            self._program.stderr.close()
        code = self._program.wait()
        ended = f"was killed by signal {-code}" if code < 0 else f"exited with status {code}"
        return self._message or f"{PROGRAM} {ended}"

    def _read(self) -> dict[str, Any]:
        """Returns the next line of JSON from the program. RunError when the program has ended."""
        line = self._program.stdout.readline() if self._program.stdout else ""
        if line:
            return dict(json.loads(line))
        raise RunError(self._close())
