"""Whether a claim's test tells anything apart: how large the effect is beside what is compared, and who else passes.

A link that is full under every discipline transmits the same under each: "no fewer packets" cannot fail there. A test
that every other arm of the study passes says nothing of the one that it is about.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

import numpy as np

from ackclock.statistics import Summary
from ackclock.study.claim_words import ClaimWords
from ackclock.study.language import Array, Expression, ExpressionError
from ackclock.study.truth import NEGLIGIBLE, Holds, share_of, size_of

_KEEPING_SIZE = {"abs", "mean", "median", "max", "min"}
"""Functions of one argument whose value is about as large as what they are given."""


def measured_share(
    measured: Expression, words: ClaimWords, summary: Summary, conditions: Iterable[tuple[str, float]]
) -> float | None:
    """How large the effect measured is beside what is compared: of ``a - b``, ``100 * (a / b - 1)`` and the like the
    larger end of the interval over the larger side; of ``trend(x, y)`` the range of y over y. None for anything else,
    and where the ``conditions`` ask for an effect that is more than nothing, so that none is an answer.
    """
    node, factor = _peeled(measured.tree, measured, words)
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            sides = [factor * _columns_last(measured.part(side, words), factor) for side in (left, right)]
            size = size_of(*sides)
            if size is not None and any(_asks_for_more(*condition, size) for condition in conditions):
                return None
            return share_of(summary, size)
        case ast.Call(func=ast.Name(id="trend"), args=[_, y]):
            along = np.nanmean(measured.part(y, words), axis=0)
            size = float(np.nanmean(np.abs(along)))
            return float(np.ptp(along)) / size if size else 0.0
    return None


def every_rival_passes(
    expressions: Iterable[Expression], rivals: Iterable[str], passes: Callable[[Callable[[str], str]], Holds]
) -> bool:
    """Whether a test about one case is passed as surely by each rival that it can be asked of.

    ``passes`` judges the claim with its expressions rewritten. A test about a rival itself is not asked of the others.
    """
    named = {text.partition("[")[0] for expression in expressions for text in expression.texts()}
    if len(named) != 1:
        return False
    (own,) = named
    arms = list(dict.fromkeys(rivals))
    found = []
    for arm in arms if own not in arms else ():
        try:
            found.append(passes(_renaming(own, arm)))
        except ExpressionError:
            continue  # a value of the sweep that this arm does not have
    return bool(found) and all(holds is Holds.SURELY for holds in found)


def _asks_for_more(comparison: str, bound: float, size: float) -> bool:
    """Whether ``comparison bound``, such as ``> 5``, asks for an effect that is no longer next to nothing."""
    return (bound if comparison.startswith(">") else -bound) > NEGLIGIBLE * size


def _renaming(own: str, other: str) -> Callable[[str], str]:
    pattern = re.compile(rf"(?<=['\"]){re.escape(own)}(?=[\['\"])")
    return lambda text: pattern.sub(lambda _: other, text)


def _peeled(node: ast.expr, measured: Expression, words: ClaimWords) -> tuple[ast.expr, Array]:
    """The inside of constant factors, divisors, signs and means, and what it is multiplied by."""
    factor = np.asarray(1.0)
    while True:
        match node:
            case ast.BinOp(left=ast.Constant() as constant, op=ast.Mult(), right=inner):
                factor = factor * measured.part(constant, words)
            case ast.BinOp(left=inner, op=ast.Mult(), right=ast.Constant() as constant):
                factor = factor * measured.part(constant, words)
            case ast.BinOp(left=inner, op=ast.Div(), right=divisor) if _ends_in_difference(inner):
                factor = factor / measured.part(divisor, words)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                pass
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _KEEPING_SIZE:
                pass
            case _:
                return node, factor
        node = inner


def _ends_in_difference(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Sub()):
            return True
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _ends_in_difference(left) or _ends_in_difference(right)
        case ast.UnaryOp(operand=operand):
            return _ends_in_difference(operand)
    return False


def _columns_last(side: Array, factor: Array) -> Array:
    """``side`` in a shape that a factor for each replication multiplies."""
    return side.mean(axis=-1) if side.ndim > 1 and factor.ndim == 1 else side
