"""``ackclock run``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console, print_json, progress_bar, warn
from ackclock.errors import InputError, ScenarioError
from ackclock.overrides import assignment
from ackclock.store import DEFAULT_DIR

if TYPE_CHECKING:
    from ackclock.run import Run, Runs
    from ackclock.scenario import Scenario
    from ackclock.statistics import Summary

FLOW_COLUMNS: Mapping[str, tuple[str, float]] = {
    # quantity: (heading, factor)
    "goodput_bps": ("goodput\nMbit/s", 1e-6),
    "rtt_mean_s": ("mean RTT\nms", 1e3),
    "rtt_p95_s": ("p95 RTT\nms", 1e3),
    "lost_packets": ("lost\npackets", 1),
    "retransmitted_packets": ("resent\npackets", 1),
    "timeouts": ("timeouts\n", 1),
}
LINK_COLUMNS: Mapping[str, tuple[str, float]] = {
    "utilisation": ("utilisation\n%", 100),
    "dropped_packets": ("dropped\npackets", 1),
    "lost_packets": ("lost\npackets", 1),
    "queue_mean_packets": ("mean queue\npackets", 1),
}
MANY_FLOWS = 20
"""Single runs with more flows than this show one line per group."""


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
    threads: int,
) -> None:
    """Run a scenario file and print its results; with ``out`` write them, with ``html`` a report of them as well."""
    overrides = dict(map(assignment, settings))
    if duration is not None:
        overrides["duration"] = duration
    scenario = _scenario(file, overrides)
    if series and out is None:
        warn("--series keeps nothing without --out DIR")
    description = scenario.describe()
    for warning in description["warnings"]:
        warn(f"{scenario.file}: {warning}")
    first = int(description["seed"]) if seed is None else seed
    count = int(description["replications"]) if replications is None else replications
    with progress_bar(file.stem) as progress:
        runs = scenario.run_many(
            range(first, first + count),
            series=series,
            threads=threads,
            out=out or DEFAULT_DIR,
            progress=progress,
        )
    written = runs.write(out) if out is not None else []
    if html:
        written.append(_report(runs, scenario, out or DEFAULT_DIR, description["warnings"]))
    if as_json:
        print_json(document(runs))
        return
    show(runs)
    for path in written:
        console().print(f"wrote {path}", markup=False, style="dim")


def _scenario(file: Path, overrides: Mapping[str, Any]) -> Scenario:
    """The scenario in the file or in standard input. InputError when the file is a study."""
    from ackclock.files import STANDARD_INPUT, read_text
    from ackclock.scenario import Scenario

    text = read_text(file)
    try:
        return Scenario.from_text(
            text, overrides, file="standard input" if file == STANDARD_INPUT else str(file)
        )
    except ScenarioError:
        _refuse_study(file, text)
        raise


def _report(runs: Runs, scenario: Scenario, out: Path, warnings: Sequence[str]) -> Path:
    """Write the report. What its figures show is simulated again where the runs have no series."""
    from ackclock.report.scenario_page import MOST_POINTS, Origin, write_scenario_report

    firsts = [group[0] for group in by_point(runs)[:MOST_POINTS]]
    drawn = [
        first
        if first.result.get("series") is not None
        else scenario.with_overrides(first.point).run(first.seed, series=True)
        for first in firsts
    ]
    stem = "-".join(Path(scenario.file).stem.split())
    origin = Origin(shlex.join(["ackclock", *sys.argv[1:]]), scenario.text, scenario.overrides)
    return write_scenario_report(runs, out / f"{stem}.html", origin, drawn=drawn, warnings=warnings)


def _refuse_study(file: Path, text: str) -> None:
    """InputError when the file is a study, whose keys mean nothing in a scenario."""
    from ackclock.study.load import looks_like_study

    if looks_like_study(text):
        raise InputError(f"{file}: is a study, not a scenario; `ackclock reproduce {file}` runs it") from None


def document(runs: Runs) -> dict[str, Any]:
    """The document of ``schemas.run.RunDocument``."""
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
                    for name, summary in summarised(group).items()
                },
            }
            for group in by_point(runs)
        ]
    return {**runs[0].document, "points": points}


def by_point(runs: Iterable[Run]) -> list[list[Run]]:
    """The runs grouped by the point of the sweep, in the order of the sweep."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(repr(sorted(run.point.items())), []).append(run)
    return list(groups.values())


