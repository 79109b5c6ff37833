"""``ackclock wire``: the flows of a scenario on real stacks, in namespaces."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from real_time import MISSING, NOT_OFFERED, PATIENCE_S, network_namespaces, ports, until

from ackclock import Scenario, ScenarioError
from ackclock._wire_agreement import FLOW_METRICS, LINK_METRICS, compared

COMMAND = [sys.executable, "-m", "ackclock", "wire"]
NETWORK = (
    '[dumbbell]\nrtt = "40 ms"\naccess = { rate = "1 Gbit/s" }\n'
    'bottleneck = { rate = "10 Mbit/s", queue = { name = "droptail", limit = "1 bdp" } }\n'
)
KERNEL = '[[flows]]\nname = "tcp"\ncontrol = "linux:cubic"\ntransport = "linux"\n'
STACK = '[[flows]]\nname = "quic"\ncontrol = "{}"\ntransport = "{}"\n'
ATTEMPTS = 3


def scenario(folder: Path, flows: str, *, duration: str = "6 s", warmup: str = "1 s") -> Path:
    file = folder / "wire.toml"
    file.write_text(f'name = "wire"\nduration = "{duration}"\nwarmup = "{warmup}"\n{NETWORK}{flows}')
    return file


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def result(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Returns the document of a run. Skips the test where there are no namespaces, and says what would give them."""
    message = " ".join(done.stderr.split())
    if any(reason in message for reason in (*MISSING, *NOT_OFFERED)):
        pytest.skip(message)
    assert done.stdout, message
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("flows", "message"),
    [
        (
            '[[flows]]\ncontrol = "spike"\ntransport = "linux"\n',
            "the congestion control of flows `spike`: spike does not run under Linux's TCP",
        ),
        (
            '[[flows]]\ncontrol = "cubic"\ntransport = "sctp"\n',
            "flows `cubic` use the transport `sctp`: this transport is simulated",
        ),
        (KERNEL + "count = 2000\n", "it has 2000 flows, but a run in real time allows at most 64"),
    ],
)
def test_refuses_what_real_time_cannot_do_before_anything_is_made(
    tmp_path: Path, flows: str, message: str
) -> None:
    done = run(scenario(tmp_path, flows), "--json")
    assert done.returncode == 1, done.stderr
    assert message in " ".join(done.stderr.split())
    assert not done.stdout


def test_refuses_a_rate_that_was_not_measured_and_a_sweep(tmp_path: Path) -> None:
    fast = "dumbbell.bottleneck.rate=200 Mbit/s"
    done = run(scenario(tmp_path, STACK.format("cubic", "noq")), "--set", fast)
    assert done.returncode == 1
    assert (
        "`bottleneck` has a rate of 200000000 bit/s, but real-time runs are tested only up to 100000000 bit/s"
        in " ".join(done.stderr.split())
    )
    done = run(scenario(tmp_path, KERNEL + "\n[sweep]\n'flows.tcp.count' = [1, 2]\n"))
    assert done.returncode == 2
    assert "`ackclock wire` makes a single run" in " ".join(done.stderr.split())


def test_the_controls_of_the_kernel_are_simulated_by_ours(tmp_path: Path) -> None:
    file = scenario(tmp_path, KERNEL)
    cubic = {"name": "cubic", "variant": "linux"}
    bbr = {"name": "bbrv1", "extra_acked_rounds": 10}
    for kernel, ours in [("cubic", cubic), ("reno", "newreno"), ("bbr", bbr)]:
        theirs = Scenario.from_file(file, {"flows.0.control": f"linux:{kernel}"}).run(series=False).document
        stand_in = Scenario.from_file(file, {"flows.0.control": ours}).run(series=False).document
        [one], [other] = theirs["flows"], stand_in["flows"]
        assert {**one, "control": other["control"]} == other
        assert one["control"] == f"linux:{kernel}"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            "",
            'the congestion control "linux:cubic" over a transport other than linux, expected `transport = "linux"`',
        ),
        ('transport = "noq"', 'the congestion control "linux:cubic" over a transport other than linux'),
        (
            'transport = "linux"\nslow_start = "hystart++"',
            '`slow_start` with the control "linux:cubic", expected no `slow_start`, which kernel controls',
        ),
        (
            'transport = "linux"\nbackoff = "exponential"',
            '`backoff` with the control "linux:cubic", expected no `backoff`, which kernel controls',
        ),
    ],
)
def test_a_control_of_the_kernel_runs_over_its_own_transport_and_as_it_is(
    tmp_path: Path, keys: str, message: str
) -> None:
    with pytest.raises(ScenarioError) as raised:
        Scenario.from_file(scenario(tmp_path, f'[[flows]]\ncontrol = "linux:cubic"\n{keys}\n'))
    assert message in " ".join(str(raised.value).split())


