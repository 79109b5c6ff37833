"""Congestion controls and queue disciplines written in Python, with the same events as those in Rust.

>>> class Steady(Control):
...     '''A constant window.'''
...
...     window: float = parameter("10 packets", unit="packets", at_least=1, about="The window")
...
...     def decision(self):
...         return Decision(self.window)
...
...     def on_ack(self, ack, random): ...
...     def on_loss(self, loss, random): ...
...     def on_timeout(self, timeout, random): ...

``Scenario.from_dict(..., controls={"steady": Steady})`` then accepts ``control = "steady"``.

Times are in seconds, rates in bits per second, amounts of data in packets.
"""

from __future__ import annotations

import dis
import inspect
import json
import math
import random
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType, ModuleType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, Union

from ackclock._arguments import mapping
from ackclock._core import (
    Ack,
    Arrival,
    Backlog,
    Capacity,
    Change,
    Draws,
    Initial,
    LinkRate,
    Loss,
    Lost,
    PythonClass,
    Queue,
    RateSample,
    Recovered,
    Sent,
    Timeout,
)
from ackclock._names import nearest
from ackclock.errors import InputError

__all__ = [
    "Ack",
    "Arrival",
    "Backlog",
    "Capacity",
    "Change",
    "Control",
    "Decision",
    "Discipline",
    "Draws",
    "Initial",
    "LinkRate",
    "Loss",
    "Lost",
    "Queue",
    "RateSample",
    "Recovered",
    "Sent",
    "Timeout",
    "Verdict",
    "parameter",
]

Verdict = Literal["admit", "mark", "drop"]
"""The fate of a packet that arrives at a queue."""

Unit = Literal["number", "integer", "flag", "choice", "time", "rate", "size", "packets"]


class Decision(NamedTuple):
    """The limits that a control sets for its host.

    ``cwnd`` is the number of packets that may be in flight. ``ssthresh`` is the slow start threshold, for observers;
    infinite if there is none. ``pacing_rate`` is in bits per second of payload, None for as fast as the window allows.
    ``send_quantum`` is the number of packets that may leave back to back when pacing; None for the host's default.
    """

    cwnd: float
    """The number of packets that may be in flight."""
    ssthresh: float = math.inf
    """The slow start threshold in packets, which is only recorded; infinite for a control without one."""
    pacing_rate: float | None = None
    """The pacing rate, in bits per second of payload. None: no pacing, so only the window limits the rate."""
    send_quantum: int | None = None
    """The number of packets that a paced sender may send back to back. None: the host's default."""


class Parameter(NamedTuple):
    """A parameter as declared by ``parameter``."""

    default: Any
    unit: Unit | None
    above: float | None
    at_least: float | None
    at_most: float | None
    about: str


def parameter(
    default: Any,
    *,
    unit: Unit | None = None,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    about: str = "",
) -> Any:
    """Declares a parameter of a control or a discipline: its default, unit, bounds and description.

    The default of a quantity with a unit is written as in a scenario (``parameter("40 ms", unit="time")``); None means
    that the parameter may be absent. Without ``unit`` the annotation determines the type: float, int, bool, or a
    Literal of strings.
    """
    return Parameter(default, unit, above, at_least, at_most, about)


T = TypeVar("T", bound="_Hosted")


class _Hosted:
    """The common base of controls and disciplines, which sets the parameters of an instance."""

    @classmethod
    def _make(cls: type[T], parameters: Mapping[str, Any], *arguments: Any) -> T:
        """Returns an instance whose parameters are set before its constructor runs."""
        made = cls.__new__(cls)
        made.__dict__.update(parameters)
        made.__init__(*arguments)  # type: ignore[misc]  # called here, because the parameters come first
        return made


