"""Plotly's JavaScript, inside a page or beside the pages of a folder."""

from __future__ import annotations

import base64
import functools
import gzip

from plotly.offline import get_plotlyjs

LIBRARY = "plotly.packed.js"
"""The name of the file with the packed Plotly library, which lies in the same folder as the pages that use it."""


def packed(text: str) -> str:
    """Returns a large part of a page compressed, in base64.

    The page unpacks it with the browser's own ``DecompressionStream``, and only when a figure is about to be seen.
    """
    # Without a time in its header, the archive has the same bytes each time.
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode()


@functools.cache
def packed_plotly() -> str:
    """Returns Plotly's JavaScript, packed: two megabytes instead of nearly five."""
    return packed(get_plotlyjs())


def plotly_beside() -> str:
    """Returns packed Plotly as a script, for a file that many pages load: it sets the text, which the page unpacks."""
    return f'globalThis.packedPlotly = "{packed_plotly()}";\n'
