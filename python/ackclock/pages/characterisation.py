"""The page of the characterisation of queue disciplines, from what full runs of RFC 7928's scenarios found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ackclock._numbers import duration, mean_and_spread
from ackclock.characterisation.judge import REFERENCE
from ackclock.characterisation.records import Record, all_records
from ackclock.characterisation.summary import COUNTED, TABLE, overall
from ackclock.evaluation.words import CONCERN, OK
from ackclock.pages import DOCS
from ackclock.pages.markdown import escaped, row
from ackclock.pages.results import made
from ackclock.report import svg_chart
from ackclock.study.fingerprint import of_simulation
from ackclock.study.load import LoadedStudy, load_study, study_names
from ackclock.study.records import Origin

WORDS: Mapping[str, str] = {CONCERN: f"**{CONCERN}**", REFERENCE: "–"}
"""The verdicts whose text on the page differs from that in the records."""
PICTURE = DOCS / "images" / "characterisation.svg"
ALT = "The verdict of each queue discipline in each scenario of RFC 7928"


@lru_cache(maxsize=1)
def scenarios() -> list[LoadedStudy]:
    """The scenarios of RFC 7928 in the package."""
    studies = [load_study(name) for name in study_names()]
    return [study for study in studies if study.study.characterisation is not None]


def generated(what: str) -> str:
    """Returns a generated part of docs/evaluations.md: its answer, its summary, or every scenario."""
    records, studies = all_records(), scenarios()
    makers: Mapping[str, Callable[[], str]] = {
        "answer": lambda: answer(records, studies),
        "summary": lambda: summary(records),
        "scenarios": lambda: page(records, studies),
    }
    return f"\n{makers[what]()}\n"


def page(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> str:
    """Returns the records as Markdown: the verdicts of all in a fold, then every scenario."""
    parts = [*_folded("Table of all verdicts", _matrix(records, studies)), ""]
    for study in studies:
        parts += _scenario(records.get(study.name), study)
    return "\n".join(parts).rstrip()


def answer(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> str:
    """Returns which disciplines raise concerns in the fewest scenarios, and which in the most, and the picture."""
    verdicts = _by_section(records)
    counted = {label: overall(name, verdicts) for name, label in _labels(records).items()}
    concerns = {label: found.counts[CONCERN] for label, found in counted.items()}
    few, most = min(concerns.values()), max(concerns.values())
    named = {
        count: ", ".join(label for label, own in concerns.items() if own == count) for count in (few, most)
    }
    every = [
        f"{about.section} {about.short}"
        for study in studies
        if (about := study.study.characterisation) and (one := records.get(study.name))
        if counts(one)[CONCERN] == len(_disciplines(one))
    ]
    stale = sum(is_stale(one, study) for study in studies if (one := records.get(study.name)))
    text = (
        f"**Of the {len(_must())} scenarios that RFC 7928 says must be considered, {few} ({named[few]}) to {most} "
        f"({named[most]}) raise a concern, depending on the queue discipline.**"
    )
    text += f" Every discipline raises a concern in {' and in '.join(every)}." if every else ""
    text += (
        f" Scenarios that have changed since they were recorded: {stale} of {len(studies)}." if stale else ""
    )
    return f"{text}\n\n![{ALT}](images/{PICTURE.name})"


def picture() -> str:
    """Returns the verdict of each discipline in each scenario as a grid."""
    records, studies = all_records(), scenarios()
    abouts = [(study.study.characterisation, records.get(study.name)) for study in studies]
    columns = [
        (
            f"{about.section} {about.short}",
            {one["discipline"]: one["verdict"] for one in record["disciplines"]},
        )
        for about, record in abouts
        if about is not None and record is not None
    ]
    rows = [
        (label, [found.get(name, "") for _, found in columns]) for name, label in _labels(records).items()
    ]
    return svg_chart.grid(ALT, [head for head, _ in columns], rows, COUNTED)


def is_stale(one: Record, study: LoadedStudy) -> bool:
    """Returns whether the scenario has changed since in what its numbers depend on."""
    return bool(one["fingerprint"] != of_simulation(study.study))


def _matrix(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> Iterator[str]:
    labels = _labels(records)
    yield row("scenario", *COUNTED, *(escaped(label) for label in labels.values()))
    yield row(*["---"] + ["---:"] * len(COUNTED) + ["---"] * len(labels))
    for study in studies:
        about, one = study.study.characterisation, records.get(study.name)
        if about is None:
            continue
        if one is None:
            blank = [""] * (len(COUNTED) - 1 + len(labels))
            yield row(f"{about.section} {about.short}", "not recorded", *blank)
            continue
        found = {
            judged["discipline"]: WORDS.get(judged["verdict"], judged["verdict"])
            for judged in one["disciplines"]
        }
        verdicts = counts(one)
        yield row(
            f"{about.section} {about.short}",
            *(verdicts[verdict] for verdict in COUNTED),
            *(found.get(name, "·") for name in labels),
        )


def _labels(records: Mapping[str, Record]) -> dict[str, str]:
    most = sorted(records.values(), key=lambda one: -len(one["disciplines"]))
    return {judged["discipline"]: judged["label"] for one in most for judged in _disciplines(one)}


def summary(records: Mapping[str, Record]) -> str:
    """Returns what each discipline comes to in the scenarios that must be considered."""
    return "\n".join(_overall(records))


def _overall(records: Mapping[str, Record]) -> Iterator[str]:
    verdicts = _by_section(records)
    yield row("discipline", *COUNTED, "concerns in")
    yield row("---", *["---:"] * len(COUNTED), "---")
    for name, label in _labels(records).items():
        found = overall(name, verdicts)
        where = ", ".join(found.concerns) or "none"
        where += f"; not recorded: {', '.join(found.missing)}" if found.missing else ""
        yield row(escaped(label), *(found.counts[one] for one in COUNTED), where)


def _by_section(records: Mapping[str, Record]) -> dict[str, dict[str, str]]:
    """Returns the verdict of each discipline in each scenario, by the section of the RFC."""
    return {
        one["section"]: {judged["discipline"]: judged["verdict"] for judged in one["disciplines"]}
        for one in records.values()
    }


def _must() -> list[str]:
    """Returns the scenarios that section 13 of the RFC says must be considered."""
    return [run for line in TABLE if line.must for run in line.runs]


def _folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Yields lines of Markdown in a fold, which a reader opens."""
    yield from ('<details markdown="1">', f"<summary>{summary}</summary>", "", *lines, "", "</details>")


