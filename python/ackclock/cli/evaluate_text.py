"""An evaluation as ``ackclock evaluate`` prints it: the criteria of the RFC in its order, each with a verdict."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from ackclock.cli.terminal import console
from ackclock.evaluation.contenders import RECOVERY
from ackclock.evaluation.result import Evaluation
from ackclock.evaluation.spelling import extent
from ackclock.evaluation.words import AS_STANDARD, CONCERN, EXEMPT, NO_LIMIT, NOT_EVALUATED, OK, UNDECIDED

STYLES = {
    OK: "green",
    CONCERN: "red",
    UNDECIDED: "magenta",
    AS_STANDARD: "cyan",
    NO_LIMIT: "dim",
    EXEMPT: "dim",
    NOT_EVALUATED: "dim",
}


def show(evaluation: Evaluation, beside: Evaluation | None = None) -> None:
    """Prints the verdicts, of two controls side by side if there are two."""
    evaluations = [evaluation] if beside is None else [evaluation, beside]
    out = console()
    kind = extent(quick=evaluation.quick, most_packets=evaluation.most_packets)
    controls = " and ".join(one.control for one in evaluations)
    out.print(
        Text(f"{controls}: evaluation by RFC 9743, {kind}, seeds 1 to {len(evaluation.seeds)}", style="bold")
    )
    out.print(
        Text(
            f"compared with runs in which {' or '.join(evaluation.references)} replaces the control",
            style="dim",
        )
    )
    for name, recovery in {name: of for one in evaluations for name, of in one.recoveries.items()}.items():
        if recovery != RECOVERY:
            out.print(Text(f"{name} uses the loss recovery {recovery}, not {RECOVERY}", style="dim"))
    out.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("section", no_wrap=True)
    table.add_column("the RFC says", no_wrap=True)
    for one in evaluations:
        table.add_column("verdict" if beside is None else one.control, no_wrap=True)
    table.add_column("criterion", overflow="fold")
    for asked in evaluation.asked:
        family = asked.family
        found = [one.family(family.id) for one in evaluations]
        words = Text(family.title)
        for one, result in zip(evaluations, found, strict=True):
            whose = "" if beside is None else f"{one.control}: "
            words.append(f"\n{whose}{result.sentence}", style="dim")
            if result.partial:
                words.append(f"\n{result.partial}", style="yellow")
        badges = [Text(one.verdict, style=STYLES[one.verdict]) for one in found]
        table.add_row(family.section, family.strength, *badges, words)
    out.print(table)
    out.print()
    for one in evaluations:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in one.counted.items() if count)
        out.print(Text(counts if beside is None else f"{one.control}: {counts}"))
    out.print(
        Text(
            "RFC 9743 sets no thresholds: verdicts follow ackclock's own limits. A CONCERN needs an explanation.",
            style="dim",
        )
    )
