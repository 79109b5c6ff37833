"""The tables in the report of a scenario: a row per flow or link, with intervals over replications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ackclock import _typed_core as core
from ackclock._fairness import starting
from ackclock._numbers import interval_text, mean_and_spread, significant
from ackclock._summary import NOTHING, completions, summarised
from ackclock.report.quantities import Declared, Shown
from ackclock.report.sweep_axes import point_words
from ackclock.run import Run, Runs
from ackclock.schemas.run import plain
from ackclock.statistics import Summary

MANY_FLOWS = 20
"""The largest number of flows for which the table of a single run has a row for each flow, not for each group."""


@dataclass(frozen=True)
class Quantity:
    """A field of the results as a column: its heading, and the divisor of its values."""

    field: str
    heading: str
    unit: str
    divisor: float = 1.0

    def declared(self, declared: Declared) -> Quantity:
        """Returns the quantity with the name and the unit that a user declares."""
        found = declared.shown(Shown(self.heading, self.unit, self.divisor), self.field, [self.field])
        return replace(self, heading=found.words, unit=found.unit, divisor=found.divisor)


NOTHING_DECLARED = Declared()
FLOWS = (
    Quantity("goodput_bps", "Goodput", "Mbit/s", 1e6),
    Quantity("rtt_mean_s", "Mean RTT", "ms", 1e-3),
    Quantity("rtt_p95_s", "95th percentile of RTT", "ms", 1e-3),
    Quantity("cwnd_mean_packets", "Mean window", "packets"),
    Quantity("lost_packets", "Lost", "packets"),
    Quantity("retransmitted_packets", "Retransmitted", "packets"),
    Quantity("timeouts", "Timeouts", ""),
    Quantity("completed_s", "Completed after", "s"),
)
COMPLETIONS = (
    Quantity("begun", "Begun", ""),
    Quantity("done", "Complete", ""),
    Quantity("completion_mean_s", "Mean", "ms", 1e-3),
    Quantity("completion_p50_s", "Median", "ms", 1e-3),
    Quantity("completion_p95_s", "95th percentile", "ms", 1e-3),
    Quantity("completion_p99_s", "99th percentile", "ms", 1e-3),
)
LINKS = (
    Quantity("utilisation", "Utilisation", "%", 0.01),
    Quantity("queue_mean_packets", "Mean queue length", "packets"),
    Quantity("wait_mean_s", "Mean queueing delay", "ms", 1e-3),
    Quantity("wait_p95_s", "95th percentile of queueing delay", "ms", 1e-3),
    Quantity("dropped_packets", "Dropped", "packets"),
    Quantity("corrupted_packets", "Corrupted", "packets"),
    Quantity("marked_packets", "Marked", "packets"),
)


@dataclass(frozen=True)
class Column:
    """A heading with its unit, and the meaning of the field."""

    heading: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Row:
    """A flow, a group of flows, or a link: its name, its description, and a cell (text, interval) per column."""

    name: str
    kind: str
    cells: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """A table as the template needs it."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]


def flow_table(
    runs: Sequence[Run], summary: Mapping[str, Summary], declared: Declared = NOTHING_DECLARED
) -> Table:
    """Returns a table with a row per flow of a single run, or a row per group if there are several runs or many
    flows.
    """
    document = runs[0].document
    flows = starting(document["flows"])
    share = Column("Share", "%", "Goodput as a share of the sum of all goodputs")
    if len(runs) == 1 and len(flows) <= MANY_FLOWS:
        found = [(flow["name"], flow["control"], flow) for flow in flows]
        table = _single("Flows", "flow", FLOWS, found, declared)
        total = sum(flow["goodput_bps"] for flow in flows)
        shares = [
            (significant(100 * flow["goodput_bps"] / total) if total else significant(None), "")
            for flow in flows
        ]
    else:
        controls = {flow["group"]: flow["control"] for flow in flows}
        groups = list(controls)
        names = [(name, controls.get(name, ""), f"groups.{name}") for name in groups]
        table = _summarised(
            "Flows: mean over the flows of each group", "flow", FLOWS, names, summary, declared
        )
        counts = {group["name"]: group["flows"] for group in document["groups"]}
        means = {name: summary[f"groups.{name}.goodput_bps"].mean or 0.0 for name in groups}
        total = sum(counts[name] * means[name] for name in groups)
        shares = [
            (significant(100 * means[name] / total) if total else significant(None), "") for name in groups
        ]
        share = Column(
            "Share of a flow", "%", "Goodput of one flow of the group as a share of the sum of all goodputs"
        )
    rows = [
        Row(row.name, row.kind, [row.cells[0], cell, *row.cells[1:]])
        for row, cell in zip(table.rows, shares, strict=True)
    ]
    return Table(table.title, [table.columns[0], share, *table.columns[1:]], rows)


def link_table(
    runs: Sequence[Run], summary: Mapping[str, Summary], declared: Declared = NOTHING_DECLARED
) -> Table:
    """Returns a table with a row per link at which a packet waited or was lost."""
    links = [link for link in runs[0].document["links"] if worth_showing(link)]
    if len(runs) == 1:
        return _single("Links", "link", LINKS, [(link["name"], "", link) for link in links], declared)
    names = [(link["name"], "", f"links.{link['name']}") for link in links]
    return _summarised("Links", "link", LINKS, names, summary, declared)


