"""Running studies: make the runs, compute the metrics as they finish, judge the claims."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ackclock import _typed_core as core
from ackclock._jobs import Made, Progress, run_jobs
from ackclock._store import Job, Store, core_fingerprint
from ackclock.errors import InputError, Interrupted
from ackclock.experiment.sample_words import SampleWords
from ackclock.experiment.truth import ERROR_LATER
from ackclock.study.computed import words_of_means
from ackclock.study.findings import with_finding, with_numbers
from ackclock.study.fingerprint import fingerprint
from ackclock.study.load import LoadedStudy
from ackclock.study.measured import Measured
from ackclock.study.model import Interpretation
from ackclock.study.plan import Plan, Planned
from ackclock.study.records import recorded_means
from ackclock.study.result import AssumptionResult, ClaimResult, SensitivityResult, Source, StudyResult
from ackclock.study.verdict_status import with_readings

LOOKS = 3
"""The number of further looks at a study with undecided claims. To look until an interval happens to decide would
decide too much; ``ERROR_LATER`` says how often these looks err.
"""
HOPELESS = 4
"""A claim that would take more than this many times the most replications of its study is left undecided.

If mean and spread stay, it would be decided in less than one study of fifteen: its mean would be 2.58 / 2 standard
errors from the end with a deviation of sqrt(3 / 4), and 2.58 is 1.5 deviations further.
"""


def run_study(
    loaded: LoadedStudy,
    *,
    quick: bool = False,
    sensitivity: bool = True,
    store: Store | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> StudyResult:
    """Runs all cases, replications and (with ``sensitivity``) alternative readings of a study, and judges its claims.

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
) -> list[StudyResult]:
    """Runs several studies together; the results are in the order of ``studies``.

    The simulations of all studies are one pool, the longest first. A simulation that several studies need is made
    once. A metric or a claim that cannot be computed from the simulations is an InputError; with ``on_failure`` the
    error is passed to it, and the other studies continue.
    """
    works = []
    for loaded in studies:
        plan = Plan(loaded, quick=quick, sensitivity=sensitivity)
        plan.check()
        works.append(_Work(loaded, plan, on_failure))
    _make(works, _Pool(store or Store(None), threads, progress))
    return [result for work in works for result in work.results()]


