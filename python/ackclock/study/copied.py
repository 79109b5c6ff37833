"""Copies a study of the package into a single file, with the parts from its base and grids written out."""

from __future__ import annotations

import tomli_w

from ackclock.study.load import LoadedStudy

_WRITTEN_OUT = ("base", "assume", "axes", "measure", "disciplines")
"""The keys that refer to other files or grids, which a copy no longer needs."""


def copied(study: LoadedStudy) -> str:
    """Returns the text of a study file that gives the same numbers and verdicts as ``study`` and
    needs no other file.
    """
    document = study.study.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
    for key in _WRITTEN_OUT:
        document.pop(key, None)
    text = tomli_w.dumps(document, multiline_strings=True)
    head = "# A copy of {} to change. `ackclock check` checks it, `ackclock reproduce` runs it.\n"
    return head.format(study.name) + text
