"""The part of the documentation on what `ackclock check-stack` finds in stacks, from the records of
scripts/record-stack-checks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ackclock import _toml as toml

FOLDER = Path(__file__).resolve().parents[1] / "reference" / "stack-checks"


def drills() -> str:
    """Returns every drill with its clause, a line each."""
    from ackclock.drills.check import DRILLS

    lines = ["| drill | clause | what the clause demands | laws |", "| --- | --- | --- | --- |"]
    for one in DRILLS:
        laws = ", ".join(sorted(one.laws)) if one.laws else "all"
        lines.append(f"| `{one.id}` | {one.clause} ({one.force}) | {one.demand} | {laws} |")
    return "\n".join(lines)


def counts() -> str:
    """Returns the number of drills, and that of those which can be seen from outside."""
    from ackclock.drills.bbr import HIDDEN
    from ackclock.drills.check import DRILLS

    hidden = [one for one in DRILLS if one.demand == HIDDEN]
    return (
        f"{len(DRILLS)} drills; {len(hidden)} of them are cases of the BBR draft that these tests cannot show from "
        "outside a control."
    )


def table() -> str:
    """Returns a row for each control: the counts of its results, and what it violates."""
    lines = [
        "| control | version | as demanded | violated | absent | cannot be seen | what is violated |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for made in documents():
        count = Counter(one["result"] for one in made["results"])
        words = [str(count[word]) for word in ("as demanded", "violated", "absent", "cannot be seen")]
        violated = ", ".join(f"`{id}`" for id in made["violated"]) or "nothing"
        lines.append(f"| {made['control']} | {made['version']} | {' | '.join(words)} | {violated} |")
    return "\n".join(lines)


def causes() -> str:
    """Returns each violation with what was measured and the cause in the stack's source. ValueError for a violation
    without a cause, and for a cause without a violation.
    """
    known = toml.loads((FOLDER / "causes.toml").read_text(encoding="utf-8"))["cause"]
    found = {(made["control"], one["id"]): one for made in documents() for one in made["results"]}
    lines = ["| control | drill | measured | cause |", "| --- | --- | --- | --- |"]
    for cause in known:
        for control in cause["controls"]:
            result = found.get((control, cause["drill"]))
            if result is None or result["result"] != "violated":
                raise ValueError(f"causes.toml: {control} does not violate {cause['drill']}")
            lines.append(f"| {control} | `{cause['drill']}` | {result['text']} | {cause['why']} |")
    traced = {(control, cause["drill"]) for cause in known for control in cause["controls"]}
    for made in documents():
        for id in made["violated"]:
            if (made["control"], id) not in traced:
                raise ValueError(f"causes.toml: no cause why {made['control']} violates {id}")
    return "\n".join(lines)


def documents() -> Iterator[dict[str, Any]]:
    """Yields the record of each control, stack by stack."""
    for path in sorted(FOLDER.glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))


def generated(what: str) -> str:
    """Returns a part: drills, counts, table or causes."""
    return {"drills": drills, "counts": counts, "table": table, "causes": causes}[what]()
