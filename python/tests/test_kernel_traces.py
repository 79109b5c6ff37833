"""Logs of the kernel compared: samples of ss, traces of tcp_probe, JSON of iperf3, each written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import Command
from traces_stacks import CONNECTION, neqo

from ackclock import Scenario
from ackclock.errors import InputError
from ackclock.schemas import schema
from ackclock.traces.compare import compare
from ackclock.traces.log import Log
from ackclock.traces.outcome import Tolerance
from ackclock.traces.read import read

MSS = 1448
PATH = """
name = "one flow"
duration = "4 s"
[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "18 ms", queue = { name = "droptail", limit = "0.3 bdp" } }
access = { rate = "1 Gbit/s", delay = "1 ms" }
[[flows]]
name = "tcp"
control = "cubic"
transport = "linux"
"""


def log(tmp_path: Path, text: str, name: str = "log") -> Log:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read(str(path))


def sample(at: float, numbers: str, *, peer: str = "10.0.0.2:5201", filtered: bool = False) -> str:
    """Returns a sample of ss with two lines, as iproute2's misc/ss.c (ee2a4a86) prints it."""
    state, queue = ("", "") if filtered else ("State ", "ESTAB ")
    return (
        f"{1_700_000_000 + at:.6f}\n{state}Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"
        f"{queue}0      2896   10.0.0.1:50000    {peer}\n"
        f"\t cubic wscale:7,7 rto:204 {numbers} rcv_space:14600 rcv_ssthresh:64076 minrtt:0.04\n"
    )


SS = "".join(
    (
        sample(0, "rtt:40/20 mss:1448 pmtu:1500 rcvmss:536 cwnd:10"),
        sample(
            0.1,
            "rtt:41.5/3 mss:1448 cwnd:20 bytes_sent:43440 bytes_acked:14481 pacing_rate 12.5Mbps/99Mbps unacked:12",
        ),
        sample(
            0.2,
            "rtt:44/3 mss:1448 cwnd:14 ssthresh:14 bytes_acked:28961 pacing_rate 8000000bps delivery_rate 1bps "
            "unacked:12 retrans:1/3 lost:2 sacked:4",
            filtered=True,
        ),
    )
)


def probe(
    at: float, window: int, threshold: int, srtt: int, *, outstanding: int = 2896, by: str = "ftrace"
) -> str:
    """Returns an event of tcp:tcp_probe, include/trace/events/tcp.h of Linux (0d3001e2)."""
    before = {
        "ftrace": f"          <idle>-0       [001] ..s2. {at:.6f}: tcp_probe:",
        "perf": f"iperf3  1234 [001] {at:.6f}: tcp:tcp_probe:",
        "trace-cmd": f"iperf3-1234  [001] {at:.6f}: tcp_probe:            ",
    }[by]
    # The first sequence number is near the end of its 32 bits.
    return (
        f"{before} family=AF_INET src=10.0.0.1:50000 dest=10.0.0.2:5201 mark=0 data_len=0 "
        f"snd_nxt={(0xFFFFFF00 + outstanding) % 2**32:#x} snd_una=0xffffff00 snd_cwnd={window} ssthresh={threshold} "
        f"snd_wnd=65536 srtt={srtt} rcv_wnd=64256 sock_cookie=1a\n"
    )


def interval(number: int, window: int, rtt: int, retransmits: int, /, **more: Any) -> dict[str, Any]:
    """Returns an interval as iperf3's src/iperf_api.c (c9b74229) writes it."""
    stream = {
        "socket": 5,
        "start": number - 1,
        "end": number,
        "seconds": 1,
        "bytes": 1,
        "retransmits": retransmits,
        "snd_cwnd": window,
        "rtt": rtt,
        "omitted": False,
        "sender": True,
        **more,
    }
    return {"streams": [stream], "sum": {}}


