"""The compiled core as typed functions whose errors are the package's own."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ackclock import _own_controls, kernel_controls
from ackclock._overrides import to_json
from ackclock._stacks import now_offered
from ackclock.errors import AckclockError, InputError, RunError, ScenarioError

if TYPE_CHECKING:
    from ackclock.series import Series

try:
    from ackclock import _core
except ImportError as error:  # pragma: no cover  (an installation without its core cannot run its tests)
    raise AckclockError(
        f"the compiled simulator core is missing or does not load ({error}); `make setup` builds it"
    ) from error

VERSION = _core.__version__


def registry() -> list[dict[str, Any]]:
    """Returns everything that a scenario can name, with the stacks of libraries that are offered."""
    return list(json.loads(_core.registry([stack.library for stack in now_offered()])))


def tables() -> list[dict[str, Any]]:
    """Every table of a scenario file with its keys, as they are declared."""
    return list(json.loads(_core.tables()))


Plugins = Sequence["_core.PythonClass | _core.StackLibrary"]
"""Controls and queue disciplines written in Python (see ``ackclock.custom.python_classes``), and stacks from shared
libraries.
"""


def _with_offered(classes: Plugins) -> list[Any]:
    """Returns plugins with the stacks of libraries and the controls in Python that are offered."""
    every = [*classes, *(stack.library for stack in now_offered() if stack.library not in classes)]
    if controls := _own_controls.now_offered():
        from ackclock.custom import python_classes

        every += python_classes(controls, {})
    return every


def check(text: str, file: str, overrides: Mapping[str, Any], classes: Plugins = ()) -> dict[str, Any]:
    """Checks a scenario. Returns the points of its sweep: axes, points, packets and every. ScenarioError when the
    scenario is wrong.
    """
    with own_errors():
        return dict(json.loads(_core.check(text, file, to_json(overrides), _with_offered(classes))))


def describe(text: str, file: str, overrides: Mapping[str, Any], classes: Plugins = ()) -> dict[str, Any]:
    """Returns name, duration_s, warmup_s, seed, replications, expected_packets, flows, links and warnings of a
    scenario.
    """
    with own_errors():
        return dict(json.loads(_core.describe(text, file, to_json(overrides), _with_offered(classes))))


def outlines(
    text: str, file: str, runs: Sequence[tuple[Mapping[str, Any], bool]]
) -> list[dict[str, Any] | ScenarioError]:
    """Returns the contents of each run of a scenario, given its overrides and whether its series are wanted.

    They are groups of ``flows`` with their names, names of ``links``, duration_s, expected_packets, and ``series``,
    the paths ``flows.FLOW.QUANTITY`` and ``links.LINK.QUANTITY``. For a wrong scenario, the run's entry says what is
    wrong.
    """
    with own_errors():
        wanted = [(to_json(overrides), series) for overrides, series in runs]
        found = _core.outlines(text, file, wanted, _with_offered([]))
    outlines = [dict(json.loads(outline)) for outline in found]
    return [
        ScenarioError(outline["problems"], outline["diagnostics"]) if "problems" in outline else outline
        for outline in outlines
    ]


def comparison_warnings(text: str, file: str, runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the warnings about runs of a scenario that are compared with one another, given the overrides of each:
    controls that use different loss recovery. A run with a wrong scenario is left out.
    """
    with own_errors():
        return list(_core.comparison_warnings(text, file, list(map(to_json, runs)), _with_offered([])))


def locate(text: str, file: str, path: Sequence[str | int]) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Returns how many steps of ``path`` exist in a TOML file, and line and column of the key and of the value of the
    last of them. ScenarioError if the text is not TOML.
    """
    with own_errors():
        return _core.locate(text, file, [str(step) for step in path])


@lru_cache(maxsize=1)
def fields() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Returns the fields of a result's records (run, flow, link, group): name, kind, unit, nullable, optional and
    meaning. They are read once; all callers share them.
    """
    return dict(json.loads(_core.fields()))


def run(
    text: str, file: str, overrides: Mapping[str, Any], seed: int, series: bool, classes: Plugins = ()
) -> dict[str, Any]:
    """Returns the result of one run; its series, if they are wanted, are a ``Series``."""
    return make(text, file, overrides, seed, series, classes).result()


def make(
    text: str, file: str, overrides: Mapping[str, Any], seed: int, series: bool, classes: Plugins = ()
) -> Made:
    """Makes one run and returns its result. A run with Python classes is made on this thread."""
    with own_errors():
        return Made(*_core.run(text, file, to_json(overrides), seed, series, list(classes)))


def document(text: str, file: str, overrides: Mapping[str, Any], seed: int) -> str:
    """Returns the result of one run with its series, in JSON: the bytes that the simulator in a web page writes."""
    with own_errors():
        return _core.document(text, file, to_json(overrides), seed)


def host(text: str, file: str, seed: int, classes: Plugins = ()) -> _core.Host:
    """Returns one host of the scenario's first flow, for a caller that plays the other. ScenarioError when the scenario
    is wrong, InputError if the flow is not over TCP.
    """
    with own_errors():
        return _core.Host(text, file, seed, list(classes))


def trace(text: str, file: str, overrides: Mapping[str, Any], seed: int, classes: Plugins = ()) -> Any:
    """Returns the packet trace of one run, an object of the Arrow PyCapsule interface."""
    with own_errors():
        return _core.trace(text, file, to_json(overrides), seed, list(classes))


