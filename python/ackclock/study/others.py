"""References to other studies of the package that count the same claims or numbers, or have the same runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ackclock._files import is_there, read_text
from ackclock._names import nearest
from ackclock.study.document import read_document, studies_dir
from ackclock.study.model import Study


def wrong_references(study: Study) -> Iterator[str]:
    """Yields the problems of ``same_as``, ``repeats`` and ``numbers_of``: messages that begin with their place."""
    for claim in study.claims:
        if claim.holds_whatever and not lost_with(study):
            yield f'claim "{claim.id}": holds_whatever: leave this key out, because no part of the set-up is unknown'
        other = claim.elsewhere()
        if other is None:
            continue
        place = f'claim "{claim.id}": same_as'
        document = _of_package(other.study)
        if document is None:
            yield f"{place}: {_no_study(other.study)}"
            continue
        there = {str(one.get("id")): one for one in document.get("claims", [])}
        if other.claim not in there:
            yield f'{place}: {other.study} has no claim "{other.claim}"{nearest(other.claim, there)}'
        elif any(key in there[other.claim] for key in ("not_a_test", "same_as")):
            yield (
                f"{place}: claim {other.claim} of {other.study} has not_a_test or same_as, so it has no verdict: "
                "name a claim that is tested"
            )
    if study.source.repeats:
        document = _of_package(study.source.repeats)
        if document is None:
            yield f"source.repeats: {_no_study(study.source.repeats)}"
        elif document["source"].get("repeats"):
            repeated = document["source"]["repeats"]
            yield f"source.repeats: {study.source.repeats} itself repeats {repeated}: name {repeated} instead"
    if study.source.numbers_of:
        yield from _wrong_numbers(study, study.source.numbers_of)


def _wrong_numbers(study: Study, name: str) -> Iterator[str]:
    """Yields the problem with ``numbers_of``: ``name`` is no study, or has no printed number of this one."""
    document = _of_package(name)
    if document is None:
        yield f"source.numbers_of: {_no_study(name)}"
        return
    there = {(one["id"], number) for one in document["metrics"] for number in one.get("paper", {}).values()}
    if there.isdisjoint((one.id, number) for one in study.metrics for number in one.paper.values()):
        yield (
            f"source.numbers_of: study {name} has none of the published numbers of this study (`paper` of its "
            "metrics): name a study that has some of them"
        )


def lost_with(study: Study) -> str:
    """Returns the unknown part of the set-up, also if only the study whose runs it repeats states it; empty if
    everything is known.
    """
    if study.source.setup_unknown or not study.source.repeats:
        return study.source.setup_unknown
    document = _of_package(study.source.repeats)
    return "" if document is None else str(document["source"].get("setup_unknown", ""))


def _no_study(name: str) -> str:
    known = [path.relative_to(studies_dir()).as_posix() for path in studies_dir().glob("*/*.toml")]
    return f'there is no study "{name}" in the package{nearest(name, [one.removesuffix(".toml") for one in known])}'


@cache
def _of_package(name: str) -> Mapping[str, Any] | None:
    """Returns the study's document with its base and with its grids written out; None if there is no such study."""
    path = studies_dir() / f"{name}.toml"
    if name.endswith(".base") or not is_there(path):
        return None
    return read_document(read_text(path), path.as_posix()).whole
