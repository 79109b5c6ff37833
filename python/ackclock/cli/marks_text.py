"""Prints the marks of students' answers for ``ackclock lab --mark``, and writes them as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from rich.table import Table
from rich.text import Text

from ackclock._csv_cells import inert
from ackclock._files import replacing
from ackclock._numbers import number_of, significant
from ackclock.cli.terminal import console, warn
from ackclock.lessons.marking import NOT_RUN, UNCHANGED, WORDS, Marked, MarkedRun, Marks
from ackclock.lessons.outcome import REPLICATIONS

STYLES = {
    **dict.fromkeys(WORDS.values(), "magenta"),
    "holds": "green",
    "does not hold": "red",
    NOT_RUN: "dim",
}


def show(marks: Marks, folder: Path) -> None:
    """Prints the lesson's statements with the results of their checks, and a row for each answer file."""
    out = console()
    lesson = marks.lesson
    out.print(Text(lesson.title, style="bold"))
    out.print(Text(lesson.question))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("what to look for", overflow="fold")
    table.add_column(f"over {REPLICATIONS} seeds", no_wrap=True)
    rows = zip(lesson.look, marks.statements, marks.evidence, strict=True)
    for number, (statement, word, evidence) in enumerate(rows, start=1):
        told = Text(statement).append(f"\n{evidence}", style="dim")
        table.add_row(str(number), told, Text(word, style=STYLES[word]))
    out.print(table)
    out.print()
    if not marks.answers:
        out.print(f"no answers (*.json) in {folder}")
        return
    table = Table(box=None, padding=(0, 2, 1, 0), header_style="dim", pad_edge=False)
    table.add_column("student", overflow="fold", min_width=12)
    table.add_column("runs", overflow="fold")
    for number in range(1, len(lesson.look) + 1):
        table.add_column(str(number), min_width=5)
    table.add_column("answer", overflow="fold", min_width=24)
    for one in marks.answers:
        name = Text(one.student or "?").append(f"\n{one.file}", style="dim")
        words = one.statements or [""] * len(lesson.look)
        cells = [Text(word, style=STYLES.get(word.split(" with ")[0], "")) for word in words]
        told = Text(_runs(marks, one)) if one.state == UNCHANGED else Text(one.state, style="red")
        table.add_row(name, told, *cells, Text(one.answer))
    out.print(table)
    out.print(Text(_count(marks), style="dim"))
    if marks.common_changes:
        warn(
            "all runs of all students differ from the lesson's scenario and its variants in "
            f"{', '.join(marks.common_changes)}; if the lesson has changed since the students received it, mark with "
            "the version that they received"
        )


def write(marks: Marks, path: Path) -> None:
    """Writes the marks as CSV, with a row for each answer file."""
    numbers = range(1, len(marks.lesson.look) + 1)
    rows = [
        {
            "student": one.student,
            "file": one.file,
            "state": one.state,
            "answer": one.answer,
            "runs": _runs(marks, one),
            **{
                f"statement {number}": one.statements[number - 1] if one.statements else ""
                for number in numbers
            },
        }
        for one in marks.answers
    ]
    columns = ["student", "file", "state", "answer", "runs", *(f"statement {number}" for number in numbers)]
    with replacing(path) as file:
        inert(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))).write_csv(file)


def _runs(marks: Marks, one: Marked) -> str:
    """Returns a line for each run: its variant, its measures, and the changed values of the scenario."""
    units = {measure.id: measure.unit for measure in marks.lesson.measures}
    return "\n".join(_run(run, units) for run in one.runs) or "none"


def _run(run: MarkedRun, units: Mapping[str, str]) -> str:
    values = ((id, f"{significant(value, 3)} {units[id]}".rstrip()) for id, value in run.measures.items())
    measures = ", ".join(f"{id} {value}" for id, value in values)
    seeds = f" ({run.seeds} seeds)" if run.seeds > 1 else ""
    changed = f"; {', '.join(run.changed)}" if run.changed else ""
    return f"{run.label}{seeds}: {measures}{changed}"


def _count(marks: Marks) -> str:
    """Returns the numbers of answer files, of invalid or edited ones, and of ignored files, as text."""
    wrong = sum(one.state != UNCHANGED for one in marks.answers)
    parts = [f"{number_of(len(marks.answers), 'answer file')}, {wrong} invalid or edited"]
    if marks.others:
        parts.append(f"ignored {number_of(marks.others, 'file')} without the ending .json")
    return (
        "; ".join(parts)
        + ". Columns 1, 2, ... show whether each statement of the lesson holds in the student's own runs."
    )
