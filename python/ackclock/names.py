"""Names in messages: how they are shown, and the nearest right one."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

_SHOWN = frozenset("\n\t\u200c\u200d")
"""Characters that are kept although they have no shape: those that join letters or keep them apart belong to words."""
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""The categories of Unicode whose characters have no shape of their own.

They steer a terminal, reverse what is beside them or break a line. Bytes of file names that are not UTF-8 are Cs.
"""


def is_hidden(character: str) -> bool:
    """Whether a character has no shape, and changes how the text around it is shown."""
    return unicodedata.category(character) in _HIDDEN and character not in _SHOWN


def visible(text: str) -> str:
    r"""``text`` as a terminal may show it: hidden characters as the core writes them, such as ``\u{202e}``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{{{ord(one):x}}}" if is_hidden(one) else one for one in text)


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean "x"?`` for the known name nearest to ``name``, or the known names when few, or nothing."""
    candidates = list(dict.fromkeys(known))
    if (close := alike(name, candidates)) is not None:
        return f'; did you mean "{close}"?'
    if 0 < len(candidates) <= 8:
        return "; there is " + ", ".join(candidates)
    return ""


def alike(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like ``name``, if one is."""
    by_lower = {candidate.lower(): candidate for candidate in dict.fromkeys(known)}
    close = _spelt_alike(name.lower(), by_lower)
    if not close:
        # Without the parts before its points: "goodput" for "groups.tcp.goodput_bps", the first of several.
        ends = {lower.rpartition(".")[2]: lower for lower in reversed(by_lower)}
        words = [end for end in ends if end[:1].isalpha()]
        close = [ends[end] for end in _spelt_alike(name.lower().rpartition(".")[2], words)]
    return by_lower[close[0]] if close else None


def _spelt_alike(name: str, known: Iterable[str]) -> list[str]:
    """The name that is spelt most alike, or else those that begin with it: "cwnd" is not like "cwnd_packets"."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return close or [other for other in known if name and other.startswith(name)]
