"""Templates in a study file: tables that expand into several cases or claims that differ in a few values.

A table with ``for_all`` expands into a table at each point of the product of some ``[axes]``, one with ``rows`` into a
table per row. The differing values are in braces, as in ``id = "15-n{n}"``. The rest of the package sees only the
resulting tables. Each records its origin, so that a mistake is reported at its place in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import BaseModel

from ackclock._names import nearest
from ackclock.characterisation.disciplines import Variant
from ackclock.errors import InputError
from ackclock.study.axes import Axes, GridError, checked, text_of, under, value_at
from ackclock.study.braces import Filling
from ackclock.study.claim import Claim
from ackclock.study.lines import Lines
from ackclock.study.model import Case, Figure, Finding, Interpretation, Metric

KINDS: Mapping[str, type[BaseModel]] = {
    "cases": Case,
    "metrics": Metric,
    "claims": Claim,
    "figures": Figure,
    "findings": Finding,
}
"""The arrays of a study file whose tables can be templates. Interpretations of assumptions and variants of disciplines
can be templates, too.
"""
WORDS = ("for_all", "except", "rows", "each")
"""The keys that make a table a template."""

Place = tuple[str | int, ...]


class Item(dict[str, Any]):
    """A table of an array of a study file, as written or made from a template."""

    def __init__(
        self,
        table: Mapping[str, Any],
        index: int,
        line: int | None,
        point: str = "",
        used: Iterable[str] = (),
    ) -> None:
        super().__init__(table)
        self.index = index
        """The index, from 0, in the file's array, of this table or of its template."""
        self.line = line
        """The line of this table, of its template, or of its row in the template; None if unknown."""
        self.point = point
        """The values of the axes and the row of the template, as in ``rate = 2, row 1``; empty without a template."""
        self.used = frozenset(used)
        """The names that occur in braces."""

    def completed(self, base: Mapping[str, Any]) -> Item:
        """Returns this table completed with the keys of ``base`` that it lacks."""
        return Item({**base, **self}, self.index, self.line, self.point, self.used)


def expanded(document: Mapping[str, Any], text: str, file: str, shared: Axes | None = None) -> dict[str, Any]:
    """Returns the study or base ``document``, which was read from ``text``, with all its tables written out.

    ``shared`` are the axes of its base. InputError lists all mistakes in axes and in their uses.
    """
    try:
        own = checked(document.get("axes", {}))
    except GridError as error:
        raise InputError(f"{file}: {error}") from None
    writer = _Writer(file, under(own, shared or {}), Lines(text))
    result = dict(document)
    for kind, model in KINDS.items():
        if kind in document:
            result[kind] = writer.written(document[kind], (kind,), model)
    disciplines = document.get("disciplines")
    if isinstance(disciplines, dict) and "variants" in disciplines:
        variants = writer.written(disciplines["variants"], ("disciplines", "variants"), Variant)
        result["disciplines"] = {**disciplines, "variants": variants}
    if isinstance(document.get("assumptions"), list):
        result["assumptions"] = writer.assumptions(document["assumptions"])
    # A base's axes are for its studies.
    if "source" in document and "title" in document:
        writer.problems += [
            f"{file}: axes.{name}: no table uses this axis" for name in own if name not in writer.named
        ]
    if writer.problems:
        raise InputError("\n".join(writer.problems))
    return result


@dataclass(frozen=True)
class _Point:
    """One of the tables that a template expands into."""

    meanings: Mapping[str, Any]
    """The value of each name that can occur in braces."""
    row: Mapping[str, Any]
    number: int | None
    """The index of the row, from 0; None without rows."""
    text: str
    named: Sequence[str] = ()
    """The names that the template defines: its axes and the keys of its rows."""


_NOWHERE = _Point({}, {}, None, "")


