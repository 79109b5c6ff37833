"""Rules for findings: numbers that were measured are computed, the verdict that one names is the recorded one, and
every claim that failed has one.

Findings that do not keep to it yet are listed in ``python/tests/findings_to_mend.toml``, which may only get shorter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock.pages import ROOT
from ackclock.pages.results import Recorded
from ackclock.study.computed import typed
from ackclock.study.load import LoadedStudy
from ackclock.study.model import Finding

LISTED = ROOT / "python" / "tests" / "findings_to_mend.toml"
RULES = ("typed", "contradicted", "missing")
"""Those with numbers typed by hand, those that explain another verdict than the recorded one, and failed claims without
one.
"""

Listed = Mapping[str, Mapping[str, Sequence[str]]]
"""The claims of each study, by rule."""

_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_MEASURED = re.compile(r"(?<![\w.])(?:\d+(?:,\d{3})*\.\d+|\d{1,3}(?:,\d{3})+|\d+(?=\s%))")
"""Decimals, thousands and percentages."""
_CITED = re.compile(
    r"\b(?:[Ff]igures?|[Tt]ables?|[Ss]ections?|[Cc]hapters?|[Ee]quations?|[Cc]laims?|[Ll]istings?|[Aa]lgorithms?"
    r"|[Aa]ppendix|[Pp]ages?|RFC|Linux|version|NS|ns-?[23]?)[\s-]+[A-Z]?[\d.]*\d[a-z]?"
    r"(?:(?:,| and| to| or)\s+[A-Z]?\d[\d.]*\b(?!\s?%))*"
)


def listed(path: Path = LISTED) -> Listed:
    """The findings that need not keep to the rules yet."""
    document = toml.loads(path.read_text(encoding="utf-8"))
    return {rule: document.get(rule, {}) for rule in RULES}


def found(studies: Sequence[LoadedStudy], recorded: Callable[[str], Recorded | None]) -> Listed:
    """The claims with findings that do not keep to the rules."""
    return {
        "typed": _by_study(studies, lambda study, finding: bool(typed_numbers(finding, study))),
        "contradicted": _by_study(
            studies,
            lambda study, finding: (one := recorded(study.name)) is not None and contradicts(finding, one),
        ),
        "missing": {
            study.name: failed
            for study in studies
            if (one := recorded(study.name)) is not None and (failed := unexplained(study, one))
        },
    }


def beyond(these: Listed, those: Listed) -> list[str]:
    """What ``these`` list and ``those`` do not, as ``RULE: STUDY CLAIM``."""
    return [
        f"{rule}: {study} {claim}"
        for rule in RULES
        for study, claims in these[rule].items()
        for claim in claims
        if claim not in those[rule].get(study, [])
    ]


def written(these: Listed) -> str:
    """The text of the file."""
    lines = [
        "# Findings with numbers typed by hand, findings that explain another verdict than the recorded one, and",
        "# failed claims without a finding. The list may only get shorter: a test names what keeps to the rules.",
    ]
    for rule in RULES:
        lines += ["", f"[{rule}]"]
        lines += [f"{json.dumps(study)} = {json.dumps(claims)}" for study, claims in these[rule].items()]
    return "\n".join(lines) + "\n"


def typed_numbers(finding: Finding, study: LoadedStudy) -> list[str]:
    """The decimals, thousands and percentages that are not computed, cited, published, or part of the set-up."""
    known = {_value(number) for number in _NUMBER.findall(_set_up(study, finding.claim))}
    text = _CITED.sub(" ", typed(finding.text))
    return [number for number in _MEASURED.findall(text) if _value(number) not in known]


def contradicts(finding: Finding, one: Recorded) -> bool:
    """Whether it explains neither the recorded verdict nor that under an interpretation that the record has."""
    claim = next((claim for claim in one.result.claims if claim.id == finding.claim), None)
    if claim is None:
        return False
    others = [other.verdict for other in claim.interpretations]
    return finding.verdict not in others and not finding.explains(claim.verdict)


def unexplained(study: LoadedStudy, one: Recorded) -> list[str]:
    """The claims of the publication that failed, and of which no finding says why."""
    return [
        claim.id
        for claim in one.result.claims
        if claim.verdict in ("not as printed", "right order, other size")
        and not any(
            finding.claim == claim.id and finding.explains(claim.verdict) for finding in study.study.findings
        )
    ]


def _by_study(
    studies: Sequence[LoadedStudy], breaks: Callable[[LoadedStudy, Finding], bool]
) -> dict[str, list[str]]:
    claims = {
        study.name: list(
            dict.fromkeys(finding.claim for finding in study.study.findings if breaks(study, finding))
        )
        for study in studies
    }
    return {name: found for name, found in sorted(claims.items()) if found}


def _set_up(study: LoadedStudy, claim: str) -> str:
    """What a finding on ``claim`` may name numbers of: the sentence and its test, the scenario, what was published."""
    return " ".join(_texts(_parts(study, claim)))


def _parts(study: LoadedStudy, claim: str) -> Iterator[Any]:
    model = study.study
    yield next(one for one in model.claims if one.id == claim).model_dump(exclude={"written", "not_a_test"})
    yield model.scenario
    for case in model.cases:
        yield case.model_dump()
    yield model.sweep.model_dump() if model.sweep is not None else {}
    for metric in model.metrics:
        yield metric.paper
    for assumption in model.assumptions:
        yield assumption.taken
        yield [
            one.model_dump(include={"label", "overrides", "changes"}) for one in assumption.interpretations
        ]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield str(key)
            yield from _texts(inside)
    elif isinstance(value, list | tuple) or hasattr(value, "__next__"):
        for inside in value:
            yield from _texts(inside)
    else:
        yield str(value)


def _value(number: str) -> float:
    return float(number.replace(",", ""))
