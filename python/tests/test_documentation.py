"""The documentation says what is true: links lead somewhere, examples are right, everything is described."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import script, sender
from pydantic import BaseModel, TypeAdapter

from ackclock import Scenario, schemas
from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock.cli.app import app
from ackclock.experiment.run_words import RunWords
from ackclock.experiment.sample_words import SampleWords
from ackclock.schemas import evaluate, registry, reproduce, run
from ackclock.study import model
from ackclock.study.grid import expanded

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "reference" / "peers" / "README.md",
        *(ROOT / "python" / "ackclock" / "archive" / "studies").glob("*/README.md"),
    ]
)
EXAMPLES = sorted((ROOT / "scenarios" / "examples").glob("*.toml"))

LINK = re.compile(
    r"\[[^\]\[]*\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"|^\[[^\]\n]+\]: (\S+)$", re.MULTILINE
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

BASE = """
duration = "5 s"
[dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms" }
access = { rate = "10 Mbit/s", delay = "1 ms" }
"""


parts = script("page_parts.py")


@cache
def page(name: str) -> str:
    """A page as the site has it."""
    return str(parts.on_the_site((ROOT / "docs" / name).read_text(encoding="utf-8")))


def section(text: str, heading: str) -> str:
    """What stands between a heading and the next of its rank or above."""
    end = f"^#{{1,{heading.index(' ')}}} |\\Z"
    found = re.search(f"^{re.escape(heading)}$\n(.*?)(?={end})", text, re.MULTILINE | re.DOTALL)
    assert found, f"no heading {heading!r}"
    return found[1]


def blocks(text: str, language: str) -> list[str]:
    return [code for name, code in FENCE.findall(text) if name == language]


def first_column(text: str) -> set[str]:
    """The names in backticks in the first column of all tables."""
    cells = re.findall(r"^\| ([^|]*) \|", text, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def anchors(text: str) -> set[str]:
    """The anchors that a Markdown page has for its headings, as GitHub makes them."""
    names: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        before = sum(1 for name in names if name == plain or re.fullmatch(f"{re.escape(plain)}-\\d+", name))
        names.append(f"{plain}-{before}" if before else plain)
    return set(names)


def test_the_index_has_a_line_for_each_page() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {target.partition("#")[0] for found in LINK.finditer(text) if (target := found[1])}
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - listed == {"index.md"}


def test_every_tolerance_of_the_tests_is_on_the_page_on_validation() -> None:
    tolerances = toml.loads((ROOT / "reference" / "tolerances.toml").read_text(encoding="utf-8"))
    analytic = tolerances.pop("analytic")
    words = analytic.pop("what")
    assert words.keys() == analytic.keys()
    known = {*script("validation_pages.py").QUANTITIES, "what", "why", "standard_errors"}
    text = page("validation.md")
    unsaid = set()
    for family, parts in tolerances.items():
        for name, one in parts.items():
            if isinstance(one, dict) and "what" in one:
                assert set(one) <= known, (family, name)
                assert f"| {one['what']} |" in text
            elif isinstance(one, dict):
                unsaid.add(f"{family}.{name}")
    # Packets are compared one by one.
    assert unsaid == {"sctp.packets"}
    assert all(f"| {one} |" in text for one in words.values())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for found in LINK.finditer(FENCE.sub("", text)):
        target = found[1] or found[2] or found[3]
        if re.match(r"https://", target):
            continue
        file, _, anchor = target.partition("#")
        there = path if not file else path.parent / file
        assert there.exists(), f"{target} in {path.name}"
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{target} in {path.name}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_show_no_machine_and_name_real_commands(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(work|root|home|tmp)/", text)
    commands = {known.name or getattr(known.callback, "__name__", "") for known in app.registered_commands}
    commands |= {group.name for group in app.registered_groups}
    for command in re.findall(
        r"(?:\$ |`|^    )(?:\.venv/bin/)?ackclock ([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE
    ):
        assert command in commands, command
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for target in re.findall(r"(?:\$ |`)make ([a-z-]+)", text):
        assert target in targets, target


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run_and_are_listed(path: Path) -> None:
    scenario = Scenario.from_file(path)
    results = scenario.run_many(replications=1)
    assert all(run.flows["goodput_bps"].min() > 0 for run in results)  # type: ignore[operator]
    assert path.name in page("getting-started.md")


def scenarios_of(block: str) -> Iterator[str]:
    """The scenarios that a piece of one stands for: a whole file, a piece of flows, or one key of a flow a line."""
    if "duration =" in block:
        yield block
    elif re.search(r"^\[", block, re.MULTILINE):
        header = "" if "[[flows]]" in block else '[[flows]]\ncontrol = "reno"\n'
        yield BASE + header + block
    else:
        for line in block.splitlines():
            control = "" if line.startswith("control") else 'control = "reno"\n'
            yield f"{BASE}[[flows]]\n{control}{line}\n"


@pytest.mark.parametrize("name", ["scenario-language.md", "profiles.md"])
def test_pieces_of_scenarios_are_right(name: str) -> None:
    pieces = [piece for block in blocks(page(name), "toml") for piece in scenarios_of(block)]
    assert pieces
    for piece in pieces:
        Scenario.from_text(piece)


def test_links_in_netems_words_are_right() -> None:
    rows = re.findall(
        r"^\| (`.*`) \| (.*) \| .*\|$", section(page("paths.md"), "## Translation from netem"), re.MULTILINE
    )
    translated = [(words, re.findall(r"`([^`]+)`", here)) for words, here in rows if here != "not available"]
    assert len(translated) >= 16
    for words, keys in translated:
        missing = [f'{key} = "1 {unit}"' for key, unit in (("rate", "Mbit/s"), ("delay", "ms"))]
        link = keys + [default for default in missing if not any(key.startswith(default[:5]) for key in keys)]
        text = '[[links]]\nbetween = ["a", "b"]\n' + "\n".join(link)
        flow = '[[flows]]\ncontrol = "cubic"\nfrom = "a"\nto = "b"\n'
        assert Scenario.from_text(f'duration = "1 s"\n{text}\n{flow}'), words


def test_pieces_of_studies_are_right() -> None:
    kinds: dict[str, Any] = {
        "source": model.Source,
        "quick": model.Quick,
        "cases": list[model.Case],
        "sweep": model.Sweep,
        "metrics": list[model.Metric],
        "claims": list[model.Claim],
        "figures": list[model.Figure],
        "assumptions": list[model.Assumption],
        "findings": list[model.Finding],
    }
    seen = set()
    for block in blocks(page("studies.md"), "toml"):
        for key, value in expanded(toml.loads(block), block, "studies.md").items():
            seen.add(key)
            if key in kinds:
                TypeAdapter(kinds[key]).validate_python(value)
    assert seen == set(model.Study.model_fields) - {"scenario"}


def test_the_grids_of_the_page_make_what_it_says() -> None:
    text = section(page("studies.md"), "### Grids")
    made = [expanded(toml.loads(block), block, "studies.md") for block in blocks(text, "toml")]
    cases = [case["name"] for document in made for case in document.get("cases", [])]
    (said,) = re.findall(r"This table stands for the cases (.*)\. A value", text)
    assert re.findall(r"`([^`]*)`", said) == cases
    claims = [claim for document in made for claim in document.get("claims", [])]
    ids = ["1d", "1f", "loss-newreno", "rbcc-newreno", "loss-sack", "rbcc-sack"]
    assert [claim["id"] for claim in claims] == ids
    assert claims[0]["text"] == "NewReno loses 12.2 % of what it sends with 25 connections"
    assert claims[3]["direction"].count(" and ") == 2


RECORDS: dict[str, list[type[BaseModel]]] = {
    "### Flows": [run.FlowRecord],
    "### Links": [run.LinkRecord],
    "### Groups": [run.GroupRecord],
    "### Transfers": [run.TransferRecord, run.SizeClassRecord],
}
DOCUMENTS: dict[str, type[BaseModel]] = {
    "## Several runs": run.Point,
    "### A reproduction": reproduce.ReproduceDocument,
    "### An evaluation": evaluate.EvaluateDocument,
    "### The registry": registry.Entry,
}


def fields(*records: type[BaseModel]) -> set[str]:
    return {field.alias or name for record in records for name, field in record.model_fields.items()}


@pytest.mark.parametrize("heading", RECORDS)
def test_every_field_is_defined(heading: str) -> None:
    assert first_column(section(page("results.md"), heading)) == fields(*RECORDS[heading])


@pytest.mark.parametrize("heading", DOCUMENTS)
def test_every_field_of_a_document_is_defined(heading: str) -> None:
    text = section(page("results.md"), heading)
    assert fields(DOCUMENTS[heading]) <= first_column(text)
    assert not re.findall(r"^\| `\w+` \|  *\|$", text, re.MULTILINE)


def test_the_fields_of_a_run_are_defined() -> None:
    own = section(page("results.md"), "## One run").split("###")[0]
    assert first_column(own) == fields(run.RunDocument)


def test_every_series_is_defined() -> None:
    controls = [entry["name"] for entry in core.registry() if entry["kind"] == "control"]
    queues = [entry["name"] for entry in core.registry() if entry["kind"] == "queue"]
    layers = [entry for entry in core.registry() if entry["kind"] in ("slow-start", "resume", "growth-limit")]
    around = [
        f'name = "{one["name"]}"\ncontrol = "sack"\n{one["kind"].replace("-", "_")} = "{one["name"]}"'
        for one in layers
    ]
    names = set()
    for queue in queues:
        senders = [*map(sender, controls), *around]
        flows = "".join(f"[[flows]]\n{one}\n" for one in senders)
        text = BASE.replace("10 ms", f'10 ms", queue = "{queue}') + flows
        names |= set(Scenario.from_text(text).run().series.columns)
    defined = first_column(section(page("results.md"), "### Series"))
    of_associations = {
        name for name in defined if re.fullmatch(r"path|spc_switches|(cwnd|rto)_path_\d_\w+", name)
    }
    assert len(of_associations) == 18
    assert defined - of_associations == names - {"time_s", "kind", "name"}


def test_every_word_of_an_expression_is_described() -> None:
    empty: dict[str, Any] = {"flows": [], "links": [], "fairness": None, "duration_s": 1.0}
    words = RunWords(empty)
    of_metrics = section(page("studies.md"), "### Metrics")
    for word in [*words.values, *words.functions]:
        assert re.search(rf"\b{word}\b", of_metrics), word
    claims = section(page("studies.md"), "### Claims")
    for word in SampleWords({}, []).functions:
        assert re.search(rf"\b{word}\b", claims), word


def test_every_table_of_a_scenario_is_described() -> None:
    text = page("scenario-language.md")
    tables = {one["name"]: one for one in core.tables()}
    shown = dict(re.findall(r"<!-- generated: table (\w+) -->\n(.*?)<!-- end", text, re.DOTALL))
    # These have the keys of a link, which are described once.
    assert set(tables) - set(shown) == {"link_of_rtt", "difference", "direction"}
    schema = schemas.schema("scenario")
    for name, part in shown.items():
        keys = {key["name"] for key in tables[name]["keys"]}
        assert keys <= first_column(part)
        assert keys == set((schema if name == "scenario" else schema["$defs"][name]).get("properties", {}))


@pytest.mark.parametrize(
    ("name", "file", "what"),
    [
        ("extend.md", "cc/src/classic.rs", "trait WindowLaw"),
        ("extend.md", "aqm/src/discipline.rs", "trait Discipline"),
        ("extend.md", "aqm/src/departure.rs", "trait Departing"),
        ("extend.md", "aqm/src/entry.rs", "struct Service"),
        ("extend.md", "sim/src/endpoint.rs", "trait Endpoint"),
        ("extend.md", "sim/src/endpoint.rs", "trait Outbox"),
        ("extend.md", "sim/src/medium.rs", "trait Medium"),
        ("extend.md", "lab/src/transports/plan.rs", "trait Transport"),
        ("extend.md", "lab/src/transports/plan.rs", "trait TransportPlan"),
    ],
)
def test_what_an_extension_implements_is_described(name: str, file: str, what: str) -> None:
    source = (ROOT / "crates" / file).read_text(encoding="utf-8")
    body = re.split(rf"^pub {what}\b", source, flags=re.MULTILINE)[1].split("\n}\n", 1)[0]
    members = re.findall(r"^    (?:fn|const|pub) (\w+)", body, re.MULTILINE)
    kind, trait = what.split()
    head = f"| {'method' if kind == 'trait' else 'field'} of `{trait}` |"
    text = page(name)
    table = text[text.index(head) :].split("\n<!--", 1)[0]
    assert first_column(table) - {trait} == set(members)
    assert members
