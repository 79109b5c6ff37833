"""Runs a script over one host in virtual time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ackclock._files import read_text
from ackclock._names import nearest
from ackclock._typed_core import own_errors
from ackclock.errors import InputError
from ackclock.packetdrill import info
from ackclock.packetdrill.arriving import arrive
from ackclock.packetdrill.calls import call
from ackclock.packetdrill.choices import Choices, host_of
from ackclock.packetdrill.expecting import expect
from ackclock.packetdrill.expressions import CodeError, Evaluator
from ackclock.packetdrill.handshake import agreed
from ackclock.packetdrill.language import (
    Call,
    Code,
    Command,
    Event,
    Inexpressible,
    Script,
    ScriptError,
    Segment,
)
from ackclock.packetdrill.outcome import Difference, Outcome, Verdict
from ackclock.packetdrill.parser import parse
from ackclock.packetdrill.settings import Settings, changes, settings
from ackclock.packetdrill.world import KNOWN_OPTIONS, OTHER_OPTIONS, World


def drill(path: Path, choices: Choices | None = None) -> Outcome:
    """Runs the packetdrill script in a file. ``choices`` take precedence over those in the script's comments.

    The verdict is WRONG_INPUT if the file is not a packetdrill script or a choice is wrong.
    """
    outcome = Outcome(str(path), Verdict.PASSED)
    try:
        script = parse(read_text(path, expected="a packetdrill script", pattern="*.pkt"), str(path))
        _check_options(script)
        drilled = Drill(script, (choices or Choices()).after(Choices.of(script.arguments, script.file)))
    except (InputError, Inexpressible) as error:
        return _ended(outcome, error)
    outcome.compared, outcome.rows = drilled.world.compared, drilled.world.rows
    outcome.not_compared = drilled.world.not_compared
    try:
        with own_errors():
            drilled.run()
    except (Difference, Inexpressible, ScriptError) as error:
        return _ended(outcome, error)
    outcome.not_expected = drilled.world.show_the_rest()
    return outcome


def _ended(outcome: Outcome, error: Exception) -> Outcome:
    match error:
        case Difference(line=line, message=message):
            outcome.verdict, outcome.line, outcome.reason = Verdict.DIFFERENCE, line, message
        case Inexpressible(line=line, reason=reason):
            outcome.verdict, outcome.line, outcome.reason = Verdict.INEXPRESSIBLE, line, reason
        case _:
            outcome.verdict, outcome.reason = Verdict.WRONG_INPUT, str(error)
    return outcome


def _check_options(script: Script) -> None:
    for name, (line, _) in script.options.items():
        if name in OTHER_OPTIONS:
            raise Inexpressible(line, f"ackclock does not support the packetdrill option --{name}")
        if name not in KNOWN_OPTIONS:
            raise ScriptError(
                script.file,
                line,
                f"there is no packetdrill option --{name}{nearest(name, KNOWN_OPTIONS)}",
            )


class Drill:
    """A script and the host that it drives."""

    def __init__(self, script: Script, choices: Choices) -> None:
        self.script = script
        self.agreed = agreed(script)
        self.settings: Settings = settings(script, self.agreed, choices.profile_name)
        try:
            host, details = host_of(self.settings, choices, script.file)
        except InputError as error:
            raise InputError(f"{script.file}: {error}") from None
        self.world = World(
            script,
            self.agreed,
            host,
            packet_bytes=_bytes(details),
            uses_ecn=bool(details.get("ecn", False)),
        )
        host.refuse(self.settings.refuses)
        self._evaluator = Evaluator()
        self._anchor: tuple[bool, int] = (False, 0)
        self._changed: Inexpressible | None = None
        self._unasserted: Inexpressible | None = None

    def run(self) -> None:
        """Runs the script to its end. Difference, Inexpressible or ScriptError end it earlier."""
        for event in self.script.events:
            start, end = self._times(event)
            if isinstance(event.action, Segment | Code) and self._changed is not None:
                raise self._changed
            self._step(event, start, end)
            arriving = isinstance(event.action, Segment) and event.action.arrives
            at = start if arriving and start is not None else self.world.now
            self._anchor = (arriving, at)
            self.world.last_event = at
        if self._unasserted is not None and not self.world.compared.assertions:
            raise self._unasserted
        if not self.world.compared.anything:
            last = self.script.events[-1].line
            raise Inexpressible(
                last, "the script expects no segment and asserts no value that ackclock can compare"
            )

    def _times(self, event: Event) -> tuple[int | None, int | None]:
        """Returns when an event is due, and when its range ends. A time relative to the event before counts from when
        that happened; between two segments that arrive, from when it was due, as in packetdrill.
        """
        when = event.when
        if when.kind == "any":
            return None, None
        base = 0
        if when.kind == "relative":
            arriving = isinstance(event.action, Segment) and event.action.arrives
            base = self._anchor[1] if arriving and self._anchor[0] else self.world.now
        return base + when.start, None if when.end is None else base + when.end

    def _step(self, event: Event, start: int | None, end: int | None) -> None:
        world, line, action = self.world, event.line, event.action
        if isinstance(action, Segment) and not action.arrives:
            expect(world, line, start, end, action)
            return
        if start is not None:
            if start < world.now:
                raise ScriptError(
                    self.script.file,
                    line,
                    f"found an event at {start / 1e9:.6f} s when the script is already at {world.now / 1e9:.6f} s, "
                    "expected events in chronological order",
                )
            world.advance(start, inclusive=isinstance(action, Code))
        match action:
            case Segment():
                arrive(world, line, action)
            case Call():
                call(world, line, action)
            case Code(text=code):
                self._assert(line, code)
            case Command():
                self._command(line, action)

    def _command(self, line: int, command: Command) -> None:
        self.world.row(line, self.world.now, f"`{' '.join(command.text.split())}`")
        try:
            queue = changes(self.script, self.settings, command, line)
        except Inexpressible as error:
            self._changed = error  # it matters only if something follows
            return
        if queue is not None:
            self.world.host.refuse(queue.refuses)

    def _assert(self, line: int, code: str) -> None:
        world = self.world
        if world.has_closed:
            raise Inexpressible(line, "ackclock does not support an assertion after the peer's FIN")
        values = info.fields(world.state(), world.written, stamps=self.agreed.stamps)
        try:
            for statement in self._evaluator.examine(code, info.lookup(values)):
                if statement.holds is None:
                    what = f"ackclock has no value for {statement.names[0]}"
                    world.leave_out(line, what)
                    self._unasserted = self._unasserted or Inexpressible(line, what)
                    continue
                found = [info.shown(name, values[name]) for name in statement.names if name in values]
                shown = ", ".join(found) or "false"
                world.row(line, world.now, f"assert {statement.text}", shown, differs=not statement.holds)
                if not statement.holds:
                    raise Difference(line, f"expected {statement.text}, found {shown}")
                world.compared.assertions += 1
        except CodeError as error:
            raise ScriptError(self.script.file, line, str(error)) from None


def _bytes(details: Mapping[str, Any]) -> int:
    return int(str(details["packet"]).split()[0])
