"""What is recorded of one study: its page on the site, and the answers to a study of our own."""

from __future__ import annotations

from collections.abc import Iterator

from ackclock._numbers import duration, mean_and_spread
from ackclock.pages import claims
from ackclock.pages.claims import emphasised, measured, others, published, verdict, where
from ackclock.pages.markdown import escaped, number_of, row
from ackclock.pages.records import Claim, Record, all_records, is_stale
from ackclock.pages.reproduction import Recorded, of_theses, readings_left_out, recorded
from ackclock.study.load import LoadedStudy, load_study

PLACE = "reproduction"
"""The folder of the site that has a folder of pages for each thesis."""


def place(name: str) -> str:
    """Where the page of a study stands on the site."""
    return f"{PLACE}/{name}.md"


def pages(repository: str) -> Iterator[tuple[str, str]]:
    """The page of each study of a thesis that is recorded: its name and its text."""
    for one in recorded(all_records(), of_theses()):
        yield one.study.name, page(one, repository)


def page(one: Recorded, repository: str) -> str:
    """The page of a study as Markdown."""
    study, thesis = one.study.study, one.study.thesis
    file = f"{repository}/blob/main/python/ackclock/archive/studies/{one.study.name}.toml"
    source = f"{where(one.study)} of [{thesis.author} ({thesis.year})](../{thesis.key}.md)."
    again = f"`ackclock reproduce {one.study.name}` makes it again; [its file]({file}) has the scenario and the tests."
    parts = [
        f"# {escaped(study.title)}",
        f"{source} {again}",
        escaped(study.summary),
        *_notices(one),
        f"{facts(one.record, one.study)} Recorded on {one.record.origin}.",
    ]
    return "\n\n".join([*parts, *_claims(one), *_left_open(one.study)]) + "\n"


def facts(one: Record, study: LoadedStudy) -> str:
    """How much was run, in a sentence."""
    text = f"{one.replications} replications (seeds {one.seeds}), {one.simulations} simulations"
    text += f", about {duration(one.cpu_time_s)} of CPU time" if one.cpu_time_s is not None else ""
    if one.readings:
        text += f"; {number_of(one.readings, 'other reading')} of what the thesis leaves open"
    text += "; without the other readings" if readings_left_out(one, study) else ""
    return f"{text}."


def _notices(one: Recorded) -> Iterator[str]:
    if one.stale:
        yield "**Recorded before the study changed**: a new run may have other numbers and verdicts."
    if one.study.study.source.setup_unknown:
        yield f"**Set-up unknown:** {escaped(one.study.study.source.setup_unknown)}"


def _claims(one: Recorded) -> Iterator[str]:
    if not one.record.claims:
        yield "No claims."
        return
    yield "## Claims"
    rows = [row("claim", "published", "measured", "verdict"), row("---", "---:", "---:", "---")]
    yield "\n".join([*rows, *(_line(one, claim) for claim in one.record.claims)])


def _line(one: Recorded, claim: Claim) -> str:
    words = emphasised(claim, verdict(claim))
    as_taken = [f"as taken {came_out}"] if (came_out := claim.outcome) else []
    if said := [*as_taken, *filter(None, [others(one.record, claim)])]:
        words += f" ({'; '.join(said)})"
    return row("<br>".join(_said(one, claim)), published(claim), measured(claim), words)


def _said(one: Recorded, claim: Claim) -> Iterator[str]:
    """The claim, when its test was written, what was found, and the readings under which the verdict is another."""
    study = one.study.study
    known = next((other for other in study.claims if other.id == claim.id), None)
    text = claim.text if one.stale or known is None else known.text
    yield f"**{escaped(claim.id)}** {escaped(text)}"
    if known is not None and known.written:
        yield f"*The test: {escaped(known.written)}*"
    if reason := claims.not_judged(claim, one.study):
        yield f"*Not judged: {escaped(reason)}*"
    for text in claims.findings(one.record, claim, one.study):
        yield f"**Finding:** {escaped(text)}"
    if names := claims.readings(claim):
        yield "**Otherwise where it is read as:** " + "; ".join(map(escaped, names))


def _left_open(study: LoadedStudy) -> Iterator[str]:
    """What the thesis leaves open, what was taken, and what else was run."""
    if not study.study.assumptions:
        return
    yield "## What the thesis leaves open"
    rows = [row("open", "taken", "why", "run as well"), row("---", "---", "---", "---")]
    for one in study.study.assumptions:
        also = "; ".join(other.label for other in one.interpretations)
        rows.append(row(*map(escaped, (one.what, one.taken, one.why, also))))
    yield "\n".join(rows)


def answers(name: str) -> str:
    """The recorded claims of a study that asks questions of our own: each with its answer, as a table."""
    one = all_records().get(name)
    if one is None:
        return f"Not recorded yet: `ackclock reproduce {name}`."
    study = load_study(name)
    rows = [row("that", "measured", "holds"), row("---", "---:", "---")]
    words = {claim.id: claim.text for claim in study.study.claims}
    for claim in one.claims:
        said = others(one, claim, "variant").replace("another", "otherwise")
        unit = f" {claim.unit}" if claim.unit else ""
        value = f"{mean_and_spread(claim.measured, claim.interval)}{unit}"
        holds = verdict(claim) + (f" ({said})" if said else "")
        rows.append(row(escaped(words.get(claim.id, claim.text)), value, holds))
    stale = "; recorded before the study changed" if is_stale(one, study) else ""
    ran = f"{one.replications} replications, {one.simulations} simulations, recorded {one.origin}{stale}."
    return "\n".join([ran, "", *rows])
