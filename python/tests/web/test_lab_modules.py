"""What the laboratory's page does to texts and numbers, in a real browser: a scenario is edited in place."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import offline_chromium

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock import statistics
from ackclock.lessons import LESSONS
from ackclock.web.bundle import bundle

pytestmark = pytest.mark.browser

REPOSITORY = Path(__file__).parents[3]
TEXTS = sorted([*(REPOSITORY / "scenarios").glob("*/*.toml"), *LESSONS.glob("*.toml")])
Modules = Callable[..., Any]

HARD = """
# a comment = "not a value"
"quoted key" = 'single' # "
a.b.c = 1_000
text = "a \\"quoted\\" # no comment \\u00e9 \\\\ end"
long = '''
first
second'''
list = [ 1, 2.5e3, # in between
  -3, ]
[one.two]
yes = true
[[many]]
name = "first"
[many.inner]
x = 1
[[many]]
inline = { a = { b = [ { c = 1 }, { c = 2 } ] }, d = "}" }
"""
"""What the repository's own scenarios do not have."""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Modules]:
    """Run the body of a function with `modules` and its arguments; a promise is waited for."""
    folder = tmp_path_factory.mktemp("modules")
    page = folder / "page.html"
    script = bundle(Path(__file__).with_name("lab_modules.js"))
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8"><script>{script}</script>', encoding="utf-8")
    with offline_chromium(folder / "profile") as driver:
        driver.get(page.as_uri())

        def run(body: str, *arguments: Any) -> Any:
            return driver.execute_script(
                f"return (async (...given) => {{ {body} }})(...arguments)", *arguments
            )

        yield run


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values that are no tables or lists."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def replaced(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The document with another value at ``path``."""
    document = json.loads(json.dumps(document))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    "text", [*(file.read_text() for file in TEXTS), HARD], ids=[*(file.stem for file in TEXTS), "hard"]
)
def test_a_value_is_replaced_and_nothing_else(modules: Modules, text: str) -> None:
    document = toml.loads(text)
    assert modules("return modules.plain(modules.read(given[0]))", text) == document
    paths = list(leaves(document))
    edited = modules(
        'return given[1].map((path) => modules.put(given[0], path, "other ü \\" value"))', text, paths
    )
    for path, result in zip(paths, edited, strict=True):
        assert toml.loads(result) == replaced(document, path, 'other ü " value'), path
        comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
        assert [line for line in result.splitlines() if line.lstrip().startswith("#")] == comments
        # One value has changed: all lines but those that it was on are still there.
        assert abs(len(result.splitlines()) - len(text.splitlines())) <= 2


SMALL = """\
duration = "5 s" # short

[dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms" }

# the flows
[[flows]]
control = "cubic"

# another
[[flows]]
control = { name = "newreno" }
"""


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (["warmup"], "1 s", 'warmup = "1 s"'),
        (["dumbbell", "rtt"], ["20 ms", "80 ms"], 'rtt = ["20 ms", "80 ms"]'),
        (["dumbbell", "bottleneck", "queue"], "fq-codel", ', delay = "10 ms", queue = "fq-codel" }'),
        (["dumbbell", "bottleneck", "queue", "limit"], "9 packets", 'queue = { limit = "9 packets" } }'),
        (["flows", 0, "control", "beta"], 0.5, 'control = { name = "cubic", beta = 0.5 }'),
        (["flows", 1, "control", "increase"], 2, 'control = { name = "newreno", increase = 2 }'),
        (["flows", 1, "count"], 3, "count = 3"),
        (["observe", "flows"], False, "observe = { flows = false }"),
    ],
)
def test_what_is_not_there_is_put_where_it_belongs(
    modules: Modules, path: list[Any], value: Any, line: str
) -> None:
    result = modules("return modules.put(given[0], given[1], given[2])", SMALL, path, value)
    assert line in result
    found: Any = toml.loads(result)
    for step in path:
        found = found[step]
    assert found == value
    assert "# short" in result
    assert "# the flows" in result


