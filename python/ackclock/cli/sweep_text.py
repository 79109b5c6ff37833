"""A sweep on the terminal: a row for each of the first points, and the cost of the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ackclock.cli.tables import Column, fitting

if TYPE_CHECKING:
    from ackclock._summary import PointSummary
    from ackclock._sweep_jobs import Plan
    from ackclock.scenario import Scenario, Simulated
    from ackclock.statistics import Summary

ROWS = 40
"""The largest number of points shown; files contain all."""
GROUPS = 3
"""The largest number of groups of flows shown."""
PACKETS_PER_S = 2e6
"""The approximate number of packets that a core simulates in a second, less than docs/architecture.md measures on
simple paths.
"""
RUN_S = 1e-3
"""The overhead of a run in seconds: the time to read, build and store it."""
WORTH_SAYING_S = 10.0
"""If the runs are expected to take longer than this, in seconds, their cost is printed even if the output is not a
terminal.
"""

MEANS = "mean over the flows of a group"
SPREAD = "± half-width of the 95 % interval"

_FLOWS: Mapping[str, tuple[str, str, float]] = {
    "goodput_bps": ("goodput", "Mbit/s", 1e-6),
    "rtt_mean_s": ("mean RTT", "ms", 1e3),
    "completion_p50_s": ("completion p50", "ms", 1e3),
    "completion_p95_s": ("completion p95", "ms", 1e3),
    "completion_p99_s": ("completion p99", "ms", 1e3),
}
_LINKS: Mapping[str, tuple[str, str, float]] = {
    "utilisation": ("utilisation", "%", 100),
    "queue_mean_packets": ("mean queue", "packets", 1),
}


def show(
    out: Console, title: str, points: Sequence[PointSummary], written: Sequence[Mapping[str, str]]
) -> None:
    """Prints a table of means with intervals. ``written`` has the values of the sweep at each point as text."""
    shown = points[:ROWS]
    out.print(Text.assemble((title, "bold")))
    label = _label(written[:ROWS])
    for table in fitting(label, list(_columns(shown)), out.width):
        out.print(table)
    if len(points) > ROWS:
        out.print(
            Text(
                f"... and {_number(len(points) - ROWS, 'more point')}: `--out DIR` writes them all",
                style="yellow",
            )
        )
    if any(summary.count > 1 for point in shown for summary in point.values.values()):
        out.print(Text(f"{MEANS} and replications, {SPREAD}", style="dim"))
    for note in _completed(points):
        out.print(Text(note, style="yellow"))


def _completed(points: Sequence[PointSummary]) -> list[str]:
    """Returns notes on the transfers that the completion times of these points leave out: those that did not complete
    before the end of the run.
    """
    from ackclock._numbers import significant
    from ackclock._summary import completions

    shares: dict[str, list[float]] = {}
    for point in points:
        groups = dict.fromkeys(name.split(".")[1] for name in point.values if name.startswith("groups."))
        for name, values in completions(list(groups), point.values):
            done, begun = (values[count].mean if count in values else None for count in ("done", "begun"))
            if begun:
                shares.setdefault(name, []).append((done or 0.0) / begun)
    left_out = {name: found for name, found in shares.items() if min(found) < 1}
    if not left_out:
        return []
    ranges = "; ".join(
        f"{name} {significant(100 * min(found), 3)} to {significant(100 * max(found), 3)} %"
        for name, found in left_out.items()
    )
    note = "completion times leave out transfers that did not complete"
    return [f"{note}; share of transfers that completed, lowest to highest over the points: {ranges}"]


def _label(written: Sequence[Mapping[str, str]]) -> Column:
    """Returns a column with the values of the sweep side by side, under the names of what varies."""
    names = list(written[0])
    columns = [[name, *(row[name] for row in written)] for name in names]
    widths = [max(map(len, column)) for column in columns]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
    return Column(lines[0], [Text(line) for line in lines[1:]], whole=True)


def _columns(points: Sequence[PointSummary]) -> list[Column]:
    names = list(dict.fromkeys(name for point in points for name in point.values))
    groups = list(dict.fromkeys(name.split(".")[1] for name in names if name.startswith("groups.")))
    columns = []
    for group in groups[:GROUPS]:
        whose = f"\n{group}" if len(groups) > 1 else ""
        for quantity, (heading, unit, factor) in _FLOWS.items():
            if quantity.startswith("completion") and f"groups.{group}.{quantity}" not in names:
                continue
            columns.append(_column(f"{heading}{whose}\n{unit}", f"groups.{group}.{quantity}", factor, points))
    busiest = _busiest(points, names)
    if busiest is not None:
        for quantity, (heading, unit, factor) in _LINKS.items():
            columns.append(
                _column(f"{heading}\n{busiest}\n{unit}", f"links.{busiest}.{quantity}", factor, points)
            )
    columns.append(_column("fairness\n(Jain)", "fairness", 1, points))
    return columns


def _busiest(points: Sequence[PointSummary], names: Sequence[str]) -> str | None:
    """Returns the link with the highest mean utilisation over all points."""
    best: tuple[float, str] | None = None
    for name in names:
        if name.startswith("links.") and name.endswith(".utilisation"):
            total = sum(point.values[name].mean or 0.0 for point in points if name in point.values)
            if best is None or total > best[0]:
                best = (total, name.split(".")[1])
    return None if best is None else best[1]


def _column(heading: str, name: str, factor: float, points: Sequence[PointSummary]) -> Column:
    return Column(heading, [spread(point.values.get(name), factor) for point in points])


def spread(value: Summary | None, factor: float) -> Text:
    """Returns a mean and the half-width of its interval as text."""
    from ackclock._numbers import mean_and_spread

    if value is None or value.mean is None:
        return Text("-")
    interval = value.interval and (value.interval[0] * factor, value.interval[1] * factor)
    return Text(mean_and_spread(value.mean * factor, interval))


def expected_s(scenario: Scenario, plan: Plan, cores: int) -> tuple[float, float]:
    """Returns the largest number of packets in the runs, and their approximate duration in seconds."""
    packets = sum(scenario.sweep.packets(point) for point in plan.points) * len(plan.seeds)
    # One thread receives all results, whatever the number of cores.
    return packets, packets / PACKETS_PER_S / min(cores, max(1, len(plan))) + len(plan) * RUN_S


def cost(plan: Plan, packets: float, seconds: float, cores: int) -> str:
    """Returns the cost of the coming runs, in a sentence."""
    from ackclock._numbers import duration

    on = f"{cores} core{'s' if cores != 1 else ''}"
    more = ", more where the precision requires them" if plan.precision else ""
    return f"{plan}{more}: up to {_counted(packets)} packets, about {duration(seconds)} on {on} if no run is cached"


def _counted(number: float) -> str:
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:.3g} {word}"
    return f"{number:,.0f}"


def spent(done: Simulated) -> str:
    """Returns the time that the runs took, in a sentence."""
    parts = []
    if done.cpu_time_s:
        times = done.cpu_time_s
        parts.append(
            f"{_number(len(times), 'run')} took {_short(sum(times) / len(times))} of CPU time on average, the longest "
            f"{_short(max(times))}"
        )
    if done.stored:
        parts.append(f"{_number(done.stored, 'cached run')} reused")
    return "; ".join(parts)


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' if count != 1 else ''}"


def _short(seconds: float) -> str:
    from ackclock._numbers import duration

    return f"{1000 * seconds:.2g} ms" if seconds < 0.1 else duration(seconds)
