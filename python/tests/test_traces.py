"""Logs of senders compared: the forms of other stacks, first differences that are known, mutants, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import polars as pl
import pytest
from conftest import Command
from traces_stacks import (
    CONNECTION,
    COUNTS_LOSSES,
    RS,
    SIZE,
    STACKS,
    Line,
    changed,
    metrics_only,
    mvfst,
    mvfst_2026,
    neqo,
    noq,
    picoquic,
    quic_go,
    quiche,
    quinn_2026,
)

from ackclock import Scenario
from ackclock.errors import InputError
from ackclock.schemas import schema
from ackclock.traces.compare import compare
from ackclock.traces.log import Course, Log, Place, Steps
from ackclock.traces.outcome import Tolerance
from ackclock.traces.read import read
from ackclock.traces.states import canonical, coarse, comparable

EXACT = Tolerance(0.0, {}, 0.0)
PATH = """
name = "one flow"
duration = "4 s"
[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "18 ms", queue = { name = "droptail", limit = "1 bdp" } }
access = { rate = "1 Gbit/s", delay = "1 ms" }
[[flows]]
name = "quic"
control = "cubic"
transport = "quic"
"""


def log(tmp_path: Path, text: str, name: str = "log.sqlog") -> Log:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read(str(path))


def without(*indices: int) -> tuple[Line, ...]:
    return tuple(line for index, line in enumerate(CONNECTION) if index not in indices)


class TestStacks:
    @pytest.mark.parametrize("ours", STACKS)
    def test_one_connection_in_the_form_of_each_stack_is_equal(self, tmp_path: Path, ours: str) -> None:
        logs = {name: log(tmp_path, stack(CONNECTION), f"{name}.log") for name, stack in STACKS.items()}
        for name, theirs in logs.items():
            found = compare(logs[ours], theirs, tolerance=Tolerance(1e-9, {}, 1e-6))
            assert found.agree, (name, found.parting)
            assert {"congestion_window", "bytes_in_flight", "smoothed_rtt", "losses"} <= set(found.compared)
            assert not found.not_compared.keys() & set(found.compared)

    @pytest.mark.parametrize("name", STACKS)
    def test_a_smaller_window_in_the_form_of_each_stack_is_found(self, tmp_path: Path, name: str) -> None:
        theirs = log(tmp_path, STACKS[name](changed(13, cwnd=2.5)), "theirs")
        found = compare(log(tmp_path, STACKS[name](CONNECTION)), theirs)
        assert found.parting is not None
        assert found.parting.what == "congestion_window"

    @pytest.mark.parametrize("name", STACKS)
    def test_a_loss_less_in_the_form_of_each_stack_is_found_or_left_out(
        self, tmp_path: Path, name: str
    ) -> None:
        ours = log(tmp_path, STACKS[name](CONNECTION))
        found = compare(ours, log(tmp_path, STACKS[name](without(11)), "theirs"))
        if name == "metrics_only":
            assert found.not_compared["losses"] == f"no event in {tmp_path / 'theirs'} reports losses"
        else:
            assert found.parting is not None
            assert found.parting.what == "losses"
            assert found.parting.theirs in ("no event reports losses", "no packet lost from this point on")

    def test_times_windows_and_packets_are_in_our_units(self, tmp_path: Path) -> None:
        for name, stack in STACKS.items():
            found = log(tmp_path, stack(CONNECTION))
            assert found.courses["smoothed_rtt"].values == pytest.approx([0.040, 0.041, 0.042, 0.043]), name
            windows = found.courses["congestion_window"].values
            assert windows[-4:] == [6 * SIZE, 3 * SIZE, 4 * SIZE, 5 * SIZE], name
            assert found.packet_bytes == (None if name == "metrics_only" else SIZE), name
            (lost,) = found.of_kind("lost")
            assert lost.nth == (None if name in COUNTS_LOSSES else 2), name

    def test_flights_at_sendings_do_not_count_where_there_are_some_at_acknowledgements(
        self, tmp_path: Path
    ) -> None:
        found = log(tmp_path, quic_go(CONNECTION))
        assert found.courses["bytes_in_flight"].values == [2 * SIZE, 2 * SIZE, 0]

    def test_what_a_handshake_set_holds_from_the_first_data_packet_on(self) -> None:
        course = Course()
        for time_s, value in ((0.9, 10), (1.0, 12), (1.5, 14)):
            course.add(Place(time_s, 0), value)
        steps = Steps.of(course, "time", 1.2, 2)
        assert (steps.at, steps.values) == ([0.0, pytest.approx(0.3)], [6, 7])
        assert [steps.value(at) for at in (0, 0.2, 0.4)] == [6, 6, 7]

    def test_a_log_without_packets_is_aligned_by_its_first_metrics(self, tmp_path: Path) -> None:
        found = compare(log(tmp_path, metrics_only(CONNECTION)), log(tmp_path, noq(CONNECTION), "noq.sqlog"))
        assert found.origin == "the first acknowledgement"
        assert found.begins_s == pytest.approx((0.047, 0.04325))
        with pytest.raises(
            InputError, match="has no events of sent packets, which --by packet needs: use --by time"
        ):
            compare(found.ours, found.theirs, "packet")

    def test_states_of_all_spellings(self) -> None:
        assert {canonical(name) for name in ("ProbeBW_UP", "bbr_probe_bw_up", "probe_bw_up")} == {
            "probe_bw_up"
        }
        assert canonical("recovery_start") == "recovery"
        assert coarse("probe_bw_cruise") == "probe_bw"
        assert not comparable(["startup"], ["slow_start"])
        assert comparable(["startup", "probe_bw"], ["drain"])


class TestFirstDifference:
    """What differs, and where, is known by hand."""

    @pytest.mark.parametrize("align", ["time", "packet"])
    def test_one_window_changed(self, tmp_path: Path, align: Any) -> None:
        # Event 13 is the reduction at 80 ms, after 8 packets: 3 packets become 3.5.
        theirs = log(tmp_path, neqo(changed(13, cwnd=3.5)), "theirs")
        found = compare(log(tmp_path, quic_go(CONNECTION)), theirs, align, EXACT)
        assert found.parting is not None
        assert found.parting.what == "congestion_window"
        assert found.parting.at == pytest.approx(0.080 if align == "time" else 8)
        assert (found.parting.ours, found.parting.theirs) == ("3 packets", "3.5 packets")
        (window,) = (one for one in found.differences if one.quantity == "congestion_window")
        assert window.largest == pytest.approx(0.5 / 3.5)
        assert found.state("ours") == found.state("theirs") == "recovery"

    @pytest.mark.parametrize(("share", "agree"), [(0.1428, False), (0.1429, True)])
    def test_the_tolerance_is_a_share_of_the_larger_value(
        self, tmp_path: Path, share: float, agree: bool
    ) -> None:
        theirs = log(tmp_path, neqo(changed(13, cwnd=3.5)), "theirs")
        for tolerance in (Tolerance(share, {}, 0), Tolerance(0, {"congestion_window": share}, 0)):
            assert compare(log(tmp_path, neqo(CONNECTION)), theirs, "time", tolerance).agree == agree

    def test_one_packet_lost_earlier(self, tmp_path: Path) -> None:
        # Packet 2 is declared lost with the first acknowledgement already, at 40 ms.
        earlier = (*CONNECTION[:5], Line(40, "lost", 2), *CONNECTION[5:11], *CONNECTION[12:])
        found = compare(log(tmp_path, neqo(CONNECTION)), log(tmp_path, noq(earlier), "theirs"), "time", EXACT)
        assert found.parting is not None
        assert (found.parting.what, found.parting.at) == ("losses", pytest.approx(0.040))
        assert found.parting.ours == (
            "no packet lost at this point; the next such event in this log: packet 2 lost (reordering_threshold)"
        )
        assert (
            found.parting.theirs == "packet 14 lost (reordering_threshold)"
        )  # its first data packet is number 12
        assert found.parting.our_event is None
        assert [str(event) for event in found.before("theirs", 2)] == [
            "packet 15 sent",
            "packets up to 13 acknowledged",
        ]

    def test_another_packet_lost(self, tmp_path: Path) -> None:
        found = compare(
            log(tmp_path, neqo(CONNECTION)),
            log(tmp_path, neqo(changed(11, packet=3)), "theirs"),
            "packet",
            EXACT,
        )
        assert found.parting is not None
        assert (found.parting.what, found.parting.at) == ("losses", 8)
        assert found.parting.ours.startswith("packet 2 lost")
        assert found.parting.theirs.startswith("packet 3 lost")

    def test_no_recovery(self, tmp_path: Path) -> None:
        found = compare(
            log(tmp_path, neqo(CONNECTION)), log(tmp_path, neqo(without(12)), "theirs"), "time", EXACT
        )
        assert found.parting is not None
        assert (found.parting.what, found.parting.at) == ("states", pytest.approx(0.080))
        assert found.parting.ours == "state recovery"

    def test_a_later_acknowledgement_is_within_the_slack_or_not(self, tmp_path: Path) -> None:
        later = tuple(Line(**{**vars(line), "ms": line.ms + 3 * (line.ms > 100)}) for line in CONNECTION)
        logs = [log(tmp_path, neqo(CONNECTION)), log(tmp_path, neqo(later), "theirs")]
        assert compare(*logs, "time", Tolerance(0, {}, 0.0031)).agree
        assert compare(*logs, "packet", EXACT).agree
        found = compare(*logs, "time", Tolerance(0, {}, 0.0029))
        assert found.parting is not None
        assert (found.parting.what, found.parting.at) == ("states", pytest.approx(0.120))

    def test_a_value_between_those_before_and_after_a_step_is_another(self, tmp_path: Path) -> None:
        # 4.5 packets lie between 6 and 3, both of which the other log has within the slack.
        by_steps = (*changed(13, cwnd=4.5)[:14], Line(83, "metrics", cwnd=3), *CONNECTION[14:])
        logs = [log(tmp_path, neqo(CONNECTION)), log(tmp_path, neqo(by_steps), "theirs")]
        found = compare(*logs, "time", Tolerance(0.01, {}, 0.005))
        assert found.parting is not None
        assert (found.parting.what, found.parting.at) == ("congestion_window", pytest.approx(0.080))

    def test_a_log_that_ends_earlier_agrees_as_far_as_it_goes(self, tmp_path: Path) -> None:
        shorter = log(tmp_path, neqo(CONNECTION[:11]), "theirs")
        found = compare(log(tmp_path, neqo(CONNECTION)), shorter, "time", EXACT)
        assert found.agree
        assert found.span == pytest.approx(0.080)

    def test_what_only_one_log_has_is_said(self, tmp_path: Path) -> None:
        found = compare(log(tmp_path, neqo(CONNECTION), "ours"), log(tmp_path, noq(CONNECTION), "theirs"))
        assert found.not_compared == {
            "pacing_rate": "in neither log",
            "retransmitted": "in neither log",
            "states": f"no event in {tmp_path / 'theirs'} reports states",
            "timeouts": "no event in either log reports timeouts",
        }
        assert found.compared == [
            "congestion_window",
            "ssthresh",
            "bytes_in_flight",
            "smoothed_rtt",
            "losses",
        ]


class TestHandshake:
    @pytest.mark.parametrize(
        "lost",
        [
            {"type": "initial", "packet_number": 0},
            {"packet_type": "handshake", "packet_number": 0},
            {"header": {"packet_type": "initial", "packet_number": 0}},
            # Before the first data packet nothing else can be lost.
            {"packet_number": 0},
        ],
    )
    def test_a_lost_packet_of_the_handshake_is_no_lost_data(
        self, tmp_path: Path, lost: dict[str, Any]
    ) -> None:
        event = {"time": 1, "name": "recovery:packet_lost", "data": lost}
        before = neqo(CONNECTION).split("\n")
        with_loss = "\n".join([before[0], json.dumps(event), *before[1:]])
        found = compare(log(tmp_path, with_loss), log(tmp_path, neqo(CONNECTION)))
        assert found.agree, found.parting
        assert [event.nth for event in found.ours.of_kind("lost")] == [2]


class TestOtherWords:
    def test_windows_and_losses_in_the_words_of_mvfst_are_compared(self, tmp_path: Path) -> None:
        plain = log(tmp_path, mvfst(CONNECTION))
        # The window 2.9 times as large, as in 40,000 beside 13,772 bytes.
        found = compare(plain, log(tmp_path, mvfst(changed(5, cwnd=6 * 2.9))))
        assert found.parting is not None
        assert found.parting.what == "congestion_window"
        found = compare(plain, log(tmp_path, mvfst(without(11))))
        assert found.parting is not None
        assert found.parting.what == "losses"

    @pytest.mark.parametrize(("count", "agree"), [(2, True), (3, False)])
    def test_losses_of_which_one_log_gives_the_number_are_compared_by_it(
        self, tmp_path: Path, count: int, agree: bool
    ) -> None:
        one = Line(80, "lost", 1)
        two = (*CONNECTION[:11], one, *CONNECTION[11:])
        counted = mvfst(CONNECTION).replace('"lost_packets": 1', f'"lost_packets": {count}')
        found = compare(log(tmp_path, neqo(two)), log(tmp_path, counted), ignored=["ssthresh"])
        assert found.agree is agree, found.parting
        assert len(found.theirs.of_kind("lost")) == count

    def test_no_more_packets_are_lost_than_were_sent(self, tmp_path: Path) -> None:
        text = mvfst(CONNECTION).replace('"lost_packets": 1', '"lost_packets": 1e18')
        assert len(log(tmp_path, text).of_kind("lost")) == 8

    @pytest.mark.parametrize(
        "name", ["recovery:window_changed", "loss:some_lost", "cc:cwnd_update", "connectivity:rtt_sample"]
    )
    def test_what_is_not_understood_makes_no_agreement(
        self, tmp_path: Path, ackclock: Command, name: str
    ) -> None:
        event = {"time": 99, "name": name, "data": {"window": 1}}
        lines = neqo(CONNECTION).split("\n")
        for number, text in enumerate(("\n".join(lines), "\n".join([*lines[:-1], f"{json.dumps(event)}\n"]))):
            (tmp_path / f"{number}.sqlog").write_text(text, encoding="utf-8")
        files = "0.sqlog", "1.sqlog"
        assert ackclock("compare-trace", files[0], files[0]).code == 0
        short = name.rpartition(":")[2]
        for order in (files, files[::-1], (files[1], files[1])):
            refused = ackclock("compare-trace", *order)
            assert (refused.code, refused.out) == (2, "")
            assert "1.sqlog: has events that are not understood and may matter" in refused.err
            assert f"{short} (1); leave them out with --ignore, as in `--ignore {short}`" in refused.err
            allowed = ackclock("compare-trace", *order, "--ignore", short)
            assert allowed.code == 0
            assert f"not compared: {short}, ignored" in allowed.out

    @pytest.mark.parametrize(
        "name", ["transport:parameters_set", "recovery:parameters_set", "http:frame_created"]
    )
    def test_what_says_nothing_of_it_is_left_out(self, tmp_path: Path, name: str) -> None:
        event = {"time": 99, "name": name, "data": {}}
        text = neqo(CONNECTION) + f"{json.dumps(event)}\n"
        assert log(tmp_path, text).not_understood == {}


class TestSpellings:
    def test_states_that_a_log_numbers_are_not_compared(self, tmp_path: Path) -> None:
        ours = log(tmp_path, picoquic(CONNECTION), "ours")
        found = compare(ours, log(tmp_path, quic_go(CONNECTION), "theirs"))
        assert found.not_compared["states"] == f"{tmp_path / 'ours'} has unknown states: 1, 2"
        assert compare(ours, ours).not_compared["states"] == found.not_compared["states"]

    @pytest.mark.parametrize(
        ("kind", "data"),
        [
            ("recovery:loss_timer_updated", {"event_type": "expired", "timer_type": "pto"}),
            ("quic:timer_updated", {"event_type": "expired", "timer_type": "pto"}),
            ("quic:loss_timer_updated", {"type": "pto alarm", "largest_sent": 7, "alarm_count": 1}),
            ("loss:loss_alarm", {"type": "pto alarm", "largest_sent": 7, "alarm_count": 1}),
            ("recovery:loss_timer_expired", {"timer_type": "pto"}),
            ("recovery:loss_alarm_fired", {}),
        ],
    )
    def test_a_timeout_in_all_spellings(self, tmp_path: Path, kind: str, data: dict[str, Any]) -> None:
        for changes, count in (({}, 1), ({"event_type": "set"}, 0), ({"timer_type": "ack"}, 0)):
            if not changes.keys() <= data.keys():
                continue
            event = {"time": 130, "name": kind, "data": {**data, **changes}}
            found = log(tmp_path, neqo(CONNECTION) + f"{json.dumps(event)}\n")
            assert len(found.of_kind("timeout")) == count
            assert found.tells("timeouts", "timeout")

    def test_the_pacing_rate_of_quiche_is_in_bytes_and_known_by_its_other_rates(self, tmp_path: Path) -> None:
        found = log(tmp_path, quiche(CONNECTION))
        assert found.courses["pacing_rate"].values == [1e6]
        before = log(tmp_path, quiche(CONNECTION).replace('"cf_delivery_rate": 0, ', ""))
        assert "pacing_rate" not in before.courses
        assert before.silent["pacing_rate"] == (
            "the log has no cf_delivery_rate, so its pacing_rate may be the delivery rate"
        )

    def test_a_quiche_without_a_number_of_lost_packets_tells_of_no_losses(self, tmp_path: Path) -> None:
        older = quiche(CONNECTION).replace("cf_lost_packets", "cf_other")
        found = compare(log(tmp_path, neqo(CONNECTION)), log(tmp_path, older, "theirs"))
        assert found.agree
        assert found.not_compared["losses"] == f"{tmp_path / 'theirs'}: quiche did not log lost packets"

    def test_a_lost_probe_of_the_path_is_no_lost_data(self, tmp_path: Path) -> None:
        text = quinn_2026(CONNECTION).replace('"trigger":', '"is_mtu_probe_packet": true, "trigger":')
        assert not log(tmp_path, text).of_kind("lost")

    def test_what_another_form_tells_is_said(self, tmp_path: Path) -> None:
        ours = neqo(changed(5, srtt=40)).replace('"smoothed_rtt": 40', '"smoothed_rtt": 40, "pacing_rate": 9')
        found = compare(log(tmp_path, ours), log(tmp_path, mvfst_2026(CONNECTION), "theirs"))
        assert found.not_compared["pacing_rate"] == (
            f"not in {tmp_path / 'theirs'}: pacing_metric_update has the size and the "
            "interval of bursts, not a rate"
        )

    def test_a_connection_of_several_paths_is_refused(self, tmp_path: Path) -> None:
        trace = json.loads(picoquic(CONNECTION))
        only = trace["traces"][0]
        only["event_fields"] = ["relative_time", "path_id", "category", "event", "data"]
        only["events"] = [[event[0], 0, *event[1:]] for event in only["events"]]
        assert log(tmp_path, json.dumps(trace)).packet_bytes == SIZE
        only["events"][-1][1] = 1
        with pytest.raises(
            InputError, match=r"events\[\d+\]: the connection has the paths 0, 1, each with its"
        ):
            log(tmp_path, json.dumps(trace))

    def test_every_row_has_an_end_that_reads_it(self) -> None:
        from ackclock.traces import qlog, spellings

        for row in spellings.EVENTS.values():
            assert row.seen_in
            assert row.meaning == "nothing" or hasattr(qlog._Reader, f"_take_{row.meaning}")


def packet(time: float, number: int) -> dict[str, Any]:
    return {
        "time": time,
        "name": "transport:packet_sent",
        "data": {
            "header": {"packet_type": "1RTT", "packet_number": number},
            "raw": {"length": 1200},
            "frames": [{"frame_type": "stream", "length": 1150}],
        },
    }


class TestReported:
    """Small logs that once were read wrongly, each with its right value."""

    def test_a_lost_packet_of_the_handshake_with_its_type_in_the_event(self, tmp_path: Path) -> None:
        acknowledged = {
            "header": {"packet_type": "1RTT", "packet_number": 2},
            "frames": [{"frame_type": "ack", "acked_ranges": [[4, 4]]}],
        }
        plain = [
            packet(300, 4),
            {"time": 380, "name": "transport:packet_received", "data": acknowledged},
            {
                "time": 380,
                "name": "recovery:metrics_updated",
                "data": {"cwnd": 13200, "bytes_in_flight": 0, "smoothed_rtt": 80},
            },
        ]
        lost = {
            "time": 240,
            "name": "recovery:packet_lost",
            "data": {"type": "initial", "packet_number": 0},
        }
        logs = [
            log(
                tmp_path,
                json.dumps(
                    {
                        "qlog_version": "0.3",
                        "qlog_format": "JSON",
                        "traces": [{"vantage_point": {"type": "server"}, "events": events}],
                    }
                ),
                name,
            )
            for name, events in (("lost", [lost, *plain]), ("plain", plain))
        ]
        found = compare(*logs)
        assert found.agree, found.parting
        assert found.not_compared["losses"] == "no event in either log reports losses"

    OTHER_WORDS: ClassVar[list[Any]] = [
        [
            "1000",
            "transport",
            "packet_sent",
            {
                "packet_type": "1RTT",
                "header": {"packet_number": 1, "packet_size": 1252},
                "frames": [{"frame_type": "stream", "length": 1200}],
            },
        ],
        [
            "51000",
            "transport",
            "packet_received",
            {
                "packet_type": "1RTT",
                "header": {"packet_number": 1, "packet_size": 40},
                "frames": [{"frame_type": "ack", "acked_ranges": [[1, 1]]}],
            },
        ],
        ["51000", "recovery", "metric_update", {"latest_rtt": 50000, "smoothed_rtt": 50000}],
    ]

    def other_words(self, window: int, *between: Any, last: Any = None) -> str:
        metric = {"bytes_in_flight": 0, "current_cwnd": window, "state": "Steady", "recovery_state": ""}
        events = [
            *self.OTHER_WORDS,
            *between,
            ["51000", "metric_update", "congestion_metric_update", metric],
            ["90000", "recovery", "metric_update", {"latest_rtt": 50000, "smoothed_rtt": 50001}],
        ]
        if last is not None:
            events.append(last)
        trace = {
            "vantage_point": {"type": "server"},
            "configuration": {"time_units": "us"},
            "event_fields": ["relative_time", "category", "event", "data"],
            "events": events,
        }
        return json.dumps({"qlog_version": "draft-00", "traces": [trace]})

    def test_windows_that_are_2_9_times_apart_in_other_words(self, tmp_path: Path) -> None:
        lost = {"largest_lost_packet_num": 1, "lost_bytes": 1252, "lost_packets": 1}
        ours = log(tmp_path, self.other_words(13772))
        for theirs in (
            self.other_words(40000),
            self.other_words(40000, ["51000", "loss", "packets_lost", lost]),
        ):
            found = compare(ours, log(tmp_path, theirs))
            assert not found.agree
            (window,) = (one for one in found.differences if one.quantity == "congestion_window")
            assert (window.ours, window.theirs) == pytest.approx((11, 40000 / 1252))

    def test_an_empty_last_event(self, tmp_path: Path) -> None:
        found = compare(
            log(tmp_path, self.other_words(13772, last=[])), log(tmp_path, self.other_words(13772))
        )
        assert found.agree
        assert found.span == pytest.approx(0.089)

    def test_two_ends_in_one_file(self, tmp_path: Path, ackclock: Command) -> None:
        ends = [
            {
                "vantage_point": {"name": "aioquic", "type": end},
                "common_fields": {"ODCID": "aa01"},
                "events": [
                    packet(at, number),
                    {"time": at + 80, "name": "recovery:metrics_updated", "data": {"cwnd": window}},
                ],
            }
            for end, at, number, window in (("client", 0, 3, 12000), ("server", 41, 5, 13200))
        ]
        name = str(tmp_path / "both.qlog")
        Path(name).write_text(json.dumps({"qlog_version": "0.3", "traces": ends}), encoding="utf-8")
        refused = ackclock("compare-trace", name, name)
        assert refused.code == 2
        assert f"has 2 traces, expected {name}#client or {name}#server" in refused.err.replace("\n", " ")
        for first, second, code in (
            ("client", "1", 0),
            ("server", "2", 0),
            ("client", "server", 1),
        ):
            assert ackclock("compare-trace", f"{name}#{first}", f"{name}#{second}").code == code


class TestSeveralTraces:
    @staticmethod
    def both(client: dict[str, Any], server: dict[str, Any]) -> str:
        """Returns a document with the traces of two ends, which differ in their last window."""
        traces = []
        for vantage, lines in ((client, changed(20, cwnd=7)), (server, CONNECTION)):
            trace = json.loads(picoquic(lines))["traces"][0]
            del trace["title"]
            traces.append({**trace, "vantage_point": vantage})
        return json.dumps({"qlog_version": "0.3", "traces": traces})

    @pytest.mark.parametrize(
        ("client", "server", "names"),
        [
            (
                {"name": "aioquic", "type": "client"},
                {"name": "aioquic", "type": "server"},
                ("client", "server"),
            ),
            ({"type": "server"}, {"type": "server"}, ("1", "2")),
            ({}, {}, ("1", "2")),
        ],
    )
    def test_one_is_chosen_by_its_end_or_its_number(
        self, tmp_path: Path, client: dict[str, Any], server: dict[str, Any], names: tuple[str, str]
    ) -> None:
        path = tmp_path / "both.qlog"
        path.write_text(self.both(client, server), encoding="utf-8")
        for given in ("", "#aioquic", "#3"):
            with pytest.raises(InputError, match="has 2 traces, expected ") as raised:
                read(f"{path}{given}")
            assert f"expected {path}#{names[0]} or {path}#{names[1]}" in str(raised.value)
        for number, name in enumerate(names, start=1):
            for given in (name, str(number)):
                last = read(f"{path}#{given}").courses["congestion_window"].values[-1]
                assert last == (7 if number == 1 else 5) * SIZE

    def test_an_empty_event_is_none(self, tmp_path: Path) -> None:
        for empty in ("[]", "{}"):
            text = mvfst(CONNECTION)
            assert text.endswith(", []]}]}")
            found = log(tmp_path, text.replace(", []]}]}", f", {empty}]}}]}}"))
            assert len(found.events) == len(log(tmp_path, text.replace(", []]}]}", "]}]}")).events)


class TestOwnLogs:
    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("own")
        Scenario.from_text(PATH).export(folder, "qlog", "events", "events=csv")
        return folder / "exports"

    @pytest.mark.parametrize("align", ["time", "packet"])
    @pytest.mark.parametrize("table", ["events.parquet", "events.csv"])
    def test_qlog_and_event_log_of_a_run_agree(self, folder: Path, table: str, align: Any) -> None:
        tolerance = Tolerance(1e-4, {}, 1e-9 if align == "time" else 2)
        found = compare(read(str(folder / "quic.sqlog")), read(str(folder / table)), align, tolerance)
        assert found.agree, found.parting
        assert len(found.differences) == 4
        assert len(found.ours.of_kind("lost")) == len(found.theirs.of_kind("lost")) > 10
        assert len(found.ours.of_kind("state")) > 2
        assert "states" not in found.not_compared

    def test_every_mutant_of_the_control_is_found(self, folder: Path, tmp_path: Path) -> None:
        ours = read(str(folder / "quic.sqlog"))
        first_loss_s = ours.of_kind("lost")[0].place.time_s
        for change, after_s in (
            ({"flows.quic.control": {"name": "cubic", "beta": 0.6}}, first_loss_s),
            ({"flows.quic.transport": {"name": "quic", "packet_threshold": 4}}, first_loss_s),
            ({"flows.quic.transport": {"name": "quic", "initial_window": "9 packets"}}, 0.0),
        ):
            Scenario.from_text(PATH, change).export(tmp_path, "qlog")
            found = compare(ours, read(str(tmp_path / "exports" / "quic.sqlog")))
            assert found.parting is not None, change
            at_s = found.parting.at + found.begins_s[0]
            assert after_s <= at_s < after_s + 0.1, change

    def test_a_flow_of_several_is_chosen(self, tmp_path: Path) -> None:
        table = pl.DataFrame(
            [
                {
                    "time_s": 1.0,
                    "flow": flow,
                    "event": "ack",
                    "delivered_packets": 2.0,
                    "lost_so_far_packets": 0.0,
                    "inflight_packets": 3.0,
                    "cwnd_packets": 10.0,
                    "ssthresh_packets": None,
                    "rtt_s": 0.04,
                    "smoothed_rtt_s": 0.04,
                    "pacing_rate_bps": None,
                }
                for flow in ("cubic", "reno")
            ]
        )
        table.write_csv(tmp_path / "events.csv")
        assert read(f"{tmp_path}/events.csv#reno").events[0].place.sent == 5
        with pytest.raises(InputError, match=r"has several flows \(cubic, reno\), expected .*#FLOW"):
            read(f"{tmp_path}/events.csv")
        with pytest.raises(InputError, match='there is no flow "cubik"; did you mean "cubic"'):
            read(f"{tmp_path}/events.csv#cubik")
        table.clear().write_csv(tmp_path / "empty.csv")
        with pytest.raises(InputError, match="has no events, expected the events of a flow"):
            read(f"{tmp_path}/empty.csv")


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "is empty, expected a qlog"),
            ("time,cwnd\n1,2\n", r':1: begins with "time,cwnd", expected a qlog'),
            (
                '{"name": "no log"}\n',
                ':1: found an object with name, expected the header of a qlog with "qlog_version"',
            ),
            (quic_go(CONNECTION)[:-40], r":\d+: the file ends in the middle of a record, .*--partial"),
            (
                quic_go(CONNECTION).replace('"time": 101.5', '"time": "soon"', 1),
                r":\d+: time: found 'soon', expected a",
            ),
            (
                quic_go(CONNECTION).replace(": 7200", ": -7200", 1),
                r":\d+: congestion_window: found -7200.*at least 0",
            ),
            (
                quic_go(CONNECTION).replace('{"time": 101.5', '{"time" 101.5', 1),
                r":\d+:9: is not JSON \(Expecting ':'",
            ),
            (
                quic_go(CONNECTION).replace("metrics_updated", "rates"),
                "no event recovery:metrics_updated with a quantity to compare; the events are conges",
            ),
            (
                quic_go(CONNECTION).replace('"stream"', '"crypto"'),
                "none of the packets sent .* carries data, expected the log of the end that",
            ),
            (picoquic(CONNECTION).replace('"us"', '"min"'), 'time_units: found "min", expected "ms" or "us"'),
            (
                picoquic(CONNECTION)[:-40],
                rf":{len(picoquic(CONNECTION)[:-40].splitlines())}: the file ends in the middle of a record",
            ),
            (
                quic_go(CONNECTION).replace('"trace": {', '"trace": 5, "x": {'),
                "trace: found a number, expected an object",
            ),
            (
                quic_go(CONNECTION).replace('"frames": [', '"frames": true, "x": [', 1),
                r":\d+: frames: found a boolean, expected an array",
            ),
            ('{"qlog_version": "0.3", "traces": "none"}', "traces: found a string, expected an array"),
        ],
    )
    def test_the_message_names_the_place_and_what_was_expected(
        self, tmp_path: Path, text: str, message: str
    ) -> None:
        with pytest.raises(InputError, match=message) as raised:
            log(tmp_path, text)
        assert str(raised.value).startswith(str(tmp_path / "log.sqlog"))

    def test_the_line_is_that_of_the_record(self, tmp_path: Path) -> None:
        lines = noq(CONNECTION).split("\n")
        broken = next(number for number, line in enumerate(lines, 1) if "smoothed_rtt" in line)
        lines[broken - 1] = lines[broken - 1].replace('"time": 43.25', '"time": null')
        with pytest.raises(InputError, match=f":{broken}: time: found None"):
            log(tmp_path, "\n".join(lines))

    def test_a_log_that_breaks_off_is_read_up_to_there_on_request(self, tmp_path: Path) -> None:
        path = tmp_path / "cut.sqlog"
        path.write_text(quic_go(CONNECTION)[:-40], encoding="utf-8")
        assert len(read(str(path), partial=True).courses["congestion_window"].values) == 3

    @pytest.mark.parametrize(
        ("begin", "what"),
        [
            (b"\n\r\r\n\x1c", "a capture"),
            (b"\x1f\x8b\x08", "compressed"),
            (b"qlog\0\0", r"picoquic's binary log \(convert it with `picolog_t"),
            (b"\0\1\2", "binary"),
        ],
    )
    def test_other_formats_are_called_by_their_names(self, tmp_path: Path, begin: bytes, what: str) -> None:
        (tmp_path / "x").write_bytes(begin)
        with pytest.raises(InputError, match=f"is {what}"):
            read(str(tmp_path / "x"))

    def test_a_missing_file_has_a_neighbour(self, tmp_path: Path) -> None:
        log(tmp_path, noq(CONNECTION), "server.sqlog")
        with pytest.raises(InputError, match=r'No such file; did you mean ".*server.sqlog"'):
            read(str(tmp_path / "serwer.sqlog"))
        with pytest.raises(
            InputError, match=r"is a folder, expected .*; give a file in it, such as .*server.sqlog"
        ):
            read(str(tmp_path))

    def test_several_connections_are_told_apart(self, tmp_path: Path) -> None:
        first = metrics_only(CONNECTION)
        both = first + metrics_only(changed(13, cwnd=2)).split("\n", 1)[1].replace("beef", "cafe")
        with pytest.raises(InputError, match=r"has several connections, expected .*#NAME"):
            log(tmp_path, both)
        path = tmp_path / "log.sqlog"
        assert read(f"{path}#cafe").courses["congestion_window"].values[1] == 2 * SIZE
        assert read(f"{path}#beef").courses["congestion_window"].values[1] == 3 * SIZE
        with pytest.raises(InputError, match='there is no connection "beet"; did you mean "beef"'):
            read(f"{path}#beet")

    def test_an_event_log_without_a_column(self, tmp_path: Path) -> None:
        (tmp_path / "e.csv").write_text("time_s,flow,event,cwnd\n0,a,ack,1\n", encoding="utf-8")
        with pytest.raises(InputError, match=r':1: has no column "delivered_packets"'):
            read(str(tmp_path / "e.csv"))


class TestCommand:
    def files(self, tmp_path: Path) -> tuple[str, str]:
        ours, theirs = tmp_path / "ours.sqlog", tmp_path / "theirs.qlog"
        ours.write_text(neqo(CONNECTION), encoding="utf-8")
        theirs.write_text(picoquic(changed(13, cwnd=2)), encoding="utf-8")
        return str(ours), str(theirs)

    def test_logs_that_agree(self, tmp_path: Path, ackclock: Command) -> None:
        ours, _ = self.files(tmp_path)
        done = ackclock("compare-trace", ours, ours, "--tolerance", "0", "--slack", "0 ms")
        assert done.code == 0
        named = "congestion window, slow start threshold, in flight, smoothed RTT, losses, states"
        assert f"the logs agree within the tolerance in {named}\n" in done.out

    def test_logs_that_part(self, tmp_path: Path, ackclock: Command) -> None:
        ours, theirs = self.files(tmp_path)
        done = ackclock("compare-trace", ours, theirs, "--figure", str(tmp_path / "both.svg"))
        assert done.code == 1
        assert "the logs first differ at 0.080000 s: congestion_window" in done.out
        assert "packet 2 lost (reordering_threshold)" in done.out
        assert "33.33 %" in done.out
        assert (tmp_path / "both.svg").read_text(encoding="utf-8").count("first difference") == 1
        assert ackclock("compare-trace", ours, theirs, "--tolerance", "34%").code == 0
        assert ackclock("compare-trace", ours, theirs, "--tolerance", "congestion_window=0.34").code == 0
        assert ackclock("compare-trace", ours, theirs, "--ignore", "congestion_window").code == 0

    def test_the_document_is_as_published(self, tmp_path: Path, ackclock: Command) -> None:
        ours, theirs = self.files(tmp_path)
        for first, second, code in ((ours, ours, 0), (ours, theirs, 1)):
            done = ackclock("compare-trace", first, second, "--by", "packet", "--json")
            assert done.code == code
            document = json.loads(done.out)
            jsonschema.validate(document, schema("compare-trace"))
            assert document["agree"] == (code == 0)
            assert {"congestion_window", "losses"} <= set(document["compared"])
            assert not set(document["compared"]) & document["not_compared"].keys()
        assert document["parting"]["at"] == 8
        assert document["parting"]["theirs"]["values"]["congestion_window"] == 2
        assert document["parting"]["ours"]["before"][-1]["kind"] == "metrics"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--by", "byte"], '--by: found "byte", expected time or packet'),
            (["--tolerance", "much"], '--tolerance: found "much", expected a fraction such as 5%'),
            (["--tolerance", "cwnd=5%"], '--tolerance: found "cwnd"'),
            (["--tolerance", "5"], "expected less than 100 % of the larger value, because"),
            (["--tolerance", "ssthresh=5"], "; did you mean 5%?"),
            (["--tolerance", "100%"], "two positive values never differ by more"),
            (["--slack", "2 packets"], 'expected a time such as "5 ms" with --by time'),
            (["--ignore", "loss"], 'did you mean "losses"'),
            (["--packet-bytes", "big"], "--packet-bytes"),
            (["--unit", "kB"], "--unit"),
        ],
    )
    def test_wrong_options(self, tmp_path: Path, ackclock: Command, options: list[str], message: str) -> None:
        done = ackclock("compare-trace", *self.files(tmp_path), *options)
        assert done.code == 2
        assert message in done.err.replace("\n", " ")

    def test_bytes_where_a_log_says_no_size(self, tmp_path: Path, ackclock: Command) -> None:
        (tmp_path / "theirs").write_text(metrics_only(CONNECTION), encoding="utf-8")
        ours = str(tmp_path / "ours.sqlog")
        self.files(tmp_path)
        done = ackclock("compare-trace", ours, str(tmp_path / "theirs"), "--unit", "packets")
        assert (done.code, "add --packet-bytes" in done.err) == (2, True)
        sized = ("--unit", "packets", "--packet-bytes", str(SIZE))
        assert ackclock("compare-trace", ours, str(tmp_path / "theirs"), *sized).code == 0


def test_a_text_sequence_may_have_several_lines_in_a_record(tmp_path: Path) -> None:
    spread = "".join(
        RS + json.dumps(json.loads(text), indent=1) + "\n" for text in noq(CONNECTION).split(RS)[1:]
    )
    assert compare(log(tmp_path, spread), log(tmp_path, noq(CONNECTION), "b"), "time", EXACT).agree
