"""The result of an evaluation: verdicts by the criteria of the RFC, in its order."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _toml as toml
from ackclock._files import read_text
from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.evaluation.files import Loaded, load, names
from ackclock.evaluation.judge import Judged
from ackclock.evaluation.language import SOLO, TESTED
from ackclock.evaluation.measured import Measured
from ackclock.evaluation.rfc import FAMILIES, PROCESS, Family
from ackclock.evaluation.sets import ROWS, SETS
from ackclock.evaluation.spelling import BEGINNINGS, compared, left_out, more_than
from ackclock.evaluation.words import (
    CONCERN,
    EXEMPT,
    IN_ORDER,
    NO_LIMIT,
    NOT_EVALUATED,
    OK,
    worst,
)
from ackclock.study.placed import not_toml, placed

if TYPE_CHECKING:
    from ackclock.evaluation.run import Plan

OF_TAIL_DROP = tuple(f"N-0{number}" for number in range(1, 10))
"""The criteria of sections 5.1 and 5.2 of RFC 9743, all of which run with drop-tail queues."""

MOST_NAMED = 3
"""The largest number of conditions that the sentence of a verdict names."""
UNMARKED = "not evaluated with ECN marks, because the transport does not use ECN"
REFUSED = "Not evaluated, because the scenario cannot run over this transport"
NOT_ASKED = "None of its scenarios was selected for this evaluation."


@dataclass(frozen=True)
class Answers:
    """The author's answers: scenarios that the control is not meant for, and demands on the process."""

    exempt: Mapping[str, str] = field(default_factory=dict)
    process: Mapping[str, str] = field(default_factory=dict)


def read_answers(file: Path) -> Answers:
    """Returns the answers in a TOML file: tables ``exempt`` (criteria of section 7 and the reason) and ``process``.

    InputError for unknown names, and for a criterion that cannot be excluded.
    """
    text = read_text(file)
    try:
        document = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise not_toml(text, str(file), error) from None

    def wrong(what: str) -> InputError:
        return InputError(placed(f"{file}: {what}", text, str(file)))

    tables = {"exempt": [one.id for one in FAMILIES], "process": [item.id for item in PROCESS]}
    for table, entries in document.items():
        if table not in tables:
            raise wrong(f"{table}: unknown key{nearest(table, tables)}")
        if not isinstance(entries, dict):
            raise wrong(f"{table}: found {entries!r}, expected a table [{table}]")
        for key, value in entries.items():
            if key not in tables[table]:
                raise wrong(f"{table}.{key}: unknown key{nearest(key, tables[table])}")
            if not isinstance(value, str) or not value.strip():
                raise wrong(f"{table}.{key}: found {value!r}, expected a sentence in quotes")
            section = next((one.section for one in FAMILIES if one.id == key), "")
            if table == "exempt" and not section.startswith("7."):
                raise wrong(
                    f"exempt.{key}: section {section} of RFC 9743 cannot be excluded, only the special cases "
                    f"of "
                    "section 7"
                )
    return Answers(document.get("exempt", {}), document.get("process", {}))


@dataclass(frozen=True)
class ScenarioResult:
    """The result of a scenario."""

    loaded: Loaded
    samples: Measured
    findings: Sequence[Judged]
    left_out: int = 0
    """The number of settings that were left out because their links could carry too many packets."""
    unmarked: int = 0
    """The number of settings that were left out because the transport does not use ECN."""

    @property
    def closed(self) -> list[str]:
        """Returns under which controls a stack closed connections, which then deliver nothing more, and why."""
        samples, texts = self.samples, []
        for contender in dict.fromkeys(contender for contender, _, _ in samples.closed):
            reasons = Counter(why for (of, _, _), why in samples.closed.items() if of == contender)
            who = {TESTED: "the control", SOLO: "only the other flows"}.get(contender, contender)
            runs = f"{reasons.total()} of {samples.runs(contender)} runs"
            why = reasons.most_common(1)[0][0]
            texts.append(f"{self.loaded.name}: with {who}, the stack closed a connection in {runs}: {why}.")
        return texts

    @property
    def verdict(self) -> str:
        """Returns the verdict that prevails over criteria and settings; numbers without a limit do not count.

        A run that failed is a concern, even in a setting that others are only compared with.
        """
        if self.samples.failures:
            return CONCERN
        limited = [one for one in self.findings if one.condition.limit is not None]
        return worst(one.verdict for one in limited or self.findings)


