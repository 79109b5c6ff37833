"""Evaluates the assertions of a script. The code is parsed as Python, and a subset of Python is interpreted; Python
itself never runs the code.

A script's code compares the fields of ``tcp_info`` with numbers. It can assign numbers to variables, and call print,
which prints nothing. Loops, function definitions, attributes and everything else of Python are refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

Number = int | float | bool

_OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: lambda left, right: int(left) & int(right),
    ast.BitOr: lambda left, right: int(left) | int(right),
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Mapping[str, Callable[..., Number]] = {"abs": abs, "int": int, "max": max, "min": min}
_LARGEST = 1e18
"""The largest magnitude of a number in an assertion."""


class CodeError(Exception):
    """Code that is not Python, or is not allowed in an assertion."""


class Unknown(Exception):  # noqa: N818  (it is no error: ackclock does not have the value)
    """A field or constant of ``tcp_info`` for which ackclock has no value."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True)
class Statement:
    """An evaluated assertion."""

    text: str
    """The assertion without its message."""
    holds: bool | None
    """Whether the assertion holds; None if it names something for which ackclock has no value."""
    names: tuple[str, ...]
    """The names in the assertion; if ``holds`` is None, only the name for which ackclock has no value."""


Lookup = Callable[[str], Number]
"""Returns the value of a name. Raises Unknown if ackclock has no value for it, CodeError if there is no such name."""


class Evaluator:
    """The variables of a script's code, which last from one piece of code to the next."""

    def __init__(self) -> None:
        self._variables: dict[str, Number] = {}
        self._without: dict[str, str] = {}

    def examine(self, code: str, lookup: Lookup) -> Iterator[Statement]:
        """Yields the assertions of ``code`` as they are examined. CodeError for code that is no assertion."""
        try:
            body = ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise CodeError(
                f"found code that is not valid Python: {getattr(error, 'msg', None) or error}"
            ) from None
        for node in body:
            try:
                found = self._statement(node, code, lookup)
            except (ArithmeticError, RecursionError, ValueError, TypeError) as error:
                raise CodeError(f"{_shown(node)}: {error}") from None
            if found is not None:
                yield found

    def _statement(self, node: ast.stmt, code: str, lookup: Lookup) -> Statement | None:
        match node:
            case ast.Assert(test=test):
                text = " ".join((ast.get_source_segment(code, test) or _shown(test)).split())
                try:
                    return Statement(text, bool(self._value(test, lookup)), _names(test))
                except Unknown as unknown:
                    return Statement(text, None, (unknown.name,))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, value, lookup)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                self._assign(name, ast.BinOp(ast.Name(name, ast.Load()), op, value), lookup)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))) | ast.Pass():
                pass
            case _:
                raise CodeError(
                    f'found "{_shown(node)}", expected assert, an assignment to a variable or print(...)'
                )
        return None

    def _assign(self, name: str, value: ast.expr, lookup: Lookup) -> None:
        try:
            self._variables[name] = self._value(value, lookup)
            self._without.pop(name, None)
        except Unknown as unknown:
            self._without[name] = unknown.name

    def _value(self, node: ast.expr, lookup: Lookup) -> Number:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return _bounded(value)
            case ast.Name(id=name):
                if name in self._without:
                    raise Unknown(self._without[name])
                return self._variables[name] if name in self._variables else lookup(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand, lookup)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._value(operand, lookup)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _bounded(_OPERATORS[type(op)](self._value(left, lookup), self._value(right, lookup)))
            case ast.BoolOp(op=ast.And(), values=values):
                return all(self._value(one, lookup) for one in values)
            case ast.BoolOp(op=ast.Or(), values=values):
                return any(self._value(one, lookup) for one in values)
            case ast.Compare(left=left, ops=ops, comparators=others) if all(
                type(op) in _COMPARISONS for op in ops
            ):
                numbers = [self._value(one, lookup) for one in (left, *others)]
                pairs = zip(ops, pairwise(numbers), strict=True)
                return all(_COMPARISONS[type(op)](before, after) for op, (before, after) in pairs)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
                return _bounded(_FUNCTIONS[name](*(self._value(one, lookup) for one in arguments)))
            case _:
                raise CodeError(
                    f'found "{_shown(node)}", expected numbers, names, arithmetic, comparisons, and, or, not, abs, '
                    "int, max or min"
                )


def _bounded(value: Number) -> Number:
    if not abs(value) <= _LARGEST:
        raise CodeError(f"found a number outside -{_LARGEST:g} to {_LARGEST:g}")
    return value


def _names(node: ast.expr) -> tuple[str, ...]:
    found = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and one.id not in _FUNCTIONS]
    return tuple(dict.fromkeys(found))


def _shown(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 200 else text[:200] + "..."
