"""All checks of ``ackclock check-stack``: repeatability, the drills, and the hard paths of ``bench-stack``."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import dataclass

from ackclock._names import alike, nearest
from ackclock._stack_bench import Contender, bench
from ackclock._stacks import Stack, offered
from ackclock.drills import acknowledgements, bbr, cubic, loss_detection, marks, window
from ackclock.drills.alone import hashes
from ackclock.drills.drill import LAWS, Drill, Force, Law, Outcome, Target, applies, conduct, judged, law_of
from ackclock.drills.record import CannotTell, Record
from ackclock.drills.script import DATAGRAM, Script, delay, drop, mark
from ackclock.errors import InputError, RunError
from ackclock.hard_paths import NAMES

DRILLS: Sequence[Drill] = (
    *loss_detection.DRILLS,
    *window.DRILLS,
    *marks.DRILLS,
    *acknowledgements.DRILLS,
    *cubic.DRILLS,
    *bbr.DRILLS,
)
"""All drills, in the order in which reports list them."""
EVENTFUL = Script(
    5.0,
    rules=[*drop(20, 33, 90), *mark(50, 140), *delay(0.03, range(60, 400, 41))],
    writes=((0.0, 600 * DATAGRAM),),
    finishes=True,
)
"""A transfer with losses, ECN marks and reordering. Two processes with the same seed must send identical datagrams."""
REFERENCES: dict[Law | None, str] = {"reno": "newreno", "cubic": "cubic", "bbr": "bbrv3", None: "cubic"}
"""By the algorithm of the stack's control: the control of ackclock with which it is compared on the hard paths."""
LEAST_GOODPUT = 0.5
MOST_DELAY = 2.0
MORE = 1.25
"""The limits on a hard path, as multiples of the reference control's values: the lowest goodput, the highest 95th
percentile of one-way delay, and the goodput above which any delay is accepted. Two stacks that implement the same
algorithm meet them; a control that stalls, or that fills a queue needlessly, does not.
"""


@dataclass(frozen=True)
class Report:
    """What a check found."""

    target: Target
    outcomes: Sequence[Outcome]
    """The outcomes of the repeatability checks, the drills and the hard paths."""
    cpu_s: float
    """The CPU time of the check in seconds, over all its processes."""

    def of(self, word: str) -> list[Outcome]:
        """Returns the outcomes with a word."""
        return [one for one in self.outcomes if one.word == word]

    def refused(self, allowed: Sequence[str]) -> list[Outcome]:
        """Returns the violations that are not allowed, what must be before what should be."""
        found = [one for one in self.of("VIOLATED") if one.drill.id not in allowed]
        return sorted(found, key=lambda one: one.drill.force != "MUST")


def target(stack: Stack | str, control: str, law: str | None = None) -> Target:
    """Returns a stack with one of its controls. InputError for a control that it has not, and for an unknown law."""
    given = next((one for one in LAWS if one == law), None)
    if law is not None and given is None:
        raise InputError(f'--law: found "{law}", expected one of {", ".join(LAWS)}')
    if isinstance(stack, Stack):
        known = [name.partition(":")[2] for name in stack.controls]
        name = stack.name
    else:
        from ackclock import _typed_core as core

        names = [entry["name"] for entry in core.registry() if entry["kind"] == "control"]
        known = [one.partition(":")[2] for one in names if one.startswith(f"{stack}:")]
        name = stack
    if not known:
        raise InputError(f'there is no stack "{stack}": expected noq, quinn or the path of a shared library')
    if control not in known:
        close = alike(control, known)
        near = f'; did you mean "{close}"?' if close else ""
        raise InputError(
            f"the stack {name} has no control {control!r}, expected one of {', '.join(known)}{near}"
        )
    return Target(stack, control, given or law_of(control))


def check(
    target: Target,
    *,
    seed: int = 1,
    only: Sequence[str] = (),
    paths: bool = True,
) -> Report:
    """Runs all checks, or those whose id is, or whose clause begins with, an entry of ``only``.

    InputError if no check matches ``only``.
    """
    drills = [one for one in DRILLS if applies(one, target.law) and _named(one, only)]
    asks_repeats = not only or any(word in ("repeats", "seed") for word in only)
    compared = [name for name in NAMES if paths and _named_path(name, only)]
    if not (drills or asks_repeats or compared):
        if others := [one for one in DRILLS if not applies(one, target.law) and _named(one, only)]:
            laws = sorted(law for law in LAWS if any(applies(one, law) for one in others))
            raise InputError(
                f"--only {', '.join(only)}: found only tests of controls that implement {' or '.join(laws)}; if "
                f"{target.control} implements {laws[0]}, add `--law {laws[0]}`"
            )
        known = [one.id for one in DRILLS if applies(one, target.law)]
        known += ["paths", *(f"path-{name}" for name in NAMES)]
        raise InputError(
            f"--only {', '.join(only)}: no test has such an id or clause, expected for example slow-start, "
            f'"RFC 9438" or paths{nearest(only[0], known)}'
        )
    before = _cpu_s()
    outcomes = _repeats(target, seed) if asks_repeats else []
    records: dict[str, Record | Exception] = {}
    for drill in drills:
        key = repr(drill.script)
        if key not in records:
            records[key] = _conducted(target, drill.script, seed)
        outcomes.append(judged(drill, records[key]))
    if compared:
        outcomes += _paths(target, compared)
    return Report(target, outcomes, _cpu_s() - before)


