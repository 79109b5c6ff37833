"""``ackclock compare-trace``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from ackclock._names import nearest
from ackclock.cli.terminal import console, print_json, shown
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.traces.log import Event, Log
    from ackclock.traces.outcome import Comparison, Parting, Side, Tolerance

TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def compare_trace(
    ours: str,
    theirs: str,
    *,
    by: str,
    tolerances: Sequence[str],
    slack: str | None,
    unit: str | None,
    packet_bytes: str | None,
    ignored: Sequence[str],
    partial: bool,
    as_json: bool,
    picture: Path | None,
) -> None:
    """Prints the first difference between two logs. Exits with code 1 if they differ. InputError for a log or an option
    that cannot be read.
    """
    from ackclock.traces.compare import compare
    from ackclock.traces.document import document
    from ackclock.traces.outcome import COMPARED
    from ackclock.traces.read import read

    if by not in ("time", "packet"):
        raise InputError(f'--by: found "{by}", expected time or packet')
    if unit not in (None, "packets", "bytes"):
        raise InputError(f'--unit: found "{unit}", expected packets or bytes')
    tolerance = _tolerance(tolerances, slack, by)
    sizes = _sizes(packet_bytes)
    mine, other = (read(name, partial=partial) for name in (ours, theirs))
    may_be_ignored = (*COMPARED, *mine.not_understood, *other.not_understood)
    for name in ignored:
        if name not in may_be_ignored:
            raise InputError(
                f'--ignore: found "{name}", expected losses, states, timeouts, a quantity such as ssthresh, or a kind '
                f"of event that an error message reports as not understood{nearest(name, may_be_ignored)}"
            )
    for log, size in zip((mine, other), sizes, strict=True):
        log.packet_bytes = size or log.packet_bytes
    align: Any = by
    wanted: Any = unit
    found = compare(mine, other, align, tolerance, wanted, ignored)
    if picture is not None:
        from ackclock.traces.figure import figure

        figure(found).save(picture)
    if as_json:
        print_json(document(found))
    else:
        show(found)
        if picture is not None:
            console().print(f"wrote {shown(picture)}", style="dim", soft_wrap=True)
    if not found.agree:
        raise typer.Exit(1)


def _tolerance(given: Sequence[str], slack: str | None, by: str) -> Tolerance:
    from ackclock.traces.log import QUANTITIES
    from ackclock.traces.outcome import Tolerance

    share, of = Tolerance.share, {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals:
            share = _share(text)
        elif name not in QUANTITIES:
            raise InputError(f'--tolerance: found "{name}", expected a quantity{nearest(name, QUANTITIES)}')
        else:
            of[name] = _share(value)
    return Tolerance(share, of, _slack(slack, by))


def _share(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text.strip())
    if match is None:
        raise InputError(
            f'--tolerance: found "{text}", expected a fraction such as 5% or 0.05, or QUANTITY=5%'
        )
    share = float(match[1]) / (100 if match[2] else 1)
    if share >= 1:
        hint = f"; did you mean {match[1]}%?" if not match[2] and share < 100 else ""
        raise InputError(
            f'--tolerance: found "{text}", expected less than 100 % of the larger value, because two positive values '
            f"never differ by more{hint}"
        )
    return share


def _slack(text: str | None, by: str) -> float:
    """Returns the slack in seconds or packets."""
    from ackclock.traces.outcome import SLACK

    if text is None:
        return SLACK["time" if by == "time" else "packet"]
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*([a-zµ]*)", text.strip())
    unit = match[2] if match else ""
    if match and by == "time" and unit in TIMES:
        return float(match[1]) * TIMES[unit]
    if match and by == "packet" and unit in ("", "packet", "packets"):
        return float(match[1])
    expected = 'a time such as "5 ms"' if by == "time" else "a number of packets such as 2"
    raise InputError(f'--slack: found "{text}", expected {expected} with --by {by}')


def _sizes(text: str | None) -> list[float | None]:
    if text is None:
        return [None, None]
    parts = text.split(",")
    if not 1 <= len(parts) <= 2 or not all(part.strip().isdigit() and int(part) for part in parts):
        raise InputError(
            f'--packet-bytes: found "{text}", expected a number of bytes such as 1200, '
            "or one for each log such as 1200,1460"
        )
    return [float(parts[0]), float(parts[-1])]


def show(comparison: Comparison) -> None:
    """Prints a comparison."""
    from ackclock.traces.outcome import SIDES

    out = console()
    for side in SIDES:
        out.print(_about(side, comparison.side(side)), soft_wrap=True)
    out.print(f"compared {_how(comparison)}", style="dim", soft_wrap=True)
    out.print()
    if comparison.parting is None:
        out.print(
            f"the logs agree within the tolerance in {_names(comparison.compared)}",
            style="bold green",
            soft_wrap=True,
        )
    else:
        _show_parting(comparison, comparison.parting)
    out.print()
    out.print(_differences(comparison))
    out.print()
    out.print(_stretches(comparison))
    for what, why in comparison.not_compared.items():
        out.print(f"not compared: {what}, {why}", style="dim", soft_wrap=True)


def _names(compared: Sequence[str]) -> str:
    from ackclock.traces.log import QUANTITIES

    return ", ".join(QUANTITIES[name].label if name in QUANTITIES else name for name in compared)


def _about(side: str, log: Log) -> Text:
    size = "" if log.packet_bytes is None else f", packets of {log.packet_bytes:g} bytes"
    events = "samples" if log.sampled else "events"
    return Text(f"{side:6}  {log.file}: {log.format}, {len(log.events):,} {events}{size}")


def _how(comparison: Comparison) -> str:
    tolerance = comparison.tolerance
    by = f"by time since {comparison.origin}" if comparison.align == "time" else "by data packets sent"
    shares = [
        f"{100 * tolerance.share:.3g} %",
        *(f"{name} by up to {100 * share:.3g} %" for name, share in tolerance.of.items()),
    ]
    return (
        f"{by}, up to {_place(comparison, comparison.span)}; values may differ by up to {', '.join(shares)} "
        f"(--tolerance), and values and events may be up to {_place(comparison, tolerance.slack)} apart (--slack); "
        f"windows in {comparison.unit}"
    )


def _place(comparison: Comparison, at: float) -> str:
    return f"{at:.6f} s" if comparison.align == "time" else f"{at:g} packets"


def _show_parting(comparison: Comparison, parting: Parting) -> None:
    from ackclock.traces.outcome import SIDES

    out = console()
    out.print(
        Text(f"the logs first differ at {_place(comparison, parting.at)}: {parting.what}", style="bold red")
    )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for heading in ("", *SIDES):
        table.add_column(heading)
    table.add_row(parting.what, parting.ours, parting.theirs, style="bold")
    for label, *cells in _circumstances(comparison, parting):
        table.add_row(label, *cells)
    out.print(table)
    for side in SIDES:
        heading = f"\n{side}: last events before the difference (times since {comparison.origin})"
        out.print(Text(heading, style="bold"))
        for event in comparison.before(side):
            since = event.place.time_s - comparison.begin_s(side)
            out.print(f"{since:12.6f} s  {event.place.sent:>6} packets sent  {event}", soft_wrap=True)


def _circumstances(comparison: Comparison, parting: Parting) -> Iterator[tuple[str, str, str]]:
    """Yields the rows on each log at the first difference: time, packets sent, packet number, state and quantities."""
    from ackclock.traces.log import QUANTITIES
    from ackclock.traces.outcome import SIDES
    from ackclock.traces.values import reading

    at, last = parting.at, [_last(comparison, side) for side in SIDES]
    rows: list[tuple[str, list[str]]] = [
        ("time in the log", ["–" if event is None else f"{event.place.time_s:.6f} s" for event in last]),
        ("packets sent", ["–" if event is None else str(event.place.sent) for event in last]),
        ("packet number", [_number(comparison, side) for side in SIDES]),
        ("state", [comparison.state(side) or "–" for side in SIDES]),
    ]
    for name, courses in comparison.steps.items():
        if name != parting.what:
            values = [reading(name, steps.value(at), comparison.unit) for steps in courses]
            rows.append((QUANTITIES[name].label, values))
    yield from ((label, cells[0], cells[1]) for label, cells in rows)


def _last(comparison: Comparison, side: Side) -> Event | None:
    """Returns a log's event at the first difference, or else its last event before it."""
    own = comparison.own(side)
    return own or next(iter(comparison.before(side, 1)), None)


