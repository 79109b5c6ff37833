"""Gates, which decide the exit code: expectations about runs, and verdicts on claims and criteria."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from rich.text import Text

from ackclock._names import alike
from ackclock._numbers import interval_text, mean_and_spread, significant
from ackclock.cli.terminal import complain, console
from ackclock.errors import InputError, RunError

if TYPE_CHECKING:
    from ackclock._expect import Expectation
    from ackclock._sweep_jobs import Plan
    from ackclock.evaluation.result import Evaluation
    from ackclock.run import Run
    from ackclock.scenario import Scenario
    from ackclock.study.result import ClaimResult, StudyResult

CHANGED = "changed"
"""The value of ``--fail-on`` that stands for any verdict that differs from the recorded one."""


class Gate:
    """The expectations of ``ackclock run --expect``, at every point of a sweep."""

    def __init__(self, texts: Sequence[str], scenario: Scenario, plan: Plan) -> None:
        """Reads the expectations. InputError, before anything is simulated, for an invalid one."""
        self._expected: list[Expectation] = []
        self._values: dict[int, dict[int, list[float | None]]] = {}
        self._scenario = scenario
        if not texts:
            return
        from ackclock._expect import Expectation

        self._expected = [Expectation.read(text) for text in texts]
        description = scenario.at(scenario.sweep.overrides(plan.points[0])).describe()
        for one in self._expected:
            one.check(description)

    def taking(self, take: Callable[[int, Run], None]) -> Callable[[int, Run], None]:
        """Returns a function that passes a finished run of a point to ``take``, and stores the run's values."""
        if not self._expected:
            return take
        from ackclock._expect import value

        def both(point: int, run: Run) -> None:
            take(point, run)
            found = [value(one.column, run.result) for one in self._expected]
            self._values.setdefault(point, {})[run.seed] = found

        return both

    def judge(self, *, silent: bool) -> None:
        """Prints the outcomes; if ``silent``, only of unmet expectations. RunError if any expectation is unmet."""
        if not self._values:
            return
        from ackclock._expect import sentence
        from ackclock._sweep import labelled

        unmet = checked = 0
        for point, by_seed in sorted(self._values.items()):
            sweep = self._scenario.sweep
            where = f" (at {labelled(sweep.axes, sweep.overrides(point))})" if sweep.axes else ""
            for number, one in enumerate(self._expected):
                finding = one.finding([by_seed[seed][number] for seed in sorted(by_seed)])
                checked += 1
                if not finding.met:
                    unmet += 1
                    complain(f"the expectation {sentence(finding)}{where}")
                elif not silent:
                    console().print(Text(f"the expectation {sentence(finding)}{where}", style="green"))
        if unmet:
            raise RunError(f"--expect: {unmet} of {checked} expectations not met")


def fail_words(words: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the verdicts in ``words``, which may be separated by commas. InputError for one that is not ``known``."""
    found = [word.strip() for text in words for word in text.split(",")]
    for word in found:
        if word not in known:
            hint = "" if (close := alike(word, known)) is None else f'; did you mean "{close}"?'
            raise InputError(
                f'--fail-on: found "{word}", expected one of the verdicts {", ".join(known)}{hint}'
            )
    return found


def fail_on(words: Sequence[str], results: Sequence[StudyResult]) -> None:
    """Raises RunError when a claim has one of the verdicts, after printing its expected and measured values."""
    failing = checked = 0
    for result in results:
        recorded = recorded_claims(result) if CHANGED in words else {}
        for claim in result.claims:
            checked += 1
            before = recorded.get(claim.id, claim)
            was = ""
            if before.verdict != claim.verdict:
                was = f" (recorded: {before.verdict})"
            elif claim.interpretations and not result.quick and _reversing(before) != _reversing(claim):
                was = f", {_reversing(claim)} (recorded: {_reversing(before)})"
            if claim.verdict in words or was:
                failing += 1
                complain(
                    f'{result.name}: claim {claim.id} has the result "{claim.verdict}"{was}: {_numbers(claim)}'
                )
    if failing:
        raise RunError(f"--fail-on matches the results of {failing} of {checked} claims")


def claim_words() -> list[str]:
    """Returns the words of ``ackclock reproduce --fail-on``."""
    from ackclock.study.model import Verdict  # pydantic, which `ackclock --help` does not need

    return [*get_args(Verdict), CHANGED]


def fail_on_criteria(words: Sequence[str], evaluation: Evaluation) -> None:
    """Raises RunError when a criterion of the RFC has one of the verdicts, after printing each with the reason."""
    failing = [one for one in evaluation.asked if one.verdict in words]
    for one in failing:
        complain(f'{one.family.section} {one.family.title} has the verdict "{one.verdict}": {one.sentence}')
    if failing:
        raise RunError(f"--fail-on matches {len(failing)} of {len(evaluation.asked)} verdicts")


def recorded_claims(result: StudyResult) -> Mapping[str, ClaimResult]:
    """Returns the results of the study's record by claims; empty without a record that is up to date."""
    from ackclock.study.records import result_of

    recorded = result_of(result.name)
    return {} if recorded is None else {claim.id: claim for claim in recorded.claims}


def _reversing(claim: ClaimResult) -> str:
    """Returns which interpretations reverse a claim's result."""
    found = sorted(map(str, claim.reversed_by))
    return f"reversed by: {'; '.join(found)}" if found else "reversed by no interpretation"


def _numbers(claim: ClaimResult) -> str:
    """Returns what the claim's test accepts, and what was measured."""
    unit = f" {claim.unit}" if claim.unit else ""
    measured = f"measured {mean_and_spread(claim.measured, claim.interval)}{unit}"
    if claim.interval is not None:
        measured += f" (95 % interval {interval_text(claim.measured, claim.interval)})"
    if claim.accepted is None:
        return f"{claim.text}; {measured}"
    low, high = claim.accepted
    if low is None or high is None:
        end = f"at least {significant(low)}" if high is None else f"at most {significant(high)}"
    else:
        end = f"{significant(low)} to {significant(high)}"
    return f"expected {end}{unit}, {measured}"
