"""Calls over RTP: the test cases of RFC 8867 within bounds that follow from NADA (RFC 8698), and the harm of rivals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ackclock import Scenario
from ackclock.errors import ScenarioError
from ackclock.evaluation import contenders
from ackclock.evaluation import run as evaluation
from ackclock.evaluation.files import load
from ackclock.evaluation.words import CONCERN
from ackclock.series import Series

CASES = Path(__file__).resolve().parents[2] / "scenarios" / "rfc8867"
VIDEO_SHARE = 1200 / 1240
"""The share of payload in a full packet on the wire."""
AUDIO_BPS = 20e3 * 90 / 50
XREF_S, RMAX_BPS, RMIN_BPS = 0.010, 1.5e6, 150e3
Vector = npt.NDArray[np.float64]


def run(case: str, seed: int = 1, **overrides: object) -> Series:
    series: Series = (
        Scenario.from_file(CASES / f"{case}.toml", overrides or None).run(seed=seed).result["series"]
    )
    return series


def mean_bps(call: Series, flow: str, begin_s: float, end_s: float) -> float:
    """The mean of the rate that the control sets."""
    values = call.values("flows", flow, "media_rate_bps")
    return float(np.mean(values[(call.time_s >= begin_s) & (call.time_s < end_s)]))


def capacity_bps(link_bps: float, calls: int) -> float:
    """What a link leaves the payload of each of the calls beside their audio, at most the highest rate."""
    return min((link_bps - calls * AUDIO_BPS) / calls * VIDEO_SHARE, RMAX_BPS)


SCREAM = {
    "flows.video.control": "rtp:scream",
    "flows.video.transport.name": "rtp",
    "flows.video.transport.feedback": "33 ms",
}


def test_5_1_scream_leaves_the_margin_of_its_target_and_keeps_the_queue_short() -> None:
    # The target is at most the window over the round trip, divided by 1.2 and by 1020 / 1000.
    call = run("5.1", **SCREAM)
    for begin_s, end_s, link_bps in [(10, 40, 1e6), (70, 80, 0.6e6), (90, 99, 1e6)]:
        assert 0.7 < mean_bps(call, "video", begin_s, end_s) / capacity_bps(link_bps, 1) < 1 / 1.2 + 0.03, (
            begin_s
        )
        inside = (call.time_s >= begin_s) & (call.time_s < end_s)
        # Above half of the target of 60 ms the window is reduced.
        assert float(np.mean(call.values("flows", "video", "congestion_signal_s")[inside])) < 0.030
    assert mean_bps(call, "video", 50, 60) == pytest.approx(RMAX_BPS)


def test_5_4_calls_of_scream_share_what_there_is() -> None:
    call = run("5.4", **SCREAM)
    rates = [mean_bps(call, f"video-{number}", 100, 120) for number in (1, 2, 3)]
    assert min(rates) / max(rates) > 0.5
    assert 0.6 < sum(rates) / 3 / capacity_bps(3.5e6, 3) < 1


def test_scream_without_reports_sends_a_packet_each_half_of_a_second() -> None:
    # No report arrives from 4 s on. Once the window is full, the rest waits in the sender.
    outage = {"dumbbell.bottleneck.reverse": {"outage": {"from": "4 s", "lasts": "60 s"}}}
    sent = [
        Scenario.from_text(CALL.replace("rtp:nada", "rtp:scream"), {**outage, "duration": duration})
        .run(seed=1)
        .result["flows"][0]["sent_packets"]
        for duration in ("8 s", "10 s")
    ]
    assert sent[1] - sent[0] == 4


@pytest.mark.parametrize("rtt", ["100 ms", "200 ms"])
def test_5_1_the_rate_follows_the_capacity(rtt: str) -> None:
    call = run("5.1", **{"dumbbell.rtt": rtt})
    # Ten seconds after each change, the rate is at the capacity.
    for begin_s, end_s, link_bps in [(10, 40, 1e6), (50, 60, 2.5e6), (70, 80, 0.6e6), (90, 99, 1e6)]:
        assert 0.8 < mean_bps(call, "video", begin_s, end_s) / capacity_bps(link_bps, 1) < 1.02, begin_s


def test_5_1_the_signal_is_that_of_the_steady_state() -> None:
    call = run("5.1")
    time_s = call.time_s
    for begin_s, end_s in [(20, 40), (70, 80), (90, 99)]:
        inside = (time_s >= begin_s) & (time_s < end_s)
        signal_s = call.values("flows", "video", "congestion_signal_s")[inside]
        rate_bps = call.values("flows", "video", "media_rate_bps")[inside]
        # Equation 5: where the rate neither rises nor falls, x = PRIO * XREF * RMAX / r_ref.
        assert np.mean(signal_s * rate_bps) == pytest.approx(XREF_S * RMAX_BPS, rel=0.15)


def test_5_2_two_calls_follow_the_capacity_and_share_it() -> None:
    call = run("5.2")
    for begin_s, end_s, link_bps in [
        (15, 25, 4e6),
        (40, 50, 2e6),
        (65, 75, 3.5e6),
        (90, 100, 1e6),
        (115, 125, 2e6),
    ]:
        rates = [mean_bps(call, flow, begin_s, end_s) for flow in ("video-1", "video-2")]
        assert 0.8 < sum(rates) / 2 / capacity_bps(link_bps, 2) < 1.02, begin_s
        assert min(rates) / max(rates) > 0.7, begin_s


def test_5_3_a_congested_way_of_the_reports_does_not_stop_a_call() -> None:
    call = run("5.3")
    assert 0.7 < mean_bps(call, "video", 50, 60) / capacity_bps(0.5e6, 1) < 1.02
    assert 0.7 < mean_bps(call, "video-back", 50, 70) / capacity_bps(0.8e6, 1) < 1.02


def test_5_4_calls_that_begin_later_get_as_much() -> None:
    call = run("5.4")
    rates = [mean_bps(call, f"video-{number}", 100, 120) for number in (1, 2, 3)]
    assert rates == pytest.approx([capacity_bps(3.5e6, 3)] * 3, rel=0.15)


def test_5_5_a_longer_round_trip_is_no_disadvantage() -> None:
    # Calls that see one queue have one signal, and so one rate, whatever their round trips.
    call = run("5.5")
    rates = np.array([mean_bps(call, f"video-{number}", 225, 300) for number in range(1, 6)])
    assert float(rates.sum() ** 2 / (5 * (rates**2).sum())) > 0.9


@pytest.mark.parametrize("queue", ["300 ms", "1 s"])
def test_5_6_a_call_beside_a_long_tcp_flow_keeps_its_least_rate(queue: str) -> None:
    # The queue holds bytes, and drops few of the small packets of the call, which takes its delay for congestion.
    call = run("5.6", **{"dumbbell.bottleneck.queue.limit": queue})
    values = call.values("flows", "video", "media_rate_bps")[call.time_s > 20]
    assert float(np.nanmin(values)) >= RMIN_BPS
    assert mean_bps(call, "video", 20, 120) > 1.05 * RMIN_BPS


def test_5_6_losses_warp_the_delay_so_that_a_call_competes() -> None:
    # A queue of packets drops those of the call as well. Without the warping, the delay alone would hold the rate down.
    # In a minority of runs the call gets little more than its least rate with it: the median of six runs counts.
    packets = {"dumbbell.bottleneck.queue.limit": "50 packets"}

    def median_bps(**overrides: object) -> float:
        calls = (run("5.6", seed, **packets, **overrides) for seed in range(1, 7))
        return float(np.median([mean_bps(call, "video", 60, 120) for call in calls]))

    warped, plain = median_bps(), median_bps(**{"flows.video.control.qth": "60 s"})
    assert warped > 2 * RMIN_BPS
    assert warped > 1.5 * plain


def test_5_7_short_tcp_flows_do_not_starve_calls() -> None:
    call = run("5.7")
    for flow in ("video-1", "video-2"):
        assert mean_bps(call, flow, 20, 300) > 1.5 * RMIN_BPS


def test_5_8_what_a_call_leaves_goes_to_the_others_until_it_returns() -> None:
    call = run("5.8")
    calls = ("video-1", "video-2", "video-3")
    for flow in ("video-1", "video-3"):
        # For two calls there is more than the highest rate of an encoder.
        assert mean_bps(call, flow, 50, 60) == pytest.approx(RMAX_BPS, rel=0.05)
    before = [mean_bps(call, flow, 30, 40) for flow in calls]
    assert before == pytest.approx([capacity_bps(3.5e6, 3)] * 3, rel=0.15)
    # It sends nothing while it pauses, but for what was under way, and keeps its rate.
    paused = (call.time_s > 41) & (call.time_s < 60)
    assert not np.any(call.values("flows", "video-2", "goodput_bps")[paused])
    assert mean_bps(call, "video-2", 41, 60) == pytest.approx(mean_bps(call, "video-2", 39, 40), rel=0.05)
    # The last quarter.
    after = np.array([mean_bps(call, flow, 90, 120) for flow in calls])
    assert float(after.sum() ** 2 / (3 * (after**2).sum())) > 0.9


def test_a_pause_takes_its_frames_and_is_no_freeze() -> None:
    flows = Scenario.from_file(CASES / "5.8.toml").run(seed=1).result["flows"]
    # Thirty frames a second for 120 s, and for 100 s.
    assert [flow["frames"] for flow in flows[:3]] == [3600, 3000, 3600]
    assert [flow["freezes"] for flow in flows[:3]] == [0, 0, 0]
    pauses = {"flows.1.transport.pause_to": "30 s"}
    with pytest.raises(
        ScenarioError, match=r"found a `pause_from` of 40 s, which is later than `pause_to` \(30 s\)"
    ):
        Scenario.from_file(CASES / "5.8.toml", pauses)


CALL = """\
duration = "10 s"
[dumbbell]
bottleneck = { rate = "4 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "2 bdp" } }
access = { rate = "100 Mbit/s", delay = "1 ms" }
[[flows]]
control = "rtp:nada"
transport = "rtp"
"""


def test_a_call_alone_has_every_frame_in_time() -> None:
    (flow,) = Scenario.from_text(CALL).run(seed=1).result["flows"]
    # The first is made at once, and then thirty each second; that of 10 s is not.
    assert flow["frames"] == 300
    # The frames of the last 22 ms are still under way.
    assert flow["completed_frames"] in (299, 300)
    assert (flow["late_frames"], flow["freezes"], flow["freeze_s"]) == (0, 0, 0)
    # A frame is sent within a frame's time of 33 ms, and takes 22 ms and its transmission.
    assert 0.022 < flow["frame_delay_p50_s"] < 0.022 + 0.034 + 0.005
    assert flow["retransmitted_packets"] == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'control = "rtp:nada"',
            'control = "cubic"',
            'the congestion control "cubic" over RTP, expected a congestion control for real-time media',
        ),
        (
            'transport = "rtp"',
            "",
            'the congestion control "rtp:nada" over a transport other than rtp, expected `transport = "rtp"`',
        ),
        (
            'transport = "rtp"',
            'transport = "quic"',
            'the congestion control "rtp:nada" over a transport other than rtp, expected `transport = "rtp"`',
        ),
        (
            'transport = "rtp"',
            'transport = { name = "rtp", min_rate = "2 Mbit/s" }',
            "a `min_rate` of at most `max_rate`",
        ),
        (
            'transport = "rtp"',
            'transport = "rtp"\napplication = "video"',
            'the application "video" over RTP, expected no `application`',
        ),
        (
            'transport = "rtp"',
            'transport = "rtp"\nbackoff = "rta"',
            "`backoff` over RTP, expected no `backoff`",
        ),
        (
            'transport = "rtp"',
            'transport = "rtp"\nreader = "1 Mbit/s"',
            "`reader` over RTP, expected no `reader`",
        ),
        (
            'transport = "rtp"',
            'transport = "rtp"\nslow_start = "hystart"',
            "a window-based congestion control over a transport other than RTP",
        ),
        ('control = "rtp:nada"', 'control = "rtp:nadia"', "did you mean `rtp:nada`?"),
        ('control = "rtp:nada"', 'control = { name = "rtp:nada", logwin = "1 h" }', "logwin"),
    ],
)
def test_what_is_wrong_with_a_call_is_said(old: str, new: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_text(CALL.replace(old, new))
    assert message in str(caught.value)


def concerns(control: str) -> set[str]:
    """The metrics of N-08-media that are a concern for a control: one of the registry, or of offenders.py."""
    plan = evaluation.Plan(
        contenders.contender(control),
        [contenders.contender("cubic")],
        [load("N-08-media")],
        quick=True,
        seeds=3,
    )
    (result,) = evaluation.evaluate(plan, limit_s=60).family("N-08").scenarios
    return {finding.metric.id for finding in result.findings if finding.verdict == CONCERN}


def test_a_control_that_ignores_losses_is_a_concern_for_calls() -> None:
    # Its losses take frames and with them the rate. The picture is frozen for 0.6 % of the time in the mean; 1 % is
    # allowed, and three seeds do not decide.
    assert concerns(f"{Path(__file__).with_name('offenders.py')}:IgnoresLoss") == {"rate", "frames"}


def test_cubic_itself_is_no_concern_for_calls() -> None:
    assert concerns("cubic") == set()


def test_rbcc_takes_the_rate_of_calls_and_ledbat_leaves_some() -> None:
    assert {"rate", "frames"} <= concerns("rbcc")
    # LEDBAT holds a queue of 100 ms (RFC 6817), at which NADA's rate is 10 ms / 100 ms of its highest one, and frames
    # are in time. In the longer queue that CUBIC fills in its place, hardly any frame is.
    assert concerns("ledbat") == set()
