"""The words of an evaluation's metrics, over a result that is made by hand: every value can be computed from it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from conftest import script

from ackclock import _typed_core as core
from ackclock._overrides import merge
from ackclock.evaluation import contenders, files
from ackclock.evaluation.result import FamilyResult
from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.run_words import RunWords, measure, needs_series
from ackclock.series import Series

STEP = 0.5
TIMES = [STEP * (k + 1) for k in range(24)]
"""0.5 s, 1.0 s... 12.0 s."""
DROPPED = [0, 20, 20, 0, 20, 30, 20, 20, 5, 0]
"""Packets dropped in each second from 2 s on, half of them in each sample; of 100 that arrive in each."""


def counted(per_sample: list[float]) -> list[float]:
    """A count over time, from what each sample adds."""
    return [sum(per_sample[: k + 1]) for k in range(len(per_sample))]


JOINED = [0.0 if time < 4.5 else 4.6 for time in TIMES]
"""The second flow begins with the sample at 4.5 s and has 4.6 of 10 from then on."""


def flow(name: str, group: str, **numbers: float) -> dict[str, Any]:
    return {"name": name, "group": group, **numbers}


def link(name: str, **numbers: float) -> dict[str, Any]:
    return {"name": name, **numbers}


RESULT: dict[str, Any] = {
    "fairness": 1.0,
    "duration_s": 12.0,
    "measured_s": [0.0, 12.0],
    "flows": [
        # Goodput goes with the inverse of the round trip's root: 1/2 over 4 times, 1/8 over 64 times the first's.
        flow("a", "a", goodput_bps=8e6, rtt_min_s=0.02, delivered_packets=90, sent_packets=100),
        flow("b-1", "b", goodput_bps=4e6, rtt_min_s=0.08, delivered_packets=60, sent_packets=100),
        flow("b-2", "b", goodput_bps=1e6, rtt_min_s=1.28, delivered_packets=0, sent_packets=0),
    ],
    "groups": [{"name": "a"}, {"name": "b"}],
    "links": [
        link("bottleneck", arrived_packets=1000, dropped_packets=20, marked_packets=30, corrupted_packets=7),
        link("unused", arrived_packets=0, dropped_packets=0, marked_packets=0, corrupted_packets=0),
    ],
    "series": Series.from_document(
        {
            "time_s": TIMES,
            "flows": {
                "pair-first": {"goodput_bps": [10 - rate for rate in JOINED]},
                "pair-second": {
                    "goodput_bps": JOINED,
                    # 2 packets in a second until 6 s, 4 packets after that, and a cut to 3 at 10 s.
                    "cwnd_packets": [
                        2 * t if t <= 6 else 12 + 4 * (t - 6) if t < 10 else 3 + 4 * (t - 10) for t in TIMES
                    ],
                },
                "third": {"goodput_bps": [10.0] * len(TIMES)},
            },
            "links": {
                "bottleneck": {
                    "arrived_packets": counted([50.0] * len(TIMES)),
                    "dropped_packets": counted([0.0] * 4 + [one / 2 for one in DROPPED for _ in range(2)]),
                },
                # A packet in the samples at 2, 3, 3.5, 4.5, 6.5 and 9.5 s: gaps of 1, 0.5, 1, 2 and 3 s.
                "outage": {
                    "arrived_packets": counted([float(t in (2, 3, 3.5, 4.5, 6.5, 9.5)) for t in TIMES])
                },
                # 1300 packets in each second, of which 1 % do not arrive.
                "call-in": {"arrived_packets": counted([650.0] * len(TIMES))},
                "call-out": {"arrived_packets": counted([643.5] * len(TIMES))},
            },
        }
    ),
}

FIRST, SECOND = '"flows.pair-first.goodput_bps"', '"flows.pair-second.goodput_bps"'
PAIR = '"flows.pair-*.goodput_bps"'
OUTAGE = '"links.outage.arrived_packets"'
CALL = '"call-in", "call-out"'

CASES = [
    # Gaps of 1, 0.5, 1, 2 and 3 s: each over the one before is 0.5, 2, 2 and 1.5.
    (f"growth_of_gaps({OUTAGE}, 1, 12, 0, 58)", 0.5),
    (f"growth_of_gaps({OUTAGE}, 1, 12, 1, 58)", 1.5),
    # The gap of 3 s is as long as the cap, and need not grow; nor does what comes after 7 s count.
    (f"growth_of_gaps({OUTAGE}, 1, 12, 1, 3)", 2),
    (f"growth_of_gaps({OUTAGE}, 1, 7, 1, 58)", 2),
    # From 4 s on: gaps of 2 and 3 s between 4.5, 6.5 and 9.5 s.
    (f"growth_of_gaps({OUTAGE}, 4, 12, 0, 58)", 1.5),
    # One packet has no gap: the sender has stopped, which counts as doubling.
    (f"growth_of_gaps({OUTAGE}, 9, 12, 0, 58)", 2),
    # Of the seconds from 2 s on, numbers 4, 5 and 6 are the first three in a row with more than 10 % dropped.
    ('trips("bottleneck", 0.1, 1, 3, 2)', 1),
    ('time_of_trip("bottleneck", 0.1, 1, 3, 2)', 7),
    # Two in a row: numbers 1 and 2, 4 and 5, 6 and 7.
    ('trips("bottleneck", 0.1, 1, 2, 2)', 3),
    ('time_of_trip("bottleneck", 0.1, 1, 2, 2)', 3),
    # Only one has more than 25 %, the sixth, and none more than 50 %.
    ('trips("bottleneck", 0.25, 1, 1, 2)', 1),
    ('time_of_trip("bottleneck", 0.25, 1, 1, 2)', 6),
    ('time_of_trip("bottleneck", 0.5, 1, 1, 2)', math.nan),
    # From 6 s on the first three in a row are those from 6 to 9 s.
    ('time_of_trip("bottleneck", 0.1, 1, 3, 6)', 3),
    # Two seconds together: 20, 20, 50, 40 and 5 of 200. Those with more than 15 % are the third and the fourth.
    ('time_of_trip("bottleneck", 0.15, 2, 2, 2)', 8),
    # 1 % lost over 100 ms: a call may send 10 * 1.2247 / (0.1 * 0.1) = 1225 packets in a second. It sends 1300, and
    # three reports are averaged, so that of ten reports the third, the sixth and the ninth open it.
    (f"call_trips({CALL}, 0.1, 1, 2)", 3),
    # Over 50 ms it may send 2449. Over 500 ms, 245, and five reports are averaged: the fifth and the tenth.
    (f"call_trips({CALL}, 0.05, 1, 2)", 0),
    (f"call_trips({CALL}, 0.5, 1, 2)", 2),
    # A report each 2 s: five of them, of which the third. Over 80 ms the call may send 1531. From 7 s on: five of 1 s.
    (f"call_trips({CALL}, 0.1, 2, 2)", 1),
    (f"call_trips({CALL}, 0.08, 2, 2)", 0),
    (f"call_trips({CALL}, 0.1, 1, 7)", 1),
    # More arrives than is sent: no loss.
    ('call_trips("call-out", "call-in", 0.1, 1, 2)', 0),
    # 30 of 100 in a second, 50 of 200 in two; from 8 s on 20 of 100.
    ('worst_loss("bottleneck", 1, 2)', 0.3),
    ('worst_loss("bottleneck", 2, 2)', 0.25),
    ('worst_loss("bottleneck", 1, 8)', 0.2),
    # The second flow has a share of 0.46 from 4.5 s on. The mean over a second, two samples, is 0.23 at 4.5 s and 0.46
    # at 5 s. A share of 0.45 is enough for a delta of 0.1, one of 0.475 for 0.05; 0.225 for 0.55.
    (f"delta_fair_time({FIRST}, {SECOND}, 0.1, 4)", 1),
    (f"delta_fair_time({FIRST}, {SECOND}, 0.1, 2)", 3),
    # It is kept until 12 s, the end: for 7 s, and not for 8.
    (f"delta_fair_time({FIRST}, {SECOND}, 0.1, 2, 7)", 3),
    (f"delta_fair_time({FIRST}, {SECOND}, 0.1, 2, 8)", math.nan),
    (f"value_or(delta_fair_time({FIRST}, {SECOND}, 0.1, 2, 8), duration - 2)", 10),
    (f"value_or(delta_fair_time({FIRST}, {SECOND}, 0.1, 2, 7), duration - 2)", 3),
    (f"delta_fair_time({FIRST}, {SECOND}, 0.55, 4)", 0.5),
    (f"delta_fair_time({FIRST}, {SECOND}, 0.05, 4)", math.nan),
    # The first is the larger one, which has its share at once.
    (f"delta_fair_time({SECOND}, {FIRST}, 0.1, 4)", 0),
    # 4.6 / 5.4 = 1 - 0.148 from 4.5 s on, over 1 s from 5 s on; 0.5 s and 1 s are 5 and 10 round trips of 100 ms.
    (f"epsilon_fair_rounds({PAIR}, 0.15, 0.1, 4, 0.5)", 5),
    (f"epsilon_fair_rounds({PAIR}, 0.15, 0.1, 4, 1)", 10),
    (f"epsilon_fair_rounds({PAIR}, 0.15, 0.05, 3, 1)", 40),
    (f"epsilon_fair_rounds({PAIR}, 0.14, 0.1, 4, 1)", math.nan),
    # From 6 s on they are fair at once.
    (f"epsilon_fair_rounds({PAIR}, 0.15, 0.1, 6, 1)", 0),
    # Beside a third flow with 10 the least has 1 - 0.54 of the largest.
    ('epsilon_fair_rounds("flows.*.goodput_bps", 0.53, 0.1, 4, 1)', math.nan),
    ('epsilon_fair_rounds("flows.*.goodput_bps", 0.55, 0.1, 4, 1)', 10),
    # The first samples of 4.6 in a row are those of 4.5 and 5 s, the second from 4 to 5 s.
    (f"time_of_keeping({SECOND}, 4.6, 2, 1)", 2),
    (f"time_of_keeping({SECOND}, 4.6, 3, 1)", 1),
    # The mean from 3 to 5 s is half of it.
    (f"time_of_keeping({SECOND}, 2.3, 2, 2)", 1),
    (f"time_of_keeping({SECOND}, 4.7, 2, 1)", math.nan),
    # From 2 s on nothing for 2 s, then 4.6 in each second.
    (f"time_of_amount({SECOND}, 9.2, 2)", 4),
    (f"time_of_amount({SECOND}, 2.3, 2)", 2.5),
    (f"time_of_amount({SECOND}, 9.2, 6)", 2),
    # Until 6 s the window grows by 2 in a second, after that by 4; what it loses at 10 s is no growth.
    ('largest_growth("flows.pair-second.cwnd_packets", 1, 1, 6)', 2),
    ('largest_growth("flows.pair-second.cwnd_packets", 1, 1, 12)', 4),
    ('largest_growth("flows.pair-second.cwnd_packets", 2, 1, 12)', 8),
    ('largest_growth("flows.pair-second.cwnd_packets", 0.5, 9.5, 10)', 0),
    # 0 and three times 4.6; both ends count. In all it is 4.6 * 16 / 24.
    (f"mean_of({SECOND}, 4, 5.5)", 3.45),
    (f"mean_of({PAIR}, 1, 12)", 10),
    # From 4 s on the second flow has 0.46 of the two, in every window, times 2; beside the third 4.6 / 20, times 3.
    (f"least_share_of({SECOND}, {PAIR}, 4, 1)", 0.92),
    (f'least_share_of({SECOND}, "flows.*.goodput_bps", 4, 1)', 0.69),
    (f"least_share_of({FIRST}, {PAIR}, 4, 1)", 1.08),
    # From 3 s on it has nothing for one second, and half of that in the first two.
    (f"least_share_of({SECOND}, {PAIR}, 3, 1)", 0),
    (f"least_share_of({SECOND}, {PAIR}, 3, 2)", 0.46),
    ("rtt_exponent(flows.goodput_bps, flows.rtt_min_s)", -0.5),
    # 1.2 / (0.1 * 0.1), and half of it for twice the round trip.
    ("tcp_rate(0.1, 0.01)", 120),
    ("tcp_rate(0.2, 0.01)", 60),
    # 150 of 200 for all flows, 60 of 100 for those of group b; nothing was sent by the last.
    ("goodput_ratio(flows.delivered_packets, flows.sent_packets)", 0.75),
    ('goodput_ratio(flows("b").delivered_packets, flows("b").sent_packets)', 0.6),
    ('goodput_ratio(flow("b-2").delivered_packets, flow("b-2").sent_packets)', math.nan),
    # 20 dropped and 30 marked of 1000. The seven that were corrupted are no sign of congestion.
    ('loss_or_mark_rate("bottleneck")', 0.05),
    ('loss_or_mark_rate("unused")', math.nan),
]


def value(text: str, result: dict[str, Any] = RESULT) -> float:
    return measure(Expression(text), RunWords(result))


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_a_word_in_closed_form(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, nan_ok=True)


def test_every_word_has_a_value_in_closed_form() -> None:
    assert {text.split("(")[0] for text, _ in CASES} <= set(RunWords(RESULT).functions)


@pytest.mark.parametrize("word", sorted({text.split("(")[0] for text, _ in CASES}))
def test_a_word_that_needs_series_says_so(word: str) -> None:
    text = next(text for text, _ in CASES if text.startswith(f"{word}("))
    if needs_series(Expression(text)):
        with pytest.raises(ExpressionError, match="this run was made without series"):
            value(text, {**RESULT, "series": None})
    else:
        assert value(text, {**RESULT, "series": None}) == pytest.approx(value(text), nan_ok=True)


def test_a_word_says_what_is_wrong() -> None:
    for text, message in (
        (
            f"epsilon_fair_rounds({PAIR}, 0.1, 0, 4, 1)",
            "expected a single round-trip time above 0 s",
        ),
        ('epsilon_fair_rounds("flows.pear-*.goodput_bps", 0.1, 0.1, 4, 1)', 'no series of flow "pear-'),
        ('loss_or_mark_rate("bottelneck")', 'there is no link "bottelneck"; did you mean "bottleneck"'),
    ):
        with pytest.raises(ExpressionError, match=message):
            value(text)


A_FILE = """
family = "N-03"
title = "Two streams in queues of their own"
summary = "A stream of 12 Mbit/s loses packets at 10 Mbit/s, one of 1 Mbit/s does not."

