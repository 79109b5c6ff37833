"""The result of a study: plain frozen data, ready for the terminal, for JSON and for the report.

Vectors over replications are tuples in seed order, so that element k of two cases saw the same random numbers. A
missing sample is ``nan`` inside tuples and ``None`` where a single number may be missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from ackclock.characterisation.language import Characterisation
from ackclock.experiment.model import Finding, Result
from ackclock.statistics import LEVEL
from ackclock.study.model import Figure, Metric, Sweep, Verdict
from ackclock.study.model import Finding as WrittenFinding

if TYPE_CHECKING:  # mistakes in a study file are found without the numerical libraries
    from ackclock.characterisation.distributions import Distribution
    from ackclock.series import Series

ORDER: tuple[Verdict, ...] = get_args(Verdict)
"""All verdicts in the order in which they are counted."""

Interval = tuple[float, float]
"""Lower and upper end of a two-sided 95 % confidence interval (Student t over the replications)."""


@dataclass(frozen=True)
class Thesis:
    """An entry of ``studies/theses.toml``, the publication of a user's own study, or the user's own questions."""

    key: str
    author: str
    title: str
    where: str
    year: int | None
    """The year of the publication; None for a study of the user's own questions."""
    degree: str
    systems: tuple[str, ...] = ()
    """The registered names of the systems that the publication proposes; all other systems are baselines."""

    @property
    def reference(self) -> str:
        """Returns author, kind of work, place and year, as far as known, without the title."""
        return ", ".join(filter(None, (self.author, self.degree, self.where, str(self.year or ""))))

    @property
    def cited(self) -> str:
        """Returns author and year: "Dahal (2007)"."""
        return self.author if self.year is None else f"{self.author} ({self.year})"


@dataclass(frozen=True)
class Source:
    """Where the experiment was published."""

    thesis: Thesis
    item: str
    section: str
    asked_by: str = "thesis"
    """The origin of the question: ``thesis``, or ``us`` if the publication does not report the experiment."""
    setup_unknown: str = ""
    """The part of the set-up that the publication leaves out; empty if there is none."""
    numbers_of: str = ""
    """The study for which the printed numbers that it shares with this study are counted; empty if there is none."""

    def __str__(self) -> str:
        section = f", section {self.section}" if self.section else ""
        return f"{self.thesis.cited}, {self.item}{section}"


@dataclass(frozen=True)
class MetricValue:
    """One metric of one case.

    ``mean``, ``std`` (sample form, n - 1) and ``interval`` are over those ``samples`` that are not nan. ``mean`` is
    None without any sample; ``std`` and ``interval`` are None with fewer than two. ``paper`` is the thesis's number.
    """

    mean: float | None
    std: float | None
    interval: Interval | None
    samples: tuple[float, ...]
    paper: float | None = None


@dataclass(frozen=True)
class CaseResult:
    """One case at one value of the sweep, over all replications.

    ``name`` is ``rbcc-5``, or ``rbcc[5]`` in a sweep, where ``case`` is ``rbcc`` and ``sweep_value`` is 5 as the file
    has it (a number, or text with a unit). ``label`` is the case's label without the sweep value.
    ``series`` has the series of the first replication that figures show, or is None if no figure shows any.
    """

    name: str
    case: str
    label: str
    sweep_value: int | float | str | None
    overrides: Mapping[str, Any]
    seeds: tuple[int, ...]
    values: Mapping[str, MetricValue]
    series: Series | None = None
    distributions: Mapping[str, Distribution] = field(default_factory=dict)
    """The distributions that a scenario of RFC 7928 collects, by quantity; empty for other scenarios."""
    own_sweep: Sweep | None = None
    """The case's own sweep, to which ``sweep_value`` belongs; None if the case has the study's sweep or none."""

    @property
    def sweep_number(self) -> float | None:
        """Returns the sweep value as a number for an axis: 5 for 5 and for "5 ms"; None if it has none."""
        if self.sweep_value is None:
            return None
        try:
            return float(str(self.sweep_value).split()[0])
        except ValueError:
            return None


@dataclass(frozen=True)
class OtherResult:
    """The result of a claim under another interpretation of the publication."""

    assumption: str
    alternative: str
    verdict: Verdict
    evidence: str = ""
    """The evidence for the interpretation; empty for a robustness check."""
    against: str = ""
    """The publication's evidence against the interpretation; empty if there is none for this claim."""
    differs: bool = False
    """Whether the claim holds under one of two interpretations, this one and the study's, and fails under the other."""

    @property
    def stands(self) -> bool:
        """Returns whether the interpretation may reverse a result: there is evidence for it, and none against it."""
        return bool(self.evidence) and not self.against

    @property
    def reverses(self) -> bool:
        """Returns whether the interpretation reverses the result."""
        return self.differs and self.stands

    def __str__(self) -> str:
        return f"{self.assumption}: {self.alternative}"


