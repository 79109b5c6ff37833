"""Controls in Python that the studies read in a context may name, by the name that their files have in the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock.custom import Control

Controls = Mapping[str, "type[Control]"]
_OFFERED: ContextVar[Controls] = ContextVar("ackclock_own_controls")
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("ackclock_own_control_words")


@contextmanager
def offered(controls: Controls, words: tuple[str, ...] = ()) -> Iterator[None]:
    """Lets every study that is read in this context name these controls. ``words`` are the options of the command line
    that offer them.
    """
    tokens = _OFFERED.set({**now_offered(), **controls}), _WORDS.set((*option_words(), *words))
    try:
        yield
    finally:
        _OFFERED.reset(tokens[0])
        _WORDS.reset(tokens[1])


def option_words() -> tuple[str, ...]:
    """Returns the options of a command line that offers the same controls."""
    return _WORDS.get(())


def now_offered() -> Controls:
    """Returns the controls that studies may name in this context."""
    return _OFFERED.get({})


def named_in(text: str) -> dict[str, type[Control]]:
    """Returns the offered controls whose names a text contains."""
    return {name: cls for name, cls in now_offered().items() if name in text}
