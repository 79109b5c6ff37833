"""Reads qlog of any version and any stack; ``spellings.py`` has their words.

Logs differ in the serialisation (a text sequence, lines, or one document with ``traces``), in the form of an event (an
object, or an array under ``event_fields``), in names, in the place of a packet's number and size, and in the unit of
times: milliseconds, but microseconds with ``configuration.time_units``. Round trips are in the unit of times, but in
quinn before its version of May 2026 in seconds. quinn does not say what packets hold. mvfst logs its state with its
window, and of lost packets their number and the last one.

An event that is not understood and may say something of what is compared stops the comparison: without it, two logs may
seem to agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.traces import spellings
from ackclock.traces.log import LOSSES, QUANTITIES, TIMEOUTS, Course, Event, EventKind, Log, Place
from ackclock.traces.qlog_file import Entry, QlogFile, json_array, json_object, number
from ackclock.traces.states import canonical

LEAST_DATA = 200
"""The smallest packet, in bytes, that counts as a data packet in a log that does not list the frames of packets."""
TELLING = re.compile(r"recovery|congestion|loss|lost|metric|cwnd|rtt|retransmi|timeout|pacing|bandwidth")
"""Matches the category or the name of an event that may concern a compared quantity, if the event is unknown."""
CLOSE = 1e-5
"""The largest relative error of a round-trip time that a stack logs in single precision."""
UNBOUNDED = 2.0**63
"""The smallest logged value that means that no slow start threshold is set: quinn logs the largest 64-bit integer."""
OURS = "the sender's end"
"""The vantage point in ackclock's qlogs: windows count payload, and a retransmitted TCP segment keeps its number."""


def read(path: Path, flow: str | None, partial: bool) -> Log:
    """Returns the log of a file, of the connection ``flow`` if there are several.

    InputError, with the place in the file, if the file is not a qlog that a sender wrote.
    """
    file = QlogFile.open(path, flow, partial)
    wanted = None if file.chosen else flow
    reader = _Reader(file)
    groups: set[str] = set()
    earlier: set[str] = set()
    group: str | None = None
    for entry in file.entries():
        if entry.group is not None:
            groups.add(entry.group)
            if wanted is not None and entry.group != wanted:
                continue
            if group is None or (entry.group != group and reader.in_handshake and entry.group not in earlier):
                # quinn's name of a connection changes with the connection ID of its handshake.
                group = entry.group
                earlier.add(group)
            if entry.group != group:
                raise InputError(
                    f"{entry.where}: the log has several connections, expected {path}#NAME with the group_id of one "
                    f"connection, such as {path}#{group}"
                )
        reader.take(entry)
    if wanted is not None and wanted not in groups:
        known = [*sorted(groups), *file.titles]
        raise InputError(f'{path}: there is no connection "{wanted}"{nearest(wanted, known)}')
    return reader.log(path if flow is None else f"{path}#{flow}")


