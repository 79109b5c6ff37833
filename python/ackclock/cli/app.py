"""The commands and their options. The module of the same name implements each command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from ackclock.cli import bench_stack as bench_stack_command
from ackclock.cli import check as check_command
from ackclock.cli import compare_trace as compare_trace_command
from ackclock.cli import evaluate as evaluate_command
from ackclock.cli import examples as examples_command
from ackclock.cli import lab as lab_command
from ackclock.cli import listing as list_command
from ackclock.cli import path as path_command
from ackclock.cli import reference_traces as reference_traces_command
from ackclock.cli import reproduce as reproduce_command
from ackclock.cli import run as run_command
from ackclock.cli import schema as schema_command
from ackclock.cli import search as search_command
from ackclock.cli import study as study_command
from ackclock.errors import InputError
from ackclock.names import visible
from ackclock.store import results_folder


def _paragraphs(text: str) -> str:
    """``text`` with each paragraph on one line, for the terminal to wrap at its own width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in cleandoc(text).split("\n\n"))


class Commands(TyperGroup):
    """The commands. Messages about arguments escape the hidden characters in them."""

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
        A congestion-control laboratory: simulate a path, reproduce published experiments.

        Start with [bold]ackclock reproduce rbcc/table-4.1[/bold], then [bold]ackclock list[/bold] for what a scenario
        can name, then [bold]ackclock run[/bold] on a scenario of your own.
        """
    ),
)
Command = TypeVar("Command", bound=Callable[..., None])


def _command(name: str | None = None) -> Callable[[Command], Command]:
    """Register a command whose docstring is its help."""

    def register(function: Command) -> Command:
        return app.command(name, help=_paragraphs(function.__doc__ or ""))(function)

    return register


OutDir = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Folder for finished runs and for what the command writes; default: $ACKCLOCK_RESULTS, or else "
        "ackclock-results in the home folder.",
        show_default=False,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else on standard output.")
]
Threads = Annotated[
    int, typer.Option("--threads", metavar="N", min=0, help="Runs at a time; 0 means one per core.")
]


Figures = Annotated[
    list[str] | None,
    typer.Option(
        "--figures",
        metavar="FORMAT",
        help="Also write each figure as a separate file: pdf, svg, png or csv. May be given several times.",
        show_default=False,
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        from ackclock import __version__

        typer.echo(f"ackclock {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@_command()
def run(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A scenario file (TOML), or - for standard input.", show_default=False
        ),
    ],
    set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUE",
            help="Set a value of the scenario, e.g. flows.cubic.count=4. May be given several times.",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help='Simulated time, e.g. "30 s"; default: that of the scenario.',
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=2**53 - 1, help="First seed; default: the scenario's.", show_default=False
        ),
    ] = None,
    replications: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of runs, with consecutive seeds; default: the scenario's.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Write a report: tables, figures over time, and the command that makes it."
        ),
    ] = False,
    series: Annotated[
        bool, typer.Option("--series", help="Also write the values over time; needs --out DIR.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the results there as CSV and Parquet. Finished runs are cached in DIR/runs, where a second run "
            "finds them; without this option DIR is $ACKCLOCK_RESULTS, or else ackclock-results in the home folder.",
            show_default=False,
        ),
    ] = None,
    figures: Figures = None,
    latex: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Also write DIR/points.tex, a table for a paper with this column of the summary, in a unit of choice, "
            'e.g. "rtt_p95_s \\[ms]"; needs --out DIR. May be given several times.',
            show_default=False,
        ),
    ] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FORMAT[=WHERE]",
            help="Write the run into DIR/exports as pcapng, qlog, events, flent or mahimahi; needs --out DIR. May be "
            "given several times.",
            show_default=False,
        ),
    ] = None,
    payloads: Annotated[
        bool,
        typer.Option("--payloads", help="Put payloads (zeros) into exported captures, not only headers."),
    ] = False,
    threads: Threads = 0,
    point: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Run only this point of the sweep, counted from 1.", show_default=False
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the workers of the Dask scheduler at this address, e.g. tcp://host:8786.",
            show_default=False,
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPECTATION",
            help='Exit with code 1 unless this holds, e.g. "flows.cubic.rtt_p95_s < 0.08": fairness, or a number of '
            "flows.NAME, groups.NAME or links.NAME, in the unit that its name ends in. With replications the whole "
            "95 % interval must keep to it, in a sweep every point. May be given several times.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run one scenario file: every point of its sweep, every replication.

    Examples: [bold]ackclock run dumbbell.toml --replications 10 --out results[/bold],
    [bold]ackclock run dumbbell.toml --set dumbbell.bottleneck.rate="20 Mbit/s" --html[/bold]
    """
    run_command.run(
        file,
        settings=set or [],
        duration=duration,
        seed=seed,
        replications=replications,
        as_json=json,
        html=html,
        series=series,
        out=out,
        figures=figures or [],
        latex=latex or [],
        exports=export or [],
        payloads=payloads,
        threads=threads,
        point=point,
        dask=dask,
        expect=expect or [],
    )


