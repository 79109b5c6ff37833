"""The summary table of RFC 7928 section 13, and the overall result of a discipline in its scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ackclock.characterisation.words import INFO
from ackclock.evaluation.words import CONCERN, OK, UNDECIDED

COUNTED = (OK, CONCERN, UNDECIDED, INFO)
"""The verdicts on a discipline in a scenario, in the order in which their counts are shown."""


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


@dataclass(frozen=True)
class Overall:
    """The result of a discipline in the scenarios that must be considered."""

    counts: Mapping[str, int]
    """The number of scenarios with each verdict."""
    concerns: tuple[str, ...]
    """The sections with a concern."""
    missing: tuple[str, ...]
    """The sections that were not run."""


def lines(sections: Sequence[str]) -> list[tuple[Line, list[str]]]:
    """Returns the table, each line with those of its scenarios that ran."""
    return [(line, [run for run in line.runs if run in sections]) for line in TABLE]


def overall(discipline: str, verdicts: Mapping[str, Mapping[str, str]]) -> Overall:
    """Returns the result of ``discipline`` in the scenarios that must be considered; ``verdicts`` are by section and
    discipline.
    """
    must = [run for line in TABLE if line.must for run in line.runs]
    found = {run: verdicts[run][discipline] for run in must if discipline in verdicts.get(run, {})}
    return Overall(
        {word: sum(one == word for one in found.values()) for word in COUNTED},
        tuple(run for run, word in found.items() if word == CONCERN),
        tuple(run for run in must if run not in found),
    )
