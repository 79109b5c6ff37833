"""``ackclock schema``."""

from __future__ import annotations

from ackclock._names import nearest
from ackclock.cli.terminal import print_json
from ackclock.errors import InputError


def schema(of: str) -> None:
    """Prints the JSON Schema of one kind of document. InputError for an unknown kind."""
    from ackclock import schemas

    if of not in schemas.KINDS:
        raise InputError(f'there is no schema of "{of}"{nearest(of, schemas.KINDS)}')
    print_json(schemas.schema(of))
