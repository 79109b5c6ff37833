"""Exports: read by the tools that they are for, and held against the results of the run."""

from __future__ import annotations

import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from conftest import Command, script
from qlog_drafts import DATA, EVENT, FILE, RARE, opened_by_qvis

from ackclock import Run, Scenario
from ackclock._exports import FORMATS
from ackclock.errors import InputError, RunError

MIX = """
name = "a mix"
duration = "10 s"
[dumbbell]
access = { rate = "100 Mbit/s", delay = "5 ms" }
[dumbbell.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { name = "codel", ecn = true }
loss = { name = "independent", probability = 0.005 }
[[flows]]
name = "prague"
control = "prague"
transport = { name = "rfc", ecn = true, accurate_ecn = true, dsack = true, receive_window = "autotuned" }
[[flows]]
name = "classic"
control = "cubic"
transport = { name = "rfc", ecn = true }
[[flows]]
name = "quic"
control = "newreno"
transport = "quic"
[[flows]]
name = "sctp"
control = "newreno"
transport = "sctp"
[[flows]]
name = "noise"
application = { name = "cbr", rate = "200 kbit/s" }
"""
TCP, PAYLOAD = ["prague", "classic"], 1448
CHECKED = [
    option
    for protocol in ("ip.check_checksum", "tcp.check_checksum", "udp.check_checksum")
    for option in ("-o", f"{protocol}:TRUE")
] + ["-o", "sctp.checksum:CRC-32C"]


def address(flow: int, end: int = 0) -> str:
    return f"10.{128 * end}.0.{flow}"


def fields(capture: Path, *names: str, show: str = "frame") -> list[tuple[str, ...]]:
    """These fields of the packets that a filter shows, as tshark has them."""
    columns = [option for name in names for option in ("-e", name)]
    command = ["tshark", "-r", capture, *CHECKED, "-Y", show, "-T", "fields", *columns]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def records(path: Path) -> list[dict[str, Any]]:
    """The records of JSON text sequences (RFC 7464)."""
    before, *texts = path.read_text().split("\x1e")
    assert before == ""
    assert all(text.endswith("\n") for text in texts)
    return [json.loads(text) for text in texts]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_text(MIX)


@pytest.fixture(scope="module")
def run(scenario: Scenario) -> Run:
    return scenario.run()


@pytest.fixture(scope="module")
def flows(run: Run) -> dict[str, dict[str, Any]]:
    return {flow["name"]: flow for flow in run.result["flows"]}


