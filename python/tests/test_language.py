"""The expression language: values in closed form, and errors that help."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.experiment.expression import Expression, ExpressionError
from ackclock.experiment.run_words import RunWords, measure, needs_series
from ackclock.series import Series

RESULT: dict[str, Any] = {
    "fairness": 0.9,
    "duration_s": 100.0,
    "flows": [
        {"name": "tcp-1", "group": "tcp", "sent_packets": 100, "retransmitted_packets": 3, "rtt_mean_s": 0.1},
        {"name": "tcp-2", "group": "tcp", "sent_packets": 200, "retransmitted_packets": 6, "rtt_mean_s": 0.3},
        {"name": "udp", "group": "udp", "sent_packets": 700, "retransmitted_packets": 0, "rtt_mean_s": None},
    ],
    "links": [{"name": "bottleneck", "utilisation": 0.95}, {"name": "access", "utilisation": 0.05}],
    "groups": [{"name": "tcp", "goodput_bps": 1e6}, {"name": "udp", "goodput_bps": 2e6}],
    "series": Series.from_document(
        {
            "time_s": [0.0, 1.0, 2.0, 3.0],
            "flows": {
                "tcp-1": {"cwnd_packets": [1.0, 2.0, None, 4.0]},
                "tcp-2": {"cwnd_packets": [0.0, 0.0, 0.0, 3.0]},
            },
            "links": {"bottleneck": {"queue_packets": [0.0, 5.0, 10.0, 5.0]}},
        }
    ),
}


def value(text: str, result: dict[str, Any] = RESULT) -> float:
    return measure(Expression(text), RunWords(result))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("-2 ** 2", -4),
        ("(1 +\n 2) * 2", 6),
        ("100 * sum(flows.retransmitted_packets) / sum(flows.sent_packets)", 0.9),
        ("sum(flows('tcp').sent_packets)", 300),
        ("sum(flows('t*').sent_packets)", 300),
        ("sum(flows('*').sent_packets)", 1000),
        ("flow('tcp-2').sent_packets", 200),
        ("link('bottleneck').utilisation * 100", 95),
        ("group('udp').goodput_bps / 1e6", 2),
        ("fairness * duration", 90),
        ("max(links.utilisation)", 0.95),
        ("max(1, 7, 3) + min(4, 2)", 9),
        ("std(flows.sent_packets)", math.sqrt((233.33**2 + 133.33**2 + 366.67**2) / 2)),
        ("median(flows.sent_packets)", 200),
        ("percentile(flows.sent_packets, 25)", 150),
        ("jain(flows('tcp').sent_packets)", 300**2 / (2 * (100**2 + 200**2))),
        ("variation(flows('tcp').sent_packets)", 50 / 150),
        ("count(flows.sent_packets)", 3),
        ("sqrt(abs(-9)) + log10(100) + exp(0) + log(1)", 6),
        ("max(series('links.bottleneck.queue_packets'))", 10),
        ("mean(series('links.bottleneck.queue_packets', 1, 2))", 7.5),
        ("correlation(flows.sent_packets, -2 * flows.sent_packets + 7)", -1),
        ("correlation(flows.sent_packets, flows.retransmitted_packets)", -1500 / math.sqrt(18 * 206667)),
        ("correlation(flows.sent_packets, flows.rtt_mean_s)", 1),  # the third has no round trip
        ("time_of_max('links.bottleneck.queue_packets')", 2),
        ("time_of_max('links.bottleneck.queue_packets', 0, 1.5)", 1),
        ("time_of_max('links.bottleneck.queue_packets', 0, 3, 2)", 2),  # means 2.5 and 7.5
        ("time_of_max('links.bottleneck.queue_packets', 1, 3, 2)", 1),  # half a stretch from 3 on is none
        ("max(series('flows.tcp-*.cwnd_packets'))", 7),
        ("time_of_reaching('links.bottleneck.queue_packets', 5)", 1),
        ("time_of_reaching('links.bottleneck.queue_packets', 5, 1.5, 3)", 2),
        ("time_of_max('flows.tcp-1.cwnd_packets', 0, 2, 1)", 1),  # nothing in the last second
        ("convergence_time('flows.tcp-1.cwnd_packets', 'flows.tcp-2.cwnd_packets', 0, 0, 3)", 3),
    ],
)
def test_values(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, rel=1e-4)


def test_reductions_leave_out_missing_samples() -> None:
    assert value("mean(flows.rtt_mean_s)") == pytest.approx(0.2)
    assert value("count(flows.rtt_mean_s)") == 2
    assert value("max(series('flows.tcp-1.cwnd_packets'))") == 4
    assert math.isnan(value("mean(flows('udp').rtt_mean_s)"))


@pytest.mark.parametrize(
    "text", ["1 / 0", "0 / 0", "log(0)", "sqrt(-1)", "10 ** 999", "flow('udp').rtt_mean_s"]
)
def test_what_has_no_finite_value_is_missing(text: str) -> None:
    assert math.isnan(value(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sum(flows.retransmited_packets)", 'did you mean "retransmitted_packets"?'),
        ("sun(flows.sent_packets)", 'there is no function "sun"; did you mean "sum"?'),
        ("fairnes", 'there is no value or function "fairnes"; did you mean "fairness"?'),
        ("flow('tcp-3').sent_packets", 'there is no flow "tcp-3"; did you mean'),
        ("sum(flows('tpc*').sent_packets)", 'there is no group "tpc*"; did you mean "tcp"?'),
        ("sum(flows('tpc').sent_packets)", 'there is no group "tpc"; did you mean "tcp"?'),
        ("sum(links('a').utilisation)", "links have no groups"),
        ("sum(flows.name)", "is text, not a number"),
        ("flows.sent_packets", "the value is a vector of 3 numbers"),
        ("flow('tcp-1')", "add an attribute"),
        ("flow('tcp-1') + 1", "expected a number"),
        ("'text'", "expected a number, found a string"),
        ("sum", "sum is a function"),
        ("sum()", "expected sum(x) of one vector"),
        ("sum(1, 2)", "takes one vector"),
        ("percentile(flows.sent_packets, 101)", "from 0 to 100"),
        ("1 < 2", "comparisons belong in the `direction` of a claim"),
        ("1 if fairness else 2", "if ... else is not part"),
        ("[1, 2]", "a list is not part"),
        ("1, 2", "a stray comma"),
        ("flows[0]", "indexing with [...] is not part"),
        ("7 // 2", "this operator is not part"),
        ("sum(x=1)", "expected positional arguments"),
        ("True", "found True or False, expected a number"),
        ("1 +", "invalid syntax"),
        ("", ""),
        ("series('links.bottleneck.queue')", 'has no series "queue"; did you mean "queue_packets"?'),
        ("series('bottleneck')", "flows.<flow>.<quantity>"),
        ("series('links.bottlenek.queue_packets')", 'did you mean "bottleneck"?'),
        ("flows.sent_packets + links.utilisation", "shape"),
    ],
)
def test_errors_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        value(text)
    assert message in str(caught.value)


def test_the_caret_points_at_the_place() -> None:
    with pytest.raises(ExpressionError) as caught:
        value("1 + sum(flows.snt_packets)")
    message, line, caret = str(caught.value).splitlines()
    assert line.strip() == "1 + sum(flows.snt_packets)"
    assert line[caret.index("^") :].startswith("flows.snt_packets")
    assert "sent_packets" in message


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "flows.__class__",
        "flows.attribute",
        "().__class__.__bases__",
        "(lambda: 1)()",
        "sum.__globals__",
        "flow('tcp-1')._row",
        "f'{fairness}'",
        "[x for x in flows]",
        "flows('tcp')._rows",
        "(fairness := 1)",
        "9 ** 9 ** 9 ** 9 ** 9",
    ],
)
def test_python_beyond_the_language_is_out_of_reach(text: str) -> None:
    if "**" in text:
        assert math.isnan(value(text))  # overflows to infinity at once instead of filling the memory
    else:
        with pytest.raises(ExpressionError):
            value(text)


@given(st.text(alphabet="abflowsinkmxrtc_.()'\"+-*/<>=,[]{}0123456789e \n\\#:@!%", max_size=80))
def test_no_text_escapes_the_language(text: str) -> None:
    try:
        outcome = value(text)
    except ExpressionError:
        return
    assert isinstance(outcome, float)


@pytest.mark.parametrize("text", ["(" * 500 + "1" + ")" * 500, "-" * 1900 + "1", "9" * 1900, "1" * 3000])
def test_depth_and_length_are_bounded(text: str) -> None:
    with pytest.raises(ExpressionError):
        value(text)


def test_a_long_sum_is_no_deep_nesting() -> None:
    assert value("1" + "+1" * 300) == 301


def test_series_are_asked_for_only_when_needed() -> None:
    assert needs_series(Expression("max(series('links.b.queue_packets'))"))
    assert needs_series(Expression("1 + convergence_time('a', 'b', 0, 0, 1)"))
    assert not needs_series(Expression("sum(flows.sent_packets)"))
    with pytest.raises(ExpressionError, match="without series"):
        value("max(series('links.bottleneck.queue_packets'))", {**RESULT, "series": None})


def test_vocabulary_describes_all_its_functions() -> None:
    words = RunWords(RESULT)
    documentation = " ".join(str(RunWords.__init__.__globals__["__doc__"]).split())
    for name in words.functions:
        assert name in documentation, f"{name} is missing from the module's description"


def test_arrays_are_never_changed_in_place() -> None:
    before = np.array(RESULT["series"].time_s)
    value("max(series('links.bottleneck.queue_packets')) * 2")
    assert (np.array(RESULT["series"].time_s) == before).all()
