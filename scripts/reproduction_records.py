"""What full runs of the studies found, kept as data of the package, and the page that is made of it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ackclock.numbers import duration, mean_and_spread, plain, ranges
from ackclock.study.claim_words import ClaimWords
from ackclock.study.computed import words_of_means
from ackclock.study.findings import with_numbers
from ackclock.study.fingerprint import fingerprint
from ackclock.study.load import LoadedStudy, load_study, study_names, theses
from ackclock.study.model import Finding, Verdict
from ackclock.study.plan import Plan
from ackclock.study.records import Values, means_of
from ackclock.study.result import ORDER, tested
from ackclock.study.standing import hangs, standing
from ackclock.study.tally import KINDS, Kind

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "python" / "ackclock" / "records"


@dataclass(frozen=True)
class Origin:
    """When, from what and on what the numbers were made. Where it was is nobody's business."""

    date: str
    commit: str
    processor: str
    cores: int
    system: str

    def __str__(self) -> str:
        return (
            f"{self.date}, commit `{self.commit}`, on {self.processor} with {self.cores} cores, {self.system}"
        )


@dataclass(frozen=True)
class Reading:
    """Another reading of what the publication leaves open, under which a claim comes out otherwise."""

    reading: str
    """What is left open, and what is taken for it."""
    verdict: Verdict
    against: bool = False
    """Whether the publication speaks against it."""