@_command()
def path(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A scenario file (TOML), or - for standard input.", show_default=False
        ),
    ],
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND...",
            help="The program of the first host, 10.78.0.1, and its arguments. The run ends when it ends.",
            show_default=False,
        ),
    ],
    serve: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="The program of the second host, 10.78.0.2, started first and killed at the end.",
            show_default=False,
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The group of flows whose path lies between the hosts; default: the first.",
            show_default=False,
        ),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The default congestion control of both hosts; default: the kernel's.",
            show_default=False,
        ),
    ] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUE",
            help='Set a value of the scenario, e.g. dumbbell.bottleneck.rate="20 Mbit/s". May be given several times.',
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=2**53 - 1,
            help="The seed of losses and queues; default: the scenario's.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="Also simulate the flows of the file, and show what the links count then."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Put the network of a scenario between two real hosts, in real time (Linux).

    The links of the simulator carry the packets of real programs: rate, delay, losses and every queue discipline, in
    both directions. The hosts are namespaces without any other network; nothing remains afterwards. Without root a user
    namespace is used.

    The exit code is 1 if the program fails, or if packets left too late for the run to count.

    Example: [bold]ackclock path dumbbell.toml --serve "iperf3 -s -1" -- iperf3 -c 10.78.0.2 -t 20[/bold]
    """
    path_command.path(
        file,
        command,
        serve=serve,
        flow=flow,
        control=control,
        settings=set or [],
        seed=seed,
        compare=compare,
        as_json=json,
    )


@_command()
def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY]...",
            help="A study (rbcc/table-4.1), a thesis (rbcc: all of its studies), or the path of a study file.",
            show_default=False,
        ),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="All studies of the package.")] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Fewer replications and shorter runs, and at most two replications of other readings. "
            "Verdicts may differ from those of a full run.",
        ),
    ] = False,
    json: Json = False,
    out: OutDir = None,
    figures: Figures = None,
    sensitivity: Annotated[
        bool,
        typer.Option(
            help="Also run the other readings, that is, interpretations of what the publication leaves open."
        ),
    ] = True,
    threads: Threads = 0,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT",
            help='Exit with code 1 if a claim has this verdict, e.g. "not reproduced", or one other than the recorded '
            "full run: changed. May be given several times.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run published experiments, judge their claims, write an HTML report.

    Each claim of the publication gets a verdict from the 95 % interval of what was measured: reproduced, direction
    only (who wins is right, by how much is not), not reproduced, or why none of these: it hangs on how the publication
    is read, is undecided, does not discriminate, its set-up is unknown, or it is not a test. A verdict is a finding: it
    changes the exit code only with [bold]--fail-on[/bold].

    [bold]ackclock reproduce aqm[/bold] characterises all queue disciplines after RFC 7928 and writes one page that
    compares them.

    Example: [bold]ackclock reproduce rbcc/table-4.1[/bold]
    """
    if all and studies:
        raise InputError("--all selects all studies: name some studies, or give --all, not both")
    if not all and not studies:
        raise InputError("name the studies to reproduce (`ackclock list studies` shows them), or give --all")
    reproduce_command.reproduce(
        studies or [],
        quick=quick,
        as_json=json,
        out=results_folder(out),
        figures=figures or [],
        sensitivity=sensitivity,
        threads=threads,
        fail_on=fail_on or [],
    )


