"""Reference traces: made twice they are equal, and each shows what its entry says."""

from __future__ import annotations

import zipfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Command

from ackclock import Scenario
from ackclock.errors import InputError
from ackclock.reference_traces import EVENTS, FIGURE, FOLDER, MISSING, QLOG, SCENARIO, Trace, traces
from ackclock.traces.compare import compare
from ackclock.traces.outcome import Tolerance
from ackclock.traces.read import read

TRACES = {trace.name: trace for trace in traces()}
SMALL = ("bbr-drain-time", "hystart", "rack")
UP, PROBE_RTT = 5, 6


@cache
def events(name: str) -> pl.DataFrame:
    return TRACES[name].scenario.events()


def of(name: str, event: str) -> pl.DataFrame:
    return events(name).filter(pl.col("event") == event)


def entered(name: str, state: int, after_s: float = 0.0) -> dict[str, Any]:
    """The acknowledgement with which a state of BBR begins."""
    rows = of(name, "ack").filter(pl.col("time_s") > after_s)
    begins = rows.filter((pl.col("bbr_state") == state) & (pl.col("bbr_state").shift(1) != state))
    return begins.row(0, named=True)


def test_every_case_of_the_draft_is_a_trace_or_cannot_be_one() -> None:
    cases = [case for trace in TRACES.values() for case in trace.section.split(", ") if case.startswith("A.")]
    assert sorted([*cases, *MISSING]) == sorted(f"A.{number}" for number in range(1, 23))


def test_scenarios_and_entries_belong_together() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} - {"traces"} == set(TRACES)
    with pytest.raises(InputError, match='there is no reference trace "cubik"; did you mean "cubic"'):
        traces(["cubik"])


@pytest.mark.parametrize("trace", TRACES.values(), ids=lambda trace: trace.name)
def test_the_states_are_those_of_the_entry(trace: Trace, tmp_path: Path) -> None:
    trace.scenario.export(tmp_path, "qlog", "events=csv")
    for name in (EVENTS, QLOG):
        found = [event.words for event in read(str(tmp_path / "exports" / name)).of_kind("state")]
        assert found[: len(trace.states)] == trace.states, name
    assert trace.scenario.describe()["warnings"] == []


