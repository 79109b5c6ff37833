"""``ackclock control``: controls of this laboratory under the sockets of the kernel."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from real_time import NOT_OFFERED, PATIENCE_S, until

from ackclock import core
from ackclock.cli.control import ends_with
from ackclock.errors import InputError, RunError
from ackclock.kernel_controls import PROGRAM, program

COMMAND = [sys.executable, "-m", "ackclock", "control"]
ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "docs" / "examples" / "kernel-events.csv"
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def available() -> set[str]:
    return set(AVAILABLE.read_text().split())


@pytest.fixture(scope="module")
def struct_ops() -> None:
    """Skips the test where the kernel takes no controls, and says what would give them."""
    done = run("reno", "--", "true")
    message = " ".join(done.stderr.split())
    if any(reason in message for reason in NOT_OFFERED):
        pytest.skip(message)
    assert done.returncode == 0, message


def test_a_recording_gives_the_same_decisions_everywhere() -> None:
    done = run("--replay", RECORDING, "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["about"]["controls"] == ["cubic", "tcp-p", "bbrv3"]
    assert outcome["events"] == len(RECORDING.read_text().splitlines()) - 3
    assert outcome["connections"] == 4
    assert outcome["differences"] == []
    assert "all decisions are those of the recording" in run("--replay", RECORDING).stdout


def test_a_replay_into_another_control_shows_where_it_differs() -> None:
    done = run("--replay", RECORDING, "newreno", "tcp-p", "bbrv3")
    assert done.returncode == 0, done.stderr
    assert "decisions differ; the first in line" in done.stdout
    with pytest.raises(
        InputError, match=r"the recording has 3 controls \(cubic tcp-p bbrv3\), and 1 are named"
    ):
        core.replay(RECORDING.read_text(), ["cubic"])
    with pytest.raises(InputError, match="spike does not run under the TCP of Linux"):
        core.replay(RECORDING.read_text(), ["spike", "tcp-p", "bbrv3"])


def test_a_changed_decision_of_a_recording_is_found(tmp_path: Path) -> None:
    lines = RECORDING.read_text().splitlines()
    fields = lines[-20].split(",")
    window = len(lines[2].split(",")) - 4
    assert lines[2].split(",")[window] == "answer_cwnd"
    fields[window] = str(int(fields[window]) + 1)
    lines[-20] = ",".join(fields)
    file = tmp_path / "changed.csv"
    file.write_text("\n".join(lines) + "\n")
    done = run("--replay", file, "--json")
    assert done.returncode == 1
    [difference] = json.loads(done.stdout)["differences"]
    assert difference["line"] == len(lines) - 19
    assert difference["recorded_cwnd"] == difference["decided_cwnd"] + 1


def test_wrong_input_is_named(tmp_path: Path) -> None:
    text = tmp_path / "text.csv"
    text.write_text("no events\n")
    for arguments, message in [
        (["kubic"], 'there is no control "kubic"; did you mean "cubic"?'),
        ([], "no control is named; for example: ackclock control cubic"),
        (["--replay", text], 'line 1: found "no events", expected "# ackclock kernel events 1"'),
        (["--replay", tmp_path / "none.csv"], "none.csv: No such file or directory"),
        (["--replay", RECORDING, "--", "true"], "--replay takes neither a command nor --record"),
    ]:
        done = run(*arguments)
        assert done.returncode == 2, done.stderr
        assert message in " ".join(done.stderr.split())


def test_a_missing_program_names_what_builds_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RunError, match="`make wire` builds it"):
        program()


@pytest.mark.usefixtures("struct_ops")
def test_a_user_who_lacks_privilege_is_told_what_gives_it() -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("needs setpriv of util-linux to drop capabilities")
    command = [setpriv, "--bounding-set=-bpf", "--inh-caps=-bpf", *COMMAND, "cubic", "--", "true"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    message = " ".join(done.stderr.split())
    assert done.returncode == 1, message
    assert "offering a control to the kernel needs root, and this user lacks CAP_BPF" in message
    assert "`ackclock run` simulates every control" in message


@pytest.mark.usefixtures("struct_ops")
def test_a_user_namespace_is_not_enough() -> None:
    unshare = shutil.which("unshare")
    command = [str(unshare), "--user", "--map-root-user", *COMMAND, "cubic", "--", "true"]
    if unshare is None or subprocess.run([*command[:3], "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs user namespaces, and unshare of util-linux")
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert "root of a user namespace may not" in " ".join(done.stderr.split())


CLIENT = """
import socket, sys, threading
server = socket.create_server(("127.0.0.1", 0))
def sink():
    taken, _ = server.accept()
    while taken.recv(1 << 20): pass
