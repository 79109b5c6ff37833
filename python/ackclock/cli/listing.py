"""``ackclock list``."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from ackclock._names import nearest
from ackclock.cli.keys import KEYS, list_keys
from ackclock.cli.terminal import console, print_json
from ackclock.errors import InputError

STUDY = "study"
DRILL = "drill"


def list_entries(kind: str | None, name: str | None, *, as_json: bool) -> None:
    """Prints the entries of ``kind``, or of all kinds if it is None, or the entry called ``name``. The kind "keys" is
    that of the keys of the scenario language. InputError for unknown names.
    """
    if kind == KEYS:
        if as_json:
            raise InputError(
                "list keys: does not support --json; `ackclock schema scenario` prints the keys as a JSON Schema"
            )
        list_keys(name)
        return
    entries = select(kind, name)
    if as_json:
        print_json(entries)
    elif len(entries) == 1:
        _print_entry(entries[0])
    else:
        _print_entries(entries)


def select(kind: str | None, name: str | None) -> list[dict[str, Any]]:
    """Returns the selected entries. A ``kind`` that is the name of an entry and not of a kind selects that entry."""
    registered = _registered()
    if kind is not None and name is None and kind not in (STUDY, plural(STUDY), DRILL, plural(DRILL)):
        # The studies are many files, which are read only when they are asked for.
        found = _of_kind(registered, kind) or [entry for entry in registered if entry["name"] == kind]
        if found:
            return found
    entries = [*registered, *_studies(), *_drills()]
    if kind is None:
        return entries
    of_kind = _of_kind(entries, kind)
    if not of_kind:
        named = [entry for entry in entries if entry["name"] == kind]
        if named and name is None:
            return named
        kinds = [*dict.fromkeys(plural(entry["kind"]) for entry in entries), KEYS]
        names = [entry["name"] for entry in entries]
        raise InputError(
            f'no kind or entry is called "{kind}"{nearest(kind, [*kinds, *names])}\nkinds: {", ".join(kinds)}'
        )
    if name is None:
        return of_kind
    found = [entry for entry in of_kind if entry["name"] == name]
    if not found:
        names = [entry["name"] for entry in of_kind]
        raise InputError(f'there is no {of_kind[0]["kind"]} "{name}"{nearest(name, names)}')
    return found


def _registered() -> list[dict[str, Any]]:
    from ackclock import _typed_core as core
    from ackclock.schemas.registry import Entry

    return [Entry.model_validate(entry).model_dump() for entry in core.registry()]


def _studies() -> list[dict[str, Any]]:
    from ackclock.study.headline import headlines

    return [
        {
            "name": study.name,
            "kind": STUDY,
            "summary": f"{study.title}. {study.summary}",
            "parameters": [],
            "source": study.source,
            "remark": None,
            "file": study.file,
        }
        for study in headlines()
    ]


def _drills() -> list[dict[str, Any]]:
    """Returns the tests of ``ackclock check-stack``, with the clause before what it demands."""
    from ackclock.drills.check import DRILLS

    return [
        {
            "name": one.id,
            "kind": DRILL,
            "summary": f"{one.clause} ({one.force}): {one.demand}",
            "parameters": [],
            "source": one.clause,
            "remark": None,
            "file": None,
        }
        for one in DRILLS
    ]


def _of_kind(entries: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Returns the entries of the kind, which may be given in the plural."""
    return [entry for entry in entries if kind in (entry["kind"], plural(entry["kind"]))]


def plural(kind: str) -> str:
    """Returns the plural of a kind, as the command line accepts it: controls, queues, studies, losses."""
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
    out.print("`ackclock list KIND NAME` shows one entry with all its parameters", style="dim")
    out.print("`ackclock list keys` shows the keys of scenario files", style="dim")


def _print_entry(entry: dict[str, Any]) -> None:
    out = console()
    out.print(Text.assemble((entry["name"], "bold"), f" ({entry['kind']})"))
    out.print(Text(entry["summary"]))
    out.print(Text(f"Source: {entry['source']}", style="dim"))
    if entry["remark"] is not None:
        out.print(Text(entry["remark"], style="yellow"))
    if entry["file"] is not None:
        out.print(Text(f"File: {entry['file']}", style="dim"))
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
