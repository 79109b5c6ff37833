"""Scenarios and runs as a notebook meets them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import SCENARIO

import ackclock
from ackclock import InputError, Scenario, ScenarioError, schemas
from ackclock import _toml as toml
from ackclock.run import Runs
from ackclock.schemas.run import FlowRecord, LinkRecord, Result


def test_names_that_the_package_promises() -> None:
    for name in ackclock.__all__:
        assert getattr(ackclock, name) is not None
    assert set(ackclock.__all__) <= set(dir(ackclock))
    with pytest.raises(AttributeError, match="no attribute 'Scenarios'"):
        _ = ackclock.Scenarios


def test_distributions_are_lists_and_left_out_of_csv(scenario_file: Path, tmp_path: Path) -> None:
    overrides = {"observe.distributions": True}
    run = Scenario.from_file(scenario_file, overrides=overrides).run(seed=3)
    (quantiles,) = run.links.filter(pl.col("name") == "bottleneck")["wait_quantiles_s"].to_list()
    assert len(quantiles) == len(run.document["probabilities"])
    Runs([run]).write(tmp_path)
    assert "wait_quantiles_s" in pl.read_parquet(tmp_path / "links.parquet").columns
    assert "wait_quantiles_s" not in pl.read_csv(tmp_path / "links.csv").columns


def test_one_run_is_four_data_frames(scenario_file: Path) -> None:
    run = Scenario.from_file(scenario_file).run(seed=3)
    assert run.seed == 3
    assert run.scenario == "Two flows through 1 Mbit/s"
    assert run.flows["name"].to_list() == ["tcp-1", "tcp-2"]
    # What only web sessions have is there only where there are some.
    for frame, record in ((run.flows, FlowRecord), (run.links, LinkRecord)):
        assert frame.columns == [name for name, field in record.model_fields.items() if field.is_required()]
    assert "bottleneck" in run.links["name"].to_list()
    assert run.groups.select("name", "flows").rows() == [("tcp", 2)]
    assert run.fairness is not None
    assert 0.5 <= run.fairness <= 1
    assert run.groups["goodput_bps"][0] == pytest.approx(run.flows["goodput_bps"].sum())


def test_series_are_one_frame(scenario_file: Path) -> None:
    series = Scenario.from_file(scenario_file).run().series
    cwnd = series.filter(pl.col("name") == "tcp-1")
    assert cwnd["cwnd_packets"].max() > 1
    assert cwnd["time_s"].is_sorted()
    queue = series.filter(kind="link", name="bottleneck")
    assert queue["queue_packets"].max() <= 20
    assert queue["cwnd_packets"].null_count() == len(queue)
    assert Scenario.from_file(scenario_file).run(series=False).series.is_empty()


def test_a_run_repeats_exactly() -> None:
    scenario = Scenario.from_text(SCENARIO)
    assert scenario.run(seed=5).to_json() == scenario.run(seed=5).to_json()
    assert scenario.run(seed=5).to_json() != scenario.run(seed=6).to_json()


def test_a_column_has_the_type_that_is_declared() -> None:
    flows = Scenario.from_text(SCENARIO).run(series=False).flows
    # No flow completes: a column of nulls is one of numbers all the same.
    assert flows["completed_s"].null_count() == len(flows)
    assert flows.schema["completed_s"] == pl.Float64
    assert flows.schema["sent_packets"] == pl.Int64
    described = schemas.schema("run")["$defs"]["FlowRecord"]["properties"]["completed_s"]
    assert described["unit"] == "s"
    assert "the last of the flow's data was acknowledged" in described["description"]


def test_documents_are_as_published() -> None:
    Result.model_validate(Scenario.from_text(SCENARIO).run().document)


def test_overrides() -> None:
    scenario = Scenario.from_text(SCENARIO, overrides={"flows.tcp.count": 3})
    assert len(scenario.run().flows) == 3
    assert len(scenario.with_overrides({"flows.tcp.count": 4}).run().flows) == 4
    assert len(scenario.run().flows) == 3


def test_many_runs() -> None:
    runs = Scenario.from_text(SCENARIO).run_many(replications=3)
    assert [run.seed for run in runs] == [1, 2, 3]
    assert runs.flows["seed"].to_list() == [1, 1, 2, 2, 3, 3]
    assert runs[1].to_json() == Scenario.from_text(SCENARIO).run(seed=2, series=False).to_json()
    assert len(runs[1:]) == 2
    assert Scenario.from_text(SCENARIO + "\n").run_many([7])[0].seed == 7


def test_sweeps() -> None:
    scenario = Scenario.from_text(SCENARIO + '\n[sweep]\n"flows.tcp.count" = [1, 4]\n')
    assert [len(point.run().flows) for point in scenario.points()] == [1, 4]
    runs = scenario.run_many([1, 2])
    assert runs.groups.select("seed", "count", "flows").rows() == [
        (1, 1, 1),
        (2, 1, 1),
        (1, 4, 4),
        (2, 4, 4),
    ]
    assert len(Scenario.from_text(SCENARIO).points()) == 1


def test_what_would_not_fit_in_memory_is_refused() -> None:
    with pytest.raises(InputError, match="100,001 runs exceed the limit of 100,000 runs in memory"):
        Scenario.from_text(SCENARIO).run_many(replications=100_001)
    with pytest.raises(
        InputError, match="replications: found 1000000000000, expected a whole number from 1 to 10000000"
    ):
        Scenario.from_text(SCENARIO).run_many(replications=10**12)
    with pytest.raises(InputError, match="expected a whole number from 0 to 9007199254740991"):
        Scenario.from_text(SCENARIO).run(seed=2**70)


def test_results_on_disk(tmp_path: Path) -> None:
    runs = Scenario.from_text(SCENARIO).run_many(replications=2, series=True, out=tmp_path)
    written = {path.name for path in runs.write(tmp_path)}
    assert written == {
        f"{name}.{kind}"
        for name in ("flows", "links", "groups", "summary", "series")
        for kind in ("csv", "parquet")
        if (name, kind) != ("series", "csv")
    }
    assert pl.read_parquet(tmp_path / "flows.parquet").equals(runs.flows)
    assert pl.read_csv(tmp_path / "flows.csv")["name"].to_list() == runs.flows["name"].to_list()


def test_the_network_obeys_physics() -> None:
    assert Scenario.from_text(SCENARIO).verify() == []


def test_mistakes_are_shown_with_their_place() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_text('duratoin = "1 s"\n' + SCENARIO, file="mine.toml")
    assert "mine.toml:1:1" in str(caught.value)
    assert "duration" in str(caught.value)
    assert caught.value.diagnostics[0]["line"] == 1


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        Scenario.from_file(tmp_path / "none.toml")


def test_runs_show_themselves_in_a_notebook() -> None:
    runs = Scenario.from_text(SCENARIO, {"duration": "1 s"}).run_many(replications=2)
    assert "<table" in runs._repr_html_()
    assert runs[0]._repr_html_().count("<table") == 2


def test_a_dictionary_is_a_scenario() -> None:
    document = toml.loads(SCENARIO)
    assert (
        Scenario.from_dict(document).run(seed=1).to_json()
        == Scenario.from_text(SCENARIO).run(seed=1).to_json()
    )
    with pytest.raises(ScenarioError, match="duration"):
        Scenario.from_dict({**document, "duration": "10 parsecs"})
    with pytest.raises(InputError, match="contains a value that TOML cannot represent"):
        Scenario.from_dict({**document, "warmup": None})
