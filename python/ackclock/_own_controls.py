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


@contextmanager
def offered(controls: Controls) -> Iterator[None]:
    """Lets every study that is read in this context name these controls."""
    token = _OFFERED.set({**now_offered(), **controls})
    try:
        yield
    finally:
        _OFFERED.reset(token)


def now_offered() -> Controls:
    """Returns the controls that studies may name in this context."""
    return _OFFERED.get({})


def named_in(text: str) -> dict[str, type[Control]]:
    """Returns the offered controls whose names a text contains."""
    return {name: cls for name, cls in now_offered().items() if name in text}