def _number(comparison: Comparison, side: Side) -> str:
    """Returns a log's packet number at the first difference, or else the last packet number before it."""
    for event in [comparison.own(side), *reversed(comparison.before(side, 50))]:
        if event is not None and event.packet is not None:
            return str(event.packet)
    return "–"


def _differences(comparison: Comparison) -> Table:
    """Returns the table of the largest difference of each quantity."""
    from ackclock.traces.log import QUANTITIES
    from ackclock.traces.values import reading

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("largest difference")
    for heading in ("", "at", "ours", "theirs", "first beyond tolerance"):
        table.add_column(heading, justify="right")
    for one in comparison.differences:
        beyond = "–" if one.first_beyond is None else _place(comparison, one.first_beyond)
        values = [reading(one.quantity, value, comparison.unit) for value in (one.ours, one.theirs)]
        table.add_row(
            QUANTITIES[one.quantity].label, _percent(one.largest), _place(comparison, one.at), *values, beyond
        )
    return table


def _stretches(comparison: Comparison) -> Table:
    """Returns the table of the largest difference of each quantity in each eighth of the comparison."""
    from ackclock.traces.log import QUANTITIES
    from ackclock.traces.outcome import STRETCHES

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    unit = "" if comparison.align == "time" else " packet"
    table.add_column(f"largest difference in each eighth of the logs, ending at{unit}")
    for number in range(1, STRETCHES + 1):
        end = comparison.span * number / STRETCHES
        table.add_column(f"{end:.3g} s" if comparison.align == "time" else f"{end:.0f}", justify="right")
    for one in comparison.differences:
        cells = ["–" if apart is None else _percent(apart) for apart in one.stretches]
        table.add_row(QUANTITIES[one.quantity].label, *cells)
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"
