"""What stands first on a report: sentences that count, and the findings that matter most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ackclock.report import outcome, render_page
from ackclock.report.index_page import render_index
from ackclock.study.model import Verdict
from ackclock.study.result import ClaimResult, StudyResult

from .document import Document
from .synthetic import table_study


def claim(verdict: Verdict, **changes: Any) -> ClaimResult:
    one = ClaimResult(
        id="1",
        text="Alpha loses less",
        paper=None,
        measured=4.0,
        interval=(3.0, 5.0),
        verdict=verdict,
        detail="",
        finding="Because.",
        accepted=(None, 1.0),
    )
    return replace(one, **changes)


def study(*claims: ClaimResult, asked_by: str = "thesis", quick: bool = False) -> StudyResult:
    base = table_study()
    claims = tuple(replace(one, ours=asked_by == "us") for one in claims)
    return replace(base, claims=claims, quick=quick, source=replace(base.source, asked_by=asked_by))


def test_a_sentence_counts_the_claims_of_each_kind() -> None:
    thesis = study(
        *[claim("as printed")] * 3,
        claim("not as printed"),
        claim("undecided"),
        claim("undecided"),
        claim("as printed", baselines=True),
    )
    ours = study(claim("yes"), claim("no"), claim("no"), asked_by="us")
    assert outcome.sentences([thesis, ours]) == [
        "Of 6 claims about the proposed systems, 3 are as printed; 1 not as printed and 2 undecided.",
        "The one claim about baselines alone is as printed.",
        "Of 3 new questions, 1 is answered yes; 2 answered no.",
    ]
    assert outcome.sentences([study(claim("yes"), claim("yes"), asked_by="us")]) == [
        "Both new questions are answered yes."
    ]
    assert outcome.sentences([study(claim("undecided"), claim("undecided"))]) == [
        "Of 2 claims about the proposed systems, none is as printed; 2 undecided."
    ]
    assert outcome.sentences([study()]) == []
    assert outcome.sentences([study(claim("as printed"), claim("not a test"))]) == [
        "The one claim about the proposed systems is as printed. 1 more is shown and not tested."
    ]
    assert outcome.sentences([study(claim("not a test"), claim("not a test"))]) == [
        "2 claims about the proposed systems are shown and not tested."
    ]


@pytest.mark.parametrize(
    ("measured", "accepted", "gap"),
    [
        (4.0, (None, 1.0), 0.6),  # 3 of 5
        (1.0, (3.0, 5.0), 0.5),  # 2 of 4
        (4.0, (3.0, 5.0), 0.0),
        (-1.0, (0.0, None), 1.0),
        (4.0, None, 0.0),
        (None, (3.0, 5.0), 0.0),
    ],
)
def test_how_far_a_claim_is_from_what_is_accepted(
    measured: float | None, accepted: tuple[float | None, float | None] | None, gap: float
) -> None:
    assert outcome.gap(claim("not as printed", measured=measured, accepted=accepted)) == pytest.approx(gap)


def test_the_farthest_miss_about_what_is_proposed_is_first() -> None:
    claims = [
        claim("right order, other size", id="direction", measured=100.0),
        claim("not as printed", id="near", measured=2.0),
        claim("not as printed", id="far", measured=20.0),
        claim("not as printed", id="baselines", measured=90.0, baselines=True),
        claim("not as printed", id="unexplained", finding=None),
        claim("as printed", id="as printed"),
    ]
    found = outcome.highlights([study(*claims)], 5)
    assert [one.claim.id for one in found] == ["far", "unexplained", "near", "direction", "baselines"]
    assert [one.number for one in found] == [3, 5, 2, 1, 4]
    assert len(outcome.highlights([study(*claims)], 2)) == 2
    assert outcome.highlights([study(*claims, asked_by="us")], 4) == []
    several = [study(*claims), replace(study(claims[1]), name="other")]
    assert [(one.result.name, one.claim.id) for one in outcome.highlights(several, 4)] == [
        (several[0].name, "far"),
        ("other", "near"),
    ]


def test_every_page_says_what_came_out_and_whether_the_run_was_quick() -> None:
    full, quick = study(claim("not as printed")), study(claim("not as printed"), quick=True)
    for one in (full, quick):
        pages = [
            render_page(one, "x"),
            render_index(
                [one, replace(one, name="other")],
                "x",
                pages={one.name: "a.html", "other": "b.html"},
                indexes={},
            ),
        ]
        for text, href in zip(pages, ("#study-claim-1", "a.html#study-claim-1"), strict=True):
            page = Document(text)
            assert any(said.startswith(("Of ", "The one")) for said in page.all("p", "lead"))
            assert href in text
            assert sum(said.startswith("Quick run: fewer") for said in page.all("p", "notice")) == one.quick
    both = outcome.quick_notice([full, quick])
    assert both.startswith("Quick run (1 of 2 studies): fewer")


def test_questions_of_our_own_are_no_published_experiments() -> None:
    ours, theirs = study(asked_by="us"), study()
    assert outcome.subject([theirs, ours, ours]) == ("1 published experiment and 2 studies of new questions.")
    assert outcome.subject([theirs, theirs]) == "2 published experiments."
    assert outcome.subject([ours]) == "1 study of new questions."


def test_yes_and_no_carry_their_question() -> None:
    asked = study(claim("yes"), claim("yes"), claim("no"), claim("undecided"), asked_by="us")
    assert outcome.questions([asked]) == {"yes": "to new questions", "no": asked.claims[2].text}
    assert outcome.questions([study(claim("as printed"))]) == {}
    page = render_page(asked, "ackclock reproduce asked")
    assert f"no <small>{asked.claims[2].text}</small>" in page
