"""What full runs of the studies found, kept as data of the package. Pages are made of it by the modules beside it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ackclock._archive import folder
from ackclock._numbers import ranges
from ackclock.experiment.sample_words import SampleWords
from ackclock.study.computed import words_of_means
from ackclock.study.fingerprint import fingerprint
from ackclock.study.load import LoadedStudy, load_study, study_names
from ackclock.study.model import Verdict
from ackclock.study.records import Values, means_of
from ackclock.study.verdict_status import hangs, status_of

FOLDER = folder("records")


@dataclass(frozen=True)
class Origin:
    """When, from what and on what the numbers were made. The name of the machine is left out."""

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
            verdict = status_of(outcome, tests[claim["id"]], study)
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


def words_of(one: Record, study: LoadedStudy) -> SampleWords | None:
    """What a computed number can name: the recorded means; None where the record lacks one that the study has."""
    means = means_of(one.values, study.study)
    return None if means is None else words_of_means(means, study.study.runs())


def is_stale(one: Record, study: LoadedStudy) -> bool:
    """Whether the study has changed since in what its numbers depend on."""
    return one.fingerprint != fingerprint(study.study)


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
