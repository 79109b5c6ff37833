"""``ackclock check-stack``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import typer
from rich.text import Text

from ackclock._files import replacing, writable
from ackclock._names import alike, nearest
from ackclock._stacks import Stack, stacks
from ackclock.cli.terminal import console, note, print_json, shown, warn
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.drills.check import Report
    from ackclock.drills.drill import Outcome

BUILT_IN = ("noq", "quinn")
"""The built-in stacks, which need no library."""
LONG_S = 60.0
"""The CPU time, in seconds, above which a check prints how much it used."""


def check_stack(
    word: str,
    control: str,
    *,
    law: str | None,
    only: Sequence[str],
    allow: Sequence[str],
    paths: bool,
    seed: int,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Prints the results of a check. Exits with code 1 after a violation that ``allow`` does not list."""
    from ackclock.drills.check import DRILLS, check, target
    from ackclock.hard_paths import NAMES

    known = {"repeats", *(one.id for one in DRILLS), *(f"path-{name}" for name in NAMES)}
    for id in allow:
        if id not in known:
            raise InputError(f"--allow {id}: no test has this id{nearest(id, sorted(known))}")
    stack: Stack | str = word if word in BUILT_IN else _library(word)
    if junit is not None:
        writable(junit.absolute().parent)
    if isinstance(stack, Stack):
        note(str(stack))
    report = check(target(stack, control, law), seed=seed, only=only, paths=paths)
    if junit is not None:
        write_junit(report, allow, junit)
    if as_json:
        print_json(document(report, allow))
    else:
        _show(report, allow)
    if junit is not None:
        note(f"wrote {shown(junit)}")
    if report.cpu_s > LONG_S:
        note(f"the check took {report.cpu_s:.0f} s of CPU time")
    if report.refused(allow):
        raise typer.Exit(1)


def document(report: Report, allow: Sequence[str]) -> dict[str, Any]:
    """Returns a report as one JSON document."""
    stack = report.target.stack
    about = stack.told if isinstance(stack, Stack) else (stack, None, None, None, None)
    return {
        "control": report.target.name,
        "law": report.target.law,
        "version": about[1],
        "licence": about[4],
        "library": {"path": stack.path, "sha256": stack.sha256} if isinstance(stack, Stack) else None,
        "cpu_s": report.cpu_s,
        "violated": [one.drill.id for one in report.refused(allow)],
        "results": [
            {
                "id": one.drill.id,
                "clause": one.drill.clause,
                "force": one.drill.force,
                "demand": one.drill.demand,
                "result": one.word.lower(),
                "allowed": one.word == "VIOLATED" and one.drill.id in allow,
                "text": one.text,
                "timeline": list(one.timeline),
            }
            for one in report.outcomes
        ],
    }


def write_junit(report: Report, allow: Sequence[str], path: Path) -> None:
    """Writes a report as JUnit XML. Allowed violations, absent features and unobservable behaviour are skipped."""
    refused = report.refused(allow)
    skipped = [one for one in report.outcomes if one.word != "as demanded" and one not in refused]
    suite = ElementTree.Element(
        "testsuite",
        name=f"ackclock check-stack {report.target.name}",
        tests=str(len(report.outcomes)),
        failures=str(len(refused)),
        skipped=str(len(skipped)),
        errors="0",
        time=f"{report.cpu_s:.1f}",
    )
    for one in report.outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{report.target.name}.{one.drill.clause}", name=one.drill.id
        )
        message = f"{one.drill.demand} {one.drill.clause} ({one.drill.force}): {one.text}"
        if one in refused:
            failure = ElementTree.SubElement(case, "failure", message=message)
            failure.text = "\n".join(one.timeline)
        elif one in skipped:
            ElementTree.SubElement(case, "skipped", message=message)
    ElementTree.indent(suite)
    with replacing(path) as file:
        ElementTree.ElementTree(suite).write(file, encoding="utf-8", xml_declaration=True)


STYLES = {
    "as demanded": "green",
    "VIOLATED": "bold red",
    "allowed": "yellow",
    "absent": "yellow",
    "cannot be seen": "dim",
}


def _library(word: str) -> Stack:
    """Returns the stack of a shared library. InputError if there is none at this path."""
    path = word.partition(",")[0]
    if "/" not in path and not Path(path).exists():
        close = alike(path, BUILT_IN)
        near = f'; did you mean "{close}"?' if close else ""
        raise InputError(
            f'there is no built-in stack "{path}" and no file of this name{near or _split(path)}\n'
            "expected noq, quinn or the path of a shared library, such as ./libmine.so"
        )
    return stacks([word])[0]


def _split(word: str) -> str:
    """Returns a hint for a stack and a control in one word, as scenarios name them."""
    stack, _, control = word.partition(":")
    return f"; did you mean `ackclock check-stack {stack} --control {control}`?" if stack in BUILT_IN else ""


def _show(report: Report, allow: Sequence[str]) -> None:
    from ackclock.drills.check import DRILLS
    from ackclock.drills.drill import applies

    out = console()
    words = [
        "allowed" if one.word == "VIOLATED" and one.drill.id in allow else one.word for one in report.outcomes
    ]
    for one, word in zip(report.outcomes, words, strict=True):
        out.print(_line(one, word), soft_wrap=True)
    counts = ", ".join(f"{words.count(word)} {word}" for word in STYLES if word in words)
    out.print(Text(f"\n{report.target.name}: {counts}"))
    if report.target.law is None:
        left_out = sum(not applies(one, None) for one in DRILLS)
        out.print(
            f"{left_out} tests of reactions to loss, marks and delay were not run, because the algorithm of "
            f"{report.target.control} is not known: choose it with --law reno, cubic or bbr",
            style="yellow",
            soft_wrap=True,
        )
    kept = {one.drill.id for one in report.outcomes if one.word != "VIOLATED"}
    for id in allow:
        if id in kept:
            warn(f"--allow {id}: this test found no violation; the exception may be obsolete")
    refused = report.refused(allow)
    if sum(bool(one.timeline) for one in refused) > 1:
        out.print(
            "The --junit and --json documents contain the timelines of all violations; --only ID prints that of one "
            "test."
        )
    if refused:
        first = refused[0]
        out.print(Text(f"\nThe first violated requirement, {first.drill.clause} ({first.drill.force}):"))
        out.print(Text(f"  {first.drill.demand}", style="bold"), soft_wrap=True)
        out.print(Text(f"  Found: {first.text}."), soft_wrap=True)
        for line in first.timeline:
            out.print(Text(f"    {line}"), soft_wrap=True)


def _line(one: Outcome, word: str) -> Text:
    force = f" ({one.drill.force})" if one.word == "VIOLATED" else ""
    name = f"{one.drill.clause}{force}, {one.drill.id}: "
    return Text.assemble((f"{word:14} ", STYLES[word]), name, one.text)
