"""What full runs of the scenarios of RFC 7928 found, as data in the archive, and the page made from it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ackclock._archive import folder
from ackclock._numbers import duration, mean_and_spread, ranges
from ackclock.characterisation.judge import REFERENCE
from ackclock.characterisation.summary import COUNTED, TABLE, overall
from ackclock.evaluation.words import CONCERN, OK, WORST_FIRST
from ackclock.pages.markdown import escaped, row
from ackclock.pages.records import Origin
from ackclock.study.fingerprint import fingerprint
from ackclock.study.load import LoadedStudy, load_study, study_names

FOLDER = folder("characterisation")
WORDS = {CONCERN: f"**{CONCERN}**", REFERENCE: "–"}
"""How words are shown that are not shown as they are."""


@dataclass(frozen=True)
class Criterion:
    """A criterion of a discipline: the worst of its metrics and settings, and of how many that is true."""

    criterion: str
    kind: str
    verdict: str
    metric: str
    setting: str
    mean: float | None
    interval: tuple[float, float] | None
    of: int
    """Metrics and settings that it was put to."""
    alike: int
    """Those with the same verdict."""
    reason: str = ""


@dataclass(frozen=True)
class Discipline:
    """A discipline in the scenario."""

    discipline: str
    label: str
    verdict: str
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True)
class Record:
    """The file of a scenario."""

    study: str
    section: str
    fingerprint: str
    """Of the scenario as it ran, to tell when it has changed since."""
    origin: Origin
    replications: int
    seeds: str
    simulations: int
    cpu_time_s: float | None
    disciplines: tuple[Discipline, ...]

    def to_json(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    def counts(self) -> Counter[str]:
        """How many disciplines have each verdict; drop-tail, which they are held against, has none."""
        return Counter(one.verdict for one in self.disciplines if one.verdict != REFERENCE)

    def says_the_same(self, other: Record) -> bool:
        """Whether both come from one result: only what is not in the result itself may differ."""
        mine, theirs = asdict(self), asdict(other)
        for document in (mine, theirs):
            document["origin"] = document["origin"]["date"]
        return bool(mine == theirs)


def record(result: Mapping[str, Any], origin: Origin) -> Record:
    """The record of a scenario in the document of ``ackclock reproduce --json``. ValueError for one to be refused."""
    if result["quick"]:
        raise ValueError(f"{result['name']}: a quick run; only full ones are recorded")
    labels = {
        case["name"].partition("[")[0].partition("+")[0]: case["label"].partition(", ")[0]
        for case in result["cases"]
    }
    seeds = {tuple(case["seeds"]) for case in result["cases"]}
    about = result["characterisation"]
    return Record(
        study=result["name"],
        section=about["section"],
        fingerprint=result["fingerprint"],
        origin=origin,
        replications=result["replications"],
        seeds=ranges(seeds.pop()) if len(seeds) == 1 else "differ between cases",
        simulations=result["runs"],
        cpu_time_s=_rounded(result["cpu_time_s"], 3),
        disciplines=tuple(
            Discipline(
                discipline=one["discipline"],
                label=labels[one["discipline"]],
                verdict=one["verdict"],
                criteria=tuple(_criteria(one["findings"])),
            )
            for one in about["disciplines"]
        ),
    )


def read(path: Path) -> Record:
    """The record in a file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    disciplines = tuple(
        Discipline(
            **{
                **one,
                "criteria": tuple(
                    Criterion(**{**found, "interval": _pair(found["interval"])}) for found in one["criteria"]
                ),
            }
        )
        for one in document.pop("disciplines")
    )
    return Record(**{**document, "origin": Origin(**document["origin"]), "disciplines": disciplines})


def write(new: Record, folder: Path = FOLDER) -> bool:
    """Write the scenario's file; whether that changed anything. A result that was recorded before stays as it is."""
    path = folder / f"{new.section}.json"
    if path.exists() and read(path).says_the_same(new):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(new.to_json(), encoding="utf-8")
    return True


def all_records(folder: Path = FOLDER) -> dict[str, Record]:
    """All records by the names of their studies."""
    found = [read(path) for path in sorted(folder.glob("*.json"))]
    return {one.study: one for one in found}


@lru_cache(maxsize=1)
def scenarios() -> list[LoadedStudy]:
    """The scenarios of RFC 7928 in the package."""
    studies = [load_study(name) for name in study_names()]
    return [study for study in studies if study.study.characterisation is not None]


def generated() -> str:
    """The generated part of docs/characterisation.md."""
    return page(all_records(), scenarios())


