"""Tables that stand for several: what they stand for, and how a mistake in one is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import BASE, DERIVED, STUDY, replaced

from ackclock import _toml as toml
from ackclock.errors import InputError
from ackclock.schemas import schema
from ackclock.study.fingerprint import of_simulation
from ackclock.study.grid import expanded
from ackclock.study.load import load_study, parse_study, studies_dir

FILES = sorted(studies_dir().rglob("*.toml"))


def written_out(text: str) -> dict[str, Any]:
    return expanded(toml.loads(text), text, "study.toml")


def names(text: str, kind: str = "cases", key: str = "name") -> list[str]:
    return [table[key] for table in written_out(text)[kind]]


def test_a_product_changes_its_first_axis_slowest() -> None:
    text = """
        axes = { a = [1, 2, 3], b = ["x", "y"] }
        cases = [{ for_all = ["a", "b"], name = "{a}{b}" }]
    """
    assert names(text) == ["1x", "1y", "2x", "2y", "3x", "3y"]
    assert names(text.replace('["a", "b"]', '["b", "a"]')) == ["1x", "2x", "3x", "1y", "2y", "3y"]


def test_a_product_has_as_many_tables_as_its_axes_values_multiplied() -> None:
    axes = {name: list(range(size)) for name, size in (("a", 2), ("b", 3), ("c", 5))}
    text = f"axes = {{ a = {axes['a']}, b = {axes['b']}, c = {axes['c']} }}\n"
    text += 'cases = [{ for_all = ["a", "b", "c"], name = "{a}-{b}-{c}" }]'
    assert len(set(names(text))) == 2 * 3 * 5


def test_points_are_left_out_where_all_of_it_holds() -> None:
    text = """
        axes = { a = [1, 2, 3], b = ["x", "y"] }
        cases = [{ for_all = ["a", "b"], except = [{ a = 2 }, { a = [1, 3], b = "y" }], name = "{a}{b}" }]
    """
    assert names(text) == ["1x", "3x"]


def test_rows_set_keys_and_names_in_braces() -> None:
    text = """
        [[claims]]
        id = "c{n}"
        text = "{n} flows lose {paper} %"
        unit = "%"
        rows = [{ n = 5, paper = 1.5 }, { n = 25, paper = 12.0, unit = "points" }]
    """
    assert written_out(text)["claims"] == [
        {"id": "c5", "text": "5 flows lose 1.5 %", "unit": "%", "paper": 1.5},
        {"id": "c25", "text": "25 flows lose 12 %", "unit": "points", "paper": 12.0},
    ]


def test_rows_come_at_each_point() -> None:
    text = """
        axes = { a = [1, 2] }
        cases = [{ for_all = ["a"], name = "{a}{n}", rows = [{ n = "x" }, { n = "y" }] }]
    """
    assert names(text) == ["1x", "1y", "2x", "2y"]


def test_the_overrides_of_a_row_come_to_those_of_its_table() -> None:
    text = """
        [[cases]]
        overrides = { "flows.tcp.count" = 5, duration = "5 s" }
        rows = [{ name = "a" }, { name = "b", overrides = { duration = "{d}", warmup = "1 s" }, d = "9 s" }]
    """
    text = text.replace('{ name = "a" }', '{ name = "a", d = "" }')
    a, b = (case["overrides"] for case in written_out(text)["cases"])
    assert a == {"flows.tcp.count": 5, "duration": "5 s"}
    assert b == {"flows.tcp.count": 5, "duration": "9 s", "warmup": "1 s"}


def test_braces_that_are_all_of_a_value_give_the_value_itself() -> None:
    text = """
        [axes]
        queue = [{ id = "red", of = { name = "red", limit = "{n} packets", share = "{n}" } }]
        [[cases]]
        for_all = ["queue"]
        name = "{queue}-{n}"
        label = "{n}"
        overrides = { "dumbbell.bottleneck.queue" = "{queue.of}", "flows.{queue}.count" = "{n}", list = ["{n}"] }
        rows = [{ n = 2.0 }]
    """
    (case,) = written_out(text)["cases"]
    assert case["name"] == "red-2"
    assert case["label"] == "2"
    assert case["overrides"] == {
        "dumbbell.bottleneck.queue": {"name": "red", "limit": "2 packets", "share": 2.0},
        "flows.red.count": 2.0,
        "list": [2.0],
    }


def test_braces_within_a_computed_number_are_replaced() -> None:
    text = """
        axes = { n = [5, 25] }
        findings = [{ for_all = ["n"], claim = "c{n}", text = "{n}: {= 100 * loss('rbcc-{n}') | .1f} %" }]
    """
    assert names(text, "findings", "text") == [
        "5: {= 100 * loss('rbcc-5') | .1f} %",
        "25: {= 100 * loss('rbcc-25') | .1f} %",
    ]


def test_a_row_names_a_value_of_an_axis_by_its_id() -> None:
    text = """
        axes = { scheme = [{ id = "sack", label = "SACK" }, { id = "reno", label = "Reno" }] }
        cases = [{ name = "{scheme}", label = "{scheme.label}", rows = [{ scheme = "reno" }] }]
    """
    assert written_out(text)["cases"] == [{"name": "reno", "label": "Reno"}]


def test_tables_that_alternate() -> None:
    text = """
        axes = { a = [1, 2] }
        [[claims]]
        for_all = ["a"]
        unit = "%"
        [[claims.each]]
        id = "x{a}"
        [[claims.each]]
        id = "y{a}{n}"
        unit = "s"
        rows = [{ n = "p" }, { n = "q" }]
    """
    claims = [(claim["id"], claim["unit"]) for claim in written_out(text)["claims"]]
    assert claims == [("x1", "%"), ("y1p", "s"), ("y1q", "s"), ("x2", "%"), ("y2p", "s"), ("y2q", "s")]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("max({loss('r{n}') for all n})", "max(loss('r1'), loss('r2'))"),
        ("{loss('r{n}') < loss('s') for all n}", "loss('r1') < loss('s') and loss('r2') < loss('s')"),
        ("min({f{n}{m} for all n, m})", "min(f1x, f1y, f2x, f2y)"),
        ("{measured} < 5", "loss('r') < 5"),
    ],
)
def test_texts_for_all_of_an_axis(text: str, meant: str) -> None:
    document = f"""
        axes = {{ n = [1, 2], m = ["x", "y"] }}
        cases = [{{ for_all = ["n", "m"], name = "{{n}}{{m}}" }}]
        claims = [{{ measured = "loss('r')", direction = "{text}" }}]
    """
    assert written_out(document)["claims"][0]["direction"] == meant


PLAIN_CASES = """\
[[cases]]
name = "few"
label = "2 flows"

