"""What claims of the package's studies may not do, with lists of those that still do. The lists only get shorter."""

from __future__ import annotations

from pathlib import Path

import pytest

from ackclock.study.claim import Claim
from ackclock.study.extremes import extremes_judged
from ackclock.study.load import load_study, study_names

LISTS = Path(__file__).parent / "lists"


def listed(name: str) -> set[str]:
    """The claims in a list, each as ``THESIS/STUDY CLAIM``."""
    lines = (LISTS / name).read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def check(name: str, found: set[str], remedy: str) -> None:
    """Compare what was found with a list: nothing may be new, and what was mended leaves the list."""
    known = listed(name)
    new, mended = sorted(found - known), sorted(known - found)
    assert not new, f"{remedy}:\n" + "\n".join(new)
    assert not mended, f"mended; take these lines out of python/tests/lists/{name}:\n" + "\n".join(mended)


def claim(**keys: object) -> Claim:
    return Claim.model_validate({"id": "1", "text": "text", **keys})


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"measured": "min(x('a'), x('b')) - x('c')", "expect": "> 0"}, {"min"}),
        ({"measured": "100 * max(abs(x('a[*]') - x('b[*]')))", "paper": 0, "tolerance": "5"}, {"abs", "max"}),
        ({"measured": "x('a')", "direction": "x('a') < min(x('b'), x('c'))"}, {"min"}),
        # Shown, not judged.
        ({"measured": "min(x('a'), x('b'))", "direction": "x('a') > 1 and x('b') > 1"}, set()),
        ({"measured": "cross_fitted_max(x('a'), x('b'))", "expect": "> 0"}, set()),
        ({"measured": "x('a') - max(1, 2)", "expect": "> 0"}, set()),
        (
            {
                "measured": "min(x('a[*]'))",
                "expect": "> 0",
                "within_replication": "the thesis prints one run's",
            },
            set(),
        ),
    ],
)
def test_extremes_of_single_runs_are_found(keys: dict[str, object], expected: set[str]) -> None:
    assert extremes_judged(claim(**keys)) == expected


def test_no_new_claim_judges_extremes_of_single_runs() -> None:
    found = {
        f"{name} {claim.id}"
        for name in study_names()
        for claim in load_study(name).study.claims
        if extremes_judged(claim)
    }
    check(
        "extremes.txt",
        found,
        "these judge abs, min or max inside a replication, which is noise where the sentence is of an order: compare "
        "each pair in the direction, or say in `within_replication` why the sentence speaks of single runs",
    )


def test_a_reason_is_given_only_where_it_is_needed() -> None:
    unneeded = [
        f"{name} {claim.id}"
        for name in study_names()
        for claim in load_study(name).study.claims
        if claim.within_replication
        and not extremes_judged(claim.model_copy(update={"within_replication": ""}))
    ]
    assert not unneeded
