"""The document of ``ackclock run --json``.

Counts and means are over the measured part of the run, from the warm-up to the end. A value is null where there was no
sample. Names end in their unit: ``_s`` seconds, ``_bps`` bits per second, ``_packets`` packets.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Document(BaseModel):
    """A published document: a key that is not described here is an error in the program that wrote it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FlowRecord(Document):
    """One flow."""

    name: str
    group: str = Field(description="the name of the [[flows]] table that it comes from")
    control: str = Field(description="congestion control, or none")
    start_s: float
    completed_s: float | None = Field(description="when its last byte had arrived; null when it had not")
    sent_packets: int = Field(description="data packets sent, retransmissions included")
    delivered_packets: int = Field(description="in order and unique, to the application")
    retransmitted_packets: int
    lost_packets: int = Field(description="dropped in a queue plus lost on a link")
    dropped_packets: int = Field(description="dropped in a queue")
    corrupted_packets: int = Field(description="lost on a link")
    goodput_bps: float = Field(description="payload delivered in order / measured time")
    throughput_bps: float = Field(description="payload sent minus retransmitted / measured time")
    rtt_mean_s: float | None
    rtt_std_s: float | None
    rtt_min_s: float | None
    rtt_p50_s: float | None
    rtt_p95_s: float | None
    rtt_p99_s: float | None
    one_way_delay_mean_s: float | None
    one_way_delay_std_s: float | None
    one_way_delay_min_s: float | None
    one_way_delay_p50_s: float | None
    one_way_delay_p95_s: float | None
    one_way_delay_p99_s: float | None
    timeouts: int
    timeout_idle_s: float = Field(description="time spent waiting for retransmission timers that expired")
    fast_retransmits: int
    cwnd_mean_packets: float | None = Field(description="over time")
    connections: int | None = Field(None, description="web sessions, transfers: connections that began")
    completed_connections: int | None = Field(None, description="those of them that completed")
    pages: int | None = Field(None, description="pages only: pages that began")
    completed_pages: int | None = Field(None, description="those of them that completed")
    segments: int | None = Field(None, description="adaptive video only: segments that were asked for")
    completed_segments: int | None = Field(None, description="those of them that arrived")
    video_rate_mean_bps: float | None = Field(None, description="mean rate of the segments that arrived")
    rate_switches: int | None = Field(None, description="changes of that rate")
    stalls: int | None = Field(None, description="how often the playout buffer ran empty")
    stall_s: float | None = Field(None, description="for how long in all")
    requests: int | None = Field(None, description="requests only: requests that were sent")
    completed_requests: int | None = Field(None, description="those of them whose reply came")
    completion_mean_s: float | None = Field(None, description="how long that took")
    completion_p50_s: float | None = None
    completion_p95_s: float | None = None
    one_way_delay_quantiles_s: list[float] | None = Field(
        None, description="at the run's `probabilities`, where distributions were asked for"
    )


class LinkRecord(Document):
    """One link, in one direction."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: str
    from_: str = Field(alias="from")
    to: str
    rate_bps: float
    utilisation: float = Field(ge=0, le=1, description="share of the measured time in which it was sending")
    arrived_packets: int
    delivered_packets: int
    dropped_packets: int = Field(description="dropped by its queue")
    lost_packets: int = Field(description="lost on the wire")
    marked_packets: int = Field(description="marked with ECN's CE")
    queue_mean_packets: float | None = Field(description="over time")
    queue_std_packets: float | None
    queue_max_packets: int | None
    queue_empty_share: float | None = Field(description="share of the time in which nothing waited, 0 to 1")
    wait_mean_s: float | None = Field(description="from a packet's arrival to the start of its transmission")
    wait_std_s: float | None
    wait_p50_s: float | None
    wait_p95_s: float | None
    wait_p99_s: float | None
    wait_quantiles_s: list[float] | None = Field(
        None, description="at the run's `probabilities`, where distributions were asked for"
    )
    loss_events: int | None = Field(
        None, description="times of a round trip that begin with a drop, where they were asked for"
    )
    loss_event_flows_mean: float | None = Field(None, description="flows that lose packets in one of them")
    loss_synchronisation: float | None = Field(
        None, description="that over the flows that send in it, mean over the events"
    )
    loss_synchronisation_at_random: float | None = Field(
        None, description="the same if each drop hit one of these flows at random"
    )


class GroupRecord(Document):
    """All flows of one [[flows]] table."""

    name: str
    flows: int = Field(description="how many")
    goodput_bps: float = Field(description="sum over its flows")
    fairness: float | None = Field(description="Jain's index over its flows' goodput")
    bursts: int | None = Field(
        None, description="runs of packets that come faster than the link sends, where they were asked for"
    )
    bursts_without_loss: int | None = Field(None, description="those of which no packet was dropped")
    burst_packets: int | None = Field(None, description="packets of all of them")
    burst_dropped_packets: int | None = Field(None, description="those of them that were dropped at the link")
    burst_peak_wait_mean_s: float | None = Field(
        None, description="the longest wait before a packet of the burst, mean over the bursts"
    )
    bursts_over: int | None = Field(
        None, description="bursts after which the queue came back before the next burst of the group"
    )
    burst_lasted_mean_s: float | None = Field(None, description="how long that took, mean over those")


class Series(Document):
    """Values over time, all at the times of ``time_s``."""

    time_s: list[float]
    flows: dict[str, dict[str, list[float | None]]] = Field(description="flow: quantity: values")
    links: dict[str, dict[str, list[float | None]]] = Field(description="link: quantity: values")


class Result(Document):
    """The result of one run."""

    scenario: str = Field(description="the scenario's name")
    seed: int
    version: str = Field(description="of the simulator core")
    duration_s: float
    measured_s: tuple[float, float] = Field(description="from (the end of the warm-up), to")
    probabilities: list[float] | None = Field(
        None, description="of all lists of quantiles, where distributions were asked for"
    )
    flows: list[FlowRecord]
    links: list[LinkRecord]
    groups: list[GroupRecord]
    fairness: float | None = Field(description="Jain's index over the goodput of all flows")
    series: Series | None = None


class Statistic(Document):
    """A quantity over the replications."""

    mean: float | None
    std: float | None = Field(description="sample form, n - 1")
    interval: tuple[float, float] | None = Field(description="95 %, Student t")
    samples: int


class Point(Document):
    """All replications at one point of the scenario's sweep."""

    overrides: dict[str, Any] = Field(description="dotted path: value; empty without a sweep")
    runs: list[Result]
    summary: dict[str, Statistic] = Field(
        description="fairness, groups.<group>.<quantity> (mean over its flows), links.<link>.<quantity>"
    )


class RunDocument(Result):
    """What ``run --json`` prints: the first run and, when there are several, all of them."""

    points: list[Point] | None = Field(
        default=None, description="null for a single run; else every run, point by point of the sweep"
    )
