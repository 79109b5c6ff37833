"""Studies that share a base: what they get from it, what they change, where errors point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import BASE, DERIVED, STUDY, replaced

from ackclock import _toml as toml
from ackclock.errors import InputError
from ackclock.study.load import LoadedStudy, load_study, parse_study, study_names
from ackclock.study.merge import merged
from ackclock.study.plan import Plan
from ackclock.study.run import run_study

OWN_SCENARIO = """\
[scenario]
warmup = "1 s"

[scenario.dumbbell]
# half as fast
bottleneck = { rate = "0.5 Mbit/s" }

[[scenario.flows]]
name = "tcp"
# more of them
count = 3
[scenario.flows.transport]
name = "ns2"

[[scenario.flows]]
name = "web"
control = { name = "cubic" }

"""


def derived(tmp_path: Path, study: str = DERIVED, base: str = BASE) -> LoadedStudy:
    (tmp_path / "small.base.toml").write_text(base)
    (tmp_path / "derived.toml").write_text(study)
    return load_study(str(tmp_path / "derived.toml"))


def problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: str = DERIVED, base: str = BASE) -> str:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        Plan(derived(tmp_path, study, base), quick=False, sensitivity=True).check()
    return str(caught.value)


def with_scenario(scenario: str) -> str:
    return replaced(DERIVED, ('[[cases]]\nname = "few"', scenario + '[[cases]]\nname = "few"'))


def test_a_study_gets_what_its_base_gives(tmp_path: Path) -> None:
    ours = derived(tmp_path)
    theirs = parse_study(STUDY, "test", "study.toml")
    fields = {"base", "assume", "assumptions"}
    assert ours.study.model_dump(exclude=fields) == theirs.study.model_dump(exclude=fields)
    (assumption,) = ours.study.assumptions
    # The base's alternative has a metric that this study does not have.
    assert assumption.interpretations[1].metrics == {"flows_seen": "sum(flows.goodput_bps)"}
    assert toml.loads(ours.scenario.text) == ours.study.scenario
    assert [case.values for case in run_study(ours, quick=True).cases] == [
        case.values for case in run_study(theirs, quick=True).cases
    ]


def test_what_speaks_against_a_reading_of_the_base_holds_in_its_studies(tmp_path: Path) -> None:
    (tmp_path / "small.base.toml").write_text(BASE)
    study = parse_study(DERIVED, "test", str(tmp_path / "derived.toml")).study
    assert [one.against for one in study.assumptions[0].interpretations] == ["The title.", ""]


def test_the_base_is_no_study() -> None:
    assert not [name for name in study_names() if "base" in name]


def test_a_study_overrides_what_its_base_gives(tmp_path: Path) -> None:
    study = derived(tmp_path, replaced(DERIVED, ("assume =", "replications = 7\nassume ="))).study
    assert study.replications == 7


def test_scenarios_are_merged(tmp_path: Path) -> None:
    loaded = derived(tmp_path, with_scenario(OWN_SCENARIO))
    text = loaded.scenario.text
    assert toml.loads(text) == loaded.study.scenario
    assert loaded.study.scenario["warmup"] == "1 s"
    assert loaded.study.scenario["dumbbell"]["bottleneck"] == {
        "rate": "0.5 Mbit/s",
        "delay": "10 ms",
        "queue": {"name": "droptail", "limit": "20 packets"},
    }
    tcp, web = loaded.study.scenario["flows"]
    assert (tcp["count"], tcp["control"], tcp["transport"]) == (3, "newreno", {"name": "ns2"})
    assert web == {"name": "web", "control": {"name": "cubic"}}
    # Comments of both files stay, and the tables are where a reader looks for them.
    lines = text.splitlines()
    for comment in ("# one bottleneck", "# half as fast", "# more of them", "# the control"):
        assert comment in lines
    assert lines.index("[flows.transport]") < lines.index('name = "web"')
    assert "\n\n\n" not in text
    Plan(loaded, quick=False, sensitivity=True).check()


@pytest.mark.parametrize(
    ("base", "own", "expected"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": 4}}, {"a": {"b": 1, "c": 3, "d": 4}}),
        # Another control is another thing: the parameters of the base's mean nothing to it.
        ({"a": {"name": "rbcc", "f": 2}}, {"a": {"name": "vegas"}}, {"a": {"name": "vegas"}}),
        ({"a": {"name": "rbcc", "f": 2}}, {"a": "newreno"}, {"a": "newreno"}),
        ({"a": {"name": "rbcc", "f": 2}}, {"a": {"f": 3}}, {"a": {"name": "rbcc", "f": 3}}),
        ({"a": "newreno"}, {"a": {"name": "rbcc"}}, {"a": {"name": "rbcc"}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": [{"x": 1}]}, {"a": [{"x": 2}]}, {"a": [{"x": 2}]}),
        ({"name": "one", "a": 1}, {"name": "two"}, {"name": "two", "a": 1}),
    ],
)
def test_how_values_are_merged(base: dict[str, Any], own: dict[str, Any], expected: object) -> None:
    assert merged(base, own) == expected


@pytest.mark.parametrize(
    "own",
    [
        '[scenario.flows]\nname = "tcp"\n\n',  # a table where the base has an array
        "[scenario.dumbbell.bottleneck.queue]\nlimit = 10\n\n",  # a header for what the base writes inline
        'scenario.duration = "7 s"\n',
    ],
)
def test_unusual_ways_to_write_a_scenario_are_written_anew(tmp_path: Path, own: str) -> None:
    if own.startswith("scenario."):
        text = replaced(DERIVED, ('[source]\nitem = "Table 0.0"', own + '[source]\nitem = "Table 0.0"'))
    else:
        text = with_scenario(own)
    loaded = derived(tmp_path, text)
    assert toml.loads(loaded.scenario.text) == loaded.study.scenario


def test_an_assumption_can_change_that_of_the_base(tmp_path: Path) -> None:
    own = '[[assumptions]]\nid = "control"\ntaken = "Newest Reno"\n'
    own += '[[assumptions]]\nwhat = "a"\ntaken = "b"\nwhy = "c"\n'
    text = replaced(DERIVED, ("[[findings]]", own + "[[findings]]"), ('["flows"]', '["control", "flows"]'))
    first, control, flows = derived(tmp_path, text).study.assumptions
    assert (first.what, control.what, control.taken, flows.id) == ("a", "Control", "Newest Reno", "flows")
    # Of the base's changes, that for a case which this study does not have is left out.
    (change,) = control.interpretations[0].all_changes()
    assert change.cases == ["few*"]


def test_own_alternatives_replace_those_of_the_base(tmp_path: Path) -> None:
    own = '[[assumptions]]\nid = "flows"\n'
    own += 'interpretations = [{ label = "5", overrides = { "flows.tcp.count" = 5 } }]\n'
    (flows,) = derived(tmp_path, replaced(DERIVED, ("[[findings]]", own + "[[findings]]"))).study.assumptions
    assert [alternative.label for alternative in flows.interpretations] == ["5"]
    assert flows.why == "The tests need two."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            [("small.base.toml", "smal.base.toml")],
            'derived.toml:3:8: base: there is no file "smal.base.toml"; did you mean "small.base.toml"?',
        ),
        ([('"small.base.toml"', '"../small.base.toml"')], "expected the name of a file in the same folder"),
        ([('"small.base.toml"', '"small.toml"')], "expected the name of a file in the same folder"),
        ([('"small.base.toml"', "7")], "expected the name of a file in the same folder"),
        (
            [('["flows"]', '["flwos"]')],
            'there is no assumption "flwos" in this file or in small.base.toml; did you mean "flows"?',
        ),
        ([('["flows"]', '["flows", "flows"]')], 'derived.toml:4:20: assumption "flows" is named twice'),
        (
            [
                ('name = "few"', 'name = "fow"'),
                ("'few'", "'fow'"),
                ("few =", "fow ="),
                ('["few"]', '["fow"]'),
                ('["flows"]', '["control"]'),
            ],
            'derived.toml:4:11: assume: "control" of small.base.toml: the interpretation "SACK" affects no',
        ),
        ([('title = "Few', 'titel = "Few')], 'derived.toml:1:1: titel: unknown key; did you mean "title"?'),
        ([('item = "Table 0.0"\n', "")], 'derived.toml:6:1: source.item: "item" is missing'),
    ],
)
def test_mistakes_in_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: list[tuple[str, str]], message: str
) -> None:
    assert message in problem(tmp_path, monkeypatch, replaced(DERIVED, *changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("[scenario]", "[scenario")], "small.base.toml:8:10: found unclosed table"),
        (
            [("replications = 3", "replicatoins = 3")],
            'small.base.toml:2:1: replicatoins: unknown key; did you mean "replications"?',
        ),
        (
            [('why = "It is not said."\n', "")],
            'small.base.toml:33:1: assumptions[2] ("control").why: "why" is missing',
        ),
        ([('id = "control"\n', "")], 'small.base.toml:33:1: assumptions[2] ("Control").id: "id" is missing'),
        (
            [('id = "control"\n', 'id = "flows"\n')],
            'small.base.toml:33:1: assumption "flows" is defined twice',
        ),
        (
            [('"sum(flows.goodput_bps)"', '"sum(flows.goodputs_bps)"')],
            'small.base.toml:30:5: assumption "Number of flows", interpretation',
        ),
        ([('duration = "5 s"', 'duration = "0 s"')], "small.base.toml:9:12: `duration`"),
        ([('"10 Mbit/s"', '"10 Mbits/s"')], "small.base.toml:14:19: `dumbbell.access.rate`"),
    ],
)
def test_mistakes_in_the_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: list[tuple[str, str]], message: str
) -> None:
    assert problem(tmp_path, monkeypatch, base=replaced(BASE, *changes)).startswith(message)


@pytest.mark.parametrize(
    ("changes", "file", "line", "column"),
    [
        ([('warmup = "1 s"', 'warmup = "1 h"')], "derived.toml", 'warmup = "1 h"', ":10:"),
        # What is written anew, from both files, is at its line of the study but at no column of it.
        ([('"0.5 Mbit/s"', '"0.5 Mb"')], "derived.toml", 'bottleneck = { rate = "0.5 Mb" }', ": "),
        ([("count = 3", "count = 0")], "derived.toml", "count = 0", ":9:"),
    ],
)
def test_mistakes_in_a_merged_scenario(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: list[tuple[str, str]],
    file: str,
    line: str,
    column: str,
) -> None:
    text = with_scenario(replaced(OWN_SCENARIO, *changes))
    number = text.splitlines().index(line) + 1
    message = problem(tmp_path, monkeypatch, text)
    assert message.startswith(f"{file}:{number}{column}"), message
    assert f"\n  {number} | " in message


def test_mistakes_in_the_base_below_a_merged_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = problem(
        tmp_path, monkeypatch, with_scenario(OWN_SCENARIO), replaced(BASE, ('"newreno"', '"newrino"'))
    )
    line = BASE.splitlines().index('control = "newreno"') + 1
    assert message.startswith(f"small.base.toml:{line}:11: ")
    assert f'\n  {line} | control = "newrino"\n' in message


def test_a_flow_needs_a_name_to_be_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = with_scenario("[[scenario.flows]]\ncount = 3\n\n")
    assert "derived.toml:10:1: scenario.flows: give each table a name" in problem(tmp_path, monkeypatch, text)


def test_a_wrong_case_is_an_error_of_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = replaced(DERIVED, ('flows.tcp.count" = 8', 'flows.tcp.cuont" = 8'))
    message = problem(tmp_path, monkeypatch, text)
    line, column = (text[: text.index('"flows.tcp.cuont')].count("\n") + 1, len('overrides = { "'))
    assert message.startswith(f"derived.toml:{line}:{column}: `flows.0.cuont`: ")
    assert 'in case "many"' in message
