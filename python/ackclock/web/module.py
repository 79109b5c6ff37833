"""The WebAssembly module of the simulator, packed for a page."""

from __future__ import annotations

import base64
import functools
import gzip
from pathlib import Path

from ackclock.errors import AckclockError

MODULE = Path(__file__).with_name("ackclock.wasm")
"""The file that `make wasm` builds, and that wheels contain."""


def read_module() -> bytes:
    """Returns the module. AckclockError if it was not built."""
    try:
        return MODULE.read_bytes()
    except FileNotFoundError:
        raise AckclockError(
            "interactive pages need the simulator's WebAssembly module, which this installation lacks; "
            "`make wasm`, in a clone of the repository, builds it or names what is missing"
        ) from None


_ALPHABET = bytes.maketrans(b"<>&", b",.:")
"""Maps the base-85 characters that a page must not have in a script to characters that base 85 does not use."""


@functools.cache
def packed_module() -> str:
    """Returns the module packed for a page."""
    return packed(read_module())


def packed(content: bytes) -> str:
    """Returns the bytes compressed and in base 85, four bytes in five characters. ``unpacked`` of
    ``engine/embedded.js`` is the inverse. In base 64 the text would be larger by a fifteenth.
    """
    # Without a time in its header, the archive has the same bytes each time.
    archive = gzip.compress(content, compresslevel=9, mtime=0)
    return base64.b85encode(archive).translate(_ALPHABET).decode()
