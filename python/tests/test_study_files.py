"""Reading study files: what is right is read, what is wrong is explained."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import STUDY, replaced

from ackclock import _toml as toml
from ackclock.cli.study import copied
from ackclock.errors import InputError
from ackclock.study.load import find_studies, load_study, parse_study, study_names, theses
from ackclock.study.scenario_text import extracted

PUBLICATION = (
    'publication = { author = "S. Ha, I. Rhee, L. Xu", title = "CUBIC", year = 2008, '
    'where = "SIGOPS Operating Systems Review 42(5)", systems = ["cubic"] }'
)


def problem(text: str) -> str:
    """The message that the study ``text`` is refused with."""
    with pytest.raises(InputError) as caught:
        parse_study(text, "test", "study.toml")
    return str(caught.value)


def test_parts_of_a_series_that_differ_in_length_are_found_before_any_run() -> None:
    path = "links.bottleneck.queue_packets"
    expr = f"sum(series('{path}', 1, 399) - series('{path}', 2, 400))"
    text = replaced(STUDY, ("sum(flows.goodput_bps) / 1e6", expr))
    assert "operands could not be broadcast together" in problem(text)


def test_a_metric_may_name_groups_by_the_beginning_of_their_names() -> None:
    text = replaced(STUDY, ('"sum(flows.goodput_bps) / 1e6"', "'sum(flows(\"tcp*\").goodput_bps) / 1e6'"))
    metrics = parse_study(text, "test", "study.toml").study.metrics
    assert any(one.expr.startswith('sum(flows("tcp*")') for one in metrics)


def test_a_study_is_read() -> None:
    loaded = parse_study(STUDY, "test", "study.toml")
    assert [run.name for run in loaded.study.runs()] == ["few", "many"]
    assert loaded.thesis.author == "Manoj Dahal"
    assert loaded.study.claims[0].allowed_error() == 0.001


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            [("replications = 3", "replicatoins = 3")],
            'replicatoins: unknown key; did you mean "replications"?',
        ),
        (
            [('unit = "Mbit/s"', 'unti = "Mbit/s"')],
            'metrics[1] ("goodput").unti: unknown key; did you mean "unit"?',
        ),
        ([("replications = 3", 'replications = "many"')], 'replications: found "many", expected'),
        (
            [("replications = 3", "replications = 0")],
            "replications: found 0, expected greater than or equal to 1",
        ),
        ([('text = "No packet arrives"\n', "")], 'claims[2] ("2").text: "text" is missing'),
        ([('thesis = "rbcc"', 'thesis = "rbc"')], 'there is no thesis "rbc"; did you mean "rbcc"?'),
        (
            [('thesis = "rbcc"\n', "")],
            "source: expected `thesis`, a key of studies/theses.toml, or `publication`",
        ),
        (
            [('thesis = "rbcc"', f'thesis = "rbcc"\n{PUBLICATION}')],
            "a table with author, title and year; found both",
        ),
        (
            [('thesis = "rbcc"', PUBLICATION.replace("cubic", "cubik"))],
            'source.publication.systems: no system is registered as "cubik"; did you mean "cubic"?',
        ),
        (
            [('thesis = "rbcc"', PUBLICATION.replace(", year = 2008", ""))],
            'source.publication.year: "year" is missing',
        ),
        (
            [('thesis = "rbcc"', 'publication = "CUBIC"')],
            'source.publication: found "CUBIC", expected table',
        ),
        ([("'many'", "'mny'")], 'claim "1": measured: there is no case "mny"; did you mean "many"?'),
        ([("/ flows_seen('few')", "/ flows_sen('few')")], 'did you mean "flows_seen"?'),
        (
            [("{ few = 1.0 }", "{ fwe = 1.0 }")],
            'metrics.goodput.paper: there is no case "fwe"; did you mean "few"?',
        ),
        (
            [("sum(flows.goodput_bps) / 1e6", "sum(flows.goodputs_bps)")],
            'metric "goodput": expr: a flow has no',
        ),
        ([('sum(flows.goodput_bps)" }', 'sum(flow.goodput_bps)" }')], "flow is a function"),
        ([('id = "2"', 'id = "1"')], 'claim "1" is defined twice'),
        ([('name = "many"', 'name = "few"')], 'case "few" is defined twice'),
        ([('name = "many"', 'name = "many[3]"')], "brackets are only for swept cases"),
        ([('id = "flows_seen"', 'id = "flows-seen"')], "a metric id is used as a function name"),
        (
            [('expect = "< 0"', 'unit = "kbit/s"\nexpect = "< 0"')],
            'claims.2.unit: found "kbit/s", expected "Mbit/s", the unit of metric "goodput"',
        ),
        ([('claim = "2"', 'claim = "3"')], 'findings: there is no claim "3"'),
        (
            [('cases = ["few"]', 'cases = ["fwe"]')],
            'figures.cwnd.cases: no case matches "fwe"; did you mean "few"?',
        ),
        ([('"flows.tcp-1.cwnd_packets"', '"tcp-1.cwnd"')], "expected flows.<flow>.<quantity>"),
        ([('expect = "< 0"', 'expect = "negative"')], 'expect: found "negative", expected a comparison'),
        (
            [('expect = "< 0"', 'paper = 0\ntolerance = "10 %"')],
            "expected an absolute tolerance, because `paper` is 0",
        ),
        ([('expect = "< 0"', 'tolerance = "10 %"')], "`tolerance` needs `paper`"),
        ([('expect = "< 0"', "")], "the claim has no test"),
        ([('expect = "< 0"', 'paper = 1\ntolerance = "little"')], 'found "little", expected a number'),
        ([('kind = "time"', 'kind = "sweep"')], "needs metric (and no series)"),
        ([('kind = "time"', 'kind = "trade-off"')], "needs x and y (and no series)"),
        (
            [
                ('kind = "time"', 'kind = "trade-off"'),
                ('series = "flows.tcp-1.cwnd_packets"', 'x = "goodptu"\ny = "flows_seen"'),
            ],
            'figures.cwnd.x: there is no metric "goodptu"; did you mean "goodput"?',
        ),
        (
            [
                (
                    'name = "many"',
                    'name = "many"\nswept = false\nsweep = { axis = "a", path = "b", values = [1] }',
                )
            ],
            "found both `swept = false` and `sweep`",
        ),
        (
            [('kind = "time"', 'kind = "pie"')],
            "figures[1] (\"cwnd\").kind: found \"pie\", expected 'time', 'sweep' or 'trade-off'",
        ),
        ([("[scenario]", "[scenario")], "unclosed table (not TOML)"),
        ([(', overrides = { "flows.tcp.count" = 6 } }', " }")], "the interpretation changes nothing"),
        ([('id = "flows_seen"', 'id = "Flows-Seen"')], "lower-case letters"),
        (
            [('expect = "< 0"', 'not_a_test = "why"\nsame_as = "rbcc/table-4.1 1a"')],
            'claims[2] ("2"): give either `not_a_test` or `same_as`',
        ),
        (
            [('expect = "< 0"', 'expect = "< 0"\nsame_as = "1a"')],
            'same_as: found "1a", expected a bundled study and the id of one of its claims',
        ),
        (
            [('expect = "< 0"', 'expect = "< 0"\nsame_as = "rbcc/table-4 1a"')],
            'claim "2": same_as: there is no study "rbcc/table-4" in the package; did you mean "rbcc/table-4.1"?',
        ),
        (
            [('expect = "< 0"', 'expect = "< 0"\nsame_as = "rbcc/table-4.1 1aa"')],
            'claim "2": same_as: rbcc/table-4.1 has no claim "1aa"; did you mean "1a"?',
        ),
        (
            [('expect = "< 0"', 'expect = "< 0"\nholds_whatever = "why"')],
            'claim "2": holds_whatever: leave this key out, because no part of the set-up is unknown',
        ),
        (
            [('item = "Table 0.0"', 'item = "Table 0.0"\nrepeats = "rbcc/figure-9"')],
            'source.repeats: there is no study "rbcc/figure-9" in the package',
        ),
        (
            [('item = "Table 0.0"', 'item = "Table 0.0"\nnumbers_of = "rbcc/table-4.2"')],
            'source.numbers_of: there is no study "rbcc/table-4.2" in the package',
        ),
        (
            [('item = "Table 0.0"', 'item = "Table 0.0"\nnumbers_of = "rbcc/table-4.1"')],
            "source.numbers_of: study rbcc/table-4.1 has none of the published numbers of this study",
        ),
        (
            [("Packets do arrive.", "In {= flows_sen('few') | .1f} flows.")],
            'findings[1]: text: there is no function "flows_sen"; did you mean "flows_seen"?',
        ),
        ([("Packets do arrive.", "{= goodput('fwe') }")], 'findings[1]: text: there is no case "fwe"'),
        (
            [("Packets do arrive.", "{= goodput('few') | 1 decimal }")],
            'findings[1]: text: found "1 decimal" after |, expected a number format such as .1f',
        ),
        ([("Packets do arrive.", "{= }")], "findings[1]: text: found no expression, expected one"),
        (
            [("Packets do arrive.", "{= cross_fitted_min(goodput('few'), goodput('many')) }")],
            "cross_fitted_min() needs the values of the replications",
        ),
        (
            [("No packet arrives", "{= goodput('few') } arrive")],
            "claims[2]: {= goodput('few') }: an expression is allowed only in the text of a finding",
        ),
    ],
)
def test_mistakes_are_explained(changes: list[tuple[str, str]], message: str) -> None:
    text = problem(replaced(STUDY, *changes))
    assert message in text
    assert re.match(r"study\.toml:\d+:\d+: ", text)


def test_what_a_study_says_of_another_is_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``lost`` has lost its set-up; ``again`` repeats its runs, and has a claim that is judged in ``lost``."""

    def package(name: str, *changes: tuple[str, str]) -> None:
        (tmp_path / "thesis" / f"{name}.toml").write_text(replaced(STUDY, *changes))

    def source(line: str) -> tuple[str, str]:
        return 'item = "Table 0.0"', f'item = "Table 0.0"\n{line}'

    def same_as(claim: str) -> tuple[str, str]:
        return 'expect = "< 0"', f'expect = "< 0"\nsame_as = "{claim}"'

    def in_study(*changes: tuple[str, str]) -> str:
        return problem(replaced(STUDY, *changes))

    (tmp_path / "thesis").mkdir()
    monkeypatch.setattr("ackclock.study.others.studies_dir", lambda: tmp_path)
    package("lost", source('setup_unknown = "The rates are lost."'))
    package("again", source('repeats = "thesis/lost"'), same_as("thesis/lost 2"))
    text = replaced(STUDY, source('repeats = "thesis/lost"'), same_as("thesis/lost 2"))
    study = parse_study(text, "test", "study.toml").study
    assert study.source.setup_unknown == "The rates are lost."
    assert study.claims[1].not_judged() == "counted as claim 2 of thesis/lost"
    own = replaced(STUDY, source('repeats = "thesis/lost"\nsetup_unknown = "So are the delays."'))
    assert parse_study(own, "test", "study.toml").study.source.setup_unknown == "So are the delays."
    assert "source.repeats: thesis/again itself repeats thesis/lost: name thesis/lost instead" in in_study(
        source('repeats = "thesis/again"')
    )
    assert 'claim "2": same_as: claim 2 of thesis/again has not_a_test or same_as' in in_study(
        same_as("thesis/again 2")
    )
    assert 'there is no study "thesis/lots" in the package; did you mean "thesis/lost"?' in in_study(
        source('repeats = "thesis/lots"')
    )


