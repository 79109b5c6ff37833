"""``ackclock path``: real programs over the links of a scenario, in namespaces."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from real_time import MISSING, NO_TUN, PATIENCE_S, network_namespaces, ports, until

from ackclock import Scenario

LINK = 'rate = "10 Mbit/s"\ndelay = "5 ms"\nqueue = { name = "droptail", limit = "1000 packets" }\n'
FLOW = '[[flows]]\nname = "tcp"\nfrom = "a"\nto = "b"\ncontrol = "newreno"\n'
COMMAND = [sys.executable, "-m", "ackclock", "path"]
ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "wire_script.py"


def text(keys: str = "", flow: str = FLOW) -> str:
    return f'duration = "20 s"\n[[links]]\nname = "wire"\nbetween = ["a", "b"]\n{LINK}{keys}\n{flow}'


def scenario(folder: Path, keys: str = "") -> Path:
    file = folder / "wire.toml"
    file.write_text(text(keys))
    return file


def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def namespaces(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips the test where there are no namespaces, and says what would give them."""
    done = run(scenario(tmp_path_factory.mktemp("probe")), "--json", "--", "true")
    message = " ".join(done.stderr.split())
    if any(reason in message for reason in MISSING):
        pytest.skip(message)


@pytest.fixture(params=["packet", "tun"])
def device(request: pytest.FixtureRequest, namespaces: None, tmp_path: Path) -> str:
    """Returns each device in turn. Skips the test where there are no namespaces or no TUN devices."""
    device = str(request.param)
    message = " ".join(run(scenario(tmp_path), "--json", "--device", device, "--", "true").stderr.split())
    if NO_TUN in message:
        pytest.skip(message)
    return device


