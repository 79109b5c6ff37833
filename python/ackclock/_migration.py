"""Rewrites files of users from earlier formats to the present one, and refuses an earlier file by name.

``CHANGES`` lists what changed; it is all that another change needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ackclock import _toml as toml
from ackclock.errors import InputError
from ackclock.study.kind import ENDING


@dataclass(frozen=True)
class Rename:
    """A key that has another name in the present format."""

    within: str
    """The dotted path of the tables that contain the key, such as ``characterisation.criteria``; empty for a top-level
    key. A path that leads through a list names every table of the list.
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

    def rewritten(self, text: str) -> str:
        """Returns the text of a file with the new name wherever the old one is a key."""

        def replaced(found: re.Match[str]) -> str:
            is_key = found[0] == self.old and _AFTER_KEY.match(text, found.end())
            return self.new if is_key else found[0]

        return _TOKEN.sub(replaced, text)

    def __str__(self) -> str:
        return f"`{self.old}` is now `{self.new}`"


class Verdicts:
    """The verdicts of findings have new names. Verdicts that no longer exist are removed, so that the finding applies
    to any verdict.
    """

    WORDS: ClassVar[Mapping[str, str]] = {
        "reproduced": "as printed",
        "direction only": "right order, other size",
        "not reproduced": "not as printed",
        "not discriminating": "cannot tell",
        "hangs on the reading": "",
        "set-up unknown": "",
    }

    def applies(self, document: Mapping[str, Any]) -> bool:
        """Returns whether a finding of ``document`` has an old word."""
        return any(one.get("verdict") in self.WORDS for one in document.get("findings", []))

    def applied(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Returns ``document`` with the new words."""
        findings = []
        for one in document["findings"]:
            word = self.WORDS.get(one.get("verdict"), one.get("verdict"))
            findings.append(
                {**{k: v for k, v in one.items() if k != "verdict"}, **({"verdict": word} if word else {})}
            )
        return {**document, "findings": findings}

    def rewritten(self, text: str) -> str:
        """Returns the text of a file with the new words."""
        for old, new in self.WORDS.items():
            if new:
                text = re.sub(rf'(\bverdict[ \t]*=[ \t]*)"{old}"', rf'\1"{new}"', text)
            else:
                text = re.sub(rf'(?m)^[ \t]*verdict[ \t]*=[ \t]*"{old}"[ \t]*(#.*)?\n', "", text)
        return text

    def __str__(self) -> str:
        return "the verdicts of findings have new names"


class MostSeeds:
    """The maximum number of seeds is now ``replications`` instead of ``replications_most``."""

    def applies(self, document: Mapping[str, Any]) -> bool:
        """Returns whether ``document`` has the old key."""
        return "replications_most" in document

    def applied(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Returns ``document`` with the new meaning."""
        kept = {key: value for key, value in document.items() if key != "replications_most"}
        return {**kept, "replications": document["replications_most"]}

    def rewritten(self, text: str) -> str:
        """Returns the text of a file with the new meaning."""
        head, bracket, rest = text.partition("\n[")
        if re.search(r"(?m)^[ \t]*replications[ \t]*=", head):
            head = re.sub(r"(?m)^[ \t]*replications[ \t]*=.*\n?", "", head)
        head = re.sub(r"(?m)^([ \t]*)replications_most\b", r"\1replications", head)
        return head + bracket + rest

    def __str__(self) -> str:
        return "`replications_most` is now `replications`, the maximum number of seeds"


Change = Rename | Verdicts | MostSeeds
_STUDY: Sequence[Change] = (
    Rename("assumptions", "alternatives", "interpretations"),
    Rename("characterisation.criteria", "caution_low", "info_low"),
    Rename("characterisation.criteria", "caution_high", "info_high"),
    Verdicts(),
    MostSeeds(),
)
CHANGES: Mapping[str, Sequence[Change]] = {
    "study": _STUDY,
    "base": (*_STUDY, Rename("", "arms", "disciplines")),
}
"""The changes of the format, by kind of file."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[A-Za-z0-9_-]+',
    re.DOTALL,
)
"""A string, a comment or a word of a TOML file: keys are words outside of strings and comments."""
_AFTER_KEY = re.compile(r"[ \t]*[=.\]]")


def kind_of(document: Mapping[str, Any], file: str) -> str | None:
    """Returns the kind of a TOML file of a user: a key of ``CHANGES``, or None for a file that is of none."""
    if file.endswith(ENDING):
        return "base"
    if "source" in document and ("scenario" in document or "base" in document):
        return "study"
    return None


def refuse_earlier(document: Mapping[str, Any], kind: str, file: str) -> None:
    """Raises InputError if the document of a file is in an earlier format; the message names the command that rewrites
    the file.
    """
    if found := [change for change in CHANGES[kind] if change.applies(document)]:
        raise InputError(
            f"{file}: is in an earlier format ({_told(found)}); `ackclock migrate {file}` rewrites it"
        )


def migrated(text: str, file: str) -> tuple[str, str]:
    """Returns the text of a file in the present format, and the changes in words; they are empty for a file that has
    the present format already: scenarios, lessons, evaluations and spaces of searches have had one format.

    Comments and layout stay. InputError for a file that cannot be carried over.
    """
    if file.endswith(".json"):
        return _recorded(text, file), ""
    try:
        before = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise InputError(f"{file}: not valid TOML: {error}") from None
    kind = kind_of(before, file)
    if kind is None:
        return text, ""
    expected, changes = before, [change for change in CHANGES[kind] if change.applies(before)]
    for change in changes:
        text, expected = change.rewritten(text), change.applied(expected)
    if toml.loads(text) != expected:
        raise InputError(
            f"{file}: cannot be rewritten automatically ({_told(changes)}): an old key is in quotes, or another "
            "key has the same name; make these changes by hand"
        )
    return text, _told(changes)


def _recorded(text: str, file: str) -> str:
    """Returns the text of the record of an evaluation, which has had one format. InputError for results of studies:
    the samples that their records have now are not in them.
    """
    from ackclock.evaluation.compare import as_record

    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    if isinstance(document, dict) and "studies" in document:
        raise InputError(
            f"{file}: results of studies cannot be migrated, because earlier formats lack the samples of the metrics; "
            "run `ackclock reproduce` again"
        )
    as_record(document, file)
    return text


def _told(changes: Sequence[Change]) -> str:
    return ", ".join(map(str, changes))
