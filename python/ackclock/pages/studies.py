"""What is recorded of one study: its page on the site, and the answers to questions of our own as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ackclock._numbers import mean_and_spread
from ackclock.pages.markdown import escaped, row
from ackclock.pages.results import (
    Recorded,
    distance,
    found,
    measured,
    of_theses,
    printed,
    recorded,
    result,
    where,
)
from ackclock.study.findings import with_finding, with_numbers
from ackclock.study.load import LoadedStudy, study_names
from ackclock.study.result import ClaimResult
from ackclock.study.sentence import sentence

STUDIES = "python/ackclock/archive/studies"
QUANTITIES = {
    "tenth": "RMS deviation of the mean rate in windows of 100 ms from the contracted rate, in %",
    "second": "RMS deviation of the mean rate in windows of 1 s from the contracted rate, in %",
    "ten": "RMS deviation of the mean rate in windows of 10 s from the contracted rate, in %",
    "passed": "Passed rate as a percentage of the contracted rate",
    "drops": "Dropped packets as a percentage of the arriving packets",
    "delay": "Mean queueing delay at the edge, in ms",
    "fair": "Jain's fairness index",
    "used": "Goodput as a percentage of the path's capacity",
    "rtt": "Mean round-trip time, in ms",
}
"""The title of the table for each quantity, in studies whose claim ids are QUANTITY.DISCIPLINE.COLUMN."""


def place(name: str) -> str:
    """Returns the place of the page of a study on the site."""
    return f"reproduction/{name}.md"


def pages(repository: str) -> Iterator[tuple[str, str]]:
    """Yields the page of each study of a thesis that is recorded: its name and its text."""
    for one in found(of_theses()):
        yield one.study.name, page(one, repository)


def page(one: Recorded, repository: str) -> str:
    """Returns the page of a study as Markdown."""
    study, thesis = one.study.study, one.study.thesis
    file = f"{repository}/blob/main/{STUDIES}/{one.study.name}.toml"
    source = f"{where(one.study)} of [{thesis.author} ({thesis.year})](../{thesis.key}.md)."
    again = (
        f"`ackclock reproduce {one.study.name}` repeats the experiment; [the study file]({file}) contains the scenario "
        "and the tests."
    )
    lost = study.source.setup_unknown
    parts = [
        f"# {escaped(study.title)}",
        f"**{escaped(sentence(one.result))}**",
        f"{source} {again}",
        escaped(study.summary),
        *([f"**Unknown part of the set-up:** {escaped(lost)}"] if lost else []),
        one.facts,
        "## Claims" if one.result.claims else "No claims.",
    ]
    heads = ["claim", "printed", "measured", "distance", "result", "other interpretations", "set-up"]
    findings = with_numbers(study.findings, one.words)
    rows = [_line(one, with_finding(claim, findings)) for claim in one.result.claims]
    if rows:
        parts.append('<div class="claims-of-study" markdown="1">')
        parts += ["\n".join([row(*heads), row("---", *["---:"] * 3, *["---"] * 3), *rows]), "</div>"]
    return "\n\n".join([*parts, *_left_open(one.study)]) + "\n"


def _line(one: Recorded, claim: ClaimResult) -> str:
    test = next(known for known in one.study.study.claims if known.id == claim.id)
    said = [f"**{escaped(claim.id)}** {escaped(claim.text)}"]
    said += [f"*The test: {escaped(test.written)}*"] if test.written else []
    said += [f"*Not judged: {escaped(test.not_judged())}*"] if test.not_judged() else []
    said += [f"**Finding:** {escaped(claim.finding)}"] if claim.finding else []
    if names := "; ".join(f"{other} ({other.verdict})" for other in claim.reversed_by):
        said.append(f"**Reversed by:** {escaped(names)}")
    setup = f"partly unknown: {escaped(claim.setup)}" if claim.setup else "printed"
    others = escaped(claim.interpretations_in_words)
    return row(
        "<br>".join(said), printed(claim), measured(claim), distance(claim), result(claim), others, setup
    )


def _left_open(study: LoadedStudy) -> Iterator[str]:
    """Yields what the thesis does not specify, the assumption for it, and the alternatives that were run."""
    if not study.study.assumptions:
        return
    yield "## Assumptions where the thesis is not specific"
    rows = [row("not specified", "assumed", "why", "alternatives run"), row("---", "---", "---", "---")]
    for one in study.study.assumptions:
        also = "; ".join(other.label for other in one.interpretations)
        rows.append(row(*map(escaped, (one.what, one.taken, one.why, also))))
    yield "\n".join(rows)


def answers(name: str) -> str:
    """Returns the claims of a study of our own questions as a table: each with its answer."""
    one = recorded(name)
    if one is None:
        return f"No result is recorded. `ackclock reproduce {name}` runs the study."
    rows = [row("statement", "measured", "holds"), row("---", "---:", "---"), *_answers(one.result.claims)]
    return "\n".join([one.facts, "", *rows])


def verdicts(name: str) -> str:
    """Returns how many claims of a study of our own have each verdict, as a sentence."""
    one = recorded(name)
    if one is None:
        return "Not recorded."
    text = sentence(one.result)
    # The blind studies predict numbers; other studies with these answers ask questions.
    words = {"question": "prediction", "answered yes": "confirmed", "answered no": "refuted"}
    for word, instead in words.items() if name.startswith("blind/") else ():
        text = text.replace(word, instead)
    return text


def _answers(claims: Sequence[ClaimResult]) -> Iterator[str]:
    for claim in claims:
        count = sum(other.differs for other in claim.interpretations)
        others = f"{count} of {len(claim.interpretations)} other interpretations"
        variants = f" (a different result under {others})" if count else ""
        yield row(escaped(claim.text), measured(claim), result(claim).strip("*") + variants)


def predictions(what: str) -> str:
    """Returns how many numbers of outside results lie inside bands that were fixed before the first run: a sentence,
    and a row for each study.

    ``what`` has the folder of the studies, the number of predictions that no study can state, which count as missing,
    and the studies that are extras, which are counted apart. A study whose name ends in ``-after`` was written after
    the first run and predicts nothing.
    """
    folder, missing, *extras = what.split()
    names = [name for name in study_names() if name.startswith(f"{folder}/") and not name.endswith("-after")]
    counts = {name: _answered(name) for name in names}
    own = sum((counts[name] for name in names if name.split("/")[1] not in extras), Counter())
    more = sum((counts[f"{folder}/{name}"] for name in extras), Counter())
    text = (
        f"**{own['yes']} of {own.total() + int(missing)} predicted numbers lie inside the bands fixed before the first "
        f"run.** {own['no']} lie outside, {own['undecided']} are undecided, and {missing} have no study."
    )
    if extras:
        inside = f"{more['yes']} of {more.total()} predicted numbers"
        text += f" In the studies marked as extra, {inside} lie inside the bands."
    rows = [row("study", "inside", "outside", "undecided"), row("---", *["---:"] * 3)]
    for name, count in counts.items():
        extra = ", extra" if name.split("/")[1] in extras else ""
        rows.append(row(f"`{name}`{extra}", *(count[answer] or "" for answer in ("yes", "no", "undecided"))))
    return "\n".join(["", text, "", *rows, ""])


def _answered(name: str) -> Counter[str]:
    """Returns how many tested claims of a recorded study have each answer."""
    one = recorded(name)
    return Counter(claim.verdict for claim in one.result.claims if claim.tested) if one else Counter()


def grids(name: str) -> str:
    """Returns a table of each quantity, a discipline a row; bold if the question of the claim is answered by yes."""
    one = recorded(name)
    if one is None:
        return f"No result is recorded. `ackclock reproduce {name}` runs the study."
    parts = [one.facts]
    for quantity, title in QUANTITIES.items():
        claims = [claim for claim in one.result.claims if claim.id.startswith(f"{quantity}.")]
        if claims:
            parts += ["", *_grid(title, claims, one.study)]
    others = [claim for claim in one.result.claims if claim.id.partition(".")[0] not in QUANTITIES]
    if others:
        parts += ["", row("statement", "measured", "holds"), row("---", "---:", "---")]
        parts += [
            row(claim.text, mean_and_spread(claim.measured, claim.interval), claim.verdict)
            for claim in others
        ]
    return "\n".join(parts)


def _grid(title: str, claims: Sequence[ClaimResult], study: LoadedStudy) -> Iterator[str]:
    cells = {tuple(claim.id.split(".", 2)[1:]): claim for claim in claims}
    columns = list(dict.fromkeys(column for _, column in cells))
    yield row(title, *columns)
    yield row("---", *["---:"] * len(columns))
    labels = {case.name: case.title for case in study.study.cases}
    for discipline in dict.fromkeys(name for name, _ in cells):
        cases = (labels.get(f"{discipline}-{column}", "").rpartition(", ")[0] for column in columns)
        label = labels.get(discipline) or next(filter(None, cases))
        yield row(label, *(_cell(cells.get((discipline, column))) for column in columns))


def _cell(claim: ClaimResult | None) -> str:
    if claim is None:
        return ""
    value = mean_and_spread(claim.measured, claim.interval)
    return f"**{value}**" if claim.verdict == "yes" else value
