"""The command ``ackclock compare-trace``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli import compare_trace as compare_trace_command
from ackclock.cli.options import Json


def compare_trace(
    ours: Annotated[
        str,
        typer.Argument(
            metavar="OURS",
            help="The log of a sender: a qlog, an event log as Parquet or CSV, samples of ss -tin, a trace of "
            "tcp_probe, or JSON of iperf3. FILE#NAME takes one of its flows, connections or ends.",
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
            help="How values of the logs are paired: time, at the same time since the first data packet; "
            "packet, after the same number of data packets.",
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
            help="The unit of windows: packets, of each log's own size, or bytes; default: packets where both "
            "logs give their packet size.",
            show_default=False,
        ),
    ] = None,
    packet_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES",
            help="The bytes that a packet adds to the bytes in flight, for both logs or as OURS,THEIRS; "
            "default: the sizes in the logs.",
            show_default=False,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Leave out a quantity, losses, states or timeouts, or an event that is not understood. May be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option("--partial", help="Read a log that ends within a record, up to its last complete line."),
    ] = False,
    json: Json = False,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw both logs: pdf, svg, png or csv.", show_default=False),
    ] = None,
) -> None:
    """Find the first difference between two logs of a sender, and measure how much they differ.

    Compares congestion window, slow start threshold, flight, smoothed round trip, pacing rate and retransmissions, and
    the packets lost, timeouts and states, as far as both logs record them; the verdict names what was compared. Exit
    code 0: they agree within the tolerance. 1: they do not. 2: they have nothing in common that can be compared.

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
