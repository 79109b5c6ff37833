"""The verdicts of an evaluation, and how several become one."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Verdict(Enum):
    """The verdict on a control by a criterion, in a scenario or in a section of the RFC."""

    OK = "OK"
    """The criterion is met: the whole interval lies inside."""
    CONCERN = "CONCERN"
    """The criterion is not met, which needs an explanation: the whole interval lies outside, or a run failed."""
    UNDECIDED = "undecided"
    """The interval lies on both sides of the limit, or perhaps beyond a second limit: more seeds may decide."""
    INFO = "INFO"
    """Numbers without a limit; or not met by too little to be a concern, or as a standard control does not meet it, or
    more harm than the reference's where the others keep an equal share.
    """
    EXEMPT = "EXEMPT"
    """The author declares that the control is not for this scenario, or the demand is not on this kind of control."""
    NOT_EVALUATED = "not evaluated"
    """Nothing was run."""


WORST_FIRST = (
    Verdict.CONCERN,
    Verdict.UNDECIDED,
    Verdict.INFO,
    Verdict.OK,
    Verdict.EXEMPT,
    Verdict.NOT_EVALUATED,
)
"""The order in which verdicts prevail."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Returns the verdict that prevails; ``NOT_EVALUATED`` without any."""
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.NOT_EVALUATED)