@dataclass(frozen=True)
class Claim:
    """A claim and what was measured.

    ``samples`` has what was measured in each replication, in the order of seeds, so that a claim can be judged again.
    """

    id: str
    text: str
    unit: str
    published: float | None
    measured: float | None
    interval: tuple[float, float] | None
    verdict: Verdict
    outcome: Verdict | None = None
    """How the test came out as taken, where the verdict says another thing."""
    readings: tuple[Reading, ...] = ()
    unnamed_readings: int = 0
    """How many other readings decide it otherwise, in a record that does not name them."""
    baselines: bool = False
    replications_needed: int | None = None
    samples: tuple[float | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As it stands in the file: without what is usual."""
        usual = {field.name: field.default for field in fields(self)}
        document = {name: value for name, value in vars(self).items() if value != usual[name]}
        if self.readings:
            document["readings"] = [
                {"reading": one.reading, "verdict": one.verdict, **({"against": True} if one.against else {})}
                for one in self.readings
            ]
        return document


@dataclass(frozen=True)
class Record:
    """A study's file."""

    study: str
    fingerprint: str
    """Of the study as it ran, to tell when it has changed since."""
    origin: Origin
    replications: int
    seeds: str
    simulations: int
    readings: int
    """Other readings of the thesis that were run as well."""
    cpu_time_s: float | None
    claims: tuple[Claim, ...]
    values: Values
    """Of every metric in every run; empty in a record of an earlier form."""

    def to_json(self) -> str:
        """As it stands in the file: a line for each claim and for the values of each run."""
        head = {**vars(self), "origin": asdict(self.origin)}
        del head["claims"], head["values"]
        lines = [f" {_compact(key)}: {_compact(value)}," for key, value in head.items()]
        claims = [f"  {_compact(claim.to_dict())}" for claim in self.claims]
        values = [f"  {_compact(run)}: {_compact(of_run)}" for run, of_run in self.values.items()]
        lines += [' "claims": [', *_listed(claims), " ],", ' "values": {', *_listed(values), " }"]
        return "\n".join(["{", *lines, "}"]) + "\n"

    def says_the_same(self, other: Record) -> bool:
        """Whether both come from one result: only what is not in the result itself may differ."""
        mine, theirs = asdict(self), asdict(other)
        for document in (mine, theirs):
            document["origin"] = document["origin"]["date"]
        return bool(mine == theirs)

    def counts(self) -> Counter[str]:
        """How many claims have each verdict."""
        return Counter(claim.verdict for claim in self.claims)


def record(result: Mapping[str, Any], origin: Origin) -> Record:
    """The record of a study in the document of ``ackclock reproduce --json``. ValueError for one to be refused."""
    if result["quick"]:
        raise ValueError(f"{result['name']}: a quick run; only full ones are recorded")
    if result["name"].endswith(".toml"):
        raise ValueError(f"{result['name']}: not a study of the package")
    result = _of_today(result)
    seeds = {tuple(case["seeds"]) for case in result["cases"]}
    return Record(
        study=result["name"],
        fingerprint=result["fingerprint"],
        origin=origin,
        replications=result["replications"],
        seeds=ranges(seeds.pop()) if len(seeds) == 1 else "differ between cases",
        simulations=result["runs"],
        readings=len(result["sensitivity"]),
        cpu_time_s=_rounded(result["cpu_time_s"], 3),
        claims=tuple(_claim(claim, result["sensitivity"]) for claim in result["claims"]),
        values={
            case["name"]: {value["metric"]: _value(value) for value in case["values"]}
            for case in result["cases"]
        },
    )


def _of_today(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """A result of an earlier version, which has no outcomes beside its verdicts, with verdicts as they count today."""
    if all("outcome" in claim for claim in result["claims"]):
        return result
    study = load_study(result["name"]).study if result["name"] in study_names() else None
    tests = {claim.id: claim for claim in study.claims} if study is not None else {}
    claims = []
    for claim in result["claims"]:
        outcome = verdict = claim["verdict"]
        others = [
            other["verdict"]
            for reading in result["sensitivity"]
            for other in reading["claims"]
            if other["id"] == claim["id"]
        ]
        if hangs(outcome, others):
            verdict = "hangs on the reading"
        elif study is not None and claim["id"] in tests:
            verdict = standing(outcome, tests[claim["id"]], study)
        claims.append({**claim, "verdict": verdict, "outcome": outcome})
    return {**result, "claims": claims}


def read(path: Path) -> Record:
    """The record in a file, also in one of an earlier form."""
    document = json.loads(path.read_text(encoding="utf-8"))
    claims = tuple(_claim_in_file(claim) for claim in document.pop("claims"))
    return Record(
        **{
            **document,
            "origin": Origin(**document["origin"]),
            "claims": claims,
            "values": {
                run: {metric: tuple(value) for metric, value in of_run.items()}
                for run, of_run in document.get("values", {}).items()
            },
        }
    )


def _claim_in_file(claim: Mapping[str, Any]) -> Claim:
    known = dict(claim)
    # Records of an earlier form count the readings that decide otherwise, and have no values.
    unnamed = known.pop("other_verdict", 0)
    return Claim(
        **{
            **known,
            "interval": tuple(known["interval"]) if known["interval"] else None,
            "readings": tuple(Reading(**one) for one in known.get("readings", ())),
            "unnamed_readings": unnamed,
            "samples": tuple(known.get("samples", ())),
        }
    )


def write(new: Record, folder: Path = FOLDER) -> bool:
    """Write the study's file; whether that changed anything. A result that was recorded before stays as it is."""
    path = folder / f"{new.study}.json"
    if path.exists() and _readable(path) and read(path).says_the_same(new):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(new.to_json(), encoding="utf-8")
    return True


def all_records(folder: Path = FOLDER) -> dict[str, Record]:
    """All records by the names of their studies."""
    found = [read(path) for path in folder.glob("*/*.json")]
    return {one.study: one for one in found}


def page(records: Mapping[str, Record], studies: Sequence[LoadedStudy]) -> str:
    """The records as Markdown: counts of each thesis, then every claim."""
    theses: dict[str, list[LoadedStudy]] = {}
    for study in studies:
        theses.setdefault(study.thesis.key, []).append(study)
    parts = [*_counted(records, theses), ""]
    for members in theses.values():
        parts += _thesis(records, members)
    return "\n".join(parts).rstrip()


def generated() -> str:
    """The generated part of docs/reproduction.md."""
    studies = [load_study(name) for name in study_names()]
    return page(all_records(), [study for study in studies if study.thesis.key in theses()])


def claims(name: str) -> str:
    """The recorded claims of a study that asks questions of our own: each with its answer, as a table."""
    one = all_records().get(name)
    if one is None:
        return f"Not recorded yet: `ackclock reproduce {name}`."
    study = load_study(name)
    rows = [_row("that", "measured", "holds"), _row("---", "---:", "---")]
    words = {claim.id: claim.text for claim in study.study.claims}
    for claim in one.claims:
        unit = f" {claim.unit}" if claim.unit else ""
        measured = f"{mean_and_spread(claim.measured, claim.interval)}{unit}"
        others = len(claim.readings) or claim.unnamed_readings
        answer = _verdict(claim)
        if others:
            answer += f" (otherwise in {others} of {_number_of(one.readings, 'variant')}{_named(claim)})"
        rows.append(_row(_escaped(words.get(claim.id, claim.text)), measured, answer))
    stale = "; recorded before the study changed" if is_stale(one, study) else ""
    facts = f"{one.replications} replications, {one.simulations} simulations, recorded {one.origin}{stale}."
    return "\n".join([facts, "", *rows])


def _named(claim: Claim) -> str:
    """The variants in which a claim comes out otherwise, after their number."""
    return "".join(
        f"{'; ' if number else ': '}{_escaped(reading.reading)}, {reading.verdict}"
        for number, reading in enumerate(claim.readings)
    )


def words_of(one: Record, study: LoadedStudy) -> ClaimWords | None:
    """What a computed number can name: the recorded means; None where the record lacks one that the study has."""
    means = means_of(one.values, study.study)
    return None if means is None else words_of_means(means, study.study.runs())


def is_stale(one: Record, study: LoadedStudy) -> bool:
    """Whether the study has changed since in what its numbers depend on."""
    return one.fingerprint != fingerprint(study.study)


def _counted(records: Mapping[str, Record], theses: Mapping[str, Sequence[LoadedStudy]]) -> Iterator[str]:
    """A row for each thesis and kind of claim: its own systems, its baselines alone, questions that it never asked.

    What is not a test stands in its own column and in no other.
    """
    fresh = {
        study.name: records[study.name]
        for members in theses.values()
        for study in members
        if study.name in records and not is_stale(records[study.name], study)
    }
    verdicts = [name for name in ORDER if any(one.counts()[name] for one in fresh.values())]
    yield _row("thesis", "studies", "claims", *verdicts)
    yield _row(*["---"] + ["---:"] * (2 + len(verdicts)))
    total, stale, everything, counted = Counter[Verdict](), 0, 0, 0
    for all_members in theses.values():
        members = [study for study in all_members if study.name in fresh]
        stale += sum(study.name in records for study in all_members) - len(members)
        everything += len(all_members)
        counted += len(members)
        if not members:
            continue
        thesis = members[0].thesis
        for kind, about in KINDS.items():
            claims = [
                (study.name, claim.verdict)
                for study in members
                for claim in fresh[study.name].claims
                if _kind(claim, study) == kind
            ]
            counts = Counter(verdict for _, verdict in claims)
            if claims:
                name = f"{thesis.author} ({thesis.year})" + (f", {about}" if about else "")
                studies = len({study for study, _ in claims})
                yield _row(name, studies, tested(counts), *(counts[verdict] for verdict in verdicts))
            total += counts
    yield _row("all", counted, tested(total), *(total[verdict] for verdict in verdicts))
    if stale:
        yield ""
        yield f"{stale} studies were recorded before they changed. They say so below, and are not counted."
    if counted + stale < everything:
        yield ""
        yield f"{everything - counted - stale} studies are not recorded yet."
    both = [
        (one, study) for members in theses.values() for study in members if (one := fresh.get(study.name))
    ]
    within = [deciding for one, study in both if (deciding := would_decide(one, study))]
    if within:
        yield ""
        yield (
            f"Of the undecided claims {sum(map(len, within))}, in {len(within)} studies, are within the replications "
            "to which a full run of today goes on by itself; their records are from before it did."
        )
    alone = sum(_readings_left_out(one, study) for one, study in both)
    if alone:
        yield ""
        yield (
            f"{alone} studies were recorded without the other readings of what a thesis leaves open, and say so below. "
            "What readings change is in the findings, and in the report that a run makes."
        )


def _number_of(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' if count != 1 else ''}"


def _readings_left_out(one: Record, study: LoadedStudy) -> bool:
    """Whether only the reading taken was run of a study that has others."""
    return not one.readings and any(assumption.alternatives for assumption in study.study.assumptions)


def would_decide(one: Record, study: LoadedStudy) -> list[Claim]:
    """Undecided claims that as many replications as a full run makes of itself would decide, and this one had not."""
    if one.replications > study.study.replications:  # it grew, once
        return []
    most = Plan(study, quick=False, sensitivity=False).replications_most
    return [claim for claim in one.claims if (claim.replications_needed or most + 1) <= most]


def _kind(claim: Claim, study: LoadedStudy) -> Kind:
    if study.study.source.asked_by == "us":
        return "ours"
    return "baselines" if claim.baselines else "systems"


def _thesis(records: Mapping[str, Record], members: Sequence[LoadedStudy]) -> Iterator[str]:
    thesis = members[0].thesis
    yield f"## {thesis.author} ({thesis.year})"
    yield ""
    yield f"{_escaped(thesis.title)}. {thesis.degree}, {thesis.where}."
    yield ""
    origins = Counter(records[study.name].origin for study in members if study.name in records)
    usual = origins.most_common(1)[0][0] if origins else None
    if usual is not None:
        yield (
            f"Recorded {usual}"
            + ("" if len(origins) == 1 else ", where a study does not say otherwise")
            + "."
        )
        yield ""
    for study in members:
        if study.name in records:
            yield from _study(records[study.name], study, usual)
    missing = [study.name for study in members if study.name not in records]
    if missing:
        yield "Not recorded yet: " + ", ".join(f"`{name}`" for name in missing) + "."
        yield ""


def _study(one: Record, study: LoadedStudy, usual: Origin | None) -> Iterator[str]:
    yield f"### `{one.study}`"
    yield ""
    source = study.study.source
    section = f", section {source.section}" if source.section else ""
    facts = f"{_escaped(study.study.title)} ({source.item}{section}). "
    facts += f"{one.replications} replications (seeds {one.seeds})"
    facts += f", {one.simulations} simulations"
    facts += f", about {duration(one.cpu_time_s)} of CPU time" if one.cpu_time_s is not None else ""
    facts += (
        f"; {_number_of(one.readings, 'other reading')} of what the thesis leaves open"
        if one.readings
        else ""
    )
    facts += "; without the other readings" if _readings_left_out(one, study) else ""
    yield f"{facts}."
    yield ""
    if one.origin != usual:
        yield f"Recorded {one.origin}."
        yield ""
    stale = is_stale(one, study)
    if stale:
        yield "**Recorded before the study changed**: a new run may have other numbers and verdicts."
        yield ""
    if study.study.source.setup_unknown:
        yield f"Set-up unknown: {_escaped(study.study.source.setup_unknown)}"
        yield ""
    if not one.claims:
        yield "No claims."
        yield ""
        return
    yield _row("claim", "published", "measured", "verdict")
    yield _row("---", "---:", "---:", "---")
    findings = with_numbers(study.study.findings, words_of(one, study))
    for claim in one.claims:
        said = _said(claim, study, findings, stale=stale)
        unit = f" {claim.unit}" if claim.unit else ""
        published = "" if claim.published is None else f"{plain(claim.published)}{unit}"
        measured = mean_and_spread(claim.measured, claim.interval)
        measured += unit if claim.measured is not None else ""
        verdict = _verdict(claim) if claim.verdict in ("reproduced", "yes") else f"**{_verdict(claim)}**"
        if claim.outcome:
            verdict += f" (as taken: {claim.outcome})"
        if claim.unnamed_readings:
            verdict += f" (another in {claim.unnamed_readings} of {_number_of(one.readings, 'reading')})"
        yield _row(said, published, measured, verdict)
    yield ""


def _said(claim: Claim, study: LoadedStudy, findings: Sequence[Finding], *, stale: bool) -> str:
    """The sentence of a claim, and what is to be known of its test and of its verdict."""
    test = next((one for one in study.study.claims if one.id == claim.id), None)
    parts = [f"{_escaped(claim.id)}: {_escaped(claim.text if stale or test is None else test.text)}"]
    if test is not None and test.written:
        parts.append(f"*The test: {_escaped(test.written)}*")
    if test is not None and claim.verdict == "not a test":
        parts.append(f"*Not judged: {_escaped(test.not_judged())}*")
    for reading in claim.readings:
        against = ", which the thesis speaks against" if reading.against else ""
        parts.append(f"*{_escaped(reading.reading)}: {reading.verdict}{against}*")
    parts += [
        f"**Finding:** {_escaped(finding.text)}"
        for finding in findings
        if finding.claim == claim.id and finding.explains(claim.verdict, claim.outcome)
    ]
    return "<br>".join(parts)


def _verdict(claim: Claim) -> str:
    """The verdict, and how many replications an undecided one would take."""
    needed = claim.replications_needed
    return claim.verdict + (f" (about {needed} replications would tell)" if needed is not None else "")


def _row(*cells: str | int) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _escaped(text: str) -> str:
    """``text`` in one line, without anything that Markdown would take for its own."""
    return re.sub(r"([\\`*_<>\[\]])", r"\\\1", " ".join(text.split()))


def _claim(claim: Mapping[str, Any], sensitivity: Sequence[Mapping[str, Any]]) -> Claim:
    interval, outcome = claim["interval"], claim.get("outcome", claim["verdict"])
    others = [(reading, other) for reading in sensitivity for other in reading["claims"]]
    return Claim(
        id=claim["id"],
        text=" ".join(claim["text"].split()),
        unit=claim["unit"],
        published=claim["paper"],
        measured=_rounded(claim["measured"]),
        interval=None if interval is None else (_rounded(interval[0]) or 0.0, _rounded(interval[1]) or 0.0),
        verdict=claim["verdict"],
        outcome=None if outcome == claim["verdict"] else outcome,
        readings=tuple(
            Reading(
                f"{reading['assumption']}: {reading['alternative']}",
                other["verdict"],
                bool(reading.get("against")),
            )
            for reading, other in others
            if other["id"] == claim["id"] and other["verdict"] != outcome
        ),
        baselines=claim["baselines"],
        replications_needed=claim["replications_needed"],
        samples=tuple(rounded_sample(sample) for sample in claim["samples"]),
    )


def _value(value: Mapping[str, Any]) -> tuple[float | None, ...]:
    """The mean, half the interval, and the published value where there is one."""
    half = None if value["interval"] is None else (value["interval"][1] - value["interval"][0]) / 2
    published = () if value["paper"] is None else (value["paper"],)
    return _rounded(value["mean"], 6), _rounded(half, 3), *published


def _compact(value: Any) -> str:
    """``value`` as JSON in one line, whole numbers without a decimal point."""
    return json.dumps(_whole(value), ensure_ascii=False, separators=(",", ":"))


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(inside) for key, inside in value.items()}
    return [_whole(inside) for inside in value] if isinstance(value, list | tuple) else value


def _listed(lines: Sequence[str]) -> list[str]:
    """The lines with commas between them."""
    return [f"{line}," for line in lines[:-1]] + list(lines[-1:])


def rounded_sample(sample: float | None) -> float | None:
    """A sample as a record keeps it: what divides by nothing is none."""
    return _rounded(sample if sample is None or math.isfinite(sample) else None, 6)


def _rounded(value: float | None, digits: int = 9) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _readable(path: Path) -> bool:
    """Whether the file is a record of this form; one of an earlier form is written anew."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return set(document) == {field.name for field in fields(Record)}