[[metrics]]
id = "together"
label = "Share of the flows that lose in an event"
expr = 'link("bottleneck").loss_synchronisation'
better = "less"

[[metrics]]
id = "useful"
label = "Goodput ratio"
expr = 'goodput_ratio(flows.delivered_packets, flows.sent_packets)'
better = "more"

[[metrics]]
id = "signals"
label = "Packets dropped or marked"
expr = 'loss_or_mark_rate("bottleneck")'
better = "less"

[scenario]
duration = "8 s"
warmup = "2 s"
observe = { at = "bottleneck", loss_events = "50 ms" }

[scenario.dumbbell]
rtt = "50 ms"
access = { rate = "100 Mbit/s" }
bottleneck = { rate = "10 Mbit/s", delay = "1 ms", queue = { name = "fq-codel", limit = "100 packets" } }

[[scenario.flows]]
name = "tested"
control = "cubic"
start = "never"

[[scenario.flows]]
name = "larger"
application = { name = "cbr", rate = "12 Mbit/s", packet = "1250 B" }

[[scenario.flows]]
name = "smaller"
application = { name = "cbr", rate = "1 Mbit/s", packet = "1250 B" }
"""


def test_a_file_of_ones_own_has_the_words(tmp_path: Path) -> None:
    path = tmp_path / "streams.toml"
    path.write_text(A_FILE, encoding="utf-8")
    loaded = files.load(str(path))
    (setting,) = loaded.about.settings(quick=True)
    overrides = merge(setting.overrides, contenders.contender("cubic").seated(loaded.about))
    made = core.make(loaded.scenario.text, loaded.scenario.file, overrides, 1, loaded.needs_series)
    found = {one.id: value(one.expr, made.result()) for one in loaded.about.metrics}
    # In every event one of two flows loses. Of 1300 packets in a second, of 1250 bytes and headers of 28, the link
    # sends 10e6 / (8 * 1278) = 978. A full queue drops half of its 100 packets at once: 50 of 7800 may lie on either
    # side of the measured time.
    assert found["together"] == 0.5
    assert found["useful"] == pytest.approx(978 / 1300, abs=0.0065)
    assert found["signals"] == pytest.approx(322 / 1300, abs=0.0065)


DUMBBELL = """
duration = "60 s"
observe = { at = "bottleneck", loss_events = "50 ms", interval = "50 ms" }