@_command()
def evaluate(
    control: Annotated[
        str,
        typer.Argument(
            metavar="CONTROL",
            help="A control of the registry, its table in TOML, or FILE.py[:CLASS] for one in Python; or "
            "[bold]list[/bold] [NAME], or [bold]copy[/bold] NAME FILE.",
            show_default=False,
        ),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME FILE]",
            help="What [bold]list[/bold] shows in full; what [bold]copy[/bold] copies, and where.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="CONTROLS",
            help="The controls that take the same seat, with commas; verdicts compare with the first.",
        ),
    ] = "cubic,sack",
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="The full grid with 10 seeds, which takes hours, or the quick one with 5."
        ),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCENARIO",
            help="Only these: a scenario of the list, a section of the RFC, or a file. May be given several times.",
            show_default=False,
        ),
    ] = None,
    transport: Annotated[
        str | None,
        typer.Option(
            metavar="TRANSPORT",
            help="The transport of the control and of those that take its seat: a name, or a table in TOML.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(metavar="N", min=2, max=1000, help="Seeds of each setting.", show_default=False),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The author's answers (TOML): scenarios that the control is not for, and about the process.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    html: Annotated[bool, typer.Option("--html", help="Write a report of one page.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what would run and what it would cost, and stop.")
    ] = False,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="RECORD",
            help="Exit with 1 if the control is worse than in this output of --json, beyond noise.",
            show_default=False,
        ),
    ] = None,
    thresholds: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What counts as worse (TOML).", show_default=False),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=1, help="The longest time that a run of a control in Python may take."
        ),
    ] = 300,
    control_of_copy: Annotated[
        str, typer.Option("--control", metavar="CONTROL", help="The control in a copied setting.")
    ] = "cubic",
    out: OutDir = None,
    threads: Threads = 0,
) -> None:
    """Evaluate a congestion control after RFC 9743: is it safe to deploy?

    The control runs in scenarios for the criteria of the RFC, and standard controls take its seat with the same random
    numbers. Each criterion gets a verdict: OK, CONCERN (not met, which needs an explanation), undecided, INFO,
    EXEMPT. A verdict is a finding: it does not change the exit code. Finished runs are kept, and the same command
    continues.

    Examples: [bold]ackclock evaluate bbrv3 --html[/bold], [bold]ackclock evaluate mine.py --only 5.1.3[/bold],
    [bold]ackclock evaluate list[/bold], [bold]ackclock evaluate copy N-03 loss.toml[/bold]
    """
    words = more or []
    if control == evaluate_command.COPY:
        if len(words) != 2:
            raise InputError("copy needs a name and a file: `ackclock evaluate copy N-03 loss.toml`")
        evaluate_command.copy(words[0], Path(words[1]), control_of_copy)
        return
    if control == evaluate_command.LIST and words:
        for name in words:
            evaluate_command.show_scenario(name)
        return
    if words:
        raise InputError(f'found "{words[0]}" after {control}, expected only options')
    if control == evaluate_command.LIST:
        evaluate_command.show_list()
        return
    no_worse = evaluate_command.evaluate(
        control,
        against=against,
        full=full,
        only=only or [],
        transport=transport,
        seeds=seeds,
        answers=answers,
        as_json=json,
        html=html,
        plan_only=plan,
        compare=compare,
        thresholds=thresholds,
        limit_s=limit,
        threads=threads,
        out=results_folder(out),
    )
    if not no_worse:
        raise typer.Exit(1)


