"""The numbers of seeds at which an experiment is judged, and the error that each look may spend.

A criterion is judged at 3 seeds, and while it is undecided again at 5, 10, 20 and so on. To test at 1 % at each look
would err far more often than in 1 %, so an error of 1 % is spent over the looks (K. K. G. Lan and D. L. DeMets,
"Discrete sequential boundaries for clinical trials", Biometrika 70, 1983): the part of it that is spent up to look k of
K is (k / K) to the power 1/2, of the family of K. Kim and D. L. DeMets ("Design and analysis of group sequential tests
based on the type I error spending rate function", Biometrika 74, 1987). The looks count and not the seeds, because most
effects in simulations are large beside their spread: most of the error is best spent where most is decided. Spent
errors are added as if looks were independent, so the error of a criterion is at most 1 % whatever its samples have in
common.
"""

from __future__ import annotations

import math
from bisect import bisect_right

from ackclock.experiment.truth import ERROR

SEEDS = (3, 5, 10, 20, 40, 80, 160, 320)
"""The looks, by their numbers of seeds."""
SPENT = 0.01
"""The largest probability that the looks together decide a criterion wrongly."""


def next_look(seeds: int, most: int) -> int | None:
    """Returns the number of seeds of the look after ``seeds``, at most ``most``; None if there is none."""
    if seeds >= most:
        return None
    return min(next((look for look in SEEDS if look > seeds), most), most)


def error_at(seeds: int) -> float:
    """Returns the largest one-sided p-value that decides at the look with this number of seeds.

    It is that of the last look with at most as many seeds; with fewer than 3 it is that of a single look at 95 %, which
    a quick run has.
    """
    number = bisect_right(SEEDS, seeds)
    if number == 0:
        return ERROR
    total = len(SEEDS)
    return SPENT * (math.sqrt(min(number, total) / total) - math.sqrt((min(number, total) - 1) / total))
