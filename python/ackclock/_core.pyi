"""The compiled simulator core. Private: ackclock.Scenario is what to use.

Documents go in and come out as text, so that the boundary has no types to keep in step. Series and packet
traces come as columns.
"""

from typing import Any, final

__version__: str

class ScenarioError(ValueError):
    """A scenario that is wrong. ``args[0]`` shows all problems, ready to print."""

    diagnostics: str
    """JSON list of {file, line, column, end: {line, column}, path, found, expected, hint, message}."""

def registry() -> str:
    """JSON list of {name, kind, summary, source, parameters: [{name, summary, unit, default, range, choices,
    source}]}.
    """

def schema() -> str:
    """JSON Schema of a scenario file."""

def check(text: str, file: str, overrides: str = "{}") -> str:
    """Raises ScenarioError. ``overrides`` is a JSON object {dotted path: value}, here and below. JSON object {axes:
    [{path, sampled, unit, values, cells}], points: [[index of each axis's value]], packets: [of every so many points],
    every}.
    """

def describe(text: str, file: str, overrides: str = "{}") -> str:
    """JSON object {name, duration_s, warmup_s, seed, replications, expected_packets, flows: [{group, control, names,
    paths}], links: [name], network: {links: [{name, from, to, rate_bps, ...}]}, warnings: [sentence]}.
    """

def fields() -> str:
    """JSON object {record: [{name, kind, nullable, optional, unit, meaning}]} of the records of a result."""

def run(text: str, file: str, overrides: str, seed: int, series: bool) -> tuple[str, Columns | None]:
    """JSON result of one run, without its series, and those. Raises ScenarioError or RuntimeError. Releases the GIL."""

def document(text: str, file: str, overrides: str, seed: int) -> str:
    """JSON result of one run with its series. Raises ScenarioError or RuntimeError. Releases the GIL."""

def trace(text: str, file: str, overrides: str, seed: int) -> Columns:
    """What happened to every packet in one run, in the order of time: time_ns, flow, backward, packet, bytes, event,
    link.
    """

def verify(text: str, file: str, overrides: str, seed: int) -> str:
    """JSON list of violations of the network's physics in one run; empty when there are none."""

def export(text: str, file: str, overrides: str, seed: int, wishes: str) -> tuple[str, str, Columns | None]:
    """Runs once and writes files as it goes. ``wishes`` is a JSON object {captures: [[senders|receivers|before|after,
    link, path]], payloads, qlogs: [[row, path]], deliveries: [[row, path]], rates: [[link, path]], events}. JSON result
    without series, JSON list of [path, records], and the event log if it is wished. Raises ScenarioError, RuntimeError,
    OSError or KeyboardInterrupt.
    """

@final
class Columns:
    """Columns of one length, to be read through the Arrow PyCapsule interface."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

@final
class Batch:
    """Many runs on all cores (``threads`` = 0): an iterator over finished runs, in the order in which they finish."""

    def __new__(cls, wanted: list[tuple[str, str, str, int, bool]], threads: int = 0) -> Batch: ...
    def __iter__(self) -> Batch: ...
    def __next__(self) -> tuple[int, str | None, Columns | None, BaseException | None]:
        """(index of the job, JSON result, series, why there is none). Raises KeyboardInterrupt on Ctrl-C."""
    def cancel(self) -> None:
        """Stop after the runs in progress; ``__next__`` then ends."""