[[cases]]
name = "many"
label = "8 flows"
overrides = { "flows.tcp.count" = 8 }
"""

GRID_OF_CASES = """\
[axes]
count = [{ id = "few", n = 2 }, { id = "many", n = 8 }]

[[cases]]
for_all = ["count"]
name = "{count}"
label = "{count.n} flows"
overrides = { "flows.tcp.count" = "{count.n}" }
"""

ROWS_OF_CLAIMS = """\
[[claims]]
text = "Goodput ({what})"
measured = "goodput('{case}')"
rows = [
    { id = "g1", what = "few", case = "few", expect = "> 0" },
    { id = "g2", what = "many", case = "many", expect = "> 0" },
]

"""

FIRST_CLAIM = '[[claims]]\nid = "1"\n'


def test_an_element_of_a_list_for_all_of_an_axis_is_an_element_for_each() -> None:
    text = """
        axes = { n = [1, 2] }
        cases = [{ name = "base" }]
        figures = [{ id = "f", cases = ["first", "{r{n} for all n}", "{r{n} for all n}-x"] }]
    """
    assert written_out(text)["figures"][0]["cases"] == ["first", "r1", "r2", "r1, r2-x"]


GRID = replaced(STUDY, (PLAIN_CASES, GRID_OF_CASES), (FIRST_CLAIM, ROWS_OF_CLAIMS + FIRST_CLAIM))


def test_how_a_study_is_written_does_not_change_what_it_is() -> None:
    grid = parse_study(replaced(STUDY, (PLAIN_CASES, GRID_OF_CASES)), "test", "study.toml").study
    both = 'label = "2 flows"\noverrides = { "flows.tcp.count" = 2 }\n'
    plain = parse_study(replaced(STUDY, ('label = "2 flows"\n', both)), "test", "study.toml").study
    assert plain.model_dump(exclude={"axes"}) == grid.model_dump(exclude={"axes"})
    assert of_simulation(plain) == of_simulation(grid)


@pytest.mark.parametrize(
    ("changes", "line", "message"),
    [
        (
            [('what = "many", case', 'waht = "many", case')],
            "rows = [",
            "claims[1]: row 2: {what} is not an axis, column or key of this table",
        ),
        (
            [('expect = "> 0" },\n]', 'epxect = "> 0", expect = "> 0" },\n]')],
            "rows = [",
            'row 2: epxect has no effect: no text contains {epxect}, and no key has this name; did you mean "expect"?',
        ),
        (
            [('expect = "> 0" },\n]', 'expect = "many" },\n]')],
            'id = "g2"',
            'claims[1] ("g2", row 2): expect: found "many", expected a comparison',
        ),
        (
            [('case = "many", expect', 'case = "mny", expect')],
            'id = "g2"',
            'claim "g2" (row 2): measured: there is no case "mny"; did you mean "many"?',
        ),
        ([('"g2"', '"g1"')], "rows = [", 'row 1 and row 2 are both called "g1"'),
        (
            [('"{count.n}" }', '"{count.m}" }')],
            "for_all",
            "cases[1]: count = few: {count.m}: there is no key m; available: id, n",
        ),
        (
            [('["count"]', '["cuont"]')],
            "for_all",
            'for_all: there is no axis "cuont"; did you mean "count"?',
        ),
        (
            [('["count"]\n', '["count"]\nexcept = [{ cout = "few" }]\n')],
            "except",
            'except: "cout" is not an axis of for_all; did you mean "count"?',
        ),
        (
            [('["count"]\n', '["count"]\nexcept = [{ count = "fwe" }]\n')],
            "for_all",
            'axes.count has no value "fwe"; did you mean "few"?',
        ),
        (
            [("goodput('{case}')", "max({goodput('{case}') for all cuont})")],
            "rows = [",
            'claims[1]: row 1: for all: there is no axis "cuont"; did you mean "count"?',
        ),
        ([("Goodput ({what})", "Goodput ({what)")], "rows = [", '"{" without "}" in'),
        ([("Goodput ({what})", "Goodput what})")], "rows = [", '"}" without "{" in'),
        ([("Goodput ({what})", "Goodput {text}")], "rows = [", "{text} refers to itself"),
        ([("rows = [\n", "rows = [\n    3,\n")], "rows = [", "rows: found [3, "),
        (
            [('label = "{count.n} flows"', 'lable = "{count.n}"')],
            "lable",
            '.lable: unknown key; did you mean "label"?',
        ),
    ],
)
def test_mistakes_name_the_line_the_row_and_the_point(
    changes: list[tuple[str, str]], line: str, message: str
) -> None:
    text = replaced(GRID, *changes)
    with pytest.raises(InputError) as caught:
        parse_study(text, "test", "study.toml")
    problem = str(caught.value).splitlines()[0]
    assert message in problem
    found = re.match(r"study\.toml:(\d+):\d+: ", problem)
    assert found, problem
    # The line of the row, of the key, or of the header of the table that has it.
    lines = text.splitlines()
    there = lines[int(found[1]) - 1]
    below = "\n".join(lines[int(found[1]) - 1 : int(found[1]) + 4])
    assert line in (below if there.startswith("[[") else there)


def test_a_mistake_in_a_table_of_a_group_is_at_its_row() -> None:
    group = """\
