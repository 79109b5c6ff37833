"""The compiled core of the simulator. It is private: use ackclock.Scenario.

Documents are passed as JSON text, so that this interface has few types. Series and packet traces are returned as
columns.
"""

from collections.abc import Iterator
from typing import Any, final

__version__: str

class ScenarioError(ValueError):
    """A scenario is wrong. ``args[0]`` lists all problems, ready to print."""

    diagnostics: str
    """JSON list of {file, line, column, end: {line, column}, path, found, expected, hint, message}."""

def registry(plugins: list[StackLibrary] = ...) -> str:
    """Returns a JSON list, with the stacks of libraries, of {name, kind, summary, source, parameters: [{name, summary,
    unit, default, range, minimum, above_minimum, maximum, choices, source}]}.
    """

def schema() -> str:
    """Returns the JSON Schema of a scenario file."""

def tables() -> str:
    """JSON list of {name, meaning, one_of, exclusive, keys: [{name, meaning, required, default, otherwise, example,
    needs, written, opens, lists, names, ranges: [{quantity, unit, minimum, above_minimum, maximum}]}], others}.
    """

def check(
    text: str, file: str, overrides: str = "{}", classes: list[PythonClass | StackLibrary] = ...
) -> str:
    """Checks a scenario. Here and below, ``overrides`` is a JSON object {dotted path: value}. Returns a JSON object
    {axes: [{path, sampled, unit, values, cells}], points: [[index of each axis's value]], packets: [of one point in
    ``every``], every}. Raises ScenarioError.
    """

def describe(
    text: str, file: str, overrides: str = "{}", classes: list[PythonClass | StackLibrary] = ...
) -> str:
    """Returns a JSON object {name, duration_s, warmup_s, seed, replications, expected_packets, flows: [{group, control,
    names, paths}], links: [name], network: {links: [{name, from, to, rate_bps, ...}]}, warnings: [sentence]}.
    """

def outlines(
    text: str, file: str, runs: list[tuple[str, bool]], plugins: list[StackLibrary] = ...
) -> list[str]:
    """Returns a JSON object for each run, given its overrides and whether its series are kept: {flows: [{group,
    names}], links: [name], duration_s, expected_packets, series: [path]}, or {problems: text, diagnostics}. Raises
    ScenarioError if the text is not TOML.
    """

def comparison_warnings(
    text: str, file: str, runs: list[str], plugins: list[StackLibrary] = ...
) -> list[str]:
    """Returns the warnings about runs that are compared with one another, given the overrides of each: controls that
    use different loss recovery. A run with a wrong scenario is left out. Raises ScenarioError if the text is not TOML.
    """

def locate(text: str, file: str, path: list[str]) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Finds a path of keys and indices in a TOML file. Returns how many steps of the path exist, and line and column of
    the key (or the item of a list) and of the value of the last of them. Raises ScenarioError if the text is not TOML.
    """

def fields() -> str:
    """Returns a JSON object {record: [{name, kind, nullable, optional, unit, meaning}]} of the records of a result."""

def run(
    text: str,
    file: str,
    overrides: str,
    seed: int,
    series: bool,
    classes: list[PythonClass | StackLibrary] = ...,
) -> tuple[str, Columns | None]:
    """Runs the scenario once. Returns the result as JSON without its series, and the series. Raises ScenarioError or
    RuntimeError. Releases the GIL without classes: controls and disciplines written in Python run on this
    thread, and an exception of theirs is the cause of the error.
    """

def document(text: str, file: str, overrides: str, seed: int) -> str:
    """Returns the result of one run with its series as JSON. Raises ScenarioError or RuntimeError. Releases the GIL."""

def trace(
    text: str, file: str, overrides: str, seed: int, classes: list[PythonClass | StackLibrary] = ...
) -> Columns:
    """Returns the events of every packet in one run, in the order of time: time_ns, flow, backward, packet, bytes,
    event, link.
    """

def verify(
    text: str, file: str, overrides: str, seed: int, classes: list[PythonClass | StackLibrary] = ...
) -> str:
    """Returns a JSON list of the violations of the network's physics in one run; empty if there are none."""

def export(
    text: str,
    file: str,
    overrides: str,
    seed: int,
    wishes: str,
    classes: list[PythonClass | StackLibrary] = ...,
) -> tuple[str, str, Columns | None]:
    """Runs the scenario once and writes files meanwhile. ``wishes`` is a JSON object {captures:
    [[senders|receivers|before|after, link, path]], payloads, qlogs: [[row, path]], deliveries: [[row, path]], rates:
    [[link, path]], events}. Returns the result as JSON without series, a JSON list of [path, records], and the event
    log if it is asked for. Raises ScenarioError, RuntimeError, OSError or KeyboardInterrupt.
    """

def replay(text: str, controls: list[str]) -> str:
    """Feeds a recording of the kernel's connections to its controls, or to ``controls`` in their places. Returns a JSON
    object {about: {controls, kernel}, events, connections, differences: [{line, connection, recorded, decided}]}, where
    a decision is {cwnd, ssthresh, quantum, pacing_rate} in packets and bytes per second.
    """

