"""Decides whether a claim's test discriminates: the size of the effect, and whether the rivals pass the test too.

A link that is full under every discipline transmits the same under each: "no fewer packets" cannot fail there. A test
that every other case of the study passes says nothing about the case that it names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

import numpy as np

from ackclock.experiment.expression import Array, Expression, ExpressionError
from ackclock.experiment.sample_words import SampleWords
from ackclock.experiment.truth import NEGLIGIBLE, share_of, size_of
from ackclock.statistics import Summary

_KEEPING_SIZE = {"abs", "mean", "median", "max", "min"}
"""Functions of one argument that preserve its order of magnitude."""


def measured_share(
    measured: Expression, words: SampleWords, summary: Summary, conditions: Iterable[tuple[str, float]]
) -> float | None:
    """Returns how large the measured effect is relative to what is compared.

    For ``a - b``, ``100 * (a / b - 1)`` and similar expressions, it is the difference over the larger side; for
    ``gap_at_equal``, the gap over the larger of the two curves; for a ratio that is compared with 1 or has to lie
    around it, its distance from 1; for ``trend(x, y)``, the range of y over y. None for other expressions, and if the
    ``conditions`` require a non-negligible effect, so that the absence of an effect decides the claim. ``share_of``
    defines the size of a difference.
    """
    conditions = list(conditions)
    ratio = _ratio(measured.tree)
    if (
        ratio is not None
        and conditions
        and (all(bound == ratio for _, bound in conditions) or _allows_on_both_sides(conditions, ratio))
    ):
        return share_of(summary.less(ratio), abs(ratio))
    node, factor = _peeled(measured.tree, measured, words)
    match node:
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            sides = [left, right]
        case ast.Call(func=ast.Name(id="gap_at_equal"), args=[_, first, _, second]):
            sides = [first, second]
        case ast.Call(func=ast.Name(id="trend"), args=[_, y]):
            along = np.nanmean(measured.part(y, words), axis=0)
            height = float(np.nanmean(np.abs(along)))
            return float(np.ptp(along)) / height if height else 0.0
        case _:
            return None
    size = size_of(*(factor * _columns_last(measured.part(side, words), factor) for side in sides))
    if size is not None and any(_asks_for_more(*condition, size) for condition in conditions):
        return None
    return share_of(summary, size)


def every_rival_passes(
    expressions: Iterable[Expression], rivals: Iterable[str], passes: Callable[[Callable[[str], str]], bool]
) -> bool:
    """Returns whether each rival to which a test about one case applies passes it as surely.

    ``passes`` judges the claim with its expressions rewritten. A test about a rival itself is not applied to the
    others.
    """
    named = cases_named(expressions)
    if len(named) != 1:
        return False
    (own,) = named
    arms = list(dict.fromkeys(rivals))
    found = []
    for arm in arms if own not in arms else ():
        try:
            found.append(passes(renaming(own, arm)))
        except ExpressionError:
            continue  # a value of the sweep that this case does not have
    return bool(found) and all(found)


def cases_named(expressions: Iterable[Expression]) -> set[str]:
    """Returns the cases that the expressions name, whatever the value of a sweep."""
    return {text.partition("[")[0] for expression in expressions for text in expression.texts()}


def _asks_for_more(comparison: str, bound: float, size: float) -> bool:
    """Returns whether ``comparison bound``, such as ``> 5``, requires an effect that is more than next to nothing."""
    return (bound if comparison.startswith(">") else -bound) > NEGLIGIBLE * size


def _allows_on_both_sides(conditions: Iterable[tuple[str, float]], ratio: float) -> bool:
    """Returns whether the conditions have two ends with ``ratio`` inside: an identical rival satisfies them."""
    ends = {sign[0]: bound for sign, bound in conditions}
    return len(ends) == 2 and ends[">"] <= ratio <= ends["<"]


def renaming(own: str, other: str) -> Callable[[str], str]:
    """Returns a function that puts the case ``other`` in place of ``own`` in the text of an expression."""
    pattern = re.compile(rf"(?<=['\"]){re.escape(own)}(?=[\['\"])")
    return lambda text: pattern.sub(lambda _: other, text)


def _peeled(node: ast.expr, measured: Expression, words: SampleWords) -> tuple[ast.expr, Array]:
    """Strips constant factors, divisors, signs and means. Returns the inner expression and its factor."""
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


def _ratio(node: ast.expr) -> float | None:
    """Returns the value of ``node`` if the two sides of its ratio were equal: 100 for ``100 * a / b``; None if it is
    no ratio.
    """
    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right) if _names_a_case(left) and _names_a_case(right):
            factor = left.left if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult) else None
            return _constant(factor) or 1.0
        case ast.BinOp(left=ast.Constant() as constant, op=ast.Mult(), right=inner):
            return _product(constant, inner)
        case ast.BinOp(left=inner, op=ast.Mult(), right=ast.Constant() as constant):
            return _product(constant, inner)
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _KEEPING_SIZE:
            return _ratio(inner)
    return None


def _product(constant: ast.Constant, inner: ast.expr) -> float | None:
    ratio, factor = _ratio(inner), _constant(constant)
    return None if ratio is None or factor is None else factor * ratio


def _constant(node: ast.expr | None) -> float | None:
    number = node.value if isinstance(node, ast.Constant) else None
    return float(number) if isinstance(number, int | float) else None


def _names_a_case(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node))


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
    """Returns ``side`` in a shape that a factor for each replication can multiply."""
    return side.mean(axis=-1) if side.ndim > 1 and factor.ndim == 1 else side