[[claims]]
unit = "Mbit/s"
rows = [{ case = "few" }, { case = "many" }]

[[claims.each]]
id = "a-{case}"
text = "Goodput"
measured = "goodput('{case}')"
expect = "> 0"

[[claims.each]]
id = "b-{case}-{n}"
text = "Goodput"
measured = "goodput('{case}')"
rows = [
    { n = 1, expect = "> 0" },
    { n = 2, expect = "some" },
]

"""
    text = replaced(STUDY, (FIRST_CLAIM, group + FIRST_CLAIM))
    with pytest.raises(InputError) as caught:
        parse_study(text, "test", "study.toml")
    line = text.splitlines().index('    { n = 2, expect = "some" },') + 1
    assert f'study.toml:{line}:5: claims[1] ("b-few-2", row 1, row 2): expect: found "some"' in str(
        caught.value
    )
    broken = text.replace('text = "Goodput"\nmeasured = "goodput(\'{case}\')"\nrows', 'text = "{txt}"\nrows')
    with pytest.raises(InputError, match=r"claims\[1\]: each\[2\]: row 1, row 1: {txt} is not an axis"):
        parse_study(broken, "test", "study.toml")


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ("n = 3", "axes.n: found 3, expected a list of at least one value"),
        ("n = [1, 2, 1.0]", 'axes.n: the value "1" is listed twice'),
        ("n = [{ name = 3 }]", "expected a number, a string, or a table with an id"),
        ('"a b" = [1]', 'axes.a b: found the axis name "a b", expected a letter'),
        ("n = [1, 2]", "axes.n: no table uses this axis"),
    ],
)
def test_mistakes_in_axes(axes: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_study(
            replaced(
                STUDY, ('[[metrics]]\nid = "goodput"', f'[axes]\n{axes}\n\n[[metrics]]\nid = "goodput"')
            ),
            "t",
            "s",
        )


def test_a_study_has_cases_metrics_and_axes_from_its_base(tmp_path: Path) -> None:
    shared = """