def iperf3(*intervals: Any, start: Mapping[str, Any] | None = None) -> str:
    begin = {"connected": [{"socket": 5}], "tcp_mss_default": MSS} if start is None else start
    return json.dumps({"start": begin, "intervals": intervals, "end": {}}, indent=1)


IPERF3 = iperf3(
    interval(1, 20 * MSS, 41500, 0), interval(2, 14 * MSS, 44000, 3), interval(3, 15 * MSS, 43000, 2)
)


class TestSs:
    def test_values_are_those_of_the_kernel(self, tmp_path: Path) -> None:
        found = log(tmp_path, SS)
        values = {name: course.values for name, course in found.courses.items()}
        assert values == {
            "congestion_window": [10, 20, 14],
            "ssthresh": [14],
            # tcp_packets_in_flight: 12 sent, of which 4 have arrived and 2 are lost, and one retransmission.
            "bytes_in_flight": [0, 12, 7],
            "smoothed_rtt": pytest.approx([0.04, 0.0415, 0.044]),
            "pacing_rate": [12.5e6, 8e6],
            "retransmitted": [0, 0, 3],
        }
        assert (found.counts, found.packet_bytes, found.sampled) == ("packets", MSS, True)
        assert found.first_report_s == pytest.approx(1_700_000_000.1)

    def test_one_line_for_a_connection(self, tmp_path: Path) -> None:
        joined = log(tmp_path, SS.replace("\n\t ", " "), "joined")
        assert compare(joined, log(tmp_path, SS), tolerance=Tolerance(0, {}, 0)).agree

    def test_one_of_several_connections_is_chosen(self, tmp_path: Path) -> None:
        other = sample(0.2, "rtt:40/20 mss:1448 cwnd:33", peer="[fe80::1]:22").split("\n", 2)[2]
        path = tmp_path / "log"
        with pytest.raises(InputError) as raised:
            log(tmp_path, SS + other)
        names = ("10.0.0.1:50000-10.0.0.2:5201", "10.0.0.1:50000-[fe80::1]:22")
        assert (
            str(raised.value) == f"{path}: has 2 connections, expected {path}#{names[0]} or {path}#{names[1]}"
        )
        for name in ("[fe80::1]:22", names[1]):
            assert read(f"{path}#{name}").courses["congestion_window"].values == [33]
        with pytest.raises(
            InputError, match=r'no connection "10.0.0.2:5202", .* did you mean "10.0.0.2:5201"'
        ):
            read(f"{path}#10.0.0.2:5202")
        with pytest.raises(InputError, match="has 2 connections"):
            read(f"{path}#10.0.0.1:50000")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                SS.split("\n", 1)[1],
                r":2: has a connection before the first line with a time, expected samples of `ss -tin`",
            ),
            (
                SS.replace("cwnd", "cwin"),
                r":3: the connection has no cwnd, expected the output of ss with the option -i",
            ),
            (
                SS.replace("1700000000.2", "1600000000.2"),
                r":9: the time 1600000000.200000 is before that of the previous sample",
            ),
            (SS + "load average: 3\n", r':13: found "load average: 3", expected samples'),
            ("1700000000.5\n", "has no connection, expected samples"),
            (SS[:-9], r":12: the last line has no line break at its end, .*--partial"),
        ],
    )
    def test_the_message_names_the_line(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError, match=message) as raised:
            log(tmp_path, text)
        assert str(raised.value).startswith(str(tmp_path / "log"))

    def test_a_log_that_breaks_off_is_read_up_to_there_on_request(self, tmp_path: Path) -> None:
        (tmp_path / "cut").write_text(SS[:-9], encoding="utf-8")
        assert read(str(tmp_path / "cut"), partial=True).courses["congestion_window"].values == [10, 20]


