"""Runs studies: makes the runs that undecided claims need, computes metrics as runs finish, judges the claims."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ackclock import _typed_core as core
from ackclock._jobs import Made, Progress, run_jobs
from ackclock._store import Job, Store, core_fingerprint
from ackclock.errors import InputError, Interrupted
from ackclock.experiment.sample_words import SampleWords
from ackclock.study.claim import Claim
from ackclock.study.computed import words_of_means
from ackclock.study.findings import with_finding, with_numbers
from ackclock.study.fingerprint import of_simulation
from ackclock.study.interpretations import with_interpretations
from ackclock.study.load import LoadedStudy
from ackclock.study.measured import Measured
from ackclock.study.model import Interpretation, Overrides
from ackclock.study.plan import Plan, Planned
from ackclock.study.records import recorded_means
from ackclock.study.result import AssumptionResult, ClaimResult, SensitivityResult, Source, StudyResult

Place = tuple[int, int]
"""An interpretation and a run, by their indices in the plan."""


def run_study(
    loaded: LoadedStudy,
    *,
    quick: bool = False,
    sensitivity: bool = True,
    store: Store | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> StudyResult:
    """Runs a study, with ``sensitivity`` also under its other interpretations, and judges its claims.

    InputError when a scenario or an expression is wrong, RunError when a run fails, Interrupted on Ctrl-C.
    """
    (result,) = run_studies(
        [loaded], quick=quick, sensitivity=sensitivity, store=store, threads=threads, progress=progress
    )
    return result


def run_studies(
    studies: Sequence[LoadedStudy],
    *,
    quick: bool = False,
    sensitivity: bool = True,
    store: Store | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    on_failure: Callable[[LoadedStudy, InputError], None] | None = None,
    on_done: Callable[[Work], None] | None = None,
) -> list[StudyResult]:
    """Runs several studies together; the results are in the order of ``studies``.

    The simulations of all studies run in one pool, the longest first. A simulation that several studies need runs
    once. InputError when a metric or a claim cannot be computed from the simulations; with ``on_failure``, the error
    is passed to it instead, and the other studies continue. ``on_done`` is called with each study as soon as all of
    its simulations have finished.
    """
    works = []
    for loaded in studies:
        plan = Plan(loaded, quick=quick, sensitivity=sensitivity)
        plan.check()
        works.append(Work(loaded, plan, on_failure))
    make(works, store=store, threads=threads, progress=progress, on_done=on_done)
    return [result for work in works for result in work.results()]


def make(
    works: Sequence[Work],
    *,
    store: Store | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    on_done: Callable[[Work], None] | None = None,
) -> None:
    """Runs the simulations of studies, one look after another, until none is due.

    ``on_done`` is called with each study as soon as it is complete, so that an interruption loses only the others.
    """
    pool, going = _Pool(store or Store(None), threads, progress), list(works)
    while going:
        due = [(work, work.due()) for work in going]
        for work, planned in due:
            if not planned and not work.failed and on_done is not None:
                on_done(work)
        going = [work for work, planned in due if planned]
        batch = [(work, one) for work, planned in due for one in planned]
        if batch:
            pool.make(batch, sum(work.cost_of_others() for work in going))


def versions() -> dict[str, str]:
    """Returns the versions of the software that computed the numbers."""
    from importlib.metadata import version

    return {
        "ackclock": core.VERSION,
        "core": core_fingerprint(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


class Work:
    """A study in progress, or one whose samples come from a record."""

    def __init__(
        self,
        loaded: LoadedStudy,
        plan: Plan,
        on_failure: Callable[[LoadedStudy, InputError], None] | None = None,
    ) -> None:
        self.loaded, self.plan, self.measured = loaded, plan, Measured(plan)
        self.failed, self._on_failure = False, on_failure
        self.count, self.stored, self.cpu_time_s = 0, 0, 0.0
        self._taken_is_made = False
        self._tested = [claim for claim in plan.study.claims if not claim.not_judged()]

    def due(self) -> list[Planned]:
        """Returns the simulations that are due next: first those missing under the study's own interpretation, then
        those of the others. Empty once every claim is decided, or hopeless, or has all of its seeds.
        """
        if self.failed:
            return []
        with self._failing():
            for needs in (self._needs, self._needs_of_others):
                self._taken_is_made = needs == self._needs_of_others
                wanted = {}
                for (reading, run), end in needs().items():
                    made = self.measured.made(reading, run)
                    if end > made:
                        wanted[reading, run] = (made, end)
                if wanted:
                    return self.plan.simulations(wanted)
        return []

    def cost_of_others(self) -> float:
        """Returns the cost of the simulations that the first look at the other interpretations still needs."""
        needs = {} if self.failed or self._taken_is_made else self._screen()
        return sum(
            (end - self.measured.made(*place)) * self.plan.cost(*place)
            for place, end in needs.items()
            if end > self.measured.made(*place)
        )

    def _needs(self) -> dict[Place, int]:
        """Returns the number of seeds that each run needs under the study's own interpretation.

        Every run gets a first look, so that its numbers have intervals, and those that a claim names get further ones
        while the claim is undecided. If another claim has added seeds to one of a claim's runs, the claim's other runs
        get the same number, so that every seed counts.
        """
        plan = self.plan
        needs = {(0, c): plan.looks.first for c in range(len(plan.runs))}
        for claim in self._tested:
            self._need(needs, 0, claim, max(plan.looks.first, self.measured.most_seeds_of(claim)))
        for claim in self._tested:
            if self.measured.seeds_of(0, claim) >= plan.looks.first:
                self._next_look(needs, 0, claim)
        for run in self.measured.wide() if self.measured.most else []:
            made = self.measured.made(0, run)
            most = plan.replications_most
            needs[0, run] = max(needs[0, run], min(max(2 * made, plan.looks.first), most))
        return needs

    def _screen(self) -> dict[Place, int]:
        """Returns the number of seeds of each run in the first look at other interpretations, for affected claims."""
        needs: dict[Place, int] = {}
        for reading in range(1, len(self.plan.readings)):
            for claim in self._tested:
                if self.measured.touched(reading, claim):
                    self._need(needs, reading, claim, self.plan.looks_at(reading).first)
        return needs

    def _needs_of_others(self) -> dict[Place, int]:
        """Returns the number of seeds that each run needs under other interpretations.

        After the first look, only claims that are undecided, or whose result appears reversed, get another look.
        """
        plan, needs = self.plan, self._screen()
        for reading in range(1, len(plan.readings)):
            for claim in self._tested:
                seeds, first = self.measured.seeds_of(reading, claim), plan.looks_at(reading).first
                if (
                    seeds >= first
                    and self.measured.touched(reading, claim)
                    and self.measured.differs(reading, claim)
                ):
                    self._next_look(needs, reading, claim)
        return needs

    def _next_look(self, needs: dict[Place, int], reading: int, claim: Claim) -> None:
        """Adds the seeds of the look after that at which the claim was judged, if it needs another look."""
        judged = self.measured.judged(reading, claim)
        following = self.plan.looks_at(reading).after(len(judged.samples))
        if following is not None and self.measured.goes_on(reading, claim, judged):
            self._need(needs, reading, claim, following)

    def _need(self, needs: dict[Place, int], reading: int, claim: Claim, seeds: int) -> None:
        """Raises to ``seeds`` the number of seeds that a claim's runs need. A run that the interpretation does not
        change is counted under the study's own interpretation.
        """
        for run in self.measured.runs_of(reading, claim):
            place = (reading if self.plan.changes(reading, run) else 0, run)
            needs[place] = max(needs.get(place, 0), seeds)

    def take(self, planned: Planned, result: Mapping[str, Any]) -> None:
        """Called when a simulation has finished."""
        with self._failing():
            self.measured.take(planned, result)
        self.count += 1

    def results(self) -> list[StudyResult]:
        """Returns the result of the study in a list; empty if the study failed."""
        found: list[StudyResult] = []
        with self._failing():
            if not self.failed:
                found.append(self.result())
        return found

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Ends the study at its first InputError: passes the error to ``on_failure``, or raises it if there is none."""
        try:
            yield
        except InputError as error:
            if self._on_failure is None:
                raise
            if not self.failed:
                self._on_failure(self.loaded, error)
            self.failed = True

    def result(self) -> StudyResult:
        """Returns the result of the study."""
        plan, measured, study = self.plan, self.measured, self.loaded.study
        taken = [self.measured.judged(0, claim) for claim in study.claims]
        assumptions = self._assumptions(taken)
        claims = [with_interpretations(claim, assumptions) for claim in taken]
        findings = with_numbers(study.findings, self._words())
        return StudyResult(
            name=self.loaded.name,
            title=study.title,
            summary=study.summary,
            source=Source(
                thesis=self.loaded.thesis,
                item=study.source.item,
                section=study.source.section,
                asked_by=study.source.asked_by,
                setup_unknown=study.source.setup_unknown,
                numbers_of=study.source.numbers_of,
            ),
            file=self.loaded.file,
            quick=plan.quick,
            replications=measured.most,
            scenario_text=self.loaded.scenario.text.strip("\n") + "\n",
            metrics=tuple(study.metrics),
            cases=tuple(measured.cases()),
            sweep=study.sweep,
            claims=tuple(with_finding(claim, findings) for claim in claims),
            figures=tuple(study.figures),
            assumptions=assumptions,
            findings=findings,
            precision=measured.precision(),
            versions=versions(),
            runs=self.count,
            reused_runs=self.stored,
            cpu_time_s=None if self.stored else self.cpu_time_s,
            characterisation=study.characterisation,
            fingerprint=of_simulation(study),
            quick_changes=_in_words(study.quick.overrides) if plan.quick else "",
        )

    def _words(self) -> SampleWords:
        """Returns the vocabulary of findings over the means of this run; in a quick run, over those of the recorded
        full run if there is one.
        """
        study = self.loaded.study
        recorded = recorded_means(self.loaded.name, study) if self.plan.quick else None
        return words_of_means(recorded or self.measured.means(), study.runs())

    def _assumptions(self, taken: Sequence[ClaimResult]) -> tuple[AssumptionResult, ...]:
        """Returns the results of the other interpretations, compared with ``taken``, those of the study's own."""
        plan = self.plan
        return tuple(
            AssumptionResult(
                what=assumption.what,
                taken=assumption.taken,
                taken_from=assumption.taken_from,
                why=assumption.why,
                sensitivity=tuple(
                    self._sensitivity(assumption.what, alternative, plan.readings.index(alternative), taken)
                    for alternative in assumption.interpretations
                    if alternative in plan.readings
                ),
            )
            for assumption in self.loaded.study.assumptions
        )

    def _sensitivity(
        self, what: str, alternative: Interpretation, reading: int, taken: Sequence[ClaimResult]
    ) -> SensitivityResult:
        claims = {claim.id: claim for claim in self.loaded.study.claims}
        touched = {
            claim.id
            for claim in self._tested
            if self.measured.touched(reading, claim) and self.measured.seeds_of(reading, claim)
        }
        differing = {id for id in touched if self.measured.differs(reading, claims[id])}
        under = tuple(
            self.measured.judged(reading, claims[now.id]) if now.id in differing else now for now in taken
        )
        differ = [
            (then.id, then.verdict)
            for now, then in zip(taken, under, strict=True)
            if now.verdict != then.verdict
        ]
        return SensitivityResult(
            assumption=what,
            alternative=alternative.label,
            claims=under,
            changed=tuple(id for id, verdict in differ if verdict != "undecided"),
            undecided=tuple(id for id, verdict in differ if verdict == "undecided"),
            replications=self.measured.most_of(reading),
            evidence=alternative.evidence,
            against=alternative.against,
            refuted_for=frozenset(id for id in claims if alternative.refuted_for(id)),
            untouched=frozenset(claims) - touched,
        )


