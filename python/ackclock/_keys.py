"""The keys of the scenario language in words: what may be written for a key, and what holds without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any


def written(key: Mapping[str, Any], linked: Callable[[str, str], str]) -> str:
    """Returns what may be written for a key. ``linked`` adds to words the table or kind that they name."""
    opened = [linked("a table", name) for name in key["opens"]]
    listed = [linked("a list of tables", name) for name in key["lists"]]
    named = [f"{linked('a name', kind)}, or a table with the name and parameters" for kind in key["names"]]
    # Words are shown as code, as they are written.
    plain = [re.sub(r'"[^"]+"', r"`\g<0>`", words) for words in key["written"]]
    ways = "; ".join([*plain, *named, *opened, *listed])
    example = key["example"]
    is_plain = key["written"][:1] == ["true or false"] or '"' in "".join(key["written"])
    return ways if not example or example == key["default"] or is_plain else f"{ways}; such as `{example}`"


def without(key: Mapping[str, Any], of: Mapping[str, Any]) -> str:
    """Returns what holds where a key of the table ``of`` is not given, and what it needs beside it."""
    sets = [keys for keys in of["one_of"] if key["name"] in keys]
    needs = [f"needs {' and '.join(f'`{name}`' for name in key['needs'])}"] if key["needs"] else []
    if key["required"]:
        held = "required"
    elif sets:
        ways = [" and ".join(f"`{name}`" for name in keys) for keys in of["one_of"]]
        held = f"required: {', or '.join(ways)}"
    elif key["default"]:
        held = f"`{key['default']}`"
    else:
        held = key["otherwise"] or "none"
    return "; ".join([held, *needs])
