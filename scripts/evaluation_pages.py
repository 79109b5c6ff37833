"""The pages of recorded evaluations, made from docs/evaluations/NAME.json: docs/evaluations/NAME.md, and a line of
docs/evaluations.md for each.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import evaluation_findings

from ackclock import core
from ackclock.evaluation.contenders import RECOVERY
from ackclock.evaluation.rfc import TITLE
from ackclock.evaluation.spelling import in_lines
from ackclock.evaluation.verdict import WORST_FIRST, Verdict

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "evaluations"
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
"""The controls that are recorded, with the options of `ackclock evaluate`."""
REMARKS: Mapping[str, str] = {
    "sack": ("`sack` is the window of Reno (RFC 5681)."),
    "bbrv3": (
        "RFC 9743 says in section 5.1.3 that later versions of BBR have fixed the losses of the first one in short "
        "buffers; the numbers here say otherwise for many flows. BBRv3 answers to more than 2 % of losses in a round "
        "trip: ten flows are near that. One flow of fifty has a share of four packets, of which 2 % are less than one "
        "packet, and four packets are also the least that BBRv3 keeps in flight. [BBR](../bbr.md) has more."
    ),
    "prague": (
        "In one queue that marks as RFC 3168 says, Prague takes most of what CUBIC would have (section 7.1). This is "
        "the known problem of [RFC 9331, section 4.3](https://www.rfc-editor.org/rfc/rfc9331#section-4.3). "
        "`classic_fallback`, off by default, [detects such a queue](../prague.md): "
        '`{ name = "prague", classic_fallback = true }` is no concern in these mixes (`--only N-14-mix`).'
    ),
    "noq:bbr3": (
        "noq, a QUIC stack, sends in this seat, and its CUBIC and Reno are ours. What the transport does is then the "
        "same for all three: the gaps between packets in an outage (sections 5.1.1 and 5.2) are those of noq's probe "
        "timeouts, under CUBIC and Reno too. noq tells no round trips, and cannot have the details of TCP that five "
        "sections are about. No seed sets its random numbers, so that runs with one seed differ."
    ),
    "copa": (
        "This is Copa in its default mode, as Meta's mvfst has it: the competitive mode of the paper's section 2.2 is "
        "off, because flows of Copa take each other for rivals ([measured](../validation.md)). So sections 5.2 to "
        "5.2.3 do not judge the published algorithm beside others.\n\n"
        "A loss ends slow start. Otherwise Copa answers to delay and to timeouts alone. RACK finds lost "
        "retransmissions without a timeout, so that losses slow Copa less than with RFC 6675: with "
        '`--transport \'{ name = "rfc", recovery = "sack" }\'` less than half as many packets are dropped in '
        "section 5.1.3, up to one of ten.\n\n"
        "Where the buffer holds only a few packets for each flow, a run has either no losses or very many: sections "
        "5.1.3, 5.1.4 and the mixes of ten and ten flows in 5.2 and 5.2.1 show the same failure. Copa's base is the "
        "least round trip of ten seconds. After a rise of the delay, and under jitter, it is too low, and holds the "
        "rate down whatever the path has (sections 6.4, 7.3 and 7.9)."
    ),
}
"""What the page of a control says besides."""


def stem(name: str) -> str:
    """The name of a control's files: a link may have no colon."""
    return name.replace(":", "-")


def records() -> list[dict[str, Any]]:
    """The records, in the order of ``CONTROLS``."""
    files = [FOLDER / f"{stem(name)}.json" for name in CONTROLS]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


