"""Tells studies, bases, lessons, evaluations and scenarios apart without the libraries that reading them requires."""

from __future__ import annotations

from ackclock import _toml as toml

ENDING = ".base.toml"
"""The file name ending of a base, which several studies share."""
LESSON = ".lesson.toml"
"""The file name ending of a lesson's declaration."""


def looks_like_evaluation(text: str) -> bool:
    """Returns whether ``text`` is a scenario of an evaluation: it names the criterion to which it belongs."""
    try:
        return "family" in toml.loads(text)
    except toml.TOMLDecodeError:
        return False


def looks_like_study(text: str) -> bool:
    """Returns whether ``text`` is a study file rather than a scenario file."""
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError:
        return False
    return "base" in document or isinstance(document.get("scenario"), dict) or "claims" in document
