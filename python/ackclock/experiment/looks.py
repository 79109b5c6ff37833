"""The numbers of seeds at which an experiment is judged, and the error that each look may spend.

A criterion is judged at 3 seeds, and while it is undecided again at 5, 10, 20 and so on. To test at 1 % at each look
would err far more often than in 1 %, so an error of 1 % is spent over the looks (K. K. G. Lan and D. L. DeMets,
"Discrete sequential boundaries for clinical trials", Biometrika 70, 1983): the part of it that is spent up to look k of
K is (k / K) to the power 1/2, of the family of K. Kim and D. L. DeMets ("Design and analysis of group sequential tests
based on the type I error spending rate function", Biometrika 74, 1987). The looks count and not the seeds, because most
effects in simulations are large beside their spread: the error is best spent where most is decided. Spent errors are
added as if looks were independent, so the error of a criterion is at most 1 % whatever its samples have in common.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

from ackclock.statistics import LEVEL

SEEDS = (3, 5, 10, 20, 40, 80, 160, 320, 640)
"""The numbers of seeds at which an experiment is judged (its looks)."""
SPENT = 0.01
"""The largest probability that a criterion is decided wrongly at any of the looks."""


@dataclass(frozen=True)
class Looks:
    """The looks of an experiment, by their numbers of seeds."""

    seeds: tuple[int, ...]
    alone: bool = False
    """Whether the experiment is judged only once, with a 95 % confidence interval, as in a quick run."""

    @classmethod
    def until(cls, most: int) -> Looks:
        """Returns the looks up to ``most`` seeds, which is the last."""
        return cls((*(look for look in SEEDS if look < most), most))

    @classmethod
    def once(cls, seeds: int) -> Looks:
        """Returns a single look, judged at 95 %."""
        return cls((seeds,), alone=True)

    @property
    def first(self) -> int:
        """Returns the number of seeds of the first look."""
        return self.seeds[0]

    def after(self, seeds: int) -> int | None:
        """Returns the number of seeds of the look after that with ``seeds``; None if there is none."""
        return next((look for look in self.seeds if look > seeds), None)

    def error(self, seeds: int) -> float:
        """Returns the largest one-sided p-value that decides with this number of seeds."""
        if self.alone:
            return (1 - LEVEL) / 2
        number, total = max(1, bisect_right(self.seeds, seeds)), len(self.seeds)
        return SPENT * (math.sqrt(number / total) - math.sqrt((number - 1) / total))
