"""The typed form of a study file: a published experiment that runs.

A study file is TOML. This module defines its keys and checks what can be checked without the compiled core:
types, ranges, and whether every name that refers to another part of the file (a case, a metric, a claim) exists there.
The ``scenario`` table is opaque here: the core owns the scenario language and reports its errors itself.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator
from typing_extensions import Self

from ackclock._names import nearest
from ackclock.characterisation.disciplines import Placement
from ackclock.characterisation.language import Characterisation
from ackclock.experiment import model as experiment
from ackclock.experiment.model import Setting, Table, sweep_text
from ackclock.study.claim import Claim

Verdict = Literal[
    "as printed",
    "right order, other size",
    "not as printed",
    "undecided",
    "cannot tell",
    "not a test",
    "yes",
    "no",
]
"""The possible verdicts on a claim, in the order in which they are listed. The last two are answers to questions that
the publication does not ask.
"""
Overrides = dict[str, Any]
"""Values to set in the scenario, by dotted path, e.g. ``{"flows.tcp.count": 25}``."""

_CASE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=-]*\Z")


def _or_from_base(*keys: str) -> Callable[[dict[str, Any]], None]:
    """Returns a hook that makes ``keys`` optional in the JSON Schema of a file, because a base may give them."""

    def relax(schema: dict[str, Any]) -> None:
        schema["required"] = [key for key in schema["required"] if key not in keys]

    return relax


class Publication(Table):
    """The publication that a user's own study comes from."""

    author: str = Field(description='e.g. "N. Cardwell and others"')
    title: str
    year: int = Field(ge=1900, le=2200)
    where: str = Field(default="", description='e.g. "ACM Queue 14(5)"')
    systems: list[str] = Field(
        default_factory=list,
        description="registered names of the systems that the publication proposes; claims that concern "
        "only other systems (baselines) are counted separately",
    )


class Source(Table):
    """The publication of the experiment, and the item that the study reproduces."""

    model_config = ConfigDict(json_schema_extra=_or_from_base("section"))

    thesis: str | None = Field(default=None, description="key of the thesis in studies/theses.toml")
    publication: Publication | None = Field(
        default=None,
        description="any other publication, instead of `thesis`; a study of your own questions (`asked_by`) needs "
        "neither",
    )
    item: str = Field(description='published table, figure or section, e.g. "Table 4.1"')
    section: str = Field(
        default="", description='section of the publication that discusses `item`, e.g. "4.5.8"'
    )
    asked_by: Literal["thesis", "us"] = Field(
        default="thesis",
        description="origin of the question: the publication (thesis), or the author of the study (us) for an "
        "experiment that the publication does not report",
    )
    setup_unknown: str = Field(
        default="",
        description="part of the set-up that the publication leaves out; the claims that depend on it are "
        "counted separately",
    )
    repeats: str = Field(
        default="",
        description="bundled study (THESIS/STUDY) with the same runs; its `setup_unknown` also applies to this "
        "study, unless this study has its own",
    )
    numbers_of: str = Field(
        default="",
        description="bundled study (THESIS/STUDY) that also uses some of this study's published numbers; totals over "
        "several studies count these numbers only for the bundled study",
    )

    @model_validator(mode="after")
    def _comes_from_one(self) -> Self:
        if self.asked_by == "us" and self.thesis is None and self.publication is None:
            return self
        if (self.thesis is None) == (self.publication is None):
            found = "both" if self.thesis is not None else "neither"
            raise ValueError(
                "expected `thesis`, a key of studies/theses.toml, or `publication`, "
                f"a table with author, title and year; found {found}"
            )
        return self


class Quick(Table):
    """The changes for a quick run (``--quick``): fewer replications, shorter runs."""

    replications: int | None = Field(default=None, ge=1)
    overrides: Overrides = Field(default_factory=dict)


