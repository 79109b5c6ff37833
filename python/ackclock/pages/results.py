"""The recorded results of studies, as pages show them, and the cells of their tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ackclock._numbers import mean_and_spread, number_of, plain
from ackclock.experiment.sample_words import SampleWords
from ackclock.pages.markdown import escaped
from ackclock.study import verdict
from ackclock.study.computed import words_of_means
from ackclock.study.interpretations import FAILS
from ackclock.study.load import LoadedStudy, load_study, study_names, theses
from ackclock.study.records import Origin, read, result_of
from ackclock.study.result import ClaimResult, StudyResult


@dataclass(frozen=True)
class Recorded:
    """A study with the result of its record."""

    study: LoadedStudy
    result: StudyResult
    origin: Origin

    @property
    def words(self) -> SampleWords | None:
        """Returns what a computed number can name: the recorded means; None if the record lacks one."""
        runs, found = self.study.study.runs(), {case.name: case for case in self.result.cases}
        if any(run.name not in found for run in runs):
            return None
        means = {
            metric.id: {run.name: found[run.name].values[metric.id].mean for run in runs}
            for metric in self.study.study.metrics
        }
        return words_of_means(means, runs)

    @property
    def facts(self) -> str:
        """Returns how much was run, when and on what, in a sentence."""
        runs, seeds = number_of(self.result.runs, "simulation"), number_of(self.result.replications, "seed")
        return f"{runs}, at most {seeds} per case, recorded on {made(self.origin)}."


def made(origin: Origin) -> str:
    """Returns when, from what and on what numbers were made."""
    return f"{origin.date}, commit `{origin.commit}`, on {origin.processor} with {origin.cores} cores, {origin.system}"


@cache
def recorded(name: str) -> Recorded | None:
    """Returns a study with its recorded result; None if it has none, or the study or the physics has changed since."""
    record, result = read(name), result_of(name)
    return None if record is None or result is None else Recorded(load_study(name), result, record.origin)


@cache
def of_theses() -> Sequence[LoadedStudy]:
    """Returns every study of a thesis."""
    return [study for study in map(load_study, study_names()) if study.thesis.key in theses()]


def of_thesis(key: str) -> list[LoadedStudy]:
    """Returns the studies of a thesis. KeyError if there is no such thesis."""
    if key not in theses():
        raise KeyError(key)
    return [study for study in of_theses() if study.thesis.key == key]


def found(studies: Sequence[LoadedStudy]) -> list[Recorded]:
    """Returns the studies that have a recorded result, with it."""
    return [one for study in studies if (one := recorded(study.name)) is not None]


def anchor(stem: str, claim: str) -> str:
    """Returns the HTML id of a claim in the table of all claims of its thesis: ``table-4.1-1c``."""
    return re.sub(r"[^a-z0-9.]+", "-", f"{stem}-{claim}".lower())


def printed(claim: ClaimResult) -> str:
    """Returns the printed value with its unit; empty if the claim has none."""
    return "" if claim.paper is None else f"{plain(claim.paper)}{_unit(claim)}"


def measured(claim: ClaimResult) -> str:
    """Returns the measured mean with half its interval and its unit."""
    text = mean_and_spread(claim.measured, claim.interval)
    return text if claim.measured is None else text + _unit(claim)


def distance(claim: ClaimResult) -> str:
    """Returns how far the measured value is from the printed one, such as "17 % above"; empty without a printed one."""
    if not claim.paper or claim.measured is None or claim.tolerance is None:
        return ""
    near = abs(claim.measured / claim.paper - 1) < 0.0005
    return "equal" if near else verdict.distance(claim.measured, claim.paper)


def result(claim: ClaimResult) -> str:
    """Returns the result, in bold if the claim does not hold, with the number of seeds that would decide it."""
    needed = claim.replications_needed
    text = claim.verdict + (f" (a decision needs about {needed} seeds)" if needed is not None else "")
    return f"**{text}**" if claim.verdict in FAILS else text


def where(study: LoadedStudy) -> str:
    """Returns the item of the thesis, and the section that discusses it unless the item is a section itself."""
    source = study.study.source
    if not source.section or source.item.startswith("Section"):
        return escaped(source.item)
    named = source.section.startswith(("Chapter", "appendix"))
    return escaped(f"{source.item}, {'' if named else 'section '}{source.section}")


def _unit(claim: ClaimResult) -> str:
    return f" {claim.unit}" if claim.unit else ""
