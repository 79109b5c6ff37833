"""What of an evaluation depends on the transport and the kind of control: marks, recovery, paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import EVALUATED, Command

from ackclock import _toml as toml
from ackclock.errors import InputError
from ackclock.evaluation import contenders, files, run
from ackclock.evaluation.words import EXEMPT, NO_LIMIT, NOT_EVALUATED, OK


def planned(name: str, transport: dict[str, Any] | None = None) -> run.Plan:
    more = {} if transport is None else {"transport": transport}
    cubic = contenders.contender("cubic", more)
    return run.Plan(cubic, [cubic], [files.load(name)], quick=True, seeds=2)


def test_marks_are_asked_for_without_being_told() -> None:
    # A tunnel is about marks, and a queue that marks is asked for both.
    for name, marked in (("N-11", [True, True]), ("N-14", [True, False])):
        plan = planned(name)
        found = {one.job.overrides.get("flows.tested.transport.ecn", False) for one in plan.runs}
        assert sorted(found, reverse=True) == sorted(set(marked), reverse=True)
        assert plan.left_out == {}


def test_a_transport_without_marks_is_said_not_to_be_evaluated_with_them() -> None:
    for transport in ({"name": "sctp"}, {"name": "rfc", "ecn": False}):
        plan = planned("N-11", transport)
        assert plan.runs == []
        (tunnel,) = run.evaluate(plan).asked
        assert (tunnel.verdict, tunnel.sentence) == (
            NOT_EVALUATED,
            "It is not evaluated with ECN marks, because the transport does not use ECN.",
        )


def test_a_transport_leaves_what_the_scenario_says_of_it() -> None:
    marked = {"transport": {"name": "linux", "ecn": True}}
    plan = run.Plan(
        contenders.contender("cubic", marked),
        [contenders.contender("cubic", marked)],
        [files.load("N-25")],
        quick=True,
        seeds=1,
    )
    small = next(one for one in plan.runs if one.uses[0].setting == 1)
    transport = {key: value for key, value in small.job.overrides.items() if ".transport." in key}
    assert transport == {
        "flows.tested.transport.packet": "460 B",
        "flows.tested.transport.name": "linux",
        "flows.tested.transport.recovery": "rack",
        "flows.tested.transport.ecn": True,
    }


def test_all_flows_over_tcp_recover_from_losses_alike() -> None:
    for name in files.names():
        loaded = files.load(name)
        for setting in loaded.about.settings(quick=False):
            document = toml.loads(run.scenario_of(loaded, setting, contenders.contender("newreno")))
            for flow in document["flows"]:
                transport = flow.get("transport")
                named = transport["name"] if isinstance(transport, dict) else transport
                if "control" not in flow or named in ("quic", "rtp"):
                    continue
                assert flow["transport"]["recovery"] == "rack", (name, setting.name, flow["name"])


def test_a_control_that_detects_losses_itself_says_so(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    out = ackclock("evaluate", "vegas", "--only", "small.toml", "--seeds", "2").out
    assert "vegas uses the loss recovery vegas, not rack" in out
    assert (
        contenders.contender("bbrv3").recovery
        == contenders.contender('{ name = "cubic", beta = 0.8 }').recovery
        == "rack"
    )
    assert contenders.contender("cubic", {"transport": {"name": "quic"}}).recovery == "quic"
    # What is asked for, and what a scenario of one's own says, stays.
    assert (
        contenders.contender("cubic", {"transport": {"name": "rfc", "recovery": "sack"}}).recovery == "sack"
    )
    own = files.parse(EVALUATED + 'transport = { name = "rfc", recovery = "newreno" }\n', "small").about
    assert contenders.contender("cubic").seated(own) == {"flows.tested.control": "cubic"}
    assert contenders.contender("cubic").seated(files.parse(EVALUATED, "small").about) == {
        "flows.tested.control": "cubic",
        "flows.tested.transport.name": "rfc",
        "flows.tested.transport.recovery": "rack",
    }


def test_what_cannot_answer_the_section_is_without_a_limit() -> None:
    text = EVALUATED.replace('summary = "A small', 'partial = "the queue is short"\nsummary = "A small')
    found = []
    for one in (EVALUATED, text):
        plan = run.Plan(
            contenders.contender("cubic"),
            [contenders.contender("cubic")],
            [files.parse(one, "small")],
            quick=True,
            seeds=2,
        )
        found.append(run.evaluate(plan).family("N-02"))
    assert [one.verdict for one in found] == [OK, NO_LIMIT]
    assert found[1].sentence == "1 condition met in 1 setting, but the queue is short."


def test_a_control_of_one_path_is_exempt_from_those_of_several() -> None:
    verdicts = []
    for name in ("cubic", "lia"):
        plan = run.Plan(
            contenders.contender(name),
            [contenders.contender("cubic")],
            [files.parse(EVALUATED, "small")],
            quick=True,
            seeds=1,
        )
        verdicts.append(run.evaluate(plan).family("N-23").verdict)
    assert verdicts == [EXEMPT, NOT_EVALUATED]


def test_a_scenario_that_cannot_have_a_transport_is_left_out() -> None:
    quic = {"transport": {"name": "quic"}}
    of_tcp = files.parse(EVALUATED + 'transport = { name = "rfc", min_rto = "1 s" }\n', "N-02-tcp")
    chosen = [files.load("N-24"), files.parse(EVALUATED, "small"), of_tcp]
    plan = run.Plan(
        contenders.contender("cubic", quic),
        [contenders.contender("cubic", quic)],
        chosen,
        quick=True,
        seeds=2,
    )
    assert list(plan.refused) == ["N-24", "N-02-tcp"]
    found = run.evaluate(plan)
    assert [one.family.id for one in found.asked] == ["N-02", "N-24"]
    assert found.family("N-02").verdict == OK
    assert found.family("N-02").lacks == ["N-02-tcp was left out, because it cannot run over this transport."]
    assert found.family("N-24").verdict == NOT_EVALUATED
    assert "found the key `min_rto`" in found.family("N-24").sentence


def test_a_control_that_counts_marks_is_told_how_to_get_them(ackclock: Command, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(EVALUATED)
    told = ackclock("evaluate", "dctcp", "--only", "small.toml", "--seeds", "2").err
    assert """`--transport '{ name = "rfc", ecn = true }'` enables ECN""" in told
    marked = ("--transport", '{ name = "rfc", ecn = true }')
    assert ackclock("evaluate", "dctcp", "--only", "small.toml", "--seeds", "2", *marked).err == ""


def test_a_control_of_a_stack_names_the_transport_that_it_needs() -> None:
    for more in ({}, {"transport": {"name": "quic"}}):
        with pytest.raises(
            InputError, match=r"the control noq:cubic is part of the stack noq .*add `--transport noq`"
        ):
            contenders.contender("noq:cubic", more)
    over = contenders.contender("noq:cubic", {"transport": {"name": "noq"}})
    assert over.keys == {"control": "noq:cubic", "transport": {"name": "noq"}}
