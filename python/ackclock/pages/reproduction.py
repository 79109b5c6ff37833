"""The generated parts of docs/reproduction.md: the verdicts counted, and the systems that the theses propose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock.pages import DOCS
from ackclock.pages.claims import by_thesis, kind_of, tested
from ackclock.pages.markdown import escaped, number_of, row
from ackclock.pages.records import Claim, Record, all_records, is_stale
from ackclock.study.load import LoadedStudy, load_study, study_names, theses
from ackclock.study.plan import Plan
from ackclock.study.result import ORDER
from ackclock.study.tally import KINDS, Kind

SYSTEMS = DOCS / "reproduction" / "systems.toml"


@dataclass(frozen=True)
class Recorded:
    """A study with the record of its last full run."""

    study: LoadedStudy
    record: Record
    stale: bool


def of_theses() -> list[LoadedStudy]:
    """Every study of a thesis."""
    return [study for study in map(load_study, study_names()) if study.thesis.key in theses()]


def recorded(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> list[Recorded]:
    """The studies that have a record, with it."""
    return [
        Recorded(study, records[study.name], is_stale(records[study.name], study))
        for study in studies
        if study.name in records
    ]


def counts(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> str:
    """What the theses claim, then our own questions, each with a row for each thesis; and what is not in the counts."""
    both = recorded(records, studies)
    fresh = [one for one in both if not one.stale]
    tables = [_count_table(fresh, ("systems", "baselines")), _count_table(fresh, ("ours",))]
    parts = [
        '<div class="counts" markdown="1">',
        "\n\n".join(filter(None, tables)),
        "</div>",
        *_notes(both, len(studies)),
    ]
    return "\n\n".join(parts)


def generated_counts() -> str:
    """The counts of all theses, from the records of the package."""
    return counts(all_records(), of_theses())


def tally(fresh: Sequence[Recorded], kind: Kind) -> tuple[int, Counter[str]]:
    """How many studies have claims of this kind, and how many of these claims have each verdict."""
    found = [
        (one.study.name, claim.verdict)
        for one in fresh
        for claim in one.record.claims
        if kind_of(claim, one.study) == kind
    ]
    return len(dict(found)), Counter(verdict for _, verdict in found)


def _count_table(fresh: Sequence[Recorded], kinds: Sequence[Kind]) -> str:
    """The verdicts on these kinds of claim, a row for each thesis and kind."""
    lines: list[tuple[str, int, Counter[str]]] = []
    for members in by_thesis([one.study for one in fresh]).values():
        names = {study.name for study in members}
        for kind in kinds:
            studies, found = tally([one for one in fresh if one.study.name in names], kind)
            if studies:
                lines.append(
                    (f"{_author(members[0])}{', ' + KINDS[kind] if KINDS[kind] else ''}", studies, found)
                )
    if not lines:
        return ""
    total = sum((found for _, _, found in lines), Counter[str]())
    verdicts = [name for name in ORDER if total[name]]
    rows = [row("", "studies", "claims", *verdicts), row(*["---"] + ["---:"] * (2 + len(verdicts)))]
    rows += [
        row(name, studies, tested(found), *(found[one] for one in verdicts)) for name, studies, found in lines
    ]
    rows.append(row("all", "", tested(total), *(total[one] for one in verdicts)))
    return "\n".join(rows)


def _author(study: LoadedStudy) -> str:
    thesis = study.thesis
    return f"[{thesis.author} ({thesis.year})](reproduction/{thesis.key}.md)"


def _notes(both: Sequence[Recorded], studies: int) -> Iterator[str]:
    """What is left out of the counts, and what of the records is from before full runs did more."""
    fresh = [one for one in both if not one.stale]
    if len(fresh) < len(both):
        yield f"Recorded before it changed, and not counted: {number_of(len(both) - len(fresh), 'study')}."
    if len(both) < studies:
        yield f"Not recorded yet: {number_of(studies - len(both), 'study')}."
    within = [deciding for one in fresh if (deciding := would_decide(one.record, one.study))]
    if within:
        yield (
            "Undecided, but within the replications to which a full run of today goes on by itself: "
            f"{number_of(sum(map(len, within)), 'claim')} in {number_of(len(within), 'study')}."
        )
    alone = sum(readings_left_out(one.record, one.study) for one in fresh)
    if alone:
        yield f"Recorded without the other readings of what a thesis leaves open: {number_of(alone, 'study')}."


def readings_left_out(one: Record, study: LoadedStudy) -> bool:
    """Whether only the reading taken was run of a study that has others."""
    return not one.readings and any(assumption.interpretations for assumption in study.study.assumptions)


def would_decide(one: Record, study: LoadedStudy) -> list[Claim]:
    """Undecided claims that as many replications as a full run makes of itself would decide, and this one had not."""
    if one.replications > study.study.replications:  # it grew, once
        return []
    most = Plan(study, quick=False, sensitivity=False).replications_most
    return [claim for claim in one.claims if (claim.replications_needed or most + 1) <= most]


def systems(path: Path = SYSTEMS) -> list[dict[str, Any]]:
    """The systems that the theses propose, in the order of the index."""
    return list(toml.loads(path.read_text(encoding="utf-8"))["systems"])


def generated_systems() -> str:
    """The systems as a table, a line each."""
    rows = [row("system", "idea", "verdict"), row("---", "---", "---")]
    for one in systems():
        link = f"[{escaped(one['name'])}](reproduction/{one['thesis']}.md)"
        rows.append(row(link, escaped(one["idea"]), escaped(one["verdict"])))
    return "\n".join(rows)