def versions() -> dict[str, str]:
    """Returns the versions of the software that made the numbers."""
    from importlib.metadata import version

    return {
        "ackclock": core.VERSION,
        "core": core_fingerprint(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }


class _Work:
    """A study in progress."""

    def __init__(
        self,
        loaded: LoadedStudy,
        plan: Plan,
        on_failure: Callable[[LoadedStudy, InputError], None] | None,
    ) -> None:
        self.loaded, self.plan, self.measured = loaded, plan, Measured(plan)
        self.failed, self._on_failure = False, on_failure
        self.first, self.end = 0, plan.replications
        self.looks = 0
        """The number of further looks, with more replications, because claims were undecided."""
        self.later: list[Planned] = []
        """The simulations of other readings, which wait until the number of replications is known."""
        self.count, self.stored, self.cpu_time_s = 0, 0, 0.0

    def search(self) -> list[Planned]:
        """Returns the next replications under the reading taken; those of other readings wait in ``later``."""
        batch = self.plan.simulations(self.first, self.end)
        self.later += [planned for planned in batch if not planned.taken]
        return [planned for planned in batch if planned.taken]

    def searched(self) -> bool:
        """Returns whether there are enough replications; if not, the next are due."""
        self.measured.replications = self.measured.replications_of_others = self.end
        found = self.measured.precision()
        if self.failed or self.end >= self.plan.replications_most or found is None or found.reached:
            return True
        self.first, self.end = self.end, min(self.end + self.plan.replications, self.plan.replications_most)
        return False

    def growing(self) -> list[Planned]:
        """Returns further replications for undecided claims; they count from now on.

        There are none once every claim is decided, at the most replications of the study, after ``LOOKS`` further
        looks, and if no claim has a prospect of being decided. A claim that was undecided is judged at a smaller
        error from then on.
        """
        now, most = self.measured.replications, self.plan.replications_most
        if self.failed or self.plan.precision is not None or now >= most or self.looks == LOOKS:
            return []
        with self._failing():
            undecided = [claim for claim in self.measured.claims(None) if claim.verdict == "undecided"]
            before = dict(self.measured.errors)
            self.measured.errors.update((claim.id, ERROR_LATER) for claim in undecided)
            # The number of replications that it takes at that error.
            needed = [
                claim.replications_needed
                for claim in self.measured.claims(None)
                if claim.verdict == "undecided" and claim.replications_needed is not None
            ]
            hopeful = [count for count in needed if count <= HOPELESS * most]
            if not hopeful:
                # There is no further look.
                self.measured.errors = before
            else:
                self.looks += 1
                end = most if self.looks == LOOKS else min(max(hopeful), most)
                self.measured.replications = end
                return [planned for planned in self.plan.simulations(now, end) if planned.taken]
        return []

    def take(self, planned: Planned, result: Mapping[str, Any]) -> None:
        """Called when a simulation has finished."""
        with self._failing():
            self.measured.take(planned, result)
        self.count += 1

    def results(self) -> list[StudyResult]:
        """Returns the result of the study; nothing for one that failed."""
        found: list[StudyResult] = []
        with self._failing():
            if not self.failed:
                found.append(self._result())
        return found

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Ends the study at its first InputError, which is passed to ``on_failure`` if there is one."""
        try:
            yield
        except InputError as error:
            if self._on_failure is None:
                raise
            if not self.failed:
                self._on_failure(self.loaded, error)
            self.failed = True

    def _result(self) -> StudyResult:
        """Returns the result of the study."""
        plan, measured, study = self.plan, self.measured, self.loaded.study
        taken = measured.claims(None)
        assumptions = self._assumptions(taken)
        claims = [with_readings(claim, assumptions) for claim in taken]
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
            ),
            file=self.loaded.file,
            quick=plan.quick,
            replications=measured.replications,
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
            more_replications=measured.replications - measured.replications_of_others,
            characterisation=study.characterisation,
            fingerprint=fingerprint(study),
        )

    def _words(self) -> SampleWords:
        """Returns the vocabulary of findings: in a quick run over the means of the recorded full run, if there is
        one.
        """
        study = self.loaded.study
        recorded = recorded_means(self.loaded.name, study) if self.plan.quick else None
        return words_of_means(recorded or self.measured.means(), study.runs())

    def _assumptions(self, taken: Sequence[ClaimResult]) -> tuple[AssumptionResult, ...]:
        """Returns the results of the other readings, compared with the claims as ``taken``."""
        plan, measured = self.plan, self.measured
        return tuple(
            AssumptionResult(
                what=assumption.what,
                taken=assumption.taken,
                why=assumption.why,
                sensitivity=tuple(
                    _sensitivity(
                        assumption.what,
                        alternative,
                        taken,
                        self._under(alternative, taken),
                        plan.made(alternative, measured.replications_of_others),
                    )
                    for alternative in assumption.interpretations
                    if alternative in plan.readings
                ),
            )
            for assumption in self.loaded.study.assumptions
        )

    def _under(self, alternative: Interpretation, taken: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
        """Returns the claims under another reading; claims that it does not touch are as ``taken``."""
        touched = [claim for claim in self.loaded.study.claims if self.measured.touches(alternative, claim)]
        under = {claim.id: claim for claim in self.measured.claims(alternative, touched)}
        return tuple(under.get(now.id) or replace(now, verdict=now.came_out, outcome=None) for now in taken)


@dataclass
class _Shared:
    """A simulation and the studies that need it."""

    job: Job
    cost: float
    users: list[tuple[_Work, Planned]]


class _Pool:
    """Makes the simulations of all studies and passes the results to them."""

    def __init__(self, store: Store, threads: int, progress: Progress | None) -> None:
        self._store, self._threads, self._progress = store, threads, progress
        self._count, self._spent = 0, 0.0
        self._made: set[str] = set()

    def make(
        self, wanted: Sequence[tuple[_Work, Planned]], to_follow: Sequence[tuple[_Work, Planned]] = ()
    ) -> None:
        """Makes the simulations. ``to_follow`` is the number of simulations known to follow them."""
        shared = _shared(wanted)
        before, spent = self._count, self._spent
        cost = sum(one.cost for one in shared.values())
        later = [planned.cost for _, planned in to_follow]
        total, needed = before + len(shared) + len(later), spent + cost + sum(later)

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
        """Tells the studies where their results came from."""
        for index, (key, one) in enumerate(shared.items()):
            # Results that this command made before are on disk too, but do not come from an earlier command.
            stored = index in made.stored and key not in self._made
            for work, _ in one.users:
                work.stored += stored
                work.cpu_time_s += made.cpu_time_s.get(index, 0.0)
            if not stored:
                self._made.add(key)


def _shared(wanted: Sequence[tuple[_Work, Planned]]) -> dict[str, _Shared]:
    """Returns the simulations by their keys; of equal simulations, one with series serves all."""
    found: dict[str, _Shared] = {}
    for work, planned in wanted:
        key = planned.job.key(series=False)
        one = found.setdefault(key, _Shared(planned.job, planned.cost, []))
        one.users.append((work, planned))
        if planned.job.series:
            one.job = planned.job
    return found


def _make(works: Sequence[_Work], pool: _Pool) -> None:
    """Makes all simulations of all studies.

    Studies that ask for a precision come first: they get replications batch by batch until it is reached. Only the
    reading taken decides how many; its alternatives follow with the same seeds, so that all are comparable. Last come
    further replications for undecided claims.
    """
    others = [
        (work, planned)
        for work in works
        if work.plan.precision is None
        for planned in work.plan.simulations()
    ]
    searching = [work for work in works if work.plan.precision is not None]
    found: list[_Work] = []
    while searching:
        batch = [(work, planned) for work in searching for planned in work.search()]
        pool.make(batch, [*others, *_waiting([*found, *searching])])
        found += [work for work in searching if work.searched()]
        searching = [work for work in searching if work not in found]
    pool.make([*others, *_waiting(found)])
    while grown := [(work, planned) for work in works for planned in work.growing()]:
        pool.make(grown)


def _waiting(works: Sequence[_Work]) -> list[tuple[_Work, Planned]]:
    return [(work, planned) for work in works for planned in work.later]


def _sensitivity(
    what: str,
    alternative: Interpretation,
    taken: Sequence[ClaimResult],
    other: tuple[ClaimResult, ...],
    replications: int,
) -> SensitivityResult:
    differ = [
        (then.id, then.verdict)
        for now, then in zip(taken, other, strict=True)
        if now.came_out != then.verdict
    ]
    return SensitivityResult(
        assumption=what,
        alternative=alternative.label,
        claims=other,
        changed=tuple(id for id, verdict in differ if verdict != "undecided"),
        undecided=tuple(id for id, verdict in differ if verdict == "undecided"),
        replications=replications,
        against=alternative.against,
    )