@_command()
def search(
    control: Annotated[
        str,
        typer.Argument(
            metavar="CONTROL",
            help="A control of the registry, its table in TOML, or FILE.py[:CLASS] for one in Python.",
            show_default=False,
        ),
    ],
    objective: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="OBJECTIVE",
            help="What to look for: utilisation, loss, delay, starvation, self-starvation or harm.",
        ),
    ] = "utilisation",
    space: Annotated[
        str | None,
        typer.Option(
            metavar="SPACE",
            help="Where to look: bursts, paths, mixes, or a scenario file whose sweep has ranges; default: what suits "
            "the objective.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", min=10, max=1_000_000, help="Points to try.")] = 500,
    seed: Annotated[int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Seed of the search.")] = 1,
    json: Json = False,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=1, help="The longest time that a run of a control in Python may take."
        ),
    ] = 300,
    out: OutDir = None,
    threads: Threads = 0,
) -> None:
    """Find the path on which a congestion control does worst, and write it as a scenario.

    An optimiser (CMA-ES) varies the ranges of a space. The worst points run again with several seeds, and the worst of
    them is shrunk: what does not matter goes back to the space's own values. The same command finds the same; finished
    runs are kept.

    Examples: [bold]ackclock search newreno --for utilisation[/bold], [bold]ackclock search bbrv3 --for harm[/bold]
    """
    search_command.search(
        control,
        objective=objective,
        space=space,
        runs=runs,
        seed=seed,
        as_json=json,
        limit_s=limit,
        threads=threads,
        out=results_folder(out),
    )


@_command("list")
def list_(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="controls, queues, losses, applications, transports... or studies; default: all.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Show only this entry, in full.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Show everything that a scenario can name, with parameters, units, defaults, ranges and source.

    Examples: [bold]ackclock list[/bold], [bold]ackclock list queues red[/bold], [bold]ackclock list studies[/bold]
    """
    list_command.list_entries(kind, name, as_json=json)


study_app = typer.Typer(no_args_is_help=True, help="Copy studies, to change them.")
app.add_typer(study_app, name="study")


@study_app.command("copy")
def study_copy(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A study, e.g. rbcc/table-4.1.", show_default=False)
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.", show_default=False)],
) -> None:
    """Write a study as one file that needs no other, to change and run it."""
    study_command.copy(name, file)


@_command()
def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A scenario or study file.", show_default=False)
    ],
) -> None:
    """Validate a file without running it: reports mistakes with line, column and the nearest correct name.

    All mistakes of a scenario are reported at once; those of a study step by step: its form, its expressions, the
    scenarios of its cases, its quick run.

    Example: [bold]ackclock check dumbbell.toml[/bold]
    """
    check_command.check(file)


@_command()
def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Show only this lesson, in full.",
            show_default=False,
            autocompletion=examples_command.complete,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the lesson's scenario to this file; - for standard output.",
            show_default=False,
        ),
    ] = None,
    notebooks: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the lesson, or every lesson, as a Jupyter notebook into this folder.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show lessons: each is a scenario with a question, what to change and what to look for.

    Examples: [bold]ackclock examples[/bold], [bold]ackclock examples incast --out incast.toml[/bold],
    [bold]ackclock examples --notebooks lessons[/bold]
    """
    examples_command.examples(name, out, notebooks)


@_command("bench-stack")
def bench_stack(
    controls: Annotated[
        list[str],
        typer.Argument(
            metavar="CONTROL...",
            help="Controls: of a stack ([bold]noq:bbr3[/bold]), of this laboratory ([bold]bbrv3[/bold]: over the first "
            "stack that is named, or else over its own QUIC), or over a named transport ([bold]bbrv3@quic[/bold]).",
            show_default=False,
        ),
    ],
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path", metavar="PATH", help="Only this path; may be given several times.", show_default=False
        ),
    ] = None,
    replications: Annotated[
        int, typer.Option("--replications", metavar="N", min=1, help="Runs of each control on each path.")
    ] = 5,
    html: Annotated[bool, typer.Option("--html", help="Also write a page, bench-stack.html.")] = False,
    out: OutDir = None,
    json: Json = False,
    threads: Threads = 0,
) -> None:
    """Measure congestion controls side by side on a set of hard paths: a deep and a shallow buffer, a policer, jitter,
    reordering, Wi-Fi, a cellular link, a flow of CUBIC beside it, pauses, an application that limits it.

    Examples: [bold]ackclock bench-stack noq:bbr3 bbrv3[/bold], [bold]ackclock bench-stack quinn:cubic cubic
    --path shallow[/bold]
    """
    bench_stack_command.bench_stack(
        controls,
        paths=path or [],
        replications=replications,
        as_json=json,
        html=html,
        out=out,
        threads=threads,
    )