def index() -> str:
    """A line for each recorded evaluation."""
    lines = [["control", "what it is", "grid", "verdicts", "concerns in"], ["---"] * 5]
    for record in records():
        # Section 6.1 repeats the verdicts of section 5.
        found = [one for one in record["criteria"] if one["section"] != "6.1"]
        counts = Counter(one["verdict"] for one in found)
        concerns = [one["section"] for one in found if one["verdict"] == Verdict.CONCERN.value]
        name = record["control"]
        summary = next(one["summary"] for one in core.registry() if one["name"] == name)
        own = " (it is one of the references)" if name in record["references"] else ""
        lines.append(
            [
                f"[{name}](evaluations/{stem(name)}.md)",
                summary,
                "quick" if record["quick"] else "full",
                ", ".join(f"{counts[one.value]} {one.value}" for one in WORST_FIRST if counts[one.value])
                + own,
                ", ".join(concerns) or "none",
            ]
        )
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def pages() -> Iterator[tuple[Path, str]]:
    """The page of each recorded evaluation."""
    for record in records():
        yield FOLDER / f"{stem(record['control'])}.md", "\n".join(_page(record)) + "\n"


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
            "`--full`, which takes hours of processor time and has not been recorded."
        )
    else:
        yield f"This is a full evaluation: the whole grid of paths, with {len(record['seeds'])} seeds."
    yield ""
    yield (
        f"{' and '.join(references)} took the seat of {name} with the same random numbers. {references[0]} decides, "
        f"but what is met against {' or '.join(references[1:])} is no concern. {_recoveries(record)} RFC 9743 has no "
        "thresholds: every limit is this project's own, and a verdict is a finding. The control has its default "
        "parameters."
    )
    yield ""
    yield (
        'The column "the RFC says" has the RFC\'s word. Most of these words ask for an evaluation, not for a result: '
        "**CONCERN beside MUST does not say that the control breaks the RFC**. A concern in section 6, whose criteria "
        "have to be met, weighs more than one in section 7. The method has "
        "[limits](../evaluate.md#limits-of-the-method)."
    )
    yield ""
    if name in references:
        yield (
            f"{name} is one of its own references, so that no comparison can be a concern, and most limits without one "
            "excuse what a reference does not meet. What can fail here is section 5.1.1, and the cut of section 5.2."
        )
        yield ""
    if name in REMARKS:
        yield REMARKS[name]
        yield ""
    versions = record["versions"]
    cores = ", ".join(f"{name} `{text}`" for name, text in versions.items() if name.startswith("core"))
    yield "```text"
    yield record["command"]
    yield "```"
    yield ""
    yield (
        f"{record['runs']:,} simulations; ackclock {versions['ackclock']}, {cores}. "
        f"Every sample{_but_solo(record)} is in [the record]({stem(name)}.json), which `--compare` reads."
    )
    yield ""
    yield "## Verdicts"
    yield ""
    yield from evaluation_findings.table(
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
        (Verdict.CONCERN, "What is not met"),
        (Verdict.UNDECIDED, "What is undecided"),
        (Verdict.INFO, "What is not met, or not surely, and no concern"),
    ):
        parts = [line for one in record["criteria"] for line in evaluation_findings.of(one, verdict, record)]
        if parts:
            yield ""
            yield f"## {title}"
            yield from parts
    yield ""
    yield "## Questions to the author"
    yield ""
    yield "What the RFC asks of the author or the document, and no simulation answers:"
    yield ""
    asked = [(one["section"], one["demand"], one["answer"] or "not answered") for one in record["process"]]
    yield from evaluation_findings.table(["section", "the RFC asks for", "answer"], asked)
    lacks = [(one["section"], text) for one in record["criteria"] for text in one["lacks"]]
    if lacks:
        yield ""
        yield "## Weaker than what the RFC asks"
        yield ""
        for section, text in lacks:
            yield f"* {section}: {text}"


def _but_solo(record: Mapping[str, Any]) -> str:
    """The samples that an older record does not hold."""
    settings = [
        one for criterion in record["criteria"] for of in criterion["scenarios"] for one in of["settings"]
    ]
    return "" if any(one["solo"] for one in settings) else " but those of the runs without the control"


def _recoveries(record: Mapping[str, Any]) -> str:
    """How the flows in the seat recover from losses."""
    others = {name: rule for name, rule in record["recoveries"].items() if rule != RECOVERY}
    if not others:
        return "All flows over TCP recover from losses by RACK (RFC 8985)."
    rules = set(record["recoveries"].values())
    if len(rules) == 1:
        return f"In this seat, all three recover from losses by `{rules.pop()}`."
    return " ".join(f"{name} recovers from losses by `{rule}`." for name, rule in others.items())
