"""What full runs of the studies found, kept as data of the package. Pages are made of it by the modules beside it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ackclock.numbers import ranges
from ackclock.study.fingerprint import fingerprint
from ackclock.study.load import LoadedStudy
from ackclock.study.model import Verdict

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
class Claim:
    """A claim and what was measured. ``other_verdict`` counts the other readings that change its verdict.

    ``samples`` has what was measured in each replication, in the order of seeds, so that a claim can be judged again.
    """

    id: str
    text: str
    unit: str
    published: float | None
    measured: float | None
    interval: tuple[float, float] | None
    verdict: Verdict
    other_verdict: int
    baselines: bool = False
    replications_needed: int | None = None
    samples: tuple[float | None, ...] = ()


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

    def to_json(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

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
    changed = Counter(id for reading in result["sensitivity"] for id in reading["changed"])
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
        claims=tuple(_claim(claim, changed[claim["id"]]) for claim in result["claims"]),
    )


def read(path: Path) -> Record:
    """The record in a file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    claims = tuple(
        Claim(
            **{
                **claim,
                "interval": tuple(claim["interval"]) if claim["interval"] else None,
                "samples": tuple(claim.get("samples", ())),
            }
        )
        for claim in document.pop("claims")
    )
    return Record(**{**document, "origin": Origin(**document["origin"]), "claims": claims})


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


def is_stale(one: Record, study: LoadedStudy) -> bool:
    """Whether the study has changed since in what its numbers depend on."""
    return one.fingerprint != fingerprint(study.study)


def _claim(claim: Mapping[str, Any], other_verdict: int) -> Claim:
    interval = claim["interval"]
    return Claim(
        id=claim["id"],
        text=" ".join(claim["text"].split()),
        unit=claim["unit"],
        published=claim["paper"],
        measured=_rounded(claim["measured"]),
        interval=None if interval is None else (_rounded(interval[0]) or 0.0, _rounded(interval[1]) or 0.0),
        verdict=claim["verdict"],
        other_verdict=other_verdict,
        baselines=claim["baselines"],
        replications_needed=claim["replications_needed"],
        samples=tuple(rounded_sample(sample) for sample in claim["samples"]),
    )


def rounded_sample(sample: float | None) -> float | None:
    """A sample as a record keeps it: what divides by nothing is none."""
    return _rounded(sample if sample is None or math.isfinite(sample) else None, 6)


def _rounded(value: float | None, digits: int = 9) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _readable(path: Path) -> bool:
    """Whether the file is a record of this form; one of an earlier form is written anew."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return set(document) == {field.name for field in fields(Record)}