class Control(_Hosted, ABC):
    """A congestion control, one instance for each connection.

    Annotated attributes of the class are its parameters, which a scenario may set. After each event the host calls
    ``decision``. A class with ``set_cwnd`` and ``set_ssthresh`` has a window that slow-start algorithms and loss
    discriminators can set. Any other class counts as a control with a model of the path, such as BBR: its decision also
    applies during loss recovery. For a control with a window, the host applies proportional rate reduction (RFC 9937).
    """

    recovery: ClassVar[str | None] = None
    """The default loss recovery of the control, such as "newreno" or "sack"; None for the transport's default."""
    counts_marks: ClassVar[bool] = False
    """Whether the host reports ECN marks as numbers of marked packets (``Ack.marks``). If not, it calls ``on_loss``."""
    follows_sending: ClassVar[Literal["everything", "restarts"]] = "everything"
    """The packets for which ``on_sent`` is called, if it is defined: all packets, or only those that are sent while no
    other packet is in flight.
    """

    def __init__(self, initial: Initial) -> None:
        """Called when a connection begins. The parameters are already set as attributes."""

    @abstractmethod
    def decision(self) -> Decision:
        """Returns how much may be sent now. Called after each event."""

    @abstractmethod
    def on_ack(self, ack: Ack, random: Draws) -> None:
        """Called when an acknowledgement arrives."""

    @abstractmethod
    def on_loss(self, loss: Loss, random: Draws) -> None:
        """Called when the host detects a loss (or an ECN congestion echo) and enters recovery, once per window of
        data.
        """

    @abstractmethod
    def on_timeout(self, timeout: Timeout, random: Draws) -> None:
        """Called when the retransmission timer expires."""

    def on_change(self, change: Change) -> None:
        """Called when the connection begins, opens or ends."""

    def on_sent(self, sent: Sent, random: Draws) -> None:
        """Called when a packet has been sent."""

    def on_lost(self, lost: Lost, random: Draws) -> None:
        """Called for each packet that is declared lost."""

    def on_recovered(self, recovered: Recovered) -> None:
        """Called when the recovery after the last loss or timeout has ended."""

    def publish(self) -> dict[str, float]:
        """Returns internal values of the control by name, for figures."""
        return {}


class Discipline(_Hosted, ABC):
    """A queue discipline, one instance for each link and direction.

    The discipline admits, marks or drops each arriving packet, and admitted packets leave in order. With
    ``on_departure`` it can also drop waiting packets when the link is free, and chooses the packet to send.

    Annotated attributes of the class are its parameters, which a scenario may set. Every queue has a ``limit``; the
    constructor receives it as a ``Capacity``.
    """

    _queue: Queue

    def __init__(self, capacity: Capacity, link: LinkRate) -> None:
        """Called for the empty queue of a link. The parameters are already set as attributes."""

    @abstractmethod
    def on_arrival(self, arrival: Arrival, backlog: Backlog, random: Draws) -> Verdict:
        """Returns what to do with an arriving packet: "admit", "mark" or "drop"."""

    def on_departure(self, now: float, random: Draws) -> Arrival | None:  # noqa: ARG002  (the oldest, whenever)
        """Returns the packet of ``queue`` to send now that the link is free. None only if the queue is empty.

        ``queue.drop`` and ``queue.mark`` drop and mark waiting packets. The packet sent must be the oldest of its flow.
        """
        return self.queue[0]

    @property
    def queue(self) -> Queue:
        """The waiting packets in the order of their arrival, for a class with ``on_departure``.

        Each is the same object that ``on_arrival`` received.
        """
        try:
            return self._queue
        except AttributeError:
            raise AttributeError(
                "`queue` is available only in a discipline with on_departure, which chooses the packet to send"
            ) from None

    def period(self) -> float | None:
        """Returns the interval of ``on_period`` in seconds; None for never."""
        return None

    def on_period(self, now: float, backlog: Backlog) -> None:
        """Called at the interval that ``period`` returns."""

    def publish(self) -> dict[str, float]:
        """Returns internal values of the discipline by name, for figures."""
        return {}


