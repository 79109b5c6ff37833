"""Detects claims that measure the scatter of single runs although their sentence is about an order.

The least of four noisy numbers is below each of their means, and the distance between two of them is above 0, by chance
alone: of a scheme and itself with the next seed as well. So what a test judges takes no ``abs``, ``min`` or ``max`` of
what is measured inside a replication. "Less than each of the others" is a ``direction`` with a comparison for each of
them; "at most 0.1 at every load" is ``loss('a[*]') <= 0.1``; "within 10 % of" has a comparison for either side; "nearer
to b than c is" asks on which side of the middle of a and c b lies; the best of several settings is
``cross_fitted_max``.
"""

from __future__ import annotations

import ast

from ackclock.experiment.expression import Expression
from ackclock.study.claim import Claim

EXTREMES = frozenset({"abs", "min", "max"})


def extremes_judged(claim: Claim) -> frozenset[str]:
    """Returns which of abs, min and max the test of ``claim`` takes of measured values; none if it gives a reason.

    If the ``direction`` alone is the test, ``measured`` is only shown and does not count.
    """
    if claim.within_replication:
        return frozenset()
    judged = [claim.direction] if claim.direction is not None else []
    if claim.tolerance is not None or claim.expect is not None:
        judged.append(claim.measured)
    return frozenset(name for text in judged for name in _taken(Expression(text).tree))


def _taken(tree: ast.expr) -> set[str]:
    """Returns the functions among ``EXTREMES`` that are called with measured values, recognised by the texts that
    name cases.
    """
    return {
        call.func.id
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in EXTREMES
        if any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(call))
    }
