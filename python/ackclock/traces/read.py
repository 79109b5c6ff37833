"""Reads a log by its contents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ackclock._files import is_there
from ackclock._names import alike
from ackclock.errors import InputError
from ackclock.traces.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable

FOREIGN = {
    b"\n\r\r\n": "a capture (pcapng)",
    b"\xd4\xc3\xb2\xa1": "a capture (pcap)",
    b"\xa1\xb2\xc3\xd4": "a capture (pcap)",
    b"\x1f\x8b": "compressed (gzip; unpack it first)",
    b"PK": "a zip archive (unpack it first)",
    b"qlog": "picoquic's binary log (convert it with `picolog_t -f qlog`)",
    b"golq": "picoquic's binary log (convert it with `picolog_t -f qlog`)",
}
"""The first bytes of files that cannot be read, and the description of each format in the error message."""
EXPECTED = (
    "expected a qlog, the event log of `ackclock run --export events`, ss samples, a tcp_probe trace, "
    "or iperf3 JSON"
)


def read(name: str, *, partial: bool = False) -> Log:
    """Returns a log in any of the formats, which its contents tell.

    ``name`` is a file, or FILE#NAME for one of its flows, connections or ends. With ``partial`` a log that breaks
    off is read up to there. InputError, with the place in the file, if it cannot be read.
    """
    from ackclock.traces import event_log

    path, flow = Path(name), None
    if not is_there(path, Path.exists) and "#" in name:
        before, _, flow = name.rpartition("#")
        path = Path(before)
    try:
        if not path.exists():
            raise InputError(f"{path}: No such file{_near(path)}")
        if path.is_dir():
            raise InputError(f"{path}: is a folder, {EXPECTED}{_in(path)}")
        with path.open("rb") as file:
            begin = file.read(4096)
        if begin.startswith(b"PAR1") or (path.suffix == ".csv" and b"time_s" in begin[:200]):
            return event_log.read(path, flow)
        return _reader(path, begin)(path, flow, partial)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def _reader(path: Path, begin: bytes) -> Callable[[Path, str | None, bool], Log]:
    """Returns what reads a file that begins so. InputError for another format."""
    from ackclock.traces import iperf3, qlog, ss, tcp_probe

    for magic, what in FOREIGN.items():
        if begin.startswith(magic):
            raise InputError(f"{path}: is {what}, {EXPECTED}")
    for recognises, reader in (
        (iperf3.recognises, iperf3.read),
        (ss.recognises, ss.read),
        (tcp_probe.recognises, tcp_probe.read),
    ):
        if recognises(begin):
            return reader
    _refuse_foreign(path, begin)
    return qlog.read


def _refuse_foreign(path: Path, begin: bytes) -> None:
    if begin and begin.lstrip()[:1] not in (b"{", b"\x1e", b""):
        if b"\0" in begin:
            raise InputError(f"{path}: is binary, {EXPECTED}")
        first = begin.decode("utf-8", "replace").lstrip().partition("\n")[0][:40]
        raise InputError(f'{path}:1: begins with "{first}", {EXPECTED}')


def _near(path: Path) -> str:
    close = alike(path.name, sorted(other.name for other in path.parent.glob("*") if other.is_file()))
    return "" if close is None else f'; did you mean "{path.parent / close}"?'


def _in(folder: Path) -> str:
    found = sorted(str(path) for path in folder.iterdir() if path.suffix in (".sqlog", ".qlog", ".parquet"))[
        :3
    ]
    return f"; give a file in it, such as {' or '.join(found)}" if found else ""
