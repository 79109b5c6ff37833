"""``ackclock study``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._files import is_there, replacing
from ackclock.cli.terminal import console
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.study.load import LoadedStudy

LEFT_OUT = ("base", "assume", "axes", "measure", "disciplines", "findings")
"""The keys that a copy omits. Most of them refer to other files or to grids. The findings are omitted because they
explain the results of the original study, and can be false for a changed copy.
"""


def copy(name: str, file: Path) -> None:
    """Writes a copy of the study called ``name`` into ``file``. InputError when the file exists already or its name
    does not end in .toml, and when ``name`` is not that of one study.
    """
    from ackclock.study.load import find_studies, load_study

    if file.suffix != ".toml":
        raise InputError(f"{file}: expected a name that ends in .toml for the copy of the study")
    if is_there(file, Path.exists):
        raise InputError(f"{file}: already exists, so nothing was written: choose another name")
    found = find_studies([name])
    if len(found) != 1:
        raise InputError(f'"{name}" names {len(found)} studies, expected one of them, such as {found[0]}')
    text = copied(load_study(found[0]))
    with replacing(file) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    console().print(f"wrote {file}")


def copied(study: LoadedStudy) -> str:
    """Returns the text of a study file that has the results of ``study`` and needs no other file: it contains the parts
    from the study's base and its expanded grids, without the findings. Claims that another study counts are judged in
    the copy.
    """
    import tomli_w

    document = study.study.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
    for key in LEFT_OUT:
        document.pop(key, None)
    # After a change, the copy's test is another one than that of the claim that counts the original's.
    for claim in document.get("claims", ()):
        claim.pop("same_as", None)
    head = (
        f"# An editable copy of {study.name}, without its findings. `ackclock check` checks it, `ackclock reproduce` "
        "runs it.\n"
    )
    return head + tomli_w.dumps(document, multiline_strings=True)