def python_classes(
    controls: Mapping[str, type[Control]], queues: Mapping[str, type[Discipline]]
) -> list[PythonClass]:
    """Returns the classes in the core's form. InputError for a wrong class or a wrong declaration."""
    wanted: list[tuple[str, Any, type[_Hosted]]] = [
        ("controls", controls, Control),
        ("queues", queues, Discipline),
    ]
    return [
        _python_class(kind, name, cls, base)
        for kind, classes, base in wanted
        for name, cls in mapping(kind, classes).items()
    ]


def _python_class(kind: str, name: Any, cls: Any, base: type[_Hosted]) -> PythonClass:
    if not name.isprintable() or not 1 <= len(name) <= 100:
        raise InputError(f"{kind}: found the name {name!r}, expected 1 to 100 printable characters")
    if not _is_class(cls, base):
        raise InputError(f'{kind}: "{name}" is {cls!r}, expected a subclass of ackclock.{base.__name__}')
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    if missing:
        raise InputError(f'{kind}: the class "{name}" does not define {", ".join(missing)}')
    events = [event for event in dir(base) if event.startswith("on_")]
    for event in dir(cls):
        if event.startswith("on_") and event not in events:
            raise InputError(
                f'{kind}: the class "{name}" has the method {event}, which is not an event{nearest(event, events)}'
            )
    try:
        return _described(name, cls)
    except ValueError as error:
        raise InputError(f'{kind}: "{name}": {error}') from None


def _is_class(given: Any, base: type[_Hosted]) -> bool:
    return isinstance(given, type) and issubclass(given, base)


@cache
def _described(name: str, cls: Any) -> PythonClass:
    """Returns the description of a class. Cached, because a description stays in the core until the program ends."""
    return PythonClass(name, cls, json.dumps(_description(cls)))


def _description(cls: type[_Hosted]) -> dict[str, Any]:
    summary = (cls.__doc__ or "").strip().partition("\n")[0] or "Written in Python"
    described: dict[str, Any] = {"summary": summary, "parameters": _parameters(cls)}
    if issubclass(cls, Control):
        hears = _overrides(cls, Control)
        described["control"] = {
            "recovery": cls.recovery,
            "has_window": has_window(cls),
            "counts_marks": cls.counts_marks,
            "draws_unseeded": draws_unseeded(cls),
            "follows_sending": cls.follows_sending if hears("on_sent") else "nothing",
            "hears": {name: hears(name) for name in ("on_change", "on_lost", "on_recovered", "publish")},
        }
    else:
        hears = _overrides(cls, Discipline)
        described["queue"] = {"departs": hears("on_departure"), "publish": hears("publish")}
    return described


def has_window(cls: type[Control]) -> bool:
    """Returns whether slow-start algorithms and loss discriminators can set the window of a control."""
    return all(callable(getattr(cls, name, None)) for name in ("set_cwnd", "set_ssthresh"))


def draws_unseeded(cls: type[_Hosted]) -> bool:
    """Returns whether methods of a class, or functions that they call in its module, use the modules ``random``,
    ``secrets`` or ``numpy.random`` instead of the argument ``random`` of an event. A generator that the class
    constructs itself counts as seeded.
    """
    own = [base for base in cls.__mro__ if not base.__module__.startswith(("ackclock.", "builtins", "abc"))]
    methods = [inspect.unwrap(_function(value)) for base in own for value in vars(base).values()]
    left = [method for method in methods if isinstance(method, FunctionType)]
    seen: set[FunctionType] = set()
    found = False
    while left:
        function = left.pop()
        if function in seen:
            continue
        seen.add(function)
        names = set(function.__code__.co_names)
        constructs = bool(names & _GENERATORS)
        for value in _used(function):
            found = found or (not constructs and _is_source(value, names))
            if isinstance(value, FunctionType) and value.__module__ == cls.__module__:
                left.append(value)
    return found


_GENERATORS = frozenset(("Random", "default_rng", "RandomState", "Generator"))
"""Names of constructors of random number generators. The generators that they create are assumed to be seeded."""


