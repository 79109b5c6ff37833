"""Whether a file is a study, what studies share, or a scenario: known without the libraries that reading one takes."""

from __future__ import annotations

from ackclock import toml

ENDING = ".base.toml"
"""Of the name of a file that studies share."""


def looks_like_study(text: str) -> bool:
    """Whether ``text`` is a study file rather than a scenario file."""
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError:
        return False
    return "base" in document or isinstance(document.get("scenario"), dict) or "claims" in document