def test_all_mistakes_are_reported_at_once() -> None:
    text = problem(
        replaced(STUDY, ("replications = 3", "replicatoins = 3"), ('unit = "Mbit/s"', 'unti = ""'))
    )
    assert len(text.splitlines()) == 2


def test_the_scenario_keeps_its_line_numbers() -> None:
    loaded = parse_study(STUDY, "test", "study.toml")
    ours, theirs = STUDY.splitlines(), loaded.scenario.text.splitlines()
    assert toml.loads(loaded.scenario.text) == toml.loads(STUDY)["scenario"]
    for number, line in enumerate(theirs):
        assert line in ("", ours[number], ours[number].replace("scenario.", ""))
    assert theirs[ours.index("[[scenario.flows]]")] == "[[flows]]"
    assert theirs[ours.index('title = "Few flows and many"')] == ""


@pytest.mark.parametrize(
    "text",
    [
        'scenario = { duration = "1 s", flows = [{ name = "a" }] }\n',
        'scenario.duration = "1 s"\n',
        '[scenario]\nname = """\n[scenario.flows]\n"""\n[[scenario.flows]]\nname = "b"\n',
        '[ scenario . "dumb bell" ]\nrate = [\n  ["a"],\n["b"],\n]\n[other]\nx = 1\n',
        "[scenario]\nx = 1\n['other']\ny = 2\n[scenario.sub]\nz = true\nd = 1.5\n",
    ],
)
def test_unusual_ways_to_write_the_scenario(text: str) -> None:
    scenario = toml.loads(text)["scenario"]
    assert toml.loads(extracted(text, scenario, "study.toml").text) == scenario


