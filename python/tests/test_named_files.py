"""Files that a scenario names: their text becomes part of it, and of what identifies its runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from ackclock import Scenario
from ackclock import _toml as toml
from ackclock._named_files import as_written, files_outside, names_in, with_files
from ackclock._store import Job
from ackclock.errors import InputError, ScenarioError
from ackclock.study.fingerprint import of_simulation
from ackclock.study.load import load_study

PATH = """
duration = "2 s"
[dumbbell]
rtt = "20 ms"
bottleneck = { rate = { trace = "traces/one.trace" } }
access = { rate = "1 Gbit/s" }
[[flows]]
control = "sack"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario file with its trace in a folder beside it."""
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "one.trace").write_text("1\n", encoding="utf-8")
    file = tmp_path / "path.toml"
    file.write_text(PATH, encoding="utf-8")
    return file


def key(file: Path) -> str:
    return Job(Scenario.from_file(file).text, str(file), {}, 1).key()


def test_a_trace_that_changes_is_another_run(scenario: Path) -> None:
    before, kept = key(scenario), Scenario.from_file(scenario)
    fast = kept.run(series=False).result["flows"][0]["goodput_bps"]
    trace = scenario.parent / "traces" / "one.trace"
    trace.write_text("2\n", encoding="utf-8")
    assert key(scenario) != before
    slow = Scenario.from_file(scenario).run(series=False).result["flows"][0]["goodput_bps"]
    # Half the opportunities.
    assert slow == pytest.approx(fast / 2, rel=0.05)
    assert kept.run(series=False).result["flows"][0]["goodput_bps"] == fast, "what was read stays"
    trace.write_text("1\n", encoding="utf-8")
    assert key(scenario) == before


def test_stored_runs_of_another_trace_are_not_taken(ackclock: Command, scenario: Path) -> None:
    run = ("run", scenario, "--out", scenario.parent / "out", "--json")
    outputs = [ackclock(*run).out]
    outputs.append(ackclock(*run).out)
    (scenario.parent / "traces" / "one.trace").write_text("2\n", encoding="utf-8")
    outputs.append(ackclock(*run).out)
    assert outputs[0] == outputs[1] != outputs[2]


def test_names_stand_in_overrides_and_sweeps_too(scenario: Path) -> None:
    (scenario.parent / "two.trace").write_text("2\n", encoding="utf-8")
    (scenario.parent / "three.trace").write_text("3\n", encoding="utf-8")
    swept = PATH + '[sweep]\n"dumbbell.bottleneck.rate.trace" = ["two.trace", "three.trace"]\n'
    scenario.write_text(swept, encoding="utf-8")
    assert set(toml.loads(Scenario.from_file(scenario).text)["files"]) == {
        "traces/one.trace",
        "two.trace",
        "three.trace",
    }
    assert len(Scenario.from_file(scenario).points()) == 2
    scenario.write_text(PATH, encoding="utf-8")
    changed = Scenario.from_file(scenario).with_overrides(
        {"dumbbell.bottleneck.rate": {"trace": "two.trace"}}
    )
    assert set(toml.loads(changed.text)["files"]) == {"traces/one.trace", "two.trace"}
    assert list(names_in({"a.trace": "x", "b": [{"trace": ["y", "z"]}], "files": {"trace": "no"}})) == [
        "x",
        "y",
        "z",
    ]


def test_text_of_any_kind_survives(tmp_path: Path) -> None:
    odd = 'a"b\\c\x7f\t\u00e9\U0001f600\n\n#'
    (tmp_path / "odd").write_text(odd, encoding="utf-8")
    text = with_files('rate = { trace = "odd" }\n', str(tmp_path / "s.toml"))
    assert toml.loads(text)["files"]["odd"]["text"] == odd
    assert with_files(text, str(tmp_path / "s.toml")) == text
    assert as_written(text) == as_written('rate = { trace = "odd" }\n') == 'rate = { trace = "odd" }\n'
    (tmp_path / "more").write_text("2\n", encoding="utf-8")
    more = with_files(text, str(tmp_path / "s.toml"), {"b.trace": "more"})
    assert set(toml.loads(more)["files"]) == {"odd", "more"}
    assert as_written(more) == as_written(text)
    assert with_files("= not TOML, with a trace", "s.toml") == "= not TOML, with a trace"


def test_mistakes_say_where(scenario: Path) -> None:
    trace = scenario.parent / "traces" / "one.trace"
    trace.write_text("1\n2\nthree\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as wrong:
        Scenario.from_file(scenario)
    assert str(wrong.value).startswith(
        f'{trace}:3:1: `dumbbell.bottleneck.rate.trace`: found "three", expected a time in whole'
    )
    trace.write_bytes(b"1\n\xff\n")
    with pytest.raises(InputError, match=r"one.trace:2:1: byte 0xff is not UTF-8"):
        Scenario.from_file(scenario)
    trace.unlink()
    with pytest.raises(
        ScenarioError, match=r'path.toml:5:33: .*the name "traces/one.trace" of a missing file'
    ):
        Scenario.from_file(scenario)
    # Lines of the scenario keep their numbers.
    trace.write_text("1\n", encoding="utf-8")
    scenario.write_text(PATH.replace('"sack"', '"sac"'), encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"path.toml:8:11: "):
        Scenario.from_file(scenario)


def leads_out(scenario: Path) -> dict[str, str]:
    """Names of one file outside of the scenario's folder, by how each leads there."""
    secret = scenario.parent.parent / "secret"
    secret.write_text("root:x:0:0\n", encoding="utf-8")
    (scenario.parent / "link").symlink_to(secret)
    (scenario.parent / "folder").symlink_to(secret.parent)
    return {"path": str(secret), "dots": "traces/../../secret", "link": "link", "folder": "folder/secret"}


