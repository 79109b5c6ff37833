"""The expression language of metrics and claims: a small part of Python's syntax, evaluated without ``eval``.

An expression is arithmetic (``+ - * / **``), comparison, ``and or not``, names, attributes and calls from a fixed
vocabulary. Numbers and float arrays are the only values that it computes with; text stands only where a function
takes a name. Dividing by zero and the like give ``nan``, which means "no sample".
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, reduce
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ackclock._names import nearest
from ackclock.errors import InputError

Array = npt.NDArray[np.float64]
Value = Any
"""A number, an array, text (as an argument only), a truth value, or a record with attributes."""

MAX_LENGTH = 4000
"""The largest number of characters of an expression. Longer text is most likely a mistake, and deeply nested text would
exhaust Python's stack.
"""

Join = Callable[[Any, Any], Any]
"""Combines two truth values into one: ``&`` or ``|``."""

_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class ExpressionError(InputError):
    """An expression cannot be read or computed. The message shows the place in the expression."""


class Record(Protocol):
    """A value with attributes, such as ``flows`` or ``link("bottleneck")``."""

    def attribute(self, name: str) -> Value:
        """Returns the attribute's value; LookupError with a message when there is none."""


class Vocabulary(Protocol):
    """The values and functions that the names of an expression refer to."""

    values: Mapping[str, Value]
    functions: Mapping[str, Callable[..., Value]]

    def compare(self, comparison: str, left: Array, right: Array, join: Join) -> Value:
        """Returns the truth of ``left comparison right``, as a value that ``&`` and ``|`` join.

        ``join`` joins the truths of several columns: ``&``, or ``|`` for a negated comparison.
        """