def _scenario(one: Record | None, study: LoadedStudy) -> Iterator[str]:
    about = study.study.characterisation
    if about is None:
        return
    yield f"### {about.section} {escaped(study.study.title)}"
    yield ""
    yield f"`{study.name}`, {about.requirement}. {escaped(about.demand)}"
    yield ""
    if about.lacks:
        yield "Parts of the section that are left out or tested less strictly:"
        yield ""
        yield from (f"* {escaped(lack)}" for lack in about.lacks)
        yield ""
    if one is None:
        yield "Not recorded yet."
        yield ""
        return
    facts = "{replications} replications (seeds {seeds}), {simulations} simulations".format(**one)
    facts += f", about {duration(one['cpu_time_s'])} of CPU time" if one["cpu_time_s"] is not None else ""
    yield f"{facts}. Recorded {made(Origin(**one['origin']))}."
    yield ""
    if is_stale(one, study):
        yield "**Recorded before the scenario changed**: a new run can have different numbers and verdicts."
        yield ""
    rows = [judged for judged in _disciplines(one) if judged["criteria"]]
    if not rows:
        yield f"This scenario has no verdict; the report of `ackclock reproduce {study.name}` shows its numbers."
        yield ""
        return
    verdicts = counts(one)
    summary = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in COUNTED if verdicts[verdict])
    yield from _folded(summary, _verdicts(rows))
    yield ""


def _verdicts(rows: Sequence[Record]) -> Iterator[str]:
    """Yields the verdicts of disciplines in a scenario, each with what does not hold."""
    yield row("discipline", "verdict", "conditions not met")
    yield row("---", "---", "---")
    for judged in rows:
        reasons = [
            found for found in judged["criteria"] if found["verdict"] != OK and found["mean"] is not None
        ]
        shown = WORDS.get(judged["verdict"], judged["verdict"])
        yield row(escaped(judged["label"]), shown, "; ".join(_reason(found) for found in reasons))


def _reason(found: Record) -> str:
    numbers = mean_and_spread(found["mean"], found["interval"])
    where = f" ({escaped(found['setting'])})" if found["setting"] else ""
    more = found["alike"] - 1
    often = f", and {more} more finding{'s' if more > 1 else ''}" if more > 0 else ""
    other = f", {found['verdict']}" if found["verdict"] != CONCERN else ""
    why = f": {escaped(found['reason'])}" if found["reason"] else ""
    return f"{escaped(found['criterion'])}: {escaped(found['metric'])} {numbers}{where}{often}{other}{why}"


def counts(one: Record) -> Counter[str]:
    """Returns how many disciplines have each verdict; drop-tail, to which they are compared, has none."""
    return Counter(judged["verdict"] for judged in _disciplines(one))


def _disciplines(one: Record) -> list[Record]:
    """Returns what is recorded of each discipline but drop-tail, the reference."""
    return [judged for judged in one["disciplines"] if judged["verdict"] != REFERENCE]
