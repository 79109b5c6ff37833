"""The WebAssembly module of the simulator, as a page holds it."""

from __future__ import annotations

import base64
import functools
import gzip
from pathlib import Path

from ackclock.errors import AckclockError

MODULE = Path(__file__).with_name("ackclock.wasm")
"""What `make wasm` builds, and wheels have inside."""


def read_module() -> bytes:
    """The module. AckclockError where it was not built."""
    try:
        return MODULE.read_bytes()
    except FileNotFoundError:
        raise AckclockError(
            "this installation has no WebAssembly module of the simulator, which pages that simulate need; "
            "`make wasm` builds it in a clone of the repository and says what that needs"
        ) from None


_ALPHABET = bytes.maketrans(b"<>&", b",.:")
"""What a page must not have in a script is written as what base 85 does not use."""


@functools.cache
def packed_module() -> str:
    """The module as a page holds it."""
    return packed(read_module())


def packed(content: bytes) -> str:
    """Compressed and in base 85, four bytes in five characters: ``unpacked`` of ``engine/embedded.js`` is the other
    direction. In base 64 it would be larger by a fifteenth.
    """
    # Without a time in its header the archive is the same every time.
    archive = gzip.compress(content, compresslevel=9, mtime=0)
    return base64.b85encode(archive).translate(_ALPHABET).decode()