def test_sweeps_name_their_cases() -> None:
    sweep = '[sweep]\naxis = "RTT"\npath = "duration"\nvalues = [2.0, 5.5, "7 s"]\n'
    text = replaced(
        STUDY,
        ('[[metrics]]\nid = "goodput"', sweep + '[[metrics]]\nid = "goodput"'),
        ('label = "2 flows"', 'label = "2 flows"\nswept = false'),
        ("{ few = 1.0 }", '{ "many[5.5]" = 1.0 }'),
        ("flows_seen('many')", "flows_seen('many[2]')"),
    )
    study = parse_study(text, "test", "study.toml").study
    assert [run.name for run in study.runs()] == ["few", "many[2]", "many[5.5]", "many[7 s]"]
    assert [run.name for run in study.runs() if run.matches(["ma*"])] == ["many[2]", "many[5.5]", "many[7 s]"]
    assert [run.name for run in study.runs() if run.matches(["many[2]", "few"])] == ["few", "many[2]"]


def test_studies_are_found_by_name_thesis_and_path(tmp_path: Path) -> None:
    names = study_names()
    assert find_studies(["rbcc/table-4.1"]) == ["rbcc/table-4.1"]
    assert find_studies(["rbcc"]) == [name for name in names if name.startswith("rbcc/")]
    assert find_studies(["rbcc/table-4.1", "rbcc"])[0] == "rbcc/table-4.1"
    assert find_studies([str(tmp_path / "own.toml")]) == [str(tmp_path / "own.toml")]
    with pytest.raises(InputError, match=r'did you mean "rbcc/table-4\.1"'):
        find_studies(["rbcc/tabel-4.1"])