def verify(text: str, file: str, overrides: Mapping[str, Any], seed: int, classes: Plugins = ()) -> list[Any]:
    """Returns the violations of the network's physics in one run."""
    with own_errors():
        return list(json.loads(_core.verify(text, file, to_json(overrides), seed, list(classes))))


def export(
    text: str,
    file: str,
    overrides: Mapping[str, Any],
    seed: int,
    wishes: Mapping[str, Any],
    classes: Plugins = (),
) -> tuple[dict[str, Any], list[tuple[str, int]], Any]:
    """Runs once and writes files. Returns the result, the files with their numbers of records, and the event log, an
    object of the Arrow PyCapsule interface, or None. OSError when a file cannot be written.
    """
    with own_errors():
        wanted = json.dumps(wishes)
        result, files, events = _core.export(text, file, to_json(overrides), seed, wanted, list(classes))
        return dict(json.loads(result)), [tuple(entry) for entry in json.loads(files)], events


def path(
    text: str, file: str, overrides: Mapping[str, Any], seed: int, wanted: Mapping[str, Any]
) -> dict[str, Any]:
    """Runs programs on two hosts with the scenario's network between them. Returns the outcome of ``_core.path``. The
    thread may stay in the hosts' namespaces, so this is for a process that ends soon. RunError when something is
    missing.
    """
    with own_errors():
        return dict(json.loads(_core.path(text, file, to_json(overrides), seed, json.dumps(wanted))))


def wire(text: str, file: str, overrides: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Runs the flows of a scenario on real stacks. Returns the outcome of ``_core.wire``. The thread may stay in the
    hosts' namespaces, so this is for a process that ends soon. RunError when something is missing.
    """
    with own_errors():
        return dict(
            json.loads(_core.wire(text, file, to_json(overrides), seed, str(kernel_controls.where())))
        )


def replay(text: str, controls: Sequence[str] = ()) -> dict[str, Any]:
    """Feeds a recording of the kernel's connections to its controls, or to ``controls`` in their places. Returns what
    ``_core.replay`` does. InputError for what is no recording, and for controls that cannot run under the kernel.
    """
    with own_errors():
        return dict(json.loads(_core.replay(text, list(controls))))


@dataclass(frozen=True)
class Made:
    """The result of a run."""

    text: str
    """The result in JSON, without the series."""
    columns: Any = None
    """The series as an object of the Arrow PyCapsule interface; None if they were not requested."""

    def series(self) -> Series | None:
        """Returns the series, if there are any."""
        if self.columns is None:
            return None
        from ackclock.series import Series  # libraries that `ackclock --help` does not need

        return Series.from_core(self.columns)

    def result(self) -> dict[str, Any]:
        """Returns the result with its series."""
        return {**parsed_result(self.text), "series": self.series()}


def parsed_result(text: str | bytes) -> dict[str, Any]:
    """Returns a result in JSON as records. ValueError for other text."""
    # Pydantic's parser takes half the time of Python's, and gives the same numbers. A sweep reads gigabytes.
    from pydantic_core import from_json

    result = from_json(text)
    if not isinstance(result, dict):
        raise ValueError(f"result of a run: found {type(result).__name__}, expected a JSON object")
    return result


class Batch:
    """Many runs on all cores (``threads`` = 0), as they finish."""

    def __init__(self, jobs: Sequence[tuple[str, str, str, int, bool]], threads: int = 0) -> None:
        self._batch = _core.Batch(list(jobs), threads)

    def __iter__(self) -> Iterator[tuple[int, Made | AckclockError]]:
        """Yields the finished runs, each with the index of its job; for a failed run, its error."""
        next_result = self._batch.__next__
        while True:
            with own_errors():
                try:
                    index, text, columns, failure = next_result()
                except StopIteration:
                    return
            yield index, _own(failure) if failure is not None else Made(text or "", columns)
            del text, columns, failure

    def cancel(self) -> None:
        """Stops after the runs in progress."""
        self._batch.cancel()


@contextmanager
def own_errors() -> Iterator[None]:
    """Turns the core's exceptions into the package's."""
    try:
        yield
    except _core.ScenarioError as error:
        raise ScenarioError(str(error.args[0]), json.loads(error.diagnostics)) from None
    except OverflowError as error:
        raise InputError(f"a number is too large for the simulator: {error}") from None
    except AckclockError:
        raise
    except (ValueError, TypeError) as error:
        raise InputError(str(error)) from None
    except RuntimeError as error:
        # If Python code in the run has raised, its traceback is the cause.
        raise RunError(f"{error}{_place(error.__cause__)}") from error.__cause__
    except (SystemExit, GeneratorExit) as error:
        # The code of a user in a run does not end the program that makes it, least of all with the code of success.
        raised = f"Python code in the run raised {error!r}"
        raise RunError(f"{raised}{_place(error)}") from error


def _own(failure: BaseException) -> AckclockError:
    """Returns the package's error for one of the core's."""
    try:
        with own_errors():
            raise failure
    except AckclockError as error:
        return error


def _place(cause: BaseException | None) -> str:
    """Returns where Python code in the run has raised: ``, at mine.py:12, in on_ack``; empty without a cause."""
    frames = traceback.extract_tb(cause.__traceback__) if cause is not None else []
    if not frames:
        return ""
    last = frames[-1]
    return f", at {last.filename}:{last.lineno}, in {last.name}"
