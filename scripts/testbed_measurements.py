"""The figures of the testbed in S. Cho's thesis, on real Linux: `scripts/measure testbed` records the runs, and
`scripts/build-docs` makes the tables of docs/wire-measurements.md from the record.

A real run has the scenario that a study of the figure simulates: its network, schedule, flows and controls. What
differs is the hosts. They are the kernel's: the transport ``linux``, the kernel's own Reno where the thesis ran Linux's
own TCP, and every control of the thesis or of its rivals offered to the kernel, as by `ackclock control`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Any

import numpy as np
from path_measurements import late_cells, markdown, span

from ackclock import _toml as toml
from ackclock._archive import folder
from ackclock.errors import InputError
from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.run_words import RunWords, measure, needs_series
from ackclock.experiment.sample_words import SampleWords, samples_of
from ackclock.pages.results import recorded as of_study
from ackclock.study.claim import Claim
from ackclock.study.load import LoadedStudy, load_study
from ackclock.study.model import Metric, SweptCase
from ackclock.study.plan import Plan
from ackclock.study.result import StudyResult
from ackclock.study.verdict import judge

RECORD = folder("wire") / "testbed.json"
THESIS = "parallel-and-adaptive-tcp"
FIGURES = (14, 12, 35, 34, 33, 13, 17, 11, 18, 25, 19, 21, 22, 23, 32, 27)
"""The figures in the order in which their runs are made: both rates early, and what several figures share first."""
CHAPTERS: Mapping[str, set[int]] = {"chapter 3": set(range(11, 20)), "chapter 4": set(range(20, 36))}
"""The figures of the chapters of the thesis."""
NOT_RUN = {
    26: "its path has the 440 Mbit/s of its machines' buses, and only links of 10 and 100 Mbit/s are run",
    29: "as figure 26",
}
"""The figures of the testbed whose studies are not run on real Linux, and why."""
OWN = {"newreno": "linux:reno", "sack": "linux:reno"}
"""The thesis's names of the TCP that its Linux had, and the control of today's kernel in their place."""


@dataclass(frozen=True)
class Run:
    """A case of a study as a scenario whose flows are the kernel's."""

    figure: int
    case: str
    text: str
    file: str
    overrides: Mapping[str, Any]
    document: Mapping[str, Any]
    """The scenario with its overrides."""

    @property
    def key(self) -> str:
        """Returns what identifies the scenario in the record: equal for cases that run the same."""
        alike = {name: value for name, value in self.document.items() if name != "observe"}
        return hashlib.sha256(json.dumps(alike, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def needs_series(self) -> bool:
        """Returns whether a metric of the figure needs values over time."""
        return any(needs_series(Expression(metric.expr)) for metric in study(self.figure).study.metrics)

    def over_time(self, result: Mapping[str, Any]) -> dict[str, float]:
        """Returns the metrics of the figure that need values over time, of those that ``result`` has."""
        words, found = RunWords(result), {}
        for metric in study(self.figure).study.metrics:
            expression = Expression(metric.expr)
            if needs_series(expression):
                with suppress(ExpressionError, InputError):
                    found[metric.id] = measure(expression, words)
        return {metric: value for metric, value in found.items() if isfinite(value)}


@cache
def study(figure: int) -> LoadedStudy:
    """Returns the study of a figure."""
    return load_study(f"{THESIS}/figure-{figure}")


@cache
def runs(figure: int) -> Mapping[str, Run]:
    """Returns the runs of a figure by the names of their cases."""
    loaded = study(figure)
    plan = Plan(loaded, quick=False, sensitivity=False)
    return {run.name: _run(figure, loaded, run, plan.overrides(run, None)) for run in plan.runs}


def _run(figure: int, loaded: LoadedStudy, run: SweptCase, given: Mapping[str, Any]) -> Run:
    scenario = loaded.scenario
    simulated = applied(toml.loads(scenario.text), given)
    overrides = {path: value for path, value in given.items() if ".transport." not in path}
    for flow in simulated["flows"]:
        overrides[f"flows.{flow['name']}.transport"] = "linux"
        if isinstance(flow["control"], str) and flow["control"] in OWN:
            overrides[f"flows.{flow['name']}.control"] = OWN[flow["control"]]
    document = applied(toml.loads(scenario.text), overrides)
    return Run(figure, run.name, scenario.text, scenario.file, overrides, document)


def applied(document: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a scenario's document with overrides in their places; ``document`` is changed."""
    for path, value in overrides.items():
        *places, last = path.split(".")
        table: Any = document
        for place in places:
            if isinstance(table, list):
                table = next(item for item in table if item["name"] == place)
            else:
                table = table.setdefault(place, {})
        table[last] = value
    return document


def wanted(figures: Sequence[int]) -> Iterator[Run]:
    """Returns the runs of the figures, each scenario once."""
    seen = set()
    for figure in figures:
        for run in runs(figure).values():
            if run.key not in seen:
                seen.add(run.key)
                yield run


Recorded = Mapping[str, Any]
"""What is recorded of a scenario: its real runs, its simulations, and what was late in invalid runs."""


def generated(what: str) -> str:
    """Returns the part about the machine, or the figures of a chapter, each with its claims and its cases."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    if what == "about":
        return about(record)
    parts = []
    for figure in sorted(CHAPTERS[what] & set(FIGURES)):
        parts += [f"### Figure {figure}: {study(figure).study.title}", figure_part(figure, record["runs"])]
    return "\n" + "\n\n".join(parts) + "\n"


def about(record: Mapping[str, Any]) -> str:
    """Returns what was run, on what, and what was not."""
    known = record["runs"]
    loads = [run["load"] for one in known.values() for run in one["real"]]
    valid, invalid = (sum(len(one[kind]) for one in known.values()) for kind in ("real", "invalid"))
    machine = (
        f"{valid} valid runs of {len(known)} scenarios, and {invalid} invalid ones. Linux {record['kernel']}, "
        f"{record['cores']} cores, load average {span(loads, '.0f')} from other work and up to "
        f"{record['parallel']} runs at a time."
    )
    rows = []
    for figure in sorted([*FIGURES, *NOT_RUN]):
        if figure in NOT_RUN:
            rows.append([str(figure), "no", NOT_RUN[figure]])
            continue
        missing = [case for case, run in runs(figure).items() if not known.get(run.key, {}).get("real")]
        ran = len(runs(figure)) - len(missing)
        late = [case for case in missing if known.get(runs(figure)[case].key, {}).get("invalid")]
        why = {"no valid run": late, "no time": [case for case in missing if case not in late]}
        told = [
            f"{reason}: {', '.join(f'`{case}`' for case in cases)}" for reason, cases in why.items() if cases
        ]
        rows.append([str(figure), f"{ran} of {len(runs(figure))}", "; ".join(told)])
    return f"{machine}\n\n{markdown(['figure', 'cases run', 'what was not, and why'], rows)}"


def figure_part(figure: int, known: Mapping[str, Recorded]) -> str:
    """Returns the tables of a figure."""
    cases = {case: known[run.key] for case, run in runs(figure).items() if known.get(run.key, {}).get("real")}
    if not cases:
        return "Not run yet."
    values = {kind: measured(figure, cases, kind) for kind in ("simulated", "real")}
    record = recorded(figure)
    # The bounds are the same of all runs over a path, and stand on the page of `ackclock path`.
    invalid = [
        f"`{case}`: {re.sub(', more than [^;]*', '', reason)}"
        for case, one in cases.items()
        for reason in one["invalid"]
    ]
    parts = [claims_table(figure, values, record), cases_table(figure, cases, values, record)]
    if invalid:
        parts.append(f"Invalid: {'. '.join(invalid)}.")
    return "\n\n".join(part for part in parts if part)


def recorded(figure: int) -> StudyResult | None:
    """Returns the result of the study's last full run; None if it has changed since."""
    found = of_study(f"{THESIS}/figure-{figure}")
    return None if found is None else found.result


Values = Mapping[str, Mapping[str, Sequence[float]]]
"""The values of each metric by case, one for each run."""


def measured(figure: int, cases: Mapping[str, Recorded], kind: str) -> dict[str, dict[str, list[float]]]:
    """Returns the values of the figure's metrics that are known of every run of a case."""
    found: dict[str, dict[str, list[float]]] = {}
    for metric in study(figure).study.metrics:
        of_cases = {case: [value_of(metric, run) for run in one[kind]] for case, one in cases.items()}
        found[metric.id] = {
            case: [value for value in values if value is not None]
            for case, values in of_cases.items()
            if values and None not in values
        }
    return found


def value_of(metric: Metric, run: Mapping[str, Any]) -> float | None:
    """Returns a metric of a recorded run; None if nothing tells it."""
    expression = Expression(metric.expr)
    if needs_series(expression):
        over_time: Mapping[str, float] = run.get("over_time", {})
        return over_time.get(metric.id)
    groups = dict.fromkeys(flow["group"] for flow in run["flows"])
    result = {
        "flows": run["flows"],
        "links": [],
        "groups": [
            {
                "name": group,
                "goodput_bps": sum(flow["goodput_bps"] for flow in run["flows"] if flow["group"] == group),
            }
            for group in groups
        ],
        "fairness": None,
        "duration_s": None,
    }
    try:
        value = measure(expression, RunWords(result))
    except (ExpressionError, InputError):
        return None
    return value if isfinite(value) else None


def claims_table(figure: int, values: Mapping[str, Values], record: StudyResult | None) -> str:
    """Returns the claims whose cases were run: thesis, study, simulated, real, and whether the real means are so."""
    # What a claim measures may have changed since a study was run last; then its text has too.
    claims = [] if record is None else record.claims
    rows, in_study = [], {(claim.id, claim.text): claim.measured for claim in claims}
    for claim in study(figure).study.claims:
        real = claimed(figure, claim, values["real"])
        if real is None:
            continue
        columns = [in_study.get((claim.id, claim.text)), claimed(figure, claim, values["simulated"]), real]
        thesis = "–" if claim.paper is None else f"{claim.paper:g}"
        unit = f" ({claim.unit})" if claim.unit else ""
        numbers = ["–" if number is None else f"{number:.3g}" for number in columns]
        rows.append([f"{claim.text}{unit}", thesis, *numbers, holds(figure, claim, values["real"])])
    heads = ["claim", "thesis", "study", "simulated", "real", "holds on real Linux"]
    return markdown(heads, rows) if rows else ""


def claimed(figure: int, claim: Claim, values: Values) -> float | None:
    """Returns what a claim measures, the mean over the runs; None if a case is missing."""
    count = min((len(runs) for of in values.values() for runs in of.values()), default=0)
    try:
        samples = samples_of(Expression(claim.measured), words(figure, values, count), count)
    except (ExpressionError, KeyError, ValueError):
        return None
    return float(np.mean(samples)) if len(samples) and np.all(np.isfinite(samples)) else None


def holds(figure: int, claim: Claim, values: Values) -> str:
    """Returns whether the means over the runs are as the claim says."""
    if claim.not_a_test:
        return "not a test"
    # The study's test asks for two samples; two equal ones make it judge the mean, without an interval.
    means = {
        metric: {case: [float(np.mean(runs))] * 2 for case, runs in of.items()}
        for metric, of in values.items()
    }
    try:
        verdict = judge(claim, words(figure, means, 2), 2).verdict
    except (ExpressionError, KeyError, ValueError):
        return "–"
    return {"as printed": "yes", "right order, other size": "direction only"}.get(verdict, "no")


def words(figure: int, values: Values, count: int) -> SampleWords:
    """Returns the vocabulary of claims about the first ``count`` runs of each case; nan where a case was not run."""
    swept = study(figure).study.runs()
    missing = [float("nan")] * count
    samples = {
        metric: {run.name: np.array(of.get(run.name, missing)[:count]) for run in swept}
        for metric, of in values.items()
    }
    return SampleWords(samples, [run.setting for run in swept])


def cases_table(
    figure: int,
    cases: Mapping[str, Recorded],
    values: Mapping[str, Values],
    record: StudyResult | None,
) -> str:
    """Returns a row for each case that was run: each metric in the study / simulated / real, and how the run went."""
    metrics = [metric for metric in study(figure).study.metrics if values["real"][metric.id]]
    labels = {run.name: run.case.title for run in study(figure).study.runs()}
    means: dict[tuple[str, str], float | None] = {
        (of.name, id): one.mean
        for of in (() if record is None else record.cases)
        for id, one in of.values.items()
    }
    rows = []
    for case, one in cases.items():
        cells = [
            " / ".join(
                [
                    short([] if (mean := means.get((case, metric.id))) is None else [mean]),
                    short(values["simulated"][metric.id].get(case, [])),
                    short(values["real"][metric.id].get(case, [])),
                ]
            )
            for metric in metrics
        ]
        about_runs = {"real": one["real"], "invalid": len(one["invalid"])}
        label = labels[case] if labels[case] != case else ""
        rows.append(
            [f"`{case}`{' ' if label else ''}{label}", *cells, decided(one["real"]), *late_cells(about_runs)]
        )
    heads = [
        "case",
        *(metric.axis_title for metric in metrics),
        "decisions in time (%)",
        "late p99, most (ms)",
        "invalid",
    ]
    return markdown(heads, rows)


def short(values: Sequence[float]) -> str:
    """Returns some values of a metric, from the least to the greatest."""
    if not values:
        return "–"
    return span(values, ".2f" if max(map(abs, values)) < 20 else ".1f")


def decided(real: Sequence[Mapping[str, Any]]) -> str:
    """Returns the share of decisions that reached the kernel in time; a dash if its own controls decided."""
    shares = []
    for run in real:
        count = {key: sum(one[key] for one in run["controls"]) for key in ("in_time", "late", "reno")}
        if sum(count.values()):
            shares.append(100 * count["in_time"] / sum(count.values()))
    return span(shares, ".1f") if shares else "–"
