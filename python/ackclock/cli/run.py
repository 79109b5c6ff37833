"""``ackclock run``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ackclock._files import writable
from ackclock._overrides import assignment
from ackclock._store import Store, results_folder
from ackclock.cli.gate import Gate
from ackclock.cli.given import read_scenario
from ackclock.cli.limits import closed, delivered_late, held_back, without_data
from ackclock.cli.sweep_text import MEANS, SPREAD, WORTH_SAYING_S, cost, expected_s, spent, spread
from ackclock.cli.sweep_text import show as show_sweep
from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import complain, console, note, print_json, progress_bar, shown, warn
from ackclock.errors import InputError, RunError

if TYPE_CHECKING:
    from ackclock._collect import Collector
    from ackclock._sweep_jobs import Plan
    from ackclock.figure import Figure
    from ackclock.report.quantities import Declared
    from ackclock.run import Run, Runs
    from ackclock.scenario import Scenario, Simulated
    from ackclock.statistics import Summary

FLOW_COLUMNS: Mapping[str, tuple[str, float]] = {
    # quantity: (heading, factor)
    "goodput_bps": ("goodput\nMbit/s", 1e-6),
    "rtt_mean_s": ("mean RTT\nms", 1e3),
    "rtt_p95_s": ("p95 RTT\nms", 1e3),
    "lost_packets": ("lost\npackets", 1),
    "retransmitted_packets": ("retransmitted\npackets", 1),
    "timeouts": ("timeouts\n", 1),
}
LINK_COLUMNS: Mapping[str, tuple[str, float]] = {
    "utilisation": ("utilisation\n%", 100),
    "dropped_packets": ("dropped\npackets", 1),
    "corrupted_packets": ("corrupted\npackets", 1),
    "queue_mean_packets": ("mean queue\npackets", 1),
}
COMPLETION_COLUMNS: Mapping[str, tuple[str, float]] = {
    "completion_mean_s": ("mean\nms", 1e3),
    "completion_p50_s": ("p50\nms", 1e3),
    "completion_p95_s": ("p95\nms", 1e3),
    "completion_p99_s": ("p99\nms", 1e3),
}
CALL_COLUMNS: Mapping[str, tuple[str, float]] = {
    "media_rate_mean_bps": ("media rate\nkbit/s", 1e-3),
    "frame_delay_p50_s": ("frame delay\np50 ms", 1e3),
    "frame_delay_p95_s": ("frame delay\np95 ms", 1e3),
    "frames": ("frames\n", 1),
    "completed_frames": ("complete\nframes", 1),
    "late_frames": ("late\nframes", 1),
    "freezes": ("freezes\n", 1),
    "freeze_s": ("frozen\ns", 1),
}
MOST_FAILURES = 10
"""The largest number of failed runs that are named, each with the command that repeats it."""
FEW = 100
"""With fewer completed transfers than this in a run, the 99th percentile of the completion times is the longest one."""
COMPLETIONS = "completions"
"""The value of ``--plot`` for the distribution of completion times."""
PLACES = ("x", "rows", "columns", "colour")
"""The places of a figure to which ``--place`` can assign swept parameters."""
Places = Mapping[str, Sequence[str]]
"""For each place of a figure, the names of the swept parameters that ``--place`` assigns to it."""
MANY_FLOWS = 20
"""The largest number of flows of a single run that get a line each; with more, each group gets one."""


def run(
    file: Path,
    *,
    settings: Sequence[str],
    duration: str | None,
    seed: int | None,
    replications: int | None,
    as_json: bool,
    html: bool,
    series: bool,
    out: Path | None,
    figures: Sequence[str],
    width: str | None,
    exports: Sequence[str],
    payloads: bool,
    threads: int,
    point: int | None,
    dask: str | None,
    expect: Sequence[str] = (),
    latex: Sequence[str] = (),
    plots: Sequence[str] = (),
    places: Sequence[str] = (),
    labels: Sequence[str] = (),
    scales: Sequence[str] = (),
    controls: Sequence[str] = (),
) -> None:
    """Runs a scenario file and prints its results; with ``out`` also writes them as files, with ``html`` as a report.
    ``controls`` are the values of ``--control``.

    RunError, after the results are written, when one of the expectations in ``expect`` is not met.
    """
    overrides = dict(map(assignment, settings))
    if duration is not None:
        overrides["duration"] = duration
    scenario = read_scenario(file, overrides, controls)

    # What a wrong scenario and `ackclock --help` should not cost.
    from ackclock._cluster import workers_at
    from ackclock._collect import Collector
    from ackclock.scenario import MAX_IN_MEMORY

    if out is None:
        _needing_out(series=series, latex=bool(latex))
    for warning in scenario.sweep.warnings:
        warn(f"{scenario.file}: {warning}")
    plan = scenario.plan(first=seed, replications=replications, only=point)
    gate = Gate(expect, scenario, plan)
    declared, put = _declared(labels, scales), _placed(places, plots)
    _check_names(scenario, plan, [*latex, *(plot for plot in plots if plot != COMPLETIONS)], declared)
    everything = len(plan) <= MAX_IN_MEMORY
    formats, width_in = _formats(figures, width, plots, scenario)
    if not everything and (as_json or html or series or formats):
        raise InputError(
            f"{scenario.file}: found {plan}; --json, --html, --series, --figures and --plot support at most "
            f"{MAX_IN_MEMORY:,} runs; without them, --out DIR writes a summary of all points"
        )
    wishes = _wishes(exports, scenario, plan, out, payloads=payloads)
    place = results_folder(out)
    with workers_at(dask, threads) as pool:
        writable(place)
        store = Store(place)
        _announce(scenario, plan, pool.cores)
        collector = Collector(scenario.sweep, plan, keep=everything)

        with progress_bar(file.stem) as progress:
            done = scenario.simulate(
                plan, gate.taking(collector.take), series=series, store=store, pool=pool, progress=progress
            )
    runs = collector.runs(done.failures, declared)
    for sentence in (*held_back(runs), *delivered_late(runs), *closed(runs), *without_data(runs)):
        warn(f"{scenario.file}: {sentence}")
    # Printed before anything is written, so that an error in writing leaves the numbers.
    if as_json:
        print_json(document(runs))
    else:
        _show(scenario, plan, collector, runs)
    written: list[object] = []
    if out is not None:
        written += _tables(runs, collector, scenario, out, latex, declared, everything=everything)
    if out is not None and wishes:
        at, seed = scenario.at(runs[0].point), plan.seeds[0]
        written += list(at.export(out, *wishes, seed=seed, payloads=payloads))
    written += _pictures(
        runs, scenario, place, html=html, formats=formats, width_in=width_in, plots=plots, places=put
    )
    if not as_json:
        kept = [] if out is not None or scenario.controls else [f"runs cached in {shown(place / 'runs')}"]
        remarks = [done.precision, *(f"wrote {shown(one)}" for one in dict.fromkeys(written)), *kept]
        for remark in filter(None, remarks):
            console().print(remark, style="dim")
    # The workers of a cluster do not report their times.
    if len(plan) > 1 and dask is None and sys.stderr.isatty():
        note(spent(done))
    _complain_of(done)
    gate.judge(silent=as_json)


def page(scenario: Scenario, out: Path, *, threads: int = 0) -> Path:
    """Runs a scenario and writes its report, as ``--html`` does. Returns its path. RunError if a run fails."""
    from ackclock._collect import Collector
    from ackclock._jobs import Local

    plan = scenario.plan()
    collector = Collector(scenario.sweep, plan, keep=True)
    done = scenario.simulate(plan, collector.take, store=Store(out), pool=Local(threads))
    _complain_of(done)
    runs = collector.runs(done.failures)
    return _report(runs, _drawn(runs, scenario), scenario, out)


def _wishes(
    exports: Sequence[str], scenario: Scenario, plan: Plan, out: Path | None, *, payloads: bool
) -> Sequence[str]:
    """Returns ``exports`` after checking them. InputError, before anything is simulated, if one is impossible."""
    from ackclock._exports import planned

    if exports:
        planned(scenario, exports)
        if out is None:
            raise InputError(f"--export {exports[0]}: needs --out DIR, a folder to write to")
        if len(plan) != 1:
            raise InputError(
                f"--export {exports[0]}: found {plan}, expected one run: select it with --point N and --replications 1"
            )
    if payloads and not any(wish.startswith("pcapng") for wish in exports):
        warn("--payloads has no effect without --export pcapng")
    return exports


def _formats(
    figures: Sequence[str], width: str | None, plots: Sequence[str], scenario: Scenario
) -> tuple[list[str], float | None]:
    """Returns the formats in which to write figures, none without ``--figures`` and ``--plot``, and their width in
    inches, None for the default. InputError, before anything is simulated, for an unknown format or width, or a plot
    without a sweep.
    """
    if any(plot != COMPLETIONS for plot in plots) and not scenario.sweep.axes:
        raise InputError(f"{scenario.file}: --plot needs a sweep, and no key varies in this run")
    if not figures and not plots:
        if width:
            raise InputError("--width: needs --figures FORMAT or --plot METRIC, the figures to write")
        return [], None
    from ackclock.figure import known_formats, known_width

    return known_formats(figures or ["pdf"]), known_width(width)


def _check_names(scenario: Scenario, plan: Plan, metrics: Sequence[str], declared: Declared) -> None:
    """Raises InputError, before anything is simulated, for a metric that neither the first nor the last point has, and
    for a label or a scale of an unknown quantity.
    """
    if not (metrics or declared.labels or declared.scales):
        return
    from ackclock.report import naming, sweep_measures

    ends = dict.fromkeys((plan.points[0], plan.points[-1]))
    descriptions = [scenario.at(scenario.sweep.overrides(point)).describe() for point in ends]
    sweep_measures.check(metrics, descriptions)
    naming.check_before(declared, scenario.sweep.axes, descriptions)


def _show(scenario: Scenario, plan: Plan, collector: Collector, runs: Runs) -> None:
    """Prints the results; a sweep gets a row for each point."""
    if len(plan.points) > 1:
        _show_sweep(scenario, plan, collector)
    else:
        show(runs)


def _complain_of(done: Simulated) -> None:
    """Raises RunError when runs failed, after printing the first of them with the commands that repeat them."""
    for failure in done.failures[:MOST_FAILURES]:
        complain(str(failure))
    if done.failures:
        raise RunError(
            f"{len(done.failures)} of {done.runs} runs failed; the results of the other runs are complete"
        )


def _announce(scenario: Scenario, plan: Plan, cores: int) -> None:
    """Announces the cost of many or long runs before they begin."""
    packets, seconds = expected_s(scenario, plan, cores)
    if seconds > WORTH_SAYING_S or (len(plan) > 1 and sys.stderr.isatty()):
        note(cost(plan, packets, seconds, cores))


def _show_sweep(scenario: Scenario, plan: Plan, collector: Collector) -> None:
    """Prints a row for each point."""
    seeds = f"seed {plan.seeds[0]}" if len(plan.seeds) == 1 else f"seeds {plan.seeds[0]} to {plan.seeds[-1]}"
    more = " (more where the precision requires them)" if plan.precision else ""
    found = collector.summaries()
    written = [scenario.sweep.labels(point) for point in collector.points()]
    title = f"{scenario.describe()['name']}, {seeds}{more}, {len(found):,} points"
    show_sweep(console(), title, found, written)


def _pictures(
    runs: Runs,
    scenario: Scenario,
    out: Path,
    *,
    html: bool,
    formats: Sequence[str],
    width_in: float | None,
    plots: Sequence[str],
    places: Places,
) -> list[Path]:
    """Writes the report if ``html``, and the figures of the metrics in ``plots``, or all figures, in ``formats``."""
    if not html and not formats:
        return []
    from ackclock.figure import FIGURES, figures, over_time, save_all

    drawn = _drawn(runs, scenario) if html or not plots else []
    written = [_report(runs, drawn, scenario, out)] if html else []
    found = [_plotted(runs, plot, places) for plot in plots]
    if formats and not plots:
        found = figures(runs)
        for number, run in enumerate(drawn, start=1):
            for figure in over_time(runs.of(run)):
                if len(drawn) > 1:
                    figure.name = f"{figure.name}-point-{number}"
                found.append(figure)
    return written + save_all(found, out / FIGURES, formats, width_in)


def _plotted(runs: Runs, plot: str, places: Places) -> Figure:
    """Returns the figure of a metric, or the distribution of completion times."""
    if plot == COMPLETIONS:
        return runs.plot_completions(**{place: names for place, names in places.items() if place != "x"})
    across = places.get("x", [])
    if len(across) > 1:
        raise InputError(
            f'--place {across[1]}=x: the horizontal axis (x) already shows "{across[0]}"; expected another place'
        )
    x = next(iter(across), None)
    return runs.plot(plot, x=x, **{place: names for place, names in places.items() if place != "x"})


def _declared(labels: Sequence[str], scales: Sequence[str]) -> Declared:
    """Returns the labels and scales that ``--label`` and ``--scale`` declare. InputError unless they are NAME=VALUE."""
    from ackclock.report.quantities import Declared

    return Declared(
        _pairs("--label", "limit_bdp=Buffer (BDP)", labels), _pairs("--scale", "limit_bdp=log", scales)
    )


def _placed(places: Sequence[str], plots: Sequence[str]) -> Places:
    """Returns the names that ``--place`` gives each place. InputError for an unknown place or without ``--plot``."""
    found: dict[str, list[str]] = {}
    for name, place in _pairs("--place", "limit_bdp=x", places).items():
        if place not in PLACES:
            raise InputError(f'--place {name}: found "{place}", expected one of {", ".join(PLACES)}')
        found.setdefault(place, []).append(name)
    if found and not plots:
        raise InputError(
            f"--place {places[0]}: needs --plot METRIC, because --place arranges the figure of --plot"
        )
    return found


def _pairs(option: str, example: str, texts: Sequence[str]) -> dict[str, Any]:
    """Returns the names and values in options of the form NAME=VALUE. InputError for another form."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (sign and name.strip() and value.strip()):
            raise InputError(f'{option} "{text}": expected NAME=VALUE, as in "{example}"')
        found[name.strip()] = value.strip()
    return found


