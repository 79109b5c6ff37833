"""The errors that a user sees. Each can be printed as it is and understood without a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class AckclockError(Exception):
    """The base of all errors that the package raises on purpose."""


class InputError(AckclockError, ValueError):
    """The input was wrong: a scenario, a study file, an expression or a name. The command line exits with 2."""


class ScenarioError(InputError):
    """A scenario that is wrong. The message shows every problem with file, line and column."""

    def __init__(self, message: str, diagnostics: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        """One dictionary per problem: file, line, column, end, path, found, expected, hint, message."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors are sent back from the workers of a cluster.
        return ScenarioError, (str(self), self.diagnostics)


class RunError(AckclockError, RuntimeError):
    """A run could not be done although its input was right. The command line exits with 1."""


class Interrupted(AckclockError):  # noqa: N818  (an interruption is no error)
    """Ctrl-C during many runs. Those that had finished are stored."""

    def __init__(self, done: int, total: int, runs_dir: Path | None) -> None:
        self.done, self.total, self.runs_dir = done, total, runs_dir
        if done == 0:
            kept = "none had finished"
        elif runs_dir is None:
            kept = "nothing was stored"
        else:
            kept = f"finished runs are stored in {runs_dir}; run the same command again to continue"
        super().__init__(f"interrupted after {done} of {total} runs; {kept}")
