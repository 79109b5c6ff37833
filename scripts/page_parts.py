"""The parts of pages that are made from the program and its records.

A part stands in README.md, CONTRIBUTING.md or a page of docs between two comments:

    <!-- generated: WHAT -->
    <!-- end of what is generated -->

Where the first is ``<!-- on the site: WHAT -->``, the part is made for the site alone, and in the repository a line
says what else has it.

WHAT is one of

    kind controls            an entry's table for each control (discriminators, actions, slow-starts, resumes,
                             ecn-responses, growth-limits, backoffs, selectors, queues, losses, media, propagations,
                             mobilities, agents, applications)
    table NAME               the keys of a table of the scenario language, as they are declared; the page has the
                             other tables too, so that a key can lead to what its value opens
    transports PROFILE       every transport detail with its value in each profile that has the same details
    profiles PROFILE         where those profiles differ
    studies                  every study of a thesis
    scenarios                every scenario of RFC 7928
    claims STUDY             the claims of a study of our own, as they were recorded last
    grids STUDY              the same as tables of a discipline a row, where claims are called
                             QUANTITY.DISCIPLINE.COLUMN
    reproduction answer      what the theses come to, in a sentence
    reproduction counts      how many claims of each thesis have each verdict, from the records of the package
    reproduction systems     the systems that the theses propose, from docs/reproduction/systems.toml
    thesis-claims THESIS     a line for each claim of a thesis
    thesis-facts THESIS      the reference of a thesis and its counts
    thesis-figures THESIS    its figures, from docs/reproduction/figures.toml and the records
    predictions FOLDER MISSING EXTRA ...  how many numbers of the studies of a folder lie inside their bands; MISSING is
                             how many no study can state, and extras are counted apart
    series flows|links       what each series of a run holds
    documents MODULE RECORD ...  the records of a published document, and those that they hold
    words MODULE             the vocabulary of expressions, from a module of ackclock.experiment
    fields RECORD            the fields of a run's result, or of its flows, links, groups, transfers or size_classes
    schemas                  the JSON Schemas, as files
    speed                    how fast ackclock, ns-2 and ns-3 are, from docs/speed.toml
    speed instructions       what a packet takes, from reference/instructions.json
    validation PART          how far the simulator may lie from models and other programs, and how far it does
    linux-controls agreement|decisions  what controls on sockets of the kernel have done, from the archive
    on-the-wire 40|10|policers  what `ackclock path` has measured beside simulations, from the archive
    flows-on-the-wire measured|first seconds|late acknowledgements|missing  what `ackclock wire` has measured beside
                             simulations, from the archive
    testbed-on-the-wire about|chapter 3|chapter 4  a testbed on real Linux, from the archive
    characterisation answer|verdicts|scenarios  what full runs of the scenarios of RFC 7928 found, from the archive
    searches CONTROL         what searches found in a control, from the archive
    search-variants NAME     what variants of it do, from the archive
    media                    the cases of RFC 8867 under each rate control of real-time media, run
    lessons                  the lessons of the classroom
    evaluations              the recorded evaluations after RFC 9743, from the archive
    limits                   the limits of evaluations, with their reasons
    power                    in how many of a hundred comparisons a known change of a control is found
    crates                   the crates of the workspace in layers, from their manifests
    stack-checks drills|counts|table|causes  what `ackclock check-stack` asks, and what it has found in stacks
    stack-matrix answer|table|unequal|itself|changes  how pairs of controls of QUIC stacks share 16 paths
    clauses                  what is claimed of standards, from docs/clauses.toml and the citations in the sources
    file PATH                a file of the repository
    commands                 every command of `ackclock`, with its arguments and options
    traces                   every reference trace, with its document and what it shows
    records NAME ...         the records that events bring to Python, from their docstrings
    methods FILE NAME        the methods of a trait, or the fields of a struct, from their comments
    modules                  the public modules of the package, from their docstrings
    python                   what the package offers Python, from its docstrings
    run COMMAND              a command and its output, in a folder that holds `scenarios` and `docs`
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import clauses
import control_measurements
import crate_layers
import evaluation_power
import media_cases
import path_measurements
import reference_pages
import registry_tables as tables
import search_variants
import speed_pages
import stack_agreement
import stack_checks
import stack_matrix
import testbed_measurements
import validation_pages
import wire_measurements

from ackclock.lessons import lessons as all_lessons
from ackclock.pages import characterisation, evaluations, figures, numbers, searches, systems, theses
from ackclock.pages import studies as study_pages
from ackclock.study.load import load_study, study_names

ROOT = Path(__file__).resolve().parent.parent
# The table "controls under stacks" is written by a test of crates/stacks, which knows the stacks.
PART = re.compile(
    r"<!-- (?P<place>generated|on the site): (?!controls under stacks )(?P<what>.*?) -->\n.*?"
    r"<!-- end of what is generated -->",
    re.DOTALL,
)
PROGRESS = re.compile(r".+: [0-9]+ of [0-9]+ runs(, .+ left)?")
"""What a long command writes each minute where there is no terminal."""
NO_SUCH_COMMAND = 127
"""What a shell returns for a command that is not installed."""
LANGUAGES = {".toml": "toml", ".rs": "rust", ".py": "python", ".json": "json", ".yml": "yaml"}


KINDS = {"media": "mediums"}
"""Kinds that `ackclock list` calls by another plural than pages."""
KIND_OF = {"registry": "list"}
"""Modules of schemas whose document has another name."""
INSTEAD: dict[str, Callable[[str], str]] = {
    "kind": lambda kind: f"`ackclock list {KINDS.get(kind, kind)}` prints",
    "table": lambda name: f"`ackclock list keys {name}` prints",
    "transports": lambda profile: f"`ackclock list transports {profile}` prints",
    "profiles": lambda profile: f"`ackclock list transports {profile}` prints",
    "fields": lambda _: "`ackclock schema --of run` prints",
    "series": lambda _: "`ackclock schema --of run` prints",
    "documents": lambda what: (
        f"`ackclock schema --of {KIND_OF.get(what.split()[0], what.split()[0])}` prints"
    ),
    "power": lambda _: "`scripts/evaluation_power.py` computes",
    "stack-checks": lambda what: (
        "[`causes.toml`](../reference/stack-checks/causes.toml) contains"
        if what == "causes"
        else "`ackclock list drills` prints"
    ),
    "limits": lambda _: "[`limits.toml`](../python/ackclock/evaluation/limits.toml) contains",
    "words": lambda module: f"`python -m pydoc ackclock.experiment.{module}` prints",
    "commands": lambda _: "`ackclock COMMAND --help` prints",
    "python": lambda _: "Python's `help`, such as `help(ackclock.Scenario)`, prints",
    "records": lambda _: "`python -m pydoc ackclock.custom` prints",
    "traces": lambda _: "[`traces.toml`](../python/ackclock/reference_traces/traces.toml) contains",
    "clauses": lambda _: "[`clauses.toml`](clauses.toml) contains",
    "studies": lambda _: "`ackclock list studies` prints",
    "scenarios": lambda _: "`ackclock list studies` prints",
    "claims": lambda study: f"`ackclock reproduce {study} --judge` prints",
    "grids": lambda study: f"`ackclock reproduce {study} --judge` prints",
    "thesis-claims": lambda key: f"`ackclock reproduce {key} --judge` writes an HTML report with",
    "characterisation": lambda _: (
        "[The records in this folder](../python/ackclock/archive/characterisation) contain"
    ),
    "flows-on-the-wire": lambda _: "[The record](../python/ackclock/archive/wire/flows.json) contains",
    "testbed-on-the-wire": lambda _: "[The record](../python/ackclock/archive/wire/testbed.json) contains",
    "schemas": lambda _: "`ackclock schema --of KIND` prints",
    "file": lambda path: f"[`{path}`](../{path}) contains",
    "run": lambda command: f"`{command}` prints",
}
"""The command or file that has, in the repository, what a part shows on the site."""
SHOWN = {
    "fields": ("the fields", "their JSON Schema"),
    "series": ("the series", "their JSON Schema"),
    "documents": ("the fields of the document", "their JSON Schema"),
    "claims": ("the claims", "them"),
    "grids": ("the claims", "them"),
    "thesis-claims": ("the claims", "them"),
    "commands": ("the options", "them"),
    "words": ("the list", "it"),
    "python": ("the list", "it"),
    "traces": ("the table", "its data"),
    "characterisation": ("the tables", "their data"),
    "flows-on-the-wire": ("the table", "its data"),
    "testbed-on-the-wire": ("the table", "its data"),
    "records": ("the list", "it"),
    "file": ("the example", "it"),
    "run": ("the output", "it"),
}
"""What the site shows of a part, and what the command or file has of it, if these are not a table and the same."""


def parts(text: str) -> list[str]:
    """Returns what the parts of a page that stand in the repository ask for."""
    return [part["what"] for part in PART.finditer(text) if part["place"] == "generated"]


def in_the_repository(text: str, page: Path, wants: Callable[[str], bool] = lambda _: True) -> str:
    """Returns a page with the parts that ``wants`` chooses made anew, and with its numbers."""

    def part(found: re.Match[str]) -> str:
        if found["place"] == "on the site":
            return _part(found["place"], found["what"], line_instead(found["what"], page))
        wanted = wants(found["what"])
        return _part(found["place"], found["what"], generate(found["what"])) if wanted else found[0]

    return PART.sub(part, numbers.with_numbers(text, page))


def on_the_site(text: str) -> str:
    """Returns a page with the parts that only the site has."""

    def part(found: re.Match[str]) -> str:
        is_there = found["place"] == "generated"
        return found[0] if is_there else _part("generated", found["what"], generate(found["what"]))

    return PART.sub(part, text)


def _part(place: str, what: str, made: str) -> str:
    return f"<!-- {place}: {what} -->\n{made}\n<!-- end of what is generated -->"


def line_instead(what: str, page: Path) -> str:
    """Returns the line that stands in a page of the repository in place of a part that only the site has."""
    word, _, rest = what.partition(" ")
    if word not in INSTEAD:
        raise SystemExit(f"error: nothing in the repository has {what!r}: generate it there")
    up = os.path.relpath(ROOT / "docs", page.parent)
    index = "index.md" if up == "." else f"{up}/index.md"
    noun, has = SHOWN.get(word, ("the table", "it"))
    # This sentence counts what the study has: claims, questions or predictions.
    counted = f"{study_pages.verdicts(rest)} " if word in ("claims", "grids") else ""
    noun = next((f"the {one}" for one in ("questions", "predictions") if f" {one}" in counted), noun)
    site = f"[The documentation site]({index}#what-only-the-site-has)"
    return f"*{counted}{site} shows {noun} here; {INSTEAD[word](rest)} {has}.*"


def generate(what: str) -> str:
    """The part that ``what`` asks for."""
    word, _, rest = what.partition(" ")
    makers: dict[str, Callable[[str], str]] = {
        "kind": tables.kind,
        "table": tables.keys_of,
        "transports": tables.transports,
        "profiles": tables.profiles,
        "studies": studies,
        "scenarios": scenarios,
        "reproduction": reproduction,
        "thesis-claims": theses.claims_part,
        "thesis-facts": theses.facts,
        "thesis-figures": figures.generated,
        "characterisation": characterisation.generated,
        "on-the-wire": path_measurements.generated,
        "flows-on-the-wire": wire_measurements.generated,
        "testbed-on-the-wire": testbed_measurements.generated,
        "linux-controls": control_measurements.generated,
        "clauses": lambda _: clauses.generated(),
        "crates": lambda _: crate_layers.generated(),
        "evaluations": lambda _: evaluations.index(),
        "limits": lambda _: evaluations.limits(),
        "power": lambda _: evaluation_power.generated(),
        "agreement": stack_agreement.generated,
        "stack-checks": stack_checks.generated,
        "stack-matrix": stack_matrix.generated,
        "predictions": study_pages.predictions,
        "claims": claims,
        "grids": grids,
        "fields": tables.fields,
        "series": tables.series,
        "documents": tables.records,
        "words": tables.words,
        "schemas": lambda _: tables.schemas_of_documents(),
        "speed": speed_pages.generated,
        "validation": validation_pages.generated,
        "searches": searches.generated,
        "search-variants": search_variants.generated,
        "media": lambda _: media_cases.generated(),
        "lessons": lessons,
        "file": file,
        "run": run,
        "commands": lambda _: reference_pages.commands(),
        "traces": lambda _: reference_pages.traces(),
        "python": lambda _: reference_pages.python(),
        "methods": reference_pages.methods,
        "modules": lambda _: reference_pages.modules(),
        "records": reference_pages.records,
    }
    if word not in makers:
        raise SystemExit(f"error: no part is called {what!r}")
    return makers[word](rest.strip())


def studies(_: str) -> str:
    """Every study of a thesis."""
    rows = []
    for name in study_names():
        study = load_study(name).study
        if study.characterisation is None:
            rows.append([f"`{name}`", study.title, f"{study.source.item}, section {study.source.section}"])
    return "\n".join(tables.table(["study", "what it shows", "in the thesis"], rows))


def scenarios(_: str) -> str:
    """Every scenario of RFC 7928."""
    rows = []
    for name in study_names():
        study = load_study(name).study
        if study.characterisation is not None:
            rows.append([f"`{name}`", study.title, study.characterisation.requirement])
    return "\n".join(tables.table(["study", "scenario", "requirement"], rows))


def reproduction(what: str) -> str:
    """A table of the index of the reproduction."""
    makers = {
        "answer": theses.answer_of_all,
        "counts": theses.counts,
        "systems": systems.table,
    }
    return "\n" + makers[what]() + "\n"


def claims(study: str) -> str:
    """A study's claims as they were recorded last."""
    return "\n" + study_pages.answers(study) + "\n"


