"""Verdicts counted over many studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ackclock.study.model import Verdict
from ackclock.study.result import StudyResult, Thesis


@dataclass(frozen=True)
class ThesisTally:
    """The studies of one thesis."""

    thesis: Thesis
    studies: int
    verdicts: Mapping[Verdict, int]


def verdicts_of(results: Iterable[StudyResult]) -> dict[Verdict, int]:
    """How many claims of all these studies have each verdict, in the order of decreasing success."""
    total: dict[Verdict, int] = {"reproduced": 0, "direction only": 0, "not reproduced": 0}
    for result in results:
        for verdict, count in result.verdicts().items():
            total[verdict] += count
    return total


def by_thesis(results: Iterable[StudyResult]) -> list[ThesisTally]:
    """A tally for each thesis, in the order in which their first studies come."""
    groups: dict[str, list[StudyResult]] = {}
    for result in results:
        groups.setdefault(result.source.thesis.key, []).append(result)
    return [ThesisTally(group[0].source.thesis, len(group), verdicts_of(group)) for group in groups.values()]
