"""``ackclock control``."""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console, note, print_json, warn
from ackclock.errors import InputError, RunError

COLUMNS: Mapping[str, str] = {
    "connections": "connections",
    "events": "events",
    "in_time": "decisions\nin time",
    "late": "decisions\nlate",
    "reno": "decisions\nby Reno",
    "p50_us": "p50 answer\ntime (us)",
    "p99_us": "p99 answer\ntime (us)",
}
"""The columns of the table of controls: the field of a report, and the heading."""
NOT_REAL_TIME = (
    "without real-time priority, the controls' decisions can reach the kernel late on a busy machine: run ackclock as "
    "root, or set an `rtprio` limit in limits.conf"
)
PARENT_DIES = 1
"""``PR_SET_PDEATHSIG`` of linux/prctl.h."""


def control(
    controls: Sequence[str],
    command: Sequence[str],
    *,
    record: Path | None,
    replay: Path | None,
    as_json: bool,
) -> None:
    """Offers controls to the kernel's sockets while ``command`` runs, or until Ctrl-C; or replays a recording. RunError
    when a program, a privilege or a feature of the kernel is missing.
    """
    if replay is not None:
        if command or record:
            raise InputError(
                "--replay cannot be combined with --record or a command: a replay uses no sockets"
            )
        _replay(replay, controls, as_json)
        return
    _check(controls)
    from ackclock.kernel_controls import Offered

    code = 0
    with Offered(controls, record) as offered:
        try:
            if not offered.is_real_time:
                note(NOT_REAL_TIME)
            for name, wanted in zip(offered.names, controls, strict=True):
                note(f"the kernel offers {wanted} as {name}" + ("" if command else " until Ctrl-C"))
            if command:
                code = _run(command, as_json)
            else:
                offered.wait()
        except KeyboardInterrupt:
            if command:
                raise
            offered.end()  # the program hears of it too, and ends
    if as_json:
        print_json({"controls": offered.reports, "exit_code": code})
    else:
        show_reports(offered.reports)
    if code:
        warn(f"`{shlex.join(command)}` ended with exit code {code}")
        raise typer.Exit(1)


def _check(controls: Sequence[str]) -> None:
    """Raises InputError for a control that does not exist. ``ackclock-structops`` checks the parameters."""
    from ackclock import _typed_core as core
    from ackclock._names import nearest

    known = [entry["name"] for entry in core.registry() if entry["kind"] == "control"]
    if not controls:
        raise InputError("no control is named; for example: ackclock control cubic")
    for name in (one.partition(",")[0].strip() for one in controls):
        if name not in known:
            raise InputError(f'there is no control "{name}"{nearest(name, known)}')


def _run(command: Sequence[str], quiet: bool) -> int:
    """Runs the command, which is killed if this process ends first. Returns its exit code; 128 plus the number of
    the signal that ended it.
    """
    output = sys.stderr if quiet else None
    try:
        # No other thread runs here, so that a function between fork and exec is safe.
        done = subprocess.run(command, preexec_fn=ends_with(os.getpid()), stdout=output, check=False)  # noqa: S603  (what the user asks to run)
    except OSError as error:
        raise RunError(f"`{command[0]}` cannot be run: {error.strerror}") from None
    # As in a shell: 128 plus the number of the signal that ended the command.
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def ends_with(parent: int) -> Callable[[], None]:
    """Returns a function for a child of ``parent`` to call between fork and exec, so that the kernel kills the child
    when ``parent`` ends.
    """
    libc = ctypes.CDLL(None)

    def ask_the_kernel() -> None:
        libc.prctl(PARENT_DIES, signal.SIGKILL)
        # The signal is only sent for a later death: if the parent has already died, this process has another parent.
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return ask_the_kernel


def _replay(file: Path, controls: Sequence[str], as_json: bool) -> None:
    from ackclock import _typed_core as core

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (
            error.strerror
            if isinstance(error, OSError)
            else "found a file that is not UTF-8 text, expected a recording of events"
        )
        raise InputError(f"{file}: {reason}") from None
    try:
        outcome = core.replay(text, controls)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    differences = outcome["differences"]
    if as_json:
        print_json(outcome)
    else:
        recorded = " ".join(outcome["about"]["controls"])
        told = f"{_counted(outcome['events'], 'event')} of {_counted(outcome['connections'], 'connection')}"
        kernel = outcome["about"]["kernel"]
        console().print(f"replayed {told} from a recording of {recorded} on Linux {kernel}")
        if differences:
            first = differences[0]
            console().print(
                f"{_counted(len(differences), 'decision')} differ{'s' if len(differences) == 1 else ''} from the "
                f"recording; the first in line {first['line']}: {_differing(first['recorded'], first['decided'])}"
            )
        else:
            console().print("all decisions match the recording")
    if differences and not controls:
        raise typer.Exit(1)


def _differing(recorded: Mapping[str, int], decided: Mapping[str, int]) -> str:
    """Returns the parts of a decision that differ from the recorded one, in words."""
    parts = {
        "cwnd": "the window is {} packets",
        "ssthresh": "the slow start threshold is {} packets",
        "quantum": "the pacing quantum is {} packets",
        "pacing_rate": "the pacing rate is {} bytes/s",
    }
    return ", ".join(
        f"{words.format(decided[name])} (recorded: {recorded[name]})"
        for name, words in parts.items()
        if recorded[name] != decided[name]
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def show_reports(reports: Sequence[Mapping[str, Any]]) -> None:
    """Prints a row for each control: its events, and how many of its decisions reached the kernel in time."""
    out = console()
    names = Column("control", [Text(report["name"]) for report in reports])
    columns = [
        Column(heading, [Text("-" if report[key] is None else f"{report[key]:g}") for report in reports])
        for key, heading in COLUMNS.items()
    ]
    for table in fitting(names, columns, out.width):
        out.print(table)
    for report in reports:
        if report["lost_events"]:
            warn(f"{report['name']}: events lost because the ring buffer was full: {report['lost_events']}")