def _needing_out(*, series: bool, latex: bool) -> None:
    """Warns about ``--series`` and raises InputError for ``--latex``, called when the command has no ``--out``."""
    if series:
        warn("--series writes no file without --out DIR")
    if latex:
        raise InputError("--latex: needs --out DIR, a folder to write to")


def _tables(
    runs: Runs,
    collector: Collector,
    scenario: Scenario,
    out: Path,
    latex: Sequence[str],
    declared: Declared,
    *,
    everything: bool,
) -> list[Path]:
    """Writes the results as tables; only the summary if there are too many runs to keep in memory."""
    from ackclock._tables import write

    written = runs.write(out) if everything else write(out, {"summary": collector.table()})
    return written + _latex(collector, scenario, out, latex, declared)


def _latex(
    collector: Collector, scenario: Scenario, out: Path, columns: Sequence[str], declared: Declared
) -> list[Path]:
    """Writes a table of the points with these columns for LaTeX; nothing if there are none."""
    if not columns:
        return []
    from ackclock._files import replacing
    from ackclock.report.latex_table import latex_table

    text = latex_table(collector.table(), scenario.sweep.axes, columns, declared, scenario.sweep.warnings)
    path = out / "summary.tex"
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")
    return [path]


def _drawn(runs: Runs, scenario: Scenario) -> list[Run]:
    """Returns a run with series for each of the first points, repeating the run if it was made without series."""
    from ackclock.report.scenario_page import MOST_POINTS

    found = []
    for group in runs.by_point[:MOST_POINTS]:
        run = first = group[0]
        if first.result.get("series") is None:
            run = scenario.at(first.point).run(first.seed, series=True)
            run.point, run.cells = first.point, first.cells
        found.append(run)
    return found


