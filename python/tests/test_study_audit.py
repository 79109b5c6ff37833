"""What claims of the package's studies may not do, with lists of those that still do. The lists only get shorter."""

from __future__ import annotations

from pathlib import Path

import pytest
from extremes import extremes_judged

from ackclock.experiment.expression import Expression
from ackclock.study.claim import Claim
from ackclock.study.effect import cases_named
from ackclock.study.load import LoadedStudy, load_study, study_names
from ackclock.study.rivals import rivals

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


def alone(loaded: LoadedStudy) -> list[Claim]:
    """The thesis's claims about one case of it, with a test that a denial could pass as well."""
    baselines = set(rivals(loaded.study, loaded.thesis))
    if loaded.study.source.asked_by == "us" or not loaded.thesis.systems:
        return []
    found = []
    for claim in loaded.study.claims:
        named = cases_named(
            [Expression(text) for text in (claim.measured, claim.direction) if text is not None]
        )
        if (
            len(named) == 1
            and not named & baselines
            and (claim.tolerance is not None or claim.expect is not None)
        ):
            found.append(claim)
    return found


def test_no_new_claim_about_one_case_is_without_an_alternative() -> None:
    found = {
        f"{name} {claim.id}"
        for name in study_names()
        for claim in alone(load_study(name))
        if claim.alternative is None
    }
    check(
        "no-alternative.txt",
        found,
        "these are about one case and do not say what would be measured if they were false: give the nearest published "
        "denial, or what an effect that does not matter would be, as `alternative`",
    )


def test_no_new_study_with_claims_about_one_case_is_without_rivals() -> None:
    found = {
        name
        for name in study_names()
        if alone(loaded := load_study(name)) and not rivals(loaded.study, loaded.thesis)
    }
    check(
        "no-rivals.txt",
        found,
        "these have claims about one case and no case without a system of the thesis that could pass them as well: add "
        "one, such as the scheme that the thesis compares with",
    )


def test_a_control_that_is_displayed_only_is_a_rival() -> None:
    # Cho's standard flow whose strength is computed and not used (figure 27).
    for name, expected in (("figure-32", ["sack"]), ("figure-34", ["sack"])):
        loaded = load_study(f"parallel-and-adaptive-tcp/{name}")
        assert rivals(loaded.study, loaded.thesis) == expected
    # Figure 27 is of nothing but that display.
    loaded = load_study("parallel-and-adaptive-tcp/figure-27")
    assert rivals(loaded.study, loaded.thesis) == []
