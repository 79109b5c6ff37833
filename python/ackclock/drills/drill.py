"""Defines a drill and its outcome, and runs scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ackclock import _core
from ackclock._stacks import Ended, Stack, apart
from ackclock.drills.record import CannotTell, Record, Violation
from ackclock.drills.script import Script
from ackclock.errors import RunError

Law = Literal["reno", "cubic", "bbr"]
Word = Literal["as demanded", "VIOLATED", "absent", "cannot be seen"]
Force = Literal["MUST", "SHOULD", "MAY", "ackclock's limit"]

LAWS: tuple[Law, ...] = ("reno", "cubic", "bbr")
"""The algorithms with drills of their own. A control has the algorithm whose name is part of the control's name."""
MOST_CPU_S = 20.0
"""The largest CPU time of a drill, in seconds."""


@dataclass(frozen=True)
class Drill:
    """What a standard demands of a stack after a scripted event."""

    id: str
    clause: str
    """Document and section."""
    force: Force
    """The requirement word of the clause, or "ackclock's limit". If it is MAY, the outcome for a stack that does
    otherwise is ``absent`` instead of ``VIOLATED``.
    """
    demand: str
    """The requirement of the clause, in one sentence."""
    script: Script
    judge: Callable[[Record], str]
    """Returns what was measured, as a sentence without a full stop. Raises Violation or CannotTell."""
    laws: frozenset[Law] | None = None
    """The algorithms to whose controls the drill applies; None if it applies to every control."""


@dataclass(frozen=True)
class Outcome:
    """What a drill found."""

    drill: Drill
    word: Word
    text: str
    """A sentence without a full stop: what was measured, how the clause was violated, or why the drill cannot tell."""
    timeline: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """A stack with one of its controls."""

    stack: Stack | str
    """A stack loaded from a shared library, or the name of a built-in stack."""
    control: str
    """The name of the control without that of the stack, such as ``cubic``."""
    law: Law | None
    """The algorithm of the control; None if it is none of ``LAWS``."""

    @property
    def name(self) -> str:
        """The control as scenarios name it."""
        return f"{self.stack if isinstance(self.stack, str) else self.stack.name}:{self.control}"


def applies(drill: Drill, law: Law | None) -> bool:
    """Returns whether a drill is for controls of a law."""
    return drill.laws is None or law in drill.laws


def law_of(control: str) -> Law | None:
    """Returns the law of a control by its name: ``newreno`` is Reno's, ``bbr2`` is BBR's. None if it names none."""
    return next((law for law in LAWS if law in control.lower()), None)


def conduct(target: Target, script: Script, seed: int = 1) -> Record:
    """Runs a script in a process of its own. CannotTell if no data began; RunError if the stack fails."""
    given = target.stack if isinstance(target.stack, str) else target.stack.library

    def work() -> dict[str, object] | str:
        try:
            return _core.drill(given, target.control, seed, **script.arguments())
        except BaseException as error:  # a panic of the core is no Exception
            return str(error) or type(error).__name__

    try:
        made = apart(work, MOST_CPU_S)
    except Ended as ended:
        raise RunError(f"{target.name} {ended}") from None
    if isinstance(made, str):
        raise RunError(made)
    if made["given_up"]:
        raise RunError(f"{target.name}: the test was stopped after two million events")
    return Record(made)


def judged(drill: Drill, record: Record | Exception) -> Outcome:
    """Returns what a drill found in a record, or in why there is none."""
    if isinstance(record, CannotTell):
        return Outcome(drill, "cannot be seen", str(record))
    if isinstance(record, Exception):
        return Outcome(drill, "VIOLATED", f"the run failed: {record}")
    try:
        if record.closed is not None:
            raise Violation(f"the stack closed the connection: {record.closed}", float("inf"))
        return Outcome(drill, "as demanded", drill.judge(record))
    except CannotTell as reason:
        return Outcome(drill, "cannot be seen", str(reason))
    except Violation as violation:
        if drill.force == "MAY":
            return Outcome(drill, "absent", str(violation))
        return Outcome(drill, "VIOLATED", str(violation), tuple(record.timeline(violation)))
