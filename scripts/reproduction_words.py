"""The words that the pages of the reproduction share: cells of tables, numbers, verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recorded_claims import other_readings
from reproduction_records import Claim, Record

from ackclock._numbers import mean_and_spread, plain
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


def others(one: Record, claim: Claim, thing: str = "reading") -> str:
    """In how many other readings the verdict is another; empty where in none."""
    count = other_readings(claim)
    return f"another in {count} of {number_of(one.readings, thing)}" if count else ""


def where(study: LoadedStudy) -> str:
    """The item of the thesis, and the section that discusses it, unless the item is a section itself."""
    source = study.study.source
    if not source.section or source.item.startswith("Section"):
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
