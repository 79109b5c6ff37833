"""``ackclock examples``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ackclock._files import replacing
from ackclock.cli.terminal import console, shown
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.lessons import Lesson

STANDARD_OUTPUT = Path("-")


def examples(name: str | None, out: Path | None, notebooks: Path | None, *, answers: bool) -> None:
    """Prints the list of lessons or the named lesson, or writes its scenario, or writes notebooks into a folder."""
    from ackclock.lessons import lessons

    if name is None and out is not None:
        raise InputError(
            "--out: found no name of a lesson, expected one, as in `ackclock examples incast --out incast.toml`"
        )
    if notebooks is None and not answers:
        raise InputError("--without-answers: applies only to notebooks; add --notebooks DIR")
    wanted = lessons() if name is None else [_lesson(name)]
    if notebooks is not None:
        from ackclock.lessons.notebook import write

        for one in wanted:
            console().print(f"wrote {shown(write(one, notebooks, answers=answers))}", soft_wrap=True)
    if out is not None:
        _write(wanted[0], out)
    if notebooks is None and out is None:
        if name is None:
            _list(wanted)
        else:
            _show(wanted[0], name)


def _lesson(name: str) -> Lesson:
    """Returns the built-in lesson with a name, or the lesson in a file."""
    from ackclock.lessons import lesson
    from ackclock.study.kind import LESSON

    if not name.endswith(LESSON):
        return lesson(name)
    from ackclock.lessons.files import read_lesson

    return read_lesson(Path(name))


def complete(begun: str) -> list[str]:
    """Returns the lessons whose names begin with the given text, for completion in the shell."""
    from ackclock.lessons import names

    return [name for name in names() if name.startswith(begun)]


def _write(one: Lesson, out: Path) -> None:
    if out == STANDARD_OUTPUT:
        sys.stdout.write(one.scenario)
        return
    with replacing(out) as file:
        file.write_text(one.scenario, encoding="utf-8", newline="\n")
    console().print(f"wrote {shown(out)}; `ackclock run {out}` runs it", soft_wrap=True)


def _list(wanted: list[Lesson]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    for one in wanted:
        table.add_row(Text(one.name), Text(one.title))
    console().print(table)
    console().print(
        "\n`ackclock examples NAME` shows a lesson, `ackclock lab NAME` opens it in the browser", style="dim"
    )


def _show(one: Lesson, name: str) -> None:
    out = console()
    out.print(Text(one.title, style="bold"))
    out.print(Text(one.question))
    out.print(Text(f"You will learn {one.learn}", style="dim"))
    for heading, items in (("What to change", one.change), ("What to look for", one.look)):
        out.print(Text(f"\n{heading}", style="bold"))
        grid = Table.grid(padding=(0, 1, 0, 0))
        for item in items:
            grid.add_row(Text("*"), Text(item))
        out.print(grid)
    out.print(Text(f"\n{one.name}.toml", style="bold"))
    out.print(Text(one.scenario.rstrip("\n")), soft_wrap=True)
    opened = name if name == one.name else f"--lesson {name}"
    out.print(
        f"\n`ackclock examples {name} --out {one.name}.toml` writes this scenario, `ackclock lab {opened}` opens the "
        "lesson in the browser",
        style="dim",
    )
