"""The user's choices for the host under test: the profile, transport parameters and the control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock._names import nearest
from ackclock._overrides import assignment
from ackclock.errors import InputError, ScenarioError
from ackclock.packetdrill.settings import LINUX, Settings, control_for

if TYPE_CHECKING:
    from ackclock._core import Host
    from ackclock.evaluation.contenders import Contender

_SEED = 1
_FLOW_KEYS = ("slow_start",)
"""Keys of the flow that can be set in addition to its transport parameters."""


@dataclass(frozen=True)
class Choices:
    """The choices of the user; None or empty for those of the script."""

    profile: str | None = None
    control: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def profile_name(self) -> str:
        """Returns the profile."""
        return self.profile or LINUX

    def after(self, others: Choices) -> Choices:
        """Returns these choices, with the others where these say nothing."""
        return Choices(
            self.profile or others.profile, self.control or others.control, {**others.details, **self.details}
        )

    @classmethod
    def of(cls, arguments: Sequence[str], where: str) -> Choices:
        """Returns the choices in words such as ``--profile rfc --set recovery=sack``, which a script has in a comment.
        InputError for other words.
        """
        profile = control = None
        details: dict[str, Any] = {}
        words = iter(arguments)
        for word in words:
            value = next(words, None)
            if value is None or word not in ("--profile", "--control", "--set"):
                raise InputError(
                    f"{where}: comment // ackclock: found {word} {value or 'without a value'}, expected --profile, "
                    "--control or --set, each with a value"
                )
            if word == "--profile":
                profile = value
            elif word == "--control":
                control = value
            else:
                details |= dict([assignment(value)])
        return cls(profile, control, details)


def host_of(found: Settings, choices: Choices, file: str) -> tuple[Host, dict[str, Any]]:
    """Returns the host, and the details of its transport that were set. InputError for a wrong choice, Inexpressible if
    ackclock does not support the script's control and none was chosen.
    """
    from ackclock import _typed_core as core
    from ackclock.custom import python_classes

    profile = choices.profile_name
    known = _details(profile)
    transport: dict[str, Any] = {"name": profile, **found.transport}
    flow: dict[str, Any] = {**found.flow}
    for name, value in choices.details.items():
        if name in _FLOW_KEYS:
            flow[name] = value
        elif name in known:
            transport[name] = value
        else:
            raise InputError(f'--set: there is no parameter "{name}"{nearest(name, [*known, *_FLOW_KEYS])}')
    chosen = _contender(choices.control) if choices.control is not None else None
    keys = {"control": control_for(found, profile)} if chosen is None else chosen.keys
    classes = {} if chosen is None else chosen.classes
    flow |= {"transport": transport, "reader": "1 Gbit/s", **keys}
    try:
        host = core.host(_scenario(flow), file, _SEED, python_classes(classes, {}))
    except ScenarioError as error:
        raise InputError(_without_place(error)) from None
    return host, transport


def _contender(given: str) -> Contender:
    from ackclock.evaluation.contenders import Contender, contender

    # The kernel's own controls are no controls of the registry's list that an evaluation may name.
    return Contender(given, {"control": given}) if given.startswith("linux:") else contender(given)


def _details(profile: str) -> list[str]:
    """Returns the details of a profile of TCP. InputError if there is no such profile."""
    from ackclock import _typed_core as core

    profiles = {entry["name"]: entry for entry in core.registry() if entry["kind"] == "transport"}
    if profile not in profiles:
        raise InputError(f'--profile: there is no transport profile "{profile}"{nearest(profile, profiles)}')
    details = {name: [one["name"] for one in entry["parameters"]] for name, entry in profiles.items()}
    of_tcp = sorted(name for name, names in details.items() if "timestamps" in names)
    if profile not in of_tcp:
        raise InputError(f"--profile: {profile} is not a TCP profile, expected one of {', '.join(of_tcp)}")
    return details[profile]


def _scenario(flow: Mapping[str, Any]) -> str:
    """Returns a scenario with this flow. Its network carries nothing: the script plays the other host."""
    import tomli_w

    wires = {
        "bottleneck": {"rate": "1 Gbit/s", "delay": "1 ms"},
        "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
    }
    return tomli_w.dumps({"duration": "1 s", "dumbbell": wires, "flows": [dict(flow)]})


def _without_place(error: ScenarioError) -> str:
    """Returns what is wrong with the choices, without the line of a scenario that the user has not written."""
    found = []
    for problem in error.diagnostics:
        name = str(problem.get("path", "")).removeprefix("flows.0.").removeprefix("transport.")
        found.append(f"{name}: found {problem.get('found')}, expected {problem.get('expected')}")
    return "\n".join(found) or str(error)
