"""The command ``ackclock check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import check as check_command
from ackclock.cli.options import Stacks, TestedControls
from ackclock.cli.stacks import offering


def check(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A scenario, a study, a base file shared by studies (.base.toml), a lesson (.lesson.toml), a scenario "
            "of an evaluation, or a control in Python (.py), whose code is executed.",
            show_default=False,
        ),
    ],
    control: TestedControls = None,
    stack: Stacks = None,
) -> None:
    """Check a file without simulating it; print each mistake with line and column, and the valid name nearest to a
    wrong one.

    All mistakes of a scenario are printed at once. A study is checked in steps (keys, expressions, the scenario of each
    case, the quick run), and the check ends at the first step with a mistake. Exit code 0: the file is valid, perhaps
    with warnings. 2: it has a mistake.

    Example: [bold]ackclock check dumbbell.toml[/bold]
    """
    with offering(stack):
        check_command.check(file, control or [])
