"""The command line: every command, its documents, its exit codes, its words."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import DERIVED, SCENARIO, STUDY, Command, replaced

from ackclock import cli
from ackclock.errors import Interrupted, RunError
from ackclock.evaluation import files
from ackclock.schemas import KINDS, schema
from ackclock.study.load import study_names

SLOW_DUALPI2 = """
duration = "1 s"
[dumbbell]
bottleneck = { rate = "12 Mbit/s", delay = "8 ms", queue = "dualpi2" }
access = { rate = "1 Gbit/s", delay = "1 ms" }
[[flows]]
control = "cubic"
"""


def valid(text: str, of: str) -> Any:
    """The one JSON document in ``text``, which agrees with its published schema."""
    document = json.loads(text)
    jsonschema.validate(document, schema(of), cls=jsonschema.Draft202012Validator)
    return document


class TestRun:
    def test_tables(self, ackclock: Command, scenario_file: Path) -> None:
        outcome = ackclock("run", scenario_file)
        assert outcome.code == 0
        assert "Two flows through 1 Mbit/s, seed 1" in outcome.out
        assert "tcp-2" in outcome.out
        assert "bottleneck" in outcome.out
        assert outcome.err == ""

    def test_json(self, ackclock: Command, scenario_file: Path) -> None:
        outcome = ackclock("run", scenario_file, "--seed", "4", "--json")
        document = valid(outcome.out, "run")
        assert document["seed"] == 4
        assert document["scenario"] == "Two flows through 1 Mbit/s"
        assert [flow["name"] for flow in document["flows"]] == ["tcp-1", "tcp-2"]
        assert document["points"] is None
        assert document["series"] is None

    def test_json_of_replications(self, ackclock: Command, scenario_file: Path) -> None:
        document = valid(ackclock("run", scenario_file, "--replications", "3", "--json").out, "run")
        (point,) = document["points"]
        assert [run["seed"] for run in point["runs"]] == [1, 2, 3]
        assert point["summary"]["groups.tcp.goodput_bps"]["samples"] == 3
        goodputs = [sum(flow["goodput_bps"] for flow in run["flows"]) / 2 for run in point["runs"]]
        assert point["summary"]["groups.tcp.goodput_bps"]["mean"] == pytest.approx(sum(goodputs) / 3)

    def test_replications_as_a_table(self, ackclock: Command, scenario_file: Path) -> None:
        outcome = ackclock("run", scenario_file, "--replications", "3", "--seed", "5")
        assert "seeds 5 to 7" in outcome.out
        assert "±" in outcome.out

    def test_out(self, ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
        outcome = ackclock("run", scenario_file, "--series", "--out", "results")
        assert f"wrote {Path('results/flows.csv')}" in outcome.out
        assert (tmp_path / "results/series.parquet").exists()
        assert list((tmp_path / "results/runs").rglob("*.run.zip"))
        assert not (tmp_path / "ackclock-results").exists()

    def test_finished_runs_are_kept(self, ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
        first = ackclock("run", scenario_file, "--json")
        assert len(list((tmp_path / "ackclock-results/runs").rglob("*.run.zip"))) == 1
        assert ackclock("run", scenario_file, "--json") == first

    def test_results_go_to_one_stated_place(
        self, ackclock: Command, scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """To --out, else where the environment says, else to the home folder; never wherever one stands."""
        home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.delenv("ACKCLOCK_RESULTS")
        outcome = ackclock("run", scenario_file, "--html")
        assert "wrote ~/ackclock-results/small.html" in outcome.out
        assert "runs cached in ~/ackclock-results/runs" in outcome.out
        assert (home / "ackclock-results/small.html").exists()
        monkeypatch.setenv("ACKCLOCK_RESULTS", str(tmp_path / "named"))
        assert f"runs cached in {tmp_path / 'named/runs'}" in ackclock("run", scenario_file).out
        assert "runs kept" not in ackclock("run", scenario_file, "--out", tmp_path / "given").out
        assert list((tmp_path / "given/runs").rglob("*.run.zip"))
        assert not list(elsewhere.iterdir())

    def test_figures_of_a_scenario(self, ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
        outcome = ackclock("run", scenario_file, "--figures", "pdf", "--figures", "csv", "--out", "results")
        assert outcome.code == 0, outcome.err
        names = {path.name for path in (tmp_path / "results/figures").iterdir()}
        assert len(names) == 8
        assert all(f"wrote {Path('results/figures') / name}" in outcome.out for name in names)
        assert {Path(name).suffix for name in names} == {".pdf", ".csv"}
        wrong = ackclock("run", scenario_file, "--figures", "docx")
        assert (wrong.code, wrong.out) == (2, "")
        assert '--figures: found "docx", expected one of pdf, svg, png, csv' in wrong.err

    def test_figures_of_a_sweep(self, ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
        scenario_file.write_text(SCENARIO + '\n[sweep]\n"flows.tcp.count" = [1, 2]\n')
        outcome = ackclock("run", scenario_file, "--figures", "csv", "--out", "results")
        assert outcome.code == 0, outcome.err
        names = [path.stem for path in (tmp_path / "results/figures").iterdir()]
        over_time = [[name for name in names if name.endswith(f"-point-{number}")] for number in (1, 2)]
        assert len(over_time[0]) == len(over_time[1]) > 0
        assert len(names) > 2 * len(over_time[0])

    def test_a_sweep(self, ackclock: Command, scenario_file: Path) -> None:
        scenario_file.write_text(SCENARIO + '\n[sweep]\n"flows.tcp.count" = [1, 30]\n')
        outcome = ackclock("run", scenario_file)
        assert [line.split()[0] for line in outcome.out.splitlines()[1:6]][-3:] == ["count", "1", "30"]
        document = valid(ackclock("run", scenario_file, "--json").out, "run")
        assert [point["overrides"] for point in document["points"]] == [
            {"flows.tcp.count": 1},
            {"flows.tcp.count": 30},
        ]

    def test_wrong_scenarios(self, ackclock: Command, scenario_file: Path) -> None:
        scenario_file.write_text('duratoin = "1 s"\n' + SCENARIO)
        for arguments in (["run", scenario_file, "--json"], ["check", scenario_file]):
            outcome = ackclock(*arguments)
            assert (outcome.code, outcome.out) == (2, "")
            assert "small.toml:1:1" in outcome.err
            assert "Traceback" not in outcome.err

    def test_missing_files(self, ackclock: Command) -> None:
        for command in ("run", "check"):
            outcome = ackclock(command, "none.toml")
            assert (outcome.code, outcome.out) == (2, "")
            assert "none.toml: No such file" in outcome.err

    def test_files_that_are_something_else(
        self, ackclock: Command, scenario_file: Path, study_file: Path, tmp_path: Path
    ) -> None:
        for arguments, message in (
            (("run", study_file), f"is a study, not a scenario; `ackclock reproduce {study_file}` runs it"),
            (("reproduce", scenario_file), "is a scenario, not a study; `ackclock run small.toml` runs it"),
            (("run", tmp_path), "is a folder, expected a TOML file such as"),
            (("run", "smal.toml"), 'error: smal.toml: No such file; did you mean "small.toml"?'),
            (("run", "nope.toml"), "error: nope.toml: No such file"),
            (("reproduce", "rbcc/table-4.1.toml"), "the study is called rbcc/table-4.1"),
        ):
            outcome = ackclock(*arguments)
            assert (outcome.code, outcome.out) == (2, "")
            assert message in " ".join(outcome.err.split())

    def test_replications_that_are_all_equal(self, ackclock: Command, scenario_file: Path) -> None:
        scenario_file.write_text(replaced(SCENARIO, ('start = { uniform = ["0 s", "0.5 s"] }\n', "")))
        assert (
            "the seed has no effect on this scenario"
            in ackclock("run", scenario_file, "--replications", "2").out
        )

    @pytest.mark.parametrize(
        "option",
        [
            ["--seed", "-1"],
            ["--replications", "0"],
            ["--seed", "1e3"],
            ["--sed", "1"],
        ],
    )
    def test_wrong_options(self, ackclock: Command, scenario_file: Path, option: list[str]) -> None:
        outcome = ackclock("run", scenario_file, *option)
        assert (outcome.code, outcome.out) == (2, "")
        assert option[0] in outcome.err

    def test_more_runs_than_memory_holds(self, ackclock: Command, scenario_file: Path) -> None:
        outcome = ackclock("run", scenario_file, "--replications", "200000", "--json")
        assert (outcome.code, outcome.out) == (2, "")
        assert "200,000 runs; --json, --html, --series, --figures and --plot support at most" in outcome.err
        outcome = ackclock("run", scenario_file, "--replications", "20000000")
        assert (outcome.code, outcome.out) == (2, "")
        assert "replications: found 20000000, expected a whole number from 1 to 10000000" in outcome.err

    def test_a_disk_that_takes_nothing(self, ackclock: Command, scenario_file: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        outcome = ackclock("run", scenario_file, "--out", "file")
        assert (outcome.code, outcome.out) == (2, "")
        assert "error: --out: file: " in outcome.err


class TestReproduce:
    def test_tables_and_report(self, ackclock: Command, study_file: Path, tmp_path: Path) -> None:
        outcome = ackclock("reproduce", study_file, "--quick", "--out", "results")
        assert outcome.code == 0
        for words in ("Few flows and many", "Dahal (2007), Table 0.0", "8 flows", "not as printed"):
            assert words in outcome.out
        assert "1 as printed, 1 not as printed" in outcome.out
        assert "interpretations that change the result of a claim: 1" in outcome.out
        (report,) = (tmp_path / "results").glob("*.html")
        assert report.name in outcome.out
        assert "Few flows and many" in report.read_text()
        assert outcome.err == ""

    def test_json(self, ackclock: Command, study_file: Path, tmp_path: Path) -> None:
        outcome = ackclock("reproduce", study_file, "--json")
        document = valid(outcome.out, "reproduce")
        (study,) = document["studies"]
        assert study["source"]["item"] == "Table 0.0"
        assert {"id", "text", "paper", "measured", "interval", "verdict"} <= set(study["claims"][0])
        assert [claim["accepted"] for claim in study["claims"]] == [[3.999, 4.001], [None, 0]]
        assert study["precision"] is None
        assert [claim["verdict"] for claim in study["claims"]] == ["as printed", "not as printed"]
        assert Path(document["report"]).exists()
        assert outcome.err == ""

    def test_precision(self, ackclock: Command, study_file: Path) -> None:
        precision = 'precision = { within = "0.01 %", metrics = ["goodput"], replications_most = 4 }'
        study_file.write_text(replaced(STUDY, ("replications = 3\n", f"replications = 3\n{precision}\n")))
        outcome = ackclock("reproduce", study_file)
        assert "less precise than requested: goodput('" in outcome.out
        document = valid(ackclock("reproduce", study_file, "--json").out, "reproduce")
        assert not document["studies"][0]["precision"]["reached"]
        assert document["studies"][0]["replications"] == 4
        report = Path(document["report"]).read_text()
        assert "After 4 seeds less precise than requested" in report

    def test_narrow_terminals(
        self, ackclock: Command, study_file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from rich.console import Console

        for width in (60, 80, 140):
            monkeypatch.setattr(
                "ackclock.cli.reproduce_text.console",
                lambda width=width: Console(highlight=False, width=width),
            )
            out = ackclock("reproduce", study_file, "--quick").out
            assert max(len(line) for line in out.splitlines()) <= width
            assert ("published 4, measured 4 ± 0" in out) == (width < 100)
            assert "a quick run" in out

    def test_a_control_and_a_scenario_of_an_evaluation_are_checked(
        self, ackclock: Command, tmp_path: Path
    ) -> None:
        own = tmp_path / "gentle.py"
        own.write_text("from ackclock.controls import Cubic\n\n\nclass Gentle(Cubic):\n    pass\n")
        assert ackclock("check", own).out.endswith("valid control in Python: Gentle\n")
        own.write_text("class Gentle:\n    pass\n")
        assert ackclock("check", own).code == 2
        scenario = files.folder() / "N-03.toml"
        assert "valid scenario of an evaluation: 24 settings" in " ".join(
            ackclock("check", scenario).out.split()
        )

    def test_a_base_is_no_study(self, ackclock: Command, derived_file: Path) -> None:
        base = derived_file.with_name("small.base.toml")
        assert ackclock("reproduce", derived_file, "--quick").code == 0
        assert "not a study but a base, a file whose keys several studies inherit" in " ".join(
            ackclock("reproduce", base).err.split()
        )
        assert "valid base file of studies: a scenario, 2 assumptions" in ackclock("check", base).out
        assert "valid study: 2 cases" in ackclock("check", derived_file).out
        base.write_text(replaced(base.read_text(), ("replications", "replicatoins")))
        for file in (base, derived_file):
            outcome = ackclock("check", file)
            assert outcome.code == 2
            assert (
                'small.base.toml:2:1: replicatoins: unknown key; did you mean "replications"?' in outcome.err
            )

    def test_what_reverses_a_claim(self, ackclock: Command, study_file: Path) -> None:
        study_file.write_text(replaced(STUDY, ('against = "The title.", ', 'evidence = "The text.", ')))
        out = " ".join(ackclock("reproduce", study_file).out.split())
        assert (
            "Other interpretations: 1 of 1 reverses the result: Number of flows; 0 of 1 robustness checks would"
            in out
        )
        assert "1 as printed, 1 not as printed" in out
        assert "Number of flows 6 and 6 1 count the bits (a robustness check) undecided: 1" in out

    def test_what_readings_leave_undecided(self, ackclock: Command, study_file: Path) -> None:
        study_file.write_text(
            replaced(
                STUDY,
                (
                    'quick = { replications = 2, overrides = { "duration" = "3 s" } }',
                    "quick = { replications = 8 }",
                ),
                ('expect = "< 0"', 'expect = "> 0.5"'),
            )
        )
        out = " ".join(ackclock("reproduce", study_file, "--quick").out.split())
        assert (
            "Other interpretations of what the publication leaves open: 2 "
            "interpretations that change the result of a claim: 1 "
            "interpretations that make a claim undecided: 2 "
            "Interpretations that change the result of a claim or make a claim undecided, each with the claim ids: "
            "Number of flows 6 and 6 (2 seeds) (evidence against it: The title.) 1; undecided: 2 count the bits "
            "(a robustness check) undecided: 1"
        ) in out

    def test_no_sensitivity(self, ackclock: Command, study_file: Path) -> None:
        outcome = ackclock("reproduce", study_file, "--quick", "--no-sensitivity", "--json")
        assert valid(outcome.out, "reproduce")["studies"][0]["sensitivity"] == []

    def test_figures_of_a_study(self, ackclock: Command, study_file: Path, tmp_path: Path) -> None:
        outcome = ackclock("reproduce", study_file, "--quick", "--no-sensitivity", "--figures", "csv")
        folder = tmp_path / "ackclock-results/figures"
        assert f"figures {Path('ackclock-results/figures')} (3 files)" in outcome.out
        assert sorted(path.name for path in folder.iterdir()) == [
            "small-study-cwnd.csv",
            "small-study-flows_seen.csv",
            "small-study-goodput.csv",
        ]

    def test_several_studies_are_added_up(self, ackclock: Command, study_file: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.toml"
        other.write_text(replaced(STUDY, ("Few flows and many", "Another title")))
        outcome = ackclock("reproduce", study_file, other, "--quick")
        last = [line.split() for line in outcome.out.splitlines() if line.startswith("all")]
        assert last == [["all", "2", "2"]]
        assert outcome.out.count("8 flows") == 2
        report = tmp_path / "ackclock-results/report"
        assert f"report  {Path('ackclock-results/report/index.html')}" in outcome.out
        assert sorted(path.name for path in report.glob("*.html")) == [
            "index.html",
            "other.html",
            "small-study.html",
        ]

    def test_of_many_studies_the_misses_are_shown(
        self, ackclock: Command, study_file: Path, tmp_path: Path
    ) -> None:
        files = [tmp_path / f"other-{number}.toml" for number in range(4)]
        for file in files:
            file.write_text(replaced(STUDY, ("Few flows and many", f"Title of {file.stem}")))
        outcome = ackclock("reproduce", *files, "--quick")
        assert "8 flows" not in outcome.out
        assert outcome.out.count("No packet arrives") == 4
        assert "Title of other-3" in outcome.out
        document = valid(ackclock("reproduce", *files, "--quick", "--json").out, "reproduce")
        counts = {"as printed": 4, "not as printed": 4}
        assert document["verdicts"] == counts
        assert document["theses"] == [
            {"thesis": "rbcc", "about": "baselines", "studies": 4, "verdicts": counts}
        ]

    def test_a_study_that_fails_late_leaves_the_others(
        self, ackclock: Command, study_file: Path, tmp_path: Path
    ) -> None:
        wrong = tmp_path / "wrong.toml"
        # Only the run tells that it is no percentage.
        late = "percentile(flows.goodput_bps, flow('tcp-1').goodput_bps)"
        wrong.write_text(replaced(STUDY, ("sum(flows.goodput_bps) / 1e6", late)))
        outcome = ackclock("reproduce", wrong, study_file, "--quick")
        assert outcome.code == 2
        assert "1 as printed, 1 not as printed" in outcome.out
        assert "1 of 2 studies failed and are missing from the report:" in outcome.err
        assert 'wrong.toml: metric "goodput": expected a percentile from 0 to 100' in outcome.err
        assert (tmp_path / "ackclock-results/report.html").exists()
        alone = ackclock("reproduce", wrong, "--quick")
        assert (alone.code, alone.out) == (2, "")
        assert 'metric "goodput"' in alone.err

    def test_wrong_studies(self, ackclock: Command, study_file: Path) -> None:
        study_file.write_text(replaced(STUDY, ("replications = 3", "replicatoins = 3")))
        outcome = ackclock("reproduce", study_file, "--json")
        assert (outcome.code, outcome.out) == (2, "")
        assert 'did you mean "replications"' in outcome.err

    @pytest.mark.parametrize("arguments", [[], ["rbcc/tabel-4.1"], ["rbbc"]])
    def test_nothing_to_reproduce(self, ackclock: Command, arguments: list[str]) -> None:
        outcome = ackclock("reproduce", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert "ackclock list studies" in outcome.err

    def test_all_and_some(self, ackclock: Command) -> None:
        outcome = ackclock("reproduce", "--all", "rbcc")
        assert (outcome.code, outcome.out) == (2, "")
        assert "expected only one of the two" in outcome.err

    def test_capitals(self, ackclock: Command) -> None:
        assert 'did you mean "rbcc"?' in ackclock("reproduce", "RBCC").err


class TestList:
    def test_everything(self, ackclock: Command) -> None:
        entries = valid(ackclock("list", "--json").out, "list")
        assert {"control", "queue", "study"} <= {entry["kind"] for entry in entries}
        for entry in entries:
            assert entry["summary"]
            assert entry["source"]

    def test_one_kind(self, ackclock: Command) -> None:
        entries = valid(ackclock("list", "controls", "--json").out, "list")
        assert {entry["kind"] for entry in entries} == {"control"}
        assert "newreno" in [entry["name"] for entry in entries]
        assert valid(ackclock("list", "control", "--json").out, "list") == entries

    def test_studies(self, ackclock: Command) -> None:
        entries = valid(ackclock("list", "studies", "--json").out, "list")
        assert [entry["name"] for entry in entries] == study_names()
        assert "rbcc/table-4.1" in ackclock("list", "studies").out

    def test_one_entry(self, ackclock: Command) -> None:
        (entry,) = valid(ackclock("list", "controls", "rbcc", "--json").out, "list")
        text = ackclock("list", "rbcc").out
        assert text == ackclock("list", "controls", "rbcc").out
        assert entry["source"] in " ".join(text.split())
        for parameter in entry["parameters"]:
            assert parameter["name"] in text

    def test_keys(self, ackclock: Command) -> None:
        """Each key of the language, with what may be written and what holds without it."""
        from ackclock import _typed_core as core

        every = ackclock("list", "keys").out
        for table in core.tables():
            shown = ackclock("list", "keys", table["name"]).out
            for key in table["keys"]:
                assert any(line.split()[:1] == [key["name"]] for line in shown.splitlines()), key["name"]
            assert shown.strip() in every
        refused = ackclock("list", "keys", "--json")
        assert (refused.code, refused.out) == (2, "")

    def test_all_as_text(self, ackclock: Command) -> None:
        text = ackclock("list").out
        for words in ("controls", "queues", "studies", "newreno", "rbcc/table-4.1"):
            assert words in text

    @pytest.mark.parametrize(
        ("arguments", "hint"),
        [
            (["contrls"], '"controls"'),
            (["controls", "newrino"], '"newreno"'),
            (["rbbc"], '"rbcc"'),
            (["keys", "flow"], '"flows"'),
        ],
    )
    def test_unknown_names(self, ackclock: Command, arguments: list[str], hint: str) -> None:
        outcome = ackclock("list", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert f"did you mean {hint}?" in outcome.err


class TestCheckAndSchema:
    def test_good_files(self, ackclock: Command, scenario_file: Path, study_file: Path) -> None:
        assert "valid: 2 flows" in ackclock("check", scenario_file).out
        assert (
            "valid study: 2 cases, 2 metrics, 2 claims, at least 6 runs" in ackclock("check", study_file).out
        )

    def test_what_is_hardly_meant_is_told_and_done(self, ackclock: Command, tmp_path: Path) -> None:
        file = tmp_path / "slow.toml"
        file.write_text(SLOW_DUALPI2)
        for arguments in (["check", file], ["run", file, "--json"]):
            outcome = ackclock(*arguments)
            assert outcome.code == 0
            assert "warning:" in outcome.err
            assert (
                "dualpi2 at link bottleneck: the ramp (ramp_start + ramp_range) ends at 1.2 ms" in outcome.err
            )
            assert "warning" not in outcome.out
        file.write_text(replaced(SLOW_DUALPI2, ("12 Mbit/s", "40 Mbit/s")))
        assert ackclock("check", file).err == ""

    def test_a_study_with_a_wrong_scenario(self, ackclock: Command, study_file: Path) -> None:
        study_file.write_text(replaced(STUDY, ('control = "newreno"', 'control = "newrino"')))
        outcome = ackclock("check", study_file)
        assert outcome.code == 2
        line = STUDY.splitlines().index('control = "newreno"') + 1
        assert f"small-study.toml:{line}:" in outcome.err
        assert "newreno" in outcome.err

    @pytest.mark.parametrize("kind", KINDS)
    def test_schemas_are_schemas(self, ackclock: Command, kind: str) -> None:
        outcome = ackclock("schema", "--of", kind)
        jsonschema.Draft202012Validator.check_schema(json.loads(outcome.out))
        if kind == "scenario":
            assert ackclock("schema").out == outcome.out

    def test_the_schemas_accept_what_is_good_and_refuse_what_is_not(self) -> None:
        from ackclock import _toml as toml

        jsonschema.validate(toml.loads(STUDY), schema("study"))
        jsonschema.validate(toml.loads(DERIVED), schema("study"))
        jsonschema.validate(toml.loads(SCENARIO), schema("scenario"))
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**toml.loads(STUDY), "titel": "x"}, schema("study"))
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**toml.loads(SCENARIO), "duratoin": "1 s"}, schema("scenario"))

    def test_findings_have_one_schema(self) -> None:
        first, *others = (schema(of)["$defs"]["FindingRecord"] for of in ("reproduce", "evaluate", "search"))
        assert others == [first, first]
        assert {"measured", "low", "high", "result", "estimate", "interval"} <= set(first["required"])

    def test_unknown_schema(self, ackclock: Command) -> None:
        outcome = ackclock("schema", "--of", "scenaroi")
        assert (outcome.code, outcome.out) == (2, "")
        assert '"scenario"' in outcome.err


class TestHelp:
    @pytest.mark.parametrize("command", ["run", "reproduce", "list", "check", "schema"])
    def test_every_command_has_an_example(self, ackclock: Command, command: str) -> None:
        outcome = ackclock(command, "--help")
        assert outcome.code == 0
        assert f"ackclock {command}" in outcome.out.split("Example")[1]

    def test_no_arguments_show_the_help(self, ackclock: Command) -> None:
        assert "reproduce rbcc/table-4.1" in ackclock().out

    def test_version(self, ackclock: Command) -> None:
        assert ackclock("--version").out.startswith("ackclock 0.")

    def test_help_imports_nothing_heavy(self) -> None:
        """Import time is what `--help` costs; what is imported is a measure that does not depend on the machine."""
        code = (
            "import sys; from ackclock.cli import invoke; invoke(['--help']);"
            "print([m for m in ('numpy', 'polars', 'scipy', 'plotly', 'pydantic', 'jinja2') if m in sys.modules])"
        )
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert out.splitlines()[-1] == "[]"

    @pytest.mark.parametrize("command", ["check", "run"])
    def test_a_wrong_scenario_is_refused_without_the_libraries_for_tables(
        self, scenario_file: Path, command: str
    ) -> None:
        scenario_file.write_text(scenario_file.read_text().replace('rate = "1 Mbit/s"', 'rate = "1 Mbt/s"'))
        assert refused_with(command, scenario_file) == []

    def test_what_is_wrong_in_a_quick_run_alone_is_found(self, ackclock: Command, study_file: Path) -> None:
        study_file.write_text(replaced(STUDY, ('"duration" = "3 s" }', '"duration" = "3" }')))
        outcome = ackclock("check", study_file)
        assert outcome.code == 2
        assert '`duration`: found "3"' in outcome.err

    @pytest.mark.parametrize("command", ["check", "reproduce"])
    def test_so_is_a_wrong_study(self, study_file: Path, command: str) -> None:
        study_file.write_text(replaced(STUDY, ("replications = 3", "replicatoins = 3")))
        assert refused_with(command, study_file) == []


def refused_with(command: str, file: Path) -> list[str]:
    """Which of the libraries that take long to load a command has loaded when it has refused a file."""
    code = (
        f"import sys; from ackclock.cli import invoke; code = invoke(['{command}', {str(file)!r}]); assert code == 2;"
        "print(*(m for m in ('numpy', 'polars', 'scipy', 'plotly', 'jinja2') if m in sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return out.split()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RunError("no"), 1),
        (Interrupted(3, 9, Path("runs")), 130),
        (KeyboardInterrupt(), 130),
        (OSError("full"), 1),
    ],
)
def test_exit_codes(
    error: BaseException, code: int, ackclock: Command, scenario_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("ackclock.cli.run.run", fail)
    outcome = ackclock("run", scenario_file)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("error: ")
    if isinstance(error, Interrupted):
        assert "3 of 9 runs; finished runs are stored in runs" in " ".join(outcome.err.split())


def test_ctrl_c_leaves_finished_runs(tmp_path: Path) -> None:
    """The real thing: a process, a signal, the runs that it leaves, the second start that finds them."""
    (tmp_path / "long.toml").write_text(replaced(SCENARIO, ('"5 s"', '"500 s"')))
    command = [
        sys.executable,
        "-m",
        "ackclock",
        "run",
        "long.toml",
        "--replications",
        "2000",
        "--threads",
        "1",
    ]
    runs = tmp_path / "ackclock-results/runs"
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "ACKCLOCK_RESULTS": str(tmp_path / "ackclock-results")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline and not list(runs.rglob("*.run.zip")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == cli.INTERRUPTED, err
    assert out == ""
    found = re.search(r"after (\d+) of 2000 runs; finished runs are stored", " ".join(err.split()))
    assert found is not None, err
    # The signal may come between storing a run and counting it.
    assert 0 <= len(list(runs.rglob("*.run.zip"))) - int(found[1]) <= 1
    assert not list(runs.rglob("*.tmp"))


def test_a_reader_that_leaves_early_is_no_crash(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ackclock", "list", "--json"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=30) == cli.FAILED
