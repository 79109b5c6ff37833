"""Names in messages: how they are shown, and the nearest correct name."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Sequence

_SHOWN = frozenset("\n\t\u200c\u200d")
"""The invisible characters that are printed unchanged: newline, tab, and the zero-width (non-)joiner inside words."""
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""The Unicode categories of invisible characters, which can control a terminal, reverse the text next to them or break
a line. Cs contains the bytes of file names that are not UTF-8.
"""


def is_hidden(character: str) -> bool:
    """Returns whether a character is invisible and changes how the text around it is shown."""
    return unicodedata.category(character) in _HIDDEN and character not in _SHOWN


def visible(text: str) -> str:
    r"""Returns ``text`` as a terminal may show it: hidden characters are escaped as in the core, such as
    ``\u{202e}``.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{{{ord(one):x}}}" if is_hidden(one) else one for one in text)


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns ``; did you mean "x"?`` for the known name nearest to ``name``, or the known names if there are few, or
    nothing.
    """
    candidates = list(dict.fromkeys(known))
    if (close := alike(name, candidates)) is not None:
        return f'; did you mean "{close}"?'
    if 0 < len(candidates) <= 8:
        return "; available: " + ", ".join(candidates)
    return ""


def alike(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that is most similar to ``name``, if any is."""
    by_lower = {candidate.lower(): candidate for candidate in dict.fromkeys(known)}
    close = _spelt_alike(name.lower(), by_lower)
    if not close:
        # Compares without the parts before its dots: "goodput" for "groups.tcp.goodput_bps", the first of several.
        ends = {lower.rpartition(".")[2]: lower for lower in reversed(by_lower)}
        words = [end for end in ends if end[:1].isalpha()]
        close = [ends[end] for end in _spelt_alike(name.lower().rpartition(".")[2], words)]
    return by_lower[close[0]] if close else None


def _spelt_alike(name: str, known: Iterable[str]) -> list[str]:
    """Returns the name with the most similar spelling, or else one that begins with it: "cwnd" is not like
    "cwnd_packets".
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return close or [other for other in known if name and other.startswith(name)]


def listed(parts: Sequence[str]) -> str:
    """Returns texts as a list in words: ``a``, ``a and b`` or ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