class TestTcpProbe:
    @pytest.mark.parametrize("by", ["ftrace", "perf", "trace-cmd"])
    def test_values_are_those_of_the_kernel(self, tmp_path: Path, by: str) -> None:
        found = log(
            tmp_path,
            "# tracer: nop\n#\n"
            + probe(1.00, 10, 0x7FFFFFFF, 0, outstanding=0, by=by)
            + probe(1.04, 10, 0x7FFFFFFF, 40_000, by=by)
            + "  sshd-1 [000] ..... 1.05: sched_switch: prev_comm=sshd\n"
            + probe(1.08, 20, 14, 41_000, by=by)
            + probe(1.12, 21, 15, 41_000, by=by)  # of a window of 21: 10 + 5, whatever the threshold is
            + probe(1.16, 22, 16, 41_000, by=by),
        )
        assert found.courses["congestion_window"].values == [10, 10, 20, 21, 22]
        assert found.courses["ssthresh"].values == [14]
        assert found.courses["smoothed_rtt"].values == pytest.approx([0.04, 0.041, 0.041, 0.041])
        assert found.first_report_s == pytest.approx(1.04)
        assert set(found.silent) == {
            "losses",
            "states",
            "timeouts",
            "bytes_in_flight",
            "pacing_rate",
            "retransmitted",
        }

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("# tracer: nop\n#\n", "has no tcp_probe event; to make the kernel record them, run `echo 1 >"),
            (
                probe(1, 10, 20, 1).replace("srtt", "rtt"),
                r':1: the event has no srtt, but "rtt"; expected a tcp_probe event of Linux 4.16 or later',
            ),
            (
                probe(1, 10, 20, 1).replace("=10 ", "=ten "),
                r':1: snd_cwnd: found "ten", expected a whole number',
            ),
            (
                probe(2, 10, 20, 1) + probe(1, 10, 20, 1),
                r":2: the time 1.000000 is before that of the previous event",
            ),
            (
                probe(1, 10, 20, 1, outstanding=0),
                "never has unacknowledged data, expected the trace of",
            ),
            (
                probe(1, 10, 20, 1) + probe(2, 10, 20, 1).replace(":50000", ":50001"),
                r"has 2 connections, expected .*#10.0.0.1:50000-10.0.0.2:5201 or ",
            ),
        ],
    )
    def test_the_message_names_the_line(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError, match=message):
            log(tmp_path, text)


class TestIperf3:
    def test_values_hold_at_the_end_of_an_interval(self, tmp_path: Path) -> None:
        found = log(tmp_path, IPERF3)
        window = found.courses["congestion_window"]
        assert [place.time_s for place in window.places] == [1, 2, 3]
        assert window.values == [20 * MSS, 14 * MSS, 15 * MSS]
        assert found.courses["smoothed_rtt"].values == pytest.approx([0.0415, 0.044, 0.043])
        assert found.courses["retransmitted"].values == [0, 3, 5]
        assert (found.counts, found.packet_bytes, found.first_sent_s) == ("bytes", MSS, 0)

    def test_an_event_in_each_line(self, tmp_path: Path) -> None:
        document = json.loads(IPERF3)
        events = [("start", document["start"]), *(("interval", one) for one in document["intervals"])]
        text = "".join(json.dumps({"event": event, "data": data}) + "\n" for event, data in events)
        found = compare(log(tmp_path, text, "stream"), log(tmp_path, IPERF3), tolerance=Tolerance(0, {}, 0))
        assert found.agree
        assert found.ours.packet_bytes == MSS

    def test_a_window_that_is_no_number_of_segments_has_no_size(self, tmp_path: Path) -> None:
        assert log(tmp_path, iperf3(interval(1, 20 * MSS + 1, 41500, 0))).packet_bytes is None

    def test_times_go_on_after_intervals_that_are_omitted(self, tmp_path: Path) -> None:
        found = log(tmp_path, iperf3(interval(1, MSS, 9, 1, omitted=True), interval(1, MSS, 9, 1)))
        assert [place.time_s for place in found.courses["smoothed_rtt"].places] == [1, 2]
        assert found.courses["retransmitted"].values == [1, 2]

    def test_one_of_several_streams_is_chosen(self, tmp_path: Path) -> None:
        both = interval(1, 20 * MSS, 41500, 0)
        both["streams"] += interval(1, 7 * MSS, 41500, 0, socket=7)["streams"]
        path = tmp_path / "log"
        with pytest.raises(
            InputError, match=rf"found the streams \(by socket\) 5, 7, expected {path}#5 or {path}#7"
        ):
            log(tmp_path, iperf3(both))
        assert read(f"{path}#7").courses["congestion_window"].values == [7 * MSS]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (iperf3(), "has no intervals, expected the intervals of a test"),
            (
                json.dumps({"start": {}, "intervals": [], "error": "unable to connect"}),
                r"has no intervals \(unable to connect\)",
            ),
            (
                iperf3(interval(1, MSS, 9, 0, sender=False)),
                r"intervals\[0\]: found the JSON of the receiver, expected that of the sender; with -R",
            ),
            (
                iperf3(interval(1, -1, 0, -1)),
                r"intervals\[0\]: has neither snd_cwnd nor rtt, expected the intervals",
            ),
            (
                iperf3(interval(1, MSS, 9, 0, rtt="soon")),
                r"intervals\[0\]: rtt: found 'soon', expected a number",
            ),
            (iperf3(interval(1, MSS, 9, 0, end=None)), r"intervals\[0\]: end: found None, expected a number"),
            (IPERF3[:-30], "the file ends in the middle of a record"),
        ],
    )
    def test_the_message_names_the_place(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError, match=message) as raised:
            log(tmp_path, text)
        assert str(raised.value).startswith(str(tmp_path / "log"))


