"""``ackclock check``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ackclock.cli.given import naming, scenario_in
from ackclock.cli.terminal import console, warn
from ackclock.errors import InputError


def check(file: Path, controls: Sequence[str] = ()) -> None:
    """Validates a scenario, a study, a lesson, a scenario of an evaluation or a control in Python.

    ``controls`` are the values of ``--control``, for scenarios and studies.
    InputError lists the mistakes.
    """
    from ackclock._files import read_text
    from ackclock._named_files import is_python_file
    from ackclock.study.kind import ENDING, LESSON, looks_like_evaluation, looks_like_study

    def only_scenarios(what: str) -> None:
        if controls:
            raise InputError(
                f"--control {controls[0]}: {file} is a {what}, but this option applies only to scenarios and studies"
            )

    if file.name.endswith(ENDING):
        only_scenarios("base file of studies")
        from ackclock.study.base import parse_base

        base = parse_base(read_text(file), str(file)).base
        scenario = "a scenario" if base.scenario else "no scenario"
        console().print(
            f"{file}: valid base file of studies: {scenario}, {_count(len(base.assumptions), 'assumption')}"
        )
        return
    if file.name.endswith(LESSON):
        only_scenarios("lesson")
        from ackclock.lessons.files import read_lesson

        lesson = read_lesson(file)
        parts = [
            _count(len(of), noun)
            for of, noun in (
                (lesson.variants, "variant"),
                (lesson.measures, "measure"),
                (lesson.checks, "check"),
            )
        ]
        console().print(f"{file}: valid lesson: {', '.join(parts)}")
        return
    if is_python_file(file.name):
        only_scenarios("control in Python")
        from ackclock.evaluation.contenders import contender

        console().print(f"{file}: valid control in Python: {contender(str(file)).name}")
        return
    text = read_text(file)
    if looks_like_evaluation(text):
        only_scenarios("scenario of an evaluation")
        from ackclock.evaluation.files import parse

        about = parse(text, str(file)).about
        settings = _count(len(list(about.settings(quick=False))), "setting")
        console().print(
            f"{file}: valid scenario of an evaluation: {settings}, {_count(len(about.metrics), 'metric')}, "
            f"{_count(len(about.criteria), 'condition')}"
        )
        return
    if looks_like_study(text):
        with naming(controls, [str(file)]):
            _study(file)
        return
    # A pipe can be read only once.
    read = scenario_in(text, file, {}, controls)
    description = read.describe()
    for warning in read.sweep.warnings:
        warn(f"{file}: {warning}")
    flows = sum(len(group["names"]) for group in description["flows"])
    points = len(read.sweep)
    swept = f", a sweep of {points} points" if points > 1 else ""
    console().print(
        f"{file}: valid: {_count(flows, 'flow')}, {_count(len(description['links']), 'link')}, "
        f"{description['duration_s']:g} s{swept}",
    )


def _study(file: Path) -> None:
    from ackclock.study.load import load_study

    loaded = load_study(str(file))
    # Imported here, because a mistake is reported without the numerical libraries.
    from ackclock.study.plan import Plan
    from ackclock.study.run import Work
    from ackclock.study.unused import unused

    plan = Plan(loaded, quick=False, sensitivity=True)
    plan.check()
    study = plan.study
    if study.quick.overrides or any(case.quick for case in study.cases):
        Plan(loaded, quick=True, sensitivity=True).check()
    overrides = [plan.overrides(run) for run in plan.runs]
    for warning in [*plan.warnings(), *unused(study.scenario, overrides)]:
        warn(f"{file}: {warning}")
    console().print(
        f"{file}: valid study: {_count(len(plan.runs), 'case')}, {_count(len(study.metrics), 'metric')}, "
        f"{_count(len(study.claims), 'claim')}, at least {_count(len(Work(loaded, plan).due()), 'run')}",
    )


def _count(number: int, noun: str) -> str:
    """Returns a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
