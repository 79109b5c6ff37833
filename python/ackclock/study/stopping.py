"""When a claim needs further seeds."""

from __future__ import annotations

import math

from ackclock.experiment.looks import Looks
from ackclock.study.result import ClaimResult

HOPELESS = 2
"""A claim that would take more than this many times the most seeds gets no further ones."""
RARE = 10
"""The seeds from which on equal samples decide, if their value is 0 or a limit of the test, and missing samples: what
happens in one run of four, such as a timeout, is missed by 3 runs in 42 % of studies and by 10 in 6 %.
"""


def goes_on(judged: ClaimResult, looks: Looks) -> bool:
    """Returns whether a claim that was judged at a look needs the next one: it is undecided and has a prospect of being
    decided, or its samples may miss what is rare.
    """
    if looks.after(len(judged.samples)) is None:
        return False
    known = [value for value in judged.samples if math.isfinite(value)]
    if len(known) < 2:
        return len(judged.samples) < RARE
    if len(known) < RARE and len(set(known)) == 1:
        return known[0] == 0 or known[0] in (judged.accepted or ())
    needed = judged.replications_needed
    return judged.verdict == "undecided" and needed is not None and needed <= HOPELESS * looks.seeds[-1]