class Sweep(Table):
    """The axis of a figure: every swept case runs once per value."""

    axis: str = Field(description='title of the axis with its unit, e.g. "Number of connections"')
    path: str = Field(description="dotted path of the scenario value to set")
    values: list[int | float | str] = Field(min_length=1)

    @field_validator("values")
    @classmethod
    def _distinct(cls, values: list[int | float | str]) -> list[int | float | str]:
        texts = [sweep_text(value) for value in values]
        repeated = sorted({text for text in texts if texts.count(text) > 1})
        if repeated:
            raise ValueError(f"value {repeated[0]} is listed twice")
        return values


class Case(Table):
    """One variant of the scenario: a row of the table or a curve of the figure."""

    name: str
    label: str = ""
    overrides: Overrides = Field(default_factory=dict)
    quick: Overrides = Field(
        default_factory=dict,
        description="additional overrides for a quick run, which take precedence over `overrides`, e.g. a "
        "shorter duration",
    )
    swept: bool = Field(default=True, description="whether the sweep applies to the case")
    sweep: Sweep | None = Field(
        default=None,
        description="sweep of this case, instead of the study's, for a curve whose horizontal axis is another quantity",
    )

    @field_validator("name")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not _CASE_NAME.match(name):
            raise ValueError(
                f'found "{name}", expected a letter or digit, then letters, digits and any of _ . + = - '
                "(brackets are only for swept cases)"
            )
        return name

    @model_validator(mode="after")
    def _swept_or_not(self) -> Self:
        if self.sweep is not None and not self.swept:
            raise ValueError("found both `swept = false` and `sweep`: leave out one of the two")
        return self

    @property
    def title(self) -> str:
        """Returns the label, or the name of a case without a label."""
        return self.label or self.name


class Metric(experiment.Metric):
    """A metric, with its published values."""

    model_config = ConfigDict(json_schema_extra=_or_from_base("label", "expr"))

    cases: list[str] | None = Field(
        default=None,
        description="cases in which the metric is measured, by name or pattern; required if some cases lack "
        "a flow, link or quantity in the metric's expression; default: all",
    )
    paper: dict[str, float] = Field(default_factory=dict, description="published numbers by case name")
    definition: str = Field(
        default="", description="definition of the metric in words, if the label is not clear enough"
    )


class Figure(Table):
    """A figure of the report: over ``time`` (series of the first replication), a metric over the ``sweep`` axis, or one
    metric against another (``trade-off``), where a curve joins the points of a case in the order of its sweep.
    """

    id: str
    kind: Literal["time", "sweep", "trade-off"]
    caption: str
    title: str = ""
    series: str | list[str] | None = Field(
        default=None,
        description='for kind = "time": series to draw over time, e.g. links.bottleneck.queue_packets',
    )
    metric: str | None = Field(
        default=None,
        description='for kind = "sweep", a figure with the swept quantity on the horizontal axis: id of the metric on '
        "the vertical axis",
    )
    x: str | None = Field(
        default=None, description='for kind = "trade-off": id of the metric on the horizontal axis'
    )
    y: str | None = Field(
        default=None, description='for kind = "trade-off": id of the metric on the vertical axis'
    )
    cases: list[str] | None = Field(
        default=None, description="cases to draw, by name or pattern; default: all"
    )
    x_label: str = ""
    y_label: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    x_log: bool = False
    y_log: bool = False

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        needs = {"time": ("series",), "sweep": ("metric",), "trade-off": ("x", "y")}[self.kind]
        given = [key for key in ("series", "metric", "x", "y") if getattr(self, key)]
        if given != list(needs):
            other = [key for key in given if key not in needs]
            without = f" (and no {' or '.join(other)})" if other else ""
            raise ValueError(f'a figure of kind "{self.kind}" needs {" and ".join(needs)}{without}')
        if self.x_label and self.kind == "time":
            raise ValueError(
                "x_label: leave this key out, because the horizontal axis of a figure over time is always time"
            )
        for path in self.series_paths:
            parts = path.split(".")
            if len(parts) != 3 or parts[0] not in ("flows", "links"):
                raise ValueError(
                    f'series: found "{path}", expected flows.<flow>.<quantity> or links.<link>.<quantity>'
                )
        return self

    @property
    def series_paths(self) -> list[str]:
        """Returns the series of a figure over time, as a list even if the file gives a single one."""
        if self.series is None:
            return []
        return [self.series] if isinstance(self.series, str) else list(self.series)


