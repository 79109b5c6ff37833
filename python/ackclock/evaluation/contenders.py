"""The controls of an evaluation: the one under test, and the references that take its place."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._files import is_there
from ackclock._named_files import is_python_file
from ackclock._names import nearest
from ackclock._overrides import merge
from ackclock._stacks import Stack, now_offered
from ackclock.errors import InputError
from ackclock.evaluation.language import MARKS, OF_WINDOW

if TYPE_CHECKING:
    from ackclock.custom import Control
    from ackclock.evaluation.language import ScenarioFile

PLUGIN = "under-test"
"""The name of a control in Python in the scenarios of an evaluation."""
REFERENCES = ("cubic", "sack")
"""The default references: CUBIC (RFC 9438), and ``sack``, which changes its window as Reno does (RFC 5681)."""
RECOVERY = "rack"
"""The loss recovery (RFC 8985) of all TCP flows whose control is not in ``OWN_RECOVERY``. It is the same for all, so
that only the controls differ.
"""
OWN_RECOVERY: Mapping[str, str] = {
    "vegas": "vegas",
    "mda": "mda",
    "twa": "mda",
    "tcp-rtt": "mda-transmission",
    "tcp-rttm": "mda",
}
"""The loss recovery of each control whose publication also defines when a packet counts as lost (Brakmo and Peterson
1995, section 3.1; Alnuem 2009, chapter 4).
"""

ALWAYS_MARKED = ("noq", "quinn")
"""The transports that always send ECN-capable packets: these stacks have no option to switch ECN off."""
INSTEAD = "quic"
"""The transport of ackclock's controls if ``--transport`` names a stack from a library, because such a stack runs only
its own controls.
"""
SEVERAL_PATHS = ("lia",)
"""The controls that couple the windows of several paths (RFC 6356)."""


@dataclass(frozen=True)
class Contender:
    """A control in the seat under test, with the keys that its flows have besides."""

    name: str
    """The name that messages and reports show."""
    keys: Mapping[str, Any]
    """The keys that the contender sets for its flows in a scenario: ``control``, and others, such as ``transport``."""
    file: Path | None = None
    """The file that defines a control in Python; None for a control of the registry."""
    classes: Mapping[str, type[Control]] = field(default_factory=dict)
    source: str = ""
    """The text of ``file`` when it was loaded; empty without a file."""

    def overrides(self, groups: Sequence[str]) -> dict[str, Any]:
        """Returns the values that put this control into the groups of flows."""
        return {f"flows.{group}.{key}": value for group in groups for key, value in _flat(self.keys).items()}

    def seated(self, about: ScenarioFile, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns the overrides of a setting with those that put this control into its seat.

        All have the same recovery, the scenario's details, and ECN where the setting asks for marks. The setting's
        receive window is that of all flows whose transport can have one and names none.
        """
        setting = {path: value for path, value in (overrides or {}).items() if path not in (OF_WINDOW, MARKS)}
        window = (overrides or {}).get(OF_WINDOW)
        values = {
            f"flows.{group}.{key}": value
            for group in about.tested
            for key, value in {**self._recovery(about, group), **_flat(self.keys)}.items()
        }
        details = {**about.details, **({"ecn": True} if MARKS in (overrides or {}) else {})}
        for group in about.tested:
            transport = self._transport(about, group)
            for key, value in details.items():
                if _has(transport, key) and key not in transport:
                    values |= {
                        f"flows.{group}.transport.name": transport["name"],
                        f"flows.{group}.transport.{key}": value,
                    }
        if window is not None:
            for flow in about.scenario.get("flows", ()):
                group = str(flow.get("name"))
                own = (
                    self._transport(about, group)
                    if group in about.tested
                    else _table(flow.get("transport", "rfc"))
                )
                if _has(own, "window") and "window" not in own:
                    values[f"flows.{group}.transport.window"] = window
        return merge(setting, values)

    def _transport(self, about: ScenarioFile, group: str) -> dict[str, Any]:
        """Returns the transport of a group of flows that has the control."""
        flows = {one.get("name"): one for one in about.scenario.get("flows", ())}
        own = flows[group].get("transport", "rfc") if group in flows else "rfc"
        # A table without a name has parameters of the default.
        return {"name": "rfc", **_table(own), **_table(self.keys.get("transport", {}))}

    def _recovery(self, about: ScenarioFile, group: str) -> dict[str, Any]:
        """Returns the values that give the flows of ``group`` the recovery of all; empty if their transport has its own
        or names one.
        """
        transport = self._transport(about, group)
        name = transport.get("name", "rfc")
        if "recovery" in transport or not _has(transport, "recovery"):
            return {}
        return {"transport.name": name, "transport.recovery": self.recovery}

    @property
    def recovery(self) -> str:
        """Returns the rule by which its flows recover from losses, or the name of a transport that has its own."""
        transport = _table(self.keys.get("transport", {}))
        if not _has(transport, "recovery"):
            return str(transport["name"])
        control = _table(self.keys["control"]).get("name")
        return str(transport.get("recovery", OWN_RECOVERY.get(str(control), RECOVERY)))

    @property
    def class_name(self) -> str:
        """Returns the name of the class of a control in Python. LookupError for another control."""
        return self.classes[PLUGIN].__name__

    @property
    def remarks(self) -> list[str]:
        """Returns what the reader has to know about how the host treats a control in Python."""
        from ackclock.custom import has_window

        return [
            f"{self.name} does not define both set_cwnd and set_ssthresh, so it counts as a model-based control: "
            "the host does not reduce the data in flight during loss recovery. For a window-based control, the host "
            "would reduce it"
            for cls in self.classes.values()
            if not has_window(cls)
        ]

    @property
    def several_paths(self) -> bool:
        """Returns whether it couples the windows of several paths."""
        return _table(self.keys["control"]).get("name") in SEVERAL_PATHS

    def can_be_marked(self, about: ScenarioFile) -> bool:
        """Returns whether the transport of its flows has ECN, or can have it and is not told otherwise."""
        transports = [self._transport(about, group) for group in about.tested]
        return all(
            one["name"] in ALWAYS_MARKED or (_has(one, "ecn") and one.get("ecn", True)) for one in transports
        )