def summarised(runs: Iterable[Run]) -> dict[str, Any]:
    """Statistics over replications of fairness, of each group (the mean over its flows) and of each link."""
    import numpy as np

    from ackclock.statistics import summarise
    from ackclock.study.run_words import vector

    samples: dict[str, list[float | None]] = {}
    for run in runs:
        samples.setdefault("fairness", []).append(run.fairness)
        for group in run.document["groups"]:
            flows = [flow for flow in run.document["flows"] if flow["group"] == group["name"]]
            for quantity, value in _numbers(flows[0] if flows else {}):
                del value
                values = vector([flow[quantity] for flow in flows])
                values = values[~np.isnan(values)]
                mean = float(np.mean(values)) if values.size else None
                samples.setdefault(f"groups.{group['name']}.{quantity}", []).append(mean)
        for link in run.document["links"]:
            for quantity, value in _numbers(link):
                samples.setdefault(f"links.{link['name']}.{quantity}", []).append(value)
    return {name: summarise(vector(values)) for name, values in samples.items()}


def show(runs: Runs) -> None:
    """Print the results: every flow of a single run, groups with intervals of several."""
    out = console()
    for group in by_point(runs):
        first = group[0]
        seeds = f"seed {first.seed}" if len(group) == 1 else f"seeds {first.seed} to {group[-1].seed}"
        point = "".join(f", {path} = {value}" for path, value in first.point.items())
        out.print(Text.assemble((first.scenario, "bold"), f", {seeds}{point}"))
        if len(group) == 1 and len(first.document["flows"]) <= MANY_FLOWS:
            out.print(_table("flow", first.document["flows"], FLOW_COLUMNS, ("control",)))
            out.print(_table("link", _worth_showing(first.document["links"]), LINK_COLUMNS))
            fairness = first.fairness
            out.print(f"fairness (Jain) {'-' if fairness is None else f'{fairness:.4f}'}")
        else:
            _show_summary(out, group)
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
        cells += [Text(_scaled(record[key], factor)) for key, (_, factor) in columns.items()]
        table.add_row(*cells)
    return table


def _show_summary(out: Console, runs: list[Run]) -> None:
    """Print what the runs come to on average: a line for each group of flows and each link."""
    from ackclock.numbers import mean_and_spread

    summary, first = summarised(runs), runs[0].document
    for kind, prefix, records, columns in (
        ("flows", "groups", first["groups"], FLOW_COLUMNS),
        ("link", "links", _worth_showing(first["links"]), LINK_COLUMNS),
    ):
        cells = [
            Column(
                heading,
                [_spread(summary[f"{prefix}.{record['name']}.{quantity}"], factor) for record in records],
            )
            for quantity, (heading, factor) in columns.items()
        ]
        names = Column(kind, [Text(record["name"]) for record in records])
        for table in fitting(names, cells, out.width):
            out.print(table)
    fairness = summary["fairness"]
    out.print(f"fairness (Jain) {mean_and_spread(fairness.mean, fairness.interval)}")
    over = "mean over the flows of a group"
    if len(runs) == 1:
        out.print(Text(over, style="dim"))
    elif all(value.std in (0, None) for value in summary.values()):
        out.print(Text("all replications are equal: nothing in this scenario is random", style="yellow"))
    else:
        out.print(Text(f"{over} and over replications ± half its 95 % interval", style="dim"))


def _spread(value: Summary, factor: float) -> Text:
    from ackclock.numbers import mean_and_spread

    if value.mean is None:
        return Text("-")
    interval = value.interval and (value.interval[0] * factor, value.interval[1] * factor)
    return Text(mean_and_spread(value.mean * factor, interval))


def _worth_showing(links: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The links with a queue or a loss; all of them when there are few."""
    if len(links) <= 8:
        return links
    busy = [
        link for link in links if link["dropped_packets"] or link["lost_packets"] or link["utilisation"] > 0.5
    ]
    return busy or links[:8]


def _scaled(value: float | None, factor: float) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and factor == 1:
        return str(value)
    return f"{value * factor:.4g}"


def _numbers(record: Mapping[str, Any]) -> list[tuple[str, float | None]]:
    return [(key, value) for key, value in record.items() if not isinstance(value, str)]