class _Writer:
    """Writes out the arrays of one file."""

    def __init__(self, file: str, axes: Axes, lines: Lines) -> None:
        self._file, self._axes, self._lines = file, axes, lines
        self.named: set[str] = set()
        """The axes in use: in a ``for_all``, as a key of a row, or in a ``for all`` in braces."""
        self.problems: list[str] = []

    def written(self, tables: Any, place: Place, model: type[BaseModel]) -> Any:
        """Returns the tables that ``tables`` expand into. Other values are left for the model to refuse."""
        if not isinstance(tables, list):
            return tables
        result: list[Any] = []
        for index, table in enumerate(tables):
            here = (*place, index)
            if not isinstance(table, dict):
                result.append(table)
            else:
                try:
                    result += self._of_template(table, here, model)
                except GridError as error:
                    line = self._lines.of(here)
                    where = self._file if line is None else f"{self._file}:{line}"
                    self.problems.append(f"{where}: {_shown(here)}: {error}")
        return result

    def assumptions(self, assumptions: Sequence[Any]) -> list[Any]:
        """Returns the assumptions with their interpretations written out."""
        result: list[Any] = []
        for index, found in enumerate(assumptions):
            if not isinstance(found, dict):
                result.append(found)
                continue
            place = ("assumptions", index)
            item = Item(found, index, self._lines.of(place))
            if "interpretations" in found:
                item["interpretations"] = self.written(
                    found["interpretations"], (*place, "interpretations"), Interpretation
                )
            result.append(item)
        return result

    def _of_template(
        self, table: Mapping[str, Any], place: Place, model: type[BaseModel], around: _Point = _NOWHERE
    ) -> list[Item]:
        """Returns the tables that ``table`` expands into at the point ``around`` of the enclosing table."""
        points = list(self._points(table, around))
        lines = self._lines.rows(place, len(table.get("rows", ())))
        plain = {key: value for key, value in table.items() if key not in WORDS}
        items = list[Item]()
        for point in points:
            own = {key: value for key, value in point.row.items() if key in model.model_fields}
            laid = _laid_over(plain, own)
            if "each" in table:
                items += self._of_group(laid, table["each"], place, model, point)
                continue
            filling = Filling(laid, point.meanings, self._axes, computed=model is Finding)
            try:
                filled = filling.filled()
            except GridError as error:
                raise GridError(f"{point.text}: {error}" if point.text else str(error)) from None
            self.named |= filling.named
            line = self._lines.of(place) if point.number is None else lines[point.number]
            items.append(Item(_as_texts(filled, laid, model), _index(place), line, point.text, filling.used))
        _check_names(items, points, model)
        return items

    def _of_group(
        self, outer: Mapping[str, Any], group: Any, place: Place, model: type[BaseModel], point: _Point
    ) -> list[Item]:
        """Returns the tables that ``each`` expands into at ``point``; the enclosing keys apply to all of them."""
        if not isinstance(group, list) or not group or not all(isinstance(one, dict) for one in group):
            raise GridError(f"each: found {group!r}, expected a list of one or more tables")
        items = list[Item]()
        for number, one in enumerate(group):
            here = (*place, "each", number)
            try:
                items += self._of_template(_laid_over(outer, one), here, model, point)
            except GridError as error:
                raise GridError(f"each[{number + 1}]: {error}") from None
        return items

    def _points(self, table: Mapping[str, Any], around: _Point) -> Iterator[_Point]:
        names, rows = self._for_all(table), _rows(table)
        left_out = self._left_out(table, names)
        for values in product(*(self._axes[name] for name in names)):
            at = dict(zip(names, values, strict=True))
            if any(all(text_of(at[name]) in ids for name, ids in one.items()) for one in left_out):
                continue
            where = [
                *([around.text] if around.text else []),
                *(f"{key} = {text_of(at[key])}" for key in names),
            ]
            known = {**around.meanings, **at}
            if not rows:
                yield _Point(known, {}, None, ", ".join(where), names)
            for number, row in enumerate(rows):
                text = ", ".join([*where, f"row {number + 1}"])
                try:
                    columns = {key: self._meant(key, value) for key, value in row.items()}
                except GridError as error:
                    raise GridError(f"{text}: {error}") from None
                yield _Point({**known, **columns}, row, number, text, [*names, *row])

    def _meant(self, key: str, value: Any) -> Any:
        """Returns the value of the row's ``key``: if an axis has this name, the axis's value, or else a new value."""
        if key not in self._axes or isinstance(value, dict):
            return value
        self.named.add(key)
        return value_at(self._axes, key, value)

    def _for_all(self, table: Mapping[str, Any]) -> list[str]:
        names = table.get("for_all", [])
        if not isinstance(names, list) or ("for_all" in table and not names):
            raise GridError(
                f"for_all: found {names!r}, expected a list of one or more axes, the slowest-changing axis first"
            )
        for number, name in enumerate(names):
            if name not in self._axes:
                raise GridError(f'for_all: there is no axis "{name}"{nearest(str(name), self._axes)}')
            if name in names[:number]:
                raise GridError(f'for_all: the axis "{name}" is named twice')
        self.named |= set(names)
        return names

    def _left_out(self, table: Mapping[str, Any], names: Sequence[str]) -> list[dict[str, list[str]]]:
        """Returns the points that ``except`` leaves out: each gives ids for some of the axes, which must all match."""
        found = table.get("except", [])
        if not isinstance(found, list) or not all(isinstance(one, dict) and one for one in found):
            raise GridError(f"except: found {found!r}, expected a list of points such as {{ {'n'} = 5 }}")
        result = []
        for one in found:
            for name in one:
                if name not in names:
                    raise GridError(f'except: "{name}" is not an axis of for_all{nearest(name, names)}')
            given = {name: ids if isinstance(ids, list) else [ids] for name, ids in one.items()}
            result.append(
                {name: [text_of(value_at(self._axes, name, id)) for id in ids] for name, ids in given.items()}
            )
        return result