def _report(runs: Runs, drawn: Sequence[Run], scenario: Scenario, out: Path) -> Path:
    """Writes the report, whose figures show the runs in ``drawn``."""
    from ackclock._named_files import as_written
    from ackclock.report.scenario_page import Origin, write_scenario_report

    stem = "-".join(Path(scenario.file).stem.split())
    command = shlex.join(["ackclock", *sys.argv[1:]])
    origin = Origin(command, as_written(scenario.text), scenario.overrides, scenario.text)
    return write_scenario_report(runs, out / f"{stem}.html", origin, drawn=drawn, warnings=runs.warnings)


def document(runs: Runs) -> dict[str, Any]:
    """Returns the document of ``schemas.run.RunDocument``."""
    points = None
    if len(runs) > 1:
        points = [
            {
                "overrides": group[0].point,
                "runs": [run.document for run in group],
                "summary": {
                    name: {
                        "mean": summary.mean,
                        "std": summary.std,
                        "interval": summary.interval,
                        "samples": summary.count,
                    }
                    for name, summary in point.values.items()
                },
            }
            for group, point in zip(runs.by_point, runs.summaries(), strict=True)
        ]
    return {**runs[0].document, "points": points}


def show(runs: Runs) -> None:
    """Prints the results: every flow of a single run, or groups with intervals for several runs."""
    from ackclock._fairness import starting
    from ackclock._sweep import labelled

    out = console()
    for group, summary in zip(runs.by_point, runs.summaries(), strict=True):
        first = group[0]
        seeds = f"seed {first.seed}" if len(group) == 1 else f"seeds {first.seed} to {group[-1].seed}"
        point = f", {labelled(runs.axes, first.point)}" if first.point else ""
        out.print(Text.assemble((first.scenario, "bold"), f", {seeds}{point}"))
        if len(group) == 1 and len(first.result["flows"]) <= MANY_FLOWS:
            out.print(_table("flow", starting(first.result["flows"]), FLOW_COLUMNS, ("control",)))
            out.print(_table("link", _worth_showing(first.result["links"]), LINK_COLUMNS))
            _show_completions(out, group, summary.values)
            _show_calls(out, group, summary.values)
            _show_fairness(out, group)
        else:
            _show_summary(out, group, summary.values)
        out.print()


