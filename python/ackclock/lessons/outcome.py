"""What the runs of a lesson come to, and whether its statements are true of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from ackclock.lessons import Check, Lesson
from ackclock.run import Runs
from ackclock.scenario import Scenario
from ackclock.statistics import Summary, summarise
from ackclock.study.claim_words import ClaimWords
from ackclock.study.language import Array, Expression
from ackclock.study.model import SweptCase
from ackclock.study.run_words import measure, needs_series
from ackclock.study.truth import Truth

REPLICATIONS = 5
"""Seeds of each variant: enough for an interval, few enough for a lesson."""


@dataclass(frozen=True)
class Outcome:
    """The runs of each variant of a lesson, by its label."""

    lesson: Lesson
    runs: Mapping[str, Runs]

    @cached_property
    def samples(self) -> Mapping[str, Mapping[str, Array]]:
        """Of each measure and variant, a number for each seed."""
        return {
            one.id: {
                label: np.array([measure(Expression(one.expr), run.result) for run in runs])
                for label, runs in self.runs.items()
            }
            for one in self.lesson.measures
        }

    def summary(self, id: str, label: str) -> Summary:
        """Mean and 95 % interval of a measure of a variant."""
        return summarise(self.samples[id][label])

    def table(self) -> pl.DataFrame:
        """One row per variant: of each measure the mean over the seeds and the half width of its 95 % interval."""
        columns: dict[str, list[str | float | None]] = {"": list(self.runs)}
        for one in self.lesson.measures:
            found = [self.summary(one.id, label) for label in self.runs]
            columns[one.title] = [summary.mean for summary in found]
            columns[f"± {one.id}"] = [summary.half_width for summary in found]
        return pl.DataFrame(columns)

    def truth(self, check: Check) -> Truth:
        """How surely a check holds, by the paired differences over the seeds."""
        cases = [SweptCase.model_construct(name=label, value=None) for label in self.runs]
        return Expression(check.holds).truth(ClaimWords(self.samples, cases))


def play(lesson: Lesson, replications: int = REPLICATIONS) -> Outcome:
    """Run every variant of the lesson with so many seeds, on all cores."""
    series = any(needs_series(Expression(one.expr)) for one in lesson.measures)
    scenario = Scenario.from_text(lesson.scenario, file=f"{lesson.name}.toml")
    runs = {
        variant.label: scenario.with_overrides(variant.set).run_many(replications=replications, series=series)
        for variant in lesson.variants
    }
    return Outcome(lesson, runs)
