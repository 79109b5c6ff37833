"""``ackclock check``."""

from __future__ import annotations

from pathlib import Path

from ackclock.cli.terminal import console, warn


def check(file: Path) -> None:
    """Validate a scenario or study file. InputError says everything that is wrong."""
    from ackclock.files import read_text
    from ackclock.study.kind import ENDING, looks_like_study

    if file.name.endswith(ENDING):
        from ackclock.study.base import parse_base

        base = parse_base(read_text(file), str(file)).base
        scenario = "a scenario" if base.scenario else "no scenario"
        console().print(f"{file}: a good base of studies: {scenario}, {len(base.assumptions)} assumptions")
        return
    text = read_text(file)
    if looks_like_study(text):
        from ackclock.study.load import load_study

        loaded = load_study(str(file))
        # After that, because a mistake is told without the libraries that compute.
        from ackclock.study.plan import Plan

        plan = Plan(loaded, quick=False, sensitivity=True)
        plan.check()
        study = plan.study
        if study.quick.overrides or any(case.quick for case in study.cases):
            Plan(loaded, quick=True, sensitivity=True).check()
        console().print(
            f"{file}: a good study: {len(plan.runs)} cases, {len(study.metrics)} metrics, "
            f"{len(study.claims)} claims, {len(plan.simulations())} runs",
        )
        return
    from ackclock.scenario import Scenario

    # A pipe is read once.
    read = Scenario.from_text(text, file=str(file))
    description = read.describe()
    for warning in description["warnings"]:
        warn(f"{file}: {warning}")
    flows = sum(len(group["names"]) for group in description["flows"])
    points = len(read.sweep)
    swept = f", {points} points of its sweep" if points > 1 else ""
    console().print(
        f"{file}: a good scenario: {flows} flows, {len(description['links'])} links, "
        f"{description['duration_s']:g} s{swept}",
    )
