"""aioquic behind the table of functions in shim.c, which sets TABLE, PACKAGES and REQUIREMENTS.

aioquic takes every time as an argument. What it draws at random follows from the seed here: `os.urandom` and the keys of
its modules are replaced. Certificates are signed with Ed25519, whose signatures are not random.
"""

import ctypes
import datetime
import math
import os
import random
import ssl
import sys
import traceback
from types import SimpleNamespace

sys.path.insert(0, PACKAGES)  # noqa: F821  (the shim defines it before it runs this file)

from aioquic import __version__, tls  # noqa: E402  (the packages are beside the library)
from aioquic.buffer import Buffer  # noqa: E402  (the packages are beside the library)
from aioquic.quic import connection as connections  # noqa: E402  (the packages are beside the library)
from aioquic.quic import events, packet  # noqa: E402  (the packages are beside the library)
from aioquic.quic.configuration import QuicConfiguration  # noqa: E402  (the packages are beside the library)
from cryptography import x509  # noqa: E402  (the packages are beside the library)
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x448, x25519  # noqa: E402  (the packages are beside the library)

if f"aioquic=={__version__}\n" not in REQUIREMENTS:  # noqa: F821  (the shim defines it before it runs this file)
    raise ImportError(f"found aioquic {__version__}, which the library was not built with: {tls.__file__}")

NEVER = 2**64 - 1
WALL = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
BUFFER = 65536
"""The bytes that an end takes without sending them."""
STREAM = 2
FACTS = {
    key: ctypes.create_string_buffer(text.encode())
    for key, text in {
        "name": "aioquic",
        "version": __version__,
        "controls": "reno cubic",
        "random": "",
        "licence": "BSD-3-Clause",
    }.items()
}


class Option(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class State(ctypes.Structure):
    """ackclock_state, as far as this glue fills it in."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "size window_bytes in_flight_bytes srtt_ns min_rtt_ns pacing_bps sent_packets lost_packets spurious_packets "
            "pto_count reductions delivered"
        ).split()
    ] + [("closed", ctypes.c_char * 128)]


current = random.Random(0)
"""The random numbers of the end that is being called."""


class Seeded:
    """The module `os` as aioquic's modules see it."""

    def __getattr__(self, name):
        return getattr(os, name)

    @staticmethod
    def urandom(size):
        return current.randbytes(size)


def private_key(kind, size):
    return SimpleNamespace(generate=lambda: kind.from_private_bytes(current.randbytes(size)))


class Curves:
    """The module `ec` as aioquic's TLS sees it."""

    def __getattr__(self, name):
        return getattr(ec, name)

    @staticmethod
    def generate_private_key(curve, backend=None):
        return ec.derive_private_key(current.getrandbits(curve.key_size - 1) + 1, curve)


connections.os = packet.os = tls.os = Seeded()
tls.ec = Curves()
tls.x25519 = SimpleNamespace(
    X25519PrivateKey=private_key(x25519.X25519PrivateKey, 32), X25519PublicKey=x25519.X25519PublicKey
)
tls.x448 = SimpleNamespace(
    X448PrivateKey=private_key(x448.X448PrivateKey, 56), X448PublicKey=x448.X448PublicKey
)
tls.utcnow = lambda: WALL


def certificate(key):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "peer")])
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, WALL, WALL + datetime.timedelta(365000))
    return made.sign(key, None)