@dataclass(frozen=True)
class FamilyResult:
    """The result for a criterion of the RFC."""

    family: Family
    verdict: str
    sentence: str
    scenarios: Sequence[ScenarioResult] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    """The scenarios that were left out, with the reason for each."""
    shortened: Sequence[str] = ()
    """A sentence for each scenario that ran without some of its settings, with the reason."""

    @property
    def partial(self) -> str:
        """Returns that only some of the section's scenarios were selected, and which; empty if all were, or none."""
        own = {one.loaded.name for one in self.scenarios}
        section = {name for name in names() if load(name).family.id == self.family.id}
        if not own & section or section <= own | set(self.left_out):
            return ""
        return f"Only {len(own & section)} of {len(section)} scenarios of this section: {', '.join(sorted(own))}."

    @property
    def lacks(self) -> list[str]:
        """Returns where its scenarios are weaker than what the section asks, or their limits generous, where a stack
        closed connections, and which others were left out.
        """
        texts = [text for one in self.scenarios for text in one.loaded.about.lacks]
        texts += [text for one in self.scenarios for text in one.closed]
        texts += self.shortened
        texts += [self.partial] if self.partial else []
        if self.scenarios:
            texts += [f"{name} was left out, because {why}." for name, why in self.left_out.items()]
        return list(dict.fromkeys(texts))


