"""The pages of recorded evaluations, made from docs/evaluations/NAME.json: docs/evaluations/NAME.md, and a line of
docs/evaluations.md for each.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock import core
from ackclock.evaluation.rfc import TITLE
from ackclock.evaluation.verdict import WORST_FIRST, Verdict
from ackclock.numbers import significant, with_ends

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "evaluations"
CONTROLS: Mapping[str, Sequence[str]] = {
    "cubic": (),
    "bbrv3": (),
    "prague": ("--transport", '{ name = "rfc", ecn = true }'),
    "copa": (),
    "rbcc": (),
    "a-tcp": (),
    "ltcp-rc": (),
}
"""The controls that are recorded, with the options of `ackclock evaluate`."""
MOST_ROWS = 10
"""The largest number of findings that the page of a control shows of a criterion."""


def records() -> list[dict[str, Any]]:
    """The records, in the order of ``CONTROLS``."""
    files = [FOLDER / f"{name}.json" for name in CONTROLS]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


def index() -> str:
    """A line for each recorded evaluation."""
    lines = [["control", "what it is", "verdicts", "concerns in"], ["---"] * 4]
    for record in records():
        # Section 6.1 repeats the verdicts of section 5.
        found = [one for one in record["criteria"] if one["section"] != "6.1"]
        counts = Counter(one["verdict"] for one in found)
        concerns = [one["section"] for one in found if one["verdict"] == Verdict.CONCERN.value]
        name = record["control"]
        summary = next(one["summary"] for one in core.registry() if one["name"] == name)
        lines.append(
            [
                f"[{name}](evaluations/{name}.md)",
                summary,
                ", ".join(f"{counts[one.value]} {one.value}" for one in WORST_FIRST if counts[one.value]),
                ", ".join(concerns) or "none",
            ]
        )
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def pages() -> Iterator[tuple[Path, str]]:
    """The page of each recorded evaluation."""
    for record in records():
        yield FOLDER / f"{record['control']}.md", "\n".join(_page(record)) + "\n"


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    name, references = record["control"], record["references"]
    yield f"# {name} after RFC 9743"
    yield ""
    yield f"The verdicts of `ackclock evaluate` by the criteria of {TITLE}, in its order."
    yield "[How to read them](../evaluate.md)."
    yield ""
    if record["quick"]:
        yield (
            f"**This is a quick evaluation**: {len(record['seeds'])} seeds, and fewer paths and shorter runs than with "
            "`--full`, which takes about two hours of processor time for each control and has not been recorded."
        )
        yield ""
    yield (
        f"{' and '.join(references)} took the seat of {name} with the same random numbers; {references[0]} decides. "
        "RFC 9743 has no thresholds: every limit is this project's own, and a verdict is a finding. The control has "
        "its default parameters."
    )
    yield ""
    yield (
        'The column "the RFC says" has the RFC\'s word. Most of these words ask for an evaluation, not for a result: '
        "**CONCERN beside MUST does not say that the control breaks the RFC**. The method also has "
        "[known faults](../evaluate.md#limits-of-the-method), some of which make a concern of what a standard control "
        "does."
    )
    yield ""
    if name == references[0]:
        yield (
            f"{name} is its own reference, so that every comparison with it is met. What can fail here are limits "
            "without a comparison."
        )
        yield ""
    versions = record["versions"]
    cores = ", ".join(f"{name} `{text}`" for name, text in versions.items() if name.startswith("core"))
    yield "```text"
    yield record["command"]
    yield "```"
    yield ""
    yield (
        f"{record['runs']:,} simulations; ackclock {versions['ackclock']}, {cores}. "
        f"Every sample is in [the record]({name}.json), which `--compare` reads."
    )
    yield ""
    yield "## Verdicts"
    yield ""
    yield from _table(
        ["section", "criterion", "the RFC says", "verdict", "why"],
        [
            [one["section"], one["title"], one["strength"], f"**{one['verdict']}**", one["sentence"]]
            for one in record["criteria"]
        ],
    )
    for verdict, title in (
        (Verdict.CONCERN, "What is not met"),
        (Verdict.UNDECIDED, "What is undecided"),
        (Verdict.INFO, "What is not met or not surely met, and no concern"),
    ):
        parts = [line for one in record["criteria"] for line in _findings(one, verdict, record)]
        if parts:
            yield ""
            yield f"## {title}"
            yield from parts
    lacks = [(one["section"], text) for one in record["criteria"] for text in one["lacks"]]
    if lacks:
        yield ""
        yield "## Weaker than what the RFC asks"
        yield ""
        for section, text in lacks:
            yield f"* {section}: {text}"


def _findings(criterion: Mapping[str, Any], verdict: Verdict, record: Mapping[str, Any]) -> Iterator[str]:
    """The findings of a criterion with this verdict; numbers without a limit have none."""
    found = [
        (scenario, one)
        for scenario in criterion["scenarios"]
        for one in scenario["findings"]
        if one["verdict"] == verdict.value and (verdict is not Verdict.INFO or one["reason"])
    ]
    if not found:
        return
    yield ""
    yield f"### {criterion['section']} {criterion['title']}"
    yield ""
    rows = []
    for scenario, one in found[:MOST_ROWS]:
        metric = next(metric for metric in scenario["metrics"] if metric["id"] == one["metric"])
        unit = metric["unit"]
        values = [one["tested"], *one["references"].values()]
        cells = [f"{significant(value, 3)} {unit if value is not None else ''}".rstrip() for value in values]
        judged = f"{metric['label']}{_judged(one, unit, record['references'][0])}"
        where = ", ".join(text for text in (f"`{scenario['name']}`", one["setting"]) if text)
        rows.append([one["text"], where, judged, *cells, one["reason"]])
    heads = [
        "condition",
        "where",
        "judged, with its interval",
        record["control"],
        *record["references"],
        "why",
    ]
    if record["control"] in record["references"]:
        heads[3] = "tested"
    yield from _table(heads, rows)
    if len(found) > MOST_ROWS:
        yield ""
        yield f"The record has {len(found) - MOST_ROWS} more."


def _judged(one: Mapping[str, Any], unit: str, reference: str) -> str:
    """The judged quantity of a finding in words, with its interval."""
    words = {
        "value": ": {}",
        "ratio": ": {}" + f" times {reference}'s",
        "difference": ": {}" + f" more than {reference}'s",
        "harm": f", harm beyond that of {reference}: " + "{}",
        "allowance": ", above what is allowed: {}",
        "change": ": {} times that in the setting to compare with",
    }
    own_unit = unit if one["measure"] in ("value", "difference", "allowance") else ""
    return words[one["measure"]].format(with_ends(one["mean"], one["interval"], own_unit))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    # A column that is empty everywhere is left out.
    kept = [k for k in range(len(heads)) if any(row[k] for row in rows)]
    for cells in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cells[k].replace('|', chr(92) + '|') for k in kept)} |"
