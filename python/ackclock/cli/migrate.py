"""``ackclock migrate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ackclock._files import STANDARD_INPUT, read_text, replacing
from ackclock._migration import migrated
from ackclock.cli.terminal import console
from ackclock.errors import InputError


def main(files: Sequence[Path]) -> None:
    """Rewrites the files in the current format. InputError, with a line for each file that cannot be rewritten, before
    any file is written.
    """
    changes, problems = list[tuple[Path, str, str]](), list[str]()
    for file in files:
        try:
            if file == STANDARD_INPUT:
                raise InputError('found "-" (standard input), expected the path of a file to rewrite')
            changes.append((file, *migrated(read_text(file), str(file))))
        except InputError as error:
            problems.append(str(error))
    if problems:
        raise InputError("\n".join(problems))
    for file, text, told in changes:
        if told:
            with replacing(file) as unfinished:
                unfinished.write_text(text, encoding="utf-8")
        console().print(f"{file}: {told or 'is already in the current format'}")
