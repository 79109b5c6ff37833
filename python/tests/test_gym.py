"""The Gymnasium environment."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ackclock.errors import InputError, ScenarioError
from ackclock.scenario import Scenario

gymnasium = pytest.importorskip("gymnasium")

from ackclock import gym  # noqa: E402  (needs the library)

SHORT: dict[str, Any] = {**gym.EXAMPLE, "duration": "3 s"}


def episode(env: Any, seed: int | None, action: float = 0.1) -> tuple[list[float], list[Any], dict[str, Any]]:
    """Rewards, observations and the last infos of an episode with one action."""
    seen, info = env.reset(seed=seed)
    rewards, observations, ended = [], [seen.tolist()], False
    while not ended:
        seen, reward, terminated, ended, info = env.step(np.array([action], dtype=np.float32))
        assert not terminated
        rewards.append(reward)
        observations.append(seen.tolist())
    return rewards, observations, info


@pytest.mark.parametrize("name", ["Window", "Rate"])
def test_gymnasiums_own_checker_has_nothing_to_say(name: str) -> None:
    from gymnasium.utils.env_checker import check_env

    # A warning is an error here, as everywhere in these tests.
    check_env(gymnasium.make(f"ackclock/{name}-v0", scenario=SHORT).unwrapped)


def test_a_seed_gives_the_same_episode_and_the_next_ones_too() -> None:
    scenario = {**SHORT, "flows": [{**SHORT["flows"][0], "start": {"uniform": ["0 s", "1 s"]}}]}
    one, other = (gym.AckclockEnv(scenario) for _ in range(2))
    assert episode(one, 5) == episode(other, 5)
    following = episode(one, None)
    assert following == episode(other, None)
    assert following[2]["seed"] != 5
    assert episode(one, 6)[1] != episode(one, 5)[1]
    assert episode(one, 5)[2]["result"]["seed"] == 5


def test_a_window_that_is_left_alone_is_the_initial_one_of_the_profile() -> None:
    # By Little's law ten packets are delivered in a round trip.
    rewards, observations, info = episode(gym.AckclockEnv(SHORT), 1, action=0.0)
    assert len(rewards) == 29  # 3 s in steps of 0.1 s, of which the first is the reset's
    assert info["cwnd_packets"] == 10
    assert info["delivered_packets"] == pytest.approx(0.1 * 10 / info["rtt_mean_s"], rel=0.1)
    assert all(observed[6] == 0 for observed in observations)
    assert rewards[-1] == pytest.approx(np.log1p(info["delivered_packets"] / 0.1), abs=0.01)


def test_an_action_multiplies_the_window_and_a_rate_paces() -> None:
    env = gym.AckclockEnv(SHORT, stride=2.0)
    env.reset(seed=1)
    *_, info = env.step(np.array([0.5], dtype=np.float32))
    assert info["cwnd_packets"] == pytest.approx(20)  # 10 x 2^(2 x 0.5)
    *_, info = env.step(np.array([-9.0], dtype=np.float32))
    assert info["cwnd_packets"] == pytest.approx(5)  # no action is beyond -1: 20 x 2^-2
    paced = gym.AckclockEnv(SHORT, action="rate")
    paced.reset(seed=1)
    for _ in range(10):
        *_, info = paced.step(np.zeros(1, dtype=np.float32))
    # The initial window of ten packets in 0.1 s, until the agent says otherwise: ten in a step of 0.1 s.
    assert info["delivered_packets"] == pytest.approx(10, abs=1)
    for _ in range(5):
        *_, info = paced.step(np.array([0.2], dtype=np.float32))
    # Twice the rate (2^(5 x 0.2)), a part of which the last step has not had for long enough.
    assert info["delivered_packets"] == pytest.approx(20, abs=2)


def test_the_reward_is_the_users() -> None:
    seen: list[gym.Interval] = []

    def reward(interval: gym.Interval) -> float:
        seen.append(interval)
        return -interval.delay

    rewards, _, _ = episode(gym.AckclockEnv(SHORT, reward=reward), 1, action=0.5)
    assert rewards == [-interval.delay for interval in seen]
    assert seen[-1].delay > 0.5  # the window grows until the queue is full
    heavy = gym.LogThroughput(delay=0.0, loss=0.0)(seen[-1])
    assert gym.LogThroughput()(seen[-1]) == pytest.approx(heavy - seen[-1].delay - 10 * seen[-1].loss)


@pytest.mark.parametrize("transport", ["rfc", "linux", "quic"])
def test_an_agent_hears_of_losses_that_only_a_timer_shows(transport: str) -> None:
    # A window of some hundred packets over a path and a queue of ten, and then of two: most losses are found by
    # timers, or in recoveries that begin with one loss and go on with others. An agent hears of about as many losses
    # as the links have, except those that are found after the end, and as there are retransmissions, except those
    # that still wait at the end.
    scenario = {
        **SHORT,
        "duration": "20 s",
        "flows": [{**SHORT["flows"][0], "transport": transport}],
    }
    scenario["dumbbell"] = {
        "bottleneck": {
            "rate": "600 kbit/s",
            "delay": "38 ms",
            "queue": {"name": "droptail", "limit": "10 packets"},
        },
        "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
    }
    env = gym.AckclockEnv(scenario)
    env.reset(seed=1)
    heard, ended, step = 0.0, False, 0
    while not ended:
        action = 0.5 if step % 20 < 10 else -0.5
        _, _, _, ended, info = env.step(np.array([action], dtype=np.float32))
        heard, step = heard + info["lost_packets"], step + 1
        assert info["inflight_packets"] >= 0
    (flow,) = info["result"]["flows"]
    assert flow["lost_packets"] > 50
    assert heard >= 0.9 * flow["lost_packets"]
    assert heard <= 1.1 * flow["retransmitted_packets"]


def test_environments_on_threads_are_those_alone() -> None:
    vector = gymnasium.make_vec(
        "ackclock/Window-v0",
        num_envs=3,
        vectorization_mode="vector_entry_point",
        scenario=SHORT,
        reward=gym.LogThroughput(),
    )
    alone = [gym.AckclockEnv(SHORT) for _ in range(3)]
    seen, _ = vector.reset(seed=4)
    assert seen.tolist() == [env.reset(seed=4 + number)[0].tolist() for number, env in enumerate(alone)]
    for step in range(29):
        seen, rewards, _, truncated, _ = vector.step(np.full((3, 1), 0.1, dtype=np.float32))
        each = [env.step(np.array([0.1], dtype=np.float32)) for env in alone]
        assert seen.tolist() == [one[0].tolist() for one in each]
        assert rewards.tolist() == [one[1] for one in each]
        assert truncated.tolist() == [step == 28] * 3
    # The step after the end begins anew.
    seen, rewards, _, truncated, _ = vector.step(np.zeros((3, 1), dtype=np.float32))
    assert seen.tolist() == [env.reset()[0].tolist() for env in alone]
    assert (rewards.tolist(), truncated.tolist()) == ([0, 0, 0], [False] * 3)
    vector.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scenario": 3}, "expected a Scenario, a dictionary or the path of a file"),
        ({"flow": "agnet"}, r'found "agnet", expected the name of a group of flows \(agent\)'),
        ({"action": "both"}, 'expected "window" or "rate"'),
        ({"interval_s": 0}, "interval_s: found 0, expected a number above 0"),
        ({"interval_s": float("nan")}, "expected a number above 0"),
        ({"stride": None}, "stride: found None"),
        (
            {"scenario": {**SHORT, "flows": [{"name": "agent", "control": "reno", "count": 2}]}},
            "expected a group of one flow",
        ),
    ],
)
def test_what_cannot_be_an_environment_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gym.AckclockEnv(**{"scenario": SHORT, **arguments})


def test_what_the_agent_cannot_take_over_is_refused_when_the_environment_is_made() -> None:
    pings = {**SHORT, "flows": [{"name": "agent", "application": "requests"}]}
    with pytest.raises(ScenarioError, match="over UDP"):
        gym.AckclockEnv(pings)
    with pytest.raises(InputError, match="seed: found -3"):
        gym.AckclockEnv(Scenario.from_dict(SHORT)).reset(seed=-3)
    env = gym.AckclockEnv(SHORT)
    env.reset(seed=1)
    with pytest.raises(InputError, match="found nan"):
        env.step(np.array([np.nan]))


def test_the_worked_example_trains(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("cmaes")
    path = Path(__file__).parents[2] / "docs" / "examples" / "train.py"
    module = runpy.run_path(str(path))
    main = module["main"]
    main.__globals__["SCENARIO"]["duration"] = "1 s"
    monkeypatch.setitem(main.__globals__, "HELD_OUT", range(1001, 1005))
    main(1)
    assert "over 4 seeds" in capsys.readouterr().out
