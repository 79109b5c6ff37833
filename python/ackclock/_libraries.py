"""Libraries that a part of the package needs and that are not installed with it."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from ackclock.errors import InputError


def missing(what: str, library: str, package: str | None = None) -> InputError:
    """Returns the error that ``what`` needs a library, with the command that installs it for this interpreter.

    ``package`` is the library's name for pip, where that is another.
    """
    return InputError(
        f"{what} {library}, which is not installed: {_interpreter()} -m pip install {package or library}"
    )


def need_matplotlib() -> None:
    """Raises InputError if figures cannot be drawn as files, without the time that importing Matplotlib takes."""
    if find_spec("matplotlib") is None:
        raise missing("figure files need", "Matplotlib", "matplotlib")


def _interpreter() -> str:
    """Returns the interpreter as a user would call it: by the path from the working folder if it is below that."""
    path = Path(sys.executable)
    with suppress(OSError, ValueError):
        path = path.relative_to(Path.cwd())
    return shlex.quote(str(path)) if sys.executable else "python3"