def test_what_is_taken_out_leaves_the_rest(modules: Modules) -> None:
    cut = "return modules.cut(given[0], given[1])"
    assert modules(cut, SMALL, ["duration"]) == SMALL.replace('duration = "5 s" # short\n', "")
    assert 'bottleneck = { rate = "1 Mbit/s" }' in modules(cut, SMALL, ["dumbbell", "bottleneck", "delay"])
    assert 'bottleneck = { delay = "10 ms" }' in modules(cut, SMALL, ["dumbbell", "bottleneck", "rate"])
    without = modules(cut, SMALL, ["flows", 0])
    assert toml.loads(without)["flows"] == [{"control": {"name": "newreno"}}]
    assert "# another" in without
    assert "# the flows" not in without


def test_a_table_is_added_at_the_end(modules: Modules) -> None:
    result = modules('return modules.append(given[0], "flows", { control: "vegas", count: 2 })', SMALL)
    assert result.startswith(SMALL)
    assert toml.loads(result)["flows"][-1] == {"control": "vegas", "count": 2}


@pytest.mark.parametrize(
    "text", ["a =", "a = [1", 'a = "x', "[a", "a = 1\na = 2", "a = 1 2", "= 3", "a = {b = 1"]
)
def test_what_is_no_toml_is_not_read(modules: Modules, text: str) -> None:
    assert modules("return modules.read(given[0])", text) is None


@pytest.mark.parametrize(
    ("text", "value", "kind", "again"),
    [
        ("10 Mbit/s", 1e7, "rate", "10 Mbit/s"),
        ("1500 kbit/s", 1.5e6, "rate", "1.5 Mbit/s"),
        ("1 ms", 0.001, "time", "1 ms"),
        ("250 us", 0.00025, "time", "250 us"),
        ("2 min", 120, "time", "120 s"),
        ("64 KiB", 65536, "size", "65.5 kB"),
        ("1_000 packets", 1000, "packets", "1000 packets"),
        ("1 packet", 1, "packets", "1 packet"),
        ("0.5 bdp", 0.5, "bdp", "0.5 bdp"),
    ],
)
def test_quantities_are_read_and_written(
    modules: Modules, text: str, value: float, kind: str, again: str
) -> None:
    found = modules("return modules.parse(given[0])", text)
    assert found["kind"] == kind
    assert found["value"] == pytest.approx(value, rel=1e-12)
    assert modules("return modules.format(given[0], given[1])", found["value"], kind) == again


@pytest.mark.parametrize("text", ["unlimited", "10", "ms", "10 parsec", "1 2 s", ""])
def test_what_is_no_quantity_has_no_value(modules: Modules, text: str) -> None:
    assert modules("return modules.parse(given[0])", text) is None


def test_a_slider_goes_from_end_to_end_and_back(modules: Modules) -> None:
    """Every position gives a value that lies at that position again, and values only rise."""
    for low, high in ((1e5, 1e10), (1e-3, 2), (1, 100)):
        body = (
            "const { value, position } = modules.scale(given[0], given[1]);"
            "return [0, 250, 500, 750, 1000].map((at) => [value(at), position(value(at))])"
        )
        pairs = modules(body, low, high)
        values = [value for value, _ in pairs]
        assert values == sorted(set(values))
        assert (values[0], values[-1]) == (low, high)
        # Values have two digits, so a position may come back a little beside itself.
        assert all(
            abs(position - want) <= 5
            for (_, position), want in zip(pairs, (0, 250, 500, 750, 1000), strict=True)
        )


def test_ticks_are_round_and_inside(modules: Modules) -> None:
    assert modules("return modules.linearTicks(0, 60, 6)") == [0, 10, 20, 30, 40, 50, 60]
    # 0.85 / 4 is a little more than 0.2, so the step is 0.5; as that makes two ticks, it is halved.
    assert modules("return modules.linearTicks(0, 0.85, 4)") == [0, 0.25, 0.5, 0.75]
    assert modules("return modules.logTicks(13, 200)") == [20, 50, 100, 200]


