"""A Gymnasium environment: an agent decides the window or the rate of one flow of a scenario.

>>> import gymnasium
>>> import ackclock.gym
>>> env = gymnasium.make("ackclock/Window-v0", scenario="duel.toml", flow="cubic")  # doctest: +SKIP

A step is an interval of simulated time. Observations are ratios, so that a policy learned on one path is meaningful on
another; ``info`` has the absolute values. The same seed gives the same episode.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ackclock import _core
from ackclock._arguments import whole
from ackclock._libraries import missing
from ackclock._overrides import to_json
from ackclock._typed_core import own_errors
from ackclock.errors import InputError
from ackclock.scenario import MAX_SEED, Scenario

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise missing("ackclock.gym needs", "gymnasium") from None

EXAMPLE = {
    "name": "one flow controlled by an agent",
    "duration": "30 s",
    "dumbbell": {
        "bottleneck": {
            "rate": "10 Mbit/s",
            "delay": "20 ms",
            "queue": {"name": "droptail", "limit": "1 bdp"},
        },
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
    },
    "flows": [{"name": "agent", "control": "newreno"}],
}
"""The default scenario of an environment: a single flow through a bottleneck."""

MOST_PACKETS = 1e6
LEAST_RATE, MOST_RATE = 1e3, 1e12
LARGEST = 100.0
"""The largest magnitude of each value of an observation."""
FIRST_RTT_S = 0.1
"""The round-trip time assumed before the first measurement, in seconds."""


@dataclass(frozen=True)
class Interval:
    """Measurements of one interval, and the state of the flow at its end."""

    time_s: float
    length_s: float
    acks: int
    delivered_packets: float
    lost_packets: float
    marks: int
    losses: int
    """The number of loss recoveries that began in the interval."""
    timeouts: int
    rtt_mean_s: float | None
    """The mean round-trip time in the interval, in seconds; None if none was measured."""
    rtt_min_s: float | None
    """The minimum round-trip time of the connection so far, in seconds; None before the first measurement."""
    rtt_smoothed_s: float
    inflight_packets: float
    cwnd_packets: float
    pacing_rate_bps: float | None

    @property
    def rate_packets_s(self) -> float:
        """Returns the packets delivered per second."""
        return self.delivered_packets / self.length_s

    @property
    def loss(self) -> float:
        """Returns lost packets / (delivered + lost packets); 0 without either."""
        known = self.delivered_packets + self.lost_packets
        return self.lost_packets / known if known else 0.0

    @property
    def delay(self) -> float:
        """Returns (mean round trip - minimum) / minimum; 0 without a measurement."""
        if self.rtt_mean_s is None or not self.rtt_min_s:
            return 0.0
        return self.rtt_mean_s / self.rtt_min_s - 1.0


Reward = Callable[[Interval], float]


@dataclass(frozen=True)
class LogThroughput:
    """The logarithm of the throughput minus weighted delay and loss: ln(1 + packets/s) - d delay - l loss.

    The 1 keeps the reward of an interval without packets finite.
    """

    delay: float = 1.0
    loss: float = 10.0

    def __call__(self, interval: Interval) -> float:
        """Returns the reward of an interval."""
        return math.log1p(interval.rate_packets_s) - self.delay * interval.delay - self.loss * interval.loss


class AckclockEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One flow of a scenario, whose window or rate the agent sets in each interval.

    ``scenario`` is a ``Scenario``, a dictionary or a TOML file, with built-in controls only. ``flow`` is the name of
    the agent's group of one flow, by default the first. An action is a number from -1 to 1: the window (or, with
    ``action="rate"``, the pacing rate) is multiplied by 2 ** (``stride`` * action). ``interval_s`` is the duration of
    a step in seconds. ``reward`` is called with each ``Interval``.

    The observation: packets delivered per minimum round trip / window (with a rate: / packets in flight), mean round
    trip / minimum - 1, smoothed round trip / minimum - 1, share of packets lost, marked / delivered packets, packets
    in flight / window, log2(window or rate / its initial value), timeouts.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  (as the base class has it)

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any] | str | Path | None = None,
        flow: str | None = None,
        *,
        action: Literal["window", "rate"] = "window",
        interval_s: float = 0.1,
        stride: float = 1.0,
        reward: Reward | None = None,
    ) -> None:
        if action not in {"window", "rate"}:
            raise InputError(f'action: found {action!r}, expected "window" or "rate"')
        self.interval_s = _above_zero("interval_s", interval_s)
        self.stride = _above_zero("stride", stride)
        self.paced = action == "rate"
        self.reward: Reward = LogThroughput() if reward is None else reward
        self.scenario = _scenario(scenario)
        self._overrides = to_json({**self.scenario.overrides, **_taken_over(self.scenario, flow)})
        self._value = self._first = math.nan
        low = np.array([0, -1, -1, 0, 0, 0, -LARGEST, 0], dtype=np.float32)
        self.observation_space = spaces.Box(low, np.full(8, LARGEST, dtype=np.float32))
        self.action_space = spaces.Box(-1.0, 1.0, (1,), dtype=np.float32)
        self._episode: _core.Episode | None = None
        # Mistakes of the scenario with the agent in it are reported here and not at the first reset.
        self._begin(1)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002  (as Gymnasium calls it)
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode: with ``seed`` the run of that seed, without it the run of the next seed in the sequence.

        The agent does not act in the interval in which the flow begins.
        """
        if seed is not None:
            whole("seed", seed, 0, MAX_SEED)
        super().reset(seed=seed)
        self.run_seed = int(self.np_random.integers(MAX_SEED)) if seed is None else seed
        self._episode = self._begin(self.run_seed)
        begun = ended = False
        while not begun and not ended:
            interval, begun, ended = self._go_on()
        return self._observed(interval), self._info(interval, ended)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Simulates one interval. An episode never terminates; it is truncated at the end of its run."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded(
                "step() was called before reset(): call reset() to begin an episode"
            )
        chosen = float(np.clip(np.asarray(action, dtype=np.float64).reshape(-1)[0], -1.0, 1.0))
        if math.isnan(chosen):
            raise InputError("action: found nan, expected a number from -1 to 1")
        least, most = (LEAST_RATE, MOST_RATE) if self.paced else (1.0, MOST_PACKETS)
        self._value = min(max(self._value * 2.0 ** (self.stride * chosen), least), most)
        interval, _, ended = self._go_on(decide=True)
        return (
            self._observed(interval),
            float(self.reward(interval)),
            False,
            ended,
            self._info(interval, ended),
        )

    def close(self) -> None:
        """Releases the run."""
        self._episode = None

    def _begin(self, seed: int) -> _core.Episode:
        self._value = self._first = math.nan
        self._last_s = 0.0
        with own_errors():
            source = self.scenario.text, self.scenario.file
            return _core.Episode(*source, self._overrides, int(seed), self.paced)

    def _go_on(self, *, decide: bool = False) -> tuple[Interval, bool, bool]:
        if self._episode is None:
            raise AssertionError("no episode: reset() was not called")
        decided = ((None, self._value) if self.paced else (self._value, None)) if decide else (None, None)
        with own_errors():
            now, begun, ended, counts, state = self._episode.step(self.interval_s, *decided)
        acks, delivered, lost, marks, losses, timeouts, rtt_mean_s = counts
        rtt_min_s, rtt_smoothed_s, inflight, cwnd, pacing_rate = state
        length, self._last_s = now - self._last_s, now
        if math.isnan(self._value):
            self._value = self._first = cwnd if pacing_rate is None else pacing_rate
        interval = Interval(
            time_s=now,
            length_s=max(length, 1e-9),
            acks=acks,
            delivered_packets=delivered,
            lost_packets=lost,
            marks=marks,
            losses=losses,
            timeouts=timeouts,
            rtt_mean_s=rtt_mean_s,
            rtt_min_s=rtt_min_s,
            rtt_smoothed_s=rtt_smoothed_s,
            inflight_packets=inflight,
            cwnd_packets=cwnd,
            pacing_rate_bps=pacing_rate,
        )
        return interval, begun, ended

    def _observed(self, interval: Interval) -> np.ndarray:
        base = interval.rtt_min_s or FIRST_RTT_S
        window = max(interval.cwnd_packets, 1.0)
        seen = [
            interval.rate_packets_s
            * base
            / (window if not self.paced else max(interval.inflight_packets, 1.0)),
            interval.delay,
            interval.rtt_smoothed_s / base - 1.0 if interval.rtt_min_s else 0.0,
            interval.loss,
            interval.marks / max(interval.delivered_packets, 1.0),
            interval.inflight_packets / window,
            math.log2(self._value / self._first),
            float(interval.timeouts),
        ]
        low, high = self.observation_space.low, self.observation_space.high  # type: ignore[attr-defined]  # it is a Box
        return np.clip(np.array(seen, dtype=np.float32), low, high)

    def _info(self, interval: Interval, ended: bool) -> dict[str, Any]:
        info = {**asdict(interval), "seed": self.run_seed}
        info = {name: value for name, value in info.items() if value is not None}
        if ended and self._episode is not None:
            info["result"] = json.loads(self._episode.result())
        return info


class AckclockVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Several environments whose simulations run in parallel on threads.

    With ``reset(seed=S)``, environment k has seed S + k, with k from 0. An environment whose episode has ended
    begins another one at the next step.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, num_envs: Any = 1, **arguments: Any) -> None:
        if not isinstance(num_envs, int) or num_envs < 1:
            raise InputError(f"num_envs: found {num_envs!r}, expected a whole number of at least 1")
        self.num_envs = num_envs
        self.envs = [AckclockEnv(**arguments) for _ in range(num_envs)]
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = [False] * num_envs
        self._threads = ThreadPoolExecutor(max_workers=num_envs, thread_name_prefix="ackclock")

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002  (as Gymnasium calls it)
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode in each environment."""
        if seed is None or isinstance(seed, int):
            seeds: Sequence[int | None]
            seeds = [None if seed is None else seed + k for k in range(self.num_envs)]
        else:
            seeds = seed
        begun = list(self._threads.map(lambda env, each: env.reset(seed=each), self.envs, seeds))
        self._ended = [False] * self.num_envs
        return np.stack([seen for seen, _ in begun]), self._infos([info for _, info in begun])

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Simulates one interval in each environment."""

        def one(env: AckclockEnv, action: np.ndarray, ended: bool) -> tuple[Any, float, bool, Any]:
            if ended:
                seen, info = env.reset()
                return seen, 0.0, False, info
            seen, reward, _, truncated, info = env.step(action)
            return seen, reward, truncated, info

        stepped = list(self._threads.map(one, self.envs, actions, self._ended))
        seen, rewards, truncated, infos = zip(*stepped, strict=True)
        self._ended = list(truncated)
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return np.stack(seen), np.array(rewards), never, np.array(truncated), self._infos(infos)

    def _infos(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        together: dict[str, Any] = {}
        for number, info in enumerate(infos):
            together = self._add_info(together, info, number)
        return together

    def close_extras(self, **_: Any) -> None:
        """Releases the runs."""
        self._threads.shutdown()
        for env in self.envs:
            env.close()


def _above_zero(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise InputError(f"{name}: found {value!r}, expected a number above 0")
    return float(value)


def _scenario(given: Any) -> Scenario:
    if isinstance(given, Scenario):
        scenario = given
    elif given is None or isinstance(given, Mapping):
        scenario = Scenario.from_dict(EXAMPLE if given is None else given)
    elif isinstance(given, str | Path):
        scenario = Scenario.from_file(given)
    else:
        raise InputError(
            f"scenario: found {given!r}, expected a Scenario, a dictionary or the path of a file"
        )
    if scenario.controls or scenario.queues:
        raise InputError(
            "scenario: found congestion controls or queues written in Python, expected built-in ones only"
        )
    return scenario


def _taken_over(scenario: Scenario, flow: str | None) -> dict[str, Any]:
    """Returns the override that gives a flow to the agent."""
    groups = {each["group"]: each for each in scenario.describe()["flows"]}
    name = next(iter(groups)) if flow is None else flow
    if name not in groups:
        raise InputError(f'flow: found "{name}", expected the name of a group of flows ({", ".join(groups)})')
    if len(groups[name]["names"]) != 1:
        raise InputError(
            f'flow: the group "{name}" has {len(groups[name]["names"])} flows, expected a group of one flow'
        )
    position = list(groups).index(name)
    return {f"flows.{position}.control": "agent"}


for _name, _action in (("Window", "window"), ("Rate", "rate")):
    gymnasium.register(
        id=f"ackclock/{_name}-v0",
        entry_point="ackclock.gym:AckclockEnv",
        vector_entry_point="ackclock.gym:AckclockVectorEnv",
        kwargs={"action": _action},
    )
