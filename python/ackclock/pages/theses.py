"""The generated parts of the pages of theses, the tables of all their claims, and the counts of all theses."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ackclock._numbers import number_of
from ackclock.pages import DOCS, figures
from ackclock.pages.markdown import escaped, row, short
from ackclock.pages.results import Recorded, anchor, distance, found, measured, of_thesis, printed, result
from ackclock.study.load import LoadedStudy, theses
from ackclock.study.model import Verdict
from ackclock.study.printed_numbers import not_judged, of_studies, within
from ackclock.study.result import ORDER, ClaimResult, counted
from ackclock.study.tally import Kind, kind_of

FOLDER = DOCS / "reproduction"
STUDIES = "../../python/ackclock/archive/studies"
"""The path from a thesis's page to the study files. On the site, a link to a file leads to the study's page."""
HEADS = [
    *("study", "claim", "what is claimed", "printed", "measured", "distance"),
    *("result", "other interpretations", "set-up"),
]
SAID: Mapping[Verdict, tuple[str, str]] = {
    "not as printed": ("does not", "do not"),
    "right order, other size": (
        "has an effect in the right direction but of a different size",
        "have effects in the right direction but of a different size",
    ),
    "undecided": ("is undecided", "are undecided"),
    "cannot tell": (
        "has a test that cannot tell whether the claim holds",
        "have tests that cannot tell whether the claim holds",
    ),
}
"""The words for each result: for one claim, and for several."""
WHERE = {
    False: "Where the thesis prints the whole set-up",
    True: "Where the thesis leaves a part of the set-up open",
}


def facts(key: str) -> str:
    """Returns what stands under the answer of a thesis's page: which thesis it is, and the counts in words."""
    studies = of_thesis(key)
    thesis, both = studies[0].thesis, found(studies)
    parts = [f"{thesis.author}: *{escaped(thesis.title)}*. {thesis.degree}, {thesis.where}, {thesis.year}."]
    parts += [" ".join([answer(both), *about(both), *numbers(both)]), *notes(both, studies)]
    parts.append(figures.numbers(key))
    return "\n" + "\n\n".join(parts) + "\n"


def claims_of(both: Sequence[Recorded], *kinds: Kind) -> list[tuple[Recorded, ClaimResult]]:
    """Returns the tested claims of these kinds, each with its study; without any, those of the thesis."""
    return [
        (one, claim)
        for one in both
        for claim in one.result.claims
        if claim.tested and kind_of(claim) in (kinds or ("systems", "baselines"))
    ]


def answer(both: Sequence[Recorded]) -> str:
    """Returns how many claims hold, in a sentence for each set-up."""
    texts = []
    for lost, where in WHERE.items():
        own = counted(claim.verdict for _, claim in claims_of(both) if bool(claim.setup) == lost)
        texts += [f"{where}, {_in_words(own)}."] if own else []
    return " ".join(texts) if texts else "No claim of the thesis is recorded."


def _in_words(counts: Mapping[Verdict, int]) -> str:
    """Returns counts in words: "48 of 61 claims hold, 9 do not and 4 are undecided"."""
    count = sum(counts.values())
    held = f"{counts.get('as printed', 0)} of {number_of(count, 'claim')} hold{'s' if count == 1 else ''}"
    others = [f"{own} {said[own > 1]}" for word, said in SAID.items() if (own := counts.get(word))]
    return " and ".join(filter(None, [", ".join([held, *others[:-1]]), *others[-1:]]))


def about(both: Sequence[Recorded]) -> Iterator[str]:
    """Yields how many tests changed, how many claims are about baselines alone, and the answers to new questions."""
    yield from later_tests(both)
    if baselines := len(claims_of(both, "baselines")):
        verb = "compares" if baselines == 1 else "compare"
        yield f"Of the tested claims, {baselines} {verb} only baselines and no system of the thesis."
    if ours := counted(claim.verdict for _, claim in claims_of(both, "ours")):
        rest = sum(ours.values()) - ours.get("yes", 0) - ours.get("no", 0)
        yield (
            f"Of {number_of(sum(ours.values()), 'new question')}, which the thesis does not ask, {ours.get('yes', 0)} "
            f"are answered yes, {ours.get('no', 0)} are answered no, and {rest} have no clear answer."
        )


def later_tests(both: Sequence[Recorded]) -> Iterator[str]:
    """Yields how many tests were defined or changed after a run."""
    claims = [claim for _, claim in claims_of(both)]
    if later := [claim for claim in claims if claim.written]:
        held = sum(claim.verdict == "as printed" for claim in later)
        verb = "holds" if held == 1 else "hold"
        yield (
            f"For {len(later)} of these claims, the test was defined or changed after the results of a run were known; "
            f"each such claim states when and why. Of these {number_of(len(later), 'claim')}, {held} {verb}."
        )


def numbers(both: Sequence[Recorded]) -> Iterator[str]:
    """Yields how near the printed numbers are, and how many results another interpretation reverses."""
    judged = [one.result for one in both]
    if every := of_studies(judged):
        near, wide = within(every)
        every_one = number_of(len(every), "printed number")
        verb = "is" if near == 1 else "are"
        more = not_judged(judged)
        others = number_of(more, "other printed number")
        rest = f" {others} {'is' if more == 1 else 'are'} shown but not judged." if more else ""
        yield f"Of {every_one}, {near} {verb} reproduced to within 10 % and {wide} to within 25 %.{rest}"
    if count := sum(bool(claim.reversed_by) for _, claim in claims_of(both)):
        results = number_of(count, "result")
        yield f"Another interpretation of the thesis's text, supported by evidence, reverses {results}."


def notes(both: Sequence[Recorded], studies: Sequence[LoadedStudy]) -> Iterator[str]:
    """Yields what is not recorded."""
    if len(both) < len(studies):
        yield f"Without an up-to-date recorded result: {number_of(len(studies) - len(both), 'study')}."


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
        f"[A CSV file]({key}-claims.csv) contains this table.",
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
        f'<a id="{anchor(_stem(one), claim.id)}"></a>{escaped(claim.id)}',
        escaped(short(claim.text)),
        printed(claim),
        measured(claim),
        distance(claim),
        result(claim),
        escaped(claim.interpretations_in_words),
        "partly unknown" if claim.setup else "printed",
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
        for lost, head in ((False, "set-up printed"), (True, "set-up partly unknown")):
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
    return "\n" + "\n\n".join([answer(both), *later_tests(both), *numbers(both), figures.numbers()]) + "\n"


def _stem(one: Recorded) -> str:
    return one.study.name.partition("/")[2]
