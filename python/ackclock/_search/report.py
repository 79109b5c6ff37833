"""The result of a search, as a scenario file and as the document of ``--json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ackclock._numbers import significant
from ackclock._overrides import merge
from ackclock._search.objectives import Objective
from ackclock._search.run import SEEDS, SearchResult
from ackclock._search.space import Space
from ackclock.evaluation.contenders import Contender
from ackclock.evaluation.run import put
from ackclock.schemas.experiment import finding_record
from ackclock.schemas.search import SearchDocument


def scenario_of(
    found: SearchResult, space: Space, tested: Contender, objective: Objective, command: str
) -> str:
    """Returns the scenario that the search found, with comments that explain it."""
    import tomli_w

    from ackclock import _toml as toml

    document = toml.loads(space.text)
    own: Mapping[str, Any] = {} if tested.classes else tested.overrides(space.tested)
    for path, value in merge(space.overrides(found.values), own).items():
        put(document, path.split("."), value)
    document["replications"] = SEEDS
    here, there = significant(found.badness, 3), significant(found.harmless, 3)
    matters = ", ".join(f"{path} = {value}" for path, value in space.overrides(found.values).items())
    comments = [
        f"Found by `{command}`.",
        f"{objective.name}: {objective.text}.",
        (
            f"Mean of the objective over {SEEDS} seeds: {here} in this scenario, "
            f"{there} in the unchanged scenario of {space.file}."
        ),
        f"Values that differ from those in {space.file}: {matters or 'none'}",
    ]
    if found.failed:
        comments.append(
            f"The control fails in {found.failed} of {SEEDS} runs of this scenario; for each failed run, the control's "
            f"value of the objective is set to 1, the worst. First failure: {found.why}"
        )
    if tested.classes:
        comments.append(
            f"The search tested {tested.name}, a control in Python. In this file, the flows under test use the control "
            f"from {space.file} instead."
        )
    return "".join(f"# {text}\n" for text in comments) + "\n" + tomli_w.dumps(document)


def as_document(found: SearchResult, space: Space, **asked: str | None) -> dict[str, Any]:
    """Returns the document of ``schemas.search.SearchDocument``. ``asked`` are its fields that say what was asked for,
    and the files that were written.
    """
    return SearchDocument.filled(
        found,
        kind="ackclock search",
        space=space.file,
        before_shrinking=found.first_badness,
        finding=finding_record(found.finding),
        why_failed=found.why or None,
        values=space.overrides(found.values),
        **asked,
    )