def _named(drill: Drill, only: Sequence[str]) -> bool:
    return not only or any(drill.id == word or drill.clause.startswith(word) for word in only)


def _named_path(name: str, only: Sequence[str]) -> bool:
    return not only or "paths" in only or f"path-{name}" in only


def _conducted(target: Target, script: Script, seed: int) -> Record | Exception:
    try:
        return conduct(target, script, seed)
    except (CannotTell, RunError) as reason:
        return reason


def _about(id: str, demand: str, clause: str = "ackclock_stack.h", force: Force = "MUST") -> Drill:
    def judge(_: Record) -> str:
        raise AssertionError("judged elsewhere")

    return Drill(id, clause, force, demand, EVENTFUL, judge)


REPEATS = _about("repeats", "Two runs with the same seed send the same datagrams at the same times.")
SEED = _about("seed", "Runs with different seeds send different bytes.", force="MAY")


def _repeats(target: Target, seed: int) -> list[Outcome]:
    """Returns whether two processes send the same, and whether a seed matters."""
    try:
        first, second, other = (hashes(target, EVENTFUL, one) for one in (seed, seed, seed + 1))
    except (CannotTell, RunError) as reason:
        return [judged(REPEATS, reason)]
    random = target.stack.told[3] if isinstance(target.stack, Stack) else "connection identifiers"
    who = f"two processes, both with seed {seed},"
    if first == second:
        found = Outcome(REPEATS, "as demanded", f"{who} sent the same {first[0]} datagrams, byte for byte")
    else:
        same = (
            f"{who} sent datagrams of the same lengths at the same times, but with different bytes"
            if first[:2] == second[:2]
            else f"{who} sent different datagrams, or sent datagrams at different times"
        )
        if random:
            declared = f"the stack declares that the seed does not determine this: {random}"
            found = Outcome(REPEATS, "absent", f"{same}; {declared}")
        else:
            found = Outcome(REPEATS, "VIOLATED", f"{same}; expected the same bytes at the same times")
    seeded = Outcome(
        SEED,
        "absent" if first == other else "as demanded",
        f"runs with seeds {seed} and {seed + 1} send {'the same' if first == other else 'different'} bytes",
    )
    return [found, seeded]


def _paths(target: Target, names: Sequence[str]) -> list[Outcome]:
    """Returns how a control does on the hard paths beside ours of the same law."""
    ours = REFERENCES[target.law]
    who = (Contender(target.name, target.name.partition(":")[0]), Contender(ours, "quic"))
    given = [target.stack] if isinstance(target.stack, Stack) else []
    found = []
    with offered(given):
        for name in names:
            demand = (
                f"The goodput is at least half that of ackclock's {ours}. The 95th percentile of one-way delay is at "
                f"most twice that of {ours}, unless the goodput is more than 1.25 times that of {ours}."
            )
            drill = _about(f"path-{name}", demand, f"bench-stack path {name}", "ackclock's limit")
            try:
                (cells,) = bench(who, [name], replications=1).paths.values()
            except RunError as error:
                found.append(Outcome(drill, "VIOLATED", f"the run failed: {error}"))
                continue
            theirs, own = (
                [cell.summaries[metric].mean or 0.0 for metric in ("goodput", "delay")] for cell in cells
            )
            text = (
                f"goodput {theirs[0]:.2f} Mbit/s, p95 one-way delay {theirs[1]:.0f} ms; ackclock's {ours}: "
                f"{own[0]:.2f} Mbit/s, {own[1]:.0f} ms"
            )
            if cells[0].closed:
                text = f"the stack closed the connection: {cells[0].reason}"
            # A control that carries much more than ours, which gives up on this path, has a queue where ours has none.
            may_wait = theirs[0] > MORE * own[0] or theirs[1] <= MOST_DELAY * own[1]
            met = theirs[0] >= LEAST_GOODPUT * own[0] and may_wait
            if not met:
                text += (
                    f"; expected at least {LEAST_GOODPUT * own[0]:.2f} Mbit/s, and at most "
                    f"{MOST_DELAY * own[1]:.0f} ms unless the goodput is above {MORE * own[0]:.2f} Mbit/s"
                )
            found.append(Outcome(drill, "as demanded" if met and not cells[0].closed else "VIOLATED", text))
    return found


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