[dumbbell]
rtt = "50 ms"
access = { rate = "100 Mbit/s" }
bottleneck = { rate = "2 Mbit/s", delay = "1 ms", queue = { name = "droptail", limit = "1 bdp" } }

[[flows]]
name = "tested"
control = "cubic"

[[flows]]
name = "other"
control = "cubic"
start = "20 s"
"""


def test_the_expressions_of_the_docstring_have_values() -> None:
    table = script("registry_tables.py").words("rfc5166")
    cells = re.findall(r"^\| (`.*?`) \| ", table, re.MULTILINE)
    expressions = [text for cell in cells for text in re.findall(r"`([^`]+)`", cell) if "(" in text]
    assert len(expressions) > 25
    result = core.make(DUMBBELL, "page.toml", {}, 1, True).result()
    assert {text for text in expressions if not math.isfinite(value(text, result))} == set()


def test_a_part_of_a_section_is_said_to_be_one() -> None:
    """Section 5.1.3 has two scenarios."""
    family = files.load("N-03-start").family
    both = [name for name in files.names() if files.load(name).family.id == family.id]

    def found(*names: str, left_out: Mapping[str, str] = MappingProxyType({})) -> FamilyResult:
        results: Any = [SimpleNamespace(loaded=files.load(name)) for name in names]
        return FamilyResult(family, "OK", "", results, left_out)

    assert found("N-03-start").partial == "Only 1 of 2 scenarios of this section: N-03-start."
    assert not found(*both).partial
    assert not found().partial
    (other,) = set(both) - {"N-03-start"}
    assert not found("N-03-start", left_out={other: "it takes too long"}).partial