@dataclass(frozen=True)
class ClaimResult:
    """One sentence of the thesis, tested.

    ``measured`` and ``interval`` belong to the claim's expression, evaluated per replication. ``detail`` gives in one
    line the reason for the verdict; ``finding`` is the study's written conclusion, if any. ``tolerance`` is the
    allowed distance from ``paper``, if that is the test; ``accepted`` has the lowest and the highest value
    that the test accepts, None for an end that is open, and is None itself for a claim of a direction alone.
    """

    id: str
    text: str
    paper: float | None
    measured: float | None
    interval: Interval | None
    verdict: Verdict
    detail: str
    unit: str = ""
    expression: str = ""
    finding: str | None = None
    tolerance: float | None = None
    accepted: tuple[float | None, float | None] | None = None
    alternative: float | None = None
    """The value expected if the claim were false; None if the study states none."""
    written: str = ""
    """When the test was written or changed, if that was after the first run; empty otherwise."""
    baselines: bool = False
    """Whether the claim is only about baselines: no system of the thesis enters the measured value."""
    ours: bool = False
    """Whether the claim is a question of the study's author, which the publication does not ask: its ``paper`` is then
    the number that the author predicts.
    """
    replications_needed: int | None = None
    """About how many replications would decide an undecided claim; None if unknown."""
    findings: tuple[Finding, ...] = ()
    """The findings on the size and on the order that the claim states."""
    recorded: Verdict | None = None
    """In a quick run, the result of the recorded full run; None without a record."""
    setup: str = ""
    """The part of the set-up that the publication leaves out; empty if the set-up is printed."""
    interpretations: tuple[OtherResult, ...] = ()
    """The claim's result under each other interpretation that changes one of its runs or metrics."""
    samples: Sequence[float] = ()
    """The measured value by seed."""
    error: float = (1 - LEVEL) / 2
    """The largest one-sided p-value that decides the claim."""

    @property
    def number_word(self) -> str:
        """Returns what the number ``paper`` is: published, or predicted by the author of the question."""
        return "predicted" if self.ours else "published"

    @property
    def order(self) -> Result | None:
        """Returns the result for the claim's order alone; None for a claim without an order."""
        return next((one.result for one in self.findings if one.criterion.order), None)

    @property
    def tested(self) -> bool:
        """Returns whether the claim is tested and not only shown."""
        return self.verdict != "not a test"

    @property
    def reversed_by(self) -> list[OtherResult]:
        """Returns the interpretations that reverse the result."""
        return [one for one in self.interpretations if one.reverses]

    @property
    def interpretations_in_words(self) -> str:
        """Returns the column of interpretations, such as "1 of 7 reverses the result: start times". Empty without
        interpretations, and for a claim without a result.
        """
        if self.verdict in ("undecided", "cannot tell"):
            return ""  # there is no result to reverse
        standing = [one for one in self.interpretations if one.stands]
        checks = [one for one in self.interpretations if not one.evidence and not one.against]
        parts = []
        if standing:
            named = ", ".join(dict.fromkeys(one.assumption for one in self.reversed_by))
            verb = "reverses" if len(self.reversed_by) == 1 else "reverse"
            text = f"{len(self.reversed_by)} of {len(standing)} {verb} the result"
            parts.append(f"{text}: {named}" if named else text)
            if undecided := sum(one.verdict == "undecided" for one in standing):
                parts.append(f"{undecided} undecided")
        if checks:
            others = sum(one.differs for one in checks)
            parts.append(f"{others} of {len(checks)} robustness checks would reverse the result")
        return "; ".join(parts)


@dataclass(frozen=True)
class SensitivityResult:
    """All claims under one alternative of one assumption."""

    assumption: str
    alternative: str
    claims: tuple[ClaimResult, ...]
    changed: tuple[str, ...]
    """Ids of the claims with a different result, other than undecided, under the alternative."""
    undecided: tuple[str, ...]
    """Ids of the claims that are undecided only under the alternative."""
    replications: int
    """The largest number of seeds of a run that the alternative changes."""
    evidence: str = ""
    """The evidence for the alternative; empty for a robustness check."""
    against: str = ""
    """The publication's evidence against the alternative; empty if there is none."""
    refuted_for: frozenset[str] = frozenset()
    """Ids of the claims for which ``against`` rules the alternative out."""
    untouched: frozenset[str] = frozenset()
    """Ids of the claims whose runs and metrics the alternative does not change."""


