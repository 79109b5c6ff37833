"""``ackclock packetdrill``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from ackclock.cli.terminal import complain, console, print_json

if TYPE_CHECKING:
    from ackclock.packetdrill import Outcome, Row, Verdict

PASSED, DIFFERS, WRONG_INPUT, INEXPRESSIBLE = 0, 1, 2, 3
"""The exit codes. With several scripts, ``WRONG_INPUT`` takes precedence over ``DIFFERS``, ``DIFFERS`` over
``INEXPRESSIBLE``, and ``INEXPRESSIBLE`` over ``PASSED``.
"""
BEFORE = 12
"""The largest number of rows of the timeline shown before a difference."""


def packetdrill(
    files: Sequence[Path],
    *,
    control: str | None,
    settings: Sequence[str],
    profile: str | None,
    timeline: bool,
    as_json: bool,
) -> None:
    """Runs scripts and prints the outcome of each. Exits with the code of the most serious outcome.

    InputError for a setting that does not have the form ``DETAIL=VALUE``.
    """
    from ackclock._overrides import assignment
    from ackclock.evaluation.loading import apart
    from ackclock.packetdrill import Choices, drill

    choices = Choices(profile, control, dict(map(assignment, settings)))
    outcomes = []
    for file in files:
        # The command, or a comment of the script, may name a control in Python.
        outcome = apart(f"{file}, {control}" if control else str(file), partial(drill, file, choices))
        outcomes.append(outcome)
        if not as_json:
            _show(outcome, alone=len(files) == 1, timeline=timeline)
    if as_json:
        print_json({"scripts": [document(outcome) for outcome in outcomes], "totals": _totals(outcomes)})
    elif len(files) > 1:
        totals = _totals(outcomes)
        console().print(", ".join(f"{count} {name}" for name, count in totals.items() if count), style="bold")
    if code := _exit_code([outcome.verdict for outcome in outcomes]):
        raise typer.Exit(code)


def _exit_code(verdicts: Sequence[Verdict]) -> int:
    from ackclock.packetdrill import Verdict

    for verdict, code in (
        (Verdict.WRONG_INPUT, WRONG_INPUT),
        (Verdict.DIFFERENCE, DIFFERS),
        (Verdict.INEXPRESSIBLE, INEXPRESSIBLE),
    ):
        if verdict in verdicts:
            return code
    return PASSED


def _totals(outcomes: Sequence[Outcome]) -> dict[str, int]:
    from ackclock.packetdrill import Verdict

    return {verdict.value: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}


def document(outcome: Outcome) -> dict[str, Any]:
    """Returns an outcome in the form of the JSON document, with times in seconds."""
    return {
        "file": outcome.file,
        "verdict": outcome.verdict.value,
        "line": outcome.line,
        "reason": outcome.reason,
        "compared": dict(vars(outcome.compared)),
        "not_expected": outcome.not_expected,
        "not_compared": [{"line": line, "what": what} for line, what in outcome.not_compared.items()],
        "timeline": [
            {
                "line": row.line,
                "time_s": row.time / 1e9,
                "script": row.script,
                "host": row.host,
                "differs": row.differs,
            }
            for row in outcome.rows
        ],
    }


def _show(outcome: Outcome, *, alone: bool, timeline: bool) -> None:
    from ackclock.packetdrill import Verdict

    out = console()
    if outcome.verdict is Verdict.WRONG_INPUT:
        complain(outcome.reason)
        return
    where = outcome.file if outcome.line is None else f"{outcome.file}:{outcome.line}"
    style = {Verdict.PASSED: "bold green", Verdict.DIFFERENCE: "bold red"}.get(outcome.verdict, "bold yellow")
    line = Text.assemble((outcome.verdict.value, style), "  ", where)
    line.append(f": {outcome.reason}" if outcome.reason else f"  {compared(outcome)}")
    out.print(line, soft_wrap=True)
    if timeline or (alone and outcome.verdict is Verdict.DIFFERENCE):
        _show_rows(outcome.rows if timeline else _last(outcome.rows))
    if (timeline or alone) and outcome.not_compared:
        _show_left_out(outcome)


def compared(outcome: Outcome) -> str:
    """Returns the numbers of segments, assertions and others that were compared, as text."""
    found = outcome.compared
    parts = [
        _counted(found.segments, "segment"),
        _counted(found.acknowledgements, "acknowledgement"),
        _counted(found.handshakes, "handshake segment"),
        _counted(found.assertions, "assertion"),
    ]
    text = ", ".join(part for part in parts if part)
    left_out = f"; {_counted(len(outcome.not_compared), 'line')} not compared" if outcome.not_compared else ""
    rest = f"; {_counted(outcome.not_expected, 'further segment')} sent" if outcome.not_expected else ""
    return f"({text or 'nothing'} compared{left_out}{rest})"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}" if count else ""


def _last(rows: Sequence[Row]) -> Sequence[Row]:
    """Returns the rows from ``BEFORE`` rows before the first difference to the end."""
    place = next((place for place, row in enumerate(rows) if row.differs), len(rows))
    return rows[max(0, place - BEFORE) :]


def _show_rows(rows: Sequence[Row]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("line", justify="right")
    table.add_column("time (s)", justify="right")
    table.add_column("script")
    table.add_column("ackclock")
    for row in rows:
        table.add_row(
            str(row.line or ""),
            f"{row.time / 1e9:.6f}",
            Text(row.script),
            Text(row.host),
            style="red" if row.differs else None,
        )
    console().print(table)


def _show_left_out(outcome: Outcome) -> None:
    out = console()
    out.print("not compared:", style="dim")
    for line, what in outcome.not_compared.items():
        out.print(f"  line {line}: {what}", style="dim", soft_wrap=True)