class Expression:
    """A checked expression. ``ExpressionError`` when the text is outside the language."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        if len(self.text) > MAX_LENGTH:
            raise ExpressionError(
                f"found an expression of {len(self.text)} characters, expected at most {MAX_LENGTH}"
            )
        try:
            # The parentheses let a long expression break over lines.
            self._tree = ast.parse(f"({self.text}\n)", mode="eval").body
        except SyntaxError as error:
            raise ExpressionError(self._pointed(error.msg, (error.offset or 2) - 2)) from None
        except (ValueError, MemoryError, RecursionError):
            raise ExpressionError(f'not a valid expression: "{self.text[:60]}"') from None

    def evaluate(self, vocabulary: Vocabulary) -> Array:
        """Returns the value as a float array (of no dimension for a single number). ExpressionError
        when it has none.
        """
        value = self._guarded(lambda: self._value(self._tree, vocabulary))
        return self._number(value, self._tree)

    @property
    def tree(self) -> ast.expr:
        """The syntax tree, for code that inspects how an expression is built."""
        return self._tree

    def part(self, node: ast.expr, vocabulary: Vocabulary) -> Array:
        """Returns the value of a part of the tree. ExpressionError when it has none."""
        return self._number(self._guarded(lambda: self._value(node, vocabulary)), node)

    def texts(self) -> set[str]:
        """All texts in the expression, such as the names of cases."""
        constants = (node.value for node in ast.walk(self._tree) if isinstance(node, ast.Constant))
        return {value for value in constants if isinstance(value, str)}

    @cached_property
    def called(self) -> frozenset[str]:
        """Returns the names of all functions that the expression calls."""
        calls = (node.func for node in ast.walk(self._tree) if isinstance(node, ast.Call))
        return frozenset(function.id for function in calls if isinstance(function, ast.Name))

    def truth(self, vocabulary: Vocabulary) -> Value:
        """Returns the truth of an expression made of comparisons joined by ``and``, ``or``, ``not``."""
        return self._guarded(lambda: self._truth(self._tree, vocabulary, negated=False))

    def _guarded(self, compute: Callable[[], Value]) -> Value:
        try:
            with np.errstate(all="ignore"):
                return compute()
        except RecursionError:
            raise ExpressionError("the expression is nested too deeply") from None

    def _value(self, node: ast.expr, words: Vocabulary) -> Value:
        # By its type: a study evaluates 25,000 expressions, and to compare a node with one pattern after another took
        # half of their time.
        compute = _VALUES.get(type(node))
        if compute is None:
            raise self._error(node, f"{_spoken(node)} is not part of the expression language")
        return compute(self, node, words)

    def _constant(self, node: ast.Constant, _: Vocabulary) -> Value:
        match node.value:
            case bool():
                raise self._error(node, "found True or False, expected a number")
            case int() | float() as number:
                # As floats: an integer power could otherwise grow without bound.
                return self._float(node, number)
            case str() as text:
                return text
        raise self._error(node, f"{_spoken(node)} is not part of the expression language")

    def _name(self, node: ast.Name, words: Vocabulary) -> Value:
        if node.id in words.values:
            return words.values[node.id]
        if node.id in words.functions:
            raise self._error(node, f"{node.id} is a function: write {node.id}(...)")
        raise self._error(
            node,
            f'there is no value or function "{node.id}"{nearest(node.id, [*words.values, *words.functions])}',
        )

    def _attribute_of(self, node: ast.Attribute, words: Vocabulary) -> Value:
        return self._attribute(node, self._value(node.value, words), node.attr)

    def _signed(self, node: ast.UnaryOp, words: Vocabulary) -> Value:
        if isinstance(node.op, ast.Not):
            return self._no_value(node, words)
        if not isinstance(node.op, ast.USub | ast.UAdd):
            raise self._error(node, f"{_spoken(node)} is not part of the expression language")
        value = self._number(self._value(node.operand, words), node.operand)
        return -value if isinstance(node.op, ast.USub) else value

    def _arithmetic(self, node: ast.BinOp, words: Vocabulary) -> Value:
        if type(node.op) not in _ARITHMETIC:
            raise self._error(node, f"{_spoken(node)} is not part of the expression language")
        a = self._number(self._value(node.left, words), node.left)
        b = self._number(self._value(node.right, words), node.right)
        return self._call(node, _ARITHMETIC[type(node.op)], list(aligned(a, b)))

    def _called(self, node: ast.Call, words: Vocabulary) -> Value:
        if node.keywords:
            raise self._error(
                node.keywords[0].value, "expected positional arguments, found a keyword argument"
            )
        function = self._function(node.func, words)
        return self._call(node, function, [self._value(argument, words) for argument in node.args])

    def _no_value(self, node: ast.expr, _: Vocabulary) -> Value:
        raise self._error(
            node, "found a comparison, expected a number; comparisons belong in the `direction` of a claim"
        )

    def _truth(self, node: ast.expr, words: Vocabulary, *, negated: bool) -> Value:
        match node:
            case ast.BoolOp(op=op, values=parts):
                truths = [self._truth(part, words, negated=negated) for part in parts]
                return reduce(operator.and_ if isinstance(op, ast.And) != negated else operator.or_, truths)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._truth(operand, words, negated=not negated)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                sides = [left, *comparators]
                values = [self._number(self._value(side, words), side) for side in sides]
                join = operator.or_ if negated else operator.and_
                truths = []
                for comparison, (a, b) in zip(ops, pairwise(values), strict=True):
                    if type(comparison) not in _COMPARISONS:
                        raise self._error(
                            node,
                            "expected a comparison with <, <=, > or >=: measured values are rarely exactly equal",
                        )
                    sign = _COMPARISONS[type(comparison)]
                    truths.append(
                        self._call(node, words.compare, [_NEGATED[sign] if negated else sign, a, b, join])
                    )
                return reduce(join, truths)
        raise self._error(node, "expected a comparison")

    def _function(self, node: ast.expr, words: Vocabulary) -> Callable[..., Value]:
        if isinstance(node, ast.Name):
            function = words.functions.get(node.id)
            if function is None:
                function = words.values.get(node.id)
            if callable(function):
                return function  # a record may be callable too: flows("tcp")
            if node.id not in words.values:
                raise self._error(
                    node, f'there is no function "{node.id}"{nearest(node.id, words.functions)}'
                )
        raise self._error(node, "expected a function of the expression language")

    def _attribute(self, node: ast.Attribute, owner: Value, name: str) -> Value:
        lookup = getattr(owner, "attribute", None)
        if lookup is None or name.startswith("_"):
            raise self._error(node, f'the value before .{name} has no attribute "{name}"')
        return self._call(node, lookup, [name])

    def _call(self, node: ast.expr, function: Callable[..., Value], arguments: list[Value]) -> Value:
        try:
            return function(*arguments)
        except LookupError as error:
            raise self._error(node, str(error.args[0])) from None
        except TypeError:
            raise self._error(node, f"wrong arguments; {_signature(function)}") from None
        except ValueError as error:
            raise self._error(node, str(error)) from None

    def _number(self, value: Value, node: ast.expr) -> Array:
        if isinstance(value, str) or hasattr(value, "attribute"):
            raise self._error(node, f"expected a number, found {_spoken(node)}")
        return np.asarray(value, dtype=np.float64)

    def _float(self, node: ast.expr, number: float) -> Array:
        try:
            return np.asarray(number, dtype=np.float64)
        except OverflowError:
            raise self._error(node, "the number is too large") from None

    def _error(self, node: ast.expr, message: str) -> ExpressionError:
        return ExpressionError(self._pointed(message, node.col_offset - 1 if node.lineno == 1 else 0))

    def _pointed(self, message: str, column: int) -> str:
        """Returns the message with the expression below it and a caret under the place."""
        line = self.text.splitlines()[0] if self.text else ""
        column = min(max(column, 0), len(line))
        return f"{message}\n    {line}\n    {' ' * column}^"


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expression:
    """Returns the expression of a text that is read often: a claim is judged under every reading of a study."""
    return Expression(text)


_VALUES: Mapping[type[ast.expr], Callable[[Expression, Any, Vocabulary], Value]] = {
    ast.Constant: Expression._constant,
    ast.Name: Expression._name,
    ast.Attribute: Expression._attribute_of,
    ast.UnaryOp: Expression._signed,
    ast.BinOp: Expression._arithmetic,
    ast.Call: Expression._called,
    ast.Compare: Expression._no_value,
    ast.BoolOp: Expression._no_value,
}
"""The functions that compute the value of a node, by the type of the node."""


def aligned(first: Array, second: Array) -> tuple[Array, Array]:
    """Returns both arrays in compatible shapes: a number for each row applies to each column of the other array.

    Without this, four numbers would silently apply to four columns if there happen to be four rows as well.
    """
    if first.ndim == 1 and second.ndim == 2:
        return first[:, None], second
    if first.ndim == 2 and second.ndim == 1:
        return first, second[:, None]
    return first, second


def _signature(function: Callable[..., Value]) -> str:
    """Returns the first line of the function's docstring, which shows how it is called."""
    lines = (function.__doc__ or "").strip().splitlines()
    return f"expected {lines[0]}" if lines else "see `python -m pydoc ackclock.experiment.run_words`"


def _spoken(node: ast.expr) -> str:
    names = {
        ast.Constant: "a string",
        ast.Subscript: "indexing with [...]",
        ast.IfExp: "if ... else",
        ast.Lambda: "lambda",
        ast.List: "a list",
        ast.Tuple: "a tuple (a stray comma?)",
        ast.Dict: "a dictionary",
        ast.BinOp: "this operator",
        ast.Name: "a name that is not a number",
        ast.Call: "a flow, link or group; add an attribute, e.g. .goodput_bps",
        ast.Attribute: "an attribute that is not a number",
    }
    return names.get(type(node), type(node).__name__)
