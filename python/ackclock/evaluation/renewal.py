"""Renews the record of an evaluation: with other runs of some scenarios, or by judging all of its samples again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ackclock.evaluation.compare import transport_of
from ackclock.evaluation.contenders import contender
from ackclock.evaluation.document import scenario_document
from ackclock.evaluation.entry import transport_keys
from ackclock.evaluation.files import load, names
from ackclock.evaluation.judge import findings
from ackclock.evaluation.language import MARKS, SOLO, TESTED, ScenarioFile
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.result import (
    OF_TAIL_DROP,
    REFUSED,
    ScenarioResult,
    of_scenarios,
    shortened,
    tail_drop,
)
from ackclock.evaluation.rfc import FAMILIES, PROCESS
from ackclock.evaluation.run import Plan
from ackclock.experiment.model import Setting

Record = Mapping[str, Any]


def alike(record: Record) -> list[str]:
    """Returns the options with which a part of a record is made anew: the grid, the seeds and the limit of packets."""
    options = ["--quick" if record["quick"] else "--full", "--seeds", str(len(record["seeds"]))]
    most_packets = record.get("most_packets")
    return options if most_packets is None else [*options, "--most-packets", str(most_packets)]


def renewed(kept: Record, made: Record) -> dict[str, Any]:
    """Returns the record with the scenarios of ``made`` in place of its own, all of its samples judged by today's code,
    and the verdicts that follow.
    """
    anew = {of["name"]: of for one in made["criteria"] for of in one["scenarios"]}
    lines = {text: None for one in made["criteria"] for text in one["lacks"]}
    criteria = [_criterion(one, anew, lines, kept) for one in kept["criteria"]]
    of_section_5 = {one["section"]: one["verdict"] for one in criteria if one["id"] in OF_TAIL_DROP}
    verdict, sentence = tail_drop(of_section_5)
    criteria = [
        {**one, "verdict": verdict, "sentence": sentence} if one["id"] == "N-10" else one for one in criteria
    ]
    versions = dict(kept["versions"])
    for name in anew:
        versions.pop(f"core of {name}", None)
        if made["versions"]["core"] != versions["core"]:
            versions[f"core of {name}"] = made["versions"]["core"]
    demands = {item.id: item.demand for item in PROCESS}
    process = [{**one, "demand": demands[one["id"]]} for one in kept["process"]]
    record = {**kept, "criteria": criteria, "process": process, "versions": versions}
    return {**record, "runs": simulations(record)}


def judged_anew(record: Record) -> dict[str, Any]:
    """Returns the record with the findings that today's code derives from its samples, and what follows from these."""
    return renewed(record, {"criteria": [], "versions": record["versions"]})


def samples_of(scenario: Record, record: Record) -> Measured:
    """Returns the samples of a scenario of a record. ValueError if its settings or metrics are not those of today."""
    about = load(scenario["name"]).about
    if {one["id"] for one in scenario["metrics"]} != {one.id for one in about.metrics}:
        raise ValueError(
            f"{scenario['name']} now has different metrics from those in the record: record the scenario again"
        )
    recorded = [one["name"] for one in scenario["settings"]]
    settings = _settings_of(about, record, recorded)
    if [one.name for one in settings] != recorded:
        raise ValueError(
            f"{scenario['name']} now has different settings from those in the record: record the scenario again"
        )
    samples = Measured(settings, record["seeds"])
    for index, setting in enumerate(scenario["settings"]):
        values = {TESTED: setting["tested"], **setting["references"], SOLO: setting.get("solo", {})}
        for who, metrics in values.items():
            for metric, numbers in metrics.items():
                samples.values[who, index, metric] = np.array(numbers, dtype=np.float64)
                samples.fewer[who, index] = len(numbers)
    return samples


def _settings_of(about: ScenarioFile, record: Record, recorded: Collection[str]) -> list[Setting]:
    """Returns the settings of today, but for those that a record may leave out and does not have: for their size, or
    because packets of its transport cannot be marked.
    """
    settings = about.settings(quick=record["quick"])
    return [
        one
        for one in settings
        if one.name in recorded or (record.get("most_packets") is None and MARKS not in one.overrides)
    ]


def simulations(record: Record) -> int:
    """Returns how many simulations the scenarios of a record take: settings that are alike share theirs."""
    more = transport_keys(transport_of(record))
    scenarios = [load(one["name"]) for criterion in record["criteria"] for one in criterion["scenarios"]]
    references = [contender(name, more) for name in record["references"]]
    tested = contender(record["control"], more)
    plan = Plan(
        tested,
        references,
        scenarios,
        quick=record["quick"],
        seeds=len(record["seeds"]),
        most_packets=record.get("most_packets"),
    )
    recorded = {one["name"]: one for criterion in record["criteria"] for one in criterion["scenarios"]}
    return len(plan.within([samples_of(recorded[one.name], record) for one in plan.scenarios]))


def _criterion(kept: Record, anew: Mapping[str, Record], lines: Iterable[str], record: Record) -> Record:
    of_it = {name: one for name, one in anew.items() if load(name).about.family == kept["id"]}
    known = {one["name"]: one for one in kept["scenarios"]} | of_it
    if not known:
        return kept
    results = [_result(known[name], record) for name in names() if name in known]
    family = next(one for one in FAMILIES if one.id == kept["id"])
    found = of_scenarios(family, results)
    return {
        **kept,
        **{key: getattr(family, key) for key in ("section", "strength", "title")},
        "verdict": found.verdict,
        "sentence": found.sentence,
        "lacks": list(dict.fromkeys(_lacks(kept, results, of_it, lines, record.get("most_packets")))),
        "scenarios": [scenario_document(one, record["references"]) for one in results],
    }


def _lacks(
    kept: Record,
    results: Sequence[ScenarioResult],
    anew: Mapping[str, Record],
    lines: Iterable[str],
    most_packets: int | None,
) -> Iterator[str]:
    """Yields what is weaker, closed or left out, of the files of today and of the runs as each was made."""
    for one in results:
        yield from one.loaded.about.lacks
    own = tuple(f"{name}: with " for name in anew)
    yield from (text for text in lines if text.startswith(own))
    yield from (text for text in kept["lacks"] if ": with " in text and not text.startswith(own))
    yield from shortened(results, most_packets)
    if kept["sentence"].startswith(REFUSED):
        there = {one.loaded.name for one in results}
        of_it = (name for name in names() if load(name).about.family == kept["id"])
        yield from (
            f"{name} was left out, because it cannot run over this transport."
            for name in of_it
            if name not in there
        )
    family = [name for name in names() if load(name).about.family == kept["id"]]
    told = [
        *kept["lacks"],
        *(text for text in lines if text.startswith(tuple(f"{name} was" for name in family))),
    ]
    yield from (text for text in told if " was left out, because " in text)


def _result(scenario: Record, record: Record) -> ScenarioResult:
    """Returns a scenario of a record as its samples are judged today.

    AssertionError if runs of the scenario failed, because a record does not say which.
    """
    if scenario.get("failed_runs"):
        raise AssertionError(
            f"{scenario['name']} has failed runs in the record: record the whole evaluation again"
        )
    loaded, samples = load(scenario["name"]), samples_of(scenario, record)
    found = findings(loaded, samples, record["references"])
    every = list(loaded.about.settings(quick=record["quick"]))
    recorded = {one.name for one in samples.settings}
    unmarked = sum(MARKS in one.overrides for one in every if one.name not in recorded)
    return ScenarioResult(loaded, samples, found, len(every) - len(recorded) - unmarked, unmarked)