class End:
    def __init__(self, is_client, seed, options):
        self.random = random.Random(seed)
        self.connection = None
        self.out, self.is_idle = [], False
        self.is_open = self.has_ended = False
        self.unread = self.lost = 0
        self.sender = None
        self.closed = ""
        self.config = QuicConfiguration(
            is_client=is_client,
            alpn_protocols=["hq"],
            server_name="peer",
            verify_mode=ssl.CERT_NONE,
            idle_timeout=86400.0,
            congestion_control_algorithm=options["control"],
            max_datagram_size=int(options["datagram"]),
            max_data=int(options["window"]),
            max_stream_data=int(options["window"]),
        )
        if options["control"] not in FACTS["controls"].value.decode().split():
            raise ValueError(f"no congestion control {options['control']!r}")
        if unknown := set(options) - {"control", "datagram", "window"}:
            raise ValueError(f"no option {min(unknown)!r}")

    def enter(self):
        global current
        current, self.is_idle = self.random, False

    def connect(self, **arguments):
        self.connection = connections.QuicConnection(configuration=self.config, **arguments)
        control = self.connection._loss._cc
        on_lost = control.on_packets_lost

        def counted(*, now, packets):
            self.lost += len(packets)
            on_lost(now=now, packets=packets)

        control.on_packets_lost = counted

    def recv(self, datagram, now):
        self.enter()
        if self.connection is None:
            header = packet.pull_quic_header(Buffer(data=datagram), host_cid_length=8)
            self.config.private_key = ed25519.Ed25519PrivateKey.from_private_bytes(self.random.randbytes(32))
            self.config.certificate = certificate(self.config.private_key)
            self.connect(original_destination_connection_id=header.destination_cid)
        self.connection.receive_datagram(datagram, ("peer", 4433), now / 1e9)
        while (event := self.connection.next_event()) is not None:
            if isinstance(event, events.HandshakeCompleted):
                self.is_open = True
            elif isinstance(event, events.StreamDataReceived):
                self.unread += len(event.data)
            elif isinstance(event, events.ConnectionTerminated):
                self.closed = event.reason_phrase or f"error {event.error_code:#x}"

    def send(self, now):
        """Returns the next datagram."""
        if not self.out and not self.is_idle and self.connection is not None:
            self.enter()
            self.out = [data for data, _ in self.connection.datagrams_to_send(now / 1e9)]
            self.is_idle = True
        return self.out.pop(0) if self.out else b""

    def timeout(self, now):
        at = self.connection.get_timer() if self.connection is not None else None
        # Not before the time that the stack has named, whatever the rounding.
        return NEVER if at is None else max(now, math.floor(at * 1e9) + 1)

    def on_timeout(self, now):
        self.enter()
        self.connection.handle_timer(now / 1e9)

    def write(self, count, fin):
        if not self.is_open or self.closed:
            return 0
        if self.sender is not None:
            count = min(count, BUFFER - (self.sender._buffer_stop - self.sender.highest_offset))
        if not fin and not count:
            return 0
        self.enter()
        self.connection.send_stream_data(STREAM, bytes(count), bool(fin))
        if self.sender is None:
            self.sender = self.connection._streams[STREAM].sender
        return 1 if fin else count

    def read(self):
        count, self.unread = self.unread, 0
        return count

    def state(self, state):
        state.delivered = self.sender is not None and self.sender.is_finished
        state.closed = self.closed.encode()[:127]
        if self.connection is not None:
            loss = self.connection._loss
            state.window_bytes, state.in_flight_bytes = loss.congestion_window, loss.bytes_in_flight
            state.sent_packets, state.lost_packets = self.connection._packet_number, self.lost
            if loss._rtt_initialized:
                state.srtt_ns, state.min_rtt_ns = round(loss._rtt_smoothed * 1e9), round(loss._rtt_min * 1e9)
                if loss._pacer.packet_time:
                    state.pacing_bps = round(8 * self.config.max_datagram_size / loss._pacer.packet_time)


ends = {}


def new(role, seed, options, count, now, error, size):
    try:
        given = (Option * count).from_address(options) if count else []
        end = End(role == 0, seed, {one.key.decode(): one.value.decode() for one in given})
        if role == 0:
            end.enter()
            end.connect()
            end.connection.connect(("peer", 4433), now / 1e9)
    except ValueError as reason:
        ctypes.memmove(error, str(reason).encode()[: size - 1] + b"\0", min(len(str(reason).encode()), size - 1) + 1)
        return None
    ends[len(ends) + 1] = end
    return len(ends)


def send(number, buffer, size, now):
    datagram = ends[number].send(now)
    ctypes.memmove(buffer, datagram, len(datagram))
    return len(datagram)


def guarded(function):
    """Returns `function`, whose exceptions close its end."""

    def call(number, *arguments):
        try:
            return function(number, *arguments)
        except Exception as error:
            traceback.print_exc()
            ends[number].closed = ends[number].closed or repr(error)
            return 0

    return call


def free(number):
    ends[number] = None  # its number is not given again


def address_of(key):
    fact = FACTS.get(key.decode())
    return None if fact is None else ctypes.addressof(fact)


POINTER, SIZE, U32, U64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint64
FUNCTIONS = [  # in the order of the table
    ctypes.CFUNCTYPE(POINTER, ctypes.c_char_p)(address_of),
    ctypes.CFUNCTYPE(POINTER, U32, U64, POINTER, SIZE, U64, POINTER, SIZE)(new),
    ctypes.CFUNCTYPE(None, POINTER, POINTER, SIZE, U32, U64)(
        guarded(lambda end, data, length, ecn, now: ends[end].recv(ctypes.string_at(data, length), now))
    ),
    ctypes.CFUNCTYPE(SIZE, POINTER, POINTER, SIZE, U64)(guarded(send)),
    ctypes.CFUNCTYPE(U64, POINTER, U64)(guarded(lambda end, now: ends[end].timeout(now))),
    ctypes.CFUNCTYPE(None, POINTER, U64)(guarded(lambda end, now: ends[end].on_timeout(now))),
    ctypes.CFUNCTYPE(U64, POINTER, U64, U32, U64)(guarded(lambda end, count, fin, now: ends[end].write(count, fin))),
    ctypes.CFUNCTYPE(U64, POINTER)(guarded(lambda end: ends[end].read())),
    ctypes.CFUNCTYPE(None, POINTER, POINTER)(guarded(lambda end, state: ends[end].state(State.from_address(state)))),
    ctypes.CFUNCTYPE(None, POINTER)(guarded(free)),
]
table = (POINTER * len(FUNCTIONS)).from_address(TABLE)  # noqa: F821  (the shim defines it before it runs this file)
for place, function in enumerate(FUNCTIONS):
    table[place] = ctypes.cast(function, POINTER).value
sys.modules["ackclock_aioquic_glue"] = SimpleNamespace(functions=FUNCTIONS)  # so that they stay