def _used(function: FunctionType) -> list[Any]:
    """Returns the values that a function uses from its module and from enclosing functions."""
    # Names of attributes are no names of the module.
    loads = (one.argval for one in dis.get_instructions(function) if one.opname == "LOAD_GLOBAL")
    found = [function.__globals__[name] for name in dict.fromkeys(loads) if name in function.__globals__]
    return [*found, *inspect.getclosurevars(function).nonlocals.values()]


def _function(value: Any) -> Any:
    """Returns the function behind a property, a static method or a class method; any other value unchanged."""
    return getattr(value, "fget", None) or getattr(value, "__func__", value)


def _is_source(value: Any, names: set[str]) -> bool:
    """Returns whether a value that a function with these names uses is a source of unseeded random numbers."""
    if isinstance(value, ModuleType):
        parts = {"numpy": {"random"}, "os": {"urandom"}}.get(value.__name__)
        return bool(parts & names) if parts else value.__name__ in ("random", "secrets", "numpy.random")
    owner = getattr(value, "__self__", value)
    module = getattr(value, "__module__", None) or ""
    return isinstance(owner, random.Random) or (
        callable(value) and (module in ("random", "secrets") or module.startswith("numpy.random"))
    )


def _overrides(cls: type[_Hosted], base: type[_Hosted]) -> Callable[[str], bool]:
    """Returns a function that returns whether ``cls`` overrides a method of ``base``. Others need not be called."""
    return lambda name: getattr(cls, name) is not getattr(base, name)


def _parameters(cls: type[_Hosted]) -> list[dict[str, Any]]:
    try:
        annotations = typing.get_type_hints(cls)
    except (NameError, TypeError) as error:
        raise ValueError(f"found a type annotation that cannot be evaluated: {error}") from None
    declared = []
    for name, annotation in annotations.items():
        if typing.get_origin(annotation) is ClassVar or annotation is ClassVar or name.startswith("_"):
            continue
        value = getattr(cls, name, None)
        given = value if isinstance(value, Parameter) else Parameter(value, None, None, None, None, "")
        if given.default is None and not hasattr(cls, name):
            raise ValueError(
                f"the parameter {name} has no default, expected one such as `{name}: float = 0.5`"
            )
        declared.append(_declared(name, annotation, given))
    return declared


def _declared(name: str, annotation: Any, given: Parameter) -> dict[str, Any]:
    choices: list[str] = []
    kinds = [kind for kind in _alternatives(annotation) if kind is not type(None)]
    unit: str | None = given.unit
    words = [word for kind in kinds if typing.get_origin(kind) is Literal for word in typing.get_args(kind)]
    if words:
        if not all(isinstance(word, str) for word in words):
            raise ValueError(f"the parameter {name} has the type {annotation}, expected a Literal of strings")
        unit, choices = "choice", words
    elif unit is None:
        by_kind = {bool: "flag", int: "integer", float: "number"}
        unit = by_kind.get(kinds[0]) if len(kinds) == 1 else None
        if unit is None:
            raise ValueError(
                f"the parameter {name} has the type {annotation}, expected float, int, bool or a Literal of strings; "
                "to declare a quantity with a unit, use ackclock.parameter(..., unit=...)"
            )
    elif unit not in typing.get_args(Unit) or unit == "choice":
        units = ", ".join(word for word in typing.get_args(Unit) if word != "choice")
        raise ValueError(f"the parameter {name} has the unit {unit!r}, expected one of {units}")
    return {
        "name": name,
        "about": given.about,
        "unit": unit,
        "default": _written(given.default),
        "choices": choices,
        "above": given.above,
        "at_least": given.at_least,
        "at_most": given.at_most,
    }


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(annotation) in {Union, UnionType}
    return typing.get_args(annotation) if is_union else (annotation,)


def _written(default: Any) -> str | None:
    """Returns a default as written in a scenario."""
    if default is None or isinstance(default, str):
        return default
    return str(default).lower() if isinstance(default, bool) else repr(default)
