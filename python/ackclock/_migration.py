"""Rewrites files of users from earlier formats to the present one, and refuses an earlier file by name.

A format changes by keys that have another name. ``RENAMES`` lists them; it is all that a new rename needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ackclock import _toml as toml
from ackclock.errors import InputError
from ackclock.study.kind import ENDING


@dataclass(frozen=True)
class Rename:
    """A key that has another name in the present format."""

    within: str
    """The path of the tables that have the key, such as ``characterisation.criteria``; empty for a key of the file
    itself. A list on the path stands for each of its tables.
    """
    old: str
    new: str

    def applies(self, document: Mapping[str, Any]) -> bool:
        """Returns whether ``document`` has the old key."""
        return self.applied(document) != document

    def applied(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Returns ``document`` with the new key in place of the old one."""
        return dict(self._renamed(document, self.within.split(".") if self.within else []))

    def _renamed(self, value: Any, path: Sequence[str]) -> Any:
        if isinstance(value, list):
            return [self._renamed(item, path) for item in value]
        if not isinstance(value, Mapping):
            return value
        if not path:
            return {self.new if key == self.old else key: item for key, item in value.items()}
        return {key: self._renamed(item, path[1:]) if key == path[0] else item for key, item in value.items()}


_STUDY = (
    Rename("assumptions", "alternatives", "interpretations"),
    Rename("characterisation.criteria", "caution_low", "info_low"),
    Rename("characterisation.criteria", "caution_high", "info_high"),
)
RENAMES: Mapping[str, Sequence[Rename]] = {
    "study": _STUDY,
    "base": (*_STUDY, Rename("", "arms", "disciplines")),
}
"""The renamed keys by kind of file."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[A-Za-z0-9_-]+',
    re.DOTALL,
)
"""A string, a comment or a word of a TOML file: keys are words outside of strings and comments."""
_AFTER_KEY = re.compile(r"[ \t]*[=.\]]")


def kind_of(document: Mapping[str, Any], file: str) -> str | None:
    """Returns the kind of a TOML file of a user: a key of ``RENAMES``, or None for a file that is of none."""
    if file.endswith(ENDING):
        return "base"
    if "source" in document and ("scenario" in document or "base" in document):
        return "study"
    return None


def refuse_earlier(document: Mapping[str, Any], kind: str, file: str) -> None:
    """Raises InputError if the document of a file is in an earlier format; the message names the command that rewrites
    the file.
    """
    if found := [rename for rename in RENAMES[kind] if rename.applies(document)]:
        raise InputError(
            f"{file}: is in an earlier format ({_told(found)}); `ackclock migrate {file}` rewrites it"
        )


def migrated(text: str, file: str) -> tuple[str, str]:
    """Returns the text of a TOML file in the present format, and the changes in words; they are empty for a file that
    has the present format already.

    Comments and layout stay. InputError for a file that cannot be carried over.
    """
    try:
        before = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise InputError(f"{file}: not valid TOML: {error}") from None
    kind = kind_of(before, file)
    if kind is None:
        raise InputError(f"{file}: is neither a study nor a base of studies; other files have had one format")
    expected, renames = before, [rename for rename in RENAMES[kind] if rename.applies(before)]
    for rename in renames:
        text, expected = _with_key(text, rename), rename.applied(expected)
    if toml.loads(text) != expected:
        raise InputError(
            f"{file}: a key that has another name now ({_told(renames)}) is quoted here, or another key has its "
            "name; rename it by hand"
        )
    return text, _told(renames)


def _with_key(text: str, rename: Rename) -> str:
    """Returns ``text`` with the new name wherever the old one stands as a key."""

    def replaced(found: re.Match[str]) -> str:
        is_key = found[0] == rename.old and _AFTER_KEY.match(text, found.end())
        return rename.new if is_key else found[0]

    return _TOKEN.sub(replaced, text)


def _told(renames: Sequence[Rename]) -> str:
    return ", ".join(f"`{rename.old}` is `{rename.new}` now" for rename in renames)
