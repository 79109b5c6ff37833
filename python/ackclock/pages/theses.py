"""The generated parts of the pages of theses, the tables of all their claims, and the counts of all theses."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock._numbers import number_of
from ackclock.pages import DOCS
from ackclock.pages.markdown import escaped, row, short
from ackclock.pages.results import Recorded, distance, found, measured, of_thesis, printed, result
from ackclock.study.load import LoadedStudy, theses
from ackclock.study.model import Verdict
from ackclock.study.result import ORDER, ClaimResult, counted
from ackclock.study.sentence import NEAR, WIDE, printed_numbers
from ackclock.study.tally import Kind, kind_of

FOLDER = DOCS / "reproduction"
STUDIES = "../../python/ackclock/archive/studies"
"""The studies from a thesis's page. On the site a link to a study's file leads to the page of the study."""
HEADS = [
    *("study", "claim", "what is claimed", "printed", "measured", "distance"),
    *("result", "other interpretations", "set-up"),
]
SAID: Mapping[Verdict, str] = {
    "right order, other size": "have the right order and another size",
    "not as printed": "do not come out",
    "undecided": "are undecided",
    "cannot tell": "cannot be told from their denial",
}
WHERE = {
    False: "where the set-up is printed",
    True: "where a part of it is lost and ours stands in its place",
}


def facts(key: str) -> str:
    """Returns what stands under the title of a thesis's page: the answer, the counts, and where they are from."""
    studies = of_thesis(key)
    thesis, both = studies[0].thesis, found(studies)
    parts = [f"{thesis.author}: *{escaped(thesis.title)}*. {thesis.degree}, {thesis.where}, {thesis.year}."]
    parts += [f"**{answer(both)}**", *numbers(both), "\n".join(table_of(both)), *notes(both, studies)]
    return "\n" + "\n\n".join(parts) + "\n"


def claims_of(both: Sequence[Recorded], *kinds: Kind) -> list[tuple[Recorded, ClaimResult]]:
    """Returns the tested claims of these kinds, each with its study; without any, those of the thesis."""
    return [
        (one, claim)
        for one in both
        for claim in one.result.claims
        if claim.tested and kind_of(claim, one.result) in (kinds or ("systems", "baselines"))
    ]


def answer(both: Sequence[Recorded]) -> str:
    """Returns whether the thesis was right, in a sentence of counts."""
    texts = []
    for lost, where in WHERE.items():
        own = counted(claim.verdict for _, claim in claims_of(both) if bool(claim.setup) == lost)
        texts += [f"{where}, {_in_words(own)}"] if own else []
    text = "; ".join(texts)
    return f"{text[:1].upper()}{text[1:]}." if text else "No claim of it is recorded."


def _in_words(counts: Mapping[Verdict, int]) -> str:
    """Returns counts in words: "48 of 61 claims come out as printed, 9 do not come out and 4 are undecided"."""
    held = f"{counts.get('as printed', 0)} of {number_of(sum(counts.values()), 'claim')} come out as printed"
    others = [f"{counts[word]} {said}" for word, said in SAID.items() if counts.get(word)]
    return " and ".join(filter(None, [", ".join([held, *others[:-1]]), *others[-1:]]))


def numbers(both: Sequence[Recorded]) -> Iterator[str]:
    """Yields how near the printed numbers are, and how many results another interpretation reverses."""
    every = [number for one in both for number in printed_numbers(one.result)]
    if every:
        near, wide = (sum(one.distance <= limit for one in every) for limit in (NEAR, WIDE))
        every_one = number_of(len(every), "printed number")
        yield f"Of {every_one} {near} are within 10 % of the measured one and {wide} within 25 %."
    if count := sum(bool(claim.reversed_by) for _, claim in claims_of(both)):
        results = number_of(count, "result")
        yield f"Another interpretation of the text, for which there is evidence, reverses {results}."


def table_of(both: Sequence[Recorded]) -> Iterator[str]:
    """Yields the counts as a table: a row for each result, a column for each set-up, and one for our own questions."""
    columns = {
        "set-up printed": [c.verdict for _, c in claims_of(both) if not c.setup],
        "set-up partly lost": [c.verdict for _, c in claims_of(both) if c.setup],
        "of these, about baselines alone": [c.verdict for _, c in claims_of(both, "baselines")],
        "questions of our own": [c.verdict for _, c in claims_of(both, "ours")],
    }
    columns = {head: verdicts for head, verdicts in columns.items() if verdicts}
    counts = {head: Counter(verdicts) for head, verdicts in columns.items()}
    yield row("result", *columns)
    yield row("---", *["---:"] * len(columns))
    for verdict in ORDER:
        if any(count[verdict] for count in counts.values()):
            yield row(verdict, *(count[verdict] or "" for count in counts.values()))
    yield row("**tested**", *(f"**{len(verdicts)}**" for verdicts in columns.values()))