@pytest.mark.parametrize(
    ("dotted", "path"),
    [
        ("duration", ["duration"]),
        ("dumbbell.bottleneck.rate", ["dumbbell", "bottleneck", "rate"]),
        ("dumbbell.rtt.1", ["dumbbell", "rtt", 1]),
        ("flows.far.control.beta", ["flows", 1, "control", "beta"]),
        ("flows.0.count", ["flows", 0, "count"]),
        # Without a name a group is called as the simulator says.
        ("flows.cubic.count", ["flows", 0, "count"]),
        ('links."a.b".delay', ["links", 0, "delay"]),
        ("links.tower-phone.rate", ["links", 1, "rate"]),
    ],
)
def test_a_dotted_path_leads_to_its_place(modules: Modules, dotted: str, path: list[Any]) -> None:
    text = """
dumbbell = { bottleneck = { rate = "1 Mbit/s" }, rtt = ["20 ms", "80 ms"] }
links = [{ name = "a.b", from = "x", to = "y" }, { between = ["tower", "phone"] }]
[[flows]]
control = "cubic"
[[flows]]
name = "far"
control = "cubic"
"""
    meaning = {"flows": [{"group": "cubic"}, {"group": "far"}]}
    assert (
        modules("return modules.pathOf(given[0], modules.read(given[1]), given[2])", dotted, text, meaning)
        == path
    )


def test_a_link_carries_a_whole_set_up(modules: Modules) -> None:
    set_up = {"scenario": SMALL + "# ünï\n", "lesson": None, "b": SMALL}
    link = modules("return modules.packed(given[0])", set_up)
    # Only what may stand in an address without being escaped.
    assert set(link) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
    assert modules("return modules.unpackedLink('#' + given[0])", link) == set_up
    assert modules("return modules.unpackedLink('#' + given[0])", link[:-9]) is None
    assert modules("return modules.unpackedLink('#somewhere')") is None


COUNTED = """
const Real = globalThis.DecompressionStream;
let taken = 0;
globalThis.DecompressionStream = function (form) {
  const transform = (chunk, controller) => { taken += chunk.length; controller.enqueue(chunk); };
  const counted = new TransformStream({ transform });
  return { writable: counted.writable, readable: counted.readable.pipeThrough(new Real(form)) };
};
try {
  const found = await modules.unpackedLink("#s1." + given[0]);
  return [found === null ? null : found.scenario.length, taken];
} finally {
  globalThis.DecompressionStream = Real;
}
"""