class TestSamples:
    def test_what_a_log_does_between_samples_is_not_compared(self, tmp_path: Path) -> None:
        # 40 ms after the first acknowledgement, the samples of ss have 10 and then 20 packets.
        dense = probe(1, 20, 0x7FFFFFFF, 41_500) + probe(1.05, 77, 0x7FFFFFFF, 9) + probe(1.1, 14, 14, 44_000)
        found = compare(
            log(tmp_path, SS, "ss"),
            log(tmp_path, dense, "dense"),
            tolerance=Tolerance(0.0, {}, 0.001),
        )
        # Both are samples: of 77 packets the samples of ss before and after it know nothing.
        assert found.parting is not None
        assert found.parting.at == pytest.approx(0.05)
        as_events = log(tmp_path, dense, "dense")
        as_events.sampled = False
        assert compare(found.ours, as_events, tolerance=Tolerance(0.0, {}, 0.001)).agree

    def test_a_sample_that_repeats_a_value_is_compared(self, tmp_path: Path) -> None:
        same = iperf3(*(interval(number, 10 * MSS, 40_000, 0) for number in (1, 2, 3)))
        once = iperf3(
            interval(1, 10 * MSS, 40_000, 0),
            interval(2, 30 * MSS, 40_000, 0, end=1.5),
            interval(3, 10 * MSS, 40_000, 0, start=1.5, end=2.5),
        )
        dense = log(tmp_path, once, "dense")
        dense.sampled = False
        found = compare(log(tmp_path, same), dense)
        assert found.parting is not None
        assert (found.parting.what, found.parting.at) == ("congestion_window", 2)

    def test_samples_cannot_be_compared_by_packets(self, tmp_path: Path) -> None:
        for text in (SS, IPERF3, probe(1, 10, 20, 1)):
            one = log(tmp_path, text)
            with pytest.raises(
                InputError, match="has no events of sent packets, which --by packet needs: use --by time"
            ):
                compare(one, one, "packet")

    def test_nothing_in_common_is_no_agreement(self, tmp_path: Path, ackclock: Command) -> None:
        trace = probe(1, 10, 0x7FFFFFFF, 0) + probe(2, 10, 0x7FFFFFFF, 0)
        (tmp_path / "trace").write_text(trace, encoding="utf-8")
        (tmp_path / "rtt.json").write_text(iperf3(interval(1, -1, 9, 0)), encoding="utf-8")
        refused = ackclock("compare-trace", "trace", "rtt.json")
        assert (refused.code, refused.out) == (2, "")
        message = refused.err.replace("\n", " ")
        assert "trace and rtt.json have no values to compare" in message
        assert "congestion_window (not in rtt.json" in message