def path(text: str, file: str, overrides: str, seed: int, wanted: str) -> str:
    """Runs programs on two hosts in namespaces with the scenario's network between them. ``wanted`` is a JSON object
    {client: [word], server: [word], group, control, device, quiet}. Returns a JSON object {lasted_s, measured_from_s,
    measured_to_s, forward: [link], backward: [link], lateness, lost_outside, not_ip, real_time, user_namespace,
    control, device, kernel, exit_code, problems: [sentence]}. Raises ScenarioError, RuntimeError or KeyboardInterrupt.
    The calling thread may stay in the namespaces.
    """

def wire(text: str, file: str, overrides: str, seed: int, program: str) -> str:
    """Runs the flows of a scenario on real stacks with its network between them. Returns the result as ``run`` does,
    without series, as a JSON object with one key more: wire, {lateness, stacks, lost_outside, not_ip, real_time,
    user_namespace, kernel, problems: [sentence], controls: [report], series: {time_s, flows, links}}. ``program``
    offers controls of ours to the kernel, if a flow has one there. Raises ScenarioError, RuntimeError or
    KeyboardInterrupt. The calling thread may stay in the namespaces.
    """

def inspect_library(path: str, options: list[tuple[str, str]]) -> tuple[str, str, list[str], str, str]:
    """Loads a library with a stack and asks what it is, and whether it takes these options. Returns its name, version,
    controls, what is random in equal runs, and its licence. Raises ValueError if it is no such library. The library may
    end the process.
    """

def drill(
    stack: StackLibrary | str,
    control: str,
    seed: int,
    *,
    delay_ns: int,
    bottleneck: tuple[list[tuple[int, int]], int] | None,
    rules: list[tuple[bool, str, int, int, str, int]],
    writes: list[tuple[int, int]],
    finishes: bool,
    end_ns: int,
    datagram: int,
) -> dict[str, Any]:
    """Runs a script (``ackclock.drills.script``) with a stack and one of its controls. Returns columns of the events,
    and facts about the whole. Raises ValueError for a stack, a control or a rule that does not exist. A library may end
    the process.
    """

def watch_libraries(file: int) -> None:
    """Makes this process one that loads libraries, and notes each call of them in an open file of 4096 bytes. Raises
    OSError if that cannot be.
    """

def last_library_call(page: bytes) -> tuple[str, int, str]:
    """Reads what such a file holds. Returns the function of a library that was being called, or an empty text; the time
    of the simulation in nanoseconds; and the name of the stack.
    """

@final
class Columns:
    """Columns of one length, which the Arrow PyCapsule interface reads."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

@final
class Batch:
    """Many runs on all cores (``threads`` = 0): an iterator over finished runs, in the order in which they finish."""

    def __new__(cls, wanted: list[tuple[str, str, str, int, bool]], threads: int = 0) -> Batch: ...
    def __iter__(self) -> Batch: ...
    def __next__(self) -> tuple[int, str | None, Columns | None, BaseException | None]:
        """Returns (index of the job, JSON result, series, exception). Raises KeyboardInterrupt on Ctrl-C."""
    def cancel(self) -> None:
        """Cancels the runs that have not finished; ``__next__`` then ends."""

@final
class Initial:
    """The start of a connection, as its host is configured."""

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
    """A change of a connection: it begins, opens or ends."""

    @property
    def kind(self) -> str: ...
    @property
    def rtt(self) -> float | None: ...

@final
class Sent:
    """A packet that was sent."""

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
    def abc_increment(self) -> float: ...
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
    """A sample of the delivery rate."""

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
    """A packet that is considered lost."""

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
    """A loss that begins a recovery."""

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
    """A packet that arrives at a queue."""

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
    """The packets that wait in the queue when a packet arrives."""

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
    """The properties of a link that a discipline may need."""

    @property
    def rate(self) -> int: ...
    @property
    def mean_packet_bytes(self) -> int: ...

@final
class Capacity:
    """The capacity of a queue."""

    @property
    def packets(self) -> int | None: ...
    @property
    def bytes(self) -> int | None: ...
    def admits(self, arrival: Arrival, backlog: Backlog) -> bool:
        """Returns whether the queue has room for an arriving packet."""

@final
class Draws:
    """The source of random numbers during an event: the run's own, so that a seed always gives the same numbers."""

    @staticmethod
    def uniform() -> float:
        """Draws a number uniformly from [0, 1). Raises RuntimeError outside an event."""

@final
class PythonClass:
    """A class written in Python, with its description and the name by which scenarios refer to it."""

    def __new__(cls, name: str, class_: Any, description: str) -> PythonClass: ...

@final
class StackLibrary:
    """A stack in a shared library with these options, which says of itself what ``inspect_library`` returns."""

    def __new__(
        cls, path: str, options: list[tuple[str, str]], told: tuple[str, str, list[str], str, str]
    ) -> StackLibrary:
        """Raises ValueError if a transport that is built in has its name."""

