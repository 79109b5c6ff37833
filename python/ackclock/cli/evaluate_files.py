"""``ackclock evaluate list`` and ``ackclock evaluate copy``."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from ackclock._files import is_there, replacing
from ackclock.cli.terminal import console
from ackclock.errors import InputError

LIST, COPY = "list", "copy"


def show_scenario(name: str) -> None:
    """Prints the scenarios of this name: title, summary, source, conditions, limitations and settings."""
    from ackclock.evaluation.files import find, load

    out = console()
    for found in find([name]):
        about = load(found).about
        quick = {setting.name for setting in about.settings(quick=True)}
        settings = [*about.settings(quick=True), *about.settings(quick=False)]
        out.print(Text(f"{found}  {about.title}", style="bold"))
        out.print(about.summary.strip())
        if about.source:
            out.print(Text(about.source.strip(), style="dim"))
        for condition in about.conditions:
            kind = "number" if condition.limit is None else "condition"
            out.print(f"{kind:<10} {condition.text}")
        for text in about.lacks:
            out.print(f"{'limitation':<10} {text}")
        for setting in dict.fromkeys(one.name for one in settings if one.name):
            out.print(f"{'quick' if setting in quick else 'full only':<10} {setting}")
        out.print()


def show_list() -> None:
    """Prints the scenarios for RFC 9743, in the order of its sections, and then the published sets."""
    from ackclock.evaluation.files import load, names, names_of_sets
    from ackclock.evaluation.sets import ROWS, SETS, of_scenario

    out = console()
    by_family: dict[str, list[str]] = {}
    for name in [*names(), *names_of_sets()]:
        by_family.setdefault(of_scenario(name).id, []).append(name)
    for family in ROWS:
        if family in SETS:
            out.print(Text.assemble((family.title, "bold"), (f"  --set {family.id}", "dim")))
        else:
            out.print(
                Text.assemble((f"{family.section:<7}{family.title}", "bold"), (f"  {family.strength}", "dim"))
            )
        width = max(map(len, names_of_sets() if family in SETS else names()))
        for name in by_family.get(family.id, ()):
            about = load(name).about
            count = len(list(about.settings(quick=True))), len(list(about.settings(quick=False)))
            out.print(
                Text(f"       {name:<{width}}  {about.title} (settings: {count[0]}, with --full: {count[1]})")
            )
        if family.id not in by_family:
            text = (
                family.not_evaluated
                or "covered by the scenarios of section 5, which all have drop-tail queues"
            )
            out.print(Text(f"       {text}", style="dim"))


def copy(name: str, file: Path, control: str) -> None:
    """Writes a scenario of the evaluation into ``file``; for ``NAME/SETTING``, only that setting, as a scenario for
    ``ackclock run`` with ``control`` as the control under test.
    """
    from ackclock._names import nearest
    from ackclock.evaluation.contenders import contender
    from ackclock.evaluation.files import find, load, names
    from ackclock.evaluation.run import scenario_of

    if file.suffix != ".toml":
        raise InputError(f"{file}: expected a name that ends in .toml for the copy of the scenario")
    if is_there(file, Path.exists):
        raise InputError(f"{file}: already exists, so nothing was written: choose another name")
    scenario, slash, setting = name.partition("/")
    # N-15 is a scenario, and the criterion that has another one besides.
    found = [scenario] if scenario in names() else find([scenario])
    if len(found) != 1:
        raise InputError(
            f'"{scenario}" matches {len(found)} scenarios, expected the name of one, such as {found[0]}'
        )
    loaded = load(found[0])
    text = loaded.text
    if slash:
        settings = {one.name: one for one in loaded.about.settings(quick=False)}
        quick = {one.name: one for one in loaded.about.settings(quick=True)}
        if setting not in settings:
            raise InputError(f'{found[0]}: there is no setting "{setting}"{nearest(setting, settings)}')
        tested = contender(control)
        if tested.classes:
            raise InputError(
                f"--control {control}: found a control in Python, expected a name from `ackclock list controls` or a "
                "TOML table"
            )
        text = scenario_of(loaded, {**settings, **quick}[setting], tested)
    with replacing(file) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    console().print(f"wrote {file}")