def _table(
    kind: str,
    records: list[Mapping[str, Any]],
    columns: Mapping[str, tuple[str, float]],
    texts: tuple[str, ...] = (),
) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in (kind, *texts):
        table.add_column(title, no_wrap=True)
    for heading, _ in columns.values():
        table.add_column(heading, justify="right")
    for record in records:
        cells = [Text(str(record[key])) for key in ("name", *texts)]
        cells += [Text(scaled(record[key], factor)) for key, (_, factor) in columns.items()]
        table.add_row(*cells)
    return table


def _show_summary(out: Console, runs: list[Run], summary: Mapping[str, Summary]) -> None:
    """Prints the means over the runs: a line for each group of flows and each link."""
    from ackclock._fairness import starting

    first = runs[0].result
    there = {flow["group"] for flow in starting(first["flows"])}
    groups = [group for group in first["groups"] if group["name"] in there]
    for kind, prefix, records, columns in (
        ("flows", "groups", groups, FLOW_COLUMNS),
        ("link", "links", _worth_showing(first["links"]), LINK_COLUMNS),
    ):
        cells = [
            Column(
                heading,
                [spread(summary[f"{prefix}.{record['name']}.{quantity}"], factor) for record in records],
            )
            for quantity, (heading, factor) in columns.items()
        ]
        names = Column(kind, [Text(record["name"]) for record in records])
        for table in fitting(names, cells, out.width):
            out.print(table)
    _show_completions(out, runs, summary)
    _show_calls(out, runs, summary)
    _show_fairness(out, runs)
    if len(runs) == 1:
        out.print(Text(MEANS, style="dim"))
    elif all(value.std in (0, None) for value in summary.values()):
        out.print(
            Text(
                "all replications have equal results: the seed has no effect on this scenario", style="yellow"
            )
        )
    else:
        out.print(Text(f"{MEANS} and over the replications, {SPREAD}", style="dim"))