@dataclass(frozen=True)
class Evaluation:
    """The verdicts on a control."""

    control: str
    references: Sequence[str]
    quick: bool
    seeds: Sequence[int]
    most_packets: int | None
    """Settings whose links could carry more packets than this in a run are left out; None without such a limit."""
    families: Sequence[FamilyResult]
    answers: Answers
    runs: int
    cpu_time_s: float
    versions: Mapping[str, Any]
    recoveries: Mapping[str, str] = field(default_factory=dict)
    """The loss recovery of each control's flows: the name of a recovery, or of a transport that has its own."""
    chosen: frozenset[str] = frozenset()
    """The criteria and sets whose scenarios were selected."""
    source: str = ""
    """The source code of a control in Python; empty for another control."""
    remarks: Sequence[str] = ()
    """Remarks on how the host treats a control in Python."""

    @property
    def fingerprint(self) -> str:
        """Returns the SHA-256 of the source, in hexadecimal digits."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    @property
    def asked(self) -> list[FamilyResult]:
        """Returns the criteria that this evaluation is about: all of them, or those of the scenarios chosen, whether or
        not these were run.
        """
        everything = all(one.sentence != NOT_ASKED for one in self.families)
        return [one for one in self.families if everything or one.family.id in self.chosen]

    @property
    def counted(self) -> dict[str, int]:
        """Returns the number of criteria with each verdict, without section 6.1, which repeats those of section 5."""
        own = [one for one in self.asked if one.family.id != "N-10"]
        return {word: sum(one.verdict == word for one in own) for word in IN_ORDER}

    def family(self, id: str) -> FamilyResult:
        """Returns the result for a criterion of the RFC."""
        return next(one for one in self.families if one.family.id == id)


def assembled(
    plan: Plan, results: Sequence[ScenarioResult], answers: Answers, runs: int, cpu_time_s: float
) -> Evaluation:
    """Returns the evaluation from the results of its scenarios."""
    from ackclock.study.run import versions

    families: dict[str, FamilyResult] = {}
    for family in ROWS:
        own = [one for one in results if one.loaded.about.family == family.id]
        without = {name: why for name, why in plan.left_out.items() if plan.family_of[name] == family.id}
        if family in SETS and not own and not without:
            continue
        result = _family(family, own, answers, plan)
        families[family.id] = replace(result, left_out=without, shortened=shortened(own, plan.most_packets))
    families["N-10"] = _tail_drop(families)
    return Evaluation(
        control=plan.tested.name,
        references=[contender.name for contender in plan.references],
        quick=plan.quick,
        seeds=plan.seeds,
        most_packets=plan.most_packets,
        families=list(families.values()),
        answers=answers,
        runs=runs,
        cpu_time_s=cpu_time_s,
        versions=versions(),
        recoveries={contender.name: contender.recovery for contender in [plan.tested, *plan.references]},
        chosen=frozenset(plan.family_of.values()),
        source=plan.tested.source,
        remarks=plan.tested.remarks,
    )


def shortened(own: Sequence[ScenarioResult], most_packets: int | None) -> list[str]:
    """Returns a sentence for each scenario of which some settings were left out."""
    texts = [f"{one.loaded.name}: {left_out(one.left_out, most_packets)}." for one in own if one.left_out]
    return texts + [f"{one.loaded.name}: {UNMARKED}." for one in own if one.unmarked]


def _family(family: Family, own: Sequence[ScenarioResult], answers: Answers, plan: Plan) -> FamilyResult:
    if family.id in answers.exempt:
        return FamilyResult(family, EXEMPT, f"Excluded by the author: {answers.exempt[family.id]}", own)
    if not own:
        why = family.not_evaluated or NOT_ASKED
        refused = [why for name, why in plan.refused.items() if plan.family_of[name] == family.id]
        if refused:
            why = f"{REFUSED}: {refused[0]}"
        elif any(plan.family_of[name] == family.id for name in plan.unmarked):
            why = f"It is {UNMARKED}."
        elif any(plan.family_of[name] == family.id for name in plan.too_large):
            why = f"Left out, because its {more_than(plan.most_packets)}."
        if family.id == "N-23" and not plan.tested.several_paths:
            return FamilyResult(
                family, EXEMPT, "The control uses one path; the requirement applies to multipath controls."
            )
        return FamilyResult(family, NOT_EVALUATED, why)
    return of_scenarios(family, own)


def of_scenarios(family: Family, own: Sequence[ScenarioResult]) -> FamilyResult:
    """Returns the result for a criterion from those of its scenarios, at least one."""
    verdict, why = worst(one.verdict for one in own), sentence(own)
    partial = next((one.loaded.about.partial for one in own if one.loaded.about.partial), "")
    if verdict == OK and partial:
        return FamilyResult(family, NO_LIMIT, f"{why.removesuffix('.')}, but {partial}.", own)
    return FamilyResult(family, verdict, why, own)


def sentence(own: Sequence[ScenarioResult]) -> str:
    """Returns the sentence that explains a verdict: the criteria that decide it, by how much, and where."""
    verdict = worst(one.verdict for one in own)
    found = [one for result in own for one in result.findings if one.condition.limit is not None]
    failed = _failed(own)
    count, missing = (
        sum(len(result.samples.settings) for result in own),
        sum(result.left_out for result in own),
    )
    settings = f"{count} of {_counted(count + missing, 'setting')}" if missing else _counted(count, "setting")
    if not failed and not found:
        return f"Measured in {settings}; no limit applies."
    if not failed and verdict == OK:
        conditions = len({one.condition.text for one in found})
        return f"{_counted(conditions, 'condition')} met in {settings}."
    parts = [*failed, *_conditions(verdict, found, own)]
    if len(parts) > MOST_NAMED:
        more = len(parts) - MOST_NAMED
        parts = [*parts[:MOST_NAMED], f"and {_counted(more, 'more condition')}"]
    beginning = f"{BEGINNINGS[verdict]}: " if verdict in BEGINNINGS else ""
    besides = _besides(found) if verdict == CONCERN else []
    return " ".join([f"{beginning}{'; '.join(parts)}.", *besides])


def _failed(own: Sequence[ScenarioResult]) -> list[str]:
    """Returns in how many runs the control failed, and why the first one did; nothing if none did."""
    failures = [why for result in own for why in result.samples.failures.values()]
    runs = sum(result.samples.runs(TESTED) for result in own)
    return [f"{len(failures)} of {_counted(runs, 'run')} failed: {failures[0]}"] if failures else []


def _besides(found: Sequence[Judged]) -> Iterator[str]:
    """Yields what is undecided, and what is outside as standard controls are, beside a concern."""
    for verdict, beginning in BEGINNINGS.items():
        counts = Counter(one.metric.label for one in found if one.verdict == verdict)
        if counts:
            named = ", ".join(f"{label} in {_counted(n, 'setting')}" for label, n in counts.items())
            yield f"{beginning}: {named}."


def _conditions(verdict: str, found: Sequence[Judged], own: Sequence[ScenarioResult]) -> Iterator[str]:
    """Yields each condition with a verdict: what was measured where it is farthest outside, and in how many settings it
    has this verdict.
    """
    # Several scenarios of a family may have the same condition.
    titles = {id(one): result.loaded.about.title for result in own for one in result.findings}
    deciding = [one for one in found if one.verdict == verdict and not one.failed]
    for text in dict.fromkeys(one.condition.text for one in deciding):
        those = [one for one in deciding if one.condition.text == text]
        every = [one for one in found if one.condition.text == text]
        shown = max(those, key=_beyond_limits)
        where = [shown.setting.name] if shown.setting.name else []
        if len({titles[id(one)] for one in every}) > 1:
            where.insert(0, f'"{titles[id(shown)]}"')
        reason = f", {shown.reason}" if shown.reason else ""
        at = f", {'worst ' if len(those) > 1 else ''}with {', '.join(where)}" if where else ""
        yield f"{words_of(shown)}{reason} in {len(those)} of {_counted(len(every), 'setting')}{at}"


def words_of(one: Judged) -> str:
    """Returns what was measured of a condition, beside the reference that decides and what is allowed."""
    reference = one.decides.reference
    return compared(
        one.metric.label,
        one.metric.unit,
        one.condition.measure,
        one.means[TESTED],
        (reference, one.means[reference]),
        one.allowed,
    )


def _beyond_limits(one: Judged) -> float:
    """Returns how far the judged quantity is beyond its limits, negative inside; without a quantity it is farthest."""
    if one.finding.estimate is None:
        return math.inf
    low, high = one.finding.criterion.range
    return max(low - one.finding.estimate, one.finding.estimate - high)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def _tail_drop(families: Mapping[str, FamilyResult]) -> FamilyResult:
    own = [families[id] for id in OF_TAIL_DROP]
    verdict, text = tail_drop({one.family.section: one.verdict for one in own})
    return FamilyResult(families["N-10"].family, verdict, text)


def tail_drop(verdicts: Mapping[str, str]) -> tuple[str, str]:
    """Returns the verdict on drop-tail queues, which is the worst of those on section 5, by section, and why."""
    missing = [section for section, verdict in verdicts.items() if verdict == NOT_EVALUATED]
    verdict = worst(verdicts.values())
    if missing and verdict != CONCERN:
        return (
            NOT_EVALUATED,
            f"This verdict requires all criteria of sections 5.1 and 5.2; not evaluated: {', '.join(missing)}.",
        )
    those = ", ".join(section for section, one in verdicts.items() if one == verdict)
    return (
        verdict,
        f'All scenarios of section 5 have drop-tail queues. The worst verdict in section 5 is "{verdict}" ({those}).',
    )