[axes]
flows = [{ id = "few", n = 2 }, { id = "many", n = 8 }]

[[cases]]
name = "shared"
label = "From the base"
overrides = { "flows.tcp.count" = 4 }

[[metrics]]
id = "shared_metric"
label = "From the base"
expr = "count(flows.goodput_bps)"
"""
    own = """
[axes]
flows = ["many"]

[[cases]]
rows = [{ name = "shared" }]

[[cases]]
for_all = ["flows"]
name = "{flows}-again"
overrides = { "flows.tcp.count" = "{flows.n}" }

[[metrics]]
id = "shared_metric"
paper = { shared = 4 }
"""
    (tmp_path / "small.base.toml").write_text(BASE + shared)
    (tmp_path / "derived.toml").write_text(DERIVED + own)
    study = load_study(str(tmp_path / "derived.toml")).study
    case, again = study.cases[-2:]
    assert (case.label, case.overrides) == ("From the base", {"flows.tcp.count": 4})
    assert (again.name, again.overrides) == ("many-again", {"flows.tcp.count": 8})
    metric = study.metrics[-1]
    assert (metric.expr, metric.paper) == ("count(flows.goodput_bps)", {"shared": 4})


def test_the_schema_accepts_the_studies_of_the_package() -> None:
    validator = jsonschema.Draft202012Validator(schema("study"))
    refused = dict[str, list[str]]()
    for file in FILES:
        document = toml.loads(file.read_text(encoding="utf-8"))
        if "title" in document and "characterisation" not in document and "source" in document:
            refused[file.name] = [error.message for error in validator.iter_errors(document)]
    assert {name: messages for name, messages in refused.items() if messages} == {}
    assert len(refused) > 100


@pytest.mark.parametrize(
    "table",
    [
        '{ name = "a", for_al = ["n"] }',
        '{ name = "a", rows = [] }',
        '{ name = "a", for_all = ["n"], nme = 3 }',
    ],
)
def test_the_schema_refuses_what_is_no_table_of_a_study(table: str) -> None:
    document = toml.loads(STUDY)
    document["cases"] = [toml.loads(f"x = {table}")["x"]]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema("study"))
