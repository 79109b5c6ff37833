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


@functools.cache
def packed_module() -> str:
    """The module, compressed and in base64: ``unpacked`` of ``engine/embedded.js`` is the other direction."""
    # Without a time in its header the archive is the same every time.
    return base64.b64encode(gzip.compress(read_module(), compresslevel=9, mtime=0)).decode()
