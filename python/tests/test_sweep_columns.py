"""What swept keys are called in tables: no swept key has the column of a result or of another key."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import Command
from test_sweeps import SHORT, swept

from ackclock import _typed_core as core
from ackclock._summary import bound
from ackclock._sweep import column_names
from ackclock.custom import Ack, Control, Decision, Draws, Loss, Timeout, parameter
from ackclock.scenario import Scenario


class Steady(Control):
    """A window that never changes, and publishes twice its size under the name of its parameter's column."""

    window: float = parameter("10 packets", unit="packets", at_least=1, about="The window")

    def decision(self) -> Decision:
        return Decision(self.window)

    def on_ack(self, ack: Ack, random: Draws) -> None: ...
    def on_loss(self, loss: Loss, random: Draws) -> None: ...
    def on_timeout(self, timeout: Timeout, random: Draws) -> None: ...

    def publish(self) -> dict[str, float]:
        return {"window_packets": 2 * self.window}


def result_columns() -> set[str]:
    """Returns the columns of the tables of a run with TCP, SCTP, a medium and transfers, as they come out."""
    text = """
duration = "2 s"
observe = { transfers = true }
[[media]]
name = "air"
access = "half-duplex"
[[links]]
name = "a"
between = ["x", "y"]
rate = "10 Mbit/s"
delay = "1 ms"
queue = "red"
loss = { name = "independent", probability = 0.01 }
[[links]]
name = "b"
between = ["y", "z"]
rate = "10 Mbit/s"
delay = "1 ms"
medium = "air"
[[flows]]
control = "cubic"
from = "x"
to = "z"
application = { name = "transfers", count = 3, size = "10 kB", every = "0.1 s" }
[[flows]]
name = "sctp"
control = "reno"
transport = "sctp"
from = "x"
to = "z"
"""
    runs = Scenario.from_text(text).run_many([1])
    tables = (runs.flows, runs.links, runs.groups, runs.transfers, runs.size_classes, runs.summary())
    return {column for table in tables for column in table.columns} | {"point", "time_s", "kind"}


def test_names_are_as_short_as_they_can_be() -> None:
    axes = [
        ("dumbbell.bottleneck.queue.limit", "packets"),
        ("dumbbell.bottleneck.delay", "s"),
        ("dumbbell.access.delay", "s"),
        # Records of results have a `control`, and records of links a `rate_bps`.
        ("flows.tcp.control", ""),
        ("dumbbell.bottleneck.rate", "bps"),
        ("flows.0.count", ""),
    ]
    assert column_names(axes) == [
        "limit_packets",
        "bottleneck_delay_s",
        "access_delay_s",
        "tcp_control",
        "bottleneck_rate_bps",
        "count",
    ]


def test_no_column_begins_with_a_number() -> None:
    assert column_names([("flows.0.control", "")]) == ["flows_0_control"]


def test_what_reports_call_two_axes_differs() -> None:
    # Both are a `limit`, one in packets and the other in bytes.
    axes = [("links.a.queue.limit", "packets"), ("links.b.queue.limit", "bytes"), ("dumbbell.delay", "s")]
    assert column_names(axes) == ["a_queue_limit_packets", "b_queue_limit_bytes", "delay_s"]
    # The second is called `q_limit` already.
    assert column_names([("x.q.limit", ""), ("y.limit", ""), ("q_limit", "")])[2] == "scenario_q_limit"


def test_no_key_of_the_language_has_the_column_of_a_result() -> None:
    tables = result_columns()
    assert {"name", "seed", "goodput_bps", "utilisation", "fairness", "completion_s"} <= tables
    keys = {
        (key["name"], one["unit"])
        for table in core.tables()
        for key in table["keys"]
        for one in [{"unit": ""}, *key["ranges"]]
    }
    keys |= {(each["name"], "") for entry in core.registry() for each in entry["parameters"]}
    keys |= {(name, unit) for name, _ in keys for unit in ("s", "bps", "packets", "bytes")}
    assert len(keys) > 1000
    for key, unit in sorted(keys):
        # A key of the scenario, of a table, and twice.
        axes = [(key, unit), (f"flows.0.{key}", unit), (f"flows.tcp.{key}", unit)]
        for some in (axes[:1], axes[1:2], axes):
            names = column_names(some)
            assert not tables & set(names), some
            assert len({name.removesuffix(f"_{unit}") for name in names}) == len(some)