@final
class Departure:
    """A segment that a host has sent. Times are nanoseconds, data is counted in packets."""

    @property
    def at(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def again(self) -> bool: ...
    @property
    def announces_reduction(self) -> bool: ...
    @property
    def ecn(self) -> str: ...
    @property
    def field(self) -> int: ...
    @property
    def blocks(self) -> list[tuple[int, int]]: ...
    @property
    def counters(self) -> tuple[int, int] | None: ...
    @property
    def stamp(self) -> int: ...

@final
class HostState:
    """What a host knows and estimates. Times are nanoseconds, amounts are packets."""

    @property
    def state(self) -> str: ...
    @property
    def cwnd(self) -> float: ...
    @property
    def control_cwnd(self) -> float: ...
    @property
    def ssthresh(self) -> float | None: ...
    @property
    def pacing_rate(self) -> int | None: ...
    @property
    def una(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def inflight(self) -> int: ...
    @property
    def sacked(self) -> int: ...
    @property
    def lost(self) -> int: ...
    @property
    def resent(self) -> int: ...
    @property
    def delivered(self) -> float: ...
    @property
    def delivered_marked(self) -> float: ...
    @property
    def srtt(self) -> int: ...
    @property
    def rttvar(self) -> int: ...
    @property
    def min_rtt(self) -> int | None: ...
    @property
    def rto(self) -> int: ...
    @property
    def expiries(self) -> int: ...
    @property
    def sent(self) -> int: ...
    @property
    def retransmitted(self) -> int: ...
    @property
    def timeouts(self) -> int: ...
    @property
    def probes(self) -> int: ...
    @property
    def recoveries(self) -> int: ...
    @property
    def window_probes(self) -> int: ...
    @property
    def limited(self) -> tuple[int, int, int, int]: ...
    @property
    def timer(self) -> int | None: ...
    @property
    def received(self) -> int: ...
    @property
    def receiver_rtt(self) -> int | None: ...
    @property
    def receiver_window(self) -> int | None: ...

@final
class Host:
    """One host of a connection over TCP, in virtual time, while the caller plays the other. Times are nanoseconds, data
    is counted in packets.
    """

    def __new__(cls, text: str, file: str, seed: int, classes: list[PythonClass | StackLibrary]) -> Host:
        """Creates the host of the scenario's first flow. Raises ScenarioError if the scenario is wrong, ValueError if
        the flow is not over TCP.
        """
    def connect(self, now: int) -> None:
        """Connects: sends a SYN."""
    def on_syn(self, now: int, field: int, ecn: str) -> None:
        """A SYN arrives at the listening host, with its flags AE, CWR and ECE and its ECN field."""
    def on_segment(
        self,
        now: int,
        acknowledgement: tuple[
            int,
            int | None,
            int,
            list[tuple[int, int]],
            tuple[int, int] | None,
            int,
            int | None,
            int,
            bool,
        ]
        | None,
        data: tuple[int, int, str, int] | None,
    ) -> None:
        """A segment arrives. An acknowledgement: its number, its window in packets, the echoed stamp, the blocks, the
        duplicate that it reports, AE, CWR and ECE, the payload bytes that arrived marked, the number of marked packets
        modulo 2^16, and whether it answers a SYN. Data: its number, its stamp, its ECN field, and how many packets the
        peer knows to be acknowledged, modulo 2^16.
        """
    def write(self, now: int, packets: int) -> None:
        """The application writes this number of packets."""
    def close(self, now: int) -> None:
        """The application closes the connection."""
    def refuse(self, refuses: bool) -> None:
        """Makes the host's own interface refuse every packet, or accept them again."""
    def run(self, until: int, inclusive: bool) -> None:
        """Lets the timers expire that are due before ``until``, and with ``inclusive`` also those due then."""
    def take_departures(self) -> list[Departure]:
        """Returns what the host has sent since the last call."""
    def state(self, now: int) -> HostState:
        """Returns the state at time ``now``."""

@final
class Episode:
    """A run, step by step, in which an agent outside decides for the flow with the control "agent"."""

    def __new__(cls, text: str, file: str, overrides: str, seed: int, paced: bool) -> Episode:
        """Begins a run. With ``paced`` the agent decides a rate instead of a window. Raises ScenarioError if the
        scenario is wrong.
        """
    def step(
        self, seconds: float, cwnd: float | None = None, pacing_rate: float | None = None
    ) -> tuple[
        float,
        bool,
        bool,
        tuple[int, float, float, int, int, int, float | None],
        tuple[float | None, float, float, float, float | None],
    ]:
        """Simulates this number of seconds. Returns the time, whether the flow has begun and whether the run has ended;
        then sums over the step: acknowledgements, packets delivered and lost, marks, losses, timeouts and the mean
        round trip; then the state at its end: minimum and smoothed round trip, packets in flight, window and rate.
        Releases the GIL.
        """
    def result(self) -> str:
        """Returns the result of the run as a JSON object, at the end of the run."""
