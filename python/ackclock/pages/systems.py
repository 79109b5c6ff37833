"""The sentence about each system that the theses propose, with numbers from records, and the claims that carry it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ackclock import _toml as toml
from ackclock.errors import InputError
from ackclock.pages import DOCS
from ackclock.pages.markdown import escaped, row
from ackclock.pages.numbers import written
from ackclock.pages.results import recorded
from ackclock.study.model import Verdict
from ackclock.study.result import ClaimResult

FILE = DOCS / "reproduction" / "systems.toml"
_NUMBER = re.compile(r"\{=([^{}]*)\}")
_CARRIED = re.compile(rf"(?P<study>\S+) (?P<claim>\S+) (?P<result>{'|'.join(get_args(Verdict))})")


@dataclass(frozen=True)
class System:
    """An entry of docs/reproduction/systems.toml, which says what its keys are."""

    name: str
    thesis: str
    idea: str
    sentence: str
    carried_by: Sequence[str]

    def claims(self) -> list[ClaimResult]:
        """Returns the claims that carry the sentence. InputError for one without a record or with another result."""
        return [self._claim(text) for text in self.carried_by]

    def _claim(self, text: str) -> ClaimResult:
        found = _CARRIED.fullmatch(text)
        if found is None:
            raise InputError(
                f'docs/reproduction/systems.toml: {self.name}: carried_by: found "{text}", expected STUDY CLAIM '
                'RESULT, such as "rbcc/table-4.1 1a as printed"'
            )
        one = recorded(found["study"])
        if one is None:
            raise InputError(f"{self.name}: the study {found['study']} has no up-to-date recorded result")
        claims = {claim.id: claim for claim in one.result.claims}
        if found["claim"] not in claims:
            raise InputError(
                f"{self.name}: {found['study']} has no claim {found['claim']}; it has {', '.join(claims)}"
            )
        claim = claims[found["claim"]]
        study, expected = found["study"], found["result"]
        if claim.verdict != expected:
            raise InputError(
                f'{self.name}: claim {claim.id} of {study} has the result "{claim.verdict}", '
                f'but carried_by expects "{expected}"'
            )
        return claim

    def _number(self, found: re.Match[str]) -> str:
        number = written(found[1])
        if not number:
            raise InputError(f"{self.name}: the record lacks the values that {found[0]} needs")
        return number

    def text(self) -> str:
        """Returns the sentence with its numbers, and whether it depends on a lost set-up or an interpretation."""
        claims = self.claims()
        text = _NUMBER.sub(self._number, self.sentence)
        if any(claim.reversed_by for claim in claims):
            text += "; another interpretation of the text reverses part of this result"
        if any(claim.setup for claim in claims):
            text += " (set-up partly unknown)"
        return text


def systems(path: Path = FILE) -> list[System]:
    """Returns the systems that the theses propose, in the order of the index."""
    return [System(**one) for one in toml.loads(path.read_text(encoding="utf-8"))["systems"]]


def table() -> str:
    """Returns the systems as a table, a line each. InputError if a record does not carry its sentence."""
    rows = [row("system", "idea", "what was found"), row("---", "---", "---")]
    for one in systems():
        link = f"[{escaped(one.name)}](reproduction/{one.thesis}.md)"
        rows.append(row(link, escaped(one.idea), escaped(one.text())))
    return "\n".join(rows)
