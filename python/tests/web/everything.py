"""A short scenario with each thing that the registry has, made from the registry alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ackclock import _typed_core as core

HEAD = 'duration = "2 s"\n'
# Losses of both kinds, marks, a way back that is narrow: so that what reacts to them has something to react to.
DUMBBELL = """
[dumbbell]
pairs = 2
bottleneck = {{ rate = "4 Mbit/s", delay = "10 ms", queue = {queue}, loss = {loss} }}
access = {{ rate = "50 Mbit/s", delay = "1 ms" }}
"""
QUEUE = '{ name = "droptail", limit = "20 packets" }'
LOSS = '{ name = "independent", probability = 0.005 }'
RIVAL = '\n[[flows]]\nname = "rival"\ncontrol = "newreno"\npair = 2\nstart = "0.2 s"\n'
PARALLEL = """
[parallel]
bottlenecks = [{ rate = "2 Mbit/s", delay = "10 ms" }, { rate = "1 Mbit/s", delay = "20 ms", loss = "independent" }]
access = { rate = "50 Mbit/s", delay = "1 ms" }
"""
AIR = """
[[media]]
name = "air"
access = "{access}"
{more}

[[links]]
name = "wire"
between = ["server", "tower"]
rate = "50 Mbit/s"
delay = "5 ms"

[[links]]
name = "radio"
between = ["tower", "phone"]
rate = "6 Mbit/s"
delay = "1 us"
medium = "air"

[[flows]]
control = "cubic"
from = "server"
to = "phone"

[[flows]]
control = "newreno"
from = "phone"
to = "server"
"""


def _dumbbell(flow: str, queue: str = QUEUE, loss: str = LOSS) -> str:
    network = DUMBBELL.format(queue=queue, loss=loss)
    return f'{HEAD}{network}\n[[flows]]\nname = "one"\npair = 1\n{flow}\n{RIVAL}'


def _air(access: str, more: str = "") -> str:
    return HEAD + AIR.format(access=access, more=more)


def _transport(name: str) -> str:
    control = "rtp:nada" if name == "rtp" else "cubic"
    flow = f'[[flows]]\nname = "one"\ncontrol = "{control}"\ntransport = "{name}"\n'
    # Only SCTP has several paths.
    return HEAD + PARALLEL + flow if name.startswith("sctp") else _dumbbell(flow.split("\n", 2)[2])


def _scenario(kind: str, name: str) -> str:
    """KeyError for a kind that has no scenario here."""
    ecn = 'transport = { name = "rfc", ecn = true }'
    cubic = 'control = "cubic"'
    radio = 'propagation = { name = "shadowing", exponent = 2.5 }'
    return {
        "control": lambda: _dumbbell(
            f'control = "{name}"\n' + (f'transport = "{name.partition(":")[0]}"' if ":" in name else ecn)
        ),
        "discriminator": lambda: _dumbbell(f'control = "newreno"\ndiscriminator = "{name}"'),
        "action": lambda: _dumbbell(f'control = "newreno"\ndiscriminator = "always"\naction = "{name}"'),
        "slow-start": lambda: _dumbbell(f'control = "cubic"\nslow_start = "{name}"'),
        "resume": lambda: _dumbbell(f'control = "cubic"\nresume = "{name}"'),
        "ecn-response": lambda: _dumbbell(
            f'control = "cubic"\necn_response = "{name}"\n{ecn}', queue='{ name = "codel", ecn = true }'
        ),
        "growth-limit": lambda: _dumbbell(f'control = "cubic"\ngrowth_limit = "{name}"'),
        "backoff": lambda: _dumbbell(f'control = "newreno"\nbackoff = "{name}"'),
        "selector": lambda: (
            f'{HEAD}{PARALLEL}[[flows]]\ncontrol = "sctp"\ntransport = "sctp"\nselector = "{name}"\n'
        ),
        "queue": lambda: _dumbbell(f'control = "cubic"\n{ecn}', queue=f'"{name}"'),
        "loss": lambda: _dumbbell(cubic, loss=f'"{name}"'),
        "medium": lambda: _air(name),
        "propagation": lambda: _air("dcf", f'propagation = "{name}"'),
        "mobility": lambda: _air("wifi", f'{radio}\nmobility = "{name}"'),
        "agent": lambda: _dumbbell(cubic) + f'\n[[agents]]\nat = "right"\nagent = "{name}"\n',
        "transport": lambda: _transport(name),
        "routing": lambda: f'routing = "{name}"\n{_dumbbell(cubic)}',
        "application": lambda: _dumbbell(
            f'application = "{name}"' + ("" if _over_udp(name) else '\ncontrol = "cubic"')
        ),
    }[kind]()


def _over_udp(application: str) -> bool:
    return application in ("cbr", "on-off", "mmpp", "video", "requests")


def registry() -> list[dict[str, Any]]:
    """The registry without the QUIC stacks and their controls, which the module of web pages leaves out."""
    return [entry for entry in core.registry() if entry["name"].partition(":")[0] not in ("noq", "quinn")]


def scenarios() -> Iterator[tuple[str, str]]:
    """Each thing's kind and name, and the scenario with it."""
    for entry in registry():
        yield f"{entry['kind']} {entry['name']}", _scenario(entry["kind"], entry["name"])