class _Reader:
    """Takes the events of a connection one by one."""

    def __init__(self, file: QlogFile) -> None:
        self.file = file
        self.rtt_s = file.unit_s
        """The unit, in seconds, in which the log states round-trip times."""
        self.stack = file.stack
        self.silent = dict(self.stack.silent)
        self.rates_known = self.stack.pacing_rate_needs is None
        self.told: set[str] = set()
        """The kinds of events (losses, timeouts) that the log would contain if they had happened."""
        self.paths: set[str] = set()
        self.ours = (
            json_object(file.path, "vantage_point", file.trace.get("vantage_point")).get("name") == OURS
        )
        if self.ours:
            self.told |= {LOSSES, TIMEOUTS}
        common = json_object(file.path, "common_fields", file.trace.get("common_fields"))
        self.is_tcp = self.ours and "TCP" in str(common.get("protocol_type"))
        self.retransmitted = 0
        self.courses = {name: Course() for name in QUANTITIES}
        self.all_flights = Course()
        self.events: list[Event] = []
        self.names: Counter[str] = Counter()
        self.not_understood: Counter[str] = Counter()
        self.state = ""
        """The congestion state in the last metrics; empty if the log's metrics have no state."""
        self.sizes: Counter[int] = Counter()
        self.sent = 0
        self.others = 0
        self.nth: dict[int, int] = {}
        self.first_sent_s: float | None = None
        self.first_report_s: float | None = None
        self.acked_s: float | None = None
        """The time of the last acknowledgement, in seconds; None if data was sent since, or none arrived yet."""
        self.flight: tuple[Place, float] | None = None
        """The latest bytes in flight with their place; recorded only if an acknowledgement follows at the same time."""

    def take(self, entry: Entry) -> None:
        """Takes an event. InputError for a value that is no number."""
        self.names[entry.name] += 1
        row = spellings.EVENTS.get(entry.name)
        if row is None:
            if TELLING.search(f"{entry.category}:{entry.name}"):
                self.not_understood[entry.name] += 1
            return
        self.silent |= row.other_form
        if row.meaning != "nothing":
            if row.meaning == "metrics":
                self._check_path(entry)
            take = getattr(self, f"_take_{row.meaning}")
            take(entry.where, Place(entry.time_s, self.sent), entry.data)

    def _check_path(self, entry: Entry) -> None:
        if entry.path is not None:
            self.paths.add(entry.path)
        if len(self.paths) > 1:
            raise InputError(
                f"{entry.where}: the connection has the paths {', '.join(sorted(self.paths))}, "
                "each with its own window; expected a connection with one path"
            )

    def _take_sent(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        packet = _packet(where, data)
        frames = json_array(where, "frames", data.get("frames"))
        size = _payload(frames) if self.ours else _size(data)
        if data.get("frames") is not None:
            carries = any(_frame_type(frame) in spellings.DATA_FRAMES for frame in frames)
        else:
            carries = size is None or size >= LEAST_DATA
        if packet is None or not carries:
            self.others += 1
            return
        if self.first_sent_s is None:
            self.first_sent_s = place.time_s
        if self.is_tcp:
            self.retransmitted += packet in self.nth
            self.courses["retransmitted"].add(place, self.retransmitted)
        self.nth[packet] = self.sent
        self._add(place, "sent", packet)
        self.sent += 1
        self.acked_s = None
        if size:
            self.sizes[size] += 1

    @property
    def in_handshake(self) -> bool:
        """Returns whether packets were sent, but none with data."""
        return self.others > 0 and not self.sent

    def _take_received(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        if "frames" not in data and _type(data) == "1rtt" and self.sent:
            # quinn does not log a packet's frames; a packet that a data sender receives counts as an acknowledgement.
            self._acknowledged(place, None)
        for frame in json_array(where, "frames", data.get("frames")):
            if _frame_type(frame) in spellings.ACK_FRAMES and _type(data) in spellings.DATA_PACKETS:
                highest = _highest(where, frame)
                if highest is not None:
                    self._acknowledged(place, highest)

    def _take_acknowledged(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        numbers = json_array(where, "packet_numbers", data.get("packet_numbers"))
        if numbers and "ack" not in str(data.get("packet_number_space", "")):
            self._acknowledged(place, max(int(number(where, "packet_numbers", one)) for one in numbers))

    def _acknowledged(self, place: Place, highest: int | None) -> None:
        self.acked_s = place.time_s
        if self.first_report_s is None and self.nth and (highest is None or highest >= min(self.nth)):
            self.first_report_s = place.time_s
        if self.flight is not None and self.flight[0].time_s == place.time_s:
            self.courses["bytes_in_flight"].add(*self.flight)
            self.flight = None
        self._add(place, "acknowledged", highest)

    def _take_lost(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        self.silent.pop(LOSSES, None)
        if spellings.LAST in data:
            self._take_lost_count(where, place, data)
            return
        packet = _packet(where, data)
        if packet is None or data.get("is_mtu_probe_packet") is True:
            return
        if self.sent == 0 or packet in self.nth:
            trigger = str(data.get("trigger") or "")
            self.events.append(Event(place, "lost", packet, self.nth.get(packet), trigger))

    def _take_lost_count(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        last = int(number(where, spellings.LAST, data[spellings.LAST]))
        count = int(number(where, spellings.COUNT, data.get(spellings.COUNT)))
        self._add_lost(place, min(count, self.sent) - 1)
        if count and last in self.nth:
            self.events.append(Event(place, "lost", last, self.nth[last]))

    def _add_lost(self, place: Place, count: int) -> None:
        """Adds lost packets of which only the number is known.

        No more can be lost than were sent; those of a handshake are not data.
        """
        for _ in range(min(count, self.sent)):
            self._add(place, "lost")

    def _take_timer(self, _: str, place: Place, data: Mapping[str, Any]) -> None:
        self.told.add(TIMEOUTS)
        # mvfst logs only timers that have expired, with their type and no event_type.
        expired = data.get("event_type", "expired") == "expired"
        if expired and str(data.get("timer_type", data.get("type", "pto"))).lower().startswith("pto"):
            self._add(place, "timeout")

    def _take_timer_expired(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        self._take_timer(where, place, {**data, "event_type": "expired"})

    def _take_state(self, _: str, place: Place, data: Mapping[str, Any]) -> None:
        state = canonical(str(data.get("new") or ""))
        if state:
            self._add(place, "state", words=state)

    def _take_metrics(self, where: str, place: Place, data: Mapping[str, Any]) -> None:
        if data.get("smoothed_rtt") == spellings.SECONDS:
            self.rtt_s = 1.0
        if data.get(self.stack.pacing_rate_needs or "") is not None:
            self.rates_known = True
        words: list[str] = []
        found: set[str] = set()
        for key, name in spellings.QUANTITIES.items():
            if data.get(key) is None or name in found or (name == "pacing_rate" and not self.rates_known):
                continue
            value = number(where, key, data[key]) * self._unit(name)
            if value >= UNBOUNDED or (name == "smoothed_rtt" and self._is_no_sample(value)):
                continue  # no threshold yet, no sample yet
            found.add(name)
            words.append(f"{key} {data[key]}")
            if name == "bytes_in_flight":
                self.all_flights.add(place, value)
                if self.acked_s is None:
                    self.flight = place, value
                    continue
            self.courses[name].add(place, value)
        if words:
            self._add(place, "metrics", words=", ".join(words))
        self._take_loss_total(where, place, data.get(spellings.LOSS_TOTAL))
        state = canonical(str(data.get(spellings.STATE) or ""))
        if state and state != self.state:
            self._add(place, "state", words=state)
        self.state = state or self.state

    def _unit(self, name: str) -> float:
        return {"smoothed_rtt": self.rtt_s, "pacing_rate": self.stack.pacing_rate_bits}.get(name, 1.0)

    def _is_no_sample(self, rtt_s: float) -> bool:
        """Returns whether a round trip is what the stack begins with, before it has measured one."""
        begun = not self.courses["smoothed_rtt"].places
        initial_s = self.stack.initial_rtt_s
        return rtt_s == 0 or (begun and not self.ours and abs(rtt_s - initial_s) < CLOSE * initial_s)

    def _take_loss_total(self, where: str, place: Place, total: Any) -> None:
        if total is not None:
            self.told.add(LOSSES)
            self.silent.pop(LOSSES, None)
            table = json_object(where, spellings.LOSS_TOTAL, total)
            self._add_lost(place, int(number(where, "delta", table.get("delta", 0))))

    def _add(self, place: Place, kind: EventKind, packet: int | None = None, words: str = "") -> None:
        self.events.append(Event(place, kind, packet, words=words))

    def log(self, name: object) -> Log:
        """Returns the log. InputError if it has nothing to compare."""
        if not any(course.places for course in self.courses.values()) and not self.all_flights.places:
            raise InputError(
                f"{self.file.path}: has no event recovery:metrics_updated with a quantity to compare; the events are "
                f"{', '.join(sorted(self.names)) or 'none'}; "
                "expected the log of a sender, with its congestion window"
            )
        if self.others and not self.sent:
            raise InputError(
                f"{self.file.path}: none of the packets sent ({self.others}) carries data, "
                "expected the log of the end that sends the data"
            )
        if not self.courses["bytes_in_flight"].places:
            self.courses["bytes_in_flight"] = self.all_flights
        if not self.is_tcp:
            self.silent.setdefault("retransmitted", "QUIC does not retransmit packets")
        if not self.rates_known:
            needs = self.stack.pacing_rate_needs
            self.silent["pacing_rate"] = (
                f"the log has no {needs}, so its pacing_rate may be the delivery rate"
            )
        first_metrics_s = self.events[0].place.time_s
        size = self.sizes.most_common(1)
        if self.sent:
            # What was lost before the first data packet is of the handshake, whatever its number.
            first = next(index for index, event in enumerate(self.events) if event.kind == "sent")
            self.events[:first] = [event for event in self.events[:first] if event.kind != "lost"]
        return Log(
            str(name),
            self.file.version,
            "bytes",
            {name: course for name, course in self.courses.items() if course.places},
            self.events,
            self.first_sent_s,
            first_metrics_s if self.first_report_s is None else self.first_report_s,
            float(size[0][0]) if size else None,
            always_tells=frozenset(self.told),
            silent=self.silent,
            not_understood=dict(self.not_understood),
        )


def _type(data: Mapping[str, Any]) -> str:
    header = data.get("header")
    kind = header.get("packet_type") if isinstance(header, dict) else None
    return str(kind or data.get("packet_type") or data.get("type") or "1RTT").lower()


def _packet(where: str, data: Mapping[str, Any]) -> int | None:
    """Returns the number of a packet that can carry data; None for the packets of a handshake."""
    if _type(data) not in spellings.DATA_PACKETS:
        return None
    header = data.get("header")
    found = header.get("packet_number") if isinstance(header, dict) else None
    found = data.get("packet_number") if found is None else found
    return None if found is None else int(number(where, "packet_number", found))


def _size(data: Mapping[str, Any]) -> int | None:
    """Returns a packet's size in bytes, which QUIC counts in its window."""
    raw, header = data.get("raw"), data.get("header")
    for table, key in ((raw, "length"), (header, "packet_size"), (header, "length")):
        if isinstance(table, dict) and isinstance(table.get(key), int):
            return int(table[key])
    return None


def _payload(frames: Sequence[Any]) -> int | None:
    """Returns the bytes of stream data in a packet; None if it has none."""
    lengths = [frame.get("length") for frame in frames if _frame_type(frame) == "stream"]
    return sum(length for length in lengths if isinstance(length, int)) or None


def _frame_type(frame: Any) -> str:
    return str(frame.get("frame_type", "")).lower() if isinstance(frame, dict) else ""


def _highest(where: str, frame: Mapping[str, Any]) -> int | None:
    """Returns the highest packet that an ACK frame acknowledges; None if it names none."""
    ends = [
        int(span[-1])
        for span in json_array(where, "acked_ranges", frame.get("acked_ranges"))
        if isinstance(span, list) and span and str(span[-1]).isdigit()
    ]
    return max(ends, default=None)