class TestWhatTheyShow:
    def test_the_plateau(self) -> None:
        # 10 Mbit/s carry 833.3 packets of 1500 bytes in a second.
        drain = entered("bbr-plateau", 1)
        assert drain["bbr_max_bw_packets_per_s"] == pytest.approx(10e6 / 12_000, rel=0.02)
        assert drain["bbr_full_pipe_rounds"] == 3
        assert 5.0 < entered("bbr-plateau", PROBE_RTT)["time_s"] < 5.1
        assert of("bbr-plateau", "lost").is_empty()

    def test_drain_ends_by_time(self) -> None:
        drain, down = entered("bbr-drain-time", 1), entered("bbr-drain-time", 2)
        assert down["bbr_rounds"] - drain["bbr_rounds"] == 4
        assert down["inflight_packets"] > down["bbr_max_bw_packets_per_s"] * down["bbr_min_rtt_s"]

    def test_losses_in_startup(self) -> None:
        rows = of("bbr-startup-loss", "ack")
        end_s = rows.filter(pl.col("bbr_state") > 0)["time_s"].min()
        lost = of("bbr-startup-loss", "lost").filter(pl.col("time_s") <= end_s)
        assert end_s - lost["time_s"].min() < 0.25
        assert rows.filter(pl.col("time_s").is_between(1.1, lost["time_s"].min()))["app_limited"].all()

    def test_the_pause_spares_probe_rtt(self) -> None:
        rows = of("bbr-idle", "ack")
        assert rows["time_s"].diff().max() > 6.0
        assert not (rows["bbr_state"] == PROBE_RTT).any()

    def test_aggregation(self) -> None:
        last = of("bbr-aggregation", "ack").row(-1, named=True)
        product = last["bbr_max_bw_packets_per_s"] * last["bbr_min_rtt_s"]
        assert last["bbr_extra_acked_packets"] > 0.5 * 0.020 * 50e6 / 12_000
        assert last["cwnd_packets"] > 2 * product

    def test_less_than_a_packet(self) -> None:
        assert of("bbr-sub-packet", "ack")["cwnd_packets"].min() == 4
        run = TRACES["bbr-sub-packet"].scenario.run()
        assert run.links.filter(pl.col("name") == "bottleneck")["utilisation"].item() > 0.98

    def test_ten_times_and_a_tenth_of_the_capacity(self) -> None:
        last = of("bbr-faster", "ack").row(-1, named=True)
        assert last["bbr_max_bw_packets_per_s"] > 0.98 * 100e6 / 12_000
        last = of("bbr-slower", "ack").row(-1, named=True)
        assert last["bbr_max_bw_packets_per_s"] == pytest.approx(10e6 / 12_000, rel=0.05)
        bounds = of("bbr-slower", "ack").filter(pl.col("time_s").is_between(4.0, 5.0))
        assert bounds["bbr_inflight_shortterm_packets"].drop_nulls().len() > 0

    def test_the_policer(self) -> None:
        run = TRACES["bbr-policer"].scenario.run()
        assert run.flows["goodput_bps"].item() > 0.85 * 10e6 * 1439 / 1500

    def test_a_spurious_recovery_and_a_spurious_timeout(self) -> None:
        for name, least in (("bbr-spurious-recovery", 40), ("bbr-spurious-timeout", 1)):
            up = entered(name, UP)
            rows = events(name).filter(pl.col("time_s") > up["time_s"])
            bounded = rows.filter(pl.col("bbr_inflight_longterm_packets").is_not_null())
            assert bounded["cwnd_packets"].min() <= least + 10, name
            again = entered(name, UP, bounded["time_s"].max())
            assert again["bbr_inflight_longterm_packets"] is None, name
            assert again["cwnd_packets"] > 0.9 * up["cwnd_packets"], name
        assert of("bbr-spurious-timeout", "timeout").height >= 1

    def test_losses_in_up(self) -> None:
        lost = of("bbr-up-loss", "lost")
        assert lost.height == 3
        assert lost["bbr_state"].to_list()[-1] == 2
        assert lost["bbr_inflight_longterm_packets"].to_list()[-1] is not None

    def test_cubic_leaves_seven_tenths(self) -> None:
        for row in of("cubic", "reduction").iter_rows(named=True):
            assert row["cwnd_packets"] == pytest.approx(0.7 * row["inflight_packets"], rel=0.01)
        second, third = of("cubic", "reduction")["inflight_packets"].to_list()[-2:]
        maxima = (
            of("cubic", "ack")
            .group_by("ssthresh_packets", maintain_order=True)
            .agg(pl.col("w_max_packets").last())
        )
        # Fast convergence: a maximum below the one before is lowered to (1 + 0.7) / 2 of it (RFC 9438 section 4.7).
        assert third < second
        assert maxima["w_max_packets"].to_list()[-1] == pytest.approx(third * 0.85, rel=0.01)

    def test_hystart_grows_by_a_quarter_for_five_rounds(self) -> None:
        rows = of("hystart", "ack").filter(pl.col("ssthresh_packets").is_null() & pl.col("round_start"))
        windows = rows["cwnd_packets"].to_list()
        growth = [after / before for before, after in pairwise(windows)]
        assert [round(each) for each in growth[:4]] == [2, 2, 2, 2]
        assert growth[-3:] == pytest.approx([1.25] * 3, rel=0.02)
        assert of("hystart", "lost").is_empty()

    def test_prr_sends_one_for_two(self, tmp_path: Path) -> None:
        (cut,), (end,) = (of("prr", event).to_dicts() for event in ("reduction", "recovered"))
        # FlightSize contains what is lost or acknowledged selectively (RFC 5681 section 2): the window bounds it.
        before = of("prr", "ack").filter(pl.col("time_s") < cut["time_s"]).row(-1, named=True)
        assert cut["cwnd_packets"] == before["cwnd_packets"] / 2
        TRACES["prr"].scenario.export(tmp_path, "qlog")
        log = read(str(tmp_path / "exports" / QLOG))
        during = of("prr", "ack").filter(
            pl.col("time_s").is_between(cut["time_s"], end["time_s"], closed="none")
        )
        above = during.filter(pl.col("inflight_packets") > cut["cwnd_packets"] + 1)
        last_s = above["time_s"].max()
        sent = [e for e in log.of_kind("sent") if cut["time_s"] < e.place.time_s <= last_s]
        assert len(sent) / above["acked_packets"].sum() == pytest.approx(0.5, abs=0.03)
        assert during["inflight_packets"].to_list()[-1] == pytest.approx(cut["cwnd_packets"], abs=2)

    def test_rack_probes_the_tail(self) -> None:
        assert of("rack", "lost").height == 1 + 16
        (probe,) = of("rack", "probe").to_dicts()
        before = of("rack", "ack").filter(pl.col("time_s") < probe["time_s"]).row(-1, named=True)
        # The last acknowledgement before has let nothing out, so the timer runs from it (RFC 8985 section 7.2).
        assert probe["time_s"] - before["time_s"] == pytest.approx(2 * before["smoothed_rtt_s"], rel=0.1)


class TestArchive:
    def made(self, ackclock: Command, out: Path, *names: str) -> Path:
        done = ackclock("reference-traces", *names, "--out", out)
        assert done.code == 0, done.err
        (path,) = out.glob("*.zip")
        return path

    def test_made_twice_it_is_equal(self, ackclock: Command, tmp_path: Path) -> None:
        first, second = (self.made(ackclock, tmp_path / each, *SMALL) for each in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        with zipfile.ZipFile(first) as archive:
            names = [name.partition("/")[2] for name in archive.namelist()]
            text = archive.read(
                next(name for name in archive.namelist() if name.endswith("README.md"))
            ).decode()
        assert names == sorted(
            ["README.md", *(f"{name}/{file}" for name in SMALL for file in (SCENARIO, QLOG, EVENTS, FIGURE))]
        )
        for name in SMALL:
            assert f"| {TRACES[name].source} | {TRACES[name].shows} |" in text

    def test_a_trace_is_what_its_scenario_gives_and_agrees_with_itself(
        self, ackclock: Command, tmp_path: Path
    ) -> None:
        folder = self.made(ackclock, tmp_path, "rack").with_suffix("") / "rack"
        text = (folder / SCENARIO).read_text(encoding="utf-8")
        Scenario.from_text(text).export(tmp_path, "qlog")
        assert (tmp_path / "exports" / QLOG).read_bytes() == (folder / QLOG).read_bytes()
        found = compare(
            read(str(folder / QLOG)), read(str(folder / EVENTS)), "time", Tolerance(1e-3, {}, 1e-6)
        )
        assert found.agree, found.parting
