"""The metrics of RFC 5166, by values that can be computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ackclock.experiment import breakers, rfc5166
from ackclock.metrics import jain_index


def test_power_and_the_rate_of_standard_tcp() -> None:
    assert rfc5166.power(10e6, 0.05) == 200e6
    assert math.isnan(rfc5166.power(1.0, 0.0))
    assert rfc5166.tcp_rate(0.1, 0.01) == pytest.approx(120)
    assert math.isnan(rfc5166.tcp_rate(0.1, 0.0))


def test_losses_within_a_round_trip_are_one_event() -> None:
    assert rfc5166.loss_events(np.array([1.0, 1.05, 1.1, 1.11, 2.0]), 0.1) == 3
    assert rfc5166.loss_events(np.array([]), 0.1) == 0


def test_bursts_of_losses() -> None:
    # Three lost within five packets, then sixteen received, then a loss alone.
    lost = [False] * 10 + [True, True, False, False, True] + [False] * 16 + [True] + [False] * 8
    found = rfc5166.loss_bursts(lost)
    assert found.burst_density == pytest.approx(3 / 5)
    assert found.burst_packets == 5
    assert found.gap_density == pytest.approx(1 / 35)
    assert found.gap_packets == pytest.approx((10 + 25) / 2)
    assert rfc5166.loss_bursts([False] * 4) == rfc5166.LossBursts(0.0, 0.0, 0.0, 4.0)


def test_fifteen_packets_received_do_not_end_a_burst() -> None:
    between = [True] + [False] * 15 + [True]
    assert rfc5166.loss_bursts(between).burst_packets == 17
    assert rfc5166.loss_bursts([True] + [False] * 16 + [True]).burst_packets == 0


def test_smoothness_responsiveness_aggressiveness_oscillation() -> None:
    reno = np.array([20.0, 10, 11, 12, 13])
    assert rfc5166.smoothness(reno) == 0.5
    assert rfc5166.aggressiveness(reno) == 1
    assert rfc5166.responsiveness(np.array([16.0, 12, 8, 4])) == 2
    assert math.isnan(rfc5166.responsiveness(np.array([16.0, 12])))
    assert rfc5166.oscillation(np.array([1.0, 3, 1, 3]), 1) == pytest.approx(0.5)
    assert rfc5166.oscillation(np.array([1.0, 3, 1, 3]), 2) == 0


def test_fairness() -> None:
    shares = np.array([1.0, 1, 0, 0])
    assert jain_index(shares) == 0.5
    assert rfc5166.product_measure(np.array([0.25, 0.5])) == 0.125
    assert rfc5166.epsilon(np.array([3.0, 4])) == 0.25
    assert rfc5166.epsilon(shares) == 1


def test_the_time_to_a_delta_fair_allocation() -> None:
    time = np.arange(0.0, 6.0)
    second = np.array([0.0, 1, 3, 4, 4.5, 5])
    assert rfc5166.delta_fair_time(time, 10 - second, second, 0.1, 1.0) == 3
    assert math.isnan(rfc5166.delta_fair_time(time, 10 - second, second * 0.1, 0.1, 1.0))


def test_allocations_over_several_links() -> None:
    # One flow over both links, one over each: each link of 10 is shared by two.
    routes = [["a", "b"], ["a"], ["b"]]
    assert rfc5166.max_min({"a": 10, "b": 10}, routes) == [5, 5, 5]
    assert rfc5166.max_min({"a": 10, "b": 4}, routes) == [2, 8, 2]
    # Proportional fairness gives the flow over both links a third of each.
    fair, equal = [10 / 3, 20 / 3, 20 / 3], [5.0, 5, 5]
    assert rfc5166.proportional_gain(fair, equal) <= 1e-12
    assert rfc5166.proportional_gain(equal, fair) > 0
    # Minimum potential delay: the share x of the long flow minimises 1/x + 2/(10 - x), x = 10 / (1 + sqrt 2).
    best = 10 / (1 + math.sqrt(2))
    least = rfc5166.potential_delay([best, 10 - best, 10 - best])
    for other in (best - 0.1, best + 0.1):
        assert rfc5166.potential_delay([other, 10 - other, 10 - other]) > least


def test_harm() -> None:
    assert rfc5166.harm_to_more(np.array([10.0]), np.array([4.0])) == pytest.approx(0.6)
    assert rfc5166.harm_to_less(np.array([25.0]), np.array([100.0])) == pytest.approx(0.75)
    assert rfc5166.harm_to_less(np.array([0.0]), np.array([0.0])) == 0
    assert np.isnan(rfc5166.harm_to_more(np.array([0.0]), np.array([1.0]))).all()


def test_the_exponent_of_goodput_over_the_round_trip() -> None:
    rtt = np.array([0.02, 0.04, 0.16])
    assert rfc5166.rtt_exponent(1 / rtt, rtt) == pytest.approx(-1)
    assert rfc5166.rtt_exponent(rtt**0.5, rtt) == pytest.approx(0.5)
    assert math.isnan(rfc5166.rtt_exponent(np.array([1.0, 0.0]), rtt[:2]))
    # QUIC stacks do not tell their round trips.
    assert math.isnan(rfc5166.rtt_exponent(np.array([1.0, 2.0]), np.array([math.nan, math.nan])))


def test_gaps_that_grow() -> None:
    doubling = np.cumsum([0.0, 1, 2, 4, 8])
    assert rfc5166.least_growth(doubling, 0, 60) == pytest.approx(2)
    assert rfc5166.least_growth(np.cumsum([0.0, 1, 2, 4, 4]), 0, 60) == pytest.approx(1)
    # Gaps of the cap need not grow.
    assert rfc5166.least_growth(np.cumsum([0.0, 16, 32, 60, 60]), 0, 58) == pytest.approx(2)
    assert rfc5166.least_growth(np.array([1.0, 2.0]), 0, 60) == math.inf


def test_a_circuit_breaker_of_the_network() -> None:
    arrived = np.full(8, 100.0)
    dropped = np.array([0.0, 20, 20, 0, 20, 20, 20, 20])
    # The windows 4, 5 and 6 are the first three in a row.
    assert breakers.of_network(arrived, dropped, 0.1, 3) == [6]
    assert breakers.of_network(arrived, dropped, 0.2, 3) == []
    assert breakers.of_network(np.zeros(8), np.zeros(8), 0.1, 3) == []
    assert breakers.of_network(arrived, np.full(8, 20.0), 0.1, 3) == [2, 5]
    assert rfc5166.worst_share(arrived, dropped) == pytest.approx(0.2)


def test_the_circuit_breakers_of_a_call() -> None:
    def of_call(sent: list[float], received: list[float], rtt_s: float = 0.1) -> list[int]:
        return breakers.of_call(np.array(sent), np.array(received), rtt_s, 1)

    # 100 ms and a hundredth lost: 1 / (0.1 sqrt(0.02 / 3)) = 122.5 packets per second.
    assert breakers.tcp_throughput(0.1, 0.01) == pytest.approx(10 / math.sqrt(0.02 / 3))
    for sent, trips in ((1200.0, []), (1250.0, [2])):
        assert of_call([sent] * 4, [0.99 * sent] * 4) == trips
    # The third report is the first that can open it, and after that the sixth.
    assert of_call([1250.0] * 6, [1237.5] * 6) == [2, 5]
    # Without losses nothing is too much. Three reports are averaged: a loss of 0.6 % for one without loss between two
    # of 0.9 %, with 12000 / (0.1 sqrt(0.012 / 3)) = 1.90 Mbit/s, of which ten times are 1581 packets per second.
    assert of_call([1250.0] * 5, [1250.0] * 5) == []
    for sent, trips in ((1570.0, []), (1590.0, [2])):
        assert of_call([sent] * 3, [0.991 * sent, sent, 0.991 * sent]) == trips
    # Over 500 ms ten round trips are five reports.
    assert [breakers.reports_averaged(rtt_s, 1) for rtt_s in (0.1, 0.3, 0.31, 0.5, 2.0)] == [3, 3, 4, 5, 15]
    assert of_call([1250.0] * 5, [1237.5] * 5, 0.5) == [4]
    # Nothing arrives: the media timeout after five reports, whatever the rate; and a call that sends nothing has none.
    assert of_call([10.0] * 6, [0.0] * 6) == [4]
    # One packet arrives: no timeout. Of 30 packets 29 are lost, and 120 kbit/s are less than ten times 149 kbit/s.
    assert of_call([10.0] * 5, [0.0] * 4 + [1.0]) == []
    assert of_call([0.0] * 6, [0.0] * 6) == []


def test_the_time_of_an_amount() -> None:
    time = np.arange(0.5, 10.5, 0.5)
    rate = np.where(time > 4, 10.0, 0.0)
    # From 2 s on: nothing for 2 s, then 10 each second.
    assert rfc5166.time_of_amount(time, rate, 20, 2) == pytest.approx(4)
    assert rfc5166.time_of_amount(time, rate, 21, 2) == pytest.approx(4.1)
    assert math.isnan(rfc5166.time_of_amount(time, rate, 61, 2))


def test_the_largest_growth_in_a_round_trip() -> None:
    time = np.arange(0.0, 1.0, 0.1)
    assert rfc5166.largest_growth(time, 30 * time, 0.2) == pytest.approx(6)
    assert rfc5166.largest_growth(time, -time, 0.2) == 0
    assert math.isnan(rfc5166.largest_growth(time[:2], time[:2], 0.2))


def test_the_time_to_a_level_that_is_kept() -> None:
    time = np.arange(0.0, 10.0, 0.5)
    values = np.where(time > 6, 10.0, np.where(time == 2, 10.0, 0.0))
    assert rfc5166.time_of_keeping(time, values, 10, 1.0, 1.0) == pytest.approx(5)
    assert math.isnan(rfc5166.time_of_keeping(time, values, 11, 1.0, 1.0))
