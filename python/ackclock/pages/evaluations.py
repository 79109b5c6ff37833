"""Generates the site's pages of recorded evaluations, and a line of docs/evaluations.md for each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._archive import evaluation_file, evaluation_text, folder, stem
from ackclock.evaluation.contenders import RECOVERY
from ackclock.evaluation.limits import known
from ackclock.evaluation.rfc import TITLE
from ackclock.evaluation.spelling import extent, in_lines, more_than
from ackclock.evaluation.words import AS_STANDARD, CONCERN, NO_LIMIT, UNDECIDED, WORST_FIRST
from ackclock.pages import DOCS, evaluation_findings
from ackclock.pages.markdown import row, table

RECORDS = "python/ackclock/archive/evaluations"
"""The folder of the records in the repository. On the site, a link to a record leads to the page made from it."""
CONTROLS: Mapping[str, Sequence[str]] = {
    "cubic": (),
    "sack": (),
    "bbrv3": (),
    "prague": ("--transport", '{ name = "rfc", ecn = true }'),
    "copa": (),
    "rbcc": (),
    "a-tcp": (),
    "ltcp-rc": (),
    "noq:bbr3": ("--transport", "noq"),
}
"""The controls with recorded evaluations, each with the further options of ``ackclock evaluate``."""
REMARKS: Mapping[str, str] = toml.loads((folder("evaluations") / "remarks.toml").read_text(encoding="utf-8"))
"""Remarks for the pages of some controls, by control."""


def records() -> list[dict[str, Any]]:
    """Returns the records, in the order of ``CONTROLS``."""
    return [json.loads(text) for name in CONTROLS if (text := evaluation_text(name)) is not None]


def index() -> str:
    """Returns a line for each recorded evaluation."""
    lines = [["control", "what it is", "grid", "verdicts", "concerns in"], ["---"] * 5]
    for record in records():
        # Section 6.1 repeats the verdicts of section 5.
        found = [one for one in record["criteria"] if one["section"] != "6.1"]
        counts = Counter(one["verdict"] for one in found)
        concerns = [one["section"] for one in found if one["verdict"] == CONCERN]
        name = record["control"]
        summary = next(one["summary"] for one in core.registry() if one["name"] == name)
        own = " (a reference itself)" if name in record["references"] else ""
        lines.append(
            [
                f"[{name}](../{RECORDS}/{evaluation_file(name).name})",
                summary,
                extent(quick=record["quick"], most_packets=record.get("most_packets")),
                ", ".join(f"{counts[one]} {one}" for one in WORST_FIRST if counts[one]) + own,
                ", ".join(concerns) or "none",
            ]
        )
    return "\n".join(row(*cells) for cells in lines)


def limits() -> str:
    """Returns a line for each limit."""
    rows = [[f"`{name}`", one.text, one.reason, one.source or "ours"] for name, one in known().items()]
    return "\n".join(table(["limit", "a condition is met if its metric is", "reason", "source"], rows))


def place(control: str) -> str:
    """Returns the place of the page of a control on the site."""
    return f"evaluations/{stem(control)}.md"


def pages() -> Iterator[tuple[Path, str]]:
    """Yields the page of each recorded evaluation, at the path that it would have in the repository."""
    for record in records():
        yield DOCS / place(record["control"]), "\n".join(_page(record)) + "\n"


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    name, references = record["control"], record["references"]
    yield f"# {name} by RFC 9743"
    yield ""
    yield f"The verdicts of `ackclock evaluate` on the criteria of {TITLE}, in the order of the RFC."
    yield "[How to read the verdicts](../evaluate.md)."
    yield ""
    if record["quick"]:
        yield (
            f"**This is a quick evaluation**: {len(record['seeds'])} seeds, with fewer paths and shorter runs than "
            "with `--full`. The full evaluation takes hours of processor time and has not been recorded."
        )
    else:
        yield f"This is a full evaluation: the whole grid of paths, with {len(record['seeds'])} seeds."
    if record.get("most_packets") is not None:
        yield (
            f"**Settings whose {more_than(record['most_packets'])} are left out**; the end of the page gives "
            "their number."
        )
    yield ""
    yield (
        f"Each scenario also ran with {' and with '.join(references)} in place of {name}, with the same random "
        "numbers. Each condition is judged against each of these references, and the best of these verdicts counts. "
        f"{_recoveries(record)} RFC 9743 has no "
        "thresholds: this project chose every limit, so a verdict does not say whether the control conforms to the "
        "RFC. The control runs with its default parameters."
    )
    yield ""
    yield (
        'The column "the RFC says" contains the RFC\'s requirement word, such as MUST. Most of these words demand an '
        "evaluation, not a result: **CONCERN next to MUST does not mean that the control violates the RFC**. A concern "
        "in section 6, whose criteria have to be met, weighs more than a concern in section 7. The method has "
        "[limits](../evaluate.md#limits-of-the-method)."
    )
    yield ""
    if name in references:
        yield (
            f"{name} is itself one of the references. Two kinds of conditions therefore never lead to a concern here: "
            "those that compare the tested control with a reference, and those whose violation is accepted if a "
            "reference violates them too. Only the conditions of section 5.1.1, and the conditions of section 5.2 on "
            "a sender without feedback, can lead to a concern."
        )
        yield ""
    if name in REMARKS:
        yield REMARKS[name].strip()
        yield ""
    yield from _origin(record)
    yield "## Verdicts"
    yield ""
    yield from table(
        ["section", "criterion", "the RFC says", "verdict", "why"],
        [
            [
                one["section"],
                one["title"],
                one["strength"],
                f"**{one['verdict']}**",
                "<br>".join(in_lines(one["sentence"])),
            ]
            for one in record["criteria"]
        ],
    )
    for verdict, title in (
        (CONCERN, "Conditions that are not met"),
        (UNDECIDED, "Undecided conditions"),
        (AS_STANDARD, "Conditions that standard congestion controls do not meet either"),
        (NO_LIMIT, "Numbers without a limit"),
    ):
        parts = [line for one in record["criteria"] for line in evaluation_findings.of(one, verdict)]
        if parts:
            yield ""
            yield f"## {title}"
            yield from parts
    yield ""
    yield "## Questions to the author"
    yield ""
    yield "Demands of the RFC on the author or the document, which no simulation can check:"
    yield ""
    asked = [(one["section"], one["demand"], one["answer"] or "not answered") for one in record["process"]]
    yield from table(["section", "demand of the RFC", "answer"], asked)
    lacks = [(one["section"], text) for one in record["criteria"] for text in one["lacks"]]
    if lacks:
        yield ""
        yield "## Parts of the RFC that are left out or tested less strictly"
        yield ""
        for section, text in lacks:
            yield f"* {section}: {text}"


def _origin(record: Mapping[str, Any]) -> Iterator[str]:
    """Yields the command that makes a record, and with what."""
    versions = record["versions"]
    cores = ", ".join(f"{name} `{text}`" for name, text in versions.items() if name.startswith("core"))
    yield "```text"
    yield record["command"]
    yield "```"
    yield ""
    yield (
        f"{record['runs']:,} simulations; ackclock {versions['ackclock']}, {cores}. "
        f"The record contains every sample; `ackclock evaluate CONTROL --compare {record['control']}` compares a new "
        "evaluation with it."
    )
    yield ""


def _recoveries(record: Mapping[str, Any]) -> str:
    """Returns how the flows in the seat recover from losses."""
    others = {name: rule for name, rule in record["recoveries"].items() if rule != RECOVERY}
    if not others:
        return "All TCP flows use RACK loss detection (RFC 8985)."
    rules = set(record["recoveries"].values())
    if len(rules) == 1:
        return f"The control under test and both references use the loss recovery `{rules.pop()}`."
    return " ".join(f"{name} uses the loss recovery `{rule}`." for name, rule in others.items())