@pytest.fixture(scope="module")
def made(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every export of one run, captures with payloads."""
    folder = tmp_path_factory.mktemp("exports")
    places = ("senders", "receivers", "before:bottleneck", "bottleneck")
    wishes = [f"pcapng={place}" for place in places]
    wishes += ["qlog", "events", "events=csv", "flent", "mahimahi=classic", "mahimahi=bottleneck"]
    exports = scenario.export(folder, *wishes, payloads=True)
    assert {export.path for export in exports} == set((folder / "exports").iterdir())
    assert all(export.records > 0 for export in exports)
    return folder / "exports"


@pytest.mark.tshark
class TestCaptures:
    @pytest.mark.parametrize("name", ["senders", "receivers", "before-bottleneck", "after-bottleneck"])
    def test_nothing_is_malformed_and_every_checksum_is_right(self, made: Path, name: str) -> None:
        capture = made / f"{name}.pcapng"
        assert fields(capture, "frame.number", show="_ws.malformed || _ws.expert.severity == error") == []
        layers = ("tcp", "udp", "sctp")
        found = Counter(
            fields(capture, "ip.checksum.status", *(f"{layer}.checksum.status" for layer in layers))
        )
        # "1" is Good; each packet has the checksum of IP and that of its transport.
        assert set(found) == {("1", "1", "", ""), ("1", "", "1", ""), ("1", "", "", "1")}

    def test_the_numbers_of_packets_are_those_of_the_result(
        self, made: Path, run: Run, flows: dict[str, dict[str, Any]]
    ) -> None:
        sent = Counter(source for (source,) in fields(made / "senders.pcapng", "ip.src", show="tcp.len > 0"))
        assert sent == {address(index): flows[name]["sent_packets"] for index, name in enumerate(TCP)}
        link = next(link for link in run.result["links"] if link["name"] == "bottleneck")
        offered = fields(made / "before-bottleneck.pcapng", "frame.comment")
        assert len(offered) == link["arrived_packets"]
        assert Counter(offered)[("dropped by the queue",)] == link["dropped_packets"]
        sent_on = fields(made / "after-bottleneck.pcapng", "ip.dsfield.ecn", "frame.comment")
        assert (
            Counter(comment for _, comment in sent_on)["corrupted on the wire"] == link["corrupted_packets"]
        )
        assert len(sent_on) - link["corrupted_packets"] == pytest.approx(link["delivered_packets"], abs=1)
        # CoDel marks a packet when its transmission begins; that of the last one may not have ended.
        assert 0 <= link["marked_packets"] - Counter(ecn for ecn, _ in sent_on)["3"] <= 1
        assert link["marked_packets"] > 1

    def test_retransmissions_are_those_that_are_counted(
        self, made: Path, flows: dict[str, dict[str, Any]]
    ) -> None:
        # What tshark cannot tell from reordering it calls out of order: at the sender there is none.
        again = "tcp.len > 0 && (tcp.analysis.retransmission || tcp.analysis.out_of_order)"
        found = Counter(source for (source,) in fields(made / "senders.pcapng", "ip.src", show=again))
        counted = {address(index): flows[name]["retransmitted_packets"] for index, name in enumerate(TCP)}
        assert found == counted
        assert all(counted.values())

    def test_goodput_is_what_receivers_acknowledge(
        self, made: Path, flows: dict[str, dict[str, Any]]
    ) -> None:
        for index, name in enumerate(TCP):
            show = f"ip.src == {address(index, 1)} && tcp"
            acknowledged = max(int(ack) for (ack,) in fields(made / "receivers.pcapng", "tcp.ack", show=show))
            # One for SYN; a delayed acknowledgement may be due.
            assert (acknowledged - 1) / PAYLOAD == pytest.approx(flows[name]["delivered_packets"], abs=1)

    def test_a_connection_begins_with_a_handshake_that_agrees_on_its_options(self, made: Path) -> None:
        flags = [f"tcp.flags.{flag}" for flag in ("syn", "ack", "ece", "cwr", "ae")]
        options = ("mss_val", "wscale.shift", "timestamp.tsecr")
        names = [*flags, *(f"tcp.options.{option}" for option in options)]
        for index in range(len(TCP)):
            show = f"tcp && ip.addr == {address(index)}"
            syn, answer, data = fields(made / "senders.pcapng", *names, show=show)[:3]
            assert (syn[:2], answer[:2], data[:2]) == (("1", "0"), ("1", "1"), ("0", "1"))
            # RFC 9768 asks with all three bits, RFC 3168 with two and answers with one.
            assert syn[2:5] == ("1", "1", "1" if index == 0 else "0")
            assert answer[2:5] == (("0", "1", "0") if index == 0 else ("1", "0", "0"))
            assert syn[5] == answer[5] == str(PAYLOAD + 12)
            assert syn[6] == answer[6] != ""
            assert syn[7] == "0" != data[7]

    def test_sequence_numbers_begin_anew_at_two_to_the_32(self, made: Path) -> None:
        show = f"ip.src == {address(0)} && tcp.len > 0"
        numbers = fields(made / "senders.pcapng", "tcp.seq_raw", "tcp.seq", show=show)
        raw = [int(number) for number, _ in numbers]
        assert max(raw) > 2**32 - PAYLOAD
        assert min(raw) < PAYLOAD
        # tshark's relative numbers go on: each is a whole number of packets from the first.
        relative = {int(number) for _, number in numbers}
        assert relative == set(range(1, max(relative) + 1, PAYLOAD))

    def test_selective_acknowledgements_name_packets(self, made: Path) -> None:
        edges = fields(
            made / "senders.pcapng",
            "tcp.ack",
            "tcp.options.sack_le",
            "tcp.options.sack_re",
            show="tcp.options.sack_le",
        )
        assert len(edges) > 10
        for ack, lefts, rights in edges:
            for left, right in zip(lefts.split(","), rights.split(","), strict=True):
                assert int(left) < int(right)
                assert (int(right) - int(left)) % PAYLOAD == (int(left) - int(ack)) % PAYLOAD == 0

    def test_times_are_nanoseconds_and_interfaces_are_flows(self, made: Path, flows: dict[str, Any]) -> None:
        seen = fields(made / "senders.pcapng", "frame.time_epoch", "frame.interface_name")
        times = [time for time, _ in seen]
        assert all(len(time.partition(".")[2]) == 9 for time in times)
        assert sorted(times, key=float) == times
        assert {name for _, name in seen} == set(flows)

    def test_without_payloads_the_headers_are_the_same(
        self, made: Path, scenario: Scenario, tmp_path: Path
    ) -> None:
        scenario.export(tmp_path, "pcapng")
        snapped = tmp_path / "exports" / "senders.pcapng"
        assert snapped.stat().st_size < (made / "senders.pcapng").stat().st_size / 5
        names = ("frame.time_epoch", "frame.len", "ip.src", "tcp.seq_raw", "tcp.checksum", "udp.checksum")
        assert fields(snapped, *names) == fields(made / "senders.pcapng", *names)
        assert fields(snapped, "frame.number", show="_ws.malformed") == []


class TestQlog:
    @pytest.mark.parametrize("name", [*TCP, "quic"])
    def test_every_record_is_as_the_drafts_have_it(self, made: Path, name: str) -> None:
        file, *events = records(made / f"{name}.sqlog")
        jsonschema.validate(file, FILE)
        validator = jsonschema.Draft202012Validator(EVENT)
        # Of each kind of record the first hundred, since validation takes a while.
        kinds = Counter[str]()
        for event in events:
            kinds[event["name"]] += 1
            if kinds[event["name"]] <= 100:
                validator.validate(event)
        assert set(kinds) - RARE == set(DATA) - RARE
        times = [event["time"] for event in events]
        assert sorted(times) == times

    def test_qvis_finds_in_it_what_its_pictures_show(
        self, made: Path, flows: dict[str, dict[str, Any]]
    ) -> None:
        events = opened_by_qvis((made / "quic.sqlog").read_text())
        kinds = Counter((event["category"], event["type"]) for event in events)
        # The congestion graph looks for packets, losses and metrics under these names, and for a packet's number, size
        # and frames.
        assert kinds["recovery", "metrics_updated"] > 100
        sent = [event["data"] for event in events if event["type"] == "packet_sent"]
        numbered = {packet["header"]["packet_number"]: packet for packet in sent if "frames" in packet}
        assert len(numbered) == flows["quic"]["sent_packets"]
        assert {packet["raw"]["length"] for packet in numbered.values()} == {1472}
        assert {packet["frames"][0]["length"] for packet in numbered.values()} == {1439}
        lost = [
            event["data"]["header"]["packet_number"] for event in events if event["type"] == "packet_lost"
        ]
        assert lost
        assert set(lost) < set(numbered)
        received = [event["data"] for event in events if event["type"] == "packet_received"]
        acknowledged = {
            number
            for packet in received
            for frame in packet.get("frames", [])
            for low, high in frame["acked_ranges"]
            for number in range(low, high + 1)
        }
        assert acknowledged < set(numbered)
        assert len(acknowledged) == pytest.approx(flows["quic"]["delivered_packets"], abs=60)

    def test_probes_and_persistent_congestion_are_events(self, tmp_path: Path) -> None:
        # Everything is lost from the third to the sixth second.
        scenario = Scenario.from_text(
            """
duration = "10 s"
[dumbbell]
access = { rate = "100 Mbit/s", delay = "5 ms" }
[dumbbell.bottleneck]
rate = "10 Mbit/s"
delay = "20 ms"
queue = { name = "droptail", limit = "50 packets" }
loss = { name = "outage", from = "3 s", until = "6 s" }
[[flows]]
name = "quic"
control = "newreno"
transport = "quic"
"""
        )
        (flow,) = scenario.run().result["flows"]
        assert (flow["timeouts"], flow["persistent_congestions"]) == (0, 1)
        assert flow["probes"] > 2
        scenario.export(tmp_path, "qlog")
        events = opened_by_qvis((tmp_path / "exports" / "quic.sqlog").read_text())
        expired = [event for event in events if event["type"] == "loss_timer_updated"]
        assert [event["data"] for event in expired] == [
            {"timer_type": "pto", "event_type": "expired"} for _ in range(flow["probes"])
        ]
        # Each timeout is twice as long as the one before.
        times = [event["time"] for event in expired]
        first, second = times[1] - times[0], times[2] - times[1]
        assert second == pytest.approx(2 * first, abs=1e-3)
        changes = [event["data"] for event in events if event["type"] == "congestion_state_updated"]
        (found,) = [change for change in changes if change.get("trigger") == "persistent_congestion"]
        assert found["new"] == "slow_start"
        log = scenario.events()
        told = Counter(log["event"])
        assert (told["probe"], told["persistent-congestion"], told["timeout"]) == (flow["probes"], 1, 0)
        probed = log.filter(pl.col("event") == "probe")
        assert probed["packet"].null_count() == 0
        validator = jsonschema.Draft202012Validator(FILE)
        header, *_ = records(tmp_path / "exports" / "quic.sqlog")
        validator.validate(header)

    @pytest.mark.parametrize("name", [*TCP, "quic"])
    def test_its_packets_are_those_of_the_result(
        self, made: Path, scenario: Scenario, flows: dict[str, dict[str, Any]], name: str
    ) -> None:
        _, *events = records(made / f"{name}.sqlog")
        sent = [event["data"] for event in events if event["name"] == "transport:packet_sent"]
        data = [packet for packet in sent if packet["header"]["packet_type"] == "1RTT"]
        assert len(data) == flows[name]["sent_packets"]
        offsets = Counter(packet["frames"][0]["offset"] for packet in data)
        assert sum(offsets.values()) - len(offsets) == flows[name]["retransmitted_packets"]
        lost = sum(event["name"] == "recovery:packet_lost" for event in events)
        told = scenario.events().filter(pl.col("flow") == name, pl.col("event") == "lost")
        assert lost == len(told) > 0
        assert len(events) > 0

    def test_acknowledged_ranges_are_those_of_the_capture(self, made: Path) -> None:
        if shutil.which("tshark") is None:
            pytest.skip("needs tshark")
        _, *events = records(made / "classic.sqlog")
        frames = [
            event["data"].get("frames") for event in events if event["name"] == "transport:packet_received"
        ]
        blocks = [len(content[0]["acked_ranges"]) - 1 for content in frames if content]
        show = f"ip.dst == {address(1)} && tcp.options.sack_le"
        lefts = fields(made / "senders.pcapng", "tcp.options.sack_le", show=show)
        assert sum(blocks) == sum(len(left.split(",")) for (left,) in lefts) > 0


class TestEvents:
    def test_acknowledged_packets_add_up(self, made: Path, flows: dict[str, dict[str, Any]]) -> None:
        events = pl.read_parquet(made / "events.parquet")
        acks = events.filter(pl.col("event") == "ack")
        for name in (*TCP, "quic"):
            own = acks.filter(pl.col("flow") == name)
            assert own["acked_packets"].sum() == own["delivered_packets"].max()
            assert own["delivered_packets"].max() == pytest.approx(flows[name]["delivered_packets"], abs=60)
            assert own["lost_so_far_packets"].max() == pytest.approx(
                len(events.filter(pl.col("flow") == name, pl.col("event") == "lost")), abs=1
            )
        assert acks["cwnd_packets"].null_count() == 0
        assert acks["rtt_s"].min() >= 0.06  # type: ignore[operator]  # 2 * (5 + 20 + 5 ms)

    def test_csv_and_parquet_say_the_same(self, made: Path, scenario: Scenario) -> None:
        events = pl.read_parquet(made / "events.parquet")
        assert scenario.events().equals(events)
        again = pl.read_csv(made / "events.csv", schema_overrides=events.schema)
        assert again.equals(events)


class TestFlent:
    def test_flent_reads_the_goodput_of_each_flow(self, made: Path, flows: dict[str, dict[str, Any]]) -> None:
        resultset = pytest.importorskip("flent.resultset")
        result = resultset.load(str(made / "a-mix.flent.gz"))
        assert result.meta("NAME") == "tcp_nup"
        assert result.meta("TEST_PARAMETERS") == {"upload_streams": 4}
        step = float(result.meta("STEP_SIZE"))
        assert step == 0.2
        uploads = [f"TCP upload::{number}" for number in range(1, 5)]
        for upload, (name, flow) in zip([*uploads, "UDP upload::1"], flows.items(), strict=True):
            mean = sum(value for _, value in result.raw_series(upload)) * step / 10
            # All but the last interval are there; each packet is 12 kbit.
            assert mean == pytest.approx(flow["goodput_bps"] / 1e6, rel=0.05), name
        first = list(zip(*(result.series(upload) for upload in uploads), strict=True))
        assert result.series("TCP upload sum") == pytest.approx([sum(values) for values in first])
        assert all(value > 0 for _, value in result.raw_series("TCP upload::1", raw_key="tcp_cwnd"))
        assert "UDP upload::1: noise" in result.meta("NOTE")

    def test_without_a_ping_the_connections_own_round_trips_are_there(
        self, made: Path, flows: dict[str, dict[str, Any]]
    ) -> None:
        resultset = pytest.importorskip("flent.resultset")
        result = resultset.load(str(made / "a-mix.flent.gz"))
        pings = ["Ping (ms) ICMP", *(f"Ping (ms) TCP::{number}" for number in range(2, 5))]
        assert [name for name in result.series_names if name.startswith("Ping")] == sorted(pings)
        for ping, name in zip(pings, flows, strict=False):
            samples = [value for _, value in result.raw_series(ping)]
            # 2 * (5 + 20 + 5 ms), and a queue that codel keeps short.
            assert 60 <= min(samples) <= max(samples) < 400, name
            assert f"{ping}: {name}" in result.meta("NOTE")

    def test_requests_over_udp_are_a_ping(self, tmp_path: Path) -> None:
        resultset = pytest.importorskip("flent.resultset")
        text = """
duration = "10 s"
[dumbbell]
access = { rate = "100 Mbit/s", delay = "5 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "50 packets" } }
[[flows]]
name = "ping"
application = { name = "requests", every = "100 ms", packet = "72 B", reply = "72 B" }
"""
        bulk = '[[flows]]\nname = "bulk"\ncontrol = "cubic"\n'

        def made(text: str, name: str) -> Any:
            (export,) = Scenario.from_text(f'name = "{name}"\n{text}').export(tmp_path / name, "flent")
            result = resultset.load(str(export.path))
            return result, [value for _, value in result.raw_series("Ping (ms) ICMP")]

        # 100 B take 0.08 ms at 10 Mbit/s and 0.008 ms at 100 Mbit/s: 2 (30 + 0.08 + 2 * 0.008) ms there and back.
        alone, samples = made(text, "alone")
        assert alone.meta("NAME") == "udp_flood"
        assert samples == pytest.approx([60.192] * len(samples), abs=1e-6)
        assert alone.series("UDP upload") == alone.series("UDP upload::1")
        assert "TCP upload sum" not in alone
        # Beside a flow that fills the queue a ping waits for up to 50 packets of 1.2 ms, and one that is being sent.
        beside, samples = made(text + bulk, "beside")
        assert beside.meta("NAME") == "tcp_nup"
        assert 110 < max(samples) < 60.192 + 51 * 1.2
        assert [name for name in beside.series_names if name.startswith("Ping")] == ["Ping (ms) ICMP"]


class TestMahimahi:
    def test_a_link_whose_rate_is_a_trace_is_the_same_when_it_is_read_again(self, tmp_path: Path) -> None:
        lines = "1\n1\n4\n6\n6\n6\n20\n"
        (tmp_path / "in.trace").write_text(lines)
        text = """
duration = "5 s"
[dumbbell]
bottleneck = { rate = { trace = "in.trace" }, delay = "10 ms", queue = { name = "droptail", limit = "50 packets" } }
access = { rate = "100 Mbit/s", delay = "1 ms" }
[[flows]]
control = "cubic"
"""
        file = tmp_path / "scenario.toml"
        file.write_text(text)
        scenario = Scenario.from_file(file)
        scenario.export(tmp_path, "mahimahi=bottleneck")
        written = tmp_path / "exports" / "bottleneck.mahimahi"
        assert written.read_text() == lines
        file.write_text(text.replace("in.trace", "exports/bottleneck.mahimahi"))
        assert Scenario.from_file(file).run().result["flows"] == scenario.run().result["flows"]

    def test_a_constant_rate_keeps_its_mean(self, made: Path) -> None:
        # 10 Mbit/s * 10 s / (1504 * 8 bit) = 8311.2.
        times = [int(line) for line in (made / "bottleneck.mahimahi").read_text().split()]
        assert (len(times), times[-1]) == (8311, 10_000)

    def test_what_a_flow_delivers_is_what_arrived(self, made: Path, flows: dict[str, dict[str, Any]]) -> None:
        lines = (made / "classic-delivered.mahimahi").read_text().split()
        # Data of 1500 bytes, the SYN of 40; duplicates are delivered by the network, too.
        bytes_ = 1500 * (flows["classic"]["sent_packets"] - flows["classic"]["lost_packets"])
        assert len(lines) == pytest.approx(bytes_ / 1504, rel=0.01)


class TestBadInput:
    @pytest.mark.parametrize(
        ("wish", "message"),
        [
            ("pcap", 'did you mean "pcapng"?'),
            ("", "expected one of pcapng"),
            ("pcapng=bottelneck", 'did you mean "bottleneck"?'),
            ("pcapng=Bott", 'did you mean "bottleneck"?'),
            ("pcapng=after:senders", 'found "senders"'),
            ("pcapng=behind:bottleneck", "expected one of senders"),
            ("qlog=classik", 'did you mean "classic"?'),
            ("events=json", "expected one of parquet, csv"),
            ("flent=classic", "expected --export flent without a value"),
            ("mahimahi", "expected --export mahimahi=LINK or mahimahi=FLOW"),
            ("mahimahi=stranger", 'found "stranger"'),
        ],
    )
    def test_a_wish_that_cannot_be_is_refused_before_anything_runs(
        self, ackclock: Command, tmp_path: Path, wish: str, message: str
    ) -> None:
        file = tmp_path / "mix.toml"
        file.write_text(MIX.replace('"10 s"', '"1000 s"'))
        outcome = ackclock("run", file, "--out", "results", "--export", wish)
        assert outcome.code == 2
        assert "--export" in outcome.err
        assert message in outcome.err
        assert not (tmp_path / "results").exists()

    def test_it_needs_a_folder_and_one_run(self, ackclock: Command, scenario_file: Path) -> None:
        outcome = ackclock("run", scenario_file, "--export", "pcapng")
        assert (outcome.code, "needs --out DIR" in outcome.err) == (2, True)
        several = ("--replications", "2", "--out", "results")
        outcome = ackclock("run", scenario_file, *several, "--export", "pcapng")
        assert (outcome.code, "expected one" in outcome.err) == (2, True)

    def test_a_file_where_the_folder_should_be(self, scenario: Scenario, tmp_path: Path) -> None:
        (tmp_path / "taken").write_text("")
        with pytest.raises(InputError, match="taken: File exists"):
            scenario.export(tmp_path / "taken", "events")

    def test_a_full_disk_is_named_with_the_file(self, tmp_path: Path) -> None:
        file = tmp_path / "mix.toml"
        file.write_text(MIX)
        command = [
            sys.executable,
            "-m",
            "ackclock",
            "run",
            str(file),
            "--out",
            "results",
            "--export",
            "pcapng",
        ]

        def limited() -> None:
            # Files larger than that fail as on a full disk; the results themselves fit.
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limited, check=False
        )
        assert done.returncode == 1
        assert "exports/senders.pcapng: File too large" in done.stderr
        assert not list((tmp_path / "results").glob(".exports*"))

    def test_flows_without_packets_leave_empty_files(self, tmp_path: Path) -> None:
        late = MIX.replace('name = "classic"', 'name = "classic"\nstart = "9.999999 s"')
        scenario = Scenario.from_text(late)
        exports = scenario.export(tmp_path, "qlog=classic", "events")
        assert exports[0].records <= 1
        with pytest.raises(InputError, match=r"classic-delivered\.mahimahi would be empty"):
            scenario.export(tmp_path, "mahimahi=classic")

    def test_what_has_no_qlog_is_told(self, scenario: Scenario, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="found no flow that is a single TCP or QUIC connection"):
            scenario.export(tmp_path, "qlog=sctp")

    def test_a_real_stack_has_no_event_log(self, tmp_path: Path) -> None:
        flow = {"control": "cubic", "transport": "noq"}
        wires = {
            "bottleneck": {"rate": "1 Mbit/s", "delay": "5 ms"},
            "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
        }
        real = Scenario.from_dict({"duration": "1 s", "dumbbell": wires, "flows": [flow]})
        with pytest.raises(InputError, match="found only flows of real stacks, which have no event log"):
            real.export(tmp_path, "events")
        flow["transport"] = "quic"
        own = Scenario.from_dict({"duration": "1 s", "dumbbell": wires, "flows": [flow]})
        assert own.export(tmp_path, "events")[0].records > 0


class TestPage:
    """docs/exports.md says what is true."""

    ROOT = Path(__file__).resolve().parents[2]
    TEXT = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")

    @pytest.mark.tshark
    def test_its_commands_print_what_it_shows(self, tmp_path: Path) -> None:
        (tmp_path / "scenarios").symlink_to(self.ROOT / "scenarios")
        (export,) = re.findall(r"^\$ (ackclock run .*)$", self.TEXT, re.MULTILINE)
        subprocess.run(
            [sys.executable, "-m", *shlex.split(export)], cwd=tmp_path, check=True, capture_output=True
        )
        shown = re.findall(r"^```console\n\$ (tshark .*)\n((?:.*\n)*?)```$", self.TEXT, re.MULTILINE)
        assert len(shown) == 3
        for command, output in shown:
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
            )
            assert done.stdout == output, command

    def test_it_lists_every_column_of_the_event_log(self) -> None:
        rows = re.findall(r"^\| ([^|]*) \|", self.TEXT, re.MULTILINE)
        listed = {name for cell in rows for name in re.findall(r"`([^`]+)`", cell)}
        columns = Scenario.from_text(MIX, {"duration": "1 s"}).events().columns
        results = script("page_parts.py").on_the_site(
            (self.ROOT / "docs" / "results.md").read_text(encoding="utf-8")
        )
        assert [name for name in columns if name not in listed and f"`{name}`" not in results] == []
        assert set(FORMATS) <= {name.partition("=")[0] for name in listed}


def test_the_exported_run_is_the_run(scenario: Scenario, run: Run, tmp_path: Path) -> None:
    from ackclock import _typed_core as core

    wishes = {"captures": [["senders", 0, str(tmp_path / "senders.pcapng")]], "events": True}
    result, _, _ = core.export(scenario.text, scenario.file, {}, 1, wishes)
    assert {**result, "series": None} == {**run.result, "series": None}


def test_an_export_takes_the_place_of_the_one_before(scenario: Scenario, tmp_path: Path) -> None:
    scenario.export(tmp_path, "events")
    scenario.export(tmp_path, "mahimahi=bottleneck")
    assert [path.name for path in (tmp_path / "exports").iterdir()] == ["bottleneck.mahimahi"]


def test_a_file_that_cannot_be_written_leaves_what_was_there(scenario: Scenario, tmp_path: Path) -> None:
    scenario.export(tmp_path, "events")
    with pytest.raises(RunError, match="shorter than 200 ms"):
        scenario.with_overrides({"duration": "50 ms"}).export(tmp_path, "flent")
    assert [path.name for path in (tmp_path / "exports").iterdir()] == ["events.parquet"]
