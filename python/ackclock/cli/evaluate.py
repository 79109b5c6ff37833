"""``ackclock evaluate``."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._files import writable
from ackclock._stacks import option_words
from ackclock.cli.terminal import console, note, print_json, progress_bar, show_files, write_json
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.evaluation.compare import Comparison, Thresholds
    from ackclock.evaluation.files import Loaded
    from ackclock.evaluation.result import Evaluation
    from ackclock.evaluation.run import Cost, Plan

MANY_PACKETS = 5e7
"""A quick evaluation with more packets than this prints its number of runs before it starts. It does not print the
CPU time of the runs, because measuring it takes seconds.
"""
MOST_NAMED = 8
"""The largest number of scenarios that the name of a report's file lists."""


def evaluate(
    control: str,
    *,
    against: str,
    beside: str | None,
    full: bool,
    only: Sequence[str],
    sets: Sequence[str],
    transport: str | None,
    seeds: int | None,
    most_packets: int | None,
    answers: Path | None,
    as_json: bool,
    html: bool,
    plan_only: bool,
    compare: Path | None,
    thresholds: Path | None,
    fail_on: Sequence[str],
    limit_s: float,
    threads: int,
    dask: str | None,
    out: Path,
) -> bool:
    """Evaluates a control, and a second one ``beside`` it if given, and prints the verdicts.

    Returns whether the control is no worse than the record of ``compare``, if given. RunError, after the results are
    printed, when a criterion has a verdict that ``fail_on`` names.
    """
    from ackclock._cluster import workers_at
    from ackclock._store import Store
    from ackclock.cli import gate
    from ackclock.evaluation import compare as comparing
    from ackclock.evaluation import entry, run
    from ackclock.evaluation.contenders import separated
    from ackclock.evaluation.document import as_document
    from ackclock.evaluation.result import Answers, read_answers
    from ackclock.evaluation.words import IN_ORDER

    failing = gate.fail_words(fail_on, IN_ORDER)
    if thresholds is not None and compare is None:
        raise InputError("--thresholds needs --compare RECORD")
    record = None if compare is None else comparing.read_record(compare)
    said = Answers() if answers is None else read_answers(answers)
    more = entry.transport_keys(transport)
    controls = [control] if beside is None else [control, beside]
    scenarios, references = entry.chosen(only, sets), separated(against)
    plans = entry.plans(
        controls, references, more, scenarios, full=full, seeds=seeds, most_packets=most_packets
    )
    limits = _compared(plans[0], record, thresholds, scenarios, transport)
    _announce(plans, limit_s, threads, full=full, plan_only=plan_only)
    if plan_only:
        return True
    writable(out)
    evaluations = []
    with workers_at(dask, threads) as pool:
        for name, plan, its_answers in zip(controls, plans, (said, Answers()), strict=False):
            with progress_bar(f"evaluate {name}") as progress:
                made = run.evaluate(
                    plan,
                    store=Store(out),
                    pool=pool,
                    threads=threads,
                    limit_s=limit_s,
                    progress=progress,
                    answers=its_answers,
                )
            evaluations.append(made)
    found, other = evaluations[0], evaluations[1] if beside is not None else None
    chosen_runs: dict[str, Any] = {
        "full": full,
        "only": only,
        "sets": sets,
        "transport": transport,
        "seeds": seeds,
        "most_packets": most_packets,
    }
    command = _command(control, against, beside, **chosen_runs, answers=answers)
    document = as_document(found, command, other)
    outcome = None if record is None else comparing.compared(document, record, limits)
    if outcome is not None:
        document["comparison"] = {"record": str(compare), **asdict(outcome)}
    stem = file_stem(controls, against=against, **chosen_runs)
    path = out / f"{stem}.json"
    write_json(document, path)
    pages = []
    if html:
        from ackclock.report.evaluation import write_evaluation

        pages.append(write_evaluation(found, out / f"{stem}.html", f"{command} --html", other))
    if as_json:
        print_json(document)
    else:
        _show(found, other, pages, path)
    if outcome is not None:
        _show_comparison(outcome, as_json=as_json)
    gate.fail_on_criteria(failing, found)
    return outcome is None or not outcome.worse


def _announce(plans: Sequence[Plan], limit_s: float, threads: int, *, full: bool, plan_only: bool) -> None:
    """Prints remarks before the runs start, and the number and CPU time of the runs if requested or large."""
    from ackclock.evaluation import run

    for text in dict.fromkeys(text for plan in plans for text in _remarks(plan)):
        note(text)
    if plan_only or full:
        for plan in plans:
            said_of = "" if len(plans) == 1 else f"{plan.tested.name}: "
            said_of += "at most " if len(plan.looks.seeds) > 1 else ""
            (console().print if plan_only else note)(said_of + _said(run.cost(plan, limit_s), threads))
    elif sum(one.packets for plan in plans for one in plan.runs) > MANY_PACKETS:
        count = sum(len(plan.runs) for plan in plans)
        note(f"{count:,} runs, fewer if some are in the cache; --plan prints how long they take")


def _show(found: Evaluation, other: Evaluation | None, pages: Sequence[Path], path: Path) -> None:
    from ackclock.cli.evaluate_text import show

    show(found, other)
    show_files(pages, path)


def _remarks(plan: Plan) -> Iterator[str]:
    """Yields remarks to print before the runs start: what is left out, and how the control is treated."""
    from ackclock.evaluation.spelling import left_out

    for name, why in plan.refused.items():
        yield f"{name} is left out because it cannot run over this transport: {why}"
    if plan.too_large:
        yield left_out(sum(plan.too_large.values()), plan.most_packets)
    yield from _about_marks(plan)
    yield from plan.tested.remarks