def _rows(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = table.get("rows", [])
    good = isinstance(rows, list) and all(isinstance(row, dict) and row for row in rows)
    if not good or ("rows" in table and not rows):
        raise GridError(
            f"rows: found {rows!r}, expected a list of one or more tables, one for each row, such as {{ {'n'} = 5 }}"
        )
    return list(rows)


def _laid_over(table: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns ``table`` with the values of the row; keys that are tables themselves (overrides) are merged key by
    key.
    """
    result = dict(table)
    for key, value in row.items():
        before = result.get(key)
        result[key] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
    return result


def _as_texts(filled: dict[str, Any], table: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Returns ``filled`` with a text where braces gave a number to a key that takes only texts, such as a label."""
    for key, value in filled.items():
        known = model.model_fields.get(key)
        number = isinstance(value, int | float) and isinstance(table.get(key), str)
        if number and known is not None and known.annotation in (str, str | None):
            filled[key] = text_of(value)
    return filled


def _check_names(items: Sequence[Item], points: Sequence[_Point], model: type[BaseModel]) -> None:
    """Raises GridError for a name that no braces use, and for two tables with the same name."""
    fields, used = model.model_fields, {name for item in items for name in item.used}
    for point in points:
        for name in point.named:
            if name not in used and name not in fields:
                raise GridError(
                    f"{point.text}: {name} has no effect: no text contains {{{name}}}, and no key has this name"
                    + nearest(name, [*fields, *(used - set(fields))])
                )
    seen: dict[str, Item] = {}
    for item in items:
        called = item.get("id", item.get("name"))
        if not isinstance(called, str):
            continue
        if called in seen:
            raise GridError(f'{seen[called].point} and {item.point} are both called "{called}"')
        seen[called] = item


def _index(place: Place) -> int:
    """Returns the index in the file's array of the table at ``place``, or of the one around it."""
    return next(
        part
        for part in reversed(place[: place.index("each")] if "each" in place else place)
        if isinstance(part, int)
    )


def _shown(place: Place) -> str:
    """``claims[3]``."""
    text = ""
    for part in place:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text