def page(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> str:
    """The records as Markdown: the verdicts of all, what each discipline comes to, then every scenario."""
    parts = [*_matrix(records, studies), "", *_overall(records), ""]
    for study in studies:
        parts += _scenario(records.get(study.name), study)
    return "\n".join(parts).rstrip()


def is_stale(one: Record, study: LoadedStudy) -> bool:
    """Whether the scenario has changed since in what its numbers depend on."""
    return one.fingerprint != fingerprint(study.study)


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
        found = {judged.discipline: WORDS.get(judged.verdict, judged.verdict) for judged in one.disciplines}
        counts = one.counts()
        yield row(
            f"{about.section} {about.short}",
            *(counts[verdict] for verdict in COUNTED),
            *(found.get(name, "·") for name in labels),
        )


def _labels(records: Mapping[str, Record]) -> dict[str, str]:
    most = sorted(records.values(), key=lambda one: -len(one.disciplines))
    return {row.discipline: row.label for one in most for row in one.disciplines if row.verdict != REFERENCE}


def _overall(records: Mapping[str, Record]) -> Iterator[str]:
    verdicts = {
        one.section: {row.discipline: row.verdict for row in one.disciplines} for one in records.values()
    }
    must = sum(len(line.runs) for line in TABLE if line.must)
    yield f"Of the {must} scenarios that section 13 says must be considered:"
    yield ""
    yield row("discipline", *COUNTED, "concerns in")
    yield row("---", *["---:"] * len(COUNTED), "---")
    for name, label in _labels(records).items():
        found = overall(name, verdicts)
        where = ", ".join(found.concerns) or "none"
        where += f"; not recorded: {', '.join(found.missing)}" if found.missing else ""
        yield row(escaped(label), *(found.counts[one] for one in COUNTED), where)


def _scenario(one: Record | None, study: LoadedStudy) -> Iterator[str]:
    about = study.study.characterisation
    if about is None:
        return
    yield f"## {about.section} {escaped(study.study.title)}"
    yield ""
    yield f"`{study.name}`, {about.requirement}. {escaped(about.demand)}"
    yield ""
    if about.lacks:
        yield "Weaker than the section, or left out:"
        yield ""
        yield from (f"* {escaped(lack)}" for lack in about.lacks)
        yield ""
    if one is None:
        yield "Not recorded yet."
        yield ""
        return
    facts = f"{one.replications} replications (seeds {one.seeds}), {one.simulations} simulations"
    facts += f", about {duration(one.cpu_time_s)} of CPU time" if one.cpu_time_s is not None else ""
    yield f"{facts}. Recorded {one.origin}."
    yield ""
    if is_stale(one, study):
        yield "**Recorded before the scenario changed**: a new run may have other numbers and verdicts."
        yield ""
    rows = [judged for judged in one.disciplines if judged.verdict != REFERENCE and judged.criteria]
    if not rows:
        yield "Numbers without a verdict; the report has them."
        yield ""
        return
    yield row("discipline", "verdict", "what does not hold")
    yield row("---", "---", "---")
    for judged in rows:
        reasons = [found for found in judged.criteria if found.verdict != OK and found.mean is not None]
        shown = WORDS.get(judged.verdict, judged.verdict)
        yield row(escaped(judged.label), shown, "; ".join(_reason(found) for found in reasons))
    yield ""


def _reason(found: Criterion) -> str:
    numbers = mean_and_spread(found.mean, found.interval)
    where = f" ({escaped(found.setting)})" if found.setting else ""
    often = f", and {found.alike - 1} more" if found.alike > 1 else ""
    other = f", {found.verdict}" if found.verdict != CONCERN else ""
    why = f": {escaped(found.reason)}" if found.reason else ""
    return f"{escaped(found.criterion)}: {escaped(found.metric)} {numbers}{where}{often}{other}{why}"


def _criteria(findings: Sequence[Mapping[str, Any]]) -> Iterator[Criterion]:
    by_criterion: dict[str, list[Mapping[str, Any]]] = {}
    for finding in findings:
        by_criterion.setdefault(finding["criterion"], []).append(finding)
    for criterion, found in by_criterion.items():
        worst = min(found, key=lambda one: WORST_FIRST.index(one["verdict"]))
        interval = worst["interval"]
        yield Criterion(
            criterion=criterion,
            kind=worst["kind"],
            verdict=worst["verdict"],
            metric=worst["metric"],
            setting=worst["setting"],
            mean=_rounded(worst["mean"], 4),
            interval=None if interval is None else _pair([_rounded(end, 4) for end in interval]),
            of=len(found),
            alike=sum(one["verdict"] == worst["verdict"] for one in found),
            reason=worst["reason"],
        )


def _pair(ends: Sequence[float | None] | None) -> tuple[float, float] | None:
    return None if ends is None else (float(ends[0] or 0.0), float(ends[1] or 0.0))


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")
