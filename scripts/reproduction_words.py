"""The words that the pages of the reproduction share: cells of tables, verdicts, and which readings change them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from reproduction_records import Claim, Record

from ackclock.numbers import mean_and_spread, plain
from ackclock.study.load import LoadedStudy
from ackclock.study.tally import Kind

GOOD = ("reproduced", "yes")
LONGEST = 110
"""Characters of a claim's text in a table of one line each."""


def row(*cells: str | int) -> str:
    """A row of a Markdown table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def escaped(text: str) -> str:
    """``text`` in one line, without anything that Markdown would take for its own."""
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", " ".join(text.split()))


def short(text: str) -> str:
    """``text`` in one short line: long texts lose what is in brackets, and then their end."""
    text = " ".join(text.split())
    if len(text) > LONGEST:
        text = re.sub(r" \([^()]*\)", "", text)
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + " …"
    return text


def number_of(count: int, thing: str) -> str:
    """A count with its noun."""
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing[:-1]}ies" if thing.endswith("y") else f"{count} {thing}s"


def published(claim: Claim) -> str:
    """The published value with its unit; empty where the claim has none."""
    return "" if claim.published is None else f"{plain(claim.published)}{unit(claim)}"


def measured(claim: Claim) -> str:
    """The measured mean with half its interval and its unit."""
    text = mean_and_spread(claim.measured, claim.interval)
    return text if claim.measured is None else text + unit(claim)


def unit(claim: Claim) -> str:
    """The unit as it follows a number."""
    return f" {claim.unit}" if claim.unit else ""


def verdict(claim: Claim) -> str:
    """The verdict, and how many replications an undecided one would take."""
    needed = claim.replications_needed
    return claim.verdict + (f" (about {needed} replications would tell)" if needed is not None else "")


def emphasised(claim: Claim, words: str) -> str:
    """``words`` in bold for a claim that did not come out."""
    return words if claim.verdict in GOOD else f"**{words}**"


def changing(claim: Claim) -> list[str]:
    """The readings under which the test comes out otherwise, by name; empty where the record has only their number."""
    kept = _readings(claim)
    return [] if isinstance(kept, int) else [_reading(one) for one in kept]


def changed_by(claim: Claim) -> int:
    """How many readings change the verdict."""
    kept = _readings(claim)
    return kept if isinstance(kept, int) else len(kept)


def _readings(claim: Claim) -> int | Sequence[Any]:
    """A list in records that name the readings, their number in older ones."""
    kept: Any = getattr(claim, "readings", None)
    return claim.other_verdict if kept is None else kept


def _reading(one: Any) -> str:
    """A reading's name, with how the test comes out under it, and what speaks against it."""
    if isinstance(one, str):
        return one
    known = one if isinstance(one, Mapping) else asdict(one)
    name = ": ".join(known[key] for key in ("assumption", "alternative") if known.get(key))
    against = f"; against it: {known['against']}" if known.get("against") else ""
    return f"{name} ({known['verdict']}{against})"


def findings(claim: Claim, study: LoadedStudy) -> list[str]:
    """What was found about the claim, where it explains this verdict or this outcome of the test."""
    came_out: list[Any] = [claim.verdict, *filter(None, [getattr(claim, "outcome", None)])]
    return [
        finding.text
        for finding in study.study.findings
        if finding.claim == claim.id and finding.explains(*came_out)
    ]


def others(one: Record, claim: Claim, thing: str = "reading") -> str:
    """In how many other readings the verdict is another; empty where in none."""
    count = changed_by(claim)
    return f"another in {count} of {number_of(one.readings, thing)}" if count else ""


def where(study: LoadedStudy) -> str:
    """The item of the thesis, and the section that discusses it."""
    source = study.study.source
    if not source.section:
        return escaped(source.item)
    named = source.section.startswith(("Chapter", "appendix"))
    return escaped(f"{source.item}, {'' if named else 'section '}{source.section}")


def kind_of(claim: Claim, study: LoadedStudy) -> Kind:
    """Whose sentence the claim is, and whether a system of the thesis is in it."""
    if study.study.source.asked_by == "us":
        return "ours"
    return "baselines" if claim.baselines else "systems"


def by_thesis(studies: Sequence[LoadedStudy]) -> dict[str, list[LoadedStudy]]:
    """The studies of each thesis, by its key."""
    found: dict[str, list[LoadedStudy]] = {}
    for study in studies:
        found.setdefault(study.thesis.key, []).append(study)
    return found