@pytest.mark.parametrize("size", [9_000_000, 11_000_000, 300_000_000])
def test_a_link_has_a_limit_when_unpacked(modules: Modules, size: int) -> None:
    # DEFLATE packs spaces to a thousandth: the link of 300 MB is 400 kB long.
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    parts = [packer.compress(b'{"scenario": "')]
    parts += [packer.compress(b" " * 1_000_000) for _ in range(size // 1_000_000)]
    data = b"".join([*parts, packer.compress(b'", "lesson": null, "b": null}'), packer.flush()])
    length, taken = modules(COUNTED, base64.urlsafe_b64encode(data).decode().rstrip("="))
    assert length == (size if size < 10_000_000 else None)
    # A piece of 1 kB unpacks to 1 MB. What a browser takes it also unpacks, whether it is read or not.
    assert taken < 20_000


def test_names_in_csv_are_no_formulas(modules: Modules) -> None:
    series = {
        "time_s": [-1, 2],
        "flows": {"-2": {"cwnd": [1, 2]}, "=1+1": {"cwnd": [-1.5, None]}},
        "links": {"@x\r": {"queue": [0, 3]}},
    }
    lines = modules("return modules.asCsv(given[0])", series).split("\n")
    assert lines[0] == """time_s,'-2.cwnd,'=1+1.cwnd,"'@x\r.queue\""""
    assert lines[1:] == ["-1,1,-1.5,0", "2,2,,3", ""]
    # So are those that the page of a report writes.
    script = (REPOSITORY / "python/ackclock/report/assets/figures/table.js").read_text(encoding="utf-8")
    rows = [["curve", "=x"], ["-2", -2], ["+a", None], ["-a", 1e-7], ["@a,b", 0]]
    assert modules(f"{script}; return cells(given[0]);", rows).split("\r\n") == [
        *["curve,'=x", "-2,-2", "'+a,", "'-a,1e-7", '"\'@a,b",0', ""],
    ]


FORM = """
duration = "60 s"
[dumbbell]
rtt = "80 ms"
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = "red" }
access = { rate = "100 Mbit/s" }
[[flows]]
control = { name = "cubic" }
"""


def test_the_form_has_its_bounds_and_its_help_from_what_is_declared(modules: Modules) -> None:
    meaning = {
        "flows": [{"group": "cubic", "paths": [], "names": ["cubic"]}],
        "network": {"links": [{"name": "bottleneck", "delay_s": 0.02}]},
    }
    body = (
        "const [text, meaning, registry, tables] = given; const root = modules.read(text);"
        'return ["run", "flow:0", "link:bottleneck"].flatMap((one) =>'
        "  modules.fieldsOf(one, root, meaning, registry, tables).flatMap(({ fields }) => fields));"
    )
    fields = modules(body, FORM, meaning, core.registry(), core.tables())
    # How a rate changes is chosen under the path of the rate.
    shown = {".".join(map(str, field["path"])): field for field in fields if field["kind"] != "shape"}
    keys = {(table["name"], key["name"]): key for table in core.tables() for key in table["keys"]}
    declared = {
        "duration": keys["scenario", "duration"],
        "warmup": keys["scenario", "warmup"],
        "seed": keys["scenario", "seed"],
        "flows.0.count": keys["flows", "count"],
        "flows.0.start": keys["flows", "start"],
        "dumbbell.bottleneck.rate": keys["link", "rate"],
        "dumbbell.bottleneck.delay": keys["link", "delay"],
    }
    for path, key in declared.items():
        (bounds,) = key["ranges"][:1]
        assert shown[path]["help"] == key["meaning"] + "."
        assert bounds["minimum"] <= shown[path]["low"] < shown[path]["high"] <= bounds["maximum"]
    parameters = [field for field in fields if field.get("parameter") and "low" in field]
    assert len(parameters) > 10
    for field in parameters:
        least, most = field["parameter"]["minimum"], field["parameter"]["maximum"]
        if field["kind"] != "limit":
            assert least is None or least <= field["low"], field["path"]
            assert most is None or field["high"] <= most, field["path"]


def test_a_slider_goes_no_further_than_a_narrower_declaration(modules: Modules) -> None:
    tables = core.tables()
    (duration,) = (
        key
        for table in tables
        if table["name"] == "scenario"
        for key in table["keys"]
        if key["name"] == "duration"
    )
    duration["ranges"] = [{**duration["ranges"][0], "minimum": 5, "maximum": 50}]
    body = (
        "const [text, registry, tables] = given;"
        'return modules.fieldsOf("run", modules.read(text), null, registry, tables)[0].fields[0];'
    )
    field = modules(body, FORM, core.registry(), tables)
    assert (field["low"], field["high"]) == (5, 50)


def test_intervals_are_those_of_the_command_line(modules: Modules) -> None:
    samples = [3.25, 4.5, 2.0, 7.75, 5.0]
    assert modules("return Object.values(modules.summary(given[0]))", samples) == pytest.approx(
        [statistics.summarise(samples).mean, statistics.summarise(samples).half_width]
    )
    for degrees_of_freedom in (1, 2, 3, 9, 30):
        t = modules("return modules.tQuantile(given[0])", degrees_of_freedom)
        assert t == pytest.approx(statistics.t_quantile(degrees_of_freedom))
    assert modules("return modules.summary([1, null])") == {"mean": 1, "half": None}
    assert modules("return modules.summary([null])") is None
    assert modules("return modules.summary(new Array(10).fill(0.1))") == {"mean": 0.1, "half": 0}


def test_flows_have_colours_of_their_own_while_there_are_some(modules: Modules) -> None:
    def colours(*sizes: int) -> Any:
        meaning = {"flows": [{"names": [str(k) for k in range(size)]} for size in sizes]}
        return modules("return modules.coloursOf(given[0])", meaning)

    assert colours(1, 3) == {"groups": [0, 1], "flows": [0, 1, 2, 3]}
    assert colours(2, 2, 2) == {"groups": [0, 2, 4], "flows": [0, 1, 2, 3, 4, 5]}
    assert colours(5, 2) == {"groups": [0, 1], "flows": [0, 0, 0, 0, 0, 1, 1]}


def test_parallel_links_have_room_for_what_is_written_between_them(modules: Modules) -> None:
    text = (LESSONS / "spc.toml").read_text(encoding="utf-8")
    meaning = core.describe(text, "spc.toml", {})
    nodes = modules("return [...modules.layout(given[0]).nodes.values()]", meaning)
    rows = sorted({node["row"] for node in nodes if node["column"] == 1})
    assert len(rows) == 2
    assert rows[1] - rows[0] >= 0.9
