"""The nearest right name, for error messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean "x"?`` for the known name nearest to ``name``, or the known names when few, or nothing."""
    candidates = list(dict.fromkeys(known))
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    if not close and name:
        # Too short to be alike: "cwnd" for "cwnd_packets".
        close = [known for known in by_lower if known.startswith(name.lower())]
    if close:
        return f'; did you mean "{by_lower[close[0]]}"?'
    if 0 < len(candidates) <= 8:
        return "; there is " + ", ".join(candidates)
    return ""
