"""Search for a policy by evolution for a minute, and measure it on seeds that the search has not seen.

    .venv/bin/pip install gymnasium cmaes
    .venv/bin/python docs/examples/train.py

The policy is nine numbers: the action is tanh(w o + b) of the observation o. CMA-ES (the library cmaes) moves them; it
needs no gradients and no deep-learning library, and one generation is a batch of episodes.
"""

from __future__ import annotations

import sys

import cmaes
import gymnasium
import numpy as np

import ackclock.gym  # noqa: F401  (registers the environments)
from ackclock.statistics import paired_difference, summarise

SCENARIO = {
    "name": "beside bursts",
    "duration": "20 s",
    "dumbbell": {
        "bottleneck": {
            "rate": "10 Mbit/s",
            "delay": "20 ms",
            "queue": {"name": "droptail", "limit": "2 bdp"},
            "loss": {"name": "independent", "probability": 0.001},
        },
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
    },
    "flows": [
        {"name": "agent", "control": "newreno"},
        {"name": "bursts", "application": {"name": "on-off", "rate": "4 Mbit/s"}},
    ],
}
TRAINING, HELD_OUT = range(1, 5), range(1001, 1021)


def rewards(envs: gymnasium.vector.VectorEnv, policy: np.ndarray, seeds: range) -> list[float]:
    """The mean reward of a step of each seed's episode."""
    means = []
    for first in range(0, len(seeds), envs.num_envs):
        seen, _ = envs.reset(seed=[int(seed) for seed in seeds[first : first + envs.num_envs]])
        total, steps, ended = np.zeros(envs.num_envs), 0, False
        while not ended:
            actions = np.tanh(seen @ policy[:-1] + policy[-1]).astype(np.float32)
            seen, reward, _, truncated, _ = envs.step(actions[:, None])
            total, steps, ended = total + reward, steps + 1, bool(truncated.all())
        means += list(total / steps)
    return means


def main(generations: int) -> None:
    """Train, then compare on the held-out seeds."""
    envs = gymnasium.make_vec(
        "ackclock/Window-v0",
        num_envs=4,
        vectorization_mode="vector_entry_point",
        scenario=SCENARIO,
        flow="agent",
    )
    start = np.zeros(envs.single_observation_space.shape[0] + 1)
    search = cmaes.CMA(mean=start, sigma=0.3, population_size=10, seed=1)
    for generation in range(1, generations + 1):
        tried = [(policy := search.ask(), -np.mean(rewards(envs, policy, TRAINING))) for _ in range(10)]
        search.tell(tried)
        if generation % 5 == 0:
            print(f"generation {generation:3}: best {-min(cost for _, cost in tried):.3f}")
    before, after = rewards(envs, start, HELD_OUT), rewards(envs, search.mean, HELD_OUT)
    told = {"before": summarise(before), "after": summarise(after), "gain": paired_difference(after, before)}
    for name, summary in told.items():
        print(f"{name:6} {summary.mean:6.3f} +- {summary.half_width:.3f} over {summary.count} seeds")
    print("policy", np.round(search.mean, 3).tolist())
    envs.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