reader = threading.Thread(target=sink)
reader.start()
sender = socket.socket()
sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
sender.connect(server.getsockname())
for _ in range(200): sender.sendall(bytes(65536))
used = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
sender.close()
reader.join()
sys.exit(used.strip(bytes(1)).decode() != sys.argv[1])
"""


@pytest.mark.usefixtures("struct_ops")
@pytest.mark.parametrize(
    ("name", "kernel", "owns"), [("htcp,least_beta=0.6", "ack_htcp", False), ("bbrv3", "ack_bbrv3", True)]
)
def test_a_transfer_is_decided_by_the_control(tmp_path: Path, name: str, kernel: str, owns: bool) -> None:
    record = tmp_path / "events.csv"
    done = run(name, "--record", record, "--json", "--", sys.executable, "-c", CLIENT, kernel)
    assert done.returncode == 0, done.stderr
    [report] = json.loads(done.stdout)["controls"]
    assert (report["name"], report["control"], report["owns_window"]) == (kernel, name, owns)
    assert report["connections"] == 1
    assert report["in_time"] + report["late"] > 0
    assert report["lost_events"] == 0
    assert run("--replay", record).returncode == 0


@pytest.mark.usefixtures("struct_ops")
def test_the_exit_code_is_that_of_the_command() -> None:
    done = run("bic", "--", sys.executable, "-c", "import sys; sys.exit(3)")
    assert done.returncode == 1
    assert "ended with exit code 3" in done.stderr
    done = run("bic", "--", "/no/such/program")
    assert done.returncode == 1
    assert "`/no/such/program` does not run: No such file or directory" in done.stderr


@pytest.mark.usefixtures("struct_ops")
def test_two_offers_of_one_control_have_two_names() -> None:
    done = run("scalable", "scalable", "--", "cat", AVAILABLE)
    assert {"ack_scalable", "ack_scalable_2"} <= set(done.stdout.split("\n")[0].split()), done.stderr


PROGRAMS, MAPS, LINKS = 11, 12, 31
"""``BPF_PROG_GET_NEXT_ID`` and the like of linux/bpf.h."""


def of_kernel(kind: int) -> set[int]:
    """Returns the numbers of all BPF programs, maps or links of the kernel."""
    libc = ctypes.CDLL(None, use_errno=True)
    bpf = {"x86_64": 321, "aarch64": 280}[platform.machine()]
    numbers = (ctypes.c_uint32 * 3)()
    found: set[int] = set()
    while libc.syscall(bpf, kind, ctypes.byref(numbers), ctypes.sizeof(numbers)) == 0:
        found.add(numbers[1])
        numbers[0] = numbers[1]
    return found


def of_process(process: int) -> dict[int, set[int]]:
    """Returns the numbers of the BPF programs, maps and links that a process holds."""
    held: dict[int, set[int]] = {PROGRAMS: set(), MAPS: set(), LINKS: set()}
    words = {"prog_id:": PROGRAMS, "map_id:": MAPS, "link_id:": LINKS}
    for information in Path(f"/proc/{process}/fdinfo").iterdir():
        for line in information.read_text().splitlines():
            word, _, number = line.partition("\t")
            if word in words:
                held[words[word]].add(int(number))
    return held


def holder(parent: int) -> int:
    """Returns the process that holds the controls for this one."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition(") ")
        except OSError:
            continue
        if name.endswith(f"({PROGRAM[:15]}") and int(rest.split()[1]) == parent:
            return int(folder.name)
    raise AssertionError("no process holds the control")


