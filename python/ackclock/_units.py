"""Units of choice for columns: ``rtt_p95_s [ms]`` is the column ``rtt_p95_s`` in milliseconds."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ackclock._names import nearest
from ackclock.errors import InputError

_UNITS: Mapping[str, Mapping[str, float]] = {
    "_bps": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
    "_s": {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6},
    "_bytes": {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9},
    "_packets": {"packets": 1, "thousand packets": 1e3},
    "_bdp": {"BDP": 1},
    "_share": {"%": 0.01},
    "utilisation": {"%": 0.01},
}
"""The units that a column can be shown in, by the ending of its name. Each unit has its size as a multiple of the
column's own unit.
"""
_SPELLINGS: Mapping[str, str] = {
    **{f"{prefix}b{per}": f"{prefix}bit/s" for prefix in ("", "k", "M", "G") for per in ("/s", "ps")},
    "bdp": "BDP",
    "pkts": "packets",
    "seconds": "s",
}
"""Alternative spellings of units, such as Mbps, each with the spelling that ``_UNITS`` uses."""
_FORM = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(?:\[(?P<unit>[^\[\]]*)\])?\s*")


def split(text: str) -> tuple[str, str]:
    """Returns the name of a column, and the unit in square brackets after it; empty without one. InputError for another
    form.

    >>> split("groups.tcp.goodput_bps [Mbit/s]")
    ('groups.tcp.goodput_bps', 'Mbit/s')
    """
    found = _FORM.fullmatch(text)
    if found is None or not found["name"]:
        raise InputError(f'"{text}": expected a column, or a column and a unit such as "rtt_p95_s [ms]"')
    return found["name"], (found["unit"] or "").strip()


def divisor(name: str, unit: str) -> float:
    """Returns the number by which values of the column are divided to have this unit. InputError for a unit that the
    column cannot have.
    """
    known = of(name)
    spelt = unit if unit in known else _SPELLINGS.get(unit, unit)
    if spelt not in known:
        if not known:
            raise InputError(
                f'"{name} [{unit}]": found a unit, expected none: this column has a fixed unit, or no unit'
            )
        raise InputError(f'"{name} [{unit}]": the column {name} has no unit "{unit}"{nearest(unit, known)}')
    return known[spelt]


def of(name: str) -> Mapping[str, float]:
    """Returns the units that values of the column may have, each with its size in that of the column."""
    return next((units for ending, units in _UNITS.items() if name.endswith(ending)), {})
