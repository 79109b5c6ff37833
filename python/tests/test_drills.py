"""Drills: a stack that keeps the standards violates none, and each drill is violated by a stack with one fault."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from xml.etree import ElementTree

import pytest

from ackclock._stacks import Stack, stacks
from ackclock.drills.bbr import HIDDEN
from ackclock.drills.check import DRILLS, check, target
from ackclock.drills.drill import Outcome, conduct, law_of
from ackclock.drills.record import CannotTell
from ackclock.drills.script import DATAGRAM, RTT_S, Script, drop
from ackclock.drills.timeline import SAMPLES, interval, timeline
from ackclock.errors import InputError

from .conftest import Command
from .libraries import TOY, compiled

HIDDEN = {one.id for one in DRILLS if one.id.startswith("bbr-case") and one.demand == HIDDEN}
"""The cases of the BBR draft that cannot be seen from outside."""


def ends_at(rise_ns: int) -> str:
    """Returns code that ends slow start when the round trip has grown by a time."""
    grown = f"if (end->least && rtt > end->least + {rise_ns} && end->threshold > 1e17)"
    return grown + " { end->threshold = end->window; } end->least = !end->least"


FAULTS: dict[str, tuple[str, list[tuple[str, str]], set[str]]] = {
    # name: (control, what is replaced in the toy, the drills that it violates at least)
    "no reduction at persistent congestion": (
        "newreno",
        [("end->window = 2, end->restarts = 1, end->reduced_at = end->next;", ";")],
        {"persistent-congestion"},
    ),
    "persistent congestion at any loss": (
        "newreno",
        [("probes >= 3 &&", "end->lost > 1 &&")],
        {"no-persistent-congestion"},
    ),
    "growth while the application limits": (
        "newreno",
        [("if (limited) {", "if (0 && limited) {")],
        {"limited-in-slow-start", "limited-in-avoidance"},
    ),
    "no backoff of the probe timeout": (
        "newreno",
        [("end->backoff += end->backoff < 6", "end->backoff += 0")],
        {"probe-backoff"},
    ),
    "a backoff that does not end": (
        "newreno",
        [("end->flight--, end->backoff = 0;", "end->flight--;")],
        {"probe-backoff-ends"},
    ),
    "a probe timeout of half a round trip": (
        "newreno",
        [("end->srtt + 4 * end->rttvar + 25000000", "end->srtt / 2")],
        {"probe"},
    ),
    "four datagrams a probe": (
        "newreno",
        [
            ("end->probe = end->oldest < end->next;", "end->probe = 4 * (end->oldest < end->next);"),
            ("    end->probe = 0;\n", "    if (end->probe) end->probe--;\n"),
        ],
        {"probe-count"},
    ),
    "a probe that waits for the window": (
        "newreno",
        [("if (end->probe) {\n", "if (end->probe && end->flight < (uint64_t)end->window) {\n")],
        {"probe-despite-window"},
    ),
    "a timeout that declares losses": (
        "newreno",
        [
            (
                "end->probe = end->oldest < end->next;",
                "if (end->oldest < end->next) lose(end, &end->packets[end->oldest % RING]);",
            )
        ],
        {"probe-declares-nothing"},
    ),
    "a packet threshold of one": ("newreno", [("THRESHOLD = 3", "THRESHOLD = 1")], {"packet-threshold"}),
    "a packet threshold of twelve": (
        "newreno",
        [("THRESHOLD = 3", "THRESHOLD = 12")],
        {"packet-threshold-of-three"},
    ),
    "a time threshold of two round trips": (
        "newreno",
        [("wait = end->srtt + end->srtt / 8", "wait = 2 * end->srtt")],
        {"time-threshold"},
    ),
    "an initial window of 32": ("newreno", [("end->window = 10,", "end->window = 32,")], {"initial-window"}),
    "two datagrams more for each acknowledged one": (
        "newreno",
        [("{ end->window++; return; }", "{ end->window += 2; return; }")],
        {"slow-start"},
    ),
    "a loss that reduces nothing": (
        "newreno",
        [("lose(end, packet), reduce(end, number, now);", "lose(end, packet);")],
        {"loss-reduces-reno", "one-reduction", "two-reductions", "backs-off"},
    ),
    "a reduction for each loss": (
        "newreno",
        [("if (number < end->reduced_at || end->threshold < 0) return;", "if (end->threshold < 0) return;")],
        {"one-reduction", "one-reduction-for-marks"},
    ),
    "a recovery that never ends": (
        "newreno",
        [
            (
                "end->reduced_at = end->next, end->reductions++;",
                "end->reduced_at = end->next + 5000, end->reductions++;",
            )
        ],
        {"two-reductions"},
    ),
    "marks that reduce nothing": (
        "newreno",
        [("end->marks_seen = marks, reduce(end, largest, now);", "end->marks_seen = marks;")],
        {"mark-reduces"},
    ),
    "marks that are never validated": (
        "newreno",
        [("if (largest > 20 && !marks && !capable) end->is_blind = 1;", "")],
        {"validates-marks"},
    ),
    "bursts of hundreds": (
        "newreno",
        [("10 * gap", "500 * gap")],
        {"burst-after-a-pause", "burst-after-silence"},
    ),
    "a window of less than two": ("newreno", [("left < 2 ? 2 : left", "left")], {"least-window"}),
    "data that is lost for ever": (
        "newreno",
        [
            (
                "if (end->ring[packet->chunk % RING].fate == SENT) end->ring[packet->chunk % RING].fate = LOST;",
                "",
            )
        ],
        {"delivers"},
    ),
    "slow start that ends by a millisecond": (
        "newreno",
        [
            (
                "end->least = !end->least",
                ends_at(1_000_000),
            )
        ],
        {"slow-start-under-jitter"},
    ),
    "an acknowledgement for eight": (
        "newreno",
        [("end->owes = 1, end->marks +=", "end->owes = number % 8 == 0, end->marks +=")],
        {"ack-every-two", "ack-in-time", "ack-of-a-gap", "ack-of-a-mark"},
    ),
    "a round trip that begins with 333 ms": (
        "newreno",
        [
            (
                "end->srtt = end->least = now - end->last,",
                "end->least = now - end->last, end->srtt = 3330000000,",
            )
        ],
        {"rtt-first"},
    ),
    "the last round trip as the least": (
        "newreno",
        [("end->least = !end->least || rtt < end->least ? rtt : end->least;", "end->least = rtt;")],
        {"rtt-least"},
    ),
    "half of a sample": (
        "newreno",
        [("(7 * end->srtt + rtt) / 8 : rtt", "(end->srtt + rtt) / 2 : rtt")],
        {"rtt-smooth"},
    ),
    "0.9 of the window": (
        "cubic",
        [("end->cubic ? 0.7 : 0.5", "end->cubic ? 0.9 : 0.5")],
        {"loss-reduces-cubic", "cubic-beta"},
    ),
    "C of 1.6 for growth": (
        "cubic",
        [("0.4 * (t -", "1.6 * (t -"), ("0.4 * (ahead -", "1.6 * (ahead -")],
        {"cubic-convex"},
    ),
    "C of 0.1 for K": ("cubic", [("end->window) / 0.4)", "end->window) / 0.1)")], {"cubic-plateau"}),
    "a straight line": (
        "cubic",
        [("    else if (target > end->window) end->window += (target - end->window) / end->window;", "")],
        {"cubic-concave"},
    ),
    "no clamp": (
        "cubic",
        [("target = target > 1.5 * end->window ? 1.5 * end->window : target;", "")],
        {"cubic-clamp"},
    ),
    "no Reno-friendly region": (
        "cubic",
        [("if (there < end->w_est) {", "if (0) {")],
        {"cubic-reno-friendly"},
    ),
    "alpha that stays 0.53": ("cubic", [("9.0 / 17 : 1)", "9.0 / 17 : 9.0 / 17)")], {"cubic-alpha-one"}),
    "no fast convergence": ("cubic", [("end->window * 0.85", "end->window")], {"cubic-fast-convergence"}),
    "K that stays after slow start": (
        "cubic",
        [("if (end->restarts) end->restarts = 0,", "if (0) end->restarts = 0,")],
        {"cubic-after-a-timeout"},
    ),
    "idle time that counts": (
        "cubic",
        [("end->epoch += now - end->idle_at", "end->epoch += 0")],
        {"cubic-after-idle"},
    ),
}
NO_BBR = {
    # a control that is no BBR, its first window, and the cases that it violates
    ("fixed", 10): {1, 7, 10, 12, 15, 18, 19},
    ("fixed", 500): {11},
    ("fixed", 2): {14},
    ("newreno", 10): {1, 3, 10, 16},
}


@cache
def toy(*replaced: tuple[str, str]) -> Stack:
    """Returns the toy stack in which texts are replaced."""
    code = TOY.read_text(encoding="utf-8")
    for old, new in replaced:
        assert old in code, old
        code = code.replace(old, new)
    (stack,) = stacks([compiled(Path(mkdtemp()), "toy", code)])
    return stack


def found(stack: Stack, control: str, *only: str, law: str | None = None) -> dict[str, Outcome]:
    """Returns the outcomes of drills by their ids."""
    report = check(target(stack, control, law), only=only, paths=False)
    return {one.drill.id: one for one in report.outcomes}


@pytest.mark.parametrize("control", ["newreno", "cubic"])
def test_a_stack_that_keeps_the_standards_violates_nothing(control: str) -> None:
    outcomes = found(toy(), control)
    others = {id: one.text for id, one in outcomes.items() if one.word != "as demanded"}
    assert set(others) == {"slow-start-ends-by-delay"}, others
    assert len(outcomes) >= 30


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_violates_its_drills(fault: str) -> None:
    control, replaced, expected = FAULTS[fault]
    outcomes = found(toy(*replaced), control, *expected)
    assert {id: one.word for id, one in outcomes.items()} == dict.fromkeys(expected, "VIOLATED")
    assert all(one.timeline for one in outcomes.values())


def test_a_violation_of_an_interval_shows_the_window_from_its_beginning_to_its_end() -> None:
    # The window grows by half a datagram each 50 ms, from 10 datagrams at 0 s; a sample falls between two events.
    at = [0.05 * place for place in range(41)]
    columns: dict[str, list[int | None]] = {
        "window": [12_000 + 600 * place for place in range(41)],
        "lost": [0] * 20 + [3] * 21,
    }
    heading, *samples, last = interval(at, columns, 0.4, 1.22)
    assert (heading[-1], last) == (":", "last events of the interval:")
    assert len(samples) == SAMPLES
    assert samples[0] == "   0.4000 s  window 16,800 (14.0 datagrams); lost 0"
    assert samples[-1] == "   1.2200 s  window 26,400 (22.0 datagrams); lost 3"
    unreported: dict[str, list[int | None]] = {"window": [None] * 41, "lost": [None] * 41}
    assert interval(at, unreported, 0.4, 1.22) == []


def test_a_timeline_joins_like_events_of_a_moment() -> None:
    # Two datagrams within 0.2 ms, an acknowledgement between them, an idle timer, and a third datagram that is dropped
    # 50 ms later.
    rows = [
        (0.1000, "sent", True, 7, 1200, 12_000, 1200),
        (0.1001, "arrived", False, 0, 40, 13_200, 1200),
        (0.1002, "sent", True, 8, 1200, 13_200, 2400),
        (0.1003, "timer", False, 0, 0, 13_200, 2400),
        (0.1502, "dropped", True, 9, 1200, 13_200, 3600),
        (0.9000, "sent", True, 10, 1200, 13_200, 3600),
    ]
    names = ["at", "what", "forward", "number", "bytes", "window", "in_flight"]
    columns = {name: [row[index] for row in rows] for index, name in enumerate(names)}
    columns["ecn"] = ["ect0"] * len(rows)
    for name in ("lost", "probe_timeouts", "reductions"):
        columns[name] = [None] * len(rows)
    assert timeline(columns["at"], columns, 0.15) == [
        "   0.1000 s  datagrams 7 to 8 sent by the sender, 2,400 bytes within 0.2 ms; window 12,000; in flight 2,400",
        "   0.1001 s  a datagram received by the sender, 40 bytes; window from 12,000 to 13,200",
        "   0.1502 s  datagram 9 dropped on the way to the receiver, 1,200 bytes; in flight from 2,400 to 3,600",
    ]


@pytest.mark.parametrize(
    ("gap_ms", "drills"), [(48, {"time-threshold"}), (20, {"probe-backoff", "probe-count"})]
)
def test_a_sender_that_paces_each_datagram_violates_nothing(gap_ms: int, drills: set[str]) -> None:
    gap = "end->threshold < 0 || !end->srtt ? 0 : (uint64_t)((double)end->srtt / (1.25 * end->window))"
    paced = toy(
        (gap, f"end->srtt ? {gap_ms}000000 : 0"),
        (
            "end->free_at + 10 * gap < now) end->free_at = now - 10 * gap",
            "end->free_at + gap < now) end->free_at = now - gap",
        ),
        ("end->free_at > now && !end->probe", "end->free_at > now"),
        ("end->probe = end->oldest < end->next;", "end->probe = 2 * (end->oldest < end->next);"),
        ("    end->probe = 0;\n", "    if (end->probe) end->probe--;\n"),
    )
    outcomes = found(paced, "newreno", *drills)
    assert {id: one.word for id, one in outcomes.items()} == dict.fromkeys(drills, "as demanded"), outcomes


def test_a_sender_does_not_answer_for_a_receiver_that_waits() -> None:
    drill = "packet-threshold-of-three"
    replaced = (
        "end->owes = 1, end->marks",
        "end->owes |= number % 10 == 0 || number != end->seen + 1, end->marks",
    )
    waits = found(toy(replaced), "newreno", drill)[drill]
    assert waits.word == "as demanded"
    assert 110 < float(waits.text.split()[5]) < 115  # by the threshold of time


@pytest.mark.parametrize(("control", "window"), NO_BBR)
def test_another_law_is_no_bbr(control: str, window: int) -> None:
    cases = {f"bbr-case-{number}" for number in NO_BBR[control, window]}
    (stack,) = stacks([f"{toy().path},initial={window}"])
    outcomes = found(stack, control, *cases, law="bbr")
    assert {id: one.word for id, one in outcomes.items()} == dict.fromkeys(cases, "VIOLATED")


def test_every_drill_has_a_fault() -> None:
    violated = set().union(*(ids for _, _, ids in FAULTS.values()))
    violated |= {f"bbr-case-{number}" for numbers in NO_BBR.values() for number in numbers}
    every = {one.id for one in DRILLS}
    assert violated <= every
    assert every - violated - HIDDEN == {"slow-start-ends-by-delay"}
    assert len(every - HIDDEN) >= 50
    assert {one.id for one in DRILLS if one.id.startswith("bbr-case")} == {
        f"bbr-case-{n}" for n in range(1, 23)
    }


def test_slow_start_that_ends_by_delay_is_seen() -> None:
    by_delay = toy(
        (
            "end->least = !end->least",
            ends_at(16_000_000),
        )
    )
    assert (
        found(by_delay, "newreno", "slow-start-ends-by-delay")["slow-start-ends-by-delay"].word
        == "as demanded"
    )


def test_what_a_stack_does_not_tell_cannot_be_seen() -> None:
    silent = toy(("state->window_bytes = (uint64_t)(end->window * (double)end->datagram), ", ""))
    outcomes = found(silent, "newreno", "RFC 9002 7.3.2", "initial-window")
    assert {id: one.word for id, one in outcomes.items()} == {
        "loss-reduces-reno": "cannot be seen",
        "one-reduction": "cannot be seen",
        "one-reduction-for-marks": "cannot be seen",
        "two-reductions": "cannot be seen",
        "initial-window": "as demanded",
    }


def test_two_processes_are_compared_to_the_byte() -> None:
    assert found(toy(), "newreno", "repeats")["repeats"].word == "as demanded"
    other_bytes = toy(
        ("end->connection = seed * 0x9e3779b97f4a7c15 >> 1,", "end->connection = (uint64_t)&end,")
    )
    outcome = found(other_bytes, "newreno", "repeats")["repeats"]
    assert (outcome.word, "but with different bytes" in outcome.text) == ("VIOLATED", True), outcome.text
    other_times = toy(
        ("#include <math.h>", "#include <math.h>\n#include <unistd.h>"),
        # Two processes begun one after the other have near numbers, which differ by less than 97.
        ("end->window = 10,", "end->window = 2 + getpid() % 97,"),
    )
    assert found(other_times, "newreno", "repeats")["repeats"].word == "VIOLATED"
    without_seed = toy(("end->connection = seed * 0x9e3779b97f4a7c15 >> 1,", "end->connection = 7,"))
    assert found(without_seed, "newreno", "repeats")["seed"].word == "absent"


def test_a_drill_drops_what_it_names() -> None:
    record = conduct(
        target(toy(), "newreno"), Script(3.0, rules=drop(5, 7), writes=((0.0, 60_000),), finishes=True)
    )
    assert [one.number for one in record.datagrams("dropped")] == [5, 7]
    assert record.last("lost") == 2
    assert record.delivered_s is not None
    # 60,000 bytes are 52 datagrams of 1175 bytes of data.
    assert len(record.datagrams("sent", 0.0, 0.9 * RTT_S)) == 10
    assert {one.bytes for one in record.datagrams("sent")} <= {DATAGRAM, 60_000 - 51 * 1175 + 25}


def test_a_stack_without_a_handshake_cannot_be_drilled() -> None:
    silent = toy(("if (*datagram == HELLO)", "if (0)"))
    with pytest.raises(CannotTell, match="its handshake did not complete"):
        conduct(target(silent, "newreno"), Script(5.0))


def test_a_crash_in_a_drill_is_a_violation() -> None:
    begin = "static void lose(ackclock_end *end, struct packet *packet) {"
    crash = toy((begin, begin + " *(volatile int *)0 = 1;"))
    outcome = found(crash, "newreno", "one-reduction")["one-reduction"]
    assert outcome.word == "VIOLATED"
    assert "toy:newreno crashed with SIGSEGV" in outcome.text


def test_laws_follow_from_names() -> None:
    laws = {"newreno": "reno", "reno": "reno", "cubic": "cubic", "bbr2": "bbr", "bbrv3": "bbr", "copa": None}
    assert {name: law_of(name) for name in laws} == laws


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="toy has no control 'cubik', expected one of newreno, cubic, fixed"):
        target(toy(), "cubik")
    with pytest.raises(InputError, match="no test has such an id or clause"):
        check(target(toy(), "newreno"), only=["slow-strat"])
    with pytest.raises(InputError, match="expected noq, quinn or the path of a shared library"):
        target("quiche", "cubic")


def test_the_command_names_the_first_violation(ackclock: Command, tmp_path: Path) -> None:
    fault = toy(*FAULTS["no backoff of the probe timeout"][1])
    junit = tmp_path / "results.xml"
    words = ["check-stack", fault.path, "--control", "newreno", "--only", "RFC 9002 6.2", "--junit", junit]
    made = ackclock(*words)
    assert made.code == 1
    assert "VIOLATED       RFC 9002 6.2.1 (MUST), probe-backoff" in made.out
    assert "The first violated requirement, RFC 9002 6.2.1 (MUST):" in made.out
    assert "The probe timeout doubles each time that it expires without an acknowledgement." in made.out
    suite = ElementTree.parse(junit).getroot()  # noqa: S314  (written by the line above)
    assert int(suite.attrib["failures"]) >= 1
    failed = {case.attrib["name"] for case in suite if case.find("failure") is not None}
    assert "probe-backoff" in failed
    allowed = ackclock(*words[:-2], *(word for id in failed for word in ("--allow", id)))
    assert allowed.code == 0
    assert "allowed        RFC 9002 6.2.1 (MUST), probe-backoff" in allowed.out
    # What is allowed is counted apart.
    assert "VIOLATED" not in allowed.out
    assert f"{len(failed)} allowed" in allowed.out


def test_the_document_has_its_schema(ackclock: Command) -> None:
    from ackclock.schemas.check_stack import CheckStackDocument

    made = ackclock("check-stack", toy().path, "--control", "newreno", "--only", "probe", "--json")
    document = CheckStackDocument.model_validate(json.loads(made.out))
    assert (made.code, document.control, document.violated) == (0, "toy:newreno", [])
    assert [one.id for one in document.results] == ["probe"]


@pytest.mark.parametrize("stack", ["noq", "quinn"])
def test_what_the_built_in_stacks_do(stack: str) -> None:
    report = check(target(stack, "cubic"), paths=False)
    # congestion/cubic.rs of quinn-proto 0.11 and noq-proto 1.4: the time of the epoch includes pauses, W_est has the
    # alpha of RFC 8312 for ever, and w_cubic has no bound of one and a half windows.
    assert {one.drill.id for one in report.of("VIOLATED")} == {
        "cubic-alpha-one",
        "cubic-after-idle",
        "cubic-clamp",
    }


def test_the_hard_paths_are_judged_beside_a_control_of_the_same_law() -> None:
    report = check(target(toy(), "newreno"), only=["path-app-limited"])
    assert [one.word for one in report.outcomes] == ["as demanded"]
    assert report.outcomes[0].text.startswith("goodput 12.00 Mbit/s")


def test_a_check_names_what_it_leaves_out_and_exceptions_without_a_violation(ackclock: Command) -> None:
    checked = "check-stack", "quinn", "--control", "newreno"
    obsolete = ackclock(*checked, "--only", "slow-start", "--allow", "slow-start")
    assert obsolete.code == 0
    assert "warning: --allow slow-start: this test found no violation" in obsolete.err
    joined = ackclock("check-stack", "quinn:newreno", "--control", "newreno")
    assert "did you mean `ackclock check-stack quinn --control newreno`?" in joined.err
    other = ackclock(*checked, "--only", "cubic-beta")
    assert (
        "found only tests of controls that implement cubic; if newreno implements cubic, add `--law cubic`"
        in " ".join(other.err.split())
    )
    of_no_law = ackclock("check-stack", toy().path, "--control", "fixed", "--only", "probe")
    assert "the algorithm of fixed is not known" in " ".join(of_no_law.out.split())


def test_a_word_that_is_no_stack_gets_the_nearest_stack(ackclock: Command) -> None:
    refused = ackclock("check-stack", "quin", "--control", "cubic")
    assert refused.code == 2
    assert 'no built-in stack "quin" and no file of this name; did you mean "quinn"?' in refused.err
    assert "did you mean" not in ackclock("check-stack", "mine.so", "--control", "cubic").err


def test_a_path_that_does_not_exist_is_refused(ackclock: Command) -> None:
    # It ran nothing and left with 0.
    refused = ackclock("check-stack", "quinn", "--control", "cubic", "--only", "path-shalow")
    assert refused.code == 2
    assert 'did you mean "path-shallow"?' in refused.err


def test_the_list_has_every_drill_with_its_clause(ackclock: Command) -> None:
    found = json.loads(ackclock("list", "drills", "--json").out)
    assert [one["name"] for one in found] == [one.id for one in DRILLS]
    for one, drill in zip(found, DRILLS, strict=True):
        assert one["summary"] == f"{drill.clause} ({drill.force}): {drill.demand}"
    assert "RFC 9002 6.2.1 (SHOULD): If the last datagram is lost" in ackclock("list", "drills").out
    assert ackclock("list", "drill", "probe").code == 0
