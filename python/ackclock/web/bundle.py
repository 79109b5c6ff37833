"""Joins JavaScript modules into one script, because a page opened from a file cannot load modules from other files.

Each module becomes a function that is called once and returns its exports, in an order in which
everything is defined before it is used. Only the plainest forms are known, and anything else is refused::

    import { one, two as another } from "./other.js";
    export function f() {}    export async function g() {}    export class C {}    export const c = 1;
    export { one, C };

A comment has its own lines, or follows code in its line after ``//``.
"""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";?[ \t]*$', re.MULTILINE)
_DECLARED = re.compile(r"^export ((?:async )?function\*?|class|const) ([A-Za-z_$][\w$]*)", re.MULTILINE)
_LIST = re.compile(r"^export \{([^}]*)\};?[ \t]*$", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
_ENDS_SCRIPT = re.compile(r"</(?=script)|<!(?=--)", re.IGNORECASE)


class BundleError(ValueError):
    """A module cannot be put into a page. This is a defect of the package, which its tests find."""


def bundle(entry: Path) -> str:
    """Returns the script of a page whose first module is ``entry``."""
    names: dict[Path, str] = {}
    parts: list[str] = []
    _add(entry.resolve(), names, parts, ())
    script = '"use strict";\n' + _bare("\n".join(parts), entry)
    # To the HTML parser, nothing in it may look like the end of a script or like a comment.
    if found := _ENDS_SCRIPT.search(script):
        raise BundleError(f"{entry}: a script in a page cannot contain {found.group()}")
    return script


def _bare(script: str, entry: Path) -> str:
    """Returns the script without comment lines and indentation, a fifth of it, to keep the page small."""
    lines = [line.strip() for line in script.split("\n")]
    # In a text of several lines, indentation would be part of the text.
    if several := next((line for line in lines if line.count("`") % 2), None):
        raise BundleError(f"{entry}: a template literal must end on the line on which it begins: {several}")
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _add(file: Path, names: dict[Path, str], parts: list[str], on_the_way: tuple[Path, ...]) -> None:
    """Adds a module after all modules that it imports, each only once."""
    if file in names:
        return
    if file in on_the_way:
        raise BundleError(f"{file}: imports itself through {on_the_way[-1].name}")
    source = file.read_text(encoding="utf-8")
    for _, path in _IMPORT.findall(source):
        _add((file.parent / path).resolve(), names, parts, (*on_the_way, file))
    exported: list[str] = []

    def bound(match: re.Match[str]) -> str:
        pairs = (name.split(" as ") for name in _listed(match[1]))
        bindings = ", ".join(": ".join(part.strip() for part in pair) for pair in pairs)
        return f"const {{ {bindings} }} = {names[(file.parent / match[2]).resolve()]};"

    def declared(match: re.Match[str]) -> str:
        exported.append(match[2])
        return f"{match[1]} {match[2]}"

    def listed(match: re.Match[str]) -> str:
        exported.extend(_listed(match[1]))
        return ""

    body = _IMPORT.sub(bound, source)
    body = _DECLARED.sub(declared, body)
    body = _LIST.sub(listed, body)
    if other := _OTHER.search(body):
        raise BundleError(f"{file}: unsupported form of import or export: {other.group()}")
    names[file] = f"module{len(names)}"
    parts.append(f"const {names[file]} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();")


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
