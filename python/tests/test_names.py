"""The nearest right name in an error message."""

from __future__ import annotations

import pytest

from ackclock._names import nearest

METRICS = [
    "fairness",
    *(
        f"groups.{group}.{quantity}"
        for group in ("reno", "vegas")
        for quantity in ("goodput_bps", "goodput_low_bps", "rtt_mean_s", "cwnd_packets")
    ),
    "links.bottleneck.utilisation",
]


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        ("fairnes", "fairness"),
        ("groups.vegas.goodput", "groups.vegas.goodput_bps"),
        ("goodputt", "groups.reno.goodput_bps"),
        ("flows.utilization", "links.bottleneck.utilisation"),
        ("cwnd", "groups.reno.cwnd_packets"),
    ],
)
def test_a_name_is_found_by_its_spelling_or_that_of_its_last_part(found: str, meant: str) -> None:
    assert nearest(found, METRICS) == f'; did you mean "{meant}"?'


def test_nothing_is_suggested_that_is_not_alike() -> None:
    assert nearest("colour", METRICS) == ""
    assert (
        nearest("a.14", [f"figure-{chapter}.{number}" for chapter in (3, 4) for number in range(9, 15)]) == ""
    )
    assert nearest("colour", ["reno", "cubic"]) == "; available: reno, cubic"