@pytest.mark.usefixtures("struct_ops")
@pytest.mark.parametrize(
    ("ending", "control"),
    [
        ("end", "vegas"),
        ("error", "veno"),
        ("Ctrl-C", "yeah"),
        ("Ctrl-C without a command", "westwood"),
        ("killed", "illinois"),
    ],
)
def test_nothing_is_left_behind(ending: str, control: str) -> None:
    name, held = f"ack_{control}", {}
    long = [sys.executable, "-c", "import time; time.sleep(1000)"]
    command = {"end": ["true"], "error": ["/no/such/program"], "Ctrl-C without a command": []}.get(
        ending, long
    )
    running = subprocess.Popen(
        [*COMMAND, control, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        if ending in ("Ctrl-C", "Ctrl-C without a command", "killed"):
            until(lambda: name in available(), "no control is offered")
            held = of_process(holder(running.pid))
            assert all(numbers and numbers <= of_kernel(kind) for kind, numbers in held.items()), held
            running.send_signal(signal.SIGKILL if ending == "killed" else signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.communicate()
    expected = {"end": 0, "error": 1, "Ctrl-C": 130, "Ctrl-C without a command": 0, "killed": -signal.SIGKILL}
    assert running.returncode == expected[ending], errors
    until(lambda: name not in available(), "a control is left")
    for kind, numbers in held.items():
        until(lambda kind=kind, numbers=numbers: not numbers & of_kernel(kind), "something is left")


def test_a_command_ends_with_what_began_it() -> None:
    """Also when that ended before the command could ask the kernel for it: then its parent is another process."""
    here = subprocess.run(
        ["echo", "runs"], preexec_fn=ends_with(os.getpid()), capture_output=True, check=True
    )
    assert here.stdout == b"runs\n"
    gone = subprocess.Popen(["true"])
    gone.wait()
    orphan = subprocess.run(
        ["echo", "runs"], preexec_fn=ends_with(gone.pid), capture_output=True, check=False
    )
    assert (orphan.returncode, orphan.stdout) == (-signal.SIGKILL, b"")


@pytest.mark.usefixtures("struct_ops")
def test_a_socket_whose_control_has_gone_goes_on() -> None:
    name = "ack_hybla"
    running = subprocess.Popen([*COMMAND, "hybla"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: name in available(), "no control is offered")
        programs = of_process(holder(running.pid))[PROGRAMS]
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as sender:
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
            sender.connect(server.getsockname())
            taken, _ = server.accept()
            with taken:
                running.kill()
                until(lambda: name not in available(), "the control is left")
                for _ in range(50):
                    sender.sendall(bytes(65536))
                    received = 0
                    while received < 65536:
                        received += len(taken.recv(65536))
                assert programs & of_kernel(PROGRAMS), "the socket needs them"
        until(lambda: not programs & of_kernel(PROGRAMS), "a program outlives the last socket")
    finally:
        running.kill()
        running.communicate()


@pytest.mark.usefixtures("struct_ops")
def test_connections_are_under_reno_while_the_program_does_not_answer() -> None:
    name = "ack_compound"
    running = subprocess.Popen(
        [*COMMAND, "compound", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        until(lambda: name in available(), "no control is offered")
        program = holder(running.pid)
        os.kill(program, signal.SIGSTOP)
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, name],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        os.kill(program, signal.SIGCONT)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 0, errors
    [report] = json.loads(output)["controls"]
    assert report["reno"] > 0
    assert report["in_time"] == 0