@pytest.mark.parametrize(
    ("path", "values", "column"),
    [
        ("name", '"a", "b"', "scenario_name"),
        ("duration", '"1 s", "2 s"', "duration_s"),
        ("warmup", '"0.1 s", "0.2 s"', "warmup_s"),
        ("observe.interval", '"0.1 s", "0.2 s"', "interval_s"),
        ("observe.transfers", "true, false", "observe_transfers"),
        ("flows.tcp.start", '"0 s", "0.1 s"', "tcp_start_s"),
        ("flows.tcp.control", '"cubic", "reno"', "tcp_control"),
        ("flows.tcp.name", '"one", "two"', "tcp_name"),
        ("dumbbell.bottleneck.rate", '"1 Mbit/s", "2 Mbit/s"', "bottleneck_rate_bps"),
    ],
)
def test_every_table_is_written_with_the_column_of_a_key(
    path: str, values: str, column: str, tmp_path: Path
) -> None:
    runs = swept(f'"{path}" = [{values}]\n').run_many(series=True)
    assert len(runs) == 2
    runs.write(tmp_path)
    for name in ("flows", "links", "groups", "summary", "series"):
        assert pl.read_parquet(tmp_path / f"{name}.parquet")[column].n_unique() == 2


def test_seeds_are_no_points(ackclock: Command, tmp_path: Path) -> None:
    file = tmp_path / "seeds.toml"
    file.write_text(f'{SHORT}\n[sweep]\n"seed" = [1, 2, 3]\n')
    made = ackclock("run", file, "--out", tmp_path / "out")
    assert made.code == 2
    assert "a sweep of `seed`" in made.err
    assert "`replications`" in made.err
    assert not (tmp_path / "out" / "runs").exists()


def test_a_swept_parameter_may_be_called_as_what_its_control_publishes() -> None:
    runs = Scenario.from_text(
        f'{SHORT}\n[sweep]\n"flows.tcp.control.window" = ["3 packets", "6 packets"]\n',
        {"flows.tcp.control": {"name": "steady"}},
        controls={"steady": Steady},
    ).run_many([1], series=True)
    rows = runs.series.filter(pl.col("kind") == "flow", pl.col("time_s") > 0.5)
    assert rows["window_packets"].unique().sort().to_list() == [3, 6]
    assert rows.filter(pl.col("window_packets") == 6)["series_window_packets"].unique().to_list() == [12]


def test_values_are_numbers_in_one_unit() -> None:
    scenario = swept(
        '"dumbbell.bottleneck.delay" = ["500 us", "2 ms"]\n"flows.tcp.count" = [1, 2]\n'
        '"flows.tcp.control" = ["reno", { name = "cubic", beta = 0.7 }]\n'
    )
    runs = scenario.run_many()
    for frame in (runs.flows, runs.links, runs.groups, runs.summary()):
        types = [frame.schema[name] for name in ("delay_s", "count", "tcp_control")]
        assert types == [pl.Float64, pl.Int64, pl.String]
    assert runs.summary()["delay_s"].unique().to_list() == [0.0005, 0.002]
    # A table is labelled by what differs.
    assert runs.summary()["tcp_control"][-1] == "cubic, 0.7"
    # As the file has it, in what is printed and in JSON.
    assert runs[0].point["dumbbell.bottleneck.delay"] == "500 us"


def test_two_results_go_below_each_other() -> None:
    first, second = (swept(f'"flows.tcp.count" = [{count}]\n').run_many() for count in (1, 3))
    assert pl.concat([first.groups, second.groups])["count"].to_list() == [1, 3]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("groups.tcp.goodput_bps", "groups.tcp.goodput_low_bps"),
        ("links.bottleneck.utilisation", "links.bottleneck.utilisation_low"),
        ("fairness", "fairness_low"),
    ],
)
def test_ends_of_intervals_keep_the_unit_at_the_end(name: str, column: str) -> None:
    assert bound(name, "low") == column
