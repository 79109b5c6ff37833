"""Reading the user's files, and writing results."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ackclock._names import alike
from ackclock.errors import InputError, RunError

STANDARD_INPUT = Path("-")
MAX_BYTES = 10_000_000
"""The largest size of a scenario or study in bytes; a larger file is assumed to be a mistake."""


def read_text(path: Path, expected: str = "a TOML file", pattern: str = "*.toml") -> str:
    """Returns the text of a file, or of standard input for ``-``. InputError when it is missing, unreadable, too
    large, or not UTF-8; it says what kind of file is expected, and names one beside it that matches ``pattern``.
    """
    try:
        if path == STANDARD_INPUT:
            return _text(sys.stdin.buffer.read(MAX_BYTES + 1), path)
        mode = _mode(path, pattern)
        if stat.S_ISDIR(mode):
            raise InputError(f"{path}: is a folder, expected {expected}{_in(path, pattern)}")
        if stat.S_ISFIFO(mode):
            return _text(_piped(path, expected), path)
        with path.open("rb") as file:
            return _text(file.read(MAX_BYTES + 1), path)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _mode(path: Path, pattern: str) -> int:
    """Returns the kind of a file. InputError when there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise InputError(
                f"{path}: is a symbolic link to {path.readlink()}, which does not exist"
            ) from None
        raise InputError(f"{path}: No such file{_near(path, pattern)}") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{path}: is a symbolic link that leads back to itself") from None
        raise


def _piped(path: Path, expected: str) -> bytes:
    """Returns what the writers of a pipe send, such as the command in ``<(command)``.

    InputError when no program has the pipe open for writing: reading would wait for one.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        try:
            first = os.read(file.fileno(), 1)
        except BlockingIOError:
            first = None  # a writer has the pipe open, and has not written yet
        if first == b"":
            raise InputError(f"{path}: is a pipe that no program is writing to, expected {expected}")
        os.set_blocking(file.fileno(), True)
        return (first or b"") + file.read(MAX_BYTES + 1)


def is_there(path: Path, kind: Callable[[Path], bool] = Path.is_file) -> bool:
    """Returns whether there is a file of that name, or another object of the given ``kind``.

    InputError when no file can have the name.
    """
    try:
        return kind(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def writable(folder: Path, option: str = "--out") -> None:
    """Makes the folder for results, which ``option`` named. InputError, before anything is simulated, when it cannot be
    written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(0, "Permission denied")
    except OSError as error:
        raise InputError(f"{option}: {folder}: {error.strerror}, expected a folder to write to") from None


def unfinished_name(path: Path) -> Path:
    """Returns the name under which to write a file before it is renamed to ``path``, another one at each call.

    A process number would not do: threads share it, and so do processes in containers that share a folder.
    """
    return path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields another name to write the file under, which is renamed to ``path`` when complete. InputError if ``path``
    cannot be a file, RunError when the disk is full.
    """
    if is_there(path, Path.is_dir):
        raise InputError(f"{path}: is a folder, expected a file to write")
    if not is_there(path.parent, Path.is_dir):
        raise InputError(f"{path}: there is no folder {path.parent}")
    unfinished = unfinished_name(path)
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise RunError(f"{path}: {error.strerror or error}") from None
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _text(data: bytes, path: Path) -> str:
    """Returns the text of the bytes. InputError if there are too many, as from a device without an end."""
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: has more than {MAX_BYTES} bytes, the limit for an input file")
    try:
        # Converts line ends as Python's text files do.
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
        kind = "; is it UTF-16?" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise InputError(
            f"{path}:{line}:{column}: byte 0x{data[error.start]:02x} is not UTF-8 text{kind}"
        ) from None


def _near(path: Path, pattern: str) -> str:
    """Returns a hint at the file beside ``path`` with a similar name."""
    files = {other.stem: other for other in sorted(path.parent.glob(pattern)) if other != path}
    close = alike(path.stem, files)
    return "" if close is None else f'; did you mean "{files[close]}"?'


def _in(folder: Path, pattern: str) -> str:
    """Returns a hint at the first files in ``folder`` that match ``pattern``."""
    names = sorted(str(path) for path in folder.glob(pattern))[:3]
    return f" such as {', '.join(names)}" if names else ""