def test_figures_are_listed_in_the_order_of_their_numbers() -> None:
    names = study_names()
    assert names.index("rbcc/figure-4.4") < names.index("rbcc/figure-4.13")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_study(str(tmp_path / "none.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(InputError, match=r"bytes\.toml:1:10: byte 0xff is not UTF-8 text"):
        load_study(str(tmp_path / "bytes.toml"))


@pytest.mark.parametrize("name", study_names())
def test_every_study_of_the_package_is_good(name: str) -> None:
    loaded = load_study(name)
    assert loaded.study.source.thesis == name.split("/", 1)[0]
    assert toml.loads(loaded.scenario.text)


def test_a_study_of_ones_own_names_its_publication() -> None:
    loaded = parse_study(replaced(STUDY, ('thesis = "rbcc"', PUBLICATION)), "test", "study.toml")
    thesis = loaded.thesis
    assert (thesis.key, thesis.author, thesis.year) == (
        "s-ha-i-rhee-l-xu-2008",
        "S. Ha, I. Rhee, L. Xu",
        2008,
    )
    assert (thesis.where, thesis.systems) == ("SIGOPS Operating Systems Review 42(5)", ("cubic",))
    assert thesis.reference == "S. Ha, I. Rhee, L. Xu, SIGOPS Operating Systems Review 42(5), 2008"
    assert replace(thesis, where="").reference == "S. Ha, I. Rhee, L. Xu, 2008"
    # A copy of it says the same.
    again = parse_study(copied(loaded), "test", "copy.toml")
    assert again.thesis == thesis


def test_theses_are_complete() -> None:
    assert list(theses()) == [
        "rbcc",
        "error-discriminating-tcp",
        "ltcp-rc",
        "parallel-and-adaptive-tcp",
        "apace-and-learning-tcp",
    ]
    assert all(2003 <= thesis.year <= 2009 for thesis in theses().values())


def test_utilisation_is_time_busy_and_nothing_else() -> None:
    """What senders put in as a share of a link's rate may pass 100 %, and is called throughput."""
    found = 0
    for name in study_names():
        study = load_study(name).study
        expressions = [(metric.id, metric.label, metric.expr) for metric in study.metrics]
        for assumption in study.assumptions:
            for alternative in assumption.interpretations:
                expressions += [(id, "", expression) for id, expression in alternative.metrics.items()]
        for id, label, expression in expressions:
            if "utilisation" in f"{id} {label}".lower():
                found += 1
                link = r"link\(\"[a-z0-9-]+\"\)\.utilisation"
                mean_of_two = rf"50 \* \({link} \+ {link}\)"
                assert re.fullmatch(rf"100 \* {link}|{mean_of_two}", expression), f"{name}: {id}"
    assert found > 20


@pytest.mark.parametrize("name", study_names())
def test_a_case_with_a_duration_of_its_own_has_a_quick_one_too(name: str) -> None:
    # What a case sets holds in a quick run as well, which it alone would make as long as a full one.
    study = load_study(name).study
    if "duration" in study.quick.overrides:
        assert not [case.name for case in study.cases if "duration" in case.overrides and not case.quick]
