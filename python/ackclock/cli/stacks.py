"""Loads the stacks that the option ``--stack`` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ackclock._stacks import CPU_S
from ackclock.cli.terminal import note


@contextmanager
def offering(words: Sequence[str] | None, limit_s: float = CPU_S) -> Iterator[None]:
    """Loads stacks from these libraries, so that scenarios can name them, and prints a note on each. A run with one of
    them has at most ``limit_s`` seconds of CPU time. InputError for a library that cannot be used.
    """
    if not words:
        yield
        return
    from ackclock._stacks import offered

    with offered(words, limit_s) as stacks:
        for stack in stacks:
            note(str(stack))
        yield