class TestOwnRun:
    """One run of this laboratory as each tool would have seen it."""

    @pytest.fixture(scope="class")
    @classmethod
    def own(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("own")
        Scenario.from_text(PATH).export(folder, "qlog")
        return folder / "exports" / "tcp.sqlog"

    @staticmethod
    def held(log: Log, begin_s: float, every_s: float) -> list[tuple[float, Callable[[str], float | None]]]:
        """Returns times since ``begin_s`` with a function that gives the value of a quantity there."""

        def at(time_s: float) -> Callable[[str], float | None]:
            def value(name: str) -> float | None:
                course = log.courses[name]
                past = [
                    v for place, v in zip(course.places, course.values, strict=True) if place.time_s <= time_s
                ]
                return past[-1] if past else None

            return value

        count = int((log.end.time_s - begin_s) / every_s)
        return [(number * every_s, at(begin_s + number * every_s)) for number in range(count)]

    def test_samples_of_ss(self, own: Path, tmp_path: Path) -> None:
        ours = read(str(own))
        assert ours.courses["retransmitted"].values[-1] == len(ours.of_kind("lost")) > 2
        text = ""
        for at, value in self.held(ours, ours.first_report_s, 0.1):
            window, flight = ((value(name) or 0) / MSS for name in ("congestion_window", "bytes_in_flight"))
            rtt, again = value("smoothed_rtt") or 0, value("retransmitted")
            numbers = f"rtt:{1e3 * rtt:g}/2 mss:{MSS} cwnd:{window:.0f} bytes_acked:9 unacked:{flight:.0f} "
            text += sample(at, f"{numbers} retrans:0/{again:.0f}")
        found = compare(ours, log(tmp_path, text), tolerance=Tolerance(0.02))
        assert found.agree, found.parting
        assert found.compared == ["congestion_window", "bytes_in_flight", "smoothed_rtt", "retransmitted"]
        late = text.replace(" cwnd:4", " cwnd:5")
        assert late != text
        found = compare(ours, log(tmp_path, late), tolerance=Tolerance(0.02))
        assert found.parting is not None
        assert found.parting.what == "congestion_window"

    def test_json_of_iperf3(self, own: Path, tmp_path: Path, ackclock: Command) -> None:
        ours = read(str(own))
        assert ours.first_sent_s is not None
        intervals, before = [], 0.0
        for at, value in self.held(ours, ours.first_sent_s, 0.5)[1:]:
            total = value("retransmitted") or 0.0
            window, rtt = round(value("congestion_window") or 0), round(1e6 * (value("smoothed_rtt") or 0))
            intervals.append(interval(1, window, rtt, round(total - before), start=at - 0.5, end=at))
            before = total
        theirs = tmp_path / "iperf3.json"
        theirs.write_text(iperf3(*intervals), encoding="utf-8")
        done = ackclock("compare-trace", str(own), str(theirs), "--json")
        assert done.code == 0
        document = json.loads(done.out)
        jsonschema.validate(document, schema("compare-trace"))
        assert document["compared"] == ["congestion_window", "smoothed_rtt", "retransmitted"]
        assert document["not_compared"]["losses"] == f"{theirs}: samples do not record losses"
        assert (document["ours"]["sampled"], document["theirs"]["sampled"]) == (False, True)


def test_a_text_of_another_kind_names_what_is_read(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"expected a qlog, the event log of .*, ss samples, a tcp_probe trace"
    ):
        log(tmp_path, "once upon a time\n")
    assert log(tmp_path, neqo(CONNECTION)).format == "qlog 0.3"
