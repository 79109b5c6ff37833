"""The generated parts of a thesis's page: its reference and counts, and every claim in a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ackclock.pages import DOCS
from ackclock.pages.claims import emphasised, measured, other_readings, published, readings, tested
from ackclock.pages.markdown import escaped, number_of, row, short
from ackclock.pages.numbers import without_values
from ackclock.pages.records import Claim, Origin, Record, all_records
from ackclock.pages.reproduction import Recorded, of_theses, recorded, tally
from ackclock.study.load import LoadedStudy, theses
from ackclock.study.result import ORDER
from ackclock.study.tally import KINDS, Kind

HEADS: Mapping[Kind, str] = {
    "systems": "about its systems",
    "baselines": "about baselines alone",
    "ours": "questions of our own",
}
STUDIES = "../../python/ackclock/archive/studies"
"""From a thesis's page. On the site a link to a study file leads to the page of the study."""


def generated_facts(key: str) -> str:
    """The reference of the thesis, the counts of its verdicts, and when they were recorded."""
    page = (DOCS / "reproduction" / f"{key}.md").read_text(encoding="utf-8")
    parts = [*facts(all_records(), members(key)), *older_numbers(page)]
    return "\n" + "\n\n".join(parts) + "\n"


def older_numbers(page: str) -> Iterator[str]:
    """Of which studies the text's numbers are older than what records keep."""
    if names := without_values(page):
        several = ", ".join(f"`{name.partition('/')[2]}`" for name in names)
        yield f"Numbers in the text that are not from a record of today, but from runs before it: those of {several}."


def generated_claims(key: str) -> str:
    """Every claim of the thesis, a table for each chapter."""
    return "\n" + "\n".join(claims(all_records(), members(key))) + "\n"


def members(key: str) -> list[LoadedStudy]:
    """The studies of a thesis. KeyError where there is no such thesis."""
    if key not in theses():
        raise KeyError(key)
    return [study for study in of_theses() if study.thesis.key == key]


def facts(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> Iterator[str]:
    """What stands under the title."""
    thesis, both = studies[0].thesis, recorded(records, studies)
    yield f"{thesis.author}: *{escaped(thesis.title)}*. {thesis.degree}, {thesis.where}, {thesis.year}."
    fresh = [one for one in both if not one.stale]
    if fresh:
        yield "\n".join(_counts(fresh))
    if len(fresh) < len(both):
        yield f"Recorded before it changed, and not counted: {number_of(len(both) - len(fresh), 'study')}."
    if len(both) < len(studies):
        yield f"Not recorded yet: {number_of(len(studies) - len(both), 'study')}."
    if (origin := usual_origin(both)) is not None:
        yield f"Most of it was recorded on {origin}. `ackclock reproduce {thesis.key}` makes it again."


def _counts(fresh: Sequence[Recorded]) -> Iterator[str]:
    """A row for each verdict, a column for each kind of claim."""
    tallies = {kind: tally(fresh, kind) for kind in KINDS}
    kinds = [kind for kind in KINDS if tallies[kind][0]]
    yield row("verdict", *(HEADS[kind] for kind in kinds))
    yield row("---", *["---:"] * len(kinds))
    for verdict in ORDER:
        found = [tallies[kind][1][verdict] for kind in kinds]
        if any(found):
            yield row(verdict, *(count or "" for count in found))
    yield row("**claims tested**", *(f"**{tested(tallies[kind][1])}**" for kind in kinds))
    yield row("in studies", *(tallies[kind][0] for kind in kinds))


def usual_origin(both: Sequence[Recorded]) -> Origin | None:
    """Where most of the records are from; None without any."""
    origins = Counter(one.record.origin for one in both)
    return origins.most_common(1)[0][0] if origins else None


def claims(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> Iterator[str]:
    """A folded table for each chapter, and where the links of all of them lead."""
    both = {one.study.name: one for one in recorded(records, studies)}
    for chapter, of_chapter in by_chapter(studies).items():
        yield from _chapter(chapter, [both[study.name] for study in of_chapter if study.name in both])
    missing = [study for study in studies if study.name not in both]
    if missing:
        yield "Not recorded yet: " + ", ".join(f"[{_stem(study)}]" for study in missing) + "."
        yield ""
    yield from (f"[{_stem(study)}]: {STUDIES}/{study.name}.toml" for study in studies)


def by_chapter(studies: Sequence[LoadedStudy]) -> dict[str, list[LoadedStudy]]:
    """The studies of each chapter, in the order of chapters; our own questions last."""
    found: dict[tuple[int, str], list[LoadedStudy]] = {}
    for study in studies:
        found.setdefault(_chapter_of(study), []).append(study)
    return {name: found[rank, name] for rank, name in sorted(found, key=lambda pair: pair[0])}


def _chapter_of(study: LoadedStudy) -> tuple[int, str]:
    source = study.study.source
    if source.asked_by == "us":
        return 1000, "Questions of our own"
    name = re.split(r"[. ]", source.section.removeprefix("Chapter "), maxsplit=1)[0]
    romans = ("I", "II", "III", "IV", "V", "VI", "VII")
    if name.isdigit() or name in romans:
        return int(name) if name.isdigit() else 1 + romans.index(name), f"Chapter {name}"
    return 999, source.section[:1].upper() + source.section[1:]


def _chapter(name: str, both: Sequence[Recorded]) -> Iterator[str]:
    if not any(one.record.claims for one in both):
        return
    found = [(one, claim) for one in both for claim in one.record.claims]
    counts = Counter(claim.verdict for _, claim in found)
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ORDER if counts[verdict])
    yield '<details class="claims" markdown="1">'
    yield f"<summary>{name}: {said}</summary>"
    yield ""
    yield row("study", "claim", "what is claimed", "published", "measured", "verdict")
    yield row("---", "---", "---", "---:", "---:", "---")
    for one, claim in found:
        yield _line(one, claim)
    yield ""
    yield "</details>"
    yield ""


def _line(one: Recorded, claim: Claim) -> str:
    words = {known.id: known.text for known in one.study.study.claims}
    text = claim.text if one.stale else words.get(claim.id, claim.text)
    return row(
        f"[{_stem(one.study)}]" + (" (changed since)" if one.stale else ""),
        escaped(claim.id),
        escaped(short(text)),
        published(claim),
        measured(claim),
        emphasised(claim, claim.verdict) + _other_readings(one.record, claim),
    )


def _other_readings(one: Record, claim: Claim) -> str:
    """How the test came out as taken, and which readings decide it otherwise: the first by name, or how many."""
    names, count = readings(claim), other_readings(claim)
    said = [f"as taken {claim.outcome}"] if claim.outcome else []
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        said.append(f"otherwise: {escaped(short(names[0]))}{more}")
    elif count:
        said.append(f"{count} of {one.readings} readings differ")
    return f" ({'; '.join(said)})" if said else ""


def _stem(study: LoadedStudy) -> str:
    return study.name.partition("/")[2]