def notes(both: Sequence[Recorded], studies: Sequence[LoadedStudy]) -> Iterator[str]:
    """Yields what is not recorded, and what is recorded and may have other numbers today."""
    for why, count in Counter(one.stale for one in both if one.stale).items():
        yield f"{number_of(count, 'study')} of {len(studies)}: {why}.".capitalize()
    if len(both) < len(studies):
        yield f"Not recorded as it is now: {number_of(len(studies) - len(both), 'study')}."


def claims_files() -> Iterator[tuple[Path, str]]:
    """Yields, for each thesis, the table of all its claims as CSV, which is made for the site."""
    for key in theses():
        yield FOLDER / f"{key}-claims.csv", claims_csv(found(of_thesis(key)))


def claims_part(key: str) -> str:
    """Returns the table with a line for each claim of a thesis, which is made for the site."""
    return claims_table(key, found(of_thesis(key)))


def claims_table(key: str, both: Sequence[Recorded]) -> str:
    """Returns the table of the claims of a thesis."""
    lines = [
        "",
        f"[A CSV file]({key}-claims.csv) has the same table.",
        "",
        '<div class="claims" markdown="1">',
        "",
        row(*HEADS),
        row(*["---"] * 3, *["---:"] * 3, *["---"] * 3),
        *(_line(one, claim) for one in both for claim in one.result.claims),
        "",
        "</div>",
        "",
        *(f"[{_stem(one)}]: {STUDIES}/{one.study.name}.toml" for one in both),
        "",
    ]
    return "\n".join(lines)


def _line(one: Recorded, claim: ClaimResult) -> str:
    return row(
        f"[{_stem(one)}]",
        escaped(claim.id),
        escaped(short(claim.text)),
        printed(claim),
        measured(claim),
        distance(claim),
        result(claim),
        escaped(claim.interpretations_in_words),
        "partly lost" if claim.setup else "printed",
    )


def claims_csv(both: Sequence[Recorded]) -> str:
    """Returns a line for each claim, with numbers as they are."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")  # inert() is for names that users choose
    writer.writerow([*HEADS[:4], "unit", "measured", "low", "high", *HEADS[6:]])
    for one in both:
        for claim in one.result.claims:
            ends = claim.interval or (None, None)
            paper, *values = (
                "" if value is None else f"{value:.6g}" for value in (claim.paper, claim.measured, *ends)
            )
            words = [claim.verdict, claim.interpretations_in_words, claim.setup or "printed"]
            writer.writerow(
                [one.study.name, claim.id, " ".join(claim.text.split()), paper, claim.unit, *values, *words]
            )
    return text.getvalue()


def counts() -> str:
    """Returns the counts of all theses: a row for each and each set-up."""
    every: list[Verdict] = []
    lines = []
    for key in theses():
        both = found(of_thesis(key))
        thesis = of_thesis(key)[0].thesis
        claims = [claim for _, claim in claims_of(both)]
        for lost, head in ((False, "set-up printed"), (True, "set-up partly lost")):
            own = [claim.verdict for claim in claims if bool(claim.setup) == lost]
            every += own
            lines.append((f"[{thesis.author} ({thesis.year})](reproduction/{key}.md), {head}", Counter(own)))
    total = Counter(every)
    words = [word for word in ORDER if total[word]]
    rows = [row("", "tested", *words), row("---", *["---:"] * (1 + len(words)))]
    rows += [row(name, sum(own.values()), *(own[word] for word in words)) for name, own in lines if own]
    rows.append(row("all", sum(total.values()), *(total[word] for word in words)))
    both = [one for key in theses() for one in found(of_thesis(key))]
    studies = [study for key in theses() for study in of_thesis(key)]
    parts = [
        '<div class="counts" markdown="1">',
        "\n".join(rows),
        "</div>",
        *numbers(both),
        *notes(both, studies),
    ]
    return "\n\n".join(parts)


def answer_of_all() -> str:
    """Returns what all theses together come to."""
    both = [one for key in theses() for one in found(of_thesis(key))]
    return "\n" + "\n\n".join([answer(both), *numbers(both)]) + "\n"


def systems(path: Path = FOLDER / "systems.toml") -> list[dict[str, Any]]:
    """Returns the systems that the theses propose, in the order of the index."""
    return list(toml.loads(path.read_text(encoding="utf-8"))["systems"])


def table_of_systems() -> str:
    """Returns the systems as a table, a line each."""
    rows = [row("system", "idea", "verdict"), row("---", "---", "---")]
    for one in systems():
        link = f"[{escaped(one['name'])}](reproduction/{one['thesis']}.md)"
        rows.append(row(link, escaped(one["idea"]), escaped(one["verdict"])))
    return "\n".join(rows)


def _stem(one: Recorded) -> str:
    return one.study.name.partition("/")[2]
