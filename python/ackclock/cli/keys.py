"""``ackclock list keys``: the keys of the scenario language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from ackclock import _typed_core as core
from ackclock._keys import without, written
from ackclock._names import nearest
from ackclock.cli.terminal import console
from ackclock.errors import InputError

KEYS = "keys"


def list_keys(name: str | None) -> None:
    """Prints the keys of each table of the language, or of the table called ``name``. InputError for an unknown one."""
    tables = core.tables()
    if name is not None:
        names = [one["name"] for one in tables]
        if name not in names:
            raise InputError(
                f'the scenario language has no table "{name}"{nearest(name, names)}\ntables: {", ".join(names)}'
            )
        tables = [one for one in tables if one["name"] == name]
    for one in tables:
        _print(one)
    if name is None:
        console().print("`ackclock list keys TABLE` shows one table", style="dim")


def _print(one: Mapping[str, Any]) -> None:
    out = console()
    out.print(Text.assemble((one["name"], "bold underline"), f"  {one['meaning']}"))
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("key", "meaning", "written as", "default"):
        shown.add_column(title, no_wrap=title == "key")
    for key in one["keys"]:
        words = written(key, lambda text, place: f"{text} ({place})")
        shown.add_row(*map(Text, (key["name"], key["meaning"], words, without(key, one))))
    if one["others"]:
        shown.add_row(*map(Text, ("any other key", "", "; ".join(one["others"]), "")))
    out.print(shown)
    out.print()
