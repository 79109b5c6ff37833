"""An evaluation as ``ackclock evaluate`` prints it: the criteria of the RFC in its order, each with a verdict."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from ackclock.cli.terminal import console
from ackclock.evaluation.result import Evaluation
from ackclock.evaluation.verdict import Verdict

STYLES = {
    Verdict.OK: "green",
    Verdict.CONCERN: "red",
    Verdict.UNDECIDED: "magenta",
    Verdict.INFO: "cyan",
    Verdict.EXEMPT: "dim",
    Verdict.NOT_EVALUATED: "dim",
}


def show(evaluation: Evaluation) -> None:
    """Prints the verdicts."""
    out = console()
    kind = "quick" if evaluation.quick else "full"
    out.print(
        Text(f"{evaluation.control} after RFC 9743, {kind}, seeds 1 to {len(evaluation.seeds)}", style="bold")
    )
    out.print(Text(f"compared with {evaluation.references[0]} in the same seat", style="dim"))
    out.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("section", no_wrap=True)
    table.add_column("the RFC says", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("criterion", overflow="fold")
    for one in evaluation.asked:
        words = Text(one.family.title)
        words.append(f"\n{one.sentence}", style="dim")
        table.add_row(
            one.family.section, one.family.strength, Text(one.verdict.value, style=STYLES[one.verdict]), words
        )
    out.print(table)
    out.print()
    counts = [f"{count} {verdict.value}" for verdict, count in evaluation.counted.items() if count]
    out.print(Text(", ".join(counts)))
    out.print(Text("RFC 9743 has no thresholds: the criteria are ours. A verdict is a finding.", style="dim"))