def processes(word: str) -> list[int]:
    """Returns the processes with this word among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in arguments:
            found.append(int(folder.name))
    return found


def test_refuses_what_real_time_cannot_do_before_anything_is_made(tmp_path: Path) -> None:
    medium = '[[media]]\nname = "air"\naccess = "half-duplex"\n'
    for wrong, message in [
        (
            text().replace("10 Mbit/s", "20 Gbit/s"),
            "link `wire` has a rate of 20000000000 bit/s, but real-time runs are tested only up to 1000000000 bit/s",
        ),
        (
            text('medium = "air"') + medium,
            "link `wire` shares a medium, but shared media work only in simulations",
        ),
    ]:
        file = tmp_path / "wrong.toml"
        file.write_text(wrong)
        done = run(file, "--", "true")
        assert done.returncode == 1, done.stderr
        assert message in " ".join(done.stderr.split()), done.stderr
        assert not done.stdout


def test_a_wrong_scenario_or_command_is_wrong_input(tmp_path: Path) -> None:
    done = run(scenario(tmp_path, "loss = 1"), "--", "true")
    assert done.returncode == 2
    assert "wire.toml:" in done.stderr
    done = run(scenario(tmp_path), "--flow", "udp", "--", "true")
    assert done.returncode == 2
    assert "no flows are named `udp`, expected one of `tcp`" in done.stderr
    done = run(scenario(tmp_path), "--serve", "echo 'open", "--", "true")
    assert done.returncode == 2
    assert "No closing quotation" in done.stderr


def test_packets_are_lost_marked_and_copied_as_in_the_simulation(tmp_path: Path, device: str) -> None:
    keys = 'loss = { name = "independent", probability = 0.2 }\necn = "set-ce"\nduplicate = 1\n'
    file, result = scenario(tmp_path, keys), tmp_path / "received.json"
    python = f"{sys.executable} {SCRIPT}"
    serve = f"{python} receive {result}"
    client = f"{python} send {result}"
    done = run(file, "--json", "--device", device, "--serve", serve, "--", *client.split())
    assert result.exists(), done.stderr
    received = json.loads(result.read_text())

    # The model draws one number for each packet, whatever sends it.
    udp = '[[flows]]\nname = "udp"\nfrom = "a"\nto = "b"\napplication = { name = "cbr", rate = "2 Mbit/s" }\n'
    trace = Scenario.from_text(text(keys, udp)).trace(seed=1)
    offered = trace.filter(trace["event"] == "offered")["packet"].to_list()[:200]
    corrupted = set(trace.filter(trace["event"] == "corrupted")["packet"].to_list())
    expected = [number for number, packet in enumerate(offered) if packet not in corrupted]
    assert 130 < len(expected) < 190
    assert received["numbers"] == [number for number in expected for _copy in range(2)]
    assert set(received["ecn"]) == {3}

    outcome = json.loads(done.stdout)
    [wire] = outcome["forward"]
    assert wire["corrupted_packets"] >= 200 - len(expected)
    assert wire["duplicated_packets"] == wire["delivered_packets"]
    assert outcome["exit_code"] == 0
    assert outcome["lost_outside"] == 0
    assert outcome["device"] == device


@pytest.mark.slow
@pytest.mark.usefixtures("namespaces")
def test_a_flow_of_the_kernel_uses_the_link_as_the_simulated_one_does() -> None:
    """Judged only if the machine was not late. Runs of 30 s agree within 1 and 4 % (docs/wire-measurements.md); these
    last 10 s.
    """
    file = ROOT / "docs" / "examples" / "path.toml"
    settings = {"warmup": "5 s", "duration": "15 s"}
    arguments = [f"--set={key}={value}" for key, value in settings.items()]
    python = f"{sys.executable} {SCRIPT}"
    for _attempt in range(3):
        serve = f"{python} sink"
        done = run(
            file,
            *arguments,
            "--json",
            "--compare",
            "--serve",
            serve,
            "--",
            *f"{python} stream 10.78.0.2 15".split(),
        )
        outcome = json.loads(done.stdout)
        assert outcome["exit_code"] == 0, done.stderr
        if not outcome["problems"]:
            break
    else:
        pytest.skip(f"not judged: the machine was late: {outcome['problems']}")
    [real] = [link for link in outcome["forward"] if link["name"] == "bottleneck"]
    [simulated] = [link for link in outcome["simulated"] if link["name"] == "bottleneck"]
    assert real["utilisation"] == pytest.approx(simulated["utilisation"], rel=0.06)
    assert real["wait_p95_s"] == pytest.approx(simulated["wait_p95_s"], rel=0.1)


@pytest.mark.parametrize("address", ["10.78.0.2", "fd00:78::2"])
def test_connections_cross_the_links_over_both_versions_of_ip(
    tmp_path: Path, address: str, device: str
) -> None:
    if ":" in address and not Path("/proc/sys/net/ipv6").exists():
        pytest.skip("needs a kernel with IPv6")
    python = f"{sys.executable} {SCRIPT}"
    client = f"{python} stream {address} 1"
    file, serve = scenario(tmp_path, 'ecn = "set-ce"'), f"{python} sink"
    done = run(file, "--json", "--device", device, "--serve", serve, "--", *client.split())
    outcome = json.loads(done.stdout)
    assert outcome["exit_code"] == 0, done.stderr
    [wire], [back] = outcome["forward"], outcome["backward"]
    # A second at 10 Mbit/s has 833 packets of 1500 bytes; acknowledgements come back for every other.
    assert wire["delivered_packets"] > 100
    assert wire["delivered_packets"] > back["delivered_packets"] > 50


def test_a_link_is_not_busy_for_longer_than_is_counted(tmp_path: Path, device: str) -> None:
    """The program ends with a second of packets in the queue."""
    python = (
        "import socket; sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "[sender.sendto(bytes(1472), ('10.78.0.2', 9)) for _ in range(900)]"
    )
    done = run(scenario(tmp_path), "--json", "--device", device, "--", sys.executable, "-c", python)
    outcome = json.loads(done.stdout)
    assert outcome["exit_code"] == 0, done.stderr
    [wire] = outcome["forward"]
    assert wire["arrived_packets"] == wire["delivered_packets"] == 900
    # 900 packets of 1500 bytes take 1.08 s at 10 Mbit/s.
    counted_s = outcome["measured_to_s"] - outcome["measured_from_s"]
    assert wire["utilisation"] == pytest.approx(1.08 / counted_s)
    assert wire["utilisation"] <= 1


@pytest.mark.usefixtures("namespaces")
def test_a_download_takes_the_path_of_the_flow_or_is_told_that_it_does_not(tmp_path: Path) -> None:
    """The first host sends 200 datagrams, which take the path of the flow's data as an upload and go against them as a
    download.
    """
    python = (
        "import socket; sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "[sender.sendto(bytes(1000), ('10.78.0.2', 9)) for _ in range(200)]"
    )
    client = ["--", sys.executable, "-c", python]
    note = (
        "most bytes took the return path of flow `tcp`; with `--direction upload` they take its forward path"
    )
    for direction in ("upload", "download"):
        options = [scenario(tmp_path), "--direction", direction]
        outcome = json.loads(run(*options, "--json", *client).stdout)
        crossed = [outcome[name][0]["arrived_packets"] for name in ("forward", "backward")]
        # Nothing listens, so the second host answers some of them.
        with_them, against = crossed if direction == "upload" else crossed[::-1]
        assert with_them == 200
        assert against < 100
        told = " ".join(run(*options, *client).stderr.split())
        assert (note in told) == (direction == "download"), told


@pytest.mark.usefixtures("namespaces")
def test_a_stall_makes_a_run_invalid_and_changes_no_arrival(tmp_path: Path) -> None:
    """The command is stopped for a tenth of a second while packets cross; the round trip is 10 ms. The packets arrive
    0.2 ms apart or more, and the link takes 0.1 ms for one, so a queue of the hundreds of packets that were not looked
    at in time would mean that they count as arriving later.
    """
    sending, stop = tmp_path / "sending", tmp_path / "stop"
    python = (
        "import pathlib, socket, sys, time; sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "sending, stop = map(pathlib.Path, sys.argv[1:])\n"
        "while not stop.exists():\n"
        "    sender.sendto(bytes(100), ('10.78.0.2', 9)); sending.touch(); time.sleep(0.0002)\n"
    )
    client = [sys.executable, "-c", python, str(sending), str(stop)]
    command = [*COMMAND, str(scenario(tmp_path)), "--json", "--", *client]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(sending.exists, "the program sends nothing")
        running.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        running.send_signal(signal.SIGCONT)
        stop.touch()
        output, errors = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 1, errors
    bound = "late, more than the allowed 5.00 ms (half of the RTT without queues, but at least 0.2 ms)"
    assert bound in " ".join(errors.split())
    outcome = json.loads(output)
    assert outcome["lateness"]["max_s"] > 0.05
    assert outcome["forward"][0]["queue_max_packets"] < 32


@pytest.mark.usefixtures("namespaces")
def test_a_missing_program_is_named(tmp_path: Path) -> None:
    for path, command, message in [
        (str(tmp_path), "true", "the program `ip` is missing: install iproute2"),
        (
            os.environ["PATH"],
            "/no/such/program",
            "`/no/such/program` cannot be run: No such file or directory",
        ),
    ]:
        done = run(scenario(tmp_path), "--", command, env={**os.environ, "PATH": path})
        assert done.returncode == 1
        assert message in done.stderr
        assert not done.stdout


def test_a_user_who_may_make_no_namespaces_is_told_what_gives_them(tmp_path: Path) -> None:
    """Root without any capability may make neither namespaces nor map itself into a user namespace."""
    setpriv = shutil.which("setpriv")
    if setpriv is None or os.geteuid() != 0:
        pytest.skip("needs root, and setpriv of util-linux to drop its capabilities")
    command = [
        setpriv,
        "--bounding-set=-all",
        "--inh-caps=-all",
        *COMMAND,
        str(scenario(tmp_path)),
        "--",
        "true",
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    message = " ".join(done.stderr.split())
    assert done.returncode == 1, message
    assert "the two hosts need network namespaces, but this user may not create them" in message
    assert "user.max_user_namespaces" in message
    assert "`ackclock run` simulates the same network" in message


@pytest.mark.usefixtures("namespaces")
def test_a_missing_tun_device_is_named_with_what_works_without(tmp_path: Path) -> None:
    """In a mount namespace of its own the command finds nothing in /dev/net."""
    if os.geteuid() != 0 or shutil.which("unshare") is None or not Path("/dev/net").exists():
        pytest.skip("needs root, /dev/net, and unshare of util-linux to hide it")
    hidden = shlex.join([*COMMAND, str(scenario(tmp_path)), "--device", "tun", "--", "true"])
    command = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs none /dev/net && exec {hidden}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    message = " ".join(done.stderr.split())
    assert done.returncode == 1, message
    assert f"`--device tun` {NO_TUN} /dev/net/tun is missing: the kernel needs CONFIG_TUN" in message
    assert "`--device packet`, the default, needs none" in message
    assert not done.stdout


def test_the_hosts_have_no_other_network(tmp_path: Path, device: str) -> None:
    python = "import socket; print([name for _, name in socket.if_nameindex()])"
    done = run(scenario(tmp_path), "--device", device, "--", sys.executable, "-c", python)
    assert "['lo', 'eth0']" in done.stdout, done.stdout + done.stderr
    python = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    done = run(scenario(tmp_path), "--device", device, "--", sys.executable, "-c", python)
    assert "Network is unreachable" in done.stderr
    assert done.returncode == 1
    assert "ended with exit code 1" in done.stderr


@pytest.mark.parametrize("ending", ["end", "error", "Ctrl-C", "killed"])
def test_nothing_is_left_behind(tmp_path: Path, ending: str, device: str) -> None:
    before = ports()
    own, made = network_namespaces(os.getpid()), set[str]()
    word = f"leftover-{os.getpid()}-{ending}-{device}"
    # It listens, has a child of its own, and waits longer than the test.
    python = "import os, socket, time; server = socket.socket(); server.listen(); os.fork(); time.sleep(1000)"
    long = [sys.executable, "-c", python, word]
    client = {"end": ["true"], "error": ["/no/such/program"]}.get(ending, long)
    options = ["--device", device, "--serve", shlex.join(long)]
    command = [*COMMAND, str(scenario(tmp_path)), *options, "--", *client]
    errors = tmp_path / "errors"
    with errors.open("w") as complaints:
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=complaints)

    def has_ended() -> bool:
        """Notes the namespaces that the command holds. Others come and go on a machine."""
        made.update(network_namespaces(running.pid) - own)
        return running.poll() is not None

    try:
        if ending in ("Ctrl-C", "killed"):
            # The server and the client, each with its child, and the command itself.
            until(lambda: len(processes(word)) == 5, "the programs do not run")
            assert not has_ended()
            assert len(made) >= 3
            running.send_signal(signal.SIGINT if ending == "Ctrl-C" else signal.SIGKILL)
        until(has_ended, "the command does not end")
    finally:
        running.kill()
        running.wait()
    expected = {"end": (0, 1), "error": (1,), "Ctrl-C": (130,), "killed": (-signal.SIGKILL,)}[ending]
    assert running.returncode in expected, errors.read_text()
    until(lambda: not processes(word), "a program is left")
    until(lambda: not made & network_namespaces(), "a namespace is left")
    assert ports() <= before
