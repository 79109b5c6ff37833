"""What studies take where a publication is silent, and what else they try: rules that a reading has to keep to."""

from __future__ import annotations

from typing import Any

import pytest

from ackclock import _toml as toml
from ackclock import _typed_core as core
from ackclock._overrides import merge
from ackclock.study.load import LoadedStudy, load_study, study_names
from ackclock.study.plan import Plan

PARALLEL = "parallel-and-adaptive-tcp"
ERRORS = "error-discriminating-tcp"


def changes(study: str) -> list[dict[str, Any]]:
    """What each alternative of a study sets, in all of its cases together."""
    found = []
    for assumption in load_study(study).study.assumptions:
        for alternative in assumption.interpretations:
            overrides: dict[str, Any] = {}
            for change in alternative.all_changes():
                overrides = merge(overrides, change.overrides)
            found.append(overrides)
    return found


@pytest.mark.parametrize(
    ("study", "wanted"),
    [
        # Who is spared after a cut by a sibling: TCP-P at 100 and at 10 Mbit/s, and A-TCP-P.
        *[
            (f"{PARALLEL}/figure-{n}", {f"flows.{flow}.control.suppression": rule})
            for n, flow in (
                *((n, "parallel") for n in (11, 13, 14, 17)),
                *((n, "node-0") for n in (46, 49)),
            )
            for rule in ("siblings", "none")
        ],
        # ... with the threshold that Linux remembers.
        *[
            (
                f"{PARALLEL}/figure-{n}",
                {
                    "flows.node-0.transport.initial_ssthresh": "20 packets",
                    "flows.node-0.control.suppression": "siblings",
                },
            )
            for n in (46, 49)
        ],
        # The gigabit path: a slow start that ends early and 58 ms; a sender whose own interface refuses packets.
        *[
            (
                f"{PARALLEL}/figure-{n}",
                {
                    "flows.node-0.transport.initial_ssthresh": "90 packets",
                    "dumbbell.bottleneck.delay": "28.8 ms",
                },
            )
            for n in (26, 29, 44)
        ],
        *[(f"{PARALLEL}/figure-{n}", {"flows.node-0.transport.local_drop": "cwr"}) for n in (26, 29, 44)],
        # The bottleneck of Alnuem's fairness tests, and the cut that his listing repeats.
        (f"{ERRORS}/figure-6.23", {"links.bottleneck.rate": "90 Mbit/s"}),
        *[
            (f"{ERRORS}/figure-{n}", {"flows.tcp.action": {"name": "cwa", "single_cut": False}})
            for n in ("4.6", "5.5", "5.8", "6.3", "6.10", "7.1")
        ],
        ("rbcc/table-4.1", {"flows.tcp.transport.initial_window": "1 packet"}),
    ],
)
def test_a_study_tries_the_reading(study: str, wanted: dict[str, Any]) -> None:
    assert any(wanted.items() <= overrides.items() for overrides in changes(study))


@pytest.mark.parametrize("n", range(14, 19))
def test_the_dynamic_threshold_is_tried_with_a_base_round_trip_known_beforehand(n: int) -> None:
    # Six links of 10 ms, and of 1000 bytes, without a header, 8 ms, of 40 bytes 0.32 ms: 60 + 3 (8 + 0.32) = 84.96 ms.
    known = {"flows.tcp.control.rtt_min_mode": "given", "flows.tcp.control.rtt_min": "84.96 ms"}
    assert any(known.items() <= overrides.items() for overrides in changes(f"rbcc/figure-4.{n}"))


def bursts() -> list[str]:
    """Studies of Alnuem's with bursts in time; Table 5.1 has single losses, Figure 7.14 counts packets."""
    return [
        name
        for name in study_names()
        if name.startswith(f"{ERRORS}/") and 'name = "gilbert-time"' in load_study(name).scenario.text
    ]


@pytest.mark.parametrize("name", bursts())
def test_alnuems_bursts_follow_from_the_rate_at_which_packets_arrive(name: str) -> None:
    # Section 5.2.2: the number of packets over the rate at which they arrive. 4 packets of a window of 48 that comes
    # once in a round trip last for a twelfth of it; on a link too slow for such a window for as long as it takes to
    # send them.
    loaded = load_study(name)
    plan = Plan(loaded, quick=False, sensitivity=False)
    for run in plan.runs:
        overrides = plan.overrides(run)
        described = core.describe(loaded.scenario.text, loaded.scenario.file, overrides)
        links = described["network"]["links"]
        for flow in described["flows"]:
            path = flow["paths"][0] if flow["paths"] else {"forward": [], "backward": []}
            lossy = [links[i] for i in path["forward"] if links[i]["loss"] is not None]
            for link in lossy:
                bad = overrides.get(
                    f"links.{link['name']}.loss.bad", loss_of(loaded, overrides, link["name"]).get("bad")
                )
                if bad is None:
                    continue  # losses one by one
                round_trip_s = sum(links[i]["delay_s"] for i in (*path["forward"], *path["backward"]))
                slowest_bps = min(links[i]["rate_bps"] for i in path["forward"])
                took_s = max(round_trip_s / 12, 4 * 8 * 1064 / slowest_bps)
                number, unit = bad.split()
                assert unit == "ms"
                assert float(number) / 1000 == pytest.approx(took_s, rel=0.01), run.name


def loss_of(loaded: LoadedStudy, overrides: dict[str, Any], link: str) -> dict[str, Any]:
    """The losses of a link as the study has them; on a dumbbell those of the last links."""
    scenario = toml.loads(loaded.scenario.text)
    named = [one["loss"] for one in scenario.get("links", []) if one["name"] == link]
    loss: dict[str, Any] = (
        overrides.get(f"links.{link}.loss") or (named or [scenario["dumbbell"]["right"]["loss"]])[0]
    )
    return loss


@pytest.mark.parametrize(
    ("study", "claims"),
    [
        (
            f"{ERRORS}/figure-6.20",
            ["18", "18-spike", "18-spike-nr", "19-queue", "19-queue-spike", "19-delay", "19-delay-spike"],
        ),
        (f"{ERRORS}/figure-5.5", ["7-peak", "7-mean"]),
        (f"{ERRORS}/figure-6.3", ["9-peak"]),
        (f"{PARALLEL}/figure-49", ["34", "49-tcp-p"]),
        (f"{PARALLEL}/table-i", ["6-reno", "6-ecn"]),
    ],
)
def test_a_test_that_was_changed_when_results_were_known_says_so(study: str, claims: list[str]) -> None:
    written = {claim.id: claim.written for claim in load_study(study).study.claims}
    assert all("after" in written[id] for id in claims)


def test_a_study_that_repeats_runs_has_runs_of_the_other() -> None:
    def runs(study: LoadedStudy) -> set[str]:
        plan = Plan(study, quick=False, sensitivity=False)
        plan.check()
        return {planned.job.key(series=False) for planned in plan.every_run(1)}

    for study in map(load_study, study_names()):
        repeated = study.study.source.repeats
        assert not repeated or runs(study) & runs(load_study(repeated)), (
            f"{study.name} repeats no run of {repeated}"
        )