@_command()
def lab(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO]",
            help="The scenario that the page opens with: a file (TOML), or a lesson of [bold]ackclock examples[/bold].",
            show_default=False,
            autocompletion=examples_command.complete,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The page to write; default: lab.html in $ACKCLOCK_RESULTS, or else in ackclock-results in the home "
            "folder.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Write the laboratory as one HTML page, and open it: scenarios run in the browser, with no server and no network.

    Examples: [bold]ackclock lab rtt-unfairness[/bold], [bold]ackclock lab dumbbell.toml[/bold]
    """
    lab_command.lab(scenario, out or results_folder(None) / "lab.html", show=show)


@_command()
def schema(
    of: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="The kind of document: scenario, study, or the --json output of run, reproduce, evaluate, list or "
            "compare-trace.",
        ),
    ] = "scenario",
) -> None:
    """Print a JSON Schema, by default that of scenario files, for completion in an editor.

    Example: [bold]ackclock schema > scenario.schema.json[/bold]
    """
    schema_command.schema(of)


@_command("compare-trace")
def compare_trace(
    ours: Annotated[
        str,
        typer.Argument(
            metavar="OURS",
            help="The log of a sender: a qlog, or an event log as Parquet or CSV. FILE#NAME takes one of its flows or "
            "connections.",
            show_default=False,
        ),
    ],
    theirs: Annotated[
        str,
        typer.Argument(
            metavar="THEIRS", help="The log of another sender over the same path.", show_default=False
        ),
    ],
    by: Annotated[
        str,
        typer.Option(
            metavar="PLACE",
            help="What is compared: time, the values at the same time since the first data packet; packet, those "
            "after the same number of data packets.",
        ),
    ] = "time",
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="The largest difference of a value, as a share of the larger one; default: 1%. QUANTITY=SHARE "
            "sets that of one quantity. May be given several times.",
            show_default=False,
        ),
    ] = None,
    slack: Annotated[
        str | None,
        typer.Option(
            metavar="DISTANCE",
            help='How far apart equal values and events may be: a time, default "1 ms", or with --by packet a number '
            "of packets, default 2.",
            show_default=False,
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT",
            help="The unit of windows: packets, of each log's own size, or bytes; default: packets where both logs "
            "say how large theirs are.",
            show_default=False,
        ),
    ] = None,
    packet_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES",
            help="What a packet adds to the bytes in flight, or OURS,THEIRS; default: what the logs say.",
            show_default=False,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Leave out a quantity, losses, states or timeouts. May be given several times.",
            show_default=False,
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Read a log that breaks off, up to there.")
    ] = False,
    json: Json = False,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw both logs: pdf, svg, png or csv.", show_default=False),
    ] = None,
) -> None:
    """Say where two logs of a sender part first, and by how much they differ.

    Compares congestion window, slow start threshold, flight, smoothed round trip and pacing rate, and the packets
    lost, timeouts and states. Exit code 0: they agree within the tolerance. 1: they do not.

    Example: [bold]ackclock compare-trace reference.sqlog stack.sqlog --tolerance 5% --slack "10 ms"[/bold]
    """
    compare_trace_command.compare_trace(
        ours,
        theirs,
        by=by,
        tolerances=tolerance or [],
        slack=slack,
        unit=unit,
        packet_bytes=packet_bytes,
        ignored=ignore or [],
        partial=partial,
        as_json=json,
        picture=figure,
    )


@_command("reference-traces")
def reference_traces(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Make only these traces; default: all.", show_default=False),
    ] = None,
    out: OutDir = None,
) -> None:
    """Make reference traces of congestion control, for other implementations to compare theirs with.

    Each is a scenario, its qlog, its event log and a figure: the test cases of BBR's draft that a scenario can say,
    CUBIC, HyStart++, PRR and RACK. They are written as a folder and as one archive; equal versions give equal archives.

    Examples: [bold]ackclock reference-traces --out traces[/bold], [bold]ackclock reference-traces cubic[/bold]
    """
    reference_traces_command.reference_traces(names or [], results_folder(out))
