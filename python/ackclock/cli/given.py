"""Reads the scenario argument of a command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._sweep_jobs import SEAT
from ackclock.errors import InputError, ScenarioError

if TYPE_CHECKING:
    from ackclock.custom import Control
    from ackclock.evaluation.contenders import Contender
    from ackclock.scenario import Scenario


def read_scenario(file: Path, overrides: Mapping[str, Any], controls: Sequence[str] = ()) -> Scenario:
    """Returns the scenario in ``file`` or in standard input, with the ``controls`` of ``--control``.

    A control in Python applies to each flow that names its file. Any other is for the flows called "tested". InputError
    for a wrong scenario, a missing flow, two controls for "tested", or a study.
    """
    from ackclock._files import read_text

    return scenario_in(read_text(file), file, overrides, controls)


def scenario_in(
    text: str, file: Path, overrides: Mapping[str, Any], controls: Sequence[str] = ()
) -> Scenario:
    """Returns the scenario in ``text``, which was read from ``file``; see ``read_scenario``."""
    from ackclock._files import STANDARD_INPUT
    from ackclock.scenario import Scenario

    name = "standard input" if file == STANDARD_INPUT else str(file)
    try:
        if not controls:
            return Scenario.from_text(text, overrides, file=name)
        from ackclock._named_files import python_files_in
        from ackclock.evaluation.contenders import contender

        document = _document(text)
        classes: dict[str, type[Control]] = {}
        seated: dict[str, Mapping[str, Any]] = {}
        loaded: set[tuple[Path | None, str]] = set()
        for control in dict.fromkeys(controls):
            tested = contender(control)
            if tested.classes:
                # One file can be written in two ways.
                this = tested.file, control.partition(":")[2]
                if this in loaded:
                    continue
                loaded.add(this)
            names = [
                found for of in (document, overrides) for found in _names_of(tested, control, of, file.parent)
            ]
            own = {one: cls for cls in tested.classes.values() for one in (control, *names)}
            classes |= own
            if names or (own and control in python_files_in(overrides)):
                continue
            if not _has_seat(document):
                others = (
                    f' or one with control = "{os.path.relpath(control, file.parent)}" (in the file, or by '
                    f"--set flows.NAME.control={control})"
                )
                raise InputError(
                    f'{name}: --control {control} requires a flow called "{SEAT}"{others if own else ""}, and the '
                    "scenario has none"
                )
            seated[control] = {**tested.keys, "control": control} if own else tested.keys
        if len(seated) > 1:
            raise InputError(
                f'{name}: found --control {" and --control ".join(seated)} for the flows called "{SEAT}", expected '
                "one; to use another control in Python, set `control` of its flows to the name of its file"
            )
        keys = {f"flows.{SEAT}.{key}": value for of in seated.values() for key, value in of.items()}
        return Scenario.from_text(text, {**keys, **overrides}, file=name, controls=classes)
    except ScenarioError:
        _refuse_study(file, text)
        raise


@contextmanager
def naming(controls: Sequence[str], studies: Sequence[str]) -> Iterator[None]:
    """Lets these studies name the controls in Python of ``--control``."""
    from ackclock._own_controls import offered

    files = [Path(name) for name in studies if name.endswith(".toml")]
    with ExitStack() as all_offered:
        for control in controls:
            all_offered.enter_context(offered(own_controls(control, files), ("--control", control)))
        yield


def own_controls(control: str, files: Sequence[Path]) -> Mapping[str, type[Control]]:
    """Returns a control in Python by each name under which these studies refer to its file. InputError for another
    control, and if no study names the file.
    """
    from ackclock._files import read_text
    from ackclock.evaluation.contenders import contender

    tested = contender(control)
    documents = []
    for file in files:
        document = _document(read_text(file))
        documents.append((document, file.parent))
        if isinstance(base := document.get("base"), str) and (shared := file.parent / base).is_file():
            documents.append((_document(read_text(shared)), shared.parent))
    names = [name for document, folder in documents for name in _names_of(tested, control, document, folder)]
    if not tested.classes or not (names or any(map(_is_not_toml, files))):
        raise InputError(
            f"--control {control}: expected the Python file of a control that one of the studies uses; for example, "
            '--control mine.py requires a study with control = "mine.py"'
        )
    return {name: cls for cls in tested.classes.values() for name in names}


def _is_not_toml(file: Path) -> bool:
    """Returns whether a file is not TOML, which its reader reports."""
    from ackclock import _toml as toml
    from ackclock._files import read_text

    try:
        toml.loads(read_text(file))
    except toml.TOMLDecodeError:
        return True
    return False


def _names_of(tested: Contender, control: str, document: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yields the names by which a scenario refers to the file of a control in Python, relative to its folder."""
    from ackclock._named_files import python_files_in

    for name in python_files_in(document):
        path, _, of_class = name.partition(":")
        if of_class == control.partition(":")[2] and (folder / path).resolve() == tested.file:
            yield name


def _has_seat(document: Mapping[str, Any]) -> bool:
    """Returns whether a flow is called "tested"."""
    flows = document.get("flows")
    return isinstance(flows, list) and any(
        isinstance(flow, Mapping) and flow.get("name") == SEAT for flow in flows
    )


def _document(text: str) -> Mapping[str, Any]:
    """Returns the document in ``text``. For invalid TOML, returns a stand-in, so that the core reports the error."""
    from ackclock import _toml as toml

    try:
        return toml.loads(text)
    except toml.TOMLDecodeError:
        return {"flows": [{"name": SEAT}]}


def _refuse_study(file: Path, text: str) -> None:
    """Raises InputError when ``text`` is that of a study."""
    from ackclock._files import STANDARD_INPUT
    from ackclock.study.kind import looks_like_study

    if looks_like_study(text):
        # `ackclock reproduce` reads no standard input.
        named = "FILE" if file == STANDARD_INPUT else file
        raise InputError(
            f"{file}: is a study, not a scenario; `ackclock reproduce {named}` runs it"
        ) from None
