"""``ackclock list``."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from ackclock.cli.terminal import console, print_json
from ackclock.errors import InputError
from ackclock.names import nearest

STUDY = "study"


def list_entries(kind: str | None, name: str | None, *, as_json: bool) -> None:
    """Print the entries of ``kind`` (all without one), or the one called ``name``. InputError for unknown names."""
    entries = select(kind, name)
    if as_json:
        print_json(entries)
    elif len(entries) == 1:
        _print_entry(entries[0])
    else:
        _print_entries(entries)


def select(kind: str | None, name: str | None) -> list[dict[str, Any]]:
    """The entries wanted. A ``kind`` that is none but the name of an entry selects that entry."""
    entries = all_entries()
    if kind is None:
        return entries
    kinds = list(dict.fromkeys(entry["kind"] for entry in entries))
    wanted = next((known for known in kinds if kind in (known, plural(known))), None)
    if wanted is None:
        named = [entry for entry in entries if entry["name"] == kind]
        if named and name is None:
            return named
        names = [entry["name"] for entry in entries]
        raise InputError(
            f'there is nothing called "{kind}"{nearest(kind, [*map(plural, kinds), *names])}'
            f"\nkinds: {', '.join(map(plural, kinds))}"
        )
    of_kind = [entry for entry in entries if entry["kind"] == wanted]
    if name is None:
        return of_kind
    found = [entry for entry in of_kind if entry["name"] == name]
    if not found:
        raise InputError(
            f'there is no {wanted} "{name}"{nearest(name, [entry["name"] for entry in of_kind])}'
        )
    return found


def all_entries() -> list[dict[str, Any]]:
    """The core's registry and the studies, in one form."""
    from ackclock import core
    from ackclock.schemas.registry import Entry
    from ackclock.study.load import load_study, study_names

    entries = core.registry()
    for name in study_names():
        loaded = load_study(name)
        source = loaded.study.source
        summary = f"{loaded.study.title}. {loaded.study.summary}"
        place = f"{loaded.thesis.author} ({loaded.thesis.year}), {source.item}"
        entries.append(
            {
                "name": name,
                "kind": STUDY,
                "summary": summary,
                "parameters": [],
                "source": place + (f", section {source.section}" if source.section else ""),
            }
        )
    return [Entry.model_validate(entry).model_dump() for entry in entries]


def plural(kind: str) -> str:
    """controls, queues, studies, losses: the form that the command line takes."""
    if kind.endswith("y"):
        return kind[:-1] + "ies"
    return kind + ("es" if kind.endswith("s") else "s")


def _print_entries(entries: list[dict[str, Any]]) -> None:
    out = console()
    for kind in dict.fromkeys(entry["kind"] for entry in entries):
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column()
        for entry in entries:
            if entry["kind"] == kind:
                table.add_row(Text(entry["name"]), Text(_first_sentence(entry["summary"])))
        out.print(Text(plural(kind), style="bold underline"))
        out.print(table)
        out.print()
    out.print("`ackclock list KIND NAME` shows one in full", style="dim")


def _print_entry(entry: dict[str, Any]) -> None:
    out = console()
    out.print(Text.assemble((entry["name"], "bold"), f" ({entry['kind']})"))
    out.print(Text(entry["summary"]))
    out.print(Text(f"Source: {entry['source']}", style="dim"))
    if not entry["parameters"]:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("parameter", "unit", "default", "range", "meaning", "source"):
        table.add_column(title, no_wrap=title == "parameter")
    for parameter in entry["parameters"]:
        texts = [parameter[key] for key in ("name", "unit", "default", "range", "summary", "source")]
        table.add_row(*(Text("" if text is None else str(text)) for text in texts))
    out.print()
    out.print(table)


def _first_sentence(text: str) -> str:
    return text.split(". ", 1)[0].rstrip(".")