def completion_table(
    runs: Sequence[Run], summary: Mapping[str, Summary], declared: Declared = NOTHING_DECLARED
) -> Table:
    """Returns a table of completion times, with a row per group that completes tasks and per class of sizes of its
    observed transfers; without rows if no group does.
    """
    found = completions([group["name"] for group in runs[0].result["groups"]], summary)
    used = [one.declared(declared) for one in COMPLETIONS]
    rows = [
        Row(declared.word(name), "", [_cell(values.get(q.field, NOTHING), q.divisor) for q in used])
        for name, values in found
    ]
    return Table("Completion times", list(_columns("size_class", used)), rows)


POINTS = 40
"""The largest number of points in the table of a sweep's page; exported files contain all points."""
GROUPS = 3
"""The largest number of groups of flows in the table of a sweep's page."""
POINT_FLOWS = (
    FLOWS[0],
    FLOWS[1],
    Quantity("completion_p50_s", "Median completion time", "ms", 1e-3),
    Quantity("completion_p95_s", "95th percentile of the completion time", "ms", 1e-3),
    Quantity("completion_p99_s", "99th percentile of the completion time", "ms", 1e-3),
)
POINT_LINKS = LINKS[:2]


def points_table(runs: Runs) -> Table:
    """Returns a table with a row per point of a sweep: the numbers of the groups, of the busiest link, and fairness."""
    points = runs.by_point[:POINTS]
    summaries = [summarised(run.result for run in group) for group in points]
    first = points[0][0].document
    names = [group["name"] for group in first["groups"][:GROUPS]]
    busiest = max(first["links"], key=lambda link: float(link["utilisation"]))["name"]
    declared = runs.declared
    of_flows, of_links = ([q.declared(declared) for q in some] for some in (POINT_FLOWS, POINT_LINKS))
    wanted = [
        (f"groups.{name}", declared.word(name) if len(names) > 1 else "", q)
        for name in names
        for q in of_flows
    ]
    wanted += [(f"links.{busiest}", declared.word(busiest), q) for q in of_links]
    used = [
        one for one in wanted if any(_of(values, one[0], one[2]).mean is not None for values in summaries)
    ]
    columns = [
        Column(f"{quantity.heading}{f' of {whose}' if whose else ''}", quantity.unit, "")
        for _, whose, quantity in used
    ]
    several = len(first["flows"]) > 1
    rows = []
    for group, values in zip(points, summaries, strict=True):
        cells = [_cell(_of(values, prefix, quantity), quantity.divisor) for prefix, _, quantity in used]
        if several:
            cells.append(_cell(values["fairness"], 1.0))
        rows.append(Row(point_words(runs.axes, group[0].point, declared), "", cells))
    if several:
        columns.append(Column("Fairness", "", "Jain's index"))
    return Table("Every point", columns, rows)


def _of(values: Mapping[str, Summary], prefix: str, quantity: Quantity) -> Summary:
    return values.get(f"{prefix}.{quantity.field}", NOTHING)


def worth_showing(link: Mapping[str, Any]) -> bool:
    """Returns whether anything happened at a link: a queue, or losses. Many access links only forward packets."""
    return bool(link["lost_packets"] or link["utilisation"] > 0.5)


def _single(
    title: str,
    record: str,
    quantities: Sequence[Quantity],
    found: Sequence[tuple[str, str, Mapping[str, Any]]],
    declared: Declared,
) -> Table:
    quantities = [one.declared(declared) for one in quantities]
    used = [q for q in quantities if any(values.get(q.field) is not None for _, _, values in found)]
    rows = [
        Row(
            declared.word(name),
            declared.word(kind),
            [(_number(values.get(q.field), q.divisor), "") for q in used],
        )
        for name, kind, values in found
    ]
    return Table(title, list(_columns(record, used)), rows)


def _summarised(
    title: str,
    record: str,
    quantities: Sequence[Quantity],
    names: Sequence[tuple[str, str, str]],
    summary: Mapping[str, Summary],
    declared: Declared,
) -> Table:
    def found(prefix: str, quantity: Quantity) -> Summary:
        return summary.get(f"{prefix}.{quantity.field}", NOTHING)

    quantities = [one.declared(declared) for one in quantities]
    used = [q for q in quantities if any(found(prefix, q).mean is not None for _, _, prefix in names)]
    rows = [
        Row(declared.word(name), declared.word(kind), [_cell(found(prefix, q), q.divisor) for q in used])
        for name, kind, prefix in names
    ]
    return Table(title, list(_columns(record, used)), rows)


def _columns(record: str, quantities: Sequence[Quantity]) -> Iterator[Column]:
    meanings = {field["name"]: plain(field["meaning"]) for field in core.fields()[record]}
    for quantity in quantities:
        yield Column(quantity.heading, quantity.unit, meanings.get(quantity.field, ""))


def _cell(value: Summary, divisor: float) -> tuple[str, str]:
    interval = value.interval and (value.interval[0] / divisor, value.interval[1] / divisor)
    mean = _divided(value.mean, divisor)
    return mean_and_spread(mean, interval), interval_text(mean, interval)


def _number(value: float | int | None, divisor: float) -> str:
    """Returns a value of one run as text: counts unchanged, other values to four digits."""
    return str(value) if isinstance(value, int) else significant(_divided(value, divisor))


def _divided(value: float | None, divisor: float) -> float | None:
    return None if value is None else value / divisor
