"""Plotly's JavaScript, inside a page or beside the pages of a folder."""

from __future__ import annotations

import base64
import functools
import gzip

from plotly.offline import get_plotlyjs

LIBRARY = "plotly.min.js"
"""Its name beside the pages of a folder."""


@functools.cache
def packed_plotly() -> str:
    """Plotly's JavaScript, compressed and in base64: two megabytes in place of nearly five.

    The page unpacks it with the browser's own ``DecompressionStream``, and only when a figure is about to be seen.
    """
    # Without a time in its header the archive is the same every time.
    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), compresslevel=9, mtime=0)).decode()


def plain_plotly() -> str:
    """The same as it is, for a file that many pages load."""
    return str(get_plotlyjs())
