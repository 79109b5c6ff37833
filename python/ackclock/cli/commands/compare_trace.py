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
            help="The first log: a qlog, an event log of ackclock (Parquet or CSV), ss -tin samples, a tcp_probe "
            "trace, or iperf3 JSON. FILE#NAME selects one of several flows, connections or endpoints in it.",
            show_default=False,
        ),
    ],
    theirs: Annotated[
        str,
        typer.Argument(
            metavar="THEIRS",
            help="The second log, in any format accepted for OURS, e.g. from another sender over the same path.",
            show_default=False,
        ),
    ],
    by: Annotated[
        str,
        typer.Option(
            metavar="PLACE",
            help="How the two logs are aligned. time: values are compared at equal times since the first data packet, "
            "or since the first acknowledgement if a log has no data packets. packet: values are compared after equal "
            "numbers of data packets sent, which both logs must record.",
        ),
    ] = "time",
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="Two values count as equal if they differ by at most this fraction of the larger one, e.g. 5% or "
            "0.05; default: 1%. QUANTITY=SHARE sets the fraction for one quantity, e.g. ssthresh=10%. May be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    slack: Annotated[
        str | None,
        typer.Option(
            metavar="DISTANCE",
            help="Allowed shift between the two logs: equal values and events agree if they occur at most this far "
            'apart. A time such as "5 ms", or with --by packet a number of packets. Default: 1 ms, or 2 packets.',
            show_default=False,
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT",
            help="Unit in which windows and bytes in flight are compared: packets (each log has its own packet size) "
            "or bytes. Default: packets if each log counts packets or states its packet size, otherwise bytes.",
            show_default=False,
        ),
    ] = None,
    packet_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES",
            help="Packet size with which windows and bytes in flight are converted between bytes and packets: one "
            "number for both logs, or OURS,THEIRS. Default: the sizes in the logs. Needed if one log counts packets "
            "and the other only bytes.",
            show_default=False,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Leave this out of the comparison: losses, states, timeouts, a quantity such as ssthresh, or a kind "
            "of event that an error message reports as not understood. May be given several times.",
            show_default=False,
        ),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Accept a log that ends in the middle of a record, and read it up to the last complete record. "
            "Default: such a log is an error.",
        ),
    ] = False,
    json: Json = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a figure of both logs over time into this file, whose ending is .pdf, .svg, .png or .csv.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Find the first difference between the logs of two senders, and print how much the logs differ over time.

    Compares congestion window, slow start threshold, bytes in flight, smoothed RTT, pacing rate, retransmissions,
    losses, timeouts and states of the sender, as far as both logs record them. Exit code 0: the logs agree within
    tolerance and slack. 1: they differ. 2: the logs have no quantity in common, a log has events that are not
    understood, or an option or a file is invalid.

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
