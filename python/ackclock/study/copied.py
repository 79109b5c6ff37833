"""A study of the package as one file of one's own: what it takes from its base and from its grids is written out."""

from __future__ import annotations

import tomli_w

from ackclock.study.load import LoadedStudy

_WRITTEN_OUT = ("base", "assume", "axes", "measure", "disciplines")
"""What says where the rest comes from, which is there now."""


def copied(study: LoadedStudy) -> str:
    """The text of a study file that gives the same numbers and verdicts as ``study`` and needs no other file."""
    document = study.study.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
    for key in _WRITTEN_OUT:
        document.pop(key, None)
    text = tomli_w.dumps(document, multiline_strings=True)
    head = "# A copy of {} to change. `ackclock check` checks it, `ackclock reproduce` runs it.\n"
    return head.format(study.name) + text