def grids(study: str) -> str:
    """A study's claims as tables, as they were recorded last."""
    return "\n" + study_pages.grids(study) + "\n"


def lessons(_rest: str) -> str:
    """Every lesson with its question."""
    rows = [[f"`{one.name}`", one.title, one.question] for one in all_lessons()]
    return "\n".join(tables.table(["name", "lesson", "question"], rows))


def file(path: str) -> str:
    """A file of the repository as a block of code."""
    text = (ROOT / path).read_text(encoding="utf-8").rstrip("\n")
    return f"```{LANGUAGES.get(Path(path).suffix, '')}\n{text}\n```"


def run(command: str) -> str:
    """A command and what it prints, on standard output and standard error."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("scenarios", "docs"):
            (Path(folder) / name).symlink_to(ROOT / name)
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            # Where results go without --out.
            "HOME": folder,
            # Matplotlib would list the machine's fonts in each new home, and say so where that takes long.
            "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(Path.home() / ".cache" / "matplotlib")),
        }
        environment.pop("ACKCLOCK_RESULTS", None)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
    # How long a command took differs from run to run, and so does how often a long one says how far it is.
    output = re.sub(
        r"(\d+ runs.*), .* of CPU time$", r"\1, ... of CPU time", done.stdout.rstrip(), flags=re.MULTILINE
    )
    lines = [line.rstrip() for line in output.splitlines() if not PROGRESS.fullmatch(line)]
    # A command may fail on purpose, to show what it says of a mistake; a traceback is never what it should say.
    if "Traceback (most recent call last):" in lines:
        raise SystemExit(f"error: `{command}` ended in a traceback:\n{output}")
    if done.returncode == NO_SUCH_COMMAND:
        raise SystemExit(f"error: `{command}`: {output}")
    return "\n".join(["```console", f"$ {command}", *lines, "```"])
