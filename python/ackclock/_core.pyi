"""The compiled simulator core. It is private: use ackclock.Scenario.

Documents go in and come out as text, so that the boundary has no types to keep in step. Series and packet
traces come as columns.
"""

from collections.abc import Iterator
from typing import Any, final

__version__: str

class ScenarioError(ValueError):
    """A scenario that is wrong. ``args[0]`` shows all problems, ready to print."""

    diagnostics: str
    """JSON list of {file, line, column, end: {line, column}, path, found, expected, hint, message}."""

def registry() -> str:
    """Returns a JSON list of {name, kind, summary, source, parameters: [{name, summary, unit, default, range, choices,
    source}]}.
    """

def schema() -> str:
    """Returns the JSON Schema of a scenario file."""

def check(text: str, file: str, overrides: str = "{}", guests: list[Guest] = ...) -> str:
    """Checks a scenario. Raises ScenarioError. ``overrides`` is a JSON object {dotted path: value}, here and below.
    Returns a JSON object {axes: [{path, sampled, unit, values, cells}], points: [[index of each axis's value]],
    packets: [of each ``every``-th point], every}.
    """

def describe(text: str, file: str, overrides: str = "{}", guests: list[Guest] = ...) -> str:
    """Returns a JSON object {name, duration_s, warmup_s, seed, replications, expected_packets, flows: [{group, control,
    names, paths}], links: [name], network: {links: [{name, from, to, rate_bps, ...}]}, warnings: [sentence]}.
    """

def outlines(text: str, file: str, runs: list[tuple[str, bool]]) -> list[str]:
    """Returns for each run, given its overrides and whether its series are wanted, a JSON object: {flows: [{group,
    names}], links: [name], duration_s, expected_packets, series: [path]}, or {problems: text, diagnostics}. Raises
    ScenarioError if the text is not TOML.
    """

def locate(text: str, file: str, path: list[str]) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Returns how many steps of a path of keys and indices exist in a TOML file, and line and column of the key (or the
    item) and of the value of the last of them. Raises ScenarioError if the text is not TOML.
    """

def fields() -> str:
    """Returns a JSON object {record: [{name, kind, nullable, optional, unit, meaning}]} of the records of a result."""

def run(
    text: str, file: str, overrides: str, seed: int, series: bool, guests: list[Guest] = ...
) -> tuple[str, Columns | None]:
    """Returns the JSON result of one run without its series, and the series. Raises ScenarioError or RuntimeError.
    Releases the GIL, but not with guests: controls and disciplines written in Python run on this thread, and their
    exception is the cause of the error.
    """

def document(text: str, file: str, overrides: str, seed: int) -> str:
    """Returns the JSON result of one run with its series. Raises ScenarioError or RuntimeError. Releases the GIL."""

def trace(text: str, file: str, overrides: str, seed: int, guests: list[Guest] = ...) -> Columns:
    """Returns the events of every packet in one run, in the order of time: time_ns, flow, backward, packet, bytes,
    event, link.
    """

def verify(text: str, file: str, overrides: str, seed: int, guests: list[Guest] = ...) -> str:
    """Returns a JSON list of violations of the network's physics in one run; empty when there are none."""

