"""The text that ``ackclock reproduce`` prints: a few studies in full, or a summary of many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ackclock._numbers import duration, mean_and_spread, number_of, plain
from ackclock.cli.tables import Column, fitting
from ackclock.cli.terminal import console
from ackclock.study.model import Verdict
from ackclock.study.result import ClaimResult, MetricValue, SensitivityResult, StudyResult
from ackclock.study.sentence import sentence
from ackclock.study.tally import by_thesis, verdicts_of

STYLES: dict[Verdict, str] = {
    "as printed": "green",
    "right order, other size": "yellow",
    "not as printed": "red",
    "undecided": "magenta",
    "cannot tell": "blue",
    "not a test": "dim",
    "yes": "green",
    "no": "red",
}
MISSED = ("not as printed", "no")
REPRODUCED = ("as printed", "yes")

NARROW = 100
"""The width of a terminal, in columns, below which a claim's numbers are printed below its text."""

IN_FULL = 3
"""The largest number of studies that are printed in full; the report shows every study in full."""


def show(result: StudyResult) -> None:
    """Prints a study in full: the measured values with the published ones below them, and the verdicts."""
    out = console()
    out.print(Text(result.title, style="bold"))
    out.print(Text(sentence(result)))
    reused = f", {result.reused_runs} of them cached" if result.reused_runs else ""
    out.print(
        Text(
            f"{result.name}: {result.source}; {result.seeds}, {number_of(result.runs, 'run')}{reused}"
            + ("" if result.cpu_time_s is None else f", {duration(result.cpu_time_s)} of CPU time"),
            style="dim",
        )
    )
    if result.source.setup_unknown:
        out.print(Text(f"the set-up is partly unknown: {result.source.setup_unknown}", style="yellow"))
    if result.quick:
        changes = f" and {result.quick_changes}" if result.quick_changes else ""
        out.print(
            Text(
                f"a quick run with fewer seeds{changes}: results may differ from those of a full run by more than the "
                "intervals show",
                style="yellow",
            )
        )
    if result.precision is not None:
        style = "dim" if result.precision.reached else "yellow"
        out.print(Text(str(result.precision), style=style))
    out.print()
    for table in _values(result, out.width):
        out.print(table)
        out.print()
    has_paper = any(value.paper is not None for case in result.cases for value in case.values.values())
    below = "; the published value is printed below the mean" if has_paper else ""
    out.print(Text(f"mean over the seeds ± half-width of the 95 % interval{below}", style="dim"))
    out.print()
    if result.claims:
        out.print(_claims(result.claims, out.width))
        out.print(_tally(result))
    _show_sensitivity(result)
    out.print()


def show_all(results: Sequence[StudyResult]) -> None:
    """Prints a few studies in full, or the claims of many that were not reproduced; then the numbers of verdicts."""
    if len(results) <= IN_FULL:
        for result in results:
            show(result)
    else:
        _show_misses(results)
    if len(results) > 1:
        _show_totals(results)


def _show_misses(results: Sequence[StudyResult]) -> None:
    """Prints the claims that were not reproduced, study by study."""
    out = console()
    for result in results:
        misses = [claim for claim in result.claims if claim.verdict in MISSED]
        if misses:
            out.print(Text.assemble((result.name, "bold"), "  ", result.title))
            out.print(Padding(_claims(misses, out.width - 2), (0, 0, 1, 2)))
    if any(result.quick for result in results):
        out.print(
            Text(
                "quick runs, shorter and with fewer seeds: results may differ from those of full runs",
                style="yellow",
            )
        )
        out.print()


def _show_totals(results: Sequence[StudyResult]) -> None:
    """Prints the number of each verdict per study, and per thesis and kind of claim if there are several."""
    tallies = by_thesis(results)
    total = verdicts_of(results)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("study", no_wrap=True)
    for verdict in total:
        table.add_column(verdict, justify="right")
    for result in results:
        table.add_row(result.name, *_counts(result.verdicts(), total))
    if len(tallies) > 1:
        table.add_row("")
        for tally in tallies:
            table.add_row(f"{tally}, {number_of(tally.studies, 'study')}", *_counts(tally.verdicts, total))
    table.add_row("all", *_counts(total, total), style="bold")
    console().print(table)


def _counts(verdicts: Mapping[Verdict, int], columns: Iterable[Verdict]) -> Iterator[Text]:
    for verdict in columns:
        count = verdicts.get(verdict, 0)
        yield Text(str(count), style=STYLES[verdict] if count else "dim")


def _values(result: StudyResult, width: int) -> Iterator[Table]:
    """Returns a table of every metric of every case, with the published value below the measured one."""
    labels = [
        Text(case.label + (f" [{case.sweep_value}]" if case.sweep_value is not None else ""))
        for case in result.cases
    ]
    columns = [
        Column(
            metric.label + (f" [{metric.unit}]" if metric.unit else ""),
            [_value(case.values[metric.id]) for case in result.cases],
        )
        for metric in result.metrics
    ]
    return fitting(Column("case", labels), columns, width)


