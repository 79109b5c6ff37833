"""``ackclock path``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from ackclock.cli.lateness import show_lateness
from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console, note, print_json, warn
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.scenario import Scenario

COLUMNS: Mapping[str, tuple[str, float]] = {
    "arrived_packets": ("arrived\npackets", 1),
    "dropped_packets": ("dropped\npackets", 1),
    "corrupted_packets": ("corrupted\npackets", 1),
    "marked_packets": ("marked\npackets", 1),
    "utilisation": ("utilisation\n%", 1e2),
    "queue_mean_packets": ("mean queue\npackets", 1),
    "wait_p50_s": ("p50 queue\nwait ms", 1e3),
    "wait_p95_s": ("p95 queue\nwait ms", 1e3),
    "wait_p99_s": ("p99 queue\nwait ms", 1e3),
}
"""The columns of the tables of links: for each field of a result, its heading and the factor to the heading's unit."""


def path(
    file: Path,
    command: Sequence[str],
    *,
    serve: str | None,
    flow: str | None,
    direction: str,
    control: str | None,
    device: str,
    settings: Sequence[str],
    seed: int | None,
    compare: bool,
    as_json: bool,
) -> None:
    """Runs ``command`` over the network of a scenario in real time, and prints the results of its links. RunError when
    a program or a permission is missing.
    """
    from ackclock import _typed_core as core
    from ackclock._overrides import assignment
    from ackclock.cli.given import read_scenario

    scenario = read_scenario(file, dict(map(assignment, settings)))
    described = scenario.describe()
    groups = [group["group"] for group in described["flows"]]
    if flow is not None and flow not in groups:
        raise InputError(
            f"{file}: --flow: no flows are named `{flow}`, expected one of {', '.join(f'`{one}`' for one in groups)}"
        )
    wanted = {
        "client": list(command),
        "server": _words(serve),
        "group": flow,
        "download": direction == "download",
        "control": control,
        "device": device,
        "quiet": as_json,
    }
    used = described["seed"] if seed is None else seed
    outcome = core.path(scenario.text, scenario.file, scenario.overrides, used, wanted)
    if compare:
        outcome["simulated"] = _simulated(scenario, used, outcome)
    if as_json:
        print_json(outcome)
    else:
        _show(outcome)
        if _carried(outcome["backward"]) > _carried(outcome["forward"]):
            other = "download" if direction == "upload" else "upload"
            note(
                f"most bytes took the return path of flow `{flow or groups[0]}`; with `--direction {other}` they take "
                "its forward path"
            )
    for problem in outcome["problems"]:
        warn(f"invalid run: {problem}")
    if outcome["exit_code"]:
        warn(f"`{shlex.join(command)}` ended with exit code {outcome['exit_code']}")
    if outcome["problems"] or outcome["exit_code"]:
        raise typer.Exit(1)


def _simulated(scenario: Scenario, seed: int, outcome: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the results of the path's links in a simulation of the scenario's own flows over the same time; an empty
    list if that ends within the warm-up, or if the simulation fails.
    """
    if outcome["measured_to_s"] <= outcome["measured_from_s"]:
        return []
    try:
        run = scenario.with_overrides({"duration": f"{outcome['measured_to_s']:.9f} s"}).run(
            seed, series=False
        )
    except InputError as error:  # A flow of the file that begins later than the program ended.
        warn(f"no comparison, because the simulation failed: {error}")
        return []
    links = {link["name"]: link for link in run.document["links"]}
    return [links[link["name"]] for link in (*outcome["forward"], *outcome["backward"])]


def _carried(links: Sequence[Mapping[str, Any]]) -> float:
    """Returns the lowest throughput of the links of a direction that have a rate, in bit/s; 0 if none has."""
    return min((link["rate_bps"] * link["utilisation"] for link in links if link["rate_bps"]), default=0.0)


def _words(serve: str | None) -> list[str]:
    """Returns the words of a command as a shell splits them. InputError when a quotation mark is not closed."""
    try:
        return shlex.split(serve or "")
    except ValueError as error:
        raise InputError(f"--serve {serve}: {error}") from None


def _show(outcome: Mapping[str, Any]) -> None:
    from ackclock.cli.run import scaled

    out = console()
    begin, end = outcome["measured_from_s"], outcome["measured_to_s"]
    out.print(
        f"ran for {outcome['lasted_s']:.2f} s of real time; packets are counted from {begin:g} s to {end:.2f} s"
    )
    simulated = {link["name"]: {**link, "name": "  simulated"} for link in outcome.get("simulated", [])}
    for direction in ("forward", "backward"):
        links = []
        for link in outcome[direction]:
            links += [link, simulated[link["name"]]] if simulated else [link]
        names = Column(direction, [Text(link["name"]) for link in links])
        columns = [
            Column(heading, [Text(scaled(link[key], factor)) for link in links])
            for key, (heading, factor) in COLUMNS.items()
        ]
        for table in fitting(names, columns, out.width):
            out.print(table)
    show_lateness(outcome)
    if end <= begin:
        note(
            f"nothing was measured: the program ended within the warm-up of {begin:g} s; set a shorter `warmup`"
        )
    device = {"packet": "packet sockets", "tun": "TUN devices"}[outcome["device"]]
    note(f"Linux {outcome['kernel']}, {device}, default congestion control {outcome['control']}")
