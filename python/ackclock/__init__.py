"""A congestion-control laboratory.

>>> import ackclock
>>> run = ackclock.Scenario.from_file("dumbbell.toml").run(seed=1)  # doctest: +SKIP
>>> run.flows.select("name", "goodput_bps", "rtt_mean_s")  # doctest: +SKIP
>>> ackclock.reproduce("rbcc/table-4.1").claims[0].verdict  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.errors import AckclockError, InputError, Interrupted, RunError, ScenarioError

if TYPE_CHECKING:
    from ackclock._named_files import files_outside
    from ackclock._search.entry import search
    from ackclock._search.run import SearchResult
    from ackclock.custom import Control, Decision, Discipline, parameter
    from ackclock.evaluation.entry import evaluate
    from ackclock.evaluation.result import Evaluation
    from ackclock.figure import Figure, figures
    from ackclock.reproduction import reproduce, studies
    from ackclock.run import Run, Runs
    from ackclock.scenario import Scenario
    from ackclock.study.result import StudyResult

    __version__: str

__all__ = [
    "AckclockError",
    "Control",
    "Decision",
    "Discipline",
    "Evaluation",
    "Figure",
    "InputError",
    "Interrupted",
    "Run",
    "RunError",
    "Runs",
    "Scenario",
    "ScenarioError",
    "SearchResult",
    "StudyResult",
    "__version__",
    "evaluate",
    "figures",
    "files_outside",
    "parameter",
    "reproduce",
    "search",
    "studies",
]

# Data frames and the core take a third of a second to import, which `ackclock --help` should not.
_HOMES = {
    "Control": "ackclock.custom",
    "Decision": "ackclock.custom",
    "Discipline": "ackclock.custom",
    "Evaluation": "ackclock.evaluation.result",
    "Figure": "ackclock.figure",
    "Run": "ackclock.run",
    "Runs": "ackclock.run",
    "Scenario": "ackclock.scenario",
    "SearchResult": "ackclock._search.run",
    "StudyResult": "ackclock.study.result",
    "evaluate": "ackclock.evaluation.entry",
    "figures": "ackclock.figure",
    "files_outside": "ackclock._named_files",
    "parameter": "ackclock.custom",
    "reproduce": "ackclock.reproduction",
    "search": "ackclock._search.entry",
    "studies": "ackclock.reproduction",
}
_MODULES = frozenset(
    (
        *(
            "controls",
            "custom",
            "errors",
            "figure",
            "gym",
            "kernel_controls",
            "metrics",
            "reproduction",
            "run",
        ),
        *("scenario", "series", "statistics"),
    )
)
"""The public modules. Each is loaded when it is first used."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ackclock._core import __version__ as core_version

        return core_version
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"ackclock.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'ackclock' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
