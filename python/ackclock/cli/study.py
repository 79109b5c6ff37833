"""``ackclock study``."""

from __future__ import annotations

from pathlib import Path

from ackclock._files import is_there, replacing
from ackclock.cli.terminal import console
from ackclock.errors import InputError


def copy(name: str, file: Path) -> None:
    """Writes the study called ``name`` into ``file``. InputError when the file exists already or cannot be a study
    file.
    """
    from ackclock.study.copied import copied
    from ackclock.study.load import find_studies, load_study

    if file.suffix != ".toml":
        raise InputError(f"{file}: a study file ends in .toml")
    if is_there(file, Path.exists):
        raise InputError(f"{file}: exists already; nothing was written")
    found = find_studies([name])
    if len(found) != 1:
        raise InputError(f'"{name}" are {len(found)} studies; name one of them, such as {found[0]}')
    text = copied(load_study(found[0]))
    with replacing(file) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    console().print(f"wrote {file}")
