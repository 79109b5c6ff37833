"""The option ``--stack`` of commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ackclock._stacks import CPU_S
from ackclock.cli.terminal import note


@contextmanager
def offering(words: Sequence[str] | None, limit_s: float = CPU_S) -> Iterator[None]:
    """Lets the scenarios of a command name the stacks in these libraries, and says which they are. A run with them may
    take ``limit_s`` seconds of CPU time. InputError if one cannot be run.
    """
    if not words:
        yield
        return
    from ackclock._stacks import offered

    with offered(words, limit_s) as stacks:
        for stack in stacks:
            note(str(stack))
        yield