def test_a_comparison_has_the_difference_and_the_bound_of_each_metric() -> None:
    nothing = dict.fromkeys(metric.field for metric in (*FLOW_METRICS, *LINK_METRICS))

    def document(goodput: float, delay: float | None, drops: int, utilisation: float) -> dict[str, Any]:
        flow = {**nothing, "name": "a", "goodput_bps": goodput, "one_way_delay_p95_s": delay}
        link = {
            **nothing,
            "name": "b",
            "utilisation": utilisation,
            "dropped_packets": drops,
            "marked_packets": 0,
        }
        return {"flows": [flow], "links": [link, {**link, "name": "idle", "utilisation": 0.1}]}

    rows = compared(document(9.6e6, 0.05, 12, 0.99), document(10e6, None, 8, 1.0))
    found = {(row["name"], row["metric"]): (row["difference"], row["agrees"]) for row in rows}
    # 4 % less goodput is beyond 3 %; 12 drops are 1.5 times 8; nothing is said of what one run does not know.
    assert found == {
        ("a", "goodput_bps"): (pytest.approx(-0.04), False),
        ("b", "utilisation"): (pytest.approx(-0.01), True),
        ("b", "dropped_packets"): (0.5, True),
    }
    assert compared(document(1, 1, 6, 1), document(1, 1, 0, 1))[-1]["agrees"] is False
    assert compared(document(1, 1, 5, 1), document(1, 1, 0, 1))[-1]["agrees"] is True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flows", "unknown"),
    [
        (KERNEL, ["fast_retransmits", "timeout_idle_s"]),
        (KERNEL.replace("linux:cubic", "vegas"), ["fast_retransmits", "timeout_idle_s"]),
        (STACK.format("noq:cubic", "noq"), ["rtt_p95_s", "retransmitted_packets"]),
        (STACK.format("newreno", "noq"), ["rtt_p95_s", "retransmitted_packets"]),
    ],
    ids=["linux", "ours under linux", "noq", "ours under noq"],
)
def test_a_real_flow_does_what_the_simulated_one_does(tmp_path: Path, flows: str, unknown: list[str]) -> None:
    """Judged only if the machine was not late. Runs of 40 s are within the bounds (docs/wire-measurements.md); these
    count 5 s, so the bounds are twice as wide.
    """
    file = scenario(tmp_path, flows)
    for _attempt in range(ATTEMPTS):
        outcome = result(run(file, "--json", "--compare"))
        if not outcome["wire"]["problems"]:
            break
    else:
        pytest.skip(f"not judged: the machine was late: {outcome['wire']['problems']}")
    [real], [simulated] = outcome["flows"], outcome["simulated"]["flows"]
    for report in outcome["wire"]["controls"]:
        if report["in_time"] <= report["late"] or report["reno"]:
            pytest.skip(f"not judged: the control did not decide in time: {report}")
    assert real.keys() == simulated.keys()
    assert all(real[field] is None for field in unknown)
    assert real["goodput_bps"] == pytest.approx(simulated["goodput_bps"], rel=0.06)
    assert real["sent_packets"] == pytest.approx(simulated["sent_packets"], rel=0.06)
    assert real["cwnd_mean_packets"] == pytest.approx(simulated["cwnd_mean_packets"], rel=0.2)
    for field in ("rtt_p95_s", "one_way_delay_p95_s"):
        if simulated[field] is not None:
            assert real[field] == pytest.approx(simulated[field], rel=0.1)
    [link], [other] = (bottleneck(document) for document in (outcome, outcome["simulated"]))
    assert link["utilisation"] == pytest.approx(other["utilisation"], rel=0.06)
    assert link["wait_p95_s"] == pytest.approx(other["wait_p95_s"], rel=0.1)
    # What the links took of the flow is what they dropped.
    assert real["dropped_packets"] == link["dropped_packets"]