def _table(value: Any) -> Mapping[str, Any]:
    """Returns a table whose name alone may stand for it."""
    return value if isinstance(value, Mapping) else {"name": value}


def _has(transport: Mapping[str, Any], parameter: str) -> bool:
    """Returns whether the flows of a transport, such as the default one, can be given a parameter."""
    return parameter in _parameters(transport.get("name", "rfc"), now_offered())


@cache
def _parameters(transport: str, _: tuple[Stack, ...]) -> frozenset[str]:
    """Returns the parameters of a transport, which may be one of the stacks that are offered."""
    return frozenset(
        one["name"]
        for entry in core.registry()
        if entry["kind"] == "transport" and entry["name"] == transport
        for one in entry["parameters"]
    )


def _flat(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys with those of a transport one by one: others that a scenario gives its transport stay."""
    flat = {key: value for key, value in keys.items() if key != "transport"}
    transport = keys.get("transport", {})
    return {**flat, **{f"transport.{key}": value for key, value in transport.items()}}


def contender(given: str, more: Mapping[str, Any] | None = None) -> Contender:
    """Returns the control that ``given`` names: one of the registry, its table in TOML (``{ name = "cubic", beta =
    0.8 }``), or ``FILE.py`` or ``FILE.py:CLASS`` for one in Python. ``more`` are further keys of its flows.

    InputError for an unknown control, and for a file without exactly one control.
    """
    more = _over(given, more or {})
    if given.strip().startswith("{"):
        try:
            table = toml.loads(f"control = {given}")["control"]
        except toml.TOMLDecodeError as error:
            raise InputError(f"{given}: not a valid TOML table: {error}") from None
        known(str(table.get("name", "")))
        return Contender(given.strip(), {"control": table, **more})
    path, _, name = given.partition(":")
    if is_python_file(given):
        from ackclock.evaluation import loading

        loading.check(Path(path), name)
        cls = loaded(Path(path), name)
        file = Path(path).resolve()
        source = file.read_text(encoding="utf-8", errors="replace")
        return Contender(cls.__name__, {"control": PLUGIN, **more}, file, {PLUGIN: cls}, source)
    known(given)
    stack, _, own = given.partition(":")
    if own and stack in ALWAYS_MARKED and _table(more.get("transport", {})).get("name") != stack:
        raise InputError(
            f"the control {given} is part of the stack {stack} and runs only over its transport: add "
            f"`--transport {stack}`, which the other controls then use as well"
        )
    return Contender(given, {"control": given, **more})


def _over(given: str, more: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the keys of the flows of a control. A stack in a library runs its own controls only: others take its seat
    over the QUIC of the laboratory.
    """
    transport = _table(more.get("transport", {})).get("name")
    of_library = any(stack.name == transport for stack in now_offered())
    if not of_library or given.startswith(f"{transport}:"):
        return more
    return {**more, "transport": {"name": INSTEAD}}


def separated(given: str) -> list[str]:
    """Returns the controls in a list with commas, which may have tables in TOML with commas of their own."""
    found, depth = [""], 0
    for one in given:
        depth += (one in "{[") - (one in "}]")
        if one == "," and depth == 0:
            found.append("")
        else:
            found[-1] += one
    return [one.strip() for one in found]


def stand_in(cls: type[Control]) -> type[Control]:
    """Returns a control with the declarations of ``cls`` whose instances run none of its code.

    Describing a scenario makes an instance of each control, and one that never returns, or ends its process, may do so
    as it begins.
    """
    from ackclock.custom import Decision

    def begin(_: Control, initial: object) -> None:
        pass

    def decision(_: Control) -> Decision:
        return Decision(1.0)

    return type(cls.__name__, (cls,), {"__init__": begin, "decision": decision})


def known(name: str) -> None:
    """Raises InputError if no control of the registry is called ``name``."""
    controls = [entry["name"] for entry in core.registry() if entry["kind"] == "control"]
    if name not in controls:
        near = f'; did you mean "{name}.py"?' if is_there(Path(f"{name}.py")) else nearest(name, controls)
        raise InputError(
            f'there is no control "{name}"{near}\n'
            "`ackclock list controls` shows them all; for a control in Python, use FILE.py or FILE.py:CLASS"
        )


def loaded(file: Path, name: str = "") -> type[Control]:
    """Returns the control called ``name`` in a Python file, or the only one. InputError if there is none, if there are
    several, or if the file cannot be read or run.
    """
    from ackclock.custom import Control, python_classes

    if not is_there(file):
        raise InputError(f"{file}: No such file")
    # Two files in different folders may have one name.
    place = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(f"ackclock_evaluated_{file.stem}_{place}", file)
    if spec is None or spec.loader is None:
        raise InputError(
            f"{file}: cannot be loaded as a Python module, expected a file whose name ends in .py"
        )
    module = importlib.util.module_from_spec(spec)
    # A dataclass of the module looks its module up there.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except SystemExit as error:
        raise InputError(f"{file}: the file raises SystemExit when it is loaded: {error}") from error
    except BaseException as error:
        raise InputError(f"{file}: {type(error).__name__}: {error}") from error
    controls = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Control) and value.__module__ == spec.name
    }
    if name:
        if name not in controls:
            raise InputError(f'{file}: there is no control "{name}"{nearest(name, controls)}')
    elif len(controls) != 1:
        found = f"{', '.join(controls)}; FILE.py:CLASS chooses one" if controls else "none"
        raise InputError(f"{file}: expected one subclass of ackclock.Control, found {found}")
    cls = controls[name or next(iter(controls))]
    try:
        python_classes({cls.__name__: cls}, {})
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return cls
