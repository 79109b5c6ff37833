"""The summary table of RFC 7928 section 13, and the overall result of a discipline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ackclock.characterisation.arms import BASELINE
from ackclock.characterisation.verdicts import Verdict


@dataclass(frozen=True)
class Line:
    """A line of the table. ``runs`` are the sections of our scenarios; none if the line is only text."""

    scenario: str
    section: str
    requirement: str
    runs: tuple[str, ...]
    must: bool = False


TABLE = (
    Line("Interaction with ECN", "4.5", "must be discussed if supported", ("4.5",)),
    Line("Interaction with scheduling", "4.6", "should be discussed", ()),
    Line("TCP-friendly sender", "5.1", "must be considered", ("5.1.1", "5.1.2"), must=True),
    Line("Aggressive sender", "5.2", "must be considered", ("5.2",), must=True),
    Line("Unresponsive sender", "5.3", "must be considered", ("5.3a", "5.3b"), must=True),
    Line("Less-than-best-effort sender", "5.4", "may be considered", ("5.4",)),
    Line("RTT fairness", "6.2", "must be considered", ("6.2",), must=True),
    Line(
        "Burst absorption", "7.2", "must be considered", ("7.2-I", "7.2-II", "7.2-III", "7.2-IV"), must=True
    ),
    Line("Varying congestion levels", "8.2.5", "must be considered", ("8.2.5",), must=True),
    Line("Varying available capacity", "8.2.6", "must be considered", ("8.2.6-1", "8.2.6-2"), must=True),
    Line("Parameters and stability", "8.3", "should be discussed", ("8.3",)),
    Line("Traffic mix", "9.1", "recommended", ("9.1",)),
    Line("Bidirectional traffic", "9.2", "may be considered", ("9.2",)),
    Line("Several disciplines in series", "10.2", "may be considered", ("10.2-i", "10.2-ii", "10.2-iii")),
    Line("Other link rates", "12", "our choice of scenarios", ("8.2-R1", "8.2-R100")),
)
ONE_SETTING = ("6.1", "8.2.5", "8.2.6-1", "8.2.6-2", "8.2-R1", "8.2-R100")
"""The scenarios in which the defaults should work unchanged (section 12); the choice is ours."""
LEAST_PASSES = 8
"""The number of must-be-considered scenarios to pass for "better than drop-tail and safe"; our choice."""


@dataclass(frozen=True)
class Overall:
    """The overall result of a discipline. ``missing`` are the scenarios that must be considered and were not run."""

    passes: int
    cautions: int
    failures: int
    undecided: int
    missing: tuple[str, ...]
    better_and_safe: bool
    one_setting: int
    """The number of scenarios of ``ONE_SETTING`` in which the defaults pass."""
    baseline: bool


def lines(sections: Sequence[str]) -> list[tuple[Line, list[str]]]:
    """Returns the table, each line with those of its scenarios that ran."""
    return [(line, [run for run in line.runs if run in sections]) for line in TABLE]


def overall(discipline: str, verdicts: Mapping[str, Mapping[str, Verdict]]) -> Overall:
    """Returns the overall result of ``discipline`` in the scenarios that must be considered; ``verdicts`` are by
    section and discipline.
    """
    must = [run for line in TABLE if line.must for run in line.runs]
    found = [verdicts.get(run, {}).get(discipline) for run in must]
    passes, failures = found.count(Verdict.PASS), found.count(Verdict.FAIL)
    missing = tuple(run for run, verdict in zip(must, found, strict=True) if verdict is None)
    return Overall(
        passes=passes,
        cautions=found.count(Verdict.CAUTION),
        failures=failures,
        undecided=found.count(Verdict.UNDECIDED),
        missing=missing,
        better_and_safe=not failures
        and Verdict.UNDECIDED not in found
        and passes >= LEAST_PASSES
        and not missing,
        one_setting=sum(verdicts.get(run, {}).get(discipline) is Verdict.PASS for run in ONE_SETTING),
        baseline=discipline == BASELINE,
    )
