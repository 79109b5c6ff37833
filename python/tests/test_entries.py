"""The functions with which Python does what the commands do: the examples of their docstrings run."""

from __future__ import annotations

import doctest

import pytest

import ackclock
from ackclock.errors import InputError


@pytest.mark.parametrize("name", ["reproduce", "evaluate", "search"])
def test_the_example_of_the_docstring_gives_what_it_shows(name: str) -> None:
    (example,) = doctest.DocTestFinder().find(getattr(ackclock, name), name, module=False)
    assert len(example.examples) == 3
    failed, _ = doctest.DocTestRunner().run(example)
    assert failed == 0


def test_mistakes_are_refused_before_anything_runs() -> None:
    with pytest.raises(InputError, match="there is no control"):
        ackclock.evaluate("cubik")
    with pytest.raises(InputError, match="there is no objective"):
        ackclock.search("cubic", "misery")
    with pytest.raises(InputError, match="runs: found 3, expected a whole number from 10"):
        ackclock.search("cubic", runs=3)