@dataclass(frozen=True)
class AssumptionResult:
    """The study's own interpretation of a point that the publication leaves open, and the results of alternatives."""

    what: str
    taken: str
    why: str
    sensitivity: tuple[SensitivityResult, ...]
    taken_from: str = "ours"
    """The origin of the study's interpretation: ``text``, ``simulator`` (the default of the version that the
    publication names) or ``ours``.
    """


@dataclass(frozen=True)
class PrecisionResult:
    """The relative precision that a study asked for, and the precision that it reached.

    ``widest`` is half the widest 95 % interval of ``metrics`` over its mean, None while one has no interval; ``where``
    names the metric and the case that have it.
    """

    wanted: float
    metrics: tuple[str, ...]
    reached: bool
    widest: float | None
    where: str

    def __str__(self) -> str:
        wanted = f"{100 * self.wanted:.3g} %"
        if self.reached:
            return (
                f"the confidence intervals of {', '.join(self.metrics)} are within ±{wanted} of their means"
            )
        half = (
            "no confidence interval" if self.widest is None else f"an interval of ±{100 * self.widest:.2g} %"
        )
        return f"less precise than requested: {self.where} has {half}, requested ±{wanted}"


@dataclass(frozen=True)
class StudyResult:
    """A study that ran."""

    name: str
    """``rbcc/table-4.1``"""
    title: str
    summary: str
    source: Source
    file: str
    quick: bool
    replications: int
    """The largest number of seeds of a case."""
    scenario_text: str
    """The scenario as written in the file, without the cases' overrides."""
    metrics: tuple[Metric, ...]
    cases: tuple[CaseResult, ...]
    sweep: Sweep | None
    claims: tuple[ClaimResult, ...]
    figures: tuple[Figure, ...]
    assumptions: tuple[AssumptionResult, ...]
    findings: tuple[WrittenFinding, ...]
    precision: PrecisionResult | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions: ``ackclock``, ``core`` (with a hash of the compiled module), ``python``, ``numpy``, ``scipy``."""
    runs: int = 0
    """The number of simulations behind the result, including those found on disk."""
    reused_runs: int = 0
    cpu_time_s: float | None = None
    """The approximate CPU time of the study's simulations, in seconds, including simulations that it shares with other
    studies; None if some results were found on disk."""
    characterisation: Characterisation | None = None
    fingerprint: str = ""
    """The hash of what the samples depend on."""
    quick_changes: str = ""
    """The values that a quick run changed in the scenario, such as "duration = 30 s"; empty if it changed none."""

    @property
    def seeds(self) -> str:
        """Returns the number of seeds in words: "3 seeds", or "3 to 40 seeds" where cases have different numbers."""
        counts = [len(case.seeds) for case in self.cases] or [0]
        few, most = min(counts), max(counts)
        return f"{few} to {most} seeds" if few < most else f"{most} seed{'s' if most != 1 else ''}"

    def case(self, name: str) -> CaseResult:
        """Returns the case called ``name``. KeyError when there is none."""
        for case in self.cases:
            if case.name == name:
                return case
        raise KeyError(name)

    def metric(self, id: str) -> Metric:
        """Returns the metric called ``id``; the study was checked, so a missing one is a programming error."""
        return next(metric for metric in self.metrics if metric.id == id)

    def axis(self, case: CaseResult) -> str:
        """Returns the quantity that the sweep value of ``case`` is a value of; empty for a case outside any sweep."""
        sweep = None if case.sweep_value is None else case.own_sweep or self.sweep
        return sweep.axis if sweep else ""

    @property
    def swept(self) -> bool:
        """Returns whether any case has a curve rather than a point."""
        return self.sweep is not None or any(case.own_sweep for case in self.cases)

    def verdicts(self) -> dict[Verdict, int]:
        """Returns the number of claims with each verdict, in the usual order of verdicts."""
        return counted(claim.verdict for claim in self.claims)


def counted(verdicts: Iterable[Verdict]) -> dict[Verdict, int]:
    """Returns the number of each verdict, in the usual order of verdicts, without those that do not occur."""
    found = Counter(verdicts)
    return {verdict: found[verdict] for verdict in ORDER if found[verdict]}


def tested(verdicts: Mapping[Verdict, int]) -> int:
    """Returns the number of verdicts on tests."""
    return sum(count for verdict, count in verdicts.items() if verdict != "not a test")
