"""A lesson as a Jupyter notebook: question, scenario, runs with intervals, figure, what to look for."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

from ackclock._files import replacing, writable
from ackclock._libraries import missing
from ackclock.lessons import Lesson
from ackclock.lessons.outcome import REPLICATIONS

LOOK = "## What to look for"
"""The heading of the statements that the students should find, which are left out without ``answers``."""


def write(lesson: Lesson, folder: Path, *, answers: bool = True) -> Path:
    """Writes ``NAME.ipynb`` into the folder, with what to look for if ``answers``; InputError if the library for
    notebooks is missing.
    """
    try:
        import nbformat
    except ImportError:
        raise missing("--notebooks needs", "nbformat") from None
    new: dict[str, Any] = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    # Sets the identifiers, because the library's are random, and the same lesson should give the same file.
    cells = [
        new[kind](text, id=f"{lesson.name}-{place}")
        for place, (kind, text) in enumerate(_cells(lesson))
        if answers or not text.startswith(LOOK)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.from_dict({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})
    writable(folder, "--notebooks")
    path = folder / f"{lesson.name}.ipynb"
    with replacing(path) as file:
        file.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")
    return path


def _cells(lesson: Lesson) -> list[tuple[str, str]]:
    """Returns the cells of the notebook: the kind and the text of each."""
    variants = {variant.label: lesson.changed(variant) for variant in lesson.variants}
    measures = {one.axis_title: one.expr.strip() for one in lesson.measures}
    own = lesson.changed(lesson.variants[1])
    texts = {
        "scenario": _text(lesson.scenario),
        "variants": _dictionary(variants),
        "measures": _dictionary(measures),
        "own": _dictionary(own),
        "figure": repr(lesson.figure),
        "replications": str(REPLICATIONS),
    }
    code = {name: Template(text).substitute(texts) for name, text in _CODE.items()}
    return [
        ("markdown", f"# {lesson.title}\n\n{lesson.question}\n\nYou will learn {lesson.learn}"),
        ("markdown", "The scenario, in the file format of `ackclock run`:"),
        ("code", code["scenario"]),
        ("markdown", f"Each variant changes values of the scenario and is run with {REPLICATIONS} seeds:"),
        ("code", code["runs"]),
        ("markdown", "Mean of each measure over the seeds ± half the width of its 95 % confidence interval:"),
        ("code", code["table"]),
        ("markdown", "Time series of the first run of each variant:"),
        ("code", code["figure"]),
        ("markdown", f"{LOOK}\n\n{_list(lesson.look)}"),
        ("markdown", "## What to change\n\n" + _list(lesson.change)),
        ("code", code["own"]),
    ]


_CODE = {
    "scenario": "import ackclock\n\nscenario = ackclock.Scenario.from_text($scenario)",
    "runs": """variants = $variants

runs = {
    label: scenario.with_overrides(changes).run_many(replications=$replications, series=True)
    for label, changes in variants.items()
}""",
    "table": """from ackclock.lessons.outcome import curves, table

measures = $measures
table(runs, measures)""",
    "figure": "curves(runs, $figure)",
    "own": """# Your own variant: new values by their dotted paths in the scenario.
own = $own
table({"own": scenario.with_overrides(own).run_many(replications=$replications, series=True)}, measures)""",
}


def _text(text: str) -> str:
    """Returns a text as a Python literal over several lines."""
    if "'''" in text or "\\" in text:
        return repr(text)
    return f"'''\n{text}'''"


def _dictionary(values: dict[str, Any]) -> str:
    """Returns a dictionary as a Python literal, a line for each entry."""
    return "{\n" + "".join(f"    {key!r}: {value!r},\n" for key, value in values.items()) + "}"


def _list(items: list[str]) -> str:
    return "\n".join(f"* {item}" for item in items)