def _value(value: MetricValue) -> Text:
    paper = Text(f"\n{plain(value.paper)}", style="cyan") if value.paper is not None else Text("")
    return Text.assemble(mean_and_spread(value.mean, value.interval), paper)


def _claims(claims: Sequence[ClaimResult], width: int) -> Table:
    """Returns a table of the claims with their verdicts; in a narrow terminal the numbers are below the sentence."""
    narrow = width < NARROW
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("claim", ratio=1)
    if not narrow:
        table.add_column("published", justify="right", no_wrap=True)
        table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("result", no_wrap=True)
    for claim in claims:
        paper = "" if claim.paper is None else f"{claim.number_word} {plain(claim.paper)}"
        measured = f"{mean_and_spread(claim.measured, claim.interval)} {claim.unit}".rstrip()
        said, verdict = _said(claim, len({one.setup for one in claims}) == 1), _verdict(claim)
        if narrow:
            numbers = ("" if claim.paper is None else f"{paper}, ") + f"measured {measured}"
            table.add_row(Text(claim.id), Text.assemble(said, "\n", (numbers, "cyan")), verdict)
        else:
            table.add_row(
                Text(claim.id), said, Text(paper.removeprefix("published ")), Text(measured), verdict
            )
    return table


def _said(claim: ClaimResult, same_setup: bool) -> Text:
    """Returns the claim's sentence and how its number was compared, with remarks if the claim was not reproduced or
    another interpretation reverses its result. The report has the remarks on all claims.
    """
    text = Text(claim.text)
    if claim.detail:
        text.append(f"\n{claim.detail}", style="dim")
    is_reproduced = claim.verdict in REPRODUCED
    if claim.tested and claim.interpretations_in_words and (claim.reversed_by or not is_reproduced):
        text.append(f"\nOther interpretations: {claim.interpretations_in_words}", style="dim")
    if claim.tested and claim.setup and not same_setup:
        text.append(f"\nThe set-up is partly unknown: {claim.setup}", style="dim")
    if is_reproduced:
        return text
    if claim.finding:
        text.append(f"\nFinding: {claim.finding}", style="dim")
    if claim.tested and claim.written:
        text.append(f"\nTest defined or changed: {claim.written}", style="dim")
    return text


def _verdict(claim: ClaimResult) -> Text:
    text = Text(claim.verdict, style=STYLES[claim.verdict])
    if claim.recorded is not None and claim.recorded != claim.verdict:
        text.append(f"\nin the full run:\n{claim.recorded}", style="dim")
    return text


def _tally(result: StudyResult) -> Text:
    counts = [(f"{count} {verdict}", STYLES[verdict]) for verdict, count in result.verdicts().items()]
    alone = sum(claim.baselines for claim in result.claims)
    about = Text(f" ({alone} about baselines alone)", style="dim") if alone else Text()
    return Text("\n") + Text(", ").join(Text(text, style=style) for text, style in counts) + about


def _show_sensitivity(result: StudyResult) -> None:
    readings = [item for assumption in result.assumptions for item in assumption.sensitivity]
    if not readings:
        return
    changing = sum(bool(item.changed) for item in readings)
    undecided = sum(bool(item.undecided) for item in readings)
    out = console()
    out.print()
    out.print(f"Other interpretations of what the publication leaves open: {len(readings)}")
    out.print(f"  interpretations that change the result of a claim: {changing}")
    out.print(f"  interpretations that make a claim undecided: {undecided}")
    if changing or undecided:
        out.print(
            "Interpretations that change the result of a claim or make a claim undecided, each with the claim ids:"
        )
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    table.add_column(ratio=3)
    table.add_column(ratio=1, min_width=16)
    for assumption in result.assumptions:
        rows = [item for item in assumption.sensitivity if item.changed or item.undecided]
        if rows:
            table.add_row(Padding(Text(assumption.what), (0, 0, 0, 2)), Text(""))
        for item in rows:
            against = (
                f" (evidence against it: {item.against})"
                if item.against
                else ""
                if item.evidence
                else " (a robustness check)"
            )
            label = Text(f"{item.alternative}{_fewer(item, result)}{against}", style="dim")
            table.add_row(Padding(label, (0, 0, 0, 4)), Text("; ".join(_outcome(item)), style="dim"))
    out.print(table)


def _outcome(item: SensitivityResult) -> Iterator[str]:
    """Yields the claims whose result an alternative changes, and those that it leaves undecided."""
    if item.changed:
        yield ", ".join(item.changed)
    if item.undecided:
        yield f"undecided: {', '.join(item.undecided)}"


def _fewer(item: SensitivityResult, result: StudyResult) -> str:
    if item.replications == result.replications:
        return ""
    return f" ({item.replications} seeds)"
