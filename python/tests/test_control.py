"""``ackclock control``: controls of this laboratory under the sockets of the kernel."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from real_time import MISSING, NOT_OFFERED, PATIENCE_S, until

from ackclock import _typed_core as core
from ackclock.cli.control import ends_with
from ackclock.errors import InputError, RunError
from ackclock.kernel_controls import PROGRAM, program

COMMAND = [sys.executable, "-m", "ackclock", "control"]
ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "docs" / "examples" / "kernel-events.csv"
EVENT = RECORDING.read_text().splitlines()[2].split(",")
"""The columns of a recording."""
LOSS, STATE, UNDO, END = "3", "4", "6", "7"
"""The events by which the kernel asks for a threshold, changes the state of recovery, takes a reduction back and ends
(``crates/kernel/src/event.rs``).
"""
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def available() -> set[str]:
    return set(AVAILABLE.read_text().split())


class Running:
    """The command while it runs, in the background."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self._errors = folder / "errors"
        self._output = folder / "output"
        with self._errors.open("w") as errors, self._output.open("w") as output:
            self.process = subprocess.Popen(
                [*COMMAND, *map(str, arguments)], stdin=subprocess.PIPE, stdout=output, stderr=errors
            )

    @property
    def errors(self) -> str:
        return " ".join(self._errors.read_text().split())

    @property
    def output(self) -> str:
        return self._output.read_text()

    def name(self) -> str:
        """Waits until the command offers its control. Returns the control's name in the kernel, which has a number
        where another program of the machine offers that control too.
        """
        until(lambda: bool(self._names()) or self.process.poll() is not None, "no control is offered")
        names = self._names()
        assert names, self.errors
        return names[0]

    def _names(self) -> list[str]:
        return re.findall(r"the kernel offers \S+ as (\S+)", self.errors)

    def end(self, number: int | None = None) -> int:
        """Sends a signal, if there is one. Waits for the end of the command, and returns its exit code."""
        if number is not None:
            self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode


@contextmanager
def running(folder: Path, *arguments: object) -> Iterator[Running]:
    one = Running(folder, *arguments)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()


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
    assert "all decisions match the recording" in run("--replay", RECORDING).stdout


def test_a_replay_into_another_control_shows_where_it_differs() -> None:
    done = run("--replay", RECORDING, "newreno", "tcp-p", "bbrv3")
    assert done.returncode == 0, done.stderr
    # At a loss, NewReno keeps half of a window of 19 packets, and the recorded CUBIC 0.7 of it, rounded down.
    assert (
        "decisions differ from the recording; the first in line 22: the window is 9 packets (recorded: 13), the slow "
        "start threshold is 9 packets (recorded: 13)\n"
    ) in done.stdout
    with pytest.raises(
        InputError,
        match=r"number of congestion controls: 3 in the recording \(cubic tcp-p bbrv3\), but 1 in the command",
    ):
        core.replay(RECORDING.read_text(), ["cubic"])
    with pytest.raises(InputError, match="spike does not run under Linux's TCP"):
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
    assert difference["recorded"] == {**difference["decided"], "cwnd": difference["decided"]["cwnd"] + 1}


