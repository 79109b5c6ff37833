"""Stacks in shared libraries: what a user names, what a library says it is, and the scenarios that may name its stack.

A library is loaded in processes that it may end: for a moment, to ask what it is, and for each run. This process only
describes it. See ``docs/any-stack.md``.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from ackclock import _core
from ackclock.errors import InputError

CPU_S = 300.0
"""The default limit on the CPU time of a run, in seconds."""
INSPECTION_S = 5.0
"""The limit on the CPU time, in seconds, in which a library has to describe itself."""
WAITS = 10
"""The limit on the wall-clock time of a run, as a multiple of its limit on CPU time. It is larger because other
processes can occupy the cores.
"""

T = TypeVar("T")

Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Stack:
    """A stack in a shared library, with its options."""

    path: str
    """The absolute path of the file."""
    options: Options
    sha256: str
    """The hash of the file when it was inspected."""
    changed_ns: int
    """The modification time of the file when it was inspected, in nanoseconds since the epoch."""
    told: tuple[str, str, list[str], str, str] = field(hash=False)
    """What the library reports: its name, version, controls, what differs in runs with equal seeds, and licence."""
    library: Any = field(repr=False, compare=False)
    """The library as an object of the core, ``_core.StackLibrary``."""
    cpu_s: float = field(default=CPU_S, compare=False)
    """The limit on the CPU time of a run, in seconds. Results of runs within the limit do not depend on it."""

    @property
    def name(self) -> str:
        """The name of the stack, which scenarios give as the transport."""
        return self.told[0]

    @property
    def controls(self) -> list[str]:
        """The names of its controls in scenarios, such as ``quiche:cubic``."""
        return [f"{self.name}:{control}" for control in self.told[2]]

    @property
    def key(self) -> str:
        """Returns what determines its results besides the scenario: the library and its options."""
        return repr((self.name, self.sha256, self.options))

    @property
    def word(self) -> str:
        """Returns what names it on the command line."""
        return ",".join([self.path, *(f"{key}={value}" for key, value in self.options)])

    def __str__(self) -> str:
        name, version, *_ = self.told
        return f"stack {name} {version}: {self.word}, sha256 {self.sha256[:16]}"

    def is_named(self, text: str) -> bool:
        """Returns whether a text in JSON has the name of its transport, or of one of its controls, as a string."""
        return any(f'"{name}"' in text for name in (self.name, *self.controls))

    def for_worker(self) -> list[Any]:
        """Returns it in JSON, for a process that runs it."""
        return [self.path, list(self.options), list(self.told), self.changed_ns]


def stacks(given: Sequence[str | Path | Stack]) -> tuple[Stack, ...]:
    """Returns the stacks that these name, each ``PATH`` or ``PATH,key=value,...``. InputError for a file that is no
    such library, for options that it refuses, and for two stacks of one name.
    """
    if isinstance(given, str | Path | Stack):
        raise InputError(f"stacks: found {given!r}, expected a list of paths")
    found = tuple(dict.fromkeys(one if isinstance(one, Stack) else _stack(str(one)) for one in given))
    for place, stack in enumerate(found):
        for other in found[:place]:
            if other.name == stack.name:
                raise InputError(
                    f"{stack.path}: found a stack called {stack.name!r}, and another with this name in {other.path}; "
                    "expected a different name for each stack: leave one of these files out"
                )
    return found


def _stack(word: str) -> Stack:
    path, *rest = word.split(",")
    options: list[tuple[str, str]] = []
    for part in rest:
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise InputError(f"stack {word}: found {part!r}, expected key=value after the path")
        if key in dict(options):
            raise InputError(f"stack {word}: found the option {key} twice, expected each option once")
        options.append((key, value))
    file = Path(path).absolute()
    try:
        about = file.stat()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    return _inspected(file, path, tuple(options), about.st_mtime_ns)


@lru_cache(maxsize=64)
def _inspected(file: Path, path: str, options: Options, changed_ns: int) -> Stack:
    """Returns the stack in a file as it was at a time."""
    if not hasattr(_core, "inspect_library") or not sys.platform.startswith("linux"):
        raise InputError(f"{path}: a stack in a shared library runs only on Linux")
    try:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    told = _told(file, path, list(options))
    try:
        library = _core.StackLibrary(str(file), list(options), told)
    except ValueError as error:
        raise InputError(str(error)) from None
    return Stack(str(file), options, digest, changed_ns, told, library)


def _told(file: Path, path: str, options: list[tuple[str, str]]) -> Any:
    """Returns what a library says of itself, in a process of its own. InputError if it cannot be asked."""
    try:
        return apart(lambda: _core.inspect_library(str(file), options), INSPECTION_S)
    except Ended as ended:
        raise InputError(f"{path}: the library {ended}") from None
    except (ValueError, TypeError) as error:
        raise InputError(str(error)) from None


class Ended(Exception):  # noqa: N818  (the end of a process)
    """How a process has ended in a library, as a clause about the library."""


def apart(work: Callable[[], T], cpu_s: float) -> T:
    """Returns what ``work``, which may call libraries, returns in a fork of this process with their limits. Raises what
    it raises, and ``Ended`` if a library ends the process.
    """
    from multiprocessing import Pipe

    from ackclock._stack_worker import PAGE_BYTES, confine, how, page

    here, there = Pipe(duplex=False)
    noted = page()
    child = os.fork()
    if child == 0:
        try:
            # What a library prints does not get among the results of the command.
            os.dup2(2, 1)
            confine(noted, cpu_s)
            try:
                made: tuple[T | None, Exception | None] = work(), None
            except Exception as error:
                made = None, error
            there.send(made)
        finally:
            os._exit(0)
    there.close()
    answer: tuple[T, Exception | None] | None = None
    try:
        late = not here.poll(WAITS * cpu_s)
        if late:
            os.kill(child, signal.SIGKILL)
        with suppress(EOFError, OSError):  # the process has ended before it answered
            answer = here.recv()
        _, status, used = os.wait4(child, 0)
        if answer is None:
            call, _, _ = _core.last_library_call(os.pread(noted, PAGE_BYTES, 0))
            said = f"did not return within {WAITS * cpu_s:g} s" if late else how(status, used, cpu_s)
            raise Ended(f"{said} in {call}" if call else said)
    finally:
        here.close()
        os.close(noted)
    value, failure = answer
    if failure is not None:
        raise failure
    return value


_OFFERED: ContextVar[tuple[Stack, ...]] = ContextVar("stacks", default=())


@contextmanager
def offered(given: Sequence[str | Path | Stack], cpu_s: float = CPU_S) -> Iterator[tuple[Stack, ...]]:
    """Lets every scenario that is read in this context name these stacks, with which a run may take ``cpu_s`` seconds.
    InputError as that of ``stacks``.
    """
    found = tuple(replace(stack, cpu_s=cpu_s) for stack in stacks([*_OFFERED.get(), *given]))
    token = _OFFERED.set(found)
    try:
        yield found
    finally:
        _OFFERED.reset(token)


def option_words() -> list[str]:
    """Returns the options of a command line that offers the same stacks."""
    return [word for stack in _OFFERED.get() for word in ("--stack", stack.word)]


def now_offered() -> tuple[Stack, ...]:
    """Returns the stacks that scenarios may name in this context."""
    return _OFFERED.get()


def is_of_stack(flow: Mapping[str, Any]) -> bool:
    """Returns whether the record of a flow in results is that of a real QUIC stack."""
    return "stack_lost_packets" in flow
