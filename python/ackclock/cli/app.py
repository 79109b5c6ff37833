"""The application: its commands in the order in which the help shows them, and its own options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ackclock._names import visible
from ackclock.cli.commands.bench_stack import bench_stack
from ackclock.cli.commands.check import check
from ackclock.cli.commands.check_stack import check_stack
from ackclock.cli.commands.compare_trace import compare_trace
from ackclock.cli.commands.control import TakesCommand, control
from ackclock.cli.commands.evaluate import evaluate
from ackclock.cli.commands.examples import examples
from ackclock.cli.commands.lab import lab
from ackclock.cli.commands.list_ import list_
from ackclock.cli.commands.migrate import migrate
from ackclock.cli.commands.packetdrill import packetdrill
from ackclock.cli.commands.path import path
from ackclock.cli.commands.reference_traces import reference_traces
from ackclock.cli.commands.reproduce import reproduce
from ackclock.cli.commands.run import run
from ackclock.cli.commands.schema import schema
from ackclock.cli.commands.search import search
from ackclock.cli.commands.study_copy import study_copy
from ackclock.cli.commands.wire import wire


def _paragraphs(text: str) -> str:
    """Returns ``text`` with each paragraph on one line, so that the terminal wraps it at its own width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in cleandoc(text).split("\n\n"))


class Commands(TyperGroup):
    """The group of commands. Hidden characters are escaped in messages about arguments."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Reads the options before the command's name."""
        with _visible_mistakes():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Reads the command's own arguments and runs it."""
        with _visible_mistakes():
            return super().invoke(ctx)


@contextmanager
def _visible_mistakes() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # Typer exports no common base of its errors about arguments. Only these errors have a message.
        mistake: Any = error
        if isinstance(message := getattr(mistake, "message", None), str):
            mistake.message = visible(message)
        raise


app = typer.Typer(
    name="ackclock",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=_paragraphs(
        """
        Simulate TCP and QUIC congestion control over paths that you describe, and reproduce published experiments.

        Start with [bold]ackclock reproduce rbcc/table-4.1[/bold], which repeats a published table.
        [bold]ackclock list[/bold] shows the controls, queues and other parts from which scenarios are built, and
        [bold]ackclock run FILE[/bold] simulates your own scenario.
        """
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        from ackclock import __version__

        typer.echo(f"ackclock {__version__}")
        raise typer.Exit


def _files_outside(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        from ackclock._named_files import files_outside

        ctx.with_resource(files_outside())


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    __: Annotated[
        bool,
        typer.Option(
            "--files-outside",
            callback=_files_outside,
            help="Allow a scenario or study to read files, such as traces, from outside the folder that contains it.",
        ),
    ] = False,
) -> None:
    pass


def _add(
    to: typer.Typer, name: str, function: Callable[..., None], cls: type[TyperCommand] = TyperCommand
) -> None:
    """Adds a command, whose docstring is its help."""
    to.command(name, cls=cls, help=_paragraphs(function.__doc__ or ""))(function)


_add(app, "run", run)
_add(app, "path", path)
_add(app, "wire", wire)
_add(app, "control", control, TakesCommand)
_add(app, "reproduce", reproduce)
_add(app, "evaluate", evaluate)
_add(app, "search", search)
_add(app, "list", list_)
_add(app, "check", check)
_add(app, "examples", examples)
_add(app, "bench-stack", bench_stack)
_add(app, "check-stack", check_stack)
_add(app, "lab", lab)
_add(app, "schema", schema)
_add(app, "compare-trace", compare_trace)
_add(app, "reference-traces", reference_traces)
_add(app, "packetdrill", packetdrill)
_add(app, "migrate", migrate)

study = typer.Typer(no_args_is_help=True, help="Copy a published experiment into a file, to change it.")
_add(study, "copy", study_copy)
app.add_typer(study, name="study")
