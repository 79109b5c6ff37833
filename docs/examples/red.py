"""RED (Floyd and Jacobson 1993) as a queue discipline in Python: the same drops as `red` in Rust, from the same random
numbers.
"""

from __future__ import annotations

import math

import ackclock
from ackclock.custom import Arrival, Backlog, Capacity, Draws, LinkRate, Verdict


class Red(ackclock.Discipline):
    """Drops or marks packets early, with a probability that grows with the average queue length."""

    min_threshold: float = ackclock.parameter("5 packets", unit="packets", at_least=0)
    max_threshold: float = ackclock.parameter("15 packets", unit="packets", above=0)
    weight: float = ackclock.parameter(0.002, above=0, at_most=1)
    max_probability: float = ackclock.parameter(0.1, above=0, at_most=1)
    gentle: bool = True
    ecn: bool = False

    def __init__(self, capacity: Capacity, link: LinkRate) -> None:
        self.capacity = capacity
        self.packet_time_s = link.mean_packet_bytes / (link.rate / 8)
        self.max_threshold = max(self.max_threshold, self.min_threshold)
        self.average = 0.0
        self.since_drop = -1

    def on_arrival(self, arrival: Arrival, backlog: Backlog, random: Draws) -> Verdict:
        # Equation 2; an idle link counts as that many arrivals at an empty queue.
        if (since := backlog.idle_since) is not None:
            # The difference of two instants in whole nanoseconds.
            idle = (round(arrival.now * 1e9) - round(since * 1e9)) / 1e9
            self.average *= (1 - self.weight) ** math.floor(idle / self.packet_time_s)
        self.average += self.weight * (backlog.packets - self.average)
        if not self.capacity.admits(arrival, backlog):
            self.since_drop = 0
            return "drop"
        verdict = self.judge(backlog.packets, random)
        return "drop" if verdict == "mark" and not (self.ecn and arrival.ecn_capable) else verdict

    def judge(self, waiting: int, random: Draws) -> Verdict:
        """What becomes of a packet that fits."""
        average = self.average
        if average < self.min_threshold or waiting <= 1:
            self.since_drop = -1
            return "admit"
        probability = self.probability(average)
        if self.since_drop < 0 and probability < 1:
            self.since_drop = 1  # the first arrival above the threshold is never dropped early
            return "admit"
        self.since_drop += 1
        if random.uniform() >= (1.0 if probability >= 1 else self.spread(probability)):
            return "admit"
        self.since_drop = 0
        early = average < self.max_threshold or (self.gentle and probability < 1)
        return "mark" if early else "drop"

    def probability(self, average: float) -> float:
        """The probability of an early drop at an average queue, before it is spread out."""
        low, high, most = self.min_threshold, self.max_threshold, self.max_probability
        if average < high:
            return most * (average - low) / (high - low)
        if self.gentle and average < 2 * high:
            return most + (1 - most) * (average - high) / high
        return 1.0

    def spread(self, probability: float) -> float:
        """Uniform instead of geometric gaps, at least 1/p between two."""
        run = self.since_drop * probability
        if run < 1:
            return 0.0
        return probability / (2 - run) if run < 2 else 1.0

    def publish(self) -> dict[str, float]:
        return {"average_queue_packets": self.average}