class Change(Table):
    """Other scenario values for some of the cases."""

    overrides: Overrides = Field(min_length=1)
    cases: list[str] | None = Field(
        default=None, description="cases that the overrides apply to; default: all"
    )


class Interpretation(Table):
    """Another interpretation of the publication: other scenario values, or other definitions of metrics."""

    label: str
    overrides: Overrides = Field(default_factory=dict)
    cases: list[str] | None = Field(
        default=None, description="cases that the overrides apply to; default: all"
    )
    changes: list[Change] = Field(
        default_factory=list,
        description="list of changes, instead of `overrides`, if the overrides differ between cases",
    )
    metrics: dict[str, str] = Field(
        default_factory=dict, description="expressions that replace those of metrics, by metric id"
    )
    evidence: str = Field(
        default="",
        description="evidence for this interpretation in one line: a sentence of the publication with the number of "
        "its section, a default of the simulator version that it names, or another printed number. Without "
        "evidence, the interpretation is only a robustness check and cannot reverse a result (from holding to failing, "
        "or from failing to holding)",
    )
    against: str = Field(
        default="",
        description="evidence in the publication against this interpretation, with the number of the section that "
        "contains it. Despite such evidence, the interpretation can reverse the results (from holding to failing, or "
        "from failing to holding) of the claims in `stands_for`, but of no other claims",
    )
    stands_for: list[str] = Field(
        default_factory=list,
        description="claims, by id or pattern, whose result this interpretation may reverse in spite of the "
        "evidence in `against`",
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.overrides and not self.changes and not self.metrics:
            raise ValueError("the interpretation changes nothing: give overrides, changes or metrics")
        if self.changes and (self.overrides or self.cases):
            raise ValueError(
                "found `changes` together with `overrides` or `cases`: move `overrides` and `cases` into an entry of "
                "`changes`"
            )
        return self

    @property
    def may_reverse(self) -> bool:
        """Returns whether it may reverse the result of any claim."""
        return bool(self.evidence) and (not self.against or bool(self.stands_for))

    def refuted_for(self, claim: str) -> bool:
        """Returns whether the publication's own evidence rules the interpretation out for a claim."""
        return bool(self.against) and not any(fnmatch.fnmatchcase(claim, one) for one in self.stands_for)

    def all_changes(self) -> list[Change]:
        """Returns the changes as a list, including a single one that is written as ``overrides`` and ``cases``."""
        if not self.overrides:
            return list(self.changes)
        return [Change(overrides=self.overrides, cases=self.cases)]


class Assumption(Table):
    """A value that the publication leaves open: the value used, the reason, and other interpretations."""

    model_config = ConfigDict(json_schema_extra=_or_from_base("what", "taken", "why"))

    id: str = Field(
        default="",
        description="id of the assumption. `assume` selects an assumption by its id. If a study's assumption omits "
        "`what`, `taken`, `why` or `interpretations`, the assumption with the same id in the base file provides them",
    )
    what: str
    taken: str
    taken_from: Literal["text", "simulator", "ours"] = Field(
        default="ours",
        description="origin of the value used. text: the literal sense of the publication; simulator: the "
        "default of the simulator version that the publication names; ours: our choice, because neither "
        "specifies the value",
    )
    why: str
    interpretations: list[Interpretation] = Field(default_factory=list)

    @field_validator("interpretations")
    @classmethod
    def _told_apart(cls, interpretations: list[Interpretation]) -> list[Interpretation]:
        if twice := repeated("interpretation", [one.label for one in interpretations], what="listed"):
            raise ValueError(twice[0])
        return interpretations


class Finding(Table):
    """A written conclusion about a claim, above all about one that is not as printed."""

    claim: str
    text: str
    verdict: Verdict | None = Field(
        default=None,
        description="result that the claim must have for the conclusion to be shown; default: any",
    )

    def explains(self, verdict: Verdict | None) -> bool:
        """Returns whether the finding is shown under ``verdict``."""
        return self.verdict in (None, verdict)


class Precision(Table):
    """The precision to reach: replications are added until the 95 % confidence intervals are narrow enough."""

    within: str = Field(
        description="largest accepted half-width of the 95 % confidence interval of each metric in `metrics`, as a "
        'percentage of its mean, e.g. "5 %"'
    )
    metrics: list[str] = Field(
        min_length=1, description="ids of the metrics whose confidence intervals must satisfy `within`"
    )
    replications_most: int = Field(ge=1, le=10_000, description="largest number of replications of a case")

    @field_validator("within")
    @classmethod
    def _percentage(cls, text: str) -> str:
        found = re.fullmatch(r"\s*([0-9.]+)\s*%\s*", text)
        try:
            good = found is not None and float(found[1]) > 0
        except ValueError:
            good = False
        if not good:
            raise ValueError(f'found "{text}", expected a percentage above 0 such as "5 %"')
        return text

    @property
    def share(self) -> float:
        """Returns ``within`` as a number: 0.05 for 5 %."""
        return float(self.within.strip(" %")) / 100


class Study(Table):
    """A study file: a published experiment that runs, and tests of its claims."""

    model_config = ConfigDict(json_schema_extra=_or_from_base("scenario", "metrics"))

    title: str
    summary: str
    base: str | None = Field(
        default=None, description="file *.base.toml in the same folder, which several studies share"
    )
    assume: list[str] = Field(
        default_factory=list,
        description="ids of the assumptions, in the base or in this file, that apply to the study",
    )
    source: Source
    replications: int = Field(
        default=80,
        ge=1,
        le=10_000,
        description="largest number of seeds per case; seeds are added (3, 5, 10, 20, ...) while claims are "
        "undecided",
    )
    precision: Precision | None = None
    quick: Quick = Field(default_factory=Quick)
    scenario: dict[str, Any]
    disciplines: Placement | None = Field(
        default=None,
        description="queues of the scenario at which the queue disciplines of the base file are tested; each "
        "discipline becomes a case",
    )
    characterisation: Characterisation | None = Field(
        default=None, description="scenario of RFC 7928 that this study runs, with its criteria"
    )
    axes: dict[str, list[Any]] = Field(
        default_factory=dict, description="values over which `for_all` iterates, by the name of the axis"
    )
    cases: list[Case] = Field(default_factory=lambda: [Case(name="base")], min_length=1)
    sweep: Sweep | None = None
    measure: list[str] = Field(
        default_factory=list,
        description="ids of the metrics of the base file (`base`) that the study measures",
    )
    metrics: list[Metric] = Field(min_length=1)
    claims: list[Claim] = Field(default_factory=list)
    figures: list[Figure] = Field(default_factory=list)
    assumptions: list[Assumption] = Field(default_factory=list)
    findings: list[Finding] = Field(default_factory=list)

    def runs(self) -> list[SweptCase]:
        """Returns the cases as they run, in file order: each case, or each case at each value of the sweep."""
        runs: list[SweptCase] = []
        for case in self.cases:
            sweep = (case.sweep or self.sweep) if case.swept else None
            if sweep is None:
                runs.append(SweptCase(name=case.name, case=case))
            else:
                runs.extend(
                    SweptCase(name=f"{case.name}[{sweep_text(value)}]", case=case, value=value, sweep=sweep)
                    for value in sweep.values
                )
        return runs

    def metric(self, id: str) -> Metric:
        """Returns the metric called ``id``; the study was checked, so a missing one is a programming error."""
        return next(metric for metric in self.metrics if metric.id == id)

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        case_names = [case.name for case in self.cases]
        run_names = [run.name for run in self.runs()]
        metric_ids = [metric.id for metric in self.metrics]
        claim_ids = [claim.id for claim in self.claims]
        problems = [
            *repeated("case", case_names),
            *repeated("metric", metric_ids),
            *repeated("claim", claim_ids),
            *repeated("figure", [figure.id for figure in self.figures]),
            *repeated("assumption", [assumption.id for assumption in self.assumptions if assumption.id]),
            *repeated("assumption", self.assume, what="named"),
        ]
        if self.precision is not None:
            problems += _unknown("precision.metrics", "metric", self.precision.metrics, metric_ids)
        for metric in self.metrics:
            place = f"metrics.{metric.id}"
            problems += _unknown(f"{place}.paper", "case", metric.paper, run_names)
            problems += _unmatched(f"{place}.cases", metric.cases, [*run_names, *case_names])
        for figure in self.figures:
            problems += self._wrong_with(figure, metric_ids)
        for assumption in self.assumptions:
            for interpretation in assumption.interpretations:
                place = f'assumptions "{assumption.what}", interpretation "{interpretation.label}"'
                for change in interpretation.all_changes():
                    problems += _unmatched(f"{place}, cases", change.cases, [*run_names, *case_names])
                problems += _unknown(f"{place}, metrics", "metric", interpretation.metrics, metric_ids)
        for criterion in self.characterisation.criteria if self.characterisation else ():
            problems += _unknown(f"criteria.{criterion.rule}", "metric", criterion.metrics, metric_ids)
        problems += _unknown("findings", "claim", [finding.claim for finding in self.findings], claim_ids)
        units = {metric.id: metric.unit for metric in self.metrics}
        for claim in self.claims:
            problems += claim.in_another_unit(units)
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def _wrong_with(self, figure: Figure, metric_ids: list[str]) -> list[str]:
        place, runs = f"figures.{figure.id}", self.runs()
        names = [*(run.name for run in runs), *(case.name for case in self.cases)]
        problems = _unmatched(f"{place}.cases", figure.cases, names)
        for key, metric in (("metric", figure.metric), ("x", figure.x), ("y", figure.y)):
            if metric is not None:
                problems += _unknown(f"{place}.{key}", "metric", [metric], metric_ids)
        if figure.kind == "sweep":
            if self.sweep is None:
                problems.append(f'{place}: kind = "sweep" but the study has no [sweep]')
            shown = [run.case for run in runs if run.matches(figure.cases)]
            problems += [
                f'{place}: case "{name}" has its own sweep, expected cases with the sweep of the study: leave this '
                'case out with `cases`, and draw it in a figure with kind = "trade-off"'
                for name in dict.fromkeys(case.name for case in shown if case.sweep)
            ]
        return problems


class SweptCase(Table):
    """A case at one value of the sweep (or a case outside any sweep), which one set of replications runs."""

    name: str
    case: Case
    value: int | float | str | None = None
    sweep: Sweep | None = Field(default=None, description="the sweep to which the value belongs")

    @property
    def setting(self) -> Setting:
        """Returns the run as a point of the study's grid."""
        return Setting(self.name, self.case.overrides, self.case.name, self.value)

    def matches(self, patterns: list[str] | None) -> bool:
        """Returns whether any pattern (``rbcc*``, ``rbcc[5]``) names this run or its case; None names all."""
        return patterns is None or any(
            pattern in (self.name, self.case.name) or fnmatch.fnmatchcase(self.case.name, pattern)
            for pattern in patterns
        )


def repeated(kind: str, names: list[str], what: str = "defined") -> list[str]:
    """Returns a message for each of ``names`` that occurs more than once."""
    return [f'{kind} "{name}" is {what} twice' for name in sorted({n for n in names if names.count(n) > 1})]


def _unknown(place: str, kind: str, found: Any, known: list[str]) -> list[str]:
    return [
        f'{place}: there is no {kind} "{name}"{nearest(name, known)}' for name in found if name not in known
    ]


def _unmatched(place: str, patterns: list[str] | None, known: list[str]) -> list[str]:
    return [
        f'{place}: no case matches "{pattern}"{nearest(pattern, known)}'
        for pattern in patterns or []
        if pattern not in known and not fnmatch.filter(known, pattern)
    ]