def _show_fairness(out: Console, runs: list[Run]) -> None:
    """Prints Jain's fairness index, the flows that it compares, and whether their demands differ."""
    from ackclock._fairness import sentences

    first, *more = sentences([run.result for run in runs]) or [""]
    if first:
        out.print(first)
    for sentence in more:
        out.print(Text(sentence, style="yellow"))


def _show_completions(out: Console, runs: list[Run], summary: Mapping[str, Summary]) -> None:
    """Prints the completion times of groups that complete tasks, also by size if transfers were observed."""
    from ackclock._summary import completions

    found = completions([group["name"] for group in runs[0].result["groups"]], summary)
    if not found:
        return
    cells = [
        Column(heading, [spread(values.get(quantity), factor) for _, values in found])
        for quantity, (heading, factor) in COMPLETION_COLUMNS.items()
    ]
    done = [f"{_mean(values, 'done')} of {_mean(values, 'begun')}" for _, values in found]
    per = "per run" if len(runs) > 1 else ""
    columns = [Column(f"complete\n{per}", [Text(text) for text in done]), *cells]
    for table in fitting(Column("completion times", [Text(name) for name, _ in found]), columns, out.width):
        out.print(table)
    few = [name for name, values in found if _is_few(values)]
    if few:
        out.print(
            Text(
                f"  fewer than {FEW} transfers in a run, so the p99 is the longest completion time: {'; '.join(few)}",
                style="yellow",
            )
        )