@dataclass
class _Shared:
    """A simulation and the studies that need it."""

    job: Job
    cost: float
    users: list[tuple[Work, Planned]]


class _Pool:
    """Runs the simulations of all studies and passes the results to them."""

    def __init__(self, store: Store, threads: int, progress: Progress | None) -> None:
        self._store, self._threads, self._progress = store, threads, progress
        self._count, self._spent = 0, 0.0
        self._made: set[str] = set()

    def make(self, wanted: Sequence[tuple[Work, Planned]], to_follow: float) -> None:
        """Runs the simulations. ``to_follow`` is the cost of the later simulations that are already known."""
        shared = _shared(wanted)
        before, spent = self._count, self._spent
        cost = sum(one.cost for one in shared.values())
        total, needed = before + len(shared), spent + cost + to_follow

        def on_progress(done: int, _: int, share: float) -> None:
            if self._progress is not None:
                self._progress(
                    before + done, total, (spent + share * cost) / needed if needed else before / total
                )

        simulations = list(shared.values())

        def on_result(index: int, result: Mapping[str, Any]) -> None:
            for work, planned in simulations[index].users:
                work.take(planned, result)

        try:
            made = run_jobs(
                [one.job for one in simulations],
                on_result,
                store=self._store,
                threads=self._threads,
                progress=on_progress,
                costs=[one.cost for one in simulations],
            )
        except Interrupted as stopped:
            raise Interrupted(before + stopped.done, total, stopped.runs_dir) from None
        self._count, self._spent = before + len(shared), spent + cost
        self._account(shared, made)

    def _account(self, shared: Mapping[str, _Shared], made: Made) -> None:
        """Adds to each study the CPU time of its simulations, and the number of results from an earlier command."""
        for index, (key, one) in enumerate(shared.items()):
            # Results that this command made before are on disk too, but do not come from an earlier command.
            stored = index in made.stored and key not in self._made
            for work, _ in one.users:
                work.stored += stored
                work.cpu_time_s += made.cpu_time_s.get(index, 0.0)
            if not stored:
                self._made.add(key)


def _in_words(overrides: Overrides) -> str:
    return ", ".join(f"{path} = {value}" for path, value in overrides.items())


def _shared(wanted: Sequence[tuple[Work, Planned]]) -> dict[str, _Shared]:
    """Returns the simulations by key. Equal simulations run once, with series if any study needs series."""
    found: dict[str, _Shared] = {}
    for work, planned in wanted:
        key = planned.job.key(series=False)
        one = found.setdefault(key, _Shared(planned.job, planned.cost, []))
        one.users.append((work, planned))
        if planned.job.series:
            one.job = planned.job
    return found