def bottleneck(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [link for link in document["links"] if link["name"] == "bottleneck"]


def test_flows_of_several_stacks_share_a_link_and_complete(tmp_path: Path) -> None:
    """Everything that was sent arrives, and each flow crosses its own links. Judged only if the machine was not late,
    which may keep a flow from completing.
    """
    bulk = 'application = { name = "bulk", size = "100 kB" }\n'
    flows = f'{KERNEL}count = 2\n{bulk}{STACK.format("quinn:cubic", "quinn")}{bulk}start = "100 ms"\n'
    deep = "dumbbell.bottleneck.queue.limit=1000 packets"
    for _attempt in range(ATTEMPTS):
        file = scenario(tmp_path, flows, duration="3 s", warmup="0 s")
        outcome = result(run(file, "--json", "--set", deep))
        if not outcome["wire"]["problems"]:
            break
    else:
        pytest.skip(f"not judged: the machine was late: {outcome['wire']['problems']}")
    assert [flow["name"] for flow in outcome["flows"]] == ["tcp-1", "tcp-2", "quic"]
    assert all(flow["completed_s"] is not None for flow in outcome["flows"])
    assert [flow["lost_packets"] for flow in outcome["flows"]] == [0, 0, 0]
    # 70 packets hold 100 kB: of 1448 B over TCP, of 1439 B over QUIC.
    delivered = [flow["goodput_bps"] * 3 / 8 for flow in outcome["flows"]]
    assert delivered == [pytest.approx(size) for size in (70 * 1448, 70 * 1448, 70 * 1439)]
    arrived = {link["name"]: link["arrived_packets"] for link in outcome["links"]}
    own = [arrived[f"access-{number}-left"] for number in (1, 2, 3)]
    assert min(own) >= 70
    assert arrived["bottleneck"] == sum(own)
    assert [group["flows"] for group in outcome["groups"]] == [2, 1]
    # What was counted over time is what was counted in all, at a thousandth of 3 s.
    series = outcome["wire"]["series"]
    assert series["time_s"][-1] == pytest.approx(3)
    for flow in outcome["flows"]:
        values = series["flows"][flow["name"]]["goodput_bps"]
        assert len(values) == len(series["time_s"]) == 1000
        assert sum(values) / 1000 == pytest.approx(flow["goodput_bps"])
    # Linux begins with 10 packets (RFC 6928), and without a threshold.
    window = [value for value in series["flows"]["tcp-1"]["cwnd_packets"] if value is not None]
    assert window[0] >= 10
    assert set(series["flows"]["quic"]) == {"goodput_bps"}


@pytest.mark.parametrize("ending", ["end", "error", "Ctrl-C", "killed"])
def test_nothing_is_left_behind(tmp_path: Path, ending: str) -> None:
    before, listening = ports(), open_at(5000)
    own, made = network_namespaces(os.getpid()), set[str]()
    flows = KERNEL + STACK.format("cubic", "noq")
    file = scenario(tmp_path, flows, duration="1 s" if ending == "end" else "1000 s", warmup="0 s")
    environment = {**os.environ}
    seen = tmp_path / "seen"
    if ending == "error":
        # Namespaces exist by the time at which `ip` fails.
        environment["PATH"] = str(failing_ip(tmp_path, seen))
    output, errors = tmp_path / "output", tmp_path / "errors"
    with output.open("w") as to, errors.open("w") as complaints:
        running = subprocess.Popen(
            [*COMMAND, str(file), "--json"], stdout=to, stderr=complaints, env=environment
        )

    def has_ended() -> bool:
        """Notes the namespaces that the command holds. Others come and go on a machine."""
        made.update(network_namespaces(running.pid) - own)
        return running.poll() is not None

    try:
        if ending in ("Ctrl-C", "killed"):
            # Both ends of both flows have a thread in addition to those that there are without a run.
            until(lambda: has_ended() or workers(running.pid) == 4, "the flows do not run")
            running.send_signal(signal.SIGINT if ending == "Ctrl-C" else signal.SIGKILL)
        if ending == "error":
            until(lambda: has_ended() or len(made) >= 3, "there are no namespaces")
            seen.touch()
        until(has_ended, "the command does not end")
    finally:
        running.kill()
        running.wait()
    message = " ".join(errors.read_text().split())
    if any(reason in message for reason in MISSING if "iproute2" not in reason):
        pytest.skip(message)
    expected = {"end": (0, 1), "error": (1,), "Ctrl-C": (130,), "killed": (-signal.SIGKILL,)}[ending]
    assert running.returncode in expected, message
    assert len(made) >= 3
    until(lambda: not made & network_namespaces(), "a namespace is left")
    assert ports() <= before
    assert open_at(5000) <= listening, "a port is open outside of the hosts"


def open_at(port: int) -> set[str]:
    """Returns the sockets of this namespace with this local port, of both protocols and both versions of IP."""
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                local = line.split()[1]
                if int(local.rpartition(":")[2], 16) == port:
                    found.add(f"{table} {local}")
    return found


def workers(process: int) -> int:
    """Returns how many threads of a process have the name of an end of a flow."""
    names = []
    with suppress(OSError):
        names = [(task / "comm").read_text() for task in Path(f"/proc/{process}/task").iterdir()]
    return names.count("flow-end\n")


def failing_ip(folder: Path, seen: Path) -> Path:
    """Returns a folder with an ``ip`` that fails when there is a file ``seen``."""
    programs = folder / "programs"
    programs.mkdir()
    wait = f"while [ ! -e {seen} ]; do {shutil.which('sleep')} 0.05; done"
    (programs / "ip").write_text(f"#!/bin/sh\n{wait}\necho broken >&2\nexit 1\n")
    (programs / "ip").chmod(0o755)
    assert shutil.which("ip", path=str(programs))
    return programs


def test_the_send_buffers_of_the_hosts_limit_no_flow(tmp_path: Path) -> None:
    """With Linux's 4 MB, BBR sends too little in Startup over 100 Mbit/s and 100 ms to ever leave it."""
    file = scenario(tmp_path, KERNEL, duration="1000 s", warmup="0 s")
    running = subprocess.Popen(
        [*COMMAND, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    limits = []
    try:
        until(lambda: workers(running.pid) == 2 or running.poll() is not None, "the flow does not run")
        # Where there are no namespaces it has ended by now.
        for descriptor in [] if running.poll() is not None else Path(f"/proc/{running.pid}/fd").iterdir():
            if str(descriptor.readlink()).startswith("net:"):
                command = ["nsenter", f"--net={descriptor}", "cat", "/proc/sys/net/ipv4/tcp_wmem"]
                told = subprocess.run(command, capture_output=True, text=True, check=False)
                limits += [int(told.stdout.split()[2])] if told.returncode == 0 else []
    finally:
        running.kill()
        _, errors = running.communicate()
    if any(reason in " ".join(errors.split()) for reason in MISSING):
        pytest.skip(errors)
    if not limits:
        pytest.skip("needs root, and nsenter of util-linux")
    # Those of the two hosts, beside that of the machine.
    assert sorted(limits)[-2:] == [64 << 20] * 2