def test_wrong_input_is_named(tmp_path: Path) -> None:
    text = tmp_path / "text.csv"
    text.write_text("no events\n")
    for arguments, message in [
        (["kubic"], 'there is no control "kubic"; did you mean "cubic"?'),
        ([], "no control is named; for example: ackclock control cubic"),
        (["--replay", text], 'line 1: found "no events", expected "# ackclock kernel events 1"'),
        (["--replay", tmp_path / "none.csv"], "none.csv: No such file or directory"),
        (["--replay", RECORDING, "--", "true"], "--replay cannot be combined with --record or a command"),
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
    assert (
        "offering a congestion control to the kernel requires root, but this process lacks CAP_BPF" in message
    )
    assert "`ackclock run` simulates every congestion control" in message


@pytest.mark.usefixtures("struct_ops")
def test_a_user_namespace_is_not_enough() -> None:
    unshare = shutil.which("unshare")
    command = [str(unshare), "--user", "--map-root-user", *COMMAND, "cubic", "--", "true"]
    if unshare is None or subprocess.run([*command[:3], "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs user namespaces, and unshare of util-linux")
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert "root in a user namespace is not enough" in " ".join(done.stderr.split())


CLIENT = """
import socket, sys, threading
socket.setdefaulttimeout(float(sys.argv[2]))
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


def transfer(control: str) -> None:
    """Sends 13 MB to this host under a control of the kernel."""
    command = [sys.executable, "-c", CLIENT, control, str(PATIENCE_S)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("struct_ops")
@pytest.mark.parametrize(
    ("name", "kernel", "owns"), [("htcp,least_beta=0.6", "ack_htcp", False), ("bbrv3", "ack_bbrv3", True)]
)
def test_a_transfer_is_decided_by_the_control(tmp_path: Path, name: str, kernel: str, owns: bool) -> None:
    record = tmp_path / "events.csv"
    with running(tmp_path, name, "--record", record, "--json") as offered:
        in_kernel = offered.name()
        transfer(in_kernel)
        assert offered.end(signal.SIGINT) == 0, offered.errors
    [report] = json.loads(offered.output)["controls"]
    assert in_kernel.startswith(kernel)
    assert (report["name"], report["control"], report["owns_window"]) == (in_kernel, name, owns)
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
    assert "`/no/such/program` cannot be run: No such file or directory" in done.stderr


@pytest.mark.usefixtures("struct_ops")
def test_two_offers_of_one_control_have_two_names() -> None:
    done = run("scalable", "scalable", "--", "cat", AVAILABLE)
    assert {"ack_scalable", "ack_scalable_2"} <= set(done.stdout.split("\n")[0].split()), done.stderr


@pytest.mark.usefixtures("struct_ops")
def test_two_programs_offer_one_control() -> None:
    done = run("scalable", "--", *COMMAND, "scalable", "--", "cat", AVAILABLE)
    assert done.returncode == 0, done.stderr
    assert {"ack_scalable", "ack_scalable_2"} <= set(done.stdout.split("\n")[0].split()), done.stderr


@pytest.mark.usefixtures("struct_ops")
def test_a_recording_that_does_not_fit_is_an_error() -> None:
    done = run("bic", "--record", "/dev/full", "--", "true")
    assert done.returncode == 1
    assert "error: /dev/full: No space left on device" in " ".join(done.stderr.split())


@pytest.mark.usefixtures("struct_ops")
def test_a_program_that_is_killed_is_an_error(tmp_path: Path) -> None:
    with running(tmp_path, "bic", "--", "cat") as offered:
        offered.name()
        os.kill(holder(offered.process.pid), signal.SIGKILL)
        assert offered.end() == 1, "cat ends with its input"
    assert f"error: {PROGRAM} was killed by signal 9" in offered.errors


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
def test_nothing_is_left_behind(tmp_path: Path, ending: str, control: str) -> None:
    held: dict[int, set[int]] = {}
    long = [sys.executable, "-c", "import time; time.sleep(1000)"]
    command = {"end": ["true"], "error": ["/no/such/program"], "Ctrl-C without a command": []}.get(
        ending, long
    )
    with running(tmp_path, control, "--", *command) as offered:
        name = offered.name()
        sent = None
        if ending in ("Ctrl-C", "Ctrl-C without a command", "killed"):
            assert name in available()
            held = of_process(holder(offered.process.pid))
            assert all(numbers and numbers <= of_kernel(kind) for kind, numbers in held.items()), held
            sent = signal.SIGKILL if ending == "killed" else signal.SIGINT
        code = offered.end(sent)
    expected = {"end": 0, "error": 1, "Ctrl-C": 130, "Ctrl-C without a command": 0, "killed": -signal.SIGKILL}
    assert code == expected[ending], offered.errors
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
def test_a_socket_whose_control_has_gone_goes_on(tmp_path: Path) -> None:
    with running(tmp_path, "hybla") as offered:
        name = offered.name()
        programs = of_process(holder(offered.process.pid))[PROGRAMS]
        with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as sender:
            server.settimeout(PATIENCE_S)
            sender.settimeout(PATIENCE_S)
            sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
            sender.connect(server.getsockname())
            taken, _ = server.accept()
            with taken:
                taken.settimeout(PATIENCE_S)
                offered.end(signal.SIGKILL)
                until(lambda: name not in available(), "the control is left")
                for _ in range(50):
                    sender.sendall(bytes(65536))
                    received = 0
                    while received < 65536:
                        received += len(taken.recv(65536))
                assert programs & of_kernel(PROGRAMS), "the socket needs them"
        until(lambda: not programs & of_kernel(PROGRAMS), "a program outlives the last socket")


@pytest.mark.usefixtures("struct_ops")
def test_connections_are_under_reno_while_the_program_does_not_answer(tmp_path: Path) -> None:
    with running(tmp_path, "compound", "--json") as offered:
        name = offered.name()
        program = holder(offered.process.pid)
        try:
            os.kill(program, signal.SIGSTOP)
            time.sleep(0.2)  # the kernel waits 100 ms for the next sign of life
            transfer(name)
        finally:
            with suppress(ProcessLookupError):
                os.kill(program, signal.SIGCONT)
        assert offered.end(signal.SIGINT) == 0, offered.errors
    [report] = json.loads(offered.output)["controls"]
    assert report["reno"] > 0
    assert report["in_time"] == 0


LOSSY = """
duration = "30 s"
[[links]]
name = "wire"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { name = "droptail", limit = "20 packets" }
[[flows]]
name = "tcp"
from = "a"
to = "b"
control = "newreno"
"""
SINK = """
import socket
taken, _ = socket.create_server(("", 5001)).accept()
while taken.recv(1 << 20): pass
"""
SOURCE = """
import socket, sys
sender = socket.socket()
sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
sender.connect(("10.78.0.2", 5001))
for _ in range(30): sender.sendall(bytes(65536))
sender.shutdown(socket.SHUT_WR)
sender.recv(1)
"""


@pytest.mark.usefixtures("struct_ops")
def test_a_late_answer_to_a_loss_reduces_the_window(tmp_path: Path) -> None:
    """On one processor every answer is late, as the program cannot run while the kernel handles an acknowledgement."""
    scenario, record = tmp_path / "lossy.toml", tmp_path / "events.csv"
    scenario.write_text(LOSSY)
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    try:
        with running(tmp_path, "cubic", "--record", record, "--json") as offered:
            serve, send = [sys.executable, "-c", SINK], [sys.executable, "-c", SOURCE, offered.name()]
            command = [*COMMAND[:-1], "path", str(scenario), "--serve", shlex.join(serve), "--", *send]
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
            assert offered.end(signal.SIGINT) == 0, offered.errors
    finally:
        os.sched_setaffinity(0, processors)
    message = " ".join(done.stderr.split())
    if any(reason in message for reason in MISSING):
        pytest.skip(message)
    [report] = json.loads(offered.output)["controls"]
    assert report["late"] > report["in_time"], done.stdout + done.stderr
    # An event has what is in force before it, so the one after a loss has the threshold that the kernel took.
    rows = [dict(zip(EVENT, line.split(","), strict=True)) for line in record.read_text().splitlines()[3:]]
    losses = [place for place, row in enumerate(rows) if row["kind"] == LOSS]
    assert losses, done.stdout + done.stderr
    for place in losses:
        row, rest = rows[place], rows[place + 1 :]
        decided = int(row["answer_ssthresh"])
        assert int(rest[0]["ssthresh"]) <= max(decided, int(row["cwnd"]) // 2)
        # By the end of recovery it is the control's own.
        ending = next(after for after in rest if after["kind"] in (LOSS, UNDO, END) or is_open(after))
        assert int(ending["ssthresh"]) == decided or not is_open(ending)


def is_open(row: dict[str, str]) -> bool:
    """Returns whether an event ends recovery."""
    return row["kind"] == STATE and row["arg"] in "01"


RING_EVENTS = (1 << 21) // (128 + 8)
"""The events that the ring buffer of ``tcp.bpf.c`` has room for: each has 128 bytes and a header of 8."""


@pytest.mark.usefixtures("struct_ops")
def test_a_connection_whose_end_finds_no_room_ends(tmp_path: Path) -> None:
    record = tmp_path / "events.csv"
    with running(tmp_path, "tcp-p", "--record", record, "--json") as offered:
        name = offered.name()
        program = holder(offered.process.pid)
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(PATIENCE_S)
            first, busy = connected(name, server), connected(name, server)
            try:
                os.kill(program, signal.SIGSTOP)
                for _ in range(RING_EVENTS):  # each has the event of an acknowledgement at least
                    echo(busy)
                reset(first)
            finally:
                with suppress(ProcessLookupError):
                    os.kill(program, signal.SIGCONT)
            reset(busy)
        assert offered.end(signal.SIGINT) == 0, offered.errors
    [report] = json.loads(offered.output)["controls"]
    assert report["lost_events"] > 0
    rows = [dict(zip(EVENT, line.split(","), strict=True)) for line in record.read_text().splitlines()[3:]]
    ends = [row["connection"] for row in rows if row["kind"] == END]
    assert ends.count("1") == 1
    assert sorted(ends) == sorted({row["connection"] for row in rows})


Ends = tuple[socket.socket, socket.socket]


def connected(control: str, server: socket.socket) -> Ends:
    """Returns both ends of a connection to this host, the first under a control of the kernel."""
    one = socket.socket()
    one.settimeout(PATIENCE_S)
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    one.connect(server.getsockname())
    other, _ = server.accept()
    other.settimeout(PATIENCE_S)
    return one, other


def echo(ends: Ends) -> None:
    """Sends a byte there and back."""
    for one, other in (ends, ends[::-1]):
        one.sendall(b"x")
        other.recv(1)


def reset(ends: Ends) -> None:
    """Ends a connection at once, without waiting for anything to be acknowledged."""
    for one in ends:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.close()