def export(
    text: str, file: str, overrides: str, seed: int, wishes: str, guests: list[Guest] = ...
) -> tuple[str, str, Columns | None]:
    """Runs once and writes files as it goes. ``wishes`` is a JSON object {captures: [[senders|receivers|before|after,
    link, path]], payloads, qlogs: [[row, path]], deliveries: [[row, path]], rates: [[link, path]], events}. Returns the
    JSON result without series, a JSON list of [path, records], and the event log if it is wanted. Raises ScenarioError,
    RuntimeError, OSError or KeyboardInterrupt.
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
        """Returns (index of the job, JSON result, series, reason for no result). Raises KeyboardInterrupt on Ctrl-C."""
    def cancel(self) -> None:
        """Stops after the runs in progress; ``__next__`` then ends."""

@final
class Initial:
    """How a connection begins."""

    @property
    def window(self) -> float: ...
    @property
    def ssthresh(self) -> float: ...
    @property
    def limit(self) -> float: ...
    @property
    def packet_bytes(self) -> int: ...
    @property
    def selective_acks(self) -> bool: ...
    @property
    def paced(self) -> bool: ...
    @property
    def min_window(self) -> float: ...
    @property
    def loss_window(self) -> float: ...

@final
class Change:
    """The connection begins, opens or ends, or its packets change their size."""

    @property
    def kind(self) -> str: ...
    @property
    def rtt(self) -> float | None: ...
    @property
    def packet_bytes(self) -> int | None: ...

@final
class Sent:
    """A packet was sent."""

    @property
    def now(self) -> float: ...
    @property
    def inflight(self) -> float: ...
    @property
    def after_idle(self) -> bool: ...
    @property
    def app_limited(self) -> bool: ...

@final
class Ack:
    """An acknowledgement."""

    @property
    def now(self) -> float: ...
    @property
    def fresh(self) -> bool: ...
    @property
    def acked_to(self) -> int: ...
    @property
    def sent_to(self) -> int: ...
    @property
    def newly_acked(self) -> float: ...
    @property
    def newly_lost(self) -> float: ...
    @property
    def marks(self) -> int: ...
    @property
    def credit(self) -> float: ...
    @property
    def rtt(self) -> float | None: ...
    @property
    def one_way_delay(self) -> float | None: ...
    @property
    def smoothed_rtt(self) -> float: ...
    @property
    def min_rtt(self) -> float | None: ...
    @property
    def inflight_before(self) -> float: ...
    @property
    def inflight(self) -> float: ...
    @property
    def delivered(self) -> float: ...
    @property
    def lost(self) -> float: ...
    @property
    def round_start(self) -> bool: ...
    @property
    def cwnd_limited(self) -> bool: ...
    @property
    def app_limited(self) -> bool: ...
    @property
    def in_recovery(self) -> bool: ...
    @property
    def rate(self) -> RateSample | None: ...

@final
class RateSample:
    """How fast the network delivered."""

    @property
    def delivered(self) -> float: ...
    @property
    def interval(self) -> float: ...
    @property
    def prior_delivered(self) -> float: ...
    @property
    def lost(self) -> float: ...
    @property
    def tx_in_flight(self) -> float: ...
    @property
    def app_limited(self) -> bool: ...

@final
class Lost:
    """A packet that is given up for lost."""

    @property
    def now(self) -> float: ...
    @property
    def number(self) -> int: ...
    @property
    def sent(self) -> float: ...
    @property
    def size(self) -> float: ...
    @property
    def tx_in_flight(self) -> float: ...
    @property
    def lost(self) -> float: ...
    @property
    def prior_delivered(self) -> float: ...
    @property
    def delivered(self) -> float: ...
    @property
    def app_limited(self) -> bool: ...

@final
class Loss:
    """A loss that starts a recovery."""

    @property
    def now(self) -> float: ...
    @property
    def signal(self) -> str: ...
    @property
    def window(self) -> float: ...
    @property
    def inflight(self) -> float: ...
    @property
    def lost(self) -> int: ...
    @property
    def sent_to(self) -> int: ...
    @property
    def sent(self) -> float: ...
    @property
    def transmissions(self) -> int: ...
    @property
    def duplicates(self) -> int: ...

@final
class Timeout:
    """An expiry of the retransmission timer."""

    @property
    def now(self) -> float: ...
    @property
    def window(self) -> float: ...
    @property
    def inflight(self) -> float: ...
    @property
    def left_in_flight(self) -> float: ...
    @property
    def sent_to(self) -> int: ...
    @property
    def in_a_row(self) -> int: ...
    @property
    def keeps_threshold(self) -> bool: ...

@final
class Recovered:
    """The end of a recovery."""

    @property
    def now(self) -> float: ...
    @property
    def undone(self) -> bool: ...
    @property
    def duplicates(self) -> int | None: ...

@final
class Arrival:
    """A packet at the entrance of a queue."""

    @property
    def now(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def flow(self) -> int: ...
    @property
    def ecn(self) -> str: ...
    @property
    def ecn_capable(self) -> bool: ...

@final
class Backlog:
    """What waits in the queue when a packet arrives."""

    @property
    def packets(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def wait(self) -> float: ...
    @property
    def sending(self) -> bool: ...
    @property
    def idle_since(self) -> float | None: ...

@final
class Queue:
    """What waits: packets in the order of their arrival, each the very object that ``on_arrival`` was handed."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Arrival: ...
    def __iter__(self) -> Iterator[Arrival]:
        """Over what waits now, whatever is dropped meanwhile."""
    @property
    def bytes(self) -> int:
        """Bytes waiting."""
    def drop(self, packet: Arrival) -> None:
        """Drops a packet that waits."""
    def mark(self, packet: Arrival) -> None:
        """Sets congestion experienced on a packet that waits."""

@final
class LinkRate:
    """What a discipline may need to know of its link."""

    @property
    def rate(self) -> int: ...
    @property
    def mean_packet_bytes(self) -> int: ...

@final
class Capacity:
    """How much may wait."""

    @property
    def packets(self) -> int | None: ...
    @property
    def bytes(self) -> int | None: ...
    def admits(self, arrival: Arrival, backlog: Backlog) -> bool:
        """Whether an arrival still fits."""

@final
class Draws:
    """The source of random numbers of an event: the run's own, the same again with the same seed."""

    @staticmethod
    def uniform() -> float:
        """A number drawn uniformly from [0, 1). RuntimeError outside of an event."""

@final
class Guest:
    """A class written in Python, described, and the name under which a scenario knows it."""

    def __new__(cls, name: str, class_: Any, description: str) -> Guest: ...

@final
class Episode:
    """A run that goes on step by step while an agent outside decides for the flow with the control "agent"."""

    def __new__(cls, text: str, file: str, overrides: str, seed: int, paced: bool) -> Episode:
        """ScenarioError when the scenario is wrong. ``paced``: whether the agent decides a rate instead of a window."""
    def step(
        self, seconds: float, cwnd: float | None = None, pacing_rate: float | None = None
    ) -> tuple[
        float,
        bool,
        bool,
        tuple[int, float, float, int, int, int, float | None],
        tuple[float | None, float, float, float, float | None],
    ]:
        """Goes on for so many seconds: time, whether the flow has begun, whether the run has ended; then what
        acknowledgements told since the last step: acks, packets delivered and lost, marks, losses, timeouts, mean round
        trip; and now the least round trip, the smoothed one, those in flight, window and rate. Releases the GIL.
        """
    def result(self) -> str:
        """JSON result of the run, at its end."""