def _is_few(values: Mapping[str, Summary]) -> bool:
    """Returns whether at least one but fewer than ``FEW`` transfers complete in a run, on average over the runs."""
    done = values["done"].mean if "done" in values else None
    return done is not None and 0 < done < FEW


def _show_calls(out: Console, runs: list[Run], values: Mapping[str, Summary]) -> None:
    """Prints media rate, frame delay, frames and freezes of each group of calls, as means over its calls."""
    names = [group["name"] for group in runs[0].result["groups"]]
    calls = [name for name in names if f"groups.{name}.frames" in values]
    if not calls:
        return

    def cell(name: str, factor: float) -> Text:
        value = values.get(name)
        return Text(scaled(value.mean, factor)) if value and len(runs) == 1 else spread(value, factor)

    columns = [
        Column(heading, [cell(f"groups.{name}.{quantity}", factor) for name in calls])
        for quantity, (heading, factor) in CALL_COLUMNS.items()
    ]
    for table in fitting(Column("calls", [Text(name) for name in calls]), columns, out.width):
        out.print(table)


def _mean(values: Mapping[str, Summary], name: str) -> str:
    mean = values[name].mean if name in values else None
    return scaled(mean, 1)


def _worth_showing(links: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns all links when there are few, or those that lost packets or were used more than half, if any."""
    if len(links) <= 8:
        return links
    busy = [link for link in links if link["lost_packets"] or link["utilisation"] > 0.5]
    return busy or links[:8]


def scaled(value: float | None, factor: float) -> str:
    """Returns a value times a factor as text for a table: a count as a whole number, None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, int) and factor == 1:
        return str(value)
    return f"{value * factor:.4g}"