@pytest.mark.parametrize("how", ["path", "dots", "link", "folder"])
def test_a_file_outside_of_the_folder_needs_an_option(scenario: Path, ackclock: Command, how: str) -> None:
    name = leads_out(scenario)[how]
    scenario.write_text(PATH.replace("traces/one.trace", name), encoding="utf-8")
    with pytest.raises(InputError, match=r"is outside the folder of .*--files-outside.*files_outside"):
        Scenario.from_file(scenario)
    refused = ackclock("run", scenario)
    assert refused.code == 2
    assert "is outside the folder" in refused.err
    assert "root:x" not in refused.err
    # With the option it is read: the mistake in it is reported.
    with (
        files_outside(),
        pytest.raises(ScenarioError, match=r":1:1: .*expected a time in whole milliseconds"),
    ):
        Scenario.from_file(scenario)
    allowed = ackclock("--files-outside", "run", scenario)
    assert allowed.code == 2
    assert "expected a time in whole milliseconds" in " ".join(allowed.err.split())
    with pytest.raises(InputError, match="is outside the folder"):
        Scenario.from_file(scenario)


def test_a_mistake_in_a_file_outside_is_reported_without_its_text(scenario: Path) -> None:
    leads_out(scenario)
    for name in (str(scenario.parent.parent / "secret"), "../secret"):
        scenario.write_text(PATH.replace("traces/one.trace", name), encoding="utf-8")
        with files_outside(), pytest.raises(ScenarioError) as wrong:
            Scenario.from_file(scenario)
        assert "secret:1:1" in str(wrong.value)
        assert "root:x" not in str(wrong.value)


def test_files_below_the_folder_and_names_through_it_are_inside(scenario: Path) -> None:
    for name in ("traces/one.trace", "./traces/one.trace", f"../{scenario.parent.name}/traces/one.trace"):
        scenario.write_text(PATH.replace("traces/one.trace", name), encoding="utf-8")
        assert Scenario.from_file(scenario).text


def test_a_study_may_not_name_files_outside_either(study_file: Path) -> None:
    (study_file.parent.parent / "far.trace").write_text("1\n", encoding="utf-8")
    text = study_file.read_text(encoding="utf-8")
    traced = text.replace(
        "[[cases]]", '[[cases]]\noverrides = { "dumbbell.bottleneck.rate" = { trace = "../far.trace" } }', 1
    )
    study_file.write_text(traced, encoding="utf-8")
    with pytest.raises(InputError, match="is outside the folder"):
        load_study(str(study_file))
    with files_outside():
        assert load_study(str(study_file)).scenario.text.endswith('text = "1\\n"\n')


def test_a_study_is_another_one_when_its_trace_changes(study_file: Path) -> None:
    text = study_file.read_text(encoding="utf-8")
    (study_file.parent / "study.trace").write_text("1\n", encoding="utf-8")
    traced = text.replace(
        "[[cases]]", '[[cases]]\noverrides = { "dumbbell.bottleneck.rate" = { trace = "study.trace" } }', 1
    )
    assert traced != text
    plain = of_simulation(load_study(str(study_file)).study)
    study_file.write_text(traced, encoding="utf-8")
    first = load_study(str(study_file))
    assert toml.loads(first.scenario.text)["files"]["study.trace"]["text"] == "1\n"
    (study_file.parent / "study.trace").write_text("2\n", encoding="utf-8")
    assert len({plain, of_simulation(first.study), of_simulation(load_study(str(study_file)).study)}) == 3


def test_a_file_of_sizes_is_taken_along_and_gives_tables_of_transfers(tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("1000 50\n20000 100\n", encoding="utf-8")
    (tmp_path / "scenario.toml").write_text(
        'duration = "3 s"\n[dumbbell]\nbottleneck = { rate = "10 Mbit/s", delay = "5 ms" }\n'
        'access = { rate = "1 Gbit/s", delay = "1 ms" }\n[observe]\ntransfers = true\nsize_classes = ["1 kB"]\n'
        '[[flows]]\nname = "short"\ncontrol = "cubic"\n'
        'application = { name = "transfers", sizes = "sizes.txt", count = 20, every = "100 ms" }\n',
        encoding="utf-8",
    )
    runs = Scenario.from_file(tmp_path / "scenario.toml").run_many(replications=2)
    columns = ["seed", "flow", "size_bytes", "start_s", "completion_s", "retransmitted_packets"]
    assert runs.transfers.columns == columns
    assert len(runs.transfers) == 40
    assert len(runs[0].transfers) == 20
    assert runs[0].size_classes["up_to_bytes"].to_list() == [1000, None]
    assert runs.size_classes["transfers"].sum() == 40
    written = {path.name for path in runs.write(tmp_path / "out")}
    assert {"transfers.csv", "size_classes.parquet"} <= written