def _about_marks(plan: Plan) -> list[str]:
    """Returns a remark if the control relies on ECN marks, but its packets cannot be marked."""
    from ackclock import _typed_core as core
    from ackclock.evaluation.run import described_by

    run = next((one for one in plan.runs if any(use.contender == "tested" for use in one.uses)), None)
    if run is None:
        return []
    classes = described_by(run.job.controls)
    warnings = core.describe(run.job.text, run.job.file, run.job.overrides, classes)["warnings"]
    return [
        re.sub(r"transport = (\{.*?\})", r"--transport '\1'", warning)
        for warning in warnings
        if "relies on ECN marks" in warning
    ]


def _compared(
    plan: Plan,
    record: Mapping[str, Any] | None,
    thresholds: Path | None,
    chosen: Sequence[Loaded],
    transport: str | None,
) -> Thresholds:
    """Returns the thresholds for the comparison with the record, and prints other differences than the control.

    InputError if the evaluation cannot be compared with the record.
    """
    from ackclock.evaluation.compare import (
        Thresholds,
        metrics_of,
        read_thresholds,
        require_alike,
        require_shared,
    )
    from ackclock.evaluation.files import metrics_known

    if record is None:
        return Thresholds()
    references = [contender.name for contender in plan.references]
    require_alike(
        record, seeds=plan.seeds, quick=plan.quick, most_packets=plan.most_packets, references=references
    )
    require_shared([one.name for one in plan.scenarios], record)
    for text in _about_record(record, transport):
        note(text)
    if thresholds is None:
        return Thresholds()
    return read_thresholds(thresholds, [*metrics_known(chosen), *metrics_of(record)])


def _about_record(record: Mapping[str, Any], transport: str | None) -> Iterator[str]:
    """Yields remarks on other differences from the record than the control: transport and build of ackclock."""
    from ackclock._store import core_fingerprint
    from ackclock.evaluation.compare import transport_of
    from ackclock.evaluation.entry import transport_keys

    before = transport_of(record)
    if transport_keys(before) != transport_keys(transport):
        made, wanted = (one or "the transport of each scenario" for one in (before, transport))
        yield f"the record was made over {made}, but this evaluation runs over {wanted}"
    if record["versions"]["core"] != core_fingerprint():
        yield (
            f"the record was made with another build of ackclock, {record['versions']['core']}, whose results can "
            "differ: make a new record with this build"
        )


def _show_comparison(outcome: Comparison, *, as_json: bool) -> None:
    say = note if as_json else console().print
    say(f"{outcome}:" if outcome.worse else str(outcome))
    for text in outcome.worse:
        say(f"  {text}")


def _said(cost: Cost, threads: int) -> str:
    from ackclock._numbers import duration

    cores = threads or os.cpu_count() or 1
    many = "s" if cores != 1 else ""
    return (
        f"{cost.runs:,} runs, about {cost.packets / 1e6:,.0f} million packets: about {duration(cost.cpu_s)} "
        f"of CPU time, {duration(cost.cpu_s / cores)} on {cores} core{many}, less if some are in the cache"
    )


def file_stem(
    controls: Sequence[str],
    *,
    against: str,
    full: bool,
    only: Sequence[str],
    sets: Sequence[str],
    transport: str | None,
    seeds: int | None,
    most_packets: int | None,
) -> str:
    """Returns the file name of an evaluation, without its ending. It contains the options that differ from the
    defaults, so that a partial evaluation does not replace a complete one.
    """
    from ackclock.evaluation.contenders import REFERENCES

    parts = ["evaluate", "-beside-".join(map(stem_of, controls))]
    parts += [] if against == ",".join(REFERENCES) else ["against", plain(against)]
    parts += [] if transport is None else ["over", plain(transport)]
    parts += ["full"] if full else []
    for option, values in ("only", only), ("set", sets):
        if values:
            parts += [
                option,
                *(plain(Path(one).stem if one.endswith(".toml") else one) for one in values[:MOST_NAMED]),
            ]
        if len(values) > MOST_NAMED:
            parts.append(f"and-{len(values) - MOST_NAMED}-more")
    parts += [] if seeds is None else ["seeds", str(seeds)]
    parts += [] if most_packets is None else ["most-packets", str(most_packets)]
    return "-".join(parts)


def stem_of(control: str) -> str:
    """Returns the control's part of a file name: ``mine`` for ``cc/mine.py``, ``mine-Aimd`` for ``cc/mine.py:Aimd``."""
    path, colon, name = control.partition(":")
    return plain(f"{Path(path).stem}{colon}{name}" if path.endswith(".py") else control)


def plain(text: str) -> str:
    """Returns ``text`` as part of a file name: other characters than letters, digits, _ and + become hyphens."""
    return re.sub("-+", "-", re.sub(r"[^\w+]", "-", text)).strip("-")


def _command(
    control: str,
    against: str,
    beside: str | None,
    *,
    full: bool,
    only: Sequence[str],
    sets: Sequence[str],
    **more: Any,
) -> str:
    from ackclock.evaluation.contenders import REFERENCES

    words = ["ackclock", "evaluate", control]
    words += [] if against == ",".join(REFERENCES) else ["--against", against]
    words += [] if beside is None else ["--beside", beside]
    words += ["--full"] if full else ["--quick"]
    for one in only:
        words += ["--only", one]
    for one in sets:
        words += ["--set", one]
    for option, value in more.items():
        words += [] if value is None else [f"--{option.replace('_', '-')}", str(value)]
    return shlex.join([*words, *option_words()])
