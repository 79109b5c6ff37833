"""Whether what records keep comes out again: the first replications of a study run anew, compared claim by claim."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ackclock.pages.records import Record, is_stale, rounded_sample
from ackclock.study.load import LoadedStudy, load_study
from ackclock.study.plan import Plan
from ackclock.study.run import run_studies

ACROSS = "cross_fitted"
"""What a claim measures with it in one replication depends on the others."""


@dataclass(frozen=True)
class Check:
    """What became of a record: the claims whose samples were compared, and those that came out otherwise."""

    study: str
    compared: int
    differing: tuple[str, ...]


def worth(
    records: Iterable[Record], packets: float, replications: int
) -> Iterator[tuple[Record, LoadedStudy]]:
    """Records that can be compared, whose first replications are expected to send no more packets than that."""
    for one in records:
        study = load_study(one.study)
        if is_stale(one, study) or not any(claim.samples for claim in one.claims):
            continue
        plan = Plan(_short(study, replications), quick=False, sensitivity=False)
        plan.check()
        if sum(planned.cost for planned in plan.simulations()) <= packets:
            yield one, study


def checked(
    pairs: Iterable[tuple[Record, LoadedStudy]], replications: int, threads: int = 0
) -> Iterator[Check]:
    """Run the first replications of each study under the reading taken, and compare."""
    for one, study in pairs:
        (result,) = run_studies([_short(study, replications)], sensitivity=False, threads=threads)
        kept = {claim.id: claim for claim in one.claims}
        across = {claim.id for claim in study.study.claims if ACROSS in claim.measured}
        compared = [
            claim.id
            for claim in result.claims
            if claim.id in kept and claim.id not in across and kept[claim.id].samples
        ]
        now = {claim.id: [rounded_sample(sample) for sample in claim.samples] for claim in result.claims}
        differing = [id for id in compared if list(kept[id].samples[:replications]) != now[id][:replications]]
        yield Check(one.study, len(compared), tuple(differing))


def _short(study: LoadedStudy, replications: int) -> LoadedStudy:
    fewer = {"replications": replications, "replications_most": replications, "precision": None}
    return dataclasses.replace(study, study=study.study.model_copy(update=fewer))
