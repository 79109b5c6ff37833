"""The connections in a kernel log, by their two addresses."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ackclock._names import alike
from ackclock.errors import InputError

Connection = tuple[str, str]
"""The local and the remote address, with their ports."""
MOST_NAMED = 8
"""The largest number of connections that a message names."""


def choose(path: Path, flow: str | None, connections: Iterable[Connection]) -> Connection:
    """Returns the connection called ``flow``, by either of its addresses or both, or the only one.

    InputError, with the names of all, if there are several or none.
    """
    known = list(dict.fromkeys(connections))
    called = [one for one in known if flow is None or flow in (*one, _name(one))]
    if len(called) == 1:
        return called[0]
    names = [_name(one) for one in called or known]
    expected = " or ".join(f"{path}#{name}" for name in names[:MOST_NAMED])
    if called or flow is None:
        raise InputError(f"{path}: has {len(names)} connections, expected {expected}")
    close = alike(flow, [name for one in known for name in (*one, _name(one))])
    hint = "" if close is None else f'; did you mean "{close}"?'
    raise InputError(f'{path}: there is no connection "{flow}", expected {expected}{hint}')


def _name(connection: Connection) -> str:
    return "-".join(connection)
